//! Debug ports.

use super::{call, input, output, wrong, Handle};

#[no_mangle]
pub extern "C" fn vb_jtag(
    handle: *mut Handle,
    board: u32,
    octets: *const u8,
    count: usize,
    tdo: *mut u8,
    cap: usize,
    extra_ps: u64,
) -> i64 {
    call(handle, |bench| {
        let octets = input(octets, count, "octets")?;
        let room = output(tdo, cap, "tdo")?;
        if room.len() < octets.len() {
            return Err(wrong(format!(
                "room for {} levels, {} octets",
                room.len(),
                octets.len()
            )));
        }
        let mut answers = Vec::new();
        let until_ps = bench.now_ps().saturating_add(extra_ps);
        bench.pass(until_ps).map_err(|text| (super::FAULT, text))?;
        bench
            .jtag(board as usize, octets, &mut answers)
            .map_err(|text| (super::FAULT, text))?;
        room[..answers.len()].copy_from_slice(&answers);
        Ok(answers.len() as i64)
    })
}

//! Debug ports.

use super::{call, input, output, wrong, Handle};

#[no_mangle]
pub extern "C" fn vb_has_jtag(handle: *mut Handle, board: u32) -> i64 {
    call(handle, |bench| {
        bench.has_jtag(board as usize).map(i64::from).map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_jtag(
    handle: *mut Handle,
    board: u32,
    bytes: *const u8,
    count: usize,
    tdo: *mut u8,
    cap: usize,
    extra_ps: u64,
) -> i64 {
    call(handle, |bench| {
        let bytes = input(bytes, count, "bytes")?;
        let room = output(tdo, cap, "tdo")?;
        if room.len() < bytes.len() {
            return Err(wrong(format!("room for {} levels, {} bytes", room.len(), bytes.len())));
        }
        let mut answers = Vec::new();
        let until_ps = bench.now_ps().saturating_add(extra_ps);
        bench.pass(until_ps).map_err(|text| (super::FAULT, text))?;
        bench
            .jtag(board as usize, bytes, &mut answers)
            .map_err(|text| (super::FAULT, text))?;
        room[..answers.len()].copy_from_slice(&answers);
        Ok(answers.len() as i64)
    })
}

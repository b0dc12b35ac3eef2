//! Debug ports.

use super::{call, input, output, wrong, Handle};
use crate::debug::Wires;

#[no_mangle]
pub extern "C" fn vb_debug_wires(handle: *mut Handle, board: u32) -> i64 {
    call(handle, |bench| {
        let wires = bench.debug_wires(board as usize).map_err(wrong)?;
        Ok(match wires {
            None => 0,
            Some(Wires::Jtag(_)) => 1,
            Some(Wires::Swd(_)) => 2,
        })
    })
}

#[no_mangle]
pub extern "C" fn vb_debug(
    handle: *mut Handle,
    board: u32,
    bytes: *const u8,
    count: usize,
    levels: *mut u8,
    cap: usize,
    extra_ps: u64,
) -> i64 {
    call(handle, |bench| {
        let bytes = input(bytes, count, "bytes")?;
        let room = output(levels, cap, "levels")?;
        if room.len() < bytes.len() {
            return Err(wrong(format!("room for {} levels, {} bytes", room.len(), bytes.len())));
        }
        let mut answers = Vec::new();
        let until_ps = bench.now_ps().saturating_add(extra_ps);
        bench.pass(until_ps).map_err(|text| (super::FAULT, text))?;
        bench
            .debug(board as usize, bytes, &mut answers)
            .map_err(|text| (super::FAULT, text))?;
        room[..answers.len()].copy_from_slice(&answers);
        Ok(answers.len() as i64)
    })
}

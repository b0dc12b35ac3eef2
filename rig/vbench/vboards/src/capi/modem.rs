//! Modem lines of a board's serial adapter: the way into a bootstrap loader.

use super::{call, wrong, Handle};

/// See the table in [`super`].
#[no_mangle]
pub extern "C" fn vb_modem(h: *mut Handle, board: u32, dtr: u32, rts: u32) -> i64 {
    call(h, |bench| {
        bench
            .modem(board as usize, dtr != 0, rts != 0)
            .map(i64::from)
            .map_err(wrong)
    })
}

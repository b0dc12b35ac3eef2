//! Boards that are not as usual: a changed timing model, a slow radio, a chip of another build code.
//!
//! ```c
//! int64_t  vb_timing(void *h, const char *name, uint64_t value);    // of the boards added later; names: timing_changes.rs;
//!                                                                   // "": the model's own again
//! int64_t  vb_radio_start(void *h, const char *start_up);          // of the boards added later: "typical", "maximum"
//! int64_t  vb_build_code(void *h, const char *build_code);         // of the boards added later, nRF52840: "D0", "F0"
//! ```

use super::{call, text, wrong, Handle};
use crate::radio::StartUp;
use crate::soc::nrf52840::BuildCode;
use crate::timing_changes::TimingChanges;
use std::os::raw::c_char;

#[no_mangle]
pub extern "C" fn vb_timing(h: *mut Handle, name: *const c_char, value: u64) -> i64 {
    call(h, |bench| {
        let name = text(name, "name")?;
        if name.is_empty() {
            bench.timing = TimingChanges::default();
            return Ok(0);
        }
        bench.timing.set(name, value).map(|()| 0).map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_radio_start(h: *mut Handle, start_up: *const c_char) -> i64 {
    call(h, |bench| {
        bench.radio_start = StartUp::parse(text(start_up, "start_up")?).map_err(wrong)?;
        Ok(0)
    })
}

#[no_mangle]
pub extern "C" fn vb_build_code(h: *mut Handle, build_code: *const c_char) -> i64 {
    call(h, |bench| {
        bench.build_code = BuildCode::parse(text(build_code, "build_code")?).map_err(wrong)?;
        Ok(0)
    })
}

//! A changed timing model.
//!
//! ```c
//! int64_t  vb_study(void *h, const char *name, uint64_t value);    // of the boards added later; names: study.rs
//! ```

use super::{call, text, wrong, Handle};
use std::os::raw::c_char;

#[no_mangle]
pub extern "C" fn vb_study(h: *mut Handle, name: *const c_char, value: u64) -> i64 {
    call(h, |bench| {
        let name = text(name, "name")?;
        bench.study.set(name, value).map(|()| 0).map_err(wrong)
    })
}

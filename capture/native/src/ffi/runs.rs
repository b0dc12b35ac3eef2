//! The C interface of [`crate::runs`].

use super::{guarded, input, output, REFUSED};
use crate::runs::State;

/// Result for data that are not run lengths.
pub const NO_LENGTHS: i64 = -3;

/// Read run lengths; returns the number of ends written, and in `consumed` the bytes used.
///
/// # Safety
/// `state` and `consumed` point to one valid object each, `data` to `length` readable bytes, `ends` to `capacity`
/// writable elements; and no two of them overlap.
#[no_mangle]
pub unsafe extern "C" fn gpiorig_runs_feed(
    state: *mut State,
    data: *const u8,
    length: usize,
    ends: *mut i64,
    capacity: usize,
    consumed: *mut usize,
) -> i64 {
    guarded(|| {
        // SAFETY: the caller promises valid, disjoint objects of these lengths (see above); null is checked.
        let parts = unsafe {
            (
                state.as_mut(),
                input(data, length),
                output(ends, capacity),
                consumed.as_mut(),
            )
        };
        match parts {
            (Some(state), Some(data), Some(ends), Some(consumed)) => match state.feed(data, ends) {
                Some((count, used)) => {
                    *consumed = used;
                    count as i64
                }
                None => NO_LENGTHS,
            },
            _ => REFUSED,
        }
    })
}

//! The C interface of [`crate::edges`].

use super::{guarded, input, output, REFUSED};
use crate::edges;

/// Extract edges from `length` bytes of samples; returns the number of edges written, or a negative error.
///
/// Stops early when `capacity` edges are written; `consumed` tells how many bytes were used.
///
/// # Safety
/// `state` and `consumed` point to one valid object each, `data` to `length` readable bytes, `samples` and `levels` to
/// `capacity` writable elements each, and no two of them overlap. A pointer may be null only when its length is 0.
#[no_mangle]
pub unsafe extern "C" fn gpiorig_edges_feed(
    state: *mut edges::State,
    data: *const u8,
    length: usize,
    samples: *mut i64,
    levels: *mut u64,
    capacity: usize,
    consumed: *mut usize,
) -> i64 {
    guarded(|| {
        // SAFETY: the caller promises valid, disjoint objects of these lengths (see above); null is checked.
        let parts = unsafe {
            (
                state.as_mut(),
                input(data, length),
                output(samples, capacity),
                output(levels, capacity),
                consumed.as_mut(),
            )
        };
        match parts {
            (Some(state), Some(data), Some(samples), Some(levels), Some(consumed)) if state.is_valid() => {
                let (count, used) = state.feed(data, samples, levels);
                *consumed = used;
                count as i64
            }
            _ => REFUSED,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_null_state_is_refused() {
        let mut consumed = 0;
        let result = unsafe {
            gpiorig_edges_feed(
                std::ptr::null_mut(),
                std::ptr::null(),
                0,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                0,
                &mut consumed,
            )
        };
        assert_eq!(REFUSED, result);
    }
}

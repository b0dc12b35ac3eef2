//! The C interface of [`crate::uart`].

use super::{guarded, input, output, REFUSED};
use crate::uart;

/// Read characters from `count` edges; returns how many were written, or a negative error.
///
/// All samples before `end` are known with these edges.
///
/// # Safety
/// `state` points to one valid object, `samples` and `levels` to `count` readable elements, `starts`, `ends`, `values` and
/// `flags` to `count` + 1 writable elements, and no two of them overlap.
#[no_mangle]
#[allow(clippy::too_many_arguments)] // a C interface: arrays and scalars only
pub unsafe extern "C" fn gpiorig_uart_feed(
    state: *mut uart::State,
    samples: *const i64,
    levels: *const u64,
    count: usize,
    end: i64,
    starts: *mut i64,
    ends: *mut i64,
    values: *mut u16,
    flags: *mut u8,
) -> i64 {
    guarded(|| {
        // SAFETY: the caller promises valid, disjoint objects of these lengths (see above); null is checked.
        let parts = unsafe {
            (
                state.as_mut(),
                input(samples, count),
                input(levels, count),
                output(starts, count + 1),
                output(ends, count + 1),
                output(values, count + 1),
                output(flags, count + 1),
            )
        };
        match parts {
            (Some(state), Some(samples), Some(levels), Some(starts), Some(ends), Some(values), Some(flags))
                if state.is_valid() =>
            {
                let mut sink = uart::Sink {
                    starts,
                    ends,
                    values,
                    flags,
                    count: 0,
                };
                state.feed(samples, levels, end, &mut sink);
                sink.count as i64
            }
            _ => REFUSED,
        }
    })
}

/// Forget the open character and the level; returns 0 or a negative error.
///
/// # Safety
/// `state` is null or points to one valid object.
#[no_mangle]
pub unsafe extern "C" fn gpiorig_uart_reset(state: *mut uart::State) -> i64 {
    guarded(|| {
        // SAFETY: promised by the caller; null is checked.
        unsafe { state.as_mut() }.map_or(REFUSED, |state| {
            state.reset();
            0
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_null_state_is_refused() {
        assert_eq!(REFUSED, unsafe { gpiorig_uart_reset(std::ptr::null_mut()) });
    }
}

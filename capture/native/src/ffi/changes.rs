//! The C interface of [`crate::changes`].

use super::{guarded, input, output, REFUSED};
use crate::changes::{Changes, Rows, State};

/// Put `count` changes together into rows; with `finish`, complete the last instant instead. Returns the number of rows.
///
/// # Safety
/// `state` points to one valid object; `times`, `masks`, `values`, `unknown` to `count` readable elements each; `samples`
/// and `levels` to `count` + 1 writable elements each, `gaps` to twice as many; and no two of them overlap.
#[no_mangle]
pub unsafe extern "C" fn gpiorig_changes_feed(
    state: *mut State,
    times: *const i64,
    masks: *const u64,
    values: *const u64,
    unknown: *const u64,
    count: usize,
    samples: *mut i64,
    levels: *mut u64,
    gaps: *mut i64,
    finish: u32,
) -> i64 {
    guarded(|| {
        // SAFETY: the caller promises valid, disjoint objects of these lengths (see above); null is checked.
        let parts = unsafe {
            (
                state.as_mut(),
                input(times, count),
                input(masks, count),
                input(values, count),
                input(unknown, count),
                output(samples, count + 1),
                output(levels, count + 1),
                output(gaps, 2 * (count + 1)),
            )
        };
        match parts {
            (
                Some(state),
                Some(times),
                Some(masks),
                Some(values),
                Some(unknown),
                Some(samples),
                Some(levels),
                Some(gaps),
            ) if state.is_valid() => {
                let mut rows = Rows {
                    samples,
                    levels,
                    gaps,
                    count: 0,
                };
                let changes = Changes {
                    times,
                    masks,
                    values,
                    unknown,
                };
                if finish == 1 {
                    state.finish(&mut rows) as i64
                } else {
                    state.feed(&changes, &mut rows) as i64
                }
            }
            _ => REFUSED,
        }
    })
}

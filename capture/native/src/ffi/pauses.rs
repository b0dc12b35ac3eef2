//! The C interface of [`crate::pauses`].

use super::{guarded, input, output, REFUSED};
use crate::pauses::{pauses, Events, Rules};

/// Write the positions at which nothing is under way; returns their number, or a negative error.
///
/// # Safety
/// `samples`, `nodes`, `codes` and `ids` point to `count` readable elements, `kinds` to 256, `spans` to `keys`; `found`
/// to `count` / `apart` + 1 writable ones; and no two of them overlap.
#[no_mangle]
#[allow(clippy::too_many_arguments)] // a C interface: arrays and scalars only
pub unsafe extern "C" fn gpiorig_pauses(
    samples: *const i64,
    nodes: *const u16,
    codes: *const u8,
    ids: *const i32,
    count: usize,
    kinds: *const u8,
    spans: *const i8,
    keys: usize,
    pause: i64,
    since_command: i64,
    same_number: i64,
    apart: usize,
    round: i64,
    found: *mut i64,
) -> i64 {
    guarded(|| {
        // SAFETY: the caller promises valid, disjoint arrays of these lengths (see above); null is checked.
        let events = unsafe {
            (
                input(samples, count),
                input(nodes, count),
                input(codes, count),
                input(ids, count),
            )
        };
        // SAFETY: as above.
        let (kinds, spans) = unsafe { (input(kinds, 256), input(spans, keys)) };
        // SAFETY: as above.
        let found = unsafe { output(found, count / apart.max(1) + 1) };
        let (samples, nodes, codes, ids) = match events {
            (Some(a), Some(b), Some(c), Some(d)) => (a, b, c, d),
            _ => return REFUSED,
        };
        let (kinds, spans, found) = match (kinds, spans, found) {
            (Some(a), Some(b), Some(c)) => (a, b, c),
            _ => return REFUSED,
        };
        let kinds = match <&[u8; 256]>::try_from(kinds) {
            Ok(kinds) => kinds,
            Err(_) => return REFUSED,
        };
        let events = Events {
            samples,
            nodes,
            codes,
            ids,
        };
        let rules = Rules {
            kinds,
            spans,
            pause,
            since_command,
            same_number,
            apart,
            round,
        };
        pauses(&events, &rules, found).map_or(REFUSED, |written| written as i64)
    })
}

//! The C interface of [`crate::pauses`].

use super::{guarded, input, output, REFUSED};
use crate::pauses::{pauses, state_length, Events, Rules};

/// Write the positions at which nothing is under way; returns the number of all so far, or a negative error.
///
/// # Safety
/// `samples`, `nodes`, `codes` and `ids` point to `count` readable elements, `kinds` to 256, `spans` to 256 `node_count`;
/// `state` to the elements of `gpiorig_pauses_state`, 0 at first, and `found` to `room` writable ones; and no two of them
/// overlap.
#[no_mangle]
#[allow(clippy::too_many_arguments)] // a C interface: arrays and scalars only
pub unsafe extern "C" fn gpiorig_pauses(
    samples: *const i64,
    nodes: *const u16,
    codes: *const u8,
    ids: *const i32,
    count: usize,
    start: i64,
    kinds: *const u8,
    spans: *const i8,
    node_count: usize,
    pause: i64,
    since_command: i64,
    same_number: i64,
    apart: i64,
    round: i64,
    state: *mut i64,
    found: *mut i64,
    room: usize,
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
        let (kinds, spans) = unsafe { (input(kinds, 256), input(spans, 256 * node_count)) };
        // SAFETY: as above.
        let (state, found) = unsafe { (output(state, state_length(node_count)), output(found, room)) };
        let (samples, nodes, codes, ids) = match events {
            (Some(a), Some(b), Some(c), Some(d)) => (a, b, c, d),
            _ => return REFUSED,
        };
        let (kinds, spans, state, found) = match (kinds, spans, state, found) {
            (Some(a), Some(b), Some(c), Some(d)) => (a, b, c, d),
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
            start,
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
        pauses(&events, &rules, state, found).map_or(REFUSED, |written| written as i64)
    })
}

/// The number of elements of the state for a number of nodes.
#[no_mangle]
pub extern "C" fn gpiorig_pauses_state(node_count: usize) -> i64 {
    state_length(node_count) as i64
}

//! The C interface of [`crate::ownership`].

use super::{guarded, input, output, REFUSED};
use crate::ownership::{intervals, Events, Intervals};

/// Write the intervals of a node's processor; returns their number, or a negative error.
///
/// # Safety
/// `samples`, `nodes`, `codes`, `ids` and `packets` point to `count` readable elements, `gaps` to `gap_count`, `kinds`
/// to 256, `enters` and `exits` to `span_count`; `positions`, `starts`, `occupants`, `spans`, `packet_spans` and `keys`
/// to `room` writable ones, `key_count` to one; and no two of them overlap.
#[no_mangle]
#[allow(clippy::too_many_arguments)] // a C interface: arrays and scalars only
pub unsafe extern "C" fn gpiorig_ownership(
    samples: *const i64,
    nodes: *const u16,
    codes: *const u8,
    ids: *const i32,
    packets: *const i32,
    count: usize,
    node: u16,
    gaps: *const i64,
    gap_count: usize,
    kinds: *const u8,
    enters: *const i64,
    exits: *const i64,
    span_count: usize,
    positions: *mut i64,
    starts: *mut i64,
    occupants: *mut i32,
    spans: *mut i64,
    packet_spans: *mut i64,
    keys: *mut i64,
    room: usize,
    key_count: *mut usize,
) -> i64 {
    let run = || {
        // SAFETY: the caller promises valid, disjoint arrays of these lengths (see above); null is checked.
        let (events, enters, exits) = unsafe {
            let events = Events {
                samples: input(samples, count)?,
                nodes: input(nodes, count)?,
                codes: input(codes, count)?,
                ids: input(ids, count)?,
                packets: input(packets, count)?,
                gaps: input(gaps, gap_count)?,
                kinds: input(kinds, 256)?.try_into().ok()?,
            };
            (events, input(enters, span_count)?, input(exits, span_count)?)
        };
        // SAFETY: as above.
        let (mut out, key_count) = unsafe {
            let out = Intervals {
                positions: output(positions, room)?,
                starts: output(starts, room)?,
                occupants: output(occupants, room)?,
                spans: output(spans, room)?,
                packet_spans: output(packet_spans, room)?,
                keys: output(keys, room)?,
            };
            (out, key_count.as_mut()?)
        };
        let (written, occupied) = intervals(events, node, enters, exits, &mut out)?;
        *key_count = occupied;
        Some(written as i64)
    };
    guarded(|| run().unwrap_or(REFUSED))
}

//! The C interface of [`crate::sent_events`].

use super::{guarded, input, output, REFUSED};
use crate::sent_events::{add_blocks, count, Blocks, Events, Range};

/// Write the cumulative numbers of events that nodes sent; returns 0, or a negative error.
///
/// # Safety
/// `nodes`, `codes` and `ids` point to `event_count` readable elements, `before` to `room` writable ones; and no two of
/// them overlap.
#[no_mangle]
#[allow(clippy::too_many_arguments)] // a C interface: arrays and scalars only
pub unsafe extern "C" fn gpiorig_sent_blocks(
    nodes: *const u16,
    codes: *const u8,
    ids: *const i32,
    event_count: usize,
    last_code: u8,
    size: usize,
    node_count: usize,
    before: *mut i64,
    room: usize,
) -> i64 {
    let run = || {
        // SAFETY: the caller promises valid, disjoint arrays of these lengths (see above); null is checked.
        let (events, before) = unsafe {
            let events = Events {
                samples: &[],
                nodes: input(nodes, event_count)?,
                codes: input(codes, event_count)?,
                ids: input(ids, event_count)?,
                last_code,
            };
            (events, output(before, room)?)
        };
        add_blocks(&events, size, node_count, before).map(|()| 0)
    };
    guarded(|| run().unwrap_or(REFUSED))
}

/// Count what nodes sent within ranges of time of packets; returns 0, or a negative error.
///
/// # Safety
/// `samples`, `nodes`, `codes` and `ids` point to `event_count` readable elements, `before` to `before_count`,
/// `instants` to `packet_count` times `width`, `ranges` to `range_count`; `out` to twice `range_count` times
/// `packet_count` writable ones; and no two of them overlap.
#[no_mangle]
#[allow(clippy::too_many_arguments)] // a C interface: arrays and scalars only
pub unsafe extern "C" fn gpiorig_sent_events(
    samples: *const i64,
    nodes: *const u16,
    codes: *const u8,
    ids: *const i32,
    event_count: usize,
    last_code: u8,
    size: usize,
    node_count: usize,
    before: *const i64,
    before_count: usize,
    instants: *const i64,
    packet_count: usize,
    width: usize,
    ranges: *const Range,
    range_count: usize,
    out: *mut f64,
) -> i64 {
    let run = || {
        // SAFETY: the caller promises valid, disjoint arrays of these lengths (see above); null is checked.
        let (events, blocks) = unsafe {
            let events = Events {
                samples: input(samples, event_count)?,
                nodes: input(nodes, event_count)?,
                codes: input(codes, event_count)?,
                ids: input(ids, event_count)?,
                last_code,
            };
            let blocks = Blocks {
                size,
                nodes: node_count,
                before: input(before, before_count)?,
            };
            (events, blocks)
        };
        // SAFETY: as above.
        let (instants, ranges, out) = unsafe {
            (
                input(instants, packet_count.checked_mul(width)?)?,
                input(ranges, range_count)?,
                output(out, packet_count.checked_mul(range_count)?.checked_mul(2)?)?,
            )
        };
        count(&events, &blocks, instants, width, ranges, out).map(|()| 0)
    };
    guarded(|| run().unwrap_or(REFUSED))
}

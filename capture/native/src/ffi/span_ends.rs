//! The C interface of [`crate::span_ends`].

use super::{guarded, input, output, REFUSED};
use crate::span_ends::{pairs, Closed, Events, Points, Waiting};

/// Find the spans that end in some events; returns their number, or a negative error.
///
/// # Safety
/// `positions`, `samples`, `nodes`, `codes` and `ids` point to `count` readable elements, `gaps` to `gap_count`, `ends` to
/// `end_count`, `by_id` to `point_count`; `waiting_points`, `waiting_positions`, `waiting_ids` and `waiting_gaps` to `room`
/// writable ones, `waiting_count` to one; `enters` and `exits` to `count` ones; and no two of them overlap.
#[no_mangle]
#[allow(clippy::too_many_arguments)] // a C interface: arrays and scalars only
pub unsafe extern "C" fn gpiorig_span_ends(
    positions: *const i64,
    samples: *const i64,
    nodes: *const u16,
    codes: *const u8,
    ids: *const i32,
    count: usize,
    gaps: *const i64,
    gap_count: usize,
    ends: *const i32,
    end_count: usize,
    by_id: *const u8,
    point_count: usize,
    waiting_points: *mut i32,
    waiting_positions: *mut i64,
    waiting_ids: *mut i32,
    waiting_gaps: *mut i64,
    room: usize,
    waiting_count: *mut usize,
    enters: *mut i64,
    exits: *mut i64,
) -> i64 {
    let run = || {
        // SAFETY: the caller promises valid, disjoint arrays of these lengths (see above); null is checked.
        let (events, points) = unsafe {
            let events = Events {
                positions: input(positions, count)?,
                samples: input(samples, count)?,
                nodes: input(nodes, count)?,
                codes: input(codes, count)?,
                ids: input(ids, count)?,
                gaps: input(gaps, gap_count)?,
            };
            let points = Points {
                ends: input(ends, end_count)?,
                by_id: input(by_id, point_count)?,
            };
            (events, points)
        };
        // SAFETY: as above.
        let (mut waiting, waiting_count, enters, exits) = unsafe {
            let waiting_count = waiting_count.as_mut()?;
            let waiting = Waiting {
                points: output(waiting_points, room)?,
                positions: output(waiting_positions, room)?,
                ids: output(waiting_ids, room)?,
                gaps: output(waiting_gaps, room)?,
                count: *waiting_count,
            };
            (waiting, waiting_count, output(enters, count)?, output(exits, count)?)
        };
        let written = pairs(&events, &points, &mut waiting, enters, exits)?;
        *waiting_count = waiting.count;
        Some(written as i64)
    };
    guarded(|| run().unwrap_or(REFUSED))
}

/// Find places where no span of a node is open; returns their number, or a negative error.
///
/// # Safety
/// `nodes` and `exits` point to `count` readable elements; `until` and `latest` to `node_count` writable ones; `out_nodes`
/// and `out` to `count` ones; and no two of them overlap.
#[no_mangle]
#[allow(clippy::too_many_arguments)] // a C interface: arrays and scalars only
pub unsafe extern "C" fn gpiorig_spans_closed(
    nodes: *const u16,
    exits: *const i64,
    count: usize,
    base: i64,
    apart: i64,
    until: *mut i64,
    latest: *mut i64,
    node_count: usize,
    out_nodes: *mut u16,
    out: *mut i64,
) -> i64 {
    let run = || {
        // SAFETY: the caller promises valid, disjoint arrays of these lengths (see above); null is checked.
        let (nodes, exits, mut closed, out_nodes, out) = unsafe {
            let closed = Closed {
                apart,
                until: output(until, node_count)?,
                latest: output(latest, node_count)?,
            };
            (
                input(nodes, count)?,
                input(exits, count)?,
                closed,
                output(out_nodes, count)?,
                output(out, count)?,
            )
        };
        closed
            .find(nodes, exits, base, out_nodes, out)
            .map(|written| written as i64)
    };
    guarded(|| run().unwrap_or(REFUSED))
}

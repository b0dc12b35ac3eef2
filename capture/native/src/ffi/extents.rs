//! The C interface of [`crate::extents`].

use super::{guarded, input, output, REFUSED};
use crate::extents::{note_legs, Events, Extents, Route};

/// Add some events to the extents of their packets; returns 0, or a negative error.
///
/// # Safety
/// `packets` points to `event_count` readable elements; `first`, `stop` and `counts` to `packet_count` writable ones; and
/// no two of them overlap.
#[no_mangle]
#[allow(clippy::too_many_arguments)] // a C interface: arrays and scalars only
pub unsafe extern "C" fn gpiorig_extents_add(
    packets: *const i32,
    event_count: usize,
    base: i64,
    first: *mut i64,
    stop: *mut i64,
    counts: *mut i64,
    packet_count: usize,
) -> i64 {
    let run = || {
        // SAFETY: the caller promises valid, disjoint arrays of these lengths (see above); null is checked.
        let (packets, mut extents) = unsafe {
            let extents = Extents {
                first: output(first, packet_count)?,
                stop: output(stop, packet_count)?,
                counts: output(counts, packet_count)?,
            };
            (input(packets, event_count)?, extents)
        };
        extents.add(packets, base).map(|()| 0)
    };
    guarded(|| run().unwrap_or(REFUSED))
}

/// Widen the extents of packets to two instants of each; returns 0, or a negative error.
///
/// # Safety
/// `samples` points to `event_count` readable elements, `rows`, `starts` and `ends` to `row_count`; `first` and `stop` to
/// `packet_count` writable ones; and no two of them overlap.
#[no_mangle]
#[allow(clippy::too_many_arguments)] // a C interface: arrays and scalars only
pub unsafe extern "C" fn gpiorig_extents_widen(
    samples: *const i64,
    event_count: usize,
    rows: *const i64,
    starts: *const i64,
    ends: *const i64,
    row_count: usize,
    first: *mut i64,
    stop: *mut i64,
    packet_count: usize,
) -> i64 {
    let run = || {
        // SAFETY: the caller promises valid, disjoint arrays of these lengths (see above); null is checked.
        let (samples, rows, starts, ends, mut extents) = unsafe {
            let extents = Extents {
                first: output(first, packet_count)?,
                stop: output(stop, packet_count)?,
                counts: &mut [],
            };
            (
                input(samples, event_count)?,
                input(rows, row_count)?,
                input(starts, row_count)?,
                input(ends, row_count)?,
                extents,
            )
        };
        extents.widen(samples, rows, starts, ends).map(|()| 0)
    };
    guarded(|| run().unwrap_or(REFUSED))
}

/// Note when packets of a route and their legs begin; returns 0, a leg and one that has no array, or a negative error.
///
/// # Safety
/// `samples`, `nodes`, `codes`, `packets` and `ways` point to `event_count` readable elements, `passed` to `node_count`,
/// `layers` to 256, `places` to `place_count`; `begins` to `packet_count` writable ones; `legs` to `node_count` times
/// `ways_count` pointers, each null or to `packet_count` writable elements; `seen` to `node_count` times `ways_count`
/// times `layers_count` writable ones; and no two of them overlap.
#[no_mangle]
#[allow(clippy::too_many_arguments)] // a C interface: arrays and scalars only
pub unsafe extern "C" fn gpiorig_extents_legs(
    samples: *const i64,
    nodes: *const u16,
    codes: *const u8,
    packets: *const i32,
    ways: *const i8,
    event_count: usize,
    passed: *const u8,
    node_count: usize,
    layers: *const i8,
    ways_count: usize,
    layers_count: usize,
    places: *const i32,
    place_count: usize,
    lowest: i64,
    begins: *mut i64,
    packet_count: usize,
    legs: *const *mut i64,
    seen: *mut u8,
) -> i64 {
    let run = || {
        let leg_count = node_count.checked_mul(ways_count)?;
        // SAFETY: the caller promises valid, disjoint arrays of these lengths (see above); null is checked.
        let (events, route) = unsafe {
            let events = Events {
                samples: input(samples, event_count)?,
                nodes: input(nodes, event_count)?,
                codes: input(codes, event_count)?,
                packets: input(packets, event_count)?,
                ways: input(ways, event_count)?,
            };
            let route = Route {
                passed: input(passed, node_count)?,
                layers: input(layers, 256)?.try_into().ok()?,
                ways_count,
                layers_count,
                places: input(places, place_count)?,
                lowest,
            };
            (events, route)
        };
        // SAFETY: as above.
        let (begins, mut legs, seen) = unsafe {
            let legs: Vec<Option<&mut [i64]>> = input(legs, leg_count)?
                .iter()
                .map(|&leg| if leg.is_null() { None } else { output(leg, packet_count) })
                .collect();
            (
                output(begins, packet_count)?,
                legs,
                output(seen, leg_count.checked_mul(layers_count)?)?,
            )
        };
        note_legs(&events, &route, begins, &mut legs, seen).map(|missing| missing as i64)
    };
    guarded(|| run().unwrap_or(REFUSED))
}

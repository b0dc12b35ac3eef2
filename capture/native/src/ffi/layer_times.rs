//! The C interface of [`crate::layer_times`].

use super::{guarded, input, output, REFUSED};
use crate::layer_times::Cells;

/// # Safety
/// `samples`, `nodes`, `codes`, `packets` and `ways` point to `count` readable elements, `layers` to 256, `columns` to
/// `node_count` times `ways_count` times `layers_count`, `places` to `place_count`.
#[allow(clippy::too_many_arguments)] // as of the C interface
unsafe fn cells<'a>(
    samples: *const i64,
    nodes: *const u16,
    codes: *const u8,
    packets: *const i32,
    ways: *const i8,
    count: usize,
    layers: *const i8,
    columns: *const i32,
    node_count: usize,
    ways_count: usize,
    layers_count: usize,
    places: *const i32,
    place_count: usize,
    lowest: i64,
    width: usize,
) -> Option<Cells<'a>> {
    let table = node_count.checked_mul(ways_count)?.checked_mul(layers_count)?;
    // SAFETY: the caller promises valid arrays of these lengths (see above); null is checked.
    unsafe {
        Some(Cells {
            samples: input(samples, count)?,
            nodes: input(nodes, count)?,
            codes: input(codes, count)?,
            packets: input(packets, count)?,
            ways: input(ways, count)?,
            layers: input(layers, 256)?.try_into().ok()?,
            columns: input(columns, table)?,
            ways_count,
            layers_count,
            places: input(places, place_count)?,
            lowest,
            width,
        })
    }
}

/// Add the time of each interval of a node to the layer of its span; returns 0, or a negative error.
///
/// # Safety
/// `samples`, `nodes`, `codes`, `packets` and `ways` point to `count` readable elements, `layers` to 256, `columns` to
/// `node_count` times `ways_count` times `layers_count`, `places` to `place_count`, `durations`, `spans`
/// and `packet_spans` to `interval_count`; `times` to `cell_count` writable ones; and no two of them overlap.
#[no_mangle]
#[allow(clippy::too_many_arguments)] // a C interface: arrays and scalars only
pub unsafe extern "C" fn gpiorig_self_times(
    samples: *const i64,
    nodes: *const u16,
    codes: *const u8,
    packets: *const i32,
    ways: *const i8,
    count: usize,
    layers: *const i8,
    columns: *const i32,
    node_count: usize,
    ways_count: usize,
    layers_count: usize,
    places: *const i32,
    place_count: usize,
    lowest: i64,
    width: usize,
    durations: *const i64,
    spans: *const i64,
    packet_spans: *const i64,
    interval_count: usize,
    times: *mut i64,
    cell_count: usize,
) -> i64 {
    let run = || {
        // SAFETY: the caller promises valid, disjoint arrays of these lengths (see above); null is checked.
        let (cells, durations, spans, packet_spans, times) = unsafe {
            (
                cells(
                    samples,
                    nodes,
                    codes,
                    packets,
                    ways,
                    count,
                    layers,
                    columns,
                    node_count,
                    ways_count,
                    layers_count,
                    places,
                    place_count,
                    lowest,
                    width,
                )?,
                input(durations, interval_count)?,
                input(spans, interval_count)?,
                input(packet_spans, interval_count)?,
                output(times, cell_count)?,
            )
        };
        cells.self_times(durations, spans, packet_spans, times).map(|()| 0)
    };
    guarded(|| run().unwrap_or(REFUSED))
}

/// Write how long packets were in layers; returns 0, or a negative error.
///
/// # Safety
/// `samples`, `nodes`, `codes`, `packets` and `ways` point to `count` readable elements, `layers` to 256, `columns` to
/// `node_count` times `ways_count` times `layers_count`, `places` to `place_count`, `followers` to `width`;
/// `times` and `last` to `cell_count` writable ones; and no two of them overlap.
#[no_mangle]
#[allow(clippy::too_many_arguments)] // a C interface: arrays and scalars only
pub unsafe extern "C" fn gpiorig_residence(
    samples: *const i64,
    nodes: *const u16,
    codes: *const u8,
    packets: *const i32,
    ways: *const i8,
    count: usize,
    layers: *const i8,
    columns: *const i32,
    node_count: usize,
    ways_count: usize,
    layers_count: usize,
    places: *const i32,
    place_count: usize,
    lowest: i64,
    width: usize,
    followers: *const i32,
    times: *mut i64,
    last: *mut i64,
    cell_count: usize,
) -> i64 {
    let run = || {
        // SAFETY: the caller promises valid, disjoint arrays of these lengths (see above); null is checked.
        let (cells, followers, times, last) = unsafe {
            (
                cells(
                    samples,
                    nodes,
                    codes,
                    packets,
                    ways,
                    count,
                    layers,
                    columns,
                    node_count,
                    ways_count,
                    layers_count,
                    places,
                    place_count,
                    lowest,
                    width,
                )?,
                input(followers, width)?,
                output(times, cell_count)?,
                output(last, cell_count)?,
            )
        };
        cells.residence(followers, times, last).map(|()| 0)
    };
    guarded(|| run().unwrap_or(REFUSED))
}

//! The C interface of [`crate::step_times`].

use super::{guarded, input, output, REFUSED};
use crate::step_times::{step_times, Events, Intervals, Packets, Times};

/// Add up what ran on a node within the steps of packets; returns 0, or a negative error.
///
/// # Safety
/// `samples`, `nodes`, `codes` and `packets` point to `count` readable elements, `of_layers` to 256; `positions`,
/// `starts`, `occupants` and `packet_spans` to `interval_count`, `kinds` to `kind_count`; `places` to `place_count`,
/// `columns` to `step_count`, `instants` to `packet_count` times (`step_count` + 1); `own` and `busy` to `packet_count`
/// times `width` writable ones, `sums` to `kind_count` times `width`; and no two of them overlap.
#[no_mangle]
#[allow(clippy::too_many_arguments)] // a C interface: arrays and scalars only
pub unsafe extern "C" fn gpiorig_step_times(
    samples: *const i64,
    nodes: *const u16,
    codes: *const u8,
    packets: *const i32,
    count: usize,
    of_layers: *const u8,
    node: u16,
    positions: *const i64,
    starts: *const i64,
    occupants: *const i32,
    packet_spans: *const i64,
    interval_count: usize,
    end: i64,
    kinds: *const u8,
    kind_count: usize,
    places: *const i32,
    place_count: usize,
    lowest: i64,
    instants: *const i64,
    packet_count: usize,
    columns: *const i32,
    step_count: usize,
    width: usize,
    own: *mut i64,
    busy: *mut i64,
    sums: *mut i64,
) -> i64 {
    let run = || {
        // SAFETY: the caller promises valid, disjoint arrays of these lengths (see above); null is checked.
        let (events, intervals) = unsafe {
            let events = Events {
                samples: input(samples, count)?,
                nodes: input(nodes, count)?,
                codes: input(codes, count)?,
                packets: input(packets, count)?,
                of_layers: input(of_layers, 256)?.try_into().ok()?,
            };
            let intervals = Intervals {
                node,
                positions: input(positions, interval_count)?,
                starts: input(starts, interval_count)?,
                end,
                occupants: input(occupants, interval_count)?,
                kinds: input(kinds, kind_count)?,
                packet_spans: input(packet_spans, interval_count)?,
            };
            (events, intervals)
        };
        // SAFETY: as above.
        let (packets, mut out) = unsafe {
            let packets = Packets {
                places: input(places, place_count)?,
                lowest,
                instants: input(instants, packet_count.checked_mul(step_count + 1)?)?,
                columns: input(columns, step_count)?,
                width,
            };
            let out = Times {
                own: output(own, packet_count.checked_mul(width)?)?,
                busy: output(busy, packet_count.checked_mul(width)?)?,
                sums: output(sums, kind_count.checked_mul(width)?)?,
            };
            (packets, out)
        };
        step_times(events, intervals, &packets, &mut out).map(|()| 0)
    };
    guarded(|| run().unwrap_or(REFUSED))
}

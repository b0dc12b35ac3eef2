//! The C interface of [`crate::ownership`].

use super::{guarded, input, output, REFUSED};
use crate::ownership::{intervals, Events, Intervals};

/// Write the intervals of a node's processor; returns their number, or a negative error.
///
/// # Safety
/// `samples`, `codes`, `ids` and `packets` point to `count` readable elements, `gaps` to `gap_count`, `kinds` to 256,
/// `enters` and `exits` to `span_count`, `reports` to `report_count`; `positions`, `keys`, `spans` and `packet_spans` to
/// 2 `span_count` + `report_count` + 1 writable ones; and no two of them overlap.
#[no_mangle]
#[allow(clippy::too_many_arguments)] // a C interface: arrays and scalars only
pub unsafe extern "C" fn gpiorig_ownership(
    samples: *const i64,
    codes: *const u8,
    ids: *const i32,
    packets: *const i32,
    count: usize,
    gaps: *const i64,
    gap_count: usize,
    kinds: *const u8,
    enters: *const i64,
    exits: *const i64,
    span_count: usize,
    reports: *const i64,
    report_count: usize,
    positions: *mut i64,
    keys: *mut i64,
    spans: *mut i64,
    packet_spans: *mut i64,
) -> i64 {
    let room = 2 * span_count + report_count + 1;
    guarded(|| {
        // SAFETY: the caller promises valid, disjoint arrays of these lengths (see above); null is checked.
        let events = unsafe {
            (
                input(samples, count),
                input(codes, count),
                input(ids, count),
                input(packets, count),
                input(gaps, gap_count),
                input(kinds, 256),
            )
        };
        // SAFETY: as above.
        let ends = unsafe {
            (
                input(enters, span_count),
                input(exits, span_count),
                input(reports, report_count),
            )
        };
        // SAFETY: as above.
        let out = unsafe {
            (
                output(positions, room),
                output(keys, room),
                output(spans, room),
                output(packet_spans, room),
            )
        };
        let (samples, codes, ids, packets, gaps, kinds) = match events {
            (Some(a), Some(b), Some(c), Some(d), Some(e), Some(f)) => (a, b, c, d, e, f),
            _ => return REFUSED,
        };
        let (enters, exits, reports) = match ends {
            (Some(a), Some(b), Some(c)) => (a, b, c),
            _ => return REFUSED,
        };
        let (positions, keys, spans, packet_spans) = match out {
            (Some(a), Some(b), Some(c), Some(d)) => (a, b, c, d),
            _ => return REFUSED,
        };
        let kinds = match <&[u8; 256]>::try_from(kinds) {
            Ok(kinds) => kinds,
            Err(_) => return REFUSED,
        };
        let events = Events {
            samples,
            codes,
            ids,
            packets,
            gaps,
            kinds,
        };
        let mut out = Intervals {
            positions,
            keys,
            spans,
            packet_spans,
        };
        intervals(events, enters, exits, reports, &mut out).map_or(REFUSED, |written| written as i64)
    })
}

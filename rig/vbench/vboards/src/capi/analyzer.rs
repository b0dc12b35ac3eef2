//! Analyzers that are not ideal, their faults, and the sync line.
//!
//! ```c
//! int64_t  vb_analyzer_imperfect(void *h, uint32_t analyzer, uint64_t key, int64_t drift_ppb, uint64_t drift_period_ms,
//!                                uint64_t window_ps);              // right after vb_analyzer_add; key: which one it is
//! int64_t  vb_analyzer_threshold(void *h, uint32_t analyzer, uint32_t channel, uint64_t rise_ps, uint64_t fall_ps);
//! int64_t  vb_sync_start(void *h, int64_t ppb);                    // before the first run
//! int64_t  vb_probe_sync(void *h, uint32_t analyzer, uint32_t channel);
//! int64_t  vb_analyzer_fault(void *h, uint32_t analyzer, const char *kind, uint32_t channel, uint64_t a, uint64_t b,
//!                            uint64_t from_ps, uint64_t for_ps, uint64_t every_ps);
//!                                                                  // "glitch": a to b ps wide; "stuck": level a;
//!                                                                  // "floating": a changes per second; "swapped": with
//!                                                                  // channel a; "joined": with channel a, level b wins;
//!                                                                  // "dropped": a samples; "end"
//!                                                                  // times are vb_now's; every_ps 0: once
//! int64_t  vb_analyzer_ended(void *h, uint32_t analyzer);          // 1: by a fault, and all samples were handed out
//! int64_t  vb_analyzer_edges(void *h, uint32_t analyzer, int64_t *samples, uint64_t *levels, size_t cap);
//!                                                                  // in place of vb_samples: the samples at which
//!                                                                  // levels change, and the first; how many. Call
//!                                                                  // until it returns less than cap
//! int64_t  vb_analyzer_handed_out(void *h, uint32_t analyzer);     // samples, by either of the two
//! ```

use super::{call, output, text, wrong, Handle};
use crate::analyzer::{Drift, Imperfections, Kind, Threshold, When};
use std::os::raw::c_char;

#[no_mangle]
pub extern "C" fn vb_analyzer_imperfect(
    h: *mut Handle,
    analyzer: u32,
    key: u64,
    drift_ppb: i64,
    drift_period_ms: u64,
    window_ps: u64,
) -> i64 {
    call(h, |bench| {
        let drift = Drift {
            ppb: drift_ppb,
            period_ms: drift_period_ms,
        };
        let imperfections = Imperfections { key, drift, window_ps };
        bench
            .imperfect(analyzer as usize, imperfections)
            .map(|()| 0)
            .map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_analyzer_threshold(
    h: *mut Handle,
    analyzer: u32,
    channel: u32,
    rise_ps: u64,
    fall_ps: u64,
) -> i64 {
    call(h, |bench| {
        let threshold = Threshold { rise_ps, fall_ps };
        bench
            .threshold(analyzer as usize, channel, threshold)
            .map(|()| 0)
            .map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_sync_start(h: *mut Handle, ppb: i64) -> i64 {
    call(h, |bench| bench.start_sync(ppb).map(|()| 0).map_err(wrong))
}

#[no_mangle]
pub extern "C" fn vb_probe_sync(h: *mut Handle, analyzer: u32, channel: u32) -> i64 {
    call(h, |bench| {
        bench.probe_sync(analyzer as usize, channel).map(|()| 0).map_err(wrong)
    })
}

/// What a fault's name and numbers mean.
fn fault(kind: &str, channel: u32, a: u64, b: u64) -> Result<Kind, String> {
    Ok(match kind {
        "glitch" => Kind::Glitch {
            channel,
            least_ps: a,
            most_ps: b,
        },
        "stuck" => Kind::Stuck { channel, level: a != 0 },
        "floating" => Kind::Floating { channel, toggle_hz: a },
        "swapped" => Kind::Swapped {
            channel,
            other: u32::try_from(a).unwrap_or(u32::MAX),
        },
        "joined" => Kind::Joined {
            channel,
            other: u32::try_from(a).unwrap_or(u32::MAX),
            wins: b != 0,
        },
        "dropped" => Kind::Dropped { samples: a },
        "end" => Kind::End,
        _ => return Err(format!("\"{}\" is not a fault of an analyzer", kind)),
    })
}

#[no_mangle]
pub extern "C" fn vb_analyzer_fault(
    h: *mut Handle,
    analyzer: u32,
    kind: *const c_char,
    channel: u32,
    a: u64,
    b: u64,
    from_ps: u64,
    for_ps: u64,
    every_ps: u64,
) -> i64 {
    call(h, |bench| {
        let kind = fault(text(kind, "kind")?, channel, a, b).map_err(wrong)?;
        let when = When {
            from_ps,
            for_ps,
            every_ps,
        };
        bench
            .analyzer_fault(analyzer as usize, kind, when)
            .map(|()| 0)
            .map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_analyzer_ended(h: *mut Handle, analyzer: u32) -> i64 {
    call(h, |bench| {
        bench.analyzer_ended(analyzer as usize).map(i64::from).map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_analyzer_edges(
    h: *mut Handle,
    analyzer: u32,
    samples: *mut i64,
    levels: *mut u64,
    cap: usize,
) -> i64 {
    call(h, |bench| {
        let samples = output(samples, cap, "samples")?;
        let levels = output(levels, cap, "levels")?;
        bench
            .analyzer_edges(analyzer as usize, samples, levels)
            .map(|count| count as i64)
            .map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_analyzer_handed_out(h: *mut Handle, analyzer: u32) -> i64 {
    call(h, |bench| {
        bench
            .handed_out(analyzer as usize)
            .map(|count| count as i64)
            .map_err(wrong)
    })
}

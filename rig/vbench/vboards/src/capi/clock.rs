//! Oscillators of boards, and faults of their supply.
//!
//! ```c
//! int64_t  vb_clock(void *h, uint64_t start_ps, const char *drift, int64_t drift_ppb, uint64_t drift_ps,
//!                   uint64_t jitter_ps);                           // of the board added next, which starts at start_ps;
//!                                                                  // drift: "none"; "ramp" to drift_ppb in drift_ps;
//!                                                                  // "triangle" up and down in drift_ps; "wander"
//!                                                                  // again within drift_ppb every drift_ps
//! int64_t  vb_clock_step(void *h, uint64_t at_ps, int64_t ppb, uint64_t gap_ps);   // of the board added next: faster
//!                                                                  // by ppb from then on, after standing still
//! int64_t  vb_brown_out(void *h, uint32_t board, uint64_t at_ps, uint64_t off_ps); // no supply for off_ps
//! ```

use super::{call, text, wrong, Handle};
use crate::bench::BrownOut;
use crate::clock::{ClockStep, Drift};
use std::os::raw::c_char;

#[no_mangle]
pub extern "C" fn vb_clock(
    h: *mut Handle,
    start_ps: u64,
    drift: *const c_char,
    drift_ppb: i64,
    drift_ps: u64,
    jitter_ps: u64,
) -> i64 {
    call(h, |bench| {
        let (ppb, span_ps) = (drift_ppb, drift_ps);
        let drift = match text(drift, "drift")? {
            "none" => Drift::None,
            "ramp" => Drift::Ramp { ppb, over_ps: span_ps },
            "triangle" => Drift::Triangle {
                ppb,
                period_ps: span_ps,
            },
            "wander" => Drift::Wander { ppb, every_ps: span_ps },
            other => {
                return Err(wrong(format!(
                    "no drift \"{}\"; there are: none, ramp, triangle, wander",
                    other
                )))
            }
        };
        bench.next_clock.start_ps = start_ps;
        bench.next_clock.drift = drift;
        bench.next_clock.jitter_ps = jitter_ps;
        bench.next_clock.check().map(|()| 0).map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_clock_step(h: *mut Handle, at_ps: u64, ppb: i64, gap_ps: u64) -> i64 {
    call(h, |bench| {
        bench.next_clock.steps.push(ClockStep { at_ps, ppb, gap_ps });
        bench.next_clock.check().map(|()| 0).map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_brown_out(h: *mut Handle, board: u32, at_ps: u64, off_ps: u64) -> i64 {
    call(h, |bench| {
        let board = board as usize;
        let fault = BrownOut { board, at_ps, off_ps };
        bench.brown_out(fault).map(|()| 0).map_err(wrong)
    })
}

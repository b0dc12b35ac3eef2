//! The air beyond plain links: jitter, interferers.
//!
//! ```c
//! int64_t  vb_link_jitter(void *h, uint32_t from, uint32_t to, const char *shape, uint64_t span_ps);
//!                                                                  // after vb_set_link; "none", "uniform", "triangular"
//! int64_t  vb_interferer_add(void *h, const char *pattern, uint32_t centre_khz, uint32_t width_khz, int32_t level_dbm,
//!                            uint64_t first_ps, uint64_t burst_ps, uint64_t every_ps, uint64_t on_ps, uint64_t off_ps);
//!                                                                  // "periodic": every_ps from start to start;
//!                                                                  // "poisson": silence of every_ps on average;
//!                                                                  // "on_off": periodic for on_ps, then off_ps nothing
//! int64_t  vb_frames_enable(void *h);                              // keep the frames on the air
//! int64_t  vb_frames_read(void *h, uint64_t *start_ps, uint64_t *end_ps, uint16_t *board, uint64_t *lost, uint8_t *psdu,
//!                         size_t cap);                             // those over; a bit of `lost` for each board whose
//!                                                                  // link lost it; `psdu`: 128 bytes, the length first
//! int64_t  vb_interferer_level(void *h, uint32_t interferer, uint32_t board, int32_t level_dbm);
//! ```

use super::{call, output, text, wrong, Handle};
use crate::air::interferer::{Interferer, Pattern};
use crate::air::{Jitter, MAX_FRAME_BYTES};
use std::os::raw::c_char;

/// Room of a PSDU: its length, then its bytes.
const PSDU_ROOM: usize = 1 + MAX_FRAME_BYTES;

#[no_mangle]
pub extern "C" fn vb_link_jitter(h: *mut Handle, from: u32, to: u32, shape: *const c_char, span_ps: u64) -> i64 {
    call(h, |bench| {
        let jitter = match text(shape, "shape")? {
            "none" => Jitter::None,
            "uniform" => Jitter::Uniform { span_ps },
            "triangular" => Jitter::Triangular { span_ps },
            other => {
                return Err(wrong(format!(
                    "no shape \"{}\"; there are: none, uniform, triangular",
                    other
                )))
            }
        };
        let mut link = bench.link(from as u16, to as u16);
        link.jitter = jitter;
        bench
            .set_link(from as usize, to as usize, link)
            .map(|()| 0)
            .map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_interferer_add(
    h: *mut Handle,
    pattern: *const c_char,
    centre_khz: u32,
    width_khz: u32,
    level_dbm: i32,
    first_ps: u64,
    burst_ps: u64,
    every_ps: u64,
    on_ps: u64,
    off_ps: u64,
) -> i64 {
    call(h, |bench| {
        let pattern = match text(pattern, "pattern")? {
            "periodic" => Pattern::Periodic { period_ps: every_ps },
            "poisson" => Pattern::Poisson { mean_ps: every_ps },
            "on_off" => Pattern::OnOff {
                period_ps: every_ps,
                on_ps,
                off_ps,
            },
            other => {
                return Err(wrong(format!(
                    "no pattern \"{}\"; there are: periodic, poisson, on_off",
                    other
                )))
            }
        };
        let settings = Interferer {
            centre_khz,
            width_khz,
            level_dbm,
            burst_ps,
            first_ps,
            pattern,
        };
        bench.add_interferer(settings).map(|index| index as i64).map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_interferer_level(h: *mut Handle, interferer: u32, board: u32, level_dbm: i32) -> i64 {
    call(h, |bench| {
        bench
            .set_interferer_level(interferer as usize, board as usize, level_dbm)
            .map(|()| 0)
            .map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_frames_enable(h: *mut Handle) -> i64 {
    call(h, |bench| {
        bench.keep_frames();
        Ok(0)
    })
}

#[no_mangle]
pub extern "C" fn vb_frames_read(
    h: *mut Handle,
    start_ps: *mut u64,
    end_ps: *mut u64,
    board: *mut u16,
    lost: *mut u64,
    psdu: *mut u8,
    cap: usize,
) -> i64 {
    call(h, |bench| {
        let (starts, ends) = (output(start_ps, cap, "start_ps")?, output(end_ps, cap, "end_ps")?);
        let (boards, losses) = (output(board, cap, "board")?, output(lost, cap, "lost")?);
        let bodies = output(psdu, cap * PSDU_ROOM, "psdu")?;
        let frames = bench.take_frames(cap);
        for (index, frame) in frames.iter().enumerate() {
            starts[index] = frame.start_ps;
            ends[index] = frame.end_ps;
            boards[index] = frame.board;
            losses[index] = frame.lost;
            let bytes = &frame.psdu[..frame.psdu.len().min(MAX_FRAME_BYTES)];
            let body = &mut bodies[index * PSDU_ROOM..(index + 1) * PSDU_ROOM];
            body.fill(0);
            body[0] = bytes.len() as u8;
            body[1..=bytes.len()].copy_from_slice(bytes);
        }
        Ok(frames.len() as i64)
    })
}

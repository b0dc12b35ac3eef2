//! The host's serial ports, and time that continues while all boards sleep.
//!
//! ```c
//! int64_t  vb_host_start(void *h, uint32_t one_reader, uint64_t wake_ps, uint64_t wake_tail_ps, uint64_t other_period_ps,
//!                        uint64_t other_ps, uint64_t read_ps, uint64_t line_ps);
//! int64_t  vb_host_plug(void *h, uint32_t board, uint64_t latency_timer_ps, uint32_t packet_bytes,
//!                       uint32_t request_packets, uint64_t poll_ps, uint32_t buffer_bytes);
//!                                                                  // the board's console goes there from now on
//! int64_t  vb_host_read(void *h, uint32_t board, uint64_t *stamps_ps, uint32_t *lengths, size_t cap, uint8_t *bytes,
//!                       size_t room);                              // how many chunks the host's program has by now
//! int64_t  vb_host_overrun(void *h, uint32_t board);               // bytes lost in the adapter
//! int64_t  vb_serial_fault(void *h, uint32_t board, const char *kind, uint64_t ppm, uint64_t from_ps, uint64_t for_ps);
//!                                                                  // "garbled", "lost_bytes", "lost_lines", "stall"
//! int64_t  vb_pass(void *h, uint64_t until_ps);                    // as vb_run, but time continues when all is idle
//! ```

use super::{call, output, text, wrong, Handle, FAULT};
use crate::hostpath::{AdapterSettings, Fault, ReaderSettings, Readers};
use std::os::raw::c_char;

#[no_mangle]
pub extern "C" fn vb_host_start(
    h: *mut Handle,
    one_reader: u32,
    wake_ps: u64,
    wake_tail_ps: u64,
    other_period_ps: u64,
    other_ps: u64,
    read_ps: u64,
    line_ps: u64,
) -> i64 {
    call(h, |bench| {
        bench.start_host(ReaderSettings {
            readers: if one_reader != 0 {
                Readers::One
            } else {
                Readers::PerPort
            },
            wake_ps,
            wake_tail_ps,
            other_period_ps,
            other_ps,
            read_ps,
            line_ps,
        });
        Ok(0)
    })
}

#[no_mangle]
pub extern "C" fn vb_host_plug(
    h: *mut Handle,
    board: u32,
    latency_timer_ps: u64,
    packet_bytes: u32,
    request_packets: u32,
    poll_ps: u64,
    buffer_bytes: u32,
) -> i64 {
    call(h, |bench| {
        let settings = AdapterSettings {
            latency_timer_ps,
            packet_bytes: packet_bytes as usize,
            request_packets: request_packets as usize,
            poll_ps,
            buffer_bytes: buffer_bytes as usize,
        };
        bench.plug_host(board as usize, settings).map(|()| 0).map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_host_read(
    h: *mut Handle,
    board: u32,
    stamps_ps: *mut u64,
    lengths: *mut u32,
    cap: usize,
    bytes: *mut u8,
    room: usize,
) -> i64 {
    call(h, |bench| {
        let (stamps, lengths) = (output(stamps_ps, cap, "stamps_ps")?, output(lengths, cap, "lengths")?);
        let bytes = output(bytes, room, "bytes")?;
        let (mut chunks, mut used) = (0, 0);
        while chunks < cap {
            let chunk = match bench.host_read(board as usize, room - used).map_err(wrong)? {
                Some(chunk) => chunk,
                None => break,
            };
            stamps[chunks] = chunk.stamp_ps;
            lengths[chunks] = chunk.bytes.len() as u32;
            bytes[used..used + chunk.bytes.len()].copy_from_slice(&chunk.bytes);
            used += chunk.bytes.len();
            chunks += 1;
        }
        Ok(chunks as i64)
    })
}

#[no_mangle]
pub extern "C" fn vb_host_overrun(h: *mut Handle, board: u32) -> i64 {
    call(h, |bench| {
        bench
            .host_overrun(board as usize)
            .map(|lost| lost as i64)
            .map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_serial_fault(
    h: *mut Handle,
    board: u32,
    kind: *const c_char,
    ppm: u64,
    from_ps: u64,
    for_ps: u64,
) -> i64 {
    call(h, |bench| {
        let fault = match text(kind, "kind")? {
            "garbled" => Fault::Garbled { from_ps, for_ps, ppm },
            "lost_bytes" => Fault::LostBytes { from_ps, for_ps, ppm },
            "lost_lines" => Fault::LostLines { from_ps, for_ps, ppm },
            "stall" => Fault::Stall { from_ps, for_ps },
            other => return Err(wrong(format!("\"{}\" is not a fault of a serial line", other))),
        };
        bench.serial_fault(board as usize, fault).map(|()| 0).map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_pass(h: *mut Handle, until_ps: u64) -> i64 {
    call(h, |bench| {
        bench.pass(until_ps).map(|()| 0).map_err(|text| (FAULT, text))
    })
}

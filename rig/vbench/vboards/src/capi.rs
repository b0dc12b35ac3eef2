//! C ABI of the bench, for ctypes; parts of it have files of their own in `capi/`.
//!
//! Instants are picoseconds since the bench was made (`u64`). Strings are NUL-terminated UTF-8. A negative result is
//! an error; its text is in `vb_last_error`. No call panics across the boundary. A handle is used by one thread at a
//! time. Errors: -1 wrong argument, -2 a board cannot continue, -3 a bug in this crate, -4 null pointer or bad string.
//!
//! ```c
//! void    *vb_new(uint64_t seed);                                  // NULL only without memory
//! void     vb_free(void *h);
//! int64_t  vb_add_board(void *h, const char *kind, const uint8_t *elf, size_t elf_bytes, int64_t clock_ppb);
//!                                                                  // number of the board; all before the first run
//! int64_t  vb_set_link(void *h, uint32_t from, uint32_t to, uint64_t delay_ps, uint32_t loss_ppm, int32_t rssi_dbm);
//!                                                                  // rssi: level at `to` for a sender at 0 dBm
//! int64_t  vb_set_strict(void *h, uint32_t strict);                // default 1; counts for boards added later
//! int64_t  vb_set_slice(void *h, uint64_t slice_ps);               // for tests; changes no result; at most 16 us
//! int64_t  vb_run(void *h, uint64_t until_ps);                     // 0 reached, 1 idle: all sleep and wait for input,
//!                                                                  // -2 fault, for good
//! uint64_t vb_now(void *h);
//! int64_t  vb_uart_read(void *h, uint32_t board, uint32_t usart, uint64_t *t_ps, uint8_t *bytes, size_t cap);
//!                                                                  // usart 1 = USART1, 0 = the console's; t_ps = end of the stop bit;
//!                                                                  // returns how many
//! int64_t  vb_uart_feed(void *h, uint32_t board, uint32_t usart, const uint8_t *bytes, size_t n);
//!                                                                  // at the USART's own rate, from now or after what
//!                                                                  // was fed before
//! int64_t  vb_analyzer_add(void *h, uint64_t rate_hz_num, uint64_t rate_den, uint32_t unitsize, int64_t ppb,
//!                          uint64_t phase_ps);                     // sample 0 lies phase_ps after now; its number
//! int64_t  vb_pin(void *h, uint32_t board, const char *pin);   // its number in vb_edges_read
//! int64_t  vb_probe(void *h, uint32_t analyzer, uint32_t channel, uint32_t board, const char *pin);   // "PB9", "P6.0"
//! int64_t  vb_samples(void *h, uint32_t analyzer, uint8_t *buf, size_t cap);
//!                                                                  // bytes written: whole samples before now;
//!                                                                  // call until it returns less than fits
//! int64_t  vb_analyzer_stop(void *h, uint32_t analyzer);           // nothing more is kept for it
//! int64_t  vb_edges_enable(void *h, uint32_t keep);
//! int64_t  vb_edges_read(void *h, uint64_t *t_ps, uint16_t *board, uint16_t *pin, uint8_t *level, size_t cap);
//!                                                                  // pin = port << 4 | bit, port A = 0; how many
//! uint64_t vb_edge_hash(void *h);                                  // FNV-1a over all edges before now; a probe on an
//!                                                                  // SPI line adds that bus's edges
//! int64_t  vb_debug_wires(void *h, uint32_t board);                // 0: no debug port, 1: JTAG, 2: serial wire
//! int64_t  vb_debug(void *h, uint32_t board, const uint8_t *bytes, size_t n, uint8_t *levels, size_t cap, uint64_t extra_ps);
//!                                                                  // bytes of OpenOCD's remote_bitbang; TDO levels as
//!                                                                  // '0' and '1', n at most, return how many. Time
//!                                                                  // passes by extra_ps, then 1 us for each TCK
//! int64_t  vb_modem(void *h, uint32_t board, uint32_t dtr, uint32_t rts);
//!                                                                  // modem lines of its serial adapter, 1 = asserted;
//!                                                                  // 1 if they lead somewhere
//! int64_t  vb_log(void *h, char *buf, size_t cap);                 // length of the full text without NUL; writes what
//!                                                                  // fits, with NUL; cap 0 asks for the length. A line
//!                                                                  // for each remark:
//!                                                                  // "t=1 ps board=0 pc=0x08000000 times=1 TEXT"
//! int64_t  vb_last_error(void *h, char *buf, size_t cap);          // as vb_log
//! int64_t  vb_statistics(void *h, uint32_t board, uint64_t *instructions, uint64_t *cycles);
//! ```

// C calls these functions; their contract stands above, and every use of a pointer states what it relies on.
#![allow(clippy::not_unsafe_ptr_arg_deref)]
// So does the number of their arguments.
#![allow(clippy::too_many_arguments)]

pub mod air;
pub mod analyzer;
pub mod clock;
pub mod hostpath;
pub mod variants;

mod debug;
mod modem;

use crate::air::Link;
use crate::analyzer::Settings;
use crate::bench::{Bench, Outcome};
use crate::clock::ClockSpec;
use std::ffi::CStr;
use std::os::raw::c_char;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::slice;

const WRONG: i64 = -1;
const FAULT: i64 = -2;
const BUG: i64 = -3;
const NULL: i64 = -4;

/// What a handle points to.
pub struct Handle {
    bench: Bench,
    error: String,
}

/// A failed call: code and text.
type Failure = (i64, String);

fn wrong(text: String) -> Failure {
    (WRONG, text)
}

fn null(what: &str) -> Failure {
    (NULL, format!("{} is NULL or not UTF-8", what))
}

/// Runs a call on a handle; keeps its error and stops panics.
fn call(handle: *mut Handle, body: impl FnOnce(&mut Bench) -> Result<i64, Failure>) -> i64 {
    if handle.is_null() {
        return NULL;
    }
    // SAFETY: a non-null handle comes from `vb_new`, is not freed yet and is used by one thread at a time (contract).
    let handle = unsafe { &mut *handle };
    let bench = &mut handle.bench;
    let failure = match catch_unwind(AssertUnwindSafe(|| body(bench))) {
        Ok(Ok(value)) => return value,
        Ok(Err(failure)) => failure,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
            (
                BUG,
                format!("bug in vboards: {}", text.unwrap_or_else(|| "panic".to_string())),
            )
        }
    };
    handle.error = failure.1;
    failure.0
}

fn text<'a>(pointer: *const c_char, what: &str) -> Result<&'a str, Failure> {
    if pointer.is_null() {
        return Err(null(what));
    }
    // SAFETY: the caller hands a NUL-terminated string that lives through the call (contract).
    unsafe { CStr::from_ptr(pointer) }.to_str().map_err(|_| null(what))
}

fn input<'a>(pointer: *const u8, length: usize, what: &str) -> Result<&'a [u8], Failure> {
    match (pointer.is_null(), length) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(null(what)),
        // SAFETY: the caller owns `length` readable bytes at `pointer` through the call (contract).
        _ => Ok(unsafe { slice::from_raw_parts(pointer, length) }),
    }
}

fn output<'a, T>(pointer: *mut T, length: usize, what: &str) -> Result<&'a mut [T], Failure> {
    match (pointer.is_null(), length) {
        (_, 0) => Ok(&mut []),
        (true, _) => Err(null(what)),
        // SAFETY: the caller owns `length` aligned, initialised, writable elements at `pointer`, and no other code uses
        // them through the call (contract).
        _ => Ok(unsafe { slice::from_raw_parts_mut(pointer, length) }),
    }
}

/// Writes a text with a NUL into a buffer, cut if it does not fit; returns its full length.
fn put_text(value: &str, buffer: *mut c_char, cap: usize) -> Result<i64, Failure> {
    let room = output(buffer.cast::<u8>(), cap, "buffer")?;
    if !room.is_empty() {
        let used = value.len().min(room.len() - 1);
        room[..used].copy_from_slice(&value.as_bytes()[..used]);
        room[used] = 0;
    }
    Ok(value.len() as i64)
}

#[no_mangle]
pub extern "C" fn vb_new(seed: u64) -> *mut Handle {
    let made = catch_unwind(|| {
        Box::new(Handle {
            bench: Bench::new(seed),
            error: String::new(),
        })
    });
    made.map_or(std::ptr::null_mut(), Box::into_raw)
}

#[no_mangle]
pub extern "C" fn vb_free(handle: *mut Handle) {
    if !handle.is_null() {
        // SAFETY: the handle comes from `vb_new` and is not used again (contract).
        let handle = unsafe { Box::from_raw(handle) };
        // A panic while dropping leaves nothing to clean up.
        let _ = catch_unwind(AssertUnwindSafe(move || drop(handle)));
    }
}

#[no_mangle]
pub extern "C" fn vb_add_board(
    h: *mut Handle,
    kind: *const c_char,
    elf: *const u8,
    bytes: usize,
    clock_ppb: i64,
) -> i64 {
    call(h, |bench| {
        let image = input(elf, bytes, "elf")?;
        let kind = text(kind, "kind")?;
        let ppb = clock_ppb;
        let clock = ClockSpec {
            ppb,
            ..std::mem::take(&mut bench.next_clock)
        };
        bench
            .add_board_with(kind, "the image", image, clock)
            .map(i64::from)
            .map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_set_link(h: *mut Handle, from: u32, to: u32, delay_ps: u64, loss_ppm: u32, rssi_dbm: i32) -> i64 {
    call(h, |bench| {
        let link = Link {
            delay_ps,
            loss_ppm,
            rssi_dbm,
            ..Link::default()
        };
        bench
            .set_link(from as usize, to as usize, link)
            .map(|()| 0)
            .map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_set_strict(h: *mut Handle, strict: u32) -> i64 {
    call(h, |bench| {
        bench.set_strict(strict != 0);
        Ok(0)
    })
}

#[no_mangle]
pub extern "C" fn vb_set_slice(h: *mut Handle, slice_ps: u64) -> i64 {
    call(h, |bench| {
        bench.set_slice(slice_ps);
        Ok(0)
    })
}

#[no_mangle]
pub extern "C" fn vb_run(h: *mut Handle, until_ps: u64) -> i64 {
    call(h, |bench| match bench.run(until_ps) {
        Ok(Outcome::Reached) => Ok(0),
        Ok(Outcome::Idle) => Ok(1),
        Err(text) => Err((FAULT, text)),
    })
}

#[no_mangle]
pub extern "C" fn vb_now(h: *mut Handle) -> u64 {
    let mut now_ps = 0;
    call(h, |bench| {
        now_ps = bench.now_ps();
        Ok(0)
    });
    now_ps
}

#[no_mangle]
pub extern "C" fn vb_uart_read(
    h: *mut Handle,
    board: u32,
    usart: u32,
    t_ps: *mut u64,
    bytes: *mut u8,
    cap: usize,
) -> i64 {
    call(h, |bench| {
        let (instants, bytes) = (output(t_ps, cap, "t_ps")?, output(bytes, cap, "bytes")?);
        let sent = bench.uart_read(board as usize, usart as usize, cap).map_err(wrong)?;
        for (index, (t_ps, byte)) in sent.iter().enumerate() {
            instants[index] = *t_ps;
            bytes[index] = *byte;
        }
        Ok(sent.len() as i64)
    })
}

#[no_mangle]
pub extern "C" fn vb_uart_feed(h: *mut Handle, board: u32, usart: u32, bytes: *const u8, n: usize) -> i64 {
    call(h, |bench| {
        let bytes = input(bytes, n, "bytes")?;
        bench
            .uart_feed(board as usize, usart as usize, bytes)
            .map(|()| 0)
            .map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_analyzer_add(
    h: *mut Handle,
    rate_hz_num: u64,
    rate_den: u64,
    unitsize: u32,
    ppb: i64,
    phase_ps: u64,
) -> i64 {
    call(h, |bench| {
        let (rate_num, unitsize) = (rate_hz_num, unitsize as usize);
        let settings = Settings {
            rate_num,
            rate_den,
            unitsize,
            ppb,
            start_ps: phase_ps,
        };
        bench.add_analyzer(settings).map(|index| index as i64).map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_probe(h: *mut Handle, analyzer: u32, channel: u32, board: u32, pin: *const c_char) -> i64 {
    call(h, |bench| {
        let name = text(pin, "pin")?;
        let pin = bench.pin(board as usize, name).map_err(wrong)?;
        bench
            .probe(analyzer as usize, channel, board as usize, pin)
            .map(|()| 0)
            .map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_pin(h: *mut Handle, board: u32, pin: *const c_char) -> i64 {
    call(h, |bench| {
        let name = text(pin, "pin")?;
        bench.pin(board as usize, name).map(i64::from).map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_samples(h: *mut Handle, analyzer: u32, buf: *mut u8, cap: usize) -> i64 {
    call(h, |bench| {
        let buffer = output(buf, cap, "buf")?;
        bench
            .samples(analyzer as usize, buffer)
            .map(|bytes| bytes as i64)
            .map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_analyzer_stop(h: *mut Handle, analyzer: u32) -> i64 {
    call(h, |bench| {
        bench.stop_analyzer(analyzer as usize).map(|()| 0).map_err(wrong)
    })
}

#[no_mangle]
pub extern "C" fn vb_edges_enable(h: *mut Handle, keep: u32) -> i64 {
    call(h, |bench| {
        bench.keep_edges(keep != 0);
        Ok(0)
    })
}

#[no_mangle]
pub extern "C" fn vb_edges_read(
    h: *mut Handle,
    t_ps: *mut u64,
    board: *mut u16,
    pin: *mut u16,
    level: *mut u8,
    cap: usize,
) -> i64 {
    call(h, |bench| {
        let (instants, boards) = (output(t_ps, cap, "t_ps")?, output(board, cap, "board")?);
        let (pins, levels) = (output(pin, cap, "pin")?, output(level, cap, "level")?);
        let edges = bench.take_edges(cap);
        for (index, edge) in edges.iter().enumerate() {
            instants[index] = edge.t_ps;
            boards[index] = edge.board;
            pins[index] = edge.pin;
            levels[index] = u8::from(edge.level);
        }
        Ok(edges.len() as i64)
    })
}

#[no_mangle]
pub extern "C" fn vb_edge_hash(h: *mut Handle) -> u64 {
    let mut hash = 0;
    call(h, |bench| {
        hash = bench.edge_hash();
        Ok(0)
    });
    hash
}

#[no_mangle]
pub extern "C" fn vb_log(h: *mut Handle, buf: *mut c_char, cap: usize) -> i64 {
    call(h, |bench| put_text(&bench.log_text(), buf, cap))
}

#[no_mangle]
pub extern "C" fn vb_last_error(h: *mut Handle, buf: *mut c_char, cap: usize) -> i64 {
    if h.is_null() {
        return NULL;
    }
    // SAFETY: as in `call`.
    let handle = unsafe { &*h };
    put_text(&handle.error, buf, cap).unwrap_or_else(|failure| failure.0)
}

#[no_mangle]
pub extern "C" fn vb_statistics(h: *mut Handle, board: u32, instructions: *mut u64, cycles: *mut u64) -> i64 {
    call(h, |bench| {
        let statistics = bench.statistics(board as usize).map_err(wrong)?;
        output(instructions, 1, "instructions")?[0] = statistics.instructions;
        output(cycles, 1, "cycles")?[0] = statistics.cycles;
        Ok(0)
    })
}

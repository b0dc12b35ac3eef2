//! Kernels of gpiorig's capture component, behind a C interface that Python loads by ctypes.
//!
//! A kernel sees plain memory and scalars. The caller owns every buffer and every state, so nothing is freed here. The
//! kernels themselves are safe Rust in [`edges`] and [`bus`]; the unsafe code of the crate is in this file, and a panic
//! becomes the result [`PANICKED`] instead of crossing the boundary.

#![deny(unsafe_op_in_unsafe_fn)]

pub mod bus;
pub mod edges;

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::slice;

/// Changes when a state's layout or a function's parameters change; Python refuses another number.
pub const ABI: u32 = 1;
/// Result of a call that panicked: a fault in this crate.
pub const PANICKED: i64 = -1;
/// Result of a call with a state or a buffer that cannot be right.
pub const REFUSED: i64 = -2;

fn guarded(kernel: impl FnOnce() -> i64) -> i64 {
    catch_unwind(AssertUnwindSafe(kernel)).unwrap_or(PANICKED)
}

/// The number of this interface.
#[no_mangle]
pub extern "C" fn gpiorig_abi() -> u32 {
    ABI
}

/// Extract edges from `length` bytes of samples; returns the number of edges written, or a negative error.
///
/// Stops early when `capacity` edges are written; `consumed` tells how many bytes were used.
///
/// # Safety
/// `state` and `consumed` point to one valid object each, `data` to `length` readable bytes, `samples` and `levels` to
/// `capacity` writable elements each, and no two of them overlap. A pointer may be null only when its length is 0.
#[no_mangle]
pub unsafe extern "C" fn gpiorig_edges_feed(
    state: *mut edges::State,
    data: *const u8,
    length: usize,
    samples: *mut i64,
    levels: *mut u64,
    capacity: usize,
    consumed: *mut usize,
) -> i64 {
    guarded(|| {
        // SAFETY: the caller promises valid, disjoint objects of these lengths (see above); null is checked.
        let parts = unsafe {
            (
                state.as_mut(),
                input(data, length),
                output(samples, capacity),
                output(levels, capacity),
                consumed.as_mut(),
            )
        };
        match parts {
            (Some(state), Some(data), Some(samples), Some(levels), Some(consumed)) if state.is_valid() => {
                let (count, used) = state.feed(data, samples, levels);
                *consumed = used;
                count as i64
            }
            _ => REFUSED,
        }
    })
}

/// Where the symbol bus decoder puts what it finds; every array has `capacity` elements.
#[repr(C)]
pub struct BusOutput {
    pub samples: *mut i64,
    pub codes: *mut u8,
    pub ids: *mut i32,
    pub damaged_samples: *mut i64,
    pub damaged_symbols: *mut i64,
    pub capacity: usize,
    /// Set by the call: events and damaged frames written.
    pub events: usize,
    pub damaged: usize,
}

impl BusOutput {
    /// # Safety
    /// Every pointer is null or points to `capacity` writable elements that nothing else refers to.
    unsafe fn sink(&mut self) -> Option<bus::Sink<'_>> {
        // SAFETY: promised by the caller.
        unsafe {
            Some(bus::Sink {
                samples: output(self.samples, self.capacity)?,
                codes: output(self.codes, self.capacity)?,
                ids: output(self.ids, self.capacity)?,
                damaged_samples: output(self.damaged_samples, self.capacity)?,
                damaged_symbols: output(self.damaged_symbols, self.capacity)?,
                events: 0,
                damaged: 0,
            })
        }
    }
}

/// Decode `count` edges of a symbol bus; returns 0 or a negative error. `capacity` must be `count` + 1 or more.
///
/// # Safety
/// `state` and `out` point to one valid object each, `samples` and `levels` to `count` readable elements, the arrays of
/// `out` to `capacity` writable elements each, and no two of them overlap.
#[no_mangle]
pub unsafe extern "C" fn gpiorig_bus_feed(
    state: *mut bus::State,
    samples: *const i64,
    levels: *const u64,
    count: usize,
    out: *mut BusOutput,
) -> i64 {
    guarded(|| {
        // SAFETY: the caller promises valid, disjoint objects of these lengths (see above); null is checked.
        let parts = unsafe {
            (
                state.as_mut(),
                input(samples, count),
                input(levels, count),
                out.as_mut(),
            )
        };
        match parts {
            (Some(state), Some(samples), Some(levels), Some(out)) if state.is_valid() && out.capacity > count => {
                // SAFETY: the caller promises the arrays of `out`.
                bus_call(out, |sink| state.feed(samples, levels, sink))
            }
            _ => REFUSED,
        }
    })
}

/// Close the frame that is still open; returns 0 or a negative error. `capacity` must be 1 or more.
///
/// # Safety
/// As for [`gpiorig_bus_feed`].
#[no_mangle]
pub unsafe extern "C" fn gpiorig_bus_finish(state: *mut bus::State, out: *mut BusOutput) -> i64 {
    guarded(|| {
        // SAFETY: the caller promises one valid object each; null is checked.
        let parts = unsafe { (state.as_mut(), out.as_mut()) };
        match parts {
            (Some(state), Some(out)) if state.is_valid() && out.capacity > 0 => {
                bus_call(out, |sink| state.finish(sink))
            }
            _ => REFUSED,
        }
    })
}

fn bus_call(out: &mut BusOutput, decode: impl FnOnce(&mut bus::Sink<'_>)) -> i64 {
    // SAFETY: both callers' contracts promise that the arrays of `out` hold `capacity` elements each.
    let counts = unsafe { out.sink() }.map(|mut sink| {
        decode(&mut sink);
        (sink.events, sink.damaged)
    });
    match counts {
        Some((events, damaged)) => {
            out.events = events;
            out.damaged = damaged;
            0
        }
        None => REFUSED,
    }
}

/// # Safety
/// `data` is null or points to `length` readable elements that nobody writes while the slice lives.
unsafe fn input<'a, T>(data: *const T, length: usize) -> Option<&'a [T]> {
    match (data.is_null(), length) {
        (_, 0) => Some(&[]),
        (true, _) => None,
        // SAFETY: not null, and valid for `length` elements as the caller promises.
        (false, _) => Some(unsafe { slice::from_raw_parts(data, length) }),
    }
}

/// # Safety
/// `data` is null or points to `length` writable elements that nothing else refers to while the slice lives.
unsafe fn output<'a, T>(data: *mut T, length: usize) -> Option<&'a mut [T]> {
    match (data.is_null(), length) {
        (_, 0) => Some(&mut []),
        (true, _) => None,
        // SAFETY: not null, and valid for `length` elements as the caller promises.
        (false, _) => Some(unsafe { slice::from_raw_parts_mut(data, length) }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_null_state_is_refused() {
        let mut consumed = 0;
        let result = unsafe {
            gpiorig_edges_feed(
                std::ptr::null_mut(),
                std::ptr::null(),
                0,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                0,
                &mut consumed,
            )
        };
        assert_eq!(REFUSED, result);
    }

    #[test]
    fn a_panic_does_not_cross_the_boundary() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let result = guarded(|| panic!("on purpose"));
        std::panic::set_hook(hook);

        assert_eq!(PANICKED, result);
    }

    #[test]
    fn a_small_bus_output_is_refused() {
        let mut state = bus::State::new(0, &[1, 2], 10, &[1; 256]);
        let mut out = BusOutput {
            samples: std::ptr::null_mut(),
            codes: std::ptr::null_mut(),
            ids: std::ptr::null_mut(),
            damaged_samples: std::ptr::null_mut(),
            damaged_symbols: std::ptr::null_mut(),
            capacity: 1,
            events: 0,
            damaged: 0,
        };
        let result = unsafe { gpiorig_bus_feed(&mut state, [0, 1].as_ptr(), [0, 1].as_ptr(), 2, &mut out) };

        assert_eq!(REFUSED, result);
    }
}

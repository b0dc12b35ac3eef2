//! The C interface of [`crate::symbol_bus`].

use super::{guarded, input, output, REFUSED};
use crate::symbol_bus;

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
    unsafe fn sink(&mut self) -> Option<symbol_bus::Sink<'_>> {
        // SAFETY: promised by the caller.
        unsafe {
            Some(symbol_bus::Sink {
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
    state: *mut symbol_bus::State,
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
pub unsafe extern "C" fn gpiorig_bus_finish(state: *mut symbol_bus::State, out: *mut BusOutput) -> i64 {
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

fn bus_call(out: &mut BusOutput, decode: impl FnOnce(&mut symbol_bus::Sink<'_>)) -> i64 {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_small_bus_output_is_refused() {
        let mut state = symbol_bus::State::new(0, &[1, 2], 10, 1, &[1; 256]);
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

//! The C interface of [`crate::spi`].

use super::{guarded, input, output, REFUSED};
use crate::spi;

/// Where the SPI decoder puts what it finds; every array has `capacity` elements.
#[repr(C)]
pub struct SpiOutput {
    pub word_start: *mut i64,
    pub word_end: *mut i64,
    pub mosi: *mut u64,
    pub miso: *mut u64,
    pub start: *mut i64,
    pub end: *mut i64,
    pub count: *mut i64,
    pub flags: *mut i64,
    pub capacity: usize,
    /// Set by the call: words and transfers written.
    pub words: usize,
    pub transfers: usize,
}

impl SpiOutput {
    /// # Safety
    /// Every pointer is null or points to `capacity` writable elements that nothing else refers to.
    unsafe fn sink(&mut self) -> Option<spi::Sink<'_>> {
        // SAFETY: promised by the caller.
        unsafe {
            Some(spi::Sink {
                word_start: output(self.word_start, self.capacity)?,
                word_end: output(self.word_end, self.capacity)?,
                mosi: output(self.mosi, self.capacity)?,
                miso: output(self.miso, self.capacity)?,
                start: output(self.start, self.capacity)?,
                end: output(self.end, self.capacity)?,
                count: output(self.count, self.capacity)?,
                flags: output(self.flags, self.capacity)?,
                words: 0,
                transfers: 0,
            })
        }
    }
}

/// Decode `count` rows of levels; with `finish` set nothing is known from sample `end` on. Returns 0 or a negative error.
/// `capacity` must be `count` + 1 or more.
///
/// # Safety
/// `state` and `out` point to one valid object each, `samples` and `levels` to `count` readable elements, the arrays of
/// `out` to `capacity` writable elements each, and no two of them overlap.
#[no_mangle]
pub unsafe extern "C" fn gpiorig_spi_feed(
    state: *mut spi::State,
    samples: *const i64,
    levels: *const u64,
    count: usize,
    finish: u32,
    end: i64,
    out: *mut SpiOutput,
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
        let (state, samples, levels, out) = match parts {
            (Some(state), Some(samples), Some(levels), Some(out)) if state.is_valid() && out.capacity > count => {
                (state, samples, levels, out)
            }
            _ => return REFUSED,
        };
        // SAFETY: as above.
        let (words, transfers) = match unsafe { out.sink() } {
            Some(mut sink) => {
                state.feed(samples, levels, &mut sink);
                if finish != 0 {
                    state.finish(end, &mut sink);
                }
                (sink.words, sink.transfers)
            }
            None => return REFUSED,
        };
        out.words = words;
        out.transfers = transfers;
        0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_null_state_is_refused() {
        let null = std::ptr::null_mut();
        let result =
            unsafe { gpiorig_spi_feed(null, std::ptr::null(), std::ptr::null(), 0, 0, 0, std::ptr::null_mut()) };
        assert_eq!(REFUSED, result);
    }
}

//! The C interface of [`crate::deflate`].

use super::{guarded, input, output, REFUSED};
use crate::deflate::{deflate, Rows};

/// Deflate the samples `start..end` of `count` edges; returns the length of the stream, or a negative error.
///
/// `crc` is set to the CRC-32 of the samples. An output that is too small is refused.
///
/// # Safety
/// `samples` and `levels` point to `count` readable elements, `out` to `capacity` writable bytes, `crc` to a valid object, and
/// no two of them overlap. A pointer may be null only when its length is 0.
#[no_mangle]
pub unsafe extern "C" fn gpiorig_deflate_rows(
    samples: *const i64,
    levels: *const u64,
    count: usize,
    start: i64,
    end: i64,
    unit: u32,
    out: *mut u8,
    capacity: usize,
    crc: *mut u32,
) -> i64 {
    guarded(|| {
        // SAFETY: the caller promises valid, disjoint objects of these lengths (see above); null is checked.
        let parts = unsafe {
            (
                input(samples, count),
                input(levels, count),
                output(out, capacity),
                crc.as_mut(),
            )
        };
        let (samples, levels, out, crc) = match parts {
            (Some(samples), Some(levels), Some(out), Some(crc)) => (samples, levels, out, crc),
            _ => return REFUSED,
        };
        let rows = Rows {
            samples,
            levels,
            start,
            end,
            unit: unit as usize,
        };
        let result = if rows.is_valid() { deflate(&rows, out) } else { None };
        result.map_or(REFUSED, |(length, sum)| {
            *crc = sum;
            length as i64
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_do_not_tell_the_first_level_are_refused() {
        let mut crc = 0;
        let (samples, levels, mut out) = ([5], [1], [0; 99]);
        let result = unsafe {
            gpiorig_deflate_rows(
                samples.as_ptr(),
                levels.as_ptr(),
                1,
                0,
                9,
                1,
                out.as_mut_ptr(),
                99,
                &mut crc,
            )
        };
        assert_eq!(REFUSED, result);
    }
}

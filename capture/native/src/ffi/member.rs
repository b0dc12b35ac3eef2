//! The C interface of [`crate::member`].

use super::{guarded, input, output, REFUSED};
use crate::member::{Reader, Span};
use std::mem::{align_of, size_of, MaybeUninit};

/// Bytes of memory for a reader, which begins with its [`crate::member::Head`].
#[no_mangle]
pub extern "C" fn gpiorig_member_reader_bytes() -> i64 {
    size_of::<Reader>() as i64
}

/// Make a reader in `length` bytes of memory; returns 0 or a negative error.
///
/// # Safety
/// `memory` is null or points to `length` writable bytes that nothing else refers to.
#[no_mangle]
pub unsafe extern "C" fn gpiorig_member_create(memory: *mut Reader, length: usize, unit: u32, mask: u64) -> i64 {
    guarded(|| {
        let is_aligned = memory as usize % align_of::<Reader>() == 0;
        if memory.is_null() || !is_aligned || length < size_of::<Reader>() || !matches!(unit, 1..=8) {
            return REFUSED;
        }
        // SAFETY: not null, aligned, and large enough; the caller promises that it is writable and not shared.
        unsafe { *memory.cast::<MaybeUninit<Reader>>() = MaybeUninit::new(Reader::new(unit, mask)) };
        0
    })
}

/// Begin to read again, at the first byte of the sample with this number; returns 0 or a negative error.
///
/// # Safety
/// `reader` is null or points to a reader made by [`gpiorig_member_create`] that nothing else refers to.
#[no_mangle]
pub unsafe extern "C" fn gpiorig_member_restart(reader: *mut Reader, position: i64) -> i64 {
    guarded(|| {
        // SAFETY: promised by the caller; null is checked.
        match unsafe { reader.as_mut() } {
            Some(reader) if reader.is_valid() => {
                reader.restart(position);
                0
            }
            _ => REFUSED,
        }
    })
}

/// Begin a member that has `expected` bytes when inflated; returns 0 or a negative error.
///
/// # Safety
/// As for [`gpiorig_member_restart`].
#[no_mangle]
pub unsafe extern "C" fn gpiorig_member_begin(reader: *mut Reader, method: u32, expected: u64) -> i64 {
    guarded(|| {
        // SAFETY: promised by the caller; null is checked.
        match unsafe { reader.as_mut() } {
            Some(reader) if reader.is_valid() => {
                if reader.begin(method, expected) {
                    0
                } else {
                    REFUSED
                }
            }
            _ => REFUSED,
        }
    })
}

/// Read `length` bytes of the member's data; returns the number of edges written, or a negative error.
///
/// `consumed` tells how many bytes were used, and the reader's head why the call returned.
///
/// # Safety
/// As for [`gpiorig_member_restart`]; `data` points to `length` readable bytes, `samples` and `levels` to `capacity` writable
/// elements each, `consumed` to a valid object, and no two of them overlap. A pointer may be null only when its length is 0.
#[no_mangle]
pub unsafe extern "C" fn gpiorig_member_feed(
    reader: *mut Reader,
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
                reader.as_mut(),
                input(data, length),
                output(samples, capacity),
                output(levels, capacity),
                consumed.as_mut(),
            )
        };
        match parts {
            (Some(reader), Some(data), Some(samples), Some(levels), Some(consumed)) if reader.is_valid() => {
                let (count, used) = reader.feed(data, samples, levels);
                *consumed = used;
                count as i64
            }
            _ => REFUSED,
        }
    })
}

/// Read members that lie in `length` bytes of memory as a whole; returns the number of edges written, or a negative error.
///
/// The reader's head tells why the call returned, and how many members are read: call it with the same ones, until all are.
///
/// # Safety
/// As for [`gpiorig_member_feed`]; `spans` points to `span_count` readable elements.
#[no_mangle]
pub unsafe extern "C" fn gpiorig_member_feed_all(
    reader: *mut Reader,
    data: *const u8,
    length: usize,
    spans: *const Span,
    span_count: usize,
    samples: *mut i64,
    levels: *mut u64,
    capacity: usize,
) -> i64 {
    guarded(|| {
        // SAFETY: the caller promises valid, disjoint objects of these lengths (see above); null is checked.
        let parts = unsafe {
            (
                reader.as_mut(),
                input(data, length),
                input(spans, span_count),
                output(samples, capacity),
                output(levels, capacity),
            )
        };
        match parts {
            (Some(reader), Some(data), Some(spans), Some(samples), Some(levels)) if reader.is_valid() => {
                reader.feed_all(data, spans, samples, levels) as i64
            }
            _ => REFUSED,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_too_small_is_refused() {
        let mut memory = [0u64; 4];
        assert_eq!(REFUSED, unsafe {
            gpiorig_member_create(memory.as_mut_ptr().cast(), 32, 2, u64::MAX)
        });
    }
}

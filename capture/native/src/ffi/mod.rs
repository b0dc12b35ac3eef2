//! What the C interfaces of all kernels share.

pub mod changes;
pub mod deflate;
pub mod edges;
pub mod extents;
pub mod layer_times;
pub mod member;
pub mod ownership;
pub mod pauses;
pub mod runs;
pub mod sent_events;
pub mod span_ends;
pub mod spi;
pub mod step_times;
pub mod symbol_bus;
pub mod table;
pub mod uart;

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::slice;

/// Changes when a state's layout or a function's parameters change; Python refuses another number.
pub const ABI: u32 = 5;
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

/// # Safety
/// `data` is null or points to `length` readable elements that are not written while the slice lives.
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
    fn a_panic_does_not_cross_the_boundary() {
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        let result = guarded(|| panic!("on purpose"));
        std::panic::set_hook(hook);

        assert_eq!(PANICKED, result);
    }
}

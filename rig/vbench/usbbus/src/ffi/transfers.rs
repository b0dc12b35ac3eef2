//! Transfers that end later.

use super::handles::Handle;
use super::with;
use crate::abi::*;
use crate::sys;
use crate::transfer::{Buffer, Pending};
use std::mem::size_of;
use std::os::raw::c_int;

#[no_mangle]
pub extern "C" fn libusb_alloc_transfer(iso_packets: c_int) -> *mut Transfer {
    sys::allocate(size_of::<Transfer>() + iso_packets.max(0) as usize * ISO_PACKET_BYTES).cast()
}

#[no_mangle]
pub unsafe extern "C" fn libusb_free_transfer(transfer: *mut Transfer) {
    if transfer.is_null() {
        return;
    }
    if (*transfer).flags & TRANSFER_FREE_BUFFER != 0 {
        sys::release((*transfer).buffer.cast());
    }
    sys::release(transfer.cast());
}

#[no_mangle]
pub unsafe extern "C" fn libusb_submit_transfer(transfer: *mut Transfer) -> c_int {
    let asked = &*transfer;
    if asked.kind != TRANSFER_TYPE_BULK {
        return ERROR_NOT_SUPPORTED;
    }
    let submitted_ns = sys::now_ns();
    let timeout_ns = i64::from(asked.timeout_ms) * 1_000_000;
    let pending = Pending {
        id: transfer as usize,
        buffer: Buffer::new(asked.buffer, asked.length.max(0) as usize),
        filled: 0,
        submitted_ns,
        deadline_ns: if timeout_ns == 0 {
            i64::MAX
        } else {
            submitted_ns + timeout_ns
        },
    };
    let handle: *const Handle = asked.dev_handle.cast();
    with(ERROR_OTHER, |bus| bus.submit((*handle).id, asked.endpoint, pending))
}

#[no_mangle]
pub unsafe extern "C" fn libusb_cancel_transfer(transfer: *mut Transfer) -> c_int {
    let handle: *const Handle = (*transfer).dev_handle.cast();
    if handle.is_null() {
        return ERROR_NOT_FOUND;
    }
    with(ERROR_OTHER, |bus| bus.cancel((*handle).id, transfer as usize))
}

//! Open devices: claims, settings, and transfers that end before the function does.

use super::devices::{libusb_ref_device, libusb_unref_device, Device};
use super::with;
use crate::abi::*;
use crate::device::Request;
use crate::transfer::Buffer;
use std::os::raw::{c_int, c_uchar, c_uint};

/// `libusb_device_handle`.
pub struct Handle {
    pub id: usize,
    device: *mut Device,
}

#[no_mangle]
pub unsafe extern "C" fn libusb_open(device: *mut Device, handle: *mut *mut Handle) -> c_int {
    match with(Err(ERROR_OTHER), |bus| {
        bus.open_device((*device).index, (*device).address)
    }) {
        Ok(id) => {
            *handle = Box::into_raw(Box::new(Handle {
                id,
                device: libusb_ref_device(device),
            }));
            SUCCESS
        }
        Err(code) => code,
    }
}

#[no_mangle]
pub unsafe extern "C" fn libusb_close(handle: *mut Handle) {
    if handle.is_null() {
        return;
    }
    let handle = Box::from_raw(handle);
    with((), |bus| bus.close_device(handle.id));
    libusb_unref_device(handle.device);
}

#[no_mangle]
pub unsafe extern "C" fn libusb_get_device(handle: *const Handle) -> *mut Device {
    (*handle).device
}

#[no_mangle]
pub unsafe extern "C" fn libusb_get_configuration(_handle: *const Handle, config: *mut c_int) -> c_int {
    *config = 1;
    SUCCESS
}

#[no_mangle]
pub extern "C" fn libusb_set_configuration(_handle: *const Handle, config: c_int) -> c_int {
    if config == 1 {
        SUCCESS
    } else {
        ERROR_NOT_FOUND
    }
}

#[no_mangle]
pub unsafe extern "C" fn libusb_claim_interface(handle: *const Handle, number: c_int) -> c_int {
    match number {
        0 => with(ERROR_OTHER, |bus| bus.claim((*handle).id)),
        _ => ERROR_NOT_FOUND,
    }
}

#[no_mangle]
pub unsafe extern "C" fn libusb_release_interface(handle: *const Handle, number: c_int) -> c_int {
    match number {
        0 => with(ERROR_OTHER, |bus| bus.release_interface((*handle).id)),
        _ => ERROR_NOT_FOUND,
    }
}

#[no_mangle]
pub extern "C" fn libusb_set_interface_alt_setting(_handle: *const Handle, number: c_int, setting: c_int) -> c_int {
    if (number, setting) == (0, 0) {
        SUCCESS
    } else {
        ERROR_NOT_FOUND
    }
}

#[no_mangle]
pub unsafe extern "C" fn libusb_clear_halt(handle: *const Handle, _endpoint: c_uchar) -> c_int {
    with(ERROR_OTHER, |bus| bus.clear_halt((*handle).id))
}

#[no_mangle]
pub extern "C" fn libusb_reset_device(_handle: *const Handle) -> c_int {
    SUCCESS
}

#[no_mangle]
pub extern "C" fn libusb_kernel_driver_active(_handle: *const Handle, _number: c_int) -> c_int {
    0
}

#[no_mangle]
pub extern "C" fn libusb_detach_kernel_driver(_handle: *const Handle, _number: c_int) -> c_int {
    ERROR_NOT_FOUND
}

#[no_mangle]
pub extern "C" fn libusb_attach_kernel_driver(_handle: *const Handle, _number: c_int) -> c_int {
    ERROR_NOT_FOUND
}

#[no_mangle]
pub extern "C" fn libusb_set_auto_detach_kernel_driver(_handle: *const Handle, _enable: c_int) -> c_int {
    SUCCESS
}

#[no_mangle]
pub unsafe extern "C" fn libusb_get_string_descriptor_ascii(
    handle: *const Handle,
    number: u8,
    to: *mut c_uchar,
    size: c_int,
) -> c_int {
    let text = match with(Err(ERROR_OTHER), |bus| bus.string((*handle).id, number)) {
        Ok(text) if size > 0 => text,
        Ok(_) => return ERROR_INVALID_PARAM,
        Err(code) => return code,
    };
    let count = text.len().min(size as usize - 1);
    std::ptr::copy_nonoverlapping(text.as_ptr(), to, count);
    *to.add(count) = 0;
    count as c_int
}

fn result_of(result: Result<usize, Code>) -> c_int {
    match result {
        Ok(length) => length as c_int,
        Err(code) => code,
    }
}

#[no_mangle]
#[allow(clippy::too_many_arguments)]
pub unsafe extern "C" fn libusb_control_transfer(
    handle: *const Handle,
    request_type: u8,
    request: u8,
    value: u16,
    _index: u16,
    data: *mut c_uchar,
    length: u16,
    _timeout_ms: c_uint,
) -> c_int {
    let request = Request {
        is_in: request_type & ENDPOINT_IN != 0,
        request,
        value,
    };
    let mut data = Buffer::new(data, length.into());
    result_of(with(Err(ERROR_OTHER), |bus| {
        bus.control((*handle).id, request, data.bytes())
    }))
}

#[no_mangle]
pub unsafe extern "C" fn libusb_bulk_transfer(
    handle: *const Handle,
    endpoint: c_uchar,
    data: *mut c_uchar,
    length: c_int,
    transferred: *mut c_int,
    _timeout_ms: c_uint,
) -> c_int {
    let mut data = Buffer::new(data, length.max(0) as usize);
    let result = with(Err(ERROR_OTHER), |bus| bus.bulk((*handle).id, endpoint, data.bytes()));
    if !transferred.is_null() {
        *transferred = result.map_or(0, |length| length as c_int);
    }
    result.err().unwrap_or(SUCCESS)
}

#[no_mangle]
pub unsafe extern "C" fn libusb_interrupt_transfer(
    handle: *const Handle,
    endpoint: c_uchar,
    data: *mut c_uchar,
    length: c_int,
    transferred: *mut c_int,
    timeout_ms: c_uint,
) -> c_int {
    libusb_bulk_transfer(handle, endpoint, data, length, transferred, timeout_ms)
}

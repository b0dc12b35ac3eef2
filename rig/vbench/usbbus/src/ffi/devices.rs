//! Devices and their descriptors.

use super::{with, Context};
use crate::abi::*;
use crate::sys;
use std::mem::size_of;
use std::os::raw::c_int;
use std::ptr::null;
use std::sync::atomic::{AtomicUsize, Ordering};

/// `libusb_device`: a device as it was at an address.
pub struct Device {
    pub index: usize,
    pub address: u8,
    references: AtomicUsize,
}

#[no_mangle]
pub unsafe extern "C" fn libusb_get_device_list(_context: *const Context, list: *mut *mut *mut Device) -> isize {
    let present = with(None, |bus| Some(bus.present()));
    let present = match present {
        Some(present) => present,
        None => return ERROR_OTHER as isize,
    };
    let devices: *mut *mut Device = sys::allocate((present.len() + 1) * size_of::<*mut Device>()).cast();
    for (at, &(index, address)) in present.iter().enumerate() {
        *devices.add(at) = Box::into_raw(Box::new(Device {
            index,
            address,
            references: AtomicUsize::new(1),
        }));
    }
    *list = devices;
    present.len() as isize
}

#[no_mangle]
pub unsafe extern "C" fn libusb_free_device_list(list: *mut *mut Device, unref: c_int) {
    if list.is_null() {
        return;
    }
    let mut at = 0;
    while unref != 0 && !(*list.add(at)).is_null() {
        libusb_unref_device(*list.add(at));
        at += 1;
    }
    sys::release(list.cast());
}

#[no_mangle]
pub unsafe extern "C" fn libusb_ref_device(device: *mut Device) -> *mut Device {
    (*device).references.fetch_add(1, Ordering::Relaxed);
    device
}

#[no_mangle]
pub unsafe extern "C" fn libusb_unref_device(device: *mut Device) {
    if !device.is_null() && (*device).references.fetch_sub(1, Ordering::AcqRel) == 1 {
        drop(Box::from_raw(device));
    }
}

#[no_mangle]
pub unsafe extern "C" fn libusb_get_bus_number(device: *const Device) -> u8 {
    with(0, |bus| bus.device((*device).index).bus)
}

#[no_mangle]
pub unsafe extern "C" fn libusb_get_device_address(device: *const Device) -> u8 {
    (*device).address
}

#[no_mangle]
pub unsafe extern "C" fn libusb_get_port_numbers(device: *const Device, numbers: *mut u8, size: c_int) -> c_int {
    with(ERROR_OTHER, |bus| {
        let ports = &bus.device((*device).index).ports;
        if size <= 0 {
            return ERROR_INVALID_PARAM;
        }
        if ports.len() > size as usize {
            return ERROR_OVERFLOW;
        }
        std::ptr::copy_nonoverlapping(ports.as_ptr(), numbers, ports.len());
        ports.len() as c_int
    })
}

#[no_mangle]
pub unsafe extern "C" fn libusb_get_device_descriptor(device: *const Device, to: *mut DeviceDescriptor) -> c_int {
    with(ERROR_OTHER, |bus| {
        let config = bus.device((*device).index);
        // Without firmware the FX2 has no strings.
        let loaded = u8::from(bus.has_firmware((*device).index));
        *to = DeviceDescriptor {
            length: 18,
            descriptor_type: DT_DEVICE,
            usb: 0x0200,
            class: CLASS_VENDOR,
            subclass: CLASS_VENDOR,
            protocol: CLASS_VENDOR,
            max_packet_size: 64,
            vendor: config.vid,
            product: config.pid,
            device: loaded.into(),
            manufacturer_string: loaded,
            product_string: 2 * loaded,
            serial_string: 0,
            configurations: 1,
        };
        SUCCESS
    })
}

/// A configuration and what it points to, in one block.
#[repr(C)]
struct ConfigBlock {
    config: ConfigDescriptor,
    interface: Interface,
    setting: InterfaceDescriptor,
    endpoint: EndpointDescriptor,
}

#[no_mangle]
pub unsafe extern "C" fn libusb_get_config_descriptor(
    device: *const Device,
    index: u8,
    to: *mut *mut ConfigDescriptor,
) -> c_int {
    if index != 0 {
        return ERROR_NOT_FOUND;
    }
    let address = with(0x82, |bus| bus.stream_endpoint((*device).index));
    let endpoint = EndpointDescriptor {
        length: 7,
        descriptor_type: DT_ENDPOINT,
        address,
        attributes: TRANSFER_TYPE_BULK,
        max_packet_size: 512,
        interval: 0,
        refresh: 0,
        synch_address: 0,
        extra: null(),
        extra_length: 0,
    };
    let setting = InterfaceDescriptor {
        length: 9,
        descriptor_type: DT_INTERFACE,
        number: 0,
        alternate_setting: 0,
        endpoints: 1,
        class: CLASS_VENDOR,
        subclass: CLASS_VENDOR,
        protocol: CLASS_VENDOR,
        string: 0,
        endpoint: null(),
        extra: null(),
        extra_length: 0,
    };
    let config = ConfigDescriptor {
        length: 9,
        descriptor_type: DT_CONFIG,
        total_length: 25,
        interfaces: 1,
        value: 1,
        string: 0,
        attributes: 0x80,
        max_power: 50,
        interface: null(),
        extra: null(),
        extra_length: 0,
    };
    let interface = Interface {
        altsetting: null(),
        altsettings: 1,
    };
    let block = Box::into_raw(Box::new(ConfigBlock {
        config,
        interface,
        setting,
        endpoint,
    }));
    (*block).setting.endpoint = &(*block).endpoint;
    (*block).interface.altsetting = &(*block).setting;
    (*block).config.interface = &(*block).interface;
    *to = block.cast();
    SUCCESS
}

#[no_mangle]
pub unsafe extern "C" fn libusb_get_active_config_descriptor(
    device: *const Device,
    to: *mut *mut ConfigDescriptor,
) -> c_int {
    libusb_get_config_descriptor(device, 0, to)
}

#[no_mangle]
pub unsafe extern "C" fn libusb_free_config_descriptor(config: *mut ConfigDescriptor) {
    if !config.is_null() {
        drop(Box::from_raw(config.cast::<ConfigBlock>()));
    }
}

//! libusb-1.0's structures and codes, as libusb.h of 1.0.26 has them (Debian 12, libusb-1.0-0-dev).

use std::os::raw::{c_char, c_int, c_long, c_short, c_uchar, c_uint, c_void};

/// An error code of `enum libusb_error`.
pub type Code = c_int;

pub const SUCCESS: Code = 0;
pub const ERROR_IO: Code = -1;
pub const ERROR_INVALID_PARAM: Code = -2;
pub const ERROR_ACCESS: Code = -3;
pub const ERROR_NO_DEVICE: Code = -4;
pub const ERROR_NOT_FOUND: Code = -5;
pub const ERROR_BUSY: Code = -6;
pub const ERROR_TIMEOUT: Code = -7;
pub const ERROR_OVERFLOW: Code = -8;
pub const ERROR_PIPE: Code = -9;
pub const ERROR_INTERRUPTED: Code = -10;
pub const ERROR_NO_MEM: Code = -11;
pub const ERROR_NOT_SUPPORTED: Code = -12;
pub const ERROR_OTHER: Code = -99;

/// Codes, the names that `libusb_error_name` gives (all end in a NUL), the texts of `libusb_strerror`.
pub const ERRORS: [(Code, &str, &str); 14] = [
    (SUCCESS, "LIBUSB_SUCCESS / LIBUSB_TRANSFER_COMPLETED\0", "Success\0"),
    (ERROR_IO, "LIBUSB_ERROR_IO\0", "Input/Output Error\0"),
    (
        ERROR_INVALID_PARAM,
        "LIBUSB_ERROR_INVALID_PARAM\0",
        "Invalid parameter\0",
    ),
    (
        ERROR_ACCESS,
        "LIBUSB_ERROR_ACCESS\0",
        "Access denied (insufficient permissions)\0",
    ),
    (
        ERROR_NO_DEVICE,
        "LIBUSB_ERROR_NO_DEVICE\0",
        "No such device (it may have been disconnected)\0",
    ),
    (ERROR_NOT_FOUND, "LIBUSB_ERROR_NOT_FOUND\0", "Entity not found\0"),
    (ERROR_BUSY, "LIBUSB_ERROR_BUSY\0", "Resource busy\0"),
    (ERROR_TIMEOUT, "LIBUSB_ERROR_TIMEOUT\0", "Operation timed out\0"),
    (ERROR_OVERFLOW, "LIBUSB_ERROR_OVERFLOW\0", "Overflow\0"),
    (ERROR_PIPE, "LIBUSB_ERROR_PIPE\0", "Pipe error\0"),
    (
        ERROR_INTERRUPTED,
        "LIBUSB_ERROR_INTERRUPTED\0",
        "System call interrupted (perhaps due to signal)\0",
    ),
    (ERROR_NO_MEM, "LIBUSB_ERROR_NO_MEM\0", "Insufficient memory\0"),
    (
        ERROR_NOT_SUPPORTED,
        "LIBUSB_ERROR_NOT_SUPPORTED\0",
        "Operation not supported or unimplemented on this platform\0",
    ),
    (ERROR_OTHER, "LIBUSB_ERROR_OTHER\0", "Other error\0"),
];

/// `enum libusb_transfer_status`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Status {
    Completed,
    Error,
    TimedOut,
    Cancelled,
    Stall,
    NoDevice,
    Overflow,
}

/// Names of the positive codes, which `libusb_error_name` takes too.
pub const STATUSES: [&str; 6] = [
    "LIBUSB_TRANSFER_ERROR\0",
    "LIBUSB_TRANSFER_TIMED_OUT\0",
    "LIBUSB_TRANSFER_CANCELLED\0",
    "LIBUSB_TRANSFER_STALL\0",
    "LIBUSB_TRANSFER_NO_DEVICE\0",
    "LIBUSB_TRANSFER_OVERFLOW\0",
];

pub const ENDPOINT_IN: u8 = 0x80;
pub const TRANSFER_TYPE_BULK: u8 = 2;
pub const TRANSFER_FREE_BUFFER: u8 = 1 << 1;
pub const TRANSFER_FREE_TRANSFER: u8 = 1 << 2;
pub const SPEED_HIGH: c_int = 3;
pub const CAP_HAS_CAPABILITY: u32 = 0;
pub const CAP_SUPPORTS_DETACH_KERNEL_DRIVER: u32 = 0x101;
pub const DT_DEVICE: u8 = 1;
pub const DT_CONFIG: u8 = 2;
pub const DT_INTERFACE: u8 = 4;
pub const DT_ENDPOINT: u8 = 5;
pub const CLASS_VENDOR: u8 = 0xff;

/// `struct libusb_transfer`, without the descriptors of isochronous packets that follow it.
#[repr(C)]
pub struct Transfer {
    pub dev_handle: *mut c_void,
    pub flags: u8,
    pub endpoint: c_uchar,
    pub kind: c_uchar,
    pub timeout_ms: c_uint,
    pub status: Status,
    pub length: c_int,
    pub actual_length: c_int,
    pub callback: Option<extern "C" fn(*mut Transfer)>,
    pub user_data: *mut c_void,
    pub buffer: *mut c_uchar,
    pub num_iso_packets: c_int,
}

/// Bytes of a `struct libusb_iso_packet_descriptor`.
pub const ISO_PACKET_BYTES: usize = 12;

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceDescriptor {
    pub length: u8,
    pub descriptor_type: u8,
    pub usb: u16,
    pub class: u8,
    pub subclass: u8,
    pub protocol: u8,
    pub max_packet_size: u8,
    pub vendor: u16,
    pub product: u16,
    pub device: u16,
    pub manufacturer_string: u8,
    pub product_string: u8,
    pub serial_string: u8,
    pub configurations: u8,
}

#[repr(C)]
pub struct EndpointDescriptor {
    pub length: u8,
    pub descriptor_type: u8,
    pub address: u8,
    pub attributes: u8,
    pub max_packet_size: u16,
    pub interval: u8,
    pub refresh: u8,
    pub synch_address: u8,
    pub extra: *const c_uchar,
    pub extra_length: c_int,
}

#[repr(C)]
pub struct InterfaceDescriptor {
    pub length: u8,
    pub descriptor_type: u8,
    pub number: u8,
    pub alternate_setting: u8,
    pub endpoints: u8,
    pub class: u8,
    pub subclass: u8,
    pub protocol: u8,
    pub string: u8,
    pub endpoint: *const EndpointDescriptor,
    pub extra: *const c_uchar,
    pub extra_length: c_int,
}

#[repr(C)]
pub struct Interface {
    pub altsetting: *const InterfaceDescriptor,
    pub altsettings: c_int,
}

#[repr(C)]
pub struct ConfigDescriptor {
    pub length: u8,
    pub descriptor_type: u8,
    pub total_length: u16,
    pub interfaces: u8,
    pub value: u8,
    pub string: u8,
    pub attributes: u8,
    pub max_power: u8,
    pub interface: *const Interface,
    pub extra: *const c_uchar,
    pub extra_length: c_int,
}

#[repr(C)]
pub struct Version {
    pub major: u16,
    pub minor: u16,
    pub micro: u16,
    pub nano: u16,
    pub rc: *const c_char,
    pub describe: *const c_char,
}

#[repr(C)]
pub struct PollFd {
    pub fd: c_int,
    pub events: c_short,
}

#[repr(C)]
pub struct Timeval {
    pub s: c_long,
    pub us: c_long,
}

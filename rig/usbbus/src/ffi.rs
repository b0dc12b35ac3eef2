//! libusb-1.0's functions. Semantics: libusb's io.c, core.c, os/linux_usbfs.c.
//!
//! Every pointer that comes in is one that came out of here or that libusb.h asks for: that is the contract of libusb's
//! callers, and the safety of all that follows.

#![allow(clippy::missing_safety_doc)]

use crate::abi::*;
use crate::bus::Bus;
use crate::device::Request;
use crate::sys;
use crate::transfer::{Buffer, Pending};
use std::cell::Cell;
use std::env;
use std::mem::size_of;
use std::os::raw::{c_char, c_int, c_short, c_uchar, c_uint, c_void};
use std::path::PathBuf;
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

const VARIABLE: &str = "GPIORIG_USB";
const LOG_VARIABLE: &str = "GPIORIG_USB_LOG";
/// What `libusb_handle_events` waits (io.c).
const EVENTS_NS: i64 = 60_000_000_000;

/// All of a process; the contexts share it.
static BUS: Mutex<Option<Bus>> = Mutex::new(None);
/// Held by the thread that calls the callbacks.
static EVENTS: Mutex<()> = Mutex::new(());

thread_local! {
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// `libusb_device`: a device as it was at an address.
pub struct Device {
    index: usize,
    address: u8,
    references: AtomicUsize,
}

/// `libusb_device_handle`.
pub struct Handle {
    id: usize,
    device: *mut Device,
}

/// `libusb_context`.
pub struct Context {
    _private: u8,
}
static CONTEXT: Context = Context { _private: 0 };

fn locked<T>(mutex: &'static Mutex<T>) -> MutexGuard<'static, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Does `work` with the bus; `otherwise` where there is none.
fn with<T>(otherwise: T, work: impl FnOnce(&mut Bus) -> T) -> T {
    match locked(&BUS).as_mut() {
        Some(bus) => work(bus),
        None => otherwise,
    }
}

fn open_bus() -> Result<(), String> {
    let mut bus = locked(&BUS);
    if bus.is_none() {
        let folder = env::var_os(VARIABLE).ok_or_else(|| format!("{} names no folder", VARIABLE))?;
        let level = env::var(LOG_VARIABLE)
            .ok()
            .and_then(|level| level.parse().ok())
            .unwrap_or(0);
        *bus = Some(Bus::open(&PathBuf::from(folder), level)?);
    }
    Ok(())
}

// ---- the library ----

#[no_mangle]
pub unsafe extern "C" fn libusb_init(context: *mut *const Context) -> c_int {
    if let Err(error) = open_bus() {
        eprintln!("usbbus: {}", error);
        return ERROR_OTHER;
    }
    if !context.is_null() {
        *context = &CONTEXT;
    }
    SUCCESS
}

#[no_mangle]
pub extern "C" fn libusb_exit(_context: *const Context) {}

#[no_mangle]
pub extern "C" fn libusb_set_debug(_context: *const Context, _level: c_int) {}

/// Variadic in C; the option's value, if there is one, is not read.
#[no_mangle]
pub extern "C" fn libusb_set_option(_context: *const Context, _option: c_int) -> c_int {
    SUCCESS
}

#[no_mangle]
pub extern "C" fn libusb_set_log_cb(_context: *const Context, _callback: *const c_void, _mode: c_int) {}

#[no_mangle]
pub extern "C" fn libusb_setlocale(_locale: *const c_char) -> c_int {
    SUCCESS
}

#[no_mangle]
pub extern "C" fn libusb_has_capability(capability: u32) -> c_int {
    c_int::from(matches!(
        capability,
        CAP_HAS_CAPABILITY | CAP_SUPPORTS_DETACH_KERNEL_DRIVER
    ))
}

struct SyncVersion(Version);
unsafe impl Sync for SyncVersion {}
static VERSION: SyncVersion = SyncVersion(Version {
    major: 1,
    minor: 0,
    micro: 26,
    nano: 11724,
    rc: "\0".as_ptr().cast(),
    describe: "gpiorig's usbbus\0".as_ptr().cast(),
});

#[no_mangle]
pub extern "C" fn libusb_get_version() -> *const Version {
    &VERSION.0
}

#[no_mangle]
pub extern "C" fn libusb_error_name(code: c_int) -> *const c_char {
    let name = match ERRORS.iter().find(|error| error.0 == code) {
        Some(error) => error.1,
        None => STATUSES
            .get((code as usize).wrapping_sub(1))
            .copied()
            .unwrap_or("**UNKNOWN**\0"),
    };
    name.as_ptr().cast()
}

#[no_mangle]
pub extern "C" fn libusb_strerror(code: c_int) -> *const c_char {
    let text = ERRORS
        .iter()
        .find(|error| error.0 == code)
        .map_or("Other error\0", |error| error.2);
    text.as_ptr().cast()
}

// ---- devices ----

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
pub unsafe extern "C" fn libusb_get_port_number(device: *const Device) -> u8 {
    with(0, |bus| bus.device((*device).index).ports.last().copied().unwrap_or(0))
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
pub unsafe extern "C" fn libusb_get_port_path(
    _context: *const Context,
    device: *const Device,
    numbers: *mut u8,
    size: u8,
) -> c_int {
    libusb_get_port_numbers(device, numbers, c_int::from(size))
}

/// The hubs between are not modelled.
#[no_mangle]
pub extern "C" fn libusb_get_parent(_device: *const Device) -> *mut Device {
    null_mut()
}

#[no_mangle]
pub extern "C" fn libusb_get_device_speed(_device: *const Device) -> c_int {
    SPEED_HIGH
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

/// A configuration and what it points to, in one piece.
#[repr(C)]
struct WholeConfig {
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
    let whole = Box::into_raw(Box::new(WholeConfig {
        config,
        interface,
        setting,
        endpoint,
    }));
    (*whole).setting.endpoint = &(*whole).endpoint;
    (*whole).interface.altsetting = &(*whole).setting;
    (*whole).config.interface = &(*whole).interface;
    *to = whole.cast();
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
pub unsafe extern "C" fn libusb_get_config_descriptor_by_value(
    device: *const Device,
    value: u8,
    to: *mut *mut ConfigDescriptor,
) -> c_int {
    libusb_get_config_descriptor(device, value.wrapping_sub(1), to)
}

#[no_mangle]
pub unsafe extern "C" fn libusb_free_config_descriptor(config: *mut ConfigDescriptor) {
    if !config.is_null() {
        drop(Box::from_raw(config.cast::<WholeConfig>()));
    }
}

#[no_mangle]
pub unsafe extern "C" fn libusb_get_max_packet_size(device: *const Device, endpoint: c_uchar) -> c_int {
    with(ERROR_OTHER, |bus| {
        match bus.stream_endpoint((*device).index) == endpoint {
            true => 512,
            false => ERROR_NOT_FOUND,
        }
    })
}

#[no_mangle]
pub extern "C" fn libusb_get_max_iso_packet_size(_device: *const Device, _endpoint: c_uchar) -> c_int {
    ERROR_NOT_FOUND
}

// ---- handles ----

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
pub extern "C" fn libusb_wrap_sys_device(_context: *const Context, _fd: isize, _handle: *mut *mut Handle) -> c_int {
    ERROR_NOT_SUPPORTED
}

#[no_mangle]
pub unsafe extern "C" fn libusb_open_device_with_vid_pid(context: *const Context, vid: u16, pid: u16) -> *mut Handle {
    let (mut list, mut handle) = (null_mut(), null_mut());
    let count = libusb_get_device_list(context, &mut list).max(0) as usize;
    for device in (0..count).map(|at| *list.add(at)) {
        let same = with(false, |bus| {
            (bus.device((*device).index).vid, bus.device((*device).index).pid) == (vid, pid)
        });
        if same {
            libusb_open(device, &mut handle);
            break;
        }
    }
    if count > 0 {
        libusb_free_device_list(list, 1);
    }
    handle
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

// ---- synchronous transfers ----

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

// ---- asynchronous transfers ----

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

#[no_mangle]
pub extern "C" fn libusb_transfer_set_stream_id(_transfer: *mut Transfer, _stream: u32) {}

#[no_mangle]
pub extern "C" fn libusb_transfer_get_stream_id(_transfer: *mut Transfer) -> u32 {
    0
}

#[no_mangle]
pub extern "C" fn libusb_alloc_streams(_h: *mut Handle, _count: u32, _endpoints: *mut c_uchar, _n: c_int) -> c_int {
    ERROR_NOT_SUPPORTED
}

#[no_mangle]
pub extern "C" fn libusb_free_streams(_h: *mut Handle, _endpoints: *mut c_uchar, _n: c_int) -> c_int {
    ERROR_NOT_SUPPORTED
}

#[no_mangle]
pub extern "C" fn libusb_dev_mem_alloc(_handle: *mut Handle, _length: usize) -> *mut c_uchar {
    null_mut()
}

#[no_mangle]
pub extern "C" fn libusb_dev_mem_free(_handle: *mut Handle, _at: *mut c_uchar, _length: usize) -> c_int {
    ERROR_NOT_SUPPORTED
}

// ---- events ----

/// Calls the callbacks of what has ended by now. Returns how many.
unsafe fn dispatch() -> usize {
    let _events = locked(&EVENTS);
    let ready = with(0, Bus::ready);
    IN_CALLBACK.with(|inside| inside.set(true));
    for _ in 0..ready {
        let completion = match with(None, Bus::take_done) {
            Some(completion) => completion,
            None => break,
        };
        let transfer = completion.id as *mut Transfer;
        (*transfer).status = completion.status;
        (*transfer).actual_length = completion.length as c_int;
        let frees = (*transfer).flags & TRANSFER_FREE_TRANSFER != 0;
        if let Some(callback) = (*transfer).callback {
            callback(transfer);
        }
        if frees {
            libusb_free_transfer(transfer);
        }
    }
    IN_CALLBACK.with(|inside| inside.set(false));
    with((), Bus::rearm);
    ready
}

/// Handles what there is; waits up to `for_ns` for it where there is nothing, or until `completed` is not 0.
unsafe fn handle_events(for_ns: i64, completed: *const c_int) -> c_int {
    if IN_CALLBACK.with(Cell::get) {
        return ERROR_BUSY; // as usbi_handling_events (io.c)
    }
    let fd = with(-1, |bus| bus.timer.fd());
    let until_ns = sys::now_ns() + for_ns;
    loop {
        if !completed.is_null() && completed.read_volatile() != 0 {
            return SUCCESS;
        }
        if dispatch() > 0 || sys::now_ns() >= until_ns {
            return SUCCESS;
        }
        sys::wait(fd, until_ns - sys::now_ns());
    }
}

unsafe fn nanoseconds(time: *const Timeval) -> i64 {
    if time.is_null() {
        return EVENTS_NS;
    }
    (*time).s * 1_000_000_000 + (*time).us * 1_000
}

#[no_mangle]
pub unsafe extern "C" fn libusb_handle_events_timeout_completed(
    _context: *const Context,
    time: *const Timeval,
    completed: *mut c_int,
) -> c_int {
    handle_events(nanoseconds(time), completed)
}

#[no_mangle]
pub unsafe extern "C" fn libusb_handle_events_timeout(_context: *const Context, time: *const Timeval) -> c_int {
    handle_events(nanoseconds(time), null())
}

#[no_mangle]
pub unsafe extern "C" fn libusb_handle_events_locked(_context: *const Context, time: *const Timeval) -> c_int {
    handle_events(nanoseconds(time), null())
}

#[no_mangle]
pub unsafe extern "C" fn libusb_handle_events(_context: *const Context) -> c_int {
    handle_events(EVENTS_NS, null())
}

#[no_mangle]
pub unsafe extern "C" fn libusb_handle_events_completed(_context: *const Context, completed: *mut c_int) -> c_int {
    handle_events(EVENTS_NS, completed)
}

/// The timer's descriptor is all that there is to wait for.
#[no_mangle]
pub unsafe extern "C" fn libusb_get_pollfds(_context: *const Context) -> *const *const PollFd {
    let fd = with(-1, |bus| bus.timer.fd());
    let list: *mut *mut PollFd = sys::allocate(2 * size_of::<*mut PollFd>()).cast();
    let entry: *mut PollFd = sys::allocate(size_of::<PollFd>()).cast();
    *entry = PollFd {
        fd,
        events: sys::POLLIN,
    };
    *list = entry;
    list as *const *const PollFd
}

#[no_mangle]
pub unsafe extern "C" fn libusb_free_pollfds(list: *const *const PollFd) {
    if !list.is_null() {
        sys::release(*list as *mut c_void);
        sys::release(list as *mut c_void);
    }
}

type Added = Option<extern "C" fn(c_int, c_short, *mut c_void)>;
type Removed = Option<extern "C" fn(c_int, *mut c_void)>;

/// The descriptor stays the same as long as the process.
#[no_mangle]
pub extern "C" fn libusb_set_pollfd_notifiers(_c: *const Context, _a: Added, _r: Removed, _user_data: *mut c_void) {}

/// 0: the timer's descriptor tells all, as libusb's does on Linux.
#[no_mangle]
pub extern "C" fn libusb_get_next_timeout(_context: *const Context, _time: *mut Timeval) -> c_int {
    0
}

#[no_mangle]
pub extern "C" fn libusb_pollfds_handle_timeouts(_context: *const Context) -> c_int {
    1
}

#[no_mangle]
pub extern "C" fn libusb_try_lock_events(_context: *const Context) -> c_int {
    0
}

#[no_mangle]
pub extern "C" fn libusb_lock_events(_context: *const Context) {}

#[no_mangle]
pub extern "C" fn libusb_unlock_events(_context: *const Context) {}

#[no_mangle]
pub extern "C" fn libusb_event_handling_ok(_context: *const Context) -> c_int {
    1
}

#[no_mangle]
pub extern "C" fn libusb_event_handler_active(_context: *const Context) -> c_int {
    1
}

#[no_mangle]
pub extern "C" fn libusb_interrupt_event_handler(_context: *const Context) {}

#[no_mangle]
pub extern "C" fn libusb_lock_event_waiters(_context: *const Context) {}

#[no_mangle]
pub extern "C" fn libusb_unlock_event_waiters(_context: *const Context) {}

#[no_mangle]
pub unsafe extern "C" fn libusb_wait_for_event(_context: *const Context, time: *const Timeval) -> c_int {
    sys::wait(with(-1, |bus| bus.timer.fd()), nanoseconds(time));
    0
}

// ---- what is not there: hotplug, descriptors of USB 3 ----

#[no_mangle]
#[allow(clippy::too_many_arguments)]
pub extern "C" fn libusb_hotplug_register_callback(
    _context: *const Context,
    _events: c_int,
    _flags: c_int,
    _vendor: c_int,
    _product: c_int,
    _class: c_int,
    _callback: *const c_void,
    _user_data: *mut c_void,
    _handle: *mut c_int,
) -> c_int {
    ERROR_NOT_SUPPORTED
}

#[no_mangle]
pub extern "C" fn libusb_hotplug_deregister_callback(_context: *const Context, _handle: c_int) {}

#[no_mangle]
pub extern "C" fn libusb_hotplug_get_user_data(_context: *const Context, _handle: c_int) -> *mut c_void {
    null_mut()
}

macro_rules! not_supported {
    ($($name:ident($($argument:ident),*);)*) => {$(
        #[no_mangle]
        pub extern "C" fn $name($($argument: *mut c_void),*) -> c_int {
            $(let _ = $argument;)*
            ERROR_NOT_SUPPORTED
        }
    )*};
}

not_supported! {
    libusb_get_bos_descriptor(handle, to);
    libusb_get_container_id_descriptor(context, capability, to);
    libusb_get_ss_endpoint_companion_descriptor(context, endpoint, to);
    libusb_get_ss_usb_device_capability_descriptor(context, capability, to);
    libusb_get_usb_2_0_extension_descriptor(context, capability, to);
    libusb_free_bos_descriptor(descriptor);
    libusb_free_container_id_descriptor(descriptor);
    libusb_free_ss_endpoint_companion_descriptor(descriptor);
    libusb_free_ss_usb_device_capability_descriptor(descriptor);
    libusb_free_usb_2_0_extension_descriptor(descriptor);
}

//! The C interface to look at a bus and to plug devices in and out.

use crate::config::Config;
use crate::state::State;
use crate::sys;
use std::ffi::{CStr, OsStr};
use std::os::raw::{c_char, c_int};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Opens the bus of a folder, does `work` with its state, and returns what that returns; -1 with a message on stderr.
unsafe fn with(folder: *const c_char, work: impl FnOnce(&Config, &State) -> c_int) -> c_int {
    if folder.is_null() {
        return -1;
    }
    let folder = Path::new(OsStr::from_bytes(CStr::from_ptr(folder).to_bytes()));
    let opened = Config::read(folder).and_then(|config| State::open(folder, &config).map(|state| (config, state)));
    match opened {
        Ok((config, state)) => work(&config, &state),
        Err(error) => {
            eprintln!("usbbus: {}", error);
            -1
        }
    }
}

/// A line for each device of the configuration, with its state at `now_ns`.
pub fn describe(config: &Config, state: &State, now_ns: i64) -> String {
    let mut shared = state.lock();
    let mut lines = String::new();
    for (index, device) in config.devices.iter().enumerate() {
        let present = shared.address(index, now_ns).is_some();
        let seen = shared.devices[index];
        lines += &format!(
            "bus={} port={} address={} vid={:04x} pid={:04x} firmware={} present={}\n",
            device.bus,
            device.port_path(),
            seen.address,
            device.vid,
            device.pid,
            if seen.firmware != 0 { "loaded" } else { "none" },
            u8::from(present)
        );
    }
    lines
}

/// Writes a line for each device into `buffer`, with a NUL at the end, and returns the length without it; -1 where the
/// bus cannot be read or `size` is too small.
///
/// # Safety
/// `folder` is a string that ends in NUL; `buffer` has `size` bytes.
#[no_mangle]
pub unsafe extern "C" fn usbbus_devices(folder: *const c_char, buffer: *mut c_char, size: c_int) -> c_int {
    with(folder, |config, state| {
        let lines = describe(config, state, sys::now_ns());
        if buffer.is_null() || lines.len() + 1 > size.max(0) as usize {
            return -1;
        }
        std::ptr::copy_nonoverlapping(lines.as_ptr(), buffer.cast(), lines.len());
        *buffer.add(lines.len()) = 0;
        lines.len() as c_int
    })
}

/// A fresh bus: addresses, firmware, starts and the epoch begin again. Returns 0, or -1.
///
/// # Safety
/// `folder` is a string that ends in NUL.
#[no_mangle]
pub unsafe extern "C" fn usbbus_reset(folder: *const c_char) -> c_int {
    with(folder, |config, state| {
        state.lock().reset(config, sys::now_ns());
        0
    })
}

/// Pulls the cable of device `device`, which stays away. Returns 0, or -1.
///
/// # Safety
/// `folder` is a string that ends in NUL.
#[no_mangle]
pub unsafe extern "C" fn usbbus_unplug(folder: *const c_char, device: c_int) -> c_int {
    with(folder, |config, state| match config.devices.get(device as usize) {
        Some(_) => {
            state.lock().unplug(device as usize, false);
            0
        }
        None => -1,
    })
}

/// Plugs device `device` in again. Returns 0, or -1.
///
/// # Safety
/// `folder` is a string that ends in NUL.
#[no_mangle]
pub unsafe extern "C" fn usbbus_plug(folder: *const c_char, device: c_int) -> c_int {
    with(folder, |config, state| match config.devices.get(device as usize) {
        Some(_) => {
            let mut shared = state.lock();
            shared.devices[device as usize].unplugged = 0;
            shared.devices[device as usize].present_ns = sys::now_ns();
            0
        }
        None => -1,
    })
}

//! libusb-1.0's functions, as far as libsigrok, libftdi1, libjaylink and OpenOCD of Debian 12 import them. Semantics:
//! libusb 1.0.26, core.c, io.c, os/linux_usbfs.c.
//!
//! Every pointer that comes in is one that came out of here or that libusb.h asks for: that is the contract of libusb's
//! callers, and the safety of all that follows.

#![allow(clippy::missing_safety_doc)]

mod devices;
mod events;
mod handles;
mod transfers;

use crate::abi::*;
use crate::bus::Bus;
use std::env;
use std::os::raw::{c_char, c_int};
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard};

const VARIABLE: &str = "GPIORIG_USB";
const SYSFS_VARIABLE: &str = "SYSFS_PATH";
const LOG_VARIABLE: &str = "GPIORIG_USB_LOG";

/// All of a process; the contexts share it.
static BUS: Mutex<Option<Bus>> = Mutex::new(None);

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
        let sysfs = env::var_os(SYSFS_VARIABLE).map(PathBuf::from);
        *bus = Some(Bus::open(&PathBuf::from(folder), sysfs, level)?);
    }
    Ok(())
}

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

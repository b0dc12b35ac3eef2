//! The C interface to look at a bus and to plug devices in and out.

mod support;

use std::ffi::CString;
use std::os::raw::c_char;
use std::path::Path;
use support::Folder;
use usbbus::plug::{usbbus_devices, usbbus_plug, usbbus_reset, usbbus_unplug};

fn c_string(folder: &Path) -> CString {
    CString::new(folder.to_str().unwrap()).unwrap()
}

/// What is written into `size` bytes; None for -1.
fn devices(folder: &Path, size: usize) -> Option<String> {
    let mut buffer = vec![0u8; size];
    let address = buffer.as_mut_ptr().cast::<c_char>();
    let length = unsafe { usbbus_devices(c_string(folder).as_ptr(), address, size as i32) };
    buffer.truncate(usize::try_from(length).ok()?);
    Some(String::from_utf8(buffer).unwrap())
}

#[test]
fn devices_come_and_go_and_begin_again() {
    let folder = Folder::new();
    std::fs::write(folder.0.join("bus"), "device bus=2 port=1.4 firmware=loaded\n").unwrap();
    let path = c_string(&folder.0);
    let line = |address: u8, firmware: &str, present: u8| {
        let (device, ids) = ("bus=2 port=1.4", "vid=0925 pid=3881");
        Some(format!(
            "{} address={} {} firmware={} present={}\n",
            device, address, ids, firmware, present
        ))
    };
    let fresh = line(5, "loaded", 1);
    let length = fresh.as_ref().map_or(0, String::len);
    assert_eq!(devices(&folder.0, length + 1), fresh);
    assert_eq!(devices(&folder.0, length), None);
    assert_eq!(unsafe { usbbus_unplug(path.as_ptr(), 0) }, 0);
    assert_eq!(devices(&folder.0, 1000), line(6, "none", 0));
    assert_eq!(unsafe { usbbus_plug(path.as_ptr(), 0) }, 0);
    assert_eq!(devices(&folder.0, 1000), line(6, "none", 1));
    assert_eq!(
        unsafe { (usbbus_plug(path.as_ptr(), 1), usbbus_unplug(path.as_ptr(), -1)) },
        (-1, -1)
    );
    assert_eq!(unsafe { usbbus_reset(path.as_ptr()) }, 0);
    assert_eq!(devices(&folder.0, 1000), fresh);
    assert_eq!(devices(&folder.0.join("absent"), 1000), None);
}

//! The wait for what ends, and the callbacks.

use super::transfers::libusb_free_transfer;
use super::{with, Context};
use crate::abi::*;
use crate::bus::Bus;
use crate::sys;
use std::cell::Cell;
use std::mem::size_of;
use std::os::raw::{c_int, c_short, c_void};
use std::ptr::null;
use std::sync::{Mutex, TryLockError};
use std::thread;
use std::time::Duration;

/// What `libusb_handle_events` waits (io.c).
const EVENTS_NS: i64 = 60_000_000_000;

/// How long a thread leaves the events to the thread that handles them, before it looks again.
const MOMENT: Duration = Duration::from_millis(1);

/// Held by the thread that calls the callbacks.
static EVENTS: Mutex<()> = Mutex::new(());

thread_local! {
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Calls the callbacks of what has ended by now. Returns how many; 0 where another thread does so.
unsafe fn dispatch() -> usize {
    let _events = match EVENTS.try_lock() {
        Ok(events) => events,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => {
            thread::sleep(MOMENT);
            return 0;
        }
    };
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

//! What std does not have of Linux: the monotonic clock of all processes, a mapped file, a timer, a wait for it.

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::os::raw::{c_int, c_long, c_short, c_ulong};
use std::os::unix::io::{AsRawFd, RawFd};

#[repr(C)]
struct Timespec {
    s: c_long,
    ns: c_long,
}

#[repr(C)]
struct Itimerspec {
    interval: Timespec,
    value: Timespec,
}

#[repr(C)]
struct PollFd {
    fd: c_int,
    events: c_short,
    revents: c_short,
}

// Values of Linux on x86-64 and AArch64 (asm-generic): time.h, sys/mman.h, sys/file.h, sys/timerfd.h, poll.h, signal.h.
const CLOCK_MONOTONIC: c_int = 1;
const PROT_READ_WRITE: c_int = 3;
const MAP_SHARED: c_int = 1;
const LOCK_EX: c_int = 2;
const LOCK_UN: c_int = 8;
const TFD_NONBLOCK_CLOEXEC: c_int = 0o2_004_000;
const TFD_TIMER_ABSTIME: c_int = 1;
pub const POLLIN: c_short = 1;
const SIGKILL: c_int = 9;

extern "C" {
    fn clock_gettime(clock: c_int, time: *mut Timespec) -> c_int;
    fn mmap(at: *mut c_void, length: usize, prot: c_int, flags: c_int, fd: c_int, offset: i64) -> *mut c_void;
    fn munmap(at: *mut c_void, length: usize) -> c_int;
    fn flock(fd: c_int, operation: c_int) -> c_int;
    fn timerfd_create(clock: c_int, flags: c_int) -> c_int;
    fn timerfd_settime(fd: c_int, flags: c_int, new: *const Itimerspec, old: *mut Itimerspec) -> c_int;
    fn poll(fds: *mut PollFd, count: c_ulong, timeout_ms: c_int) -> c_int;
    fn read(fd: c_int, to: *mut c_void, size: usize) -> isize;
    fn kill(pid: c_int, signal: c_int) -> c_int;
    fn calloc(count: usize, size: usize) -> *mut c_void;
    fn free(at: *mut c_void);
}

/// Nanoseconds of CLOCK_MONOTONIC, one axis for all processes.
pub fn now_ns() -> i64 {
    let mut time = Timespec { s: 0, ns: 0 };
    unsafe { clock_gettime(CLOCK_MONOTONIC, &mut time) };
    time.s * 1_000_000_000 + time.ns
}

/// Does a process with this number exist?
pub fn is_alive(pid: u32) -> bool {
    pid != 0 && (unsafe { kill(pid as c_int, 0) } == 0 || io::Error::last_os_error().raw_os_error() == Some(1))
}

/// Ends this process as the kernel does it.
pub fn die() {
    unsafe { kill(std::process::id() as c_int, SIGKILL) };
}

/// Memory that `release` or C's `free` gives back, all zero.
pub fn allocate(size: usize) -> *mut c_void {
    unsafe { calloc(1, size) }
}

/// # Safety
/// `at` is null or of `allocate` or of C's malloc.
pub unsafe fn release(at: *mut c_void) {
    free(at)
}

/// A file in memory, shared by the processes that map it.
pub struct Mapping {
    file: File,
    at: *mut c_void,
    length: usize,
}

unsafe impl Send for Mapping {}

impl Mapping {
    /// Maps the first `length` bytes of `file`, which has them.
    pub fn new(file: File, length: usize) -> io::Result<Mapping> {
        let at = unsafe {
            mmap(
                std::ptr::null_mut(),
                length,
                PROT_READ_WRITE,
                MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if at as isize == -1 {
            return Err(io::Error::last_os_error());
        }
        Ok(Mapping { file, at, length })
    }

    pub fn address(&self) -> *mut c_void {
        self.at
    }

    /// Only one process at a time is between `lock` and `unlock`; the kernel unlocks for one that dies.
    pub fn lock(&self) {
        while unsafe { flock(self.file.as_raw_fd(), LOCK_EX) } != 0
            && io::Error::last_os_error().kind() == io::ErrorKind::Interrupted
        {}
    }

    pub fn unlock(&self) {
        unsafe { flock(self.file.as_raw_fd(), LOCK_UN) };
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        unsafe { munmap(self.at, self.length) };
    }
}

/// A file descriptor that can be read from a set instant on.
pub struct Timer {
    fd: RawFd,
    set_ns: i64,
}

impl Timer {
    pub fn new() -> io::Result<Timer> {
        match unsafe { timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK_CLOEXEC) } {
            fd if fd < 0 => Err(io::Error::last_os_error()),
            fd => Ok(Timer { fd, set_ns: 0 }),
        }
    }

    pub fn fd(&self) -> RawFd {
        self.fd
    }

    /// Readable from `at_ns` on (at once, where that has passed); never, without an instant.
    pub fn set(&mut self, at_ns: Option<i64>) {
        let at_ns = at_ns.map_or(0, |at_ns| at_ns.max(1));
        if at_ns == self.set_ns {
            return;
        }
        self.set_ns = at_ns;
        let value = Timespec {
            s: at_ns / 1_000_000_000,
            ns: at_ns % 1_000_000_000,
        };
        let new = Itimerspec {
            interval: Timespec { s: 0, ns: 0 },
            value,
        };
        unsafe { timerfd_settime(self.fd, TFD_TIMER_ABSTIME, &new, std::ptr::null_mut()) };
    }

    /// Takes back that the instant has come.
    pub fn clear(&mut self) {
        let mut ticks = 0u64;
        if unsafe { read(self.fd, (&mut ticks as *mut u64).cast(), 8) } == 8 {
            self.set_ns = 0;
        }
    }
}

/// Waits until `fd` is readable, at most `for_ns`, rounded up to a millisecond.
pub fn wait(fd: RawFd, for_ns: i64) {
    let mut fds = PollFd {
        fd,
        events: POLLIN,
        revents: 0,
    };
    let timeout_ms = ((for_ns + 999_999) / 1_000_000).clamp(0, 60_000) as c_int;
    unsafe { poll(&mut fds, 1, timeout_ms) };
}

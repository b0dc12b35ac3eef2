//! Transfers between their submission and their completion.

use crate::abi::Status;

/// Memory of a caller that a device writes to.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    at: *mut u8,
    length: usize,
}

unsafe impl Send for Buffer {}

impl Buffer {
    /// # Safety
    /// `length` bytes at `at` are there and unused by others until the transfer is completed.
    pub unsafe fn new(at: *mut u8, length: usize) -> Buffer {
        Buffer { at, length }
    }

    pub fn len(&self) -> usize {
        self.length
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub fn bytes(&mut self) -> &mut [u8] {
        if self.length == 0 {
            return &mut [];
        }
        unsafe { std::slice::from_raw_parts_mut(self.at, self.length) }
    }
}

/// A transfer that waits for data.
#[derive(Debug)]
pub struct Pending {
    /// Which one: the address of its structure.
    pub id: usize,
    pub buffer: Buffer,
    /// Bytes that it has got.
    pub filled: usize,
    pub submitted_ns: i64,
    /// When it ends by its timeout; i64::MAX for never.
    pub deadline_ns: i64,
}

impl Pending {
    /// Bytes that it can still take.
    pub fn room(&self) -> u64 {
        (self.buffer.len() - self.filled) as u64
    }

    /// Takes as much of `bytes` as there is room for.
    pub fn write(&mut self, bytes: &[u8]) {
        let count = bytes.len().min(self.buffer.len() - self.filled);
        self.buffer.bytes()[self.filled..self.filled + count].copy_from_slice(&bytes[..count]);
        self.filled += count;
    }
}

/// A transfer that has ended, and waits for its callback.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Completion {
    pub id: usize,
    pub status: Status,
    pub length: usize,
}

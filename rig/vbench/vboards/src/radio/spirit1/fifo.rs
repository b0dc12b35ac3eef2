//! A linear FIFO of 96 bytes with its two thresholds (data sheet, page 1; library, SPIRIT_LinearFifo).

use std::collections::VecDeque;

/// Bytes in the RX or in the TX FIFO.
pub const DEPTH: usize = 96;

/// One FIFO.
#[derive(Default)]
pub struct Fifo {
    bytes: VecDeque<u8>,
}

/// Where the level stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    pub almost_full: bool,
    pub almost_empty: bool,
}

impl Fifo {
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// False: it was full, the byte is lost.
    pub fn push(&mut self, byte: u8) -> bool {
        let room = self.bytes.len() < DEPTH;
        if room {
            self.bytes.push_back(byte);
        }
        room
    }

    pub fn pop(&mut self) -> Option<u8> {
        self.bytes.pop_front()
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    pub fn iter(&self) -> impl Iterator<Item = u8> + '_ {
        self.bytes.iter().copied()
    }

    /// Almost full: no more than `full` places are free. Almost empty: no more than `empty` bytes are in it. (mbed's driver
    /// sets the first to 96 - n for "n bytes are there"; that the comparison includes equality is unverified.)
    pub fn level(&self, full: u8, empty: u8) -> Level {
        Level {
            almost_full: self.bytes.len() + usize::from(full & 0x7F) >= DEPTH,
            almost_empty: self.bytes.len() <= usize::from(empty & 0x7F),
        }
    }
}

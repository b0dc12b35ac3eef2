//! One frame on a serial line, bit by bit.

use crate::clock::Clock;

/// Start bit, data, stop bits. Its clock ticks once a bit.
#[derive(Clone, Debug)]
pub struct Frame {
    clock: Clock,
    data: u32,
    /// Levels, first bit lowest; bits beyond `length` do not exist.
    bits: u32,
    length: u32,
    /// Next bit boundary to look at, and its instant.
    next: u32,
    next_ps: u64,
}

impl Frame {
    /// A frame of `places` data bits, parity included, whose start bit begins with tick 0 of the clock.
    pub fn new(clock: Clock, data: u32, places: u32, stops: u32) -> Frame {
        let next_ps = clock.ps(0);
        Frame {
            clock,
            data,
            bits: data << 1 | ((1 << stops) - 1) << (1 + places),
            length: 1 + places + stops,
            next: 0,
            next_ps,
        }
    }

    pub fn data(&self) -> u16 {
        self.data as u16
    }

    fn level(&self, bit: u32) -> bool {
        self.bits >> bit & 1 == 1
    }

    /// Level at present: that of the bit before the next boundary.
    pub fn level_now(&self) -> bool {
        self.next == 0 || self.level(self.next - 1)
    }

    /// Instant of the next change of level, or of the end.
    pub fn next_ps(&self) -> u64 {
        self.next_ps
    }

    pub fn length_ps(&self) -> u64 {
        self.clock.ps(u64::from(self.length)) - self.clock.ps(0)
    }

    /// The level from here on; None at the end of the frame.
    pub fn advance(&mut self) -> Option<bool> {
        if self.next >= self.length {
            return None;
        }
        let level = self.level(self.next);
        self.next += 1;
        while self.next < self.length && self.level(self.next) == level {
            self.next += 1;
        }
        self.next_ps = self.clock.ps(u64::from(self.next));
        Some(level)
    }
}

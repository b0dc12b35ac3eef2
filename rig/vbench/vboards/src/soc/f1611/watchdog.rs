//! The watchdog timer (SLAU049F chapter 10).

use super::clocks::{Clocks, Source};

/// WDTCTL: password of a write, and what its place reads as.
const PASSWORD: u16 = 0x5A00;
const READS_AS: u16 = 0x6900;
const HOLD: u16 = 1 << 7;
const INTERVAL: u16 = 1 << 4;
const CLEAR: u16 = 1 << 3;
const ACLK: u16 = 1 << 2;

/// What a write asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    Fine,
    /// Wrong password: PUC.
    Violation,
}

/// The watchdog: after PUC it runs on SMCLK and resets after 32768 ticks.
#[derive(Clone, Debug, Default)]
pub struct Watchdog {
    control: u16,
    count: u64,
    tick: u64,
}

impl Watchdog {
    fn source(&self) -> Source {
        if self.control & ACLK != 0 {
            Source::Aclk
        } else {
            Source::Smclk
        }
    }

    /// WDTISx.
    fn interval(&self) -> u64 {
        [32_768, 8_192, 512, 64][usize::from(self.control & 3)]
    }

    pub fn interval_mode(&self) -> bool {
        self.control & INTERVAL != 0
    }

    pub fn read(&self) -> u16 {
        READS_AS | self.control
    }

    pub fn write(&mut self, value: u16, clocks: &Clocks, ps: u64) -> Written {
        if value & 0xFF00 != PASSWORD {
            return Written::Violation;
        }
        self.sync(clocks, ps);
        if value & CLEAR != 0 {
            self.count = 0;
        }
        self.control = value & 0xFF & !CLEAR;
        self.anchor(clocks, ps);
        Written::Fine
    }

    /// Counts up to `ps`; true if the interval is over.
    pub fn sync(&mut self, clocks: &Clocks, ps: u64) -> bool {
        let now = clocks.ticks(self.source(), ps);
        if self.control & HOLD == 0 {
            self.count += now.saturating_sub(self.tick);
        }
        self.tick = now;
        let over = self.count >= self.interval();
        self.count %= self.interval();
        over
    }

    pub fn anchor(&mut self, clocks: &Clocks, ps: u64) {
        self.tick = clocks.ticks(self.source(), ps);
    }

    pub fn next_event_ps(&self, clocks: &Clocks) -> u64 {
        if self.control & HOLD != 0 {
            return u64::MAX;
        }
        let left = self.interval().saturating_sub(self.count);
        clocks.known(self.source(), clocks.instant(self.source(), self.tick + left))
    }

    pub fn reset(&mut self, clocks: &Clocks, ps: u64) {
        *self = Watchdog::default();
        self.anchor(clocks, ps);
    }
}

//! TIMER0 to TIMER4 (PS "TIMER"): timer and counter mode, 8 to 32 bits, compare and capture.
//!
//! A tick is 2^PRESCALER periods of 16 MHz. Not modelled: the time that a task takes to reach the counter, and that a
//! timer which was shut down takes to start.

use super::interface::{At, Interface, Peripheral, Short};

const START: u32 = 0;
const STOP: u32 = 1;
const COUNT: u32 = 2;
const CLEAR: u32 = 3;
const SHUTDOWN: u32 = 4;
const CAPTURE: u32 = 16;
/// EVENTS_COMPARE[0].
const COMPARE: u32 = 16;
/// Cycles of 64 MHz in a period of 16 MHz.
const PERIOD: u64 = 4;

const fn shorts() -> [Short; 12] {
    let mut all = [(0, 0, 0); 12];
    let mut channel = 0;
    while channel < 6 {
        all[channel as usize] = (channel, COMPARE + channel, CLEAR);
        all[channel as usize + 6] = (channel + 8, COMPARE + channel, STOP);
        channel += 1;
    }
    all
}
const SHORTS: [Short; 12] = shorts();

/// One timer.
#[derive(Clone, Debug)]
pub struct Timer {
    interface: Interface,
    channels: usize,
    mode: u32,
    bitmode: u32,
    prescaler: u32,
    cc: [u32; 6],
    /// The count at `since`, a cycle at which it changed.
    count: u32,
    since: u64,
    running: bool,
}

impl Timer {
    pub fn new(channels: usize) -> Timer {
        let compares = ((1 << channels) - 1) << COMPARE;
        Timer {
            interface: Interface::new(compares, &SHORTS),
            channels,
            mode: 0,
            bitmode: 0,
            prescaler: 4,
            cc: [0; 6],
            count: 0,
            since: 0,
            running: false,
        }
    }

    fn mask(&self) -> u32 {
        match self.bitmode {
            0 => 0xFFFF,
            1 => 0xFF,
            2 => 0x00FF_FFFF,
            _ => u32::MAX,
        }
    }

    fn tick(&self) -> u64 {
        PERIOD << self.prescaler.min(9)
    }

    fn counts_time(&self) -> bool {
        self.running && self.mode == 0
    }

    /// Brings the count to a cycle.
    fn sync(&mut self, cycle: u64) {
        if self.counts_time() && cycle > self.since {
            let ticks = (cycle - self.since) / self.tick();
            self.count = self.count.wrapping_add(ticks as u32) & self.mask();
            self.since += ticks * self.tick();
        }
    }

    /// Ticks until the count reaches a channel's value.
    fn ticks_to(&self, channel: usize) -> u64 {
        let mask = self.mask();
        let distance = (self.cc[channel] & mask).wrapping_sub(self.count) & mask;
        match distance {
            0 => u64::from(mask) + 1,
            ticks => u64::from(ticks),
        }
    }

    fn start(&mut self, at: At) {
        if !self.running {
            self.running = true;
            self.since = at.cycle / PERIOD * PERIOD;
        }
    }

    fn compare(&mut self) {
        for channel in 0..self.channels {
            if self.cc[channel] & self.mask() == self.count {
                self.interface.raise(COMPARE + channel as u32);
            }
        }
    }
}

impl Peripheral for Timer {
    fn interface(&self) -> &Interface {
        &self.interface
    }

    fn interface_mut(&mut self) -> &mut Interface {
        &mut self.interface
    }

    fn task(&mut self, task: u32, at: At) -> Option<()> {
        self.sync(at.cycle);
        match task {
            START => self.start(at),
            STOP => self.running = false,
            SHUTDOWN => {
                self.running = false;
                self.count = 0;
            }
            COUNT if self.mode == 0 => {}
            COUNT => {
                if self.running {
                    self.count = self.count.wrapping_add(1) & self.mask();
                    self.compare();
                }
            }
            CLEAR => {
                self.count = 0;
                self.since = self.since.max(at.cycle / PERIOD * PERIOD);
            }
            _ if (CAPTURE..CAPTURE + self.channels as u32).contains(&task) => {
                self.cc[(task - CAPTURE) as usize] = self.count;
            }
            _ => return None,
        }
        Some(())
    }

    fn read(&mut self, offset: u32, _at: At) -> Option<u32> {
        Some(match offset {
            0x504 => self.mode,
            0x508 => self.bitmode,
            0x510 => self.prescaler,
            0x540..=0x554 if (offset as usize - 0x540) / 4 < self.channels => self.cc[(offset as usize - 0x540) / 4],
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, at: At) -> Option<()> {
        self.sync(at.cycle);
        match offset {
            0x504 => self.mode = value & 3,
            0x508 => self.bitmode = value & 3,
            0x510 => self.prescaler = value & 15,
            0x540..=0x554 if (offset as usize - 0x540) / 4 < self.channels => {
                self.cc[(offset as usize - 0x540) / 4] = value;
            }
            _ => return None,
        }
        Some(())
    }

    fn next_cycle(&self) -> Option<u64> {
        if !self.counts_time() {
            return None;
        }
        let ticks = (0..self.channels).map(|channel| self.ticks_to(channel)).min()?;
        Some(self.since + ticks * self.tick())
    }

    fn fire(&mut self, at: At) {
        if self.next_cycle().map_or(false, |cycle| cycle <= at.cycle) {
            self.sync(at.cycle);
            self.compare();
        }
    }
}

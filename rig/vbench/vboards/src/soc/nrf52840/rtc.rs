//! RTC0 to RTC2 (PS "RTC"): 24 bits on LFCLK with a prescaler of 12 bits.
//!
//! Tasks take effect at the next edge of LFCLK. Not modelled: the delay of COUNTER's read, and that of CLEAR beyond an edge.

use super::interface::{At, Interface, Peripheral};
use crate::clock::Clock;

const START: u32 = 0;
const STOP: u32 = 1;
const CLEAR: u32 = 2;
const TRIGGER_OVERFLOW: u32 = 3;
const TICK: u32 = 0;
const OVERFLOW: u32 = 1;
const COMPARE: u32 = 16;
const MASK: u32 = 0x00FF_FFFF;
/// What TRIGOVRFLW sets the counter to.
const NEARLY_OVER: u32 = 0x00FF_FFF0;

/// One counter.
#[derive(Clone, Debug)]
pub struct Rtc {
    interface: Interface,
    channels: usize,
    /// LFCLK; None while it does not run.
    clock: Option<Clock>,
    evten: u32,
    prescaler: u32,
    cc: [u32; 4],
    counter: u32,
    /// Edge of LFCLK at which the count became `counter`.
    since: u64,
    running: bool,
}

impl Rtc {
    pub fn new(channels: usize) -> Rtc {
        let compares = ((1 << channels) - 1) << COMPARE;
        Rtc {
            interface: Interface::new(compares | 3, &[]),
            channels,
            clock: None,
            evten: 0,
            prescaler: 0,
            cc: [0; 4],
            counter: 0,
            since: 0,
            running: false,
        }
    }

    /// LFCLK runs like this from now on.
    pub fn set_clock(&mut self, clock: Option<&Clock>, now_ps: u64) {
        self.sync(now_ps);
        self.clock = clock.cloned();
        if let Some(clock) = clock {
            self.since = clock.tick_at(now_ps);
        }
    }

    fn period(&self) -> u64 {
        u64::from(self.prescaler) + 1
    }

    fn sync(&mut self, now_ps: u64) {
        let clock = match self.clock.as_ref().filter(|_| self.running) {
            Some(clock) => clock,
            None => return,
        };
        let mut edge = clock.tick_at(now_ps);
        if clock.ps(edge) > now_ps {
            edge = edge.saturating_sub(1);
        }
        if edge > self.since {
            let ticks = (edge - self.since) / self.period();
            self.counter = self.counter.wrapping_add(ticks as u32) & MASK;
            self.since += ticks * self.period();
        }
    }

    fn wanted(&self, event: u32) -> bool {
        self.evten >> event & 1 == 1 || self.interface.interrupts(event)
    }

    /// Ticks until the next event that is enabled.
    fn ticks(&self) -> Option<u64> {
        let until = |value: u32| match value.wrapping_sub(self.counter) & MASK {
            0 => u64::from(MASK) + 1,
            ticks => u64::from(ticks),
        };
        let compares = (0..self.channels)
            .filter(|&channel| self.wanted(COMPARE + channel as u32))
            .map(|channel| until(self.cc[channel]));
        let overflow = Some(until(0)).filter(|_| self.wanted(OVERFLOW));
        let tick = Some(1).filter(|_| self.wanted(TICK));
        compares.chain(overflow).chain(tick).min()
    }

    fn restart(&mut self, at: At) {
        if let Some(clock) = self.clock.as_ref() {
            self.since = clock.tick_at(at.ps + 1);
        }
    }
}

impl Peripheral for Rtc {
    fn interface(&self) -> &Interface {
        &self.interface
    }

    fn interface_mut(&mut self) -> &mut Interface {
        &mut self.interface
    }

    fn task(&mut self, task: u32, at: At) -> Option<()> {
        self.sync(at.ps);
        match task {
            START => {
                if !self.running {
                    self.running = true;
                    self.restart(at);
                }
            }
            STOP => self.running = false,
            CLEAR | TRIGGER_OVERFLOW => {
                self.counter = if task == CLEAR { 0 } else { NEARLY_OVER };
                self.restart(at);
            }
            _ => return None,
        }
        Some(())
    }

    fn read(&mut self, offset: u32, at: At) -> Option<u32> {
        self.sync(at.ps);
        Some(match offset {
            0x340 | 0x344 | 0x348 => self.evten,
            0x504 => self.counter,
            0x508 => self.prescaler,
            0x540..=0x54C if (offset as usize - 0x540) / 4 < self.channels => self.cc[(offset as usize - 0x540) / 4],
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, at: At) -> Option<()> {
        self.sync(at.ps);
        match offset {
            0x340 => self.evten = value,
            0x344 => self.evten |= value,
            0x348 => self.evten &= !value,
            0x504 => {}
            // Only while it is stopped (PS "RTC", prescaler).
            0x508 => {
                if !self.running {
                    self.prescaler = value & 0xFFF;
                }
            }
            0x540..=0x54C if (offset as usize - 0x540) / 4 < self.channels => {
                self.cc[(offset as usize - 0x540) / 4] = value & MASK;
            }
            _ => return None,
        }
        Some(())
    }

    fn next_ps(&self) -> Option<u64> {
        let clock = self.clock.as_ref().filter(|_| self.running)?;
        Some(clock.ps(self.since + self.ticks()? * self.period()))
    }

    fn fire(&mut self, at: At) {
        if !self.next_ps().map_or(false, |ps| ps <= at.ps) {
            return;
        }
        self.sync(at.ps);
        if self.wanted(TICK) {
            self.interface.raise(TICK);
        }
        if self.counter == 0 && self.wanted(OVERFLOW) {
            self.interface.raise(OVERFLOW);
        }
        for channel in 0..self.channels {
            let event = COMPARE + channel as u32;
            if self.cc[channel] == self.counter && self.wanted(event) {
                self.interface.raise(event);
            }
        }
    }
}

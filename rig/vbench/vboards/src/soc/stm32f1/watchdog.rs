//! Independent and window watchdog (RM0008 chapters 19 and 20).

use super::rcc::LSI_HZ;
use crate::clock::Clock;

/// Cycles of LSI that a new PR or RLR takes to arrive: "up to 5 RC 40 kHz cycles" (19.4.4).
const UPDATE_EDGES: u64 = 5;

/// IWDG: counts LSI in picoseconds, whatever the chip's clocks do; in Stop and Standby too.
#[derive(Clone, Debug)]
pub struct Iwdg {
    ppb: i64,
    clock: Option<Clock>,
    open: bool,
    pr: u32,
    rlr: u32,
    updated_at_ps: [u64; 2],
    expires_ps: Option<u64>,
}

impl Iwdg {
    pub fn new(ppb: i64) -> Iwdg {
        Iwdg {
            ppb,
            clock: None,
            open: false,
            pr: 0,
            rlr: 0xFFF,
            updated_at_ps: [0; 2],
            expires_ps: None,
        }
    }

    /// The instant at which it resets the chip.
    pub fn next_event(&self) -> Option<u64> {
        self.expires_ps
    }

    fn edges_ps(&self, edges: u64) -> u64 {
        Clock::new(LSI_HZ, 1, self.ppb, 0).ps(edges)
    }

    /// The counter starts from RLR: 4 * 2^PR cycles each (19.4.2, table 96).
    fn reload(&mut self, now_ps: u64) {
        let clock = match self.clock.as_ref() {
            Some(clock) => clock,
            None => return,
        };
        let cycles = u64::from(self.rlr + 1) * (4 << self.pr.min(6));
        self.expires_ps = Some(clock.ps(clock.tick_at(now_ps) + cycles));
    }

    pub fn read(&self, offset: u32, now_ps: u64) -> Option<u32> {
        let updating = |index: usize| u32::from(now_ps < self.updated_at_ps[index]) << index;
        Some(match offset {
            0x00 => 0,
            0x04 => self.pr,
            0x08 => self.rlr,
            0x0C => updating(0) | updating(1),
            _ => return None,
        })
    }

    /// True: it was started, LSI must run.
    pub fn write(&mut self, offset: u32, value: u32, now_ps: u64) -> Option<bool> {
        match offset {
            0x00 => match value & 0xFFFF {
                0x5555 => self.open = true,
                0xAAAA => {
                    self.open = false;
                    self.reload(now_ps);
                }
                0xCCCC => {
                    self.open = false;
                    if self.clock.is_none() {
                        self.clock = Some(Clock::new(LSI_HZ, 1, self.ppb, now_ps));
                        self.reload(now_ps);
                        return Some(true);
                    }
                }
                _ => self.open = false,
            },
            0x04 | 0x08 if !self.open => {}
            0x04 => {
                self.pr = value & 7;
                self.updated_at_ps[0] = now_ps + self.edges_ps(UPDATE_EDGES);
            }
            0x08 => {
                self.rlr = value & 0xFFF;
                self.updated_at_ps[1] = now_ps + self.edges_ps(UPDATE_EDGES);
            }
            0x0C => {}
            _ => return None,
        }
        Some(false)
    }
}

const CR_WDGA: u32 = 1 << 7;
const CFR_EWI: u32 = 1 << 9;

/// WWDG. Times are cycles of HCLK.
#[derive(Clone, Debug)]
pub struct Wwdg {
    clock_div: u64,
    on: bool,
    counter: u64,
    since: u64,
    cfr: u32,
    early: bool,
    /// It wants to reset the chip.
    pub bites: bool,
}

impl Wwdg {
    pub fn new(clock_div: u64) -> Wwdg {
        Wwdg {
            clock_div,
            on: false,
            counter: 0x7F,
            since: 0,
            cfr: 0x7F,
            early: false,
            bites: false,
        }
    }

    pub fn set_clock_div(&mut self, cycle: u64, clock_div: u64) {
        self.sync(cycle);
        self.clock_div = clock_div;
    }

    /// PCLK1 / 4096 / 2^WDGTB (20.4).
    fn tick(&self) -> u64 {
        (4096 << (self.cfr >> 7 & 3)) * self.clock_div
    }

    pub fn postpone(&mut self, cycles: u64) {
        self.since += cycles;
    }

    /// Lets time pass to `cycle`. The early wake-up comes at 0x40, the reset when T6 falls (20.3).
    pub fn sync(&mut self, cycle: u64) {
        if !self.on || cycle < self.since {
            return;
        }
        let ticks = (cycle - self.since) / self.tick();
        self.since += ticks * self.tick();
        self.counter = self.counter.saturating_sub(ticks);
        self.early |= self.counter <= 0x40;
        self.bites |= self.counter < 0x40;
    }

    pub fn next_event(&self) -> Option<u64> {
        if !self.on || self.bites {
            return None;
        }
        let to = if self.counter > 0x40 { self.counter - 0x40 } else { 1 };
        Some(self.since + to * self.tick())
    }

    /// Level of the interrupt line WWDG (position 0).
    pub fn irq(&self) -> bool {
        self.early && self.cfr & CFR_EWI != 0
    }

    pub fn read(&mut self, offset: u32, cycle: u64) -> Option<u32> {
        self.sync(cycle);
        Some(match offset {
            0x00 => u32::from(self.on) << 7 | self.counter as u32 & 0x7F,
            0x04 => self.cfr,
            0x08 => u32::from(self.early),
            _ => return None,
        })
    }

    pub fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Option<()> {
        self.sync(cycle);
        match offset {
            0x00 => {
                if self.on && self.counter > u64::from(self.cfr & 0x7F) {
                    self.bites = true; // refreshed before the window
                }
                if !self.on {
                    self.since = cycle;
                }
                self.on |= value & CR_WDGA != 0;
                self.counter = u64::from(value & 0x7F);
                self.bites |= self.on && self.counter < 0x40;
            }
            0x04 => self.cfr = value & 0x3FF | self.cfr & CFR_EWI, // EWI stays until a reset
            0x08 => self.early &= value & 1 != 0,
            _ => return None,
        }
        Some(())
    }
}

//! Registers of a timer (RM0008 15.4).

use super::{Timer, CR1_CEN, CR1_UDIS, UIF};

const CR1_URS: u32 = 1 << 2;
const CR1_ARPE: u32 = 1 << 7;

impl Timer {
    pub fn read(&mut self, offset: u32, cycle: u64) -> Option<u32> {
        self.sync(cycle);
        Some(match offset {
            0x00 => self.cr1,
            0x04 => self.cr2,
            0x08 => self.smcr,
            0x0C => self.dier,
            0x10 => self.sr,
            0x14 => 0,
            0x18 => self.ccmr[0],
            0x1C => self.ccmr[1],
            0x20 => self.ccer,
            0x24 => self.cnt as u32,
            0x28 => self.psc,
            0x2C => self.arr,
            0x30 => self.rcr,
            0x44 => self.bdtr,
            0x34..=0x40 => {
                let channel = (offset as usize - 0x34) / 4;
                if self.is_input(channel) {
                    self.sr &= !(2 << channel); // reading CCRx clears CCxIF in capture mode
                }
                self.ccr[channel]
            }
            _ => return None,
        })
    }

    pub fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Option<()> {
        self.sync(cycle);
        let value = value
            & if matches!(offset, 0x24 | 0x2C..=0x40) {
                self.most
            } else {
                0xFFFF
            };
        match offset {
            0x00 => {
                if self.cr1 & CR1_CEN == 0 {
                    self.since = cycle;
                }
                self.cr1 = value & 0x3FF;
            }
            0x04 => self.cr2 = value,
            0x08 => self.smcr = value,
            0x0C => self.dier = value,
            0x10 => self.sr &= value, // rc_w0
            0x14 => self.generate(value, cycle),
            0x18 => self.ccmr[0] = value,
            0x1C => self.ccmr[1] = value,
            0x20 => self.ccer = value,
            0x24 => {
                self.cnt = u64::from(value);
                self.since = cycle;
            }
            0x28 => self.psc = value,
            0x2C => {
                self.arr = value;
                if self.cr1 & CR1_ARPE == 0 {
                    self.arr_active = value;
                    self.since = if self.cr1 & CR1_CEN == 0 { cycle } else { self.since };
                }
            }
            0x30 => self.rcr = if self.advanced { value & 0xFF } else { 0 },
            0x44 => self.bdtr = if self.advanced { value } else { 0 },
            0x34..=0x40 => {
                let channel = (offset as usize - 0x34) / 4;
                self.ccr[channel] = value;
                if !self.preloaded(channel) {
                    self.ccr_active[channel] = value;
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// EGR: events by software.
    fn generate(&mut self, value: u32, cycle: u64) {
        self.raise(value & 0x1E);
        if value & 1 != 0 && self.cr1 & CR1_UDIS == 0 {
            self.load();
            self.repeat = u64::from(self.rcr);
            self.give_triggers(1);
            if self.cr1 & CR1_URS == 0 {
                self.raise(UIF);
            }
        }
        if value & 1 != 0 {
            self.cnt = 0;
            self.phase = 0;
            self.since = cycle;
        }
    }
}

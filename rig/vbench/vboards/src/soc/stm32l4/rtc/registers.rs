//! Registers of the RTC (RM0351 38.6).

use super::calendar::Moment;
use super::{Rtc, CR_WUTE, SYNC_CLOCKS};

const CR_BYPSHAD: u32 = 1 << 5;
const CR_FMT: u32 = 1 << 6;
const ISR_RSF: u32 = 1 << 5;
const ISR_INIT: u32 = 1 << 7;
const KEYS: [u32; 2] = [0xCA, 0x53];

impl Rtc {
    fn isr(&self, now_ps: u64) -> u32 {
        let flag = |on: bool, bit: u32| u32::from(on) << bit;
        self.flags
            | flag(!self.enabled(0), 0)
            | flag(!self.enabled(1), 1)
            | flag(self.cr & CR_WUTE == 0, 2)
            | flag(self.moment(now_ps).dr() >> 16 & 0xFF != 0, 4)
            | flag(self.source.is_some() && now_ps >= self.synced_ps, 5)
            | flag(self.init && self.source.is_some() && now_ps >= self.init_ready_ps, 6)
            | flag(self.init, 7)
    }

    /// TR and DR; a read of TR or SSR freezes both until DR is read, unless BYPSHAD (38.3.8).
    fn shadow(&mut self, freeze: bool, now_ps: u64) -> (u32, u32) {
        let moment = self.moment(now_ps);
        let now = (moment.tr(self.cr & CR_FMT != 0), moment.dr());
        if self.cr & CR_BYPSHAD != 0 {
            return now;
        }
        let shown = self.frozen.unwrap_or(now);
        self.frozen = if freeze { Some(shown) } else { None };
        shown
    }

    pub fn read(&mut self, offset: u32, now_ps: u64) -> Option<u32> {
        Some(match offset {
            0x00 => self.shadow(true, now_ps).0,
            0x04 => self.shadow(false, now_ps).1,
            0x08 => self.cr,
            0x0C => self.isr(now_ps),
            0x10 => self.prer,
            0x14 => self.wutr,
            0x1C | 0x20 => self.alarms[(offset as usize - 0x1C) / 4].fields,
            0x24 | 0x2C => 0,
            0x28 => {
                self.shadow(true, now_ps);
                self.subsecond(now_ps)
            }
            0x30..=0x38 => 0,
            0x3C => self.calr,
            0x40 => self.tampcr,
            0x44 | 0x48 => self.alarms[(offset as usize - 0x44) / 4].subseconds,
            0x4C => self.or,
            0x50..=0xCC => self.backup[(offset as usize - 0x50) / 4],
            _ => return None,
        })
    }

    /// `open`: PWR_CR1.DBP lets writes into the backup domain.
    pub fn write(&mut self, offset: u32, value: u32, now_ps: u64, open: bool) -> Option<()> {
        match offset {
            0x24 => {
                let step = self.key as usize;
                self.key = if step < 2 && value & 0xFF == KEYS[step] {
                    self.key + 1
                } else {
                    0
                };
                return Some(());
            }
            0x50..=0xCC if open => self.backup[(offset as usize - 0x50) / 4] = value,
            0x40 if open => self.tampcr = value,
            0x0C if open && self.key != 2 => self.flags &= value | !0x3F00, // these bits are not protected
            0x00..=0x4C if open && self.key == 2 => return self.write_open(offset, value, now_ps),
            0x00..=0xCC => {}
            _ => return None,
        }
        Some(())
    }

    fn write_open(&mut self, offset: u32, value: u32, now_ps: u64) -> Option<()> {
        match offset {
            0x00 | 0x04 if self.init => {
                let fmt = self.cr & CR_FMT != 0;
                let moment = self.moment(now_ps);
                let (tr, dr) = match offset {
                    0x00 => (value, moment.dr()),
                    _ => (moment.tr(fmt), value),
                };
                self.origin = Moment::from_registers(tr, dr, fmt);
                self.stopped_at = 0;
            }
            0x00 | 0x04 => {}
            0x08 => {
                let wakes = self.cr & CR_WUTE != 0;
                self.cr = value & 0x00FC_FF7F;
                if wakes != (self.cr & CR_WUTE != 0) {
                    self.plan_wakeup(now_ps);
                }
                self.plan_alarms(now_ps);
            }
            0x0C => self.write_isr(value, now_ps),
            0x10 if self.init => self.prer = value & 0x007F_7FFF,
            0x10 => {}
            0x14 => self.wutr = value & 0xFFFF,
            0x1C | 0x20 => self.alarms[(offset as usize - 0x1C) / 4].fields = value,
            0x3C => self.calr = value & 0xE1FF,
            0x44 | 0x48 => self.alarms[(offset as usize - 0x44) / 4].subseconds = value & 0x0F00_7FFF,
            0x4C => self.or = value & 3,
            _ => return None,
        }
        Some(())
    }

    fn write_isr(&mut self, value: u32, now_ps: u64) {
        self.flags &= value | !0x3F00;
        if value & ISR_RSF == 0 {
            self.synced_ps = now_ps + self.clocks_ps(SYNC_CLOCKS);
        }
        let init = value & ISR_INIT != 0;
        if init && !self.init {
            let passed = self.passed(now_ps);
            self.init = true;
            self.init_ready_ps = now_ps + self.clocks_ps(SYNC_CLOCKS);
            self.restart(passed, now_ps);
        } else if !init && self.init {
            self.init = false;
            self.restart(self.stopped_at, now_ps);
            self.synced_ps = now_ps + self.clocks_ps(SYNC_CLOCKS);
        }
    }
}

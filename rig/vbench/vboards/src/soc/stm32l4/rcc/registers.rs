//! Registers of RCC (RM0351 6.4).

use super::{Effect, Rcc, CR_HSEON, CR_HSION, CR_MSION, CR_MSIRGSEL, CR_PLLON};

const CR_MSIPLLEN: u32 = 1 << 2;
/// Bits of CR that software sets: all but the ready flags (6.4.1).
const CR_WRITABLE: u32 = 0x150D_0BFD;
const BDCR_BDRST: u32 = 1 << 16;
const CSR_RMVF: u32 = 1 << 23;

impl Rcc {
    pub fn read(&mut self, offset: u32, now_ps: u64) -> Option<u32> {
        let osc = &self.oscillators;
        Some(match offset {
            0x00 => self.cr | osc.cr_flags(now_ps),
            0x04 => self.icscr,
            0x08 => self.cfgr & !0xC | self.active << 2,
            0x0C => self.pllcfgr,
            0x10 | 0x14 => self.sai_cfgr[(offset as usize - 0x10) / 4],
            0x18 => self.cier,
            0x1C => self.cifr,
            0x20 => 0,
            0x28..=0x40 => self.rstr[(offset as usize - 0x28) / 4],
            0x48..=0x60 => self.enr[(offset as usize - 0x48) / 4],
            0x68..=0x80 => self.smenr[(offset as usize - 0x68) / 4],
            0x88 => self.ccipr,
            0x90 => self.bdcr | u32::from(osc.lse(now_ps).is_some()) << 1,
            0x94 => self.csr | u32::from(osc.lsi(now_ps).is_some()) << 1,
            _ => return None,
        })
    }

    /// `backup` tells whether the backup domain may be written (PWR_CR1.DBP).
    pub fn write(&mut self, offset: u32, value: u32, now_ps: u64, backup: bool) -> Option<Effect> {
        let mut effect = Effect::Clocks;
        match offset {
            0x00 => self.write_cr(value),
            0x04 => self.icscr = self.icscr & 0x00FF_00FF | value & 0x1F00_FF00,
            0x08 => self.cfgr = value & 0x7700_BFF3,
            // Written only while the PLL is off, but for the output enables (6.4.4).
            0x0C => {
                let free = if self.cr & CR_PLLON == 0 {
                    0x0773_7F73
                } else {
                    0x0111_0000
                };
                self.pllcfgr = self.pllcfgr & !free | value & free;
            }
            0x10 | 0x14 => {
                let index = (offset as usize - 0x10) / 4;
                let free = if self.cr >> (26 + 2 * index) & 1 == 0 {
                    0x0773_7F00
                } else {
                    0x0111_0000
                };
                self.sai_cfgr[index] = self.sai_cfgr[index] & !free | value & free;
            }
            0x18 => self.cier = value & 0x2FF,
            0x1C => {}
            0x20 => self.cifr &= !value,
            0x28..=0x40 => {
                let bank = (offset as usize - 0x28) / 4;
                self.rstr[bank] = value;
                effect = Effect::Reset { bank, bits: value };
            }
            0x48..=0x60 => {
                self.enr[(offset as usize - 0x48) / 4] = value;
                effect = Effect::Nothing;
            }
            0x68..=0x80 => {
                self.smenr[(offset as usize - 0x68) / 4] = value;
                effect = Effect::Nothing;
            }
            0x88 => self.ccipr = value,
            0x90 => effect = self.write_bdcr(value, backup),
            0x94 => self.write_csr(value),
            _ => return None,
        }
        self.oscillators.update(&self.settings(), now_ps);
        self.settle(now_ps);
        Some(effect)
    }

    fn write_cr(&mut self, value: u32) {
        let mut value = value & CR_WRITABLE | self.cr & CR_MSIRGSEL; // MSIRGSEL is set only (6.4.1)
                                                                     // What runs SYSCLK cannot be stopped.
        let pll_source = self.pllcfgr & 3;
        let kept = match (self.active, pll_source) {
            (0, _) => CR_MSION,
            (1, _) => CR_HSION,
            (2, _) => CR_HSEON,
            (_, 1) => CR_PLLON | CR_MSION,
            (_, 2) => CR_PLLON | CR_HSION,
            _ => CR_PLLON | CR_HSEON,
        };
        value |= kept;
        if value & CR_MSIPLLEN != 0 && self.bdcr & 1 == 0 {
            value &= !CR_MSIPLLEN; // needs LSE
        }
        self.cr = value;
    }

    fn write_bdcr(&mut self, value: u32, backup: bool) -> Effect {
        if !backup {
            return Effect::Nothing;
        }
        if value & BDCR_BDRST != 0 {
            self.bdcr = BDCR_BDRST;
            return Effect::BackupReset;
        }
        // RTCSEL is written once; only BDRST frees it (6.4.28).
        let select = if self.bdcr & 0x300 != 0 { self.bdcr } else { value } & 0x300;
        self.bdcr = value & 0x0300_803D | select;
        Effect::RtcClock
    }

    fn write_csr(&mut self, value: u32) {
        if value & CSR_RMVF != 0 {
            self.csr &= 0x00FF_FFFF;
        }
        // MSISRANGE takes 4 to 7 and counts from the next Standby on; here it is kept (6.4.29).
        let range = if (4..=7).contains(&(value >> 8 & 15)) {
            value
        } else {
            self.csr
        } & 0xF00;
        self.csr = self.csr & 0xFF00_0000 | range | value & 1;
    }
}

//! Power control (RM0351 chapter 5).

const CR1_DBP: u32 = 1 << 8;
const CR1_LPR: u32 = 1 << 14;
/// tVOST, the time of a change of the voltage range (DS10198: 20 us typical; unverified).
const VOS_PS: u64 = 20_000_000;

/// What SLEEPDEEP means (CR1.LPMS, 5.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeepSleep {
    Stop(u32),
    Standby,
    Shutdown,
}

/// PWR.
#[derive(Clone, Debug)]
pub struct Pwr {
    cr: [u32; 4],
    sr1: u32,
    /// Pull registers of ports A to H: up and down.
    pulls: [u32; 16],
    /// Instant at which the regulator has its voltage.
    settled_ps: u64,
}

impl Default for Pwr {
    fn default() -> Pwr {
        Pwr {
            cr: [0x200, 0, 0x8000, 0],
            sr1: 0,
            pulls: [0; 16],
            settled_ps: 0,
        }
    }
}

impl Pwr {
    /// RTC, backup registers and BDCR may be written.
    pub fn backup_writable(&self) -> bool {
        self.cr[0] & CR1_DBP != 0
    }

    /// Core voltage range 2 (CR1.VOS = 2): 26 MHz at most, slower flash.
    pub fn range_2(&self) -> bool {
        self.cr[0] >> 9 & 3 == 2
    }

    /// The mode that SLEEPDEEP selects.
    pub fn deep_sleep(&self) -> DeepSleep {
        match self.cr[0] & 7 {
            mode @ 0..=2 => DeepSleep::Stop(mode),
            3 => DeepSleep::Standby,
            _ => DeepSleep::Shutdown,
        }
    }

    /// The chip comes out of Standby; what it was set to before is gone but the flag.
    pub fn woke_from_standby(&mut self) {
        *self = Pwr {
            sr1: 1 << 8 | 1 << 15, // SBF, WUFI: an internal line woke it
            ..Pwr::default()
        };
    }

    pub fn read(&self, offset: u32, now_ps: u64) -> Option<u32> {
        Some(match offset {
            0x00..=0x0C => self.cr[offset as usize / 4],
            0x10 => self.sr1,
            0x14 => {
                let low_power = u32::from(self.cr[0] & CR1_LPR != 0);
                // REGLPS: the low-power regulator is there; REGLPF follows LPR; VOSF while the voltage changes.
                1 << 8 | low_power << 9 | u32::from(now_ps < self.settled_ps) << 10
            }
            0x18 => 0,
            0x20..=0x5C => self.pulls[(offset as usize - 0x20) / 4],
            _ => return None,
        })
    }

    pub fn write(&mut self, offset: u32, value: u32, now_ps: u64) -> Option<()> {
        match offset {
            0x00 => {
                let value = value & 0x4707;
                // VOS 0 and 3 cannot be written (5.4.1).
                let vos = if matches!(value >> 9 & 3, 1 | 2) {
                    value
                } else {
                    self.cr[0]
                } & 0x600;
                if vos != self.cr[0] & 0x600 {
                    self.settled_ps = now_ps + VOS_PS;
                }
                self.cr[0] = value & !0x600 | vos;
            }
            0x04 => self.cr[1] = value & 0x6FF,
            0x08 => self.cr[2] = value & 0x851F,
            0x0C => self.cr[3] = value & 0x31F,
            0x10 | 0x14 => {}
            0x18 => self.sr1 &= !(value & 0x11F),
            0x20..=0x5C => self.pulls[(offset as usize - 0x20) / 4] = value & 0xFFFF,
            _ => return None,
        }
        Some(())
    }
}

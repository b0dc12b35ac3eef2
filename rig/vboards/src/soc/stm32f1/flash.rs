//! Flash interface (PM0075): access control and the lock. Programming and erasing are not modelled.

const KEY1: u32 = 0x4567_0123;
const KEY2: u32 = 0xCDEF_89AB;
const CR_LOCK: u32 = 1 << 7;

/// Flash interface registers.
#[derive(Clone, Debug)]
pub struct FlashInterface {
    acr: u32,
    cr: u32,
    key_step: u8,
}

impl Default for FlashInterface {
    fn default() -> FlashInterface {
        FlashInterface {
            acr: 0x30,
            cr: CR_LOCK,
            key_step: 0,
        }
    }
}

impl FlashInterface {
    /// Wait states (ACR.LATENCY; values above 2 are reserved).
    pub fn latency(&self) -> u32 {
        (self.acr & 7).min(2)
    }

    /// What deserves a remark at `hclk_hz`: 0 wait states to 24 MHz, 1 to 48 MHz, 2 above (PM0075, 3.1).
    pub fn complaint(&self, hclk_hz: u64) -> Option<String> {
        let needed = match hclk_hz {
            hz if hz <= 24_000_000 => 0,
            hz if hz <= 48_000_000 => 1,
            _ => 2,
        };
        if self.latency() < needed {
            return Some(format!(
                "flash needs {} wait states at {} Hz, ACR has {}",
                needed,
                hclk_hz,
                self.latency()
            ));
        }
        None
    }

    pub fn read(&self, offset: u32) -> Option<u32> {
        Some(match offset {
            0x00 => self.acr & 0x1F | (self.acr & 0x10) << 1, // PRFTBS follows PRFTBE
            0x04 | 0x08 => 0,
            0x0C => 0,
            0x10 => self.cr,
            0x14 => 0,
            0x1C => 0x03FF_FFFC, // option bytes as delivered
            0x20 => 0xFFFF_FFFF,
            _ => return None,
        })
    }

    /// None also for a programming or erase operation: it is not modelled.
    pub fn write(&mut self, offset: u32, value: u32) -> Option<()> {
        match offset {
            0x00 => self.acr = value & 0x1F,
            0x04 => {
                self.key_step = match (self.key_step, value) {
                    (0, KEY1) => 1,
                    (1, KEY2) => {
                        self.cr &= !CR_LOCK;
                        0
                    }
                    _ => 0,
                }
            }
            0x08 | 0x0C => {}
            0x10 => {
                self.cr = if value & CR_LOCK != 0 {
                    CR_LOCK
                } else {
                    self.cr & CR_LOCK | value & 0x1637
                };
                if value & 0x77 != 0 {
                    return None;
                }
            }
            _ => return None,
        }
        Some(())
    }
}

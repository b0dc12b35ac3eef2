//! WDT (PS "WDT"): a counter of LFCLK that eight reload registers keep from resetting the chip.
//!
//! It forces LFCLK on; here it has its own. Not modelled: the pause while a debugger halts the core (CONFIG.HALT).

use super::interface::{At, Interface, Peripheral};

const TIMEOUT: u32 = 0;
/// What a reload register takes (PS "WDT", RR).
const RELOAD: u32 = 0x6E52_4635;
const LFCLK_HZ: u64 = 32_768;

/// The watchdog.
#[derive(Clone, Debug)]
pub struct Wdt {
    interface: Interface,
    running: bool,
    crv: u32,
    enabled: u32,
    config: u32,
    /// Reload registers that are still to be written.
    requests: u32,
    /// When it resets the chip, or how much is left of that while it pauses.
    expires_ps: u64,
    left_ps: Option<u64>,
}

impl Default for Wdt {
    fn default() -> Wdt {
        Wdt {
            interface: Interface::new(1, &[]),
            running: false,
            crv: u32::MAX,
            enabled: 1,
            config: 1,
            requests: 0,
            expires_ps: u64::MAX,
            left_ps: None,
        }
    }
}

impl Wdt {
    fn restart(&mut self, at: At) {
        self.requests = self.enabled;
        let ticks = u64::from(self.crv) + 1;
        let span_ps = u128::from(ticks) * 1_000_000_000_000 / u128::from(LFCLK_HZ);
        self.expires_ps = at.ps + span_ps as u64;
    }

    /// The core sleeps, or wakes. Without CONFIG.SLEEP the counter pauses meanwhile.
    pub fn core_sleeps(&mut self, sleeps: bool, now_ps: u64) {
        if sleeps && self.running && self.config & 1 == 0 {
            self.left_ps = Some(self.expires_ps.saturating_sub(now_ps));
        } else if let Some(left_ps) = self.left_ps.take() {
            self.expires_ps = now_ps + left_ps;
        }
    }

    pub fn has_expired(&self, now_ps: u64) -> bool {
        self.next_ps().map_or(false, |ps| ps <= now_ps)
    }
}

impl Peripheral for Wdt {
    fn interface(&self) -> &Interface {
        &self.interface
    }

    fn interface_mut(&mut self) -> &mut Interface {
        &mut self.interface
    }

    fn task(&mut self, task: u32, at: At) -> Option<()> {
        if task != 0 {
            return None;
        }
        if !self.running {
            self.running = true;
            self.restart(at);
        }
        Some(())
    }

    fn read(&mut self, offset: u32, _at: At) -> Option<u32> {
        Some(match offset {
            0x400 => u32::from(self.running),
            0x404 => self.requests,
            0x504 => self.crv,
            0x508 => self.enabled,
            0x50C => self.config,
            0x600..=0x61C => 0,
            _ => return None,
        })
    }

    /// Once it runs its configuration is locked.
    fn write(&mut self, offset: u32, value: u32, at: At) -> Option<()> {
        match offset {
            0x504 | 0x508 | 0x50C if self.running => {}
            0x504 => self.crv = value.max(15),
            0x508 => self.enabled = value & 0xFF,
            0x50C => self.config = value & 9,
            0x600..=0x61C => {
                if value == RELOAD && self.running {
                    self.requests &= !(1 << ((offset - 0x600) / 4));
                    if self.requests == 0 {
                        self.restart(at);
                    }
                }
            }
            _ => return None,
        }
        Some(())
    }

    fn next_ps(&self) -> Option<u64> {
        Some(self.expires_ps).filter(|_| self.running && self.left_ps.is_none())
    }

    fn fire(&mut self, at: At) {
        if self.has_expired(at.ps) {
            self.interface.raise(TIMEOUT);
        }
    }
}

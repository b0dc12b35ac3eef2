//! Independent watchdog (RM0351 chapter 36), from LSI.

use crate::clock::Clock;
use crate::soc::stm32l4::rcc::Rate;

const OPEN: u32 = 0x5555;
const REFRESH: u32 = 0xAAAA;
const START: u32 = 0xCCCC;
/// Clocks of LSI until a written PR, RLR or WINR has arrived (36.3.6: up to five; unverified).
const WRITE_CLOCKS: u64 = 5;

#[derive(Clone, Debug)]
pub struct Iwdg {
    ppb: i64,
    pr: u32,
    rlr: u32,
    winr: u32,
    open: bool,
    /// PVU, RVU, WVU end then.
    updates_ps: [u64; 3],
    expires_ps: Option<u64>,
    refreshed_ps: u64,
}

impl Iwdg {
    pub fn new(ppb: i64) -> Iwdg {
        Iwdg {
            ppb,
            pr: 0,
            rlr: 0xFFF,
            winr: 0xFFF,
            open: false,
            updates_ps: [0; 3],
            expires_ps: None,
            refreshed_ps: 0,
        }
    }

    /// Instant at which it resets the chip.
    pub fn next_event(&self) -> Option<u64> {
        self.expires_ps
    }

    pub fn running(&self) -> bool {
        self.expires_ps.is_some()
    }

    /// `counts` of the down-counter, which runs at LSI / 4 to / 256.
    fn time_ps(&self, lsi: Rate, counts: u32) -> u64 {
        let divider = 4 << self.pr.min(6);
        Clock::new(lsi.num, lsi.den * divider, self.ppb, 0).ps(u64::from(counts))
    }

    fn refresh(&mut self, lsi: Rate, now_ps: u64) {
        let early_ps = self.time_ps(lsi, self.rlr.saturating_sub(self.winr));
        let too_early = self.running() && self.winr < self.rlr && now_ps < self.refreshed_ps + early_ps;
        self.refreshed_ps = now_ps;
        self.expires_ps = Some(now_ps + if too_early { 0 } else { self.time_ps(lsi, self.rlr + 1) });
    }

    pub fn read(&self, offset: u32, now_ps: u64) -> Option<u32> {
        let update = |index: usize| u32::from(now_ps < self.updates_ps[index]) << index;
        Some(match offset {
            0x00 => 0,
            0x04 => self.pr,
            0x08 => self.rlr,
            0x0C => update(0) | update(1) | update(2),
            0x10 => self.winr,
            _ => return None,
        })
    }

    pub fn write(&mut self, offset: u32, value: u32, lsi: Rate, now_ps: u64) -> Option<()> {
        let arrives_ps = now_ps + Clock::new(lsi.num, lsi.den, self.ppb, 0).ps(WRITE_CLOCKS);
        match (offset, value & 0xFFFF) {
            (0x00, START) => {
                self.open = false;
                self.refresh(lsi, now_ps);
            }
            (0x00, REFRESH) => {
                self.open = false;
                if self.running() {
                    self.refresh(lsi, now_ps);
                }
            }
            (0x00, key) => self.open = key == OPEN,
            (0x04, value) if self.open => {
                self.pr = value & 7;
                self.updates_ps[0] = arrives_ps;
            }
            (0x08, value) if self.open => {
                self.rlr = value & 0xFFF;
                self.updates_ps[1] = arrives_ps;
            }
            (0x10, value) if self.open => {
                self.winr = value & 0xFFF;
                self.updates_ps[2] = arrives_ps;
                if self.running() {
                    self.refresh(lsi, now_ps); // a write of the window reloads the counter (36.3.3)
                }
            }
            (0x04..=0x10, _) => {}
            _ => return None,
        }
        Some(())
    }
}

//! Random number generator (RM0351 chapter 27): words from the seed of the run.

use crate::rng::{draw, Purpose};
use crate::soc::stm32l4::rcc::Rate;

const CR_RNGEN: u32 = 1 << 2;
const CR_IE: u32 = 1 << 3;
const SR_DRDY: u32 = 1 << 0;
const SR_CECS: u32 = 1 << 1;
const SR_CEIS: u32 = 1 << 5;
/// Clocks of RNG_CLK from one word to the next (27.3.4 of rev 1: 40; unverified).
const WORD_CLOCKS: u64 = 40;
/// Keeps these draws apart from the identity of the board.
const STREAM: u64 = 0x0052_4E47;

#[derive(Clone, Debug)]
pub struct Rng {
    seed: u64,
    board: u64,
    cr: u32,
    sr: u32,
    words: u64,
    ready_ps: u64,
}

impl Rng {
    pub fn new(seed: u64, board: u16) -> Rng {
        Rng {
            seed,
            board: u64::from(board),
            cr: 0,
            sr: 0,
            words: 0,
            ready_ps: 0,
        }
    }

    /// Reset by RCC; the words continue.
    pub fn reset(&mut self) {
        (self.cr, self.sr) = (0, 0);
    }

    fn next_word(&mut self, clock: Option<Rate>, now_ps: u64) {
        let hz = clock.map_or(48_000_000, Rate::hz);
        self.ready_ps = now_ps + WORD_CLOCKS * 1_000_000_000_000 / hz;
    }

    fn ready(&self, clock: Option<Rate>, now_ps: u64) -> bool {
        self.cr & CR_RNGEN != 0 && clock.is_some() && now_ps >= self.ready_ps
    }

    pub fn next_event(&self, now_ps: u64) -> Option<u64> {
        let waits = self.cr & (CR_RNGEN | CR_IE) == CR_RNGEN | CR_IE && self.ready_ps > now_ps;
        Some(self.ready_ps).filter(|_| waits)
    }

    pub fn irq(&self, clock: Option<Rate>, now_ps: u64) -> bool {
        self.cr & CR_IE != 0 && (self.ready(clock, now_ps) || self.sr & SR_CEIS != 0)
    }

    pub fn read(&mut self, offset: u32, clock: Option<Rate>, now_ps: u64) -> Option<u32> {
        Some(match offset {
            0x00 => self.cr,
            0x04 => {
                let no_clock = self.cr & CR_RNGEN != 0 && clock.is_none();
                self.sr |= if no_clock { SR_CEIS } else { 0 };
                let ready = if self.ready(clock, now_ps) { SR_DRDY } else { 0 };
                self.sr | ready | if no_clock { SR_CECS } else { 0 }
            }
            0x08 if self.ready(clock, now_ps) => {
                self.words += 1;
                self.next_word(clock, now_ps);
                draw(self.seed, Purpose::Identity, &[STREAM, self.board], self.words) as u32
            }
            0x08 => 0,
            _ => return None,
        })
    }

    pub fn write(&mut self, offset: u32, value: u32, clock: Option<Rate>, now_ps: u64) -> Option<()> {
        match offset {
            0x00 => {
                if self.cr & CR_RNGEN == 0 && value & CR_RNGEN != 0 {
                    self.next_word(clock, now_ps);
                }
                self.cr = value & (CR_RNGEN | CR_IE | 1 << 5);
            }
            0x04 => self.sr &= value | !0x60,
            0x08 => {}
            _ => return None,
        }
        Some(())
    }
}

//! I2C1 to I2C3 (RM0351 chapter 39) on buses without slaves: every address ends with NACK and STOP.
//!
//! The lines do not move. Not modelled: slave mode, SMBus.

use crate::soc::stm32l4::rcc::Rate;

const CR1_PE: u32 = 1 << 0;
const CR2_START: u32 = 1 << 13;
const CR2_STOP: u32 = 1 << 14;
const ISR_TXE: u32 = 1 << 0;
const ISR_NACKF: u32 = 1 << 4;
const ISR_STOPF: u32 = 1 << 5;
const ISR_BUSY: u32 = 1 << 15;
/// START, 8 bits, the ninth without an answer, STOP.
const ADDRESS_BITS: u64 = 10;

#[derive(Clone, Debug, Default)]
pub struct I2c {
    cr1: u32,
    cr2: u32,
    oar: [u32; 2],
    timingr: u32,
    timeoutr: u32,
    isr: u32,
    txdr: u32,
    /// The address is over then.
    end_ps: Option<u64>,
}

impl I2c {
    /// Clocks of I2CCLK of one SCL period (39.4.5): prescaled low and high time, and some four for synchronisation.
    fn bit_clocks(&self) -> u64 {
        let field = |shift: u32, mask: u32| u64::from(self.timingr >> shift & mask) + 1;
        field(28, 15) * (field(0, 0xFF) + field(8, 0xFF)) + 4
    }

    pub fn next_event(&self) -> Option<u64> {
        self.end_ps
    }

    /// Ends an address that is over, and returns it: nothing is there (SADD bits 7 to 1, 39.7.2).
    pub fn fire(&mut self, now_ps: u64) -> Option<u8> {
        self.end_ps.filter(|&end| end <= now_ps)?;
        self.end_ps = None;
        self.cr2 &= !(CR2_START | CR2_STOP);
        self.isr = ISR_NACKF | ISR_STOPF;
        Some((self.cr2 >> 1) as u8 & 0x7F)
    }

    /// Event interrupt: NACKIE, STOPIE.
    pub fn irq(&self) -> bool {
        self.cr1 & 1 << 4 != 0 && self.isr & ISR_NACKF != 0 || self.cr1 & 1 << 5 != 0 && self.isr & ISR_STOPF != 0
    }

    pub fn read(&self, offset: u32) -> Option<u32> {
        Some(match offset {
            0x00 => self.cr1,
            0x04 => self.cr2,
            0x08 | 0x0C => self.oar[(offset as usize - 8) / 4],
            0x10 => self.timingr,
            0x14 => self.timeoutr,
            0x18 => self.isr | ISR_TXE | if self.end_ps.is_some() { ISR_BUSY } else { 0 },
            0x1C | 0x20 | 0x24 => 0,
            0x28 => self.txdr,
            _ => return None,
        })
    }

    pub fn write(&mut self, offset: u32, value: u32, clock: Rate, now_ps: u64) -> Option<()> {
        match offset {
            0x00 => {
                self.cr1 = value & 0x00FF_DFFF;
                if value & CR1_PE == 0 {
                    (self.isr, self.end_ps) = (0, None);
                    self.cr2 &= !(CR2_START | CR2_STOP);
                }
            }
            0x04 => {
                self.cr2 = value & 0x07FF_FFFF;
                if value & CR2_START != 0 && self.cr1 & CR1_PE != 0 && self.end_ps.is_none() {
                    let clocks = ADDRESS_BITS * self.bit_clocks();
                    self.end_ps = Some(now_ps + clocks * 1_000_000_000_000 / clock.hz());
                }
            }
            0x08 | 0x0C => self.oar[(offset as usize - 8) / 4] = value & 0x87FF,
            0x10 => self.timingr = value,
            0x14 => self.timeoutr = value,
            0x18 | 0x20 | 0x24 => {}
            0x1C => self.isr &= !(value & 0x3F38),
            0x28 => self.txdr = value & 0xFF,
            _ => return None,
        }
        Some(())
    }
}

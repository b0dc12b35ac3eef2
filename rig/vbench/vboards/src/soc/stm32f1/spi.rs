//! SPI1 to SPI3 as 8 or 16 bit masters with software slave select (RM0008 chapter 25).
//!
//! Of the bidirectional mode only sending is modelled. Not modelled: slave mode, NSS, receive-only mode, CRC, I2S.

use crate::soc::stm32::spi::{Effect, Shifter, SR_BSY, SR_OVR, SR_RXNE, SR_TXE};

const CR1_DFF: u32 = 1 << 11;
/// BIDIMODE with BIDIOE: one line, out.
const CR1_OUT_ONLY: u32 = 3 << 14;

/// One SPI. Times are cycles of HCLK.
#[derive(Default)]
pub struct Spi {
    pub shifter: Shifter,
    cr2: u32,
    sr: u32,
    crcpr: u32,
    holding: Option<u16>,
    rdr: u16,
    sr_read: bool,
}

impl Spi {
    pub fn new(clock_div: u64) -> Spi {
        Spi {
            shifter: Shifter::new(clock_div, true),
            sr: SR_TXE,
            crcpr: 7,
            ..Spi::default()
        }
    }

    pub fn reset(&mut self) {
        self.shifter.reset();
        *self = Spi {
            shifter: std::mem::take(&mut self.shifter),
            ..Spi::new(1)
        };
    }

    fn begin(&mut self, data: u16, cycle: u64, effects: &mut Vec<Effect>) {
        let bits = if self.shifter.cr1 & CR1_DFF != 0 { 16 } else { 8 };
        self.shifter.begin(data, bits, cycle, effects);
        self.sr |= SR_TXE | SR_BSY;
    }

    /// The byte that the slave shifts back next in the running transfer.
    pub fn answer(&mut self, byte: u8) {
        if let Some(transfer) = self.shifter.transfer.as_mut() {
            let shift = if transfer.is_in_last_byte() { 0 } else { 8 };
            transfer.back |= u16::from(byte) << shift;
        }
    }

    /// Requests to the DMA: receiver, transmitter (25.3.9).
    pub fn dma_requests(&self) -> (bool, bool) {
        let receive = self.cr2 & 1 != 0 && self.sr & SR_RXNE != 0;
        (
            receive,
            self.cr2 & 2 != 0 && self.sr & SR_TXE != 0 && self.shifter.is_master(),
        )
    }

    /// Handles what is due at exactly `cycle`.
    pub fn fire(&mut self, cycle: u64, effects: &mut Vec<Effect>) {
        let (transfer, over) = match self.shifter.advance(cycle) {
            Some(progress) => progress,
            None => return,
        };
        if transfer.is_at_middle() {
            effects.push(Effect::Middle((transfer.out >> 8) as u8));
        }
        if self.shifter.traced {
            effects.push(Effect::Lines(self.shifter.lines()));
        }
        if !over {
            return;
        }
        self.shifter.transfer = None;
        effects.push(Effect::End {
            data: transfer.out & 0xFF,
            bits: 8,
        });
        if self.shifter.cr1 & CR1_OUT_ONLY == CR1_OUT_ONLY {
            // nothing comes back
        } else if self.sr & SR_RXNE != 0 {
            self.sr |= SR_OVR;
        } else {
            self.rdr = transfer.back;
            self.sr |= SR_RXNE;
        }
        match self.holding.take() {
            Some(data) => self.begin(data, cycle, effects),
            None => self.sr &= !SR_BSY,
        }
    }

    /// Level of the interrupt line: TXEIE, RXNEIE, ERRIE.
    pub fn irq(&self) -> bool {
        (self.cr2 & 0x80 != 0 && self.sr & SR_TXE != 0)
            || (self.cr2 & 0x40 != 0 && self.sr & SR_RXNE != 0)
            || (self.cr2 & 0x20 != 0 && self.sr & SR_OVR != 0)
    }

    pub fn read(&mut self, offset: u32) -> Option<u32> {
        Some(match offset {
            0x00 => self.shifter.cr1,
            0x04 => self.cr2,
            0x08 => {
                if self.sr_read {
                    self.sr &= !SR_OVR; // 25.3.10: DR then SR clears OVR
                }
                self.sr_read = false;
                self.sr
            }
            0x0C => {
                self.sr &= !SR_RXNE;
                self.sr_read = self.sr & SR_OVR != 0;
                u32::from(self.rdr)
            }
            0x10 => self.crcpr,
            0x14 | 0x18 => 0,
            0x1C => 0,
            0x20 => 2,
            _ => return None,
        })
    }

    pub fn write(&mut self, offset: u32, value: u32, cycle: u64, effects: &mut Vec<Effect>) -> Option<()> {
        match offset {
            0x00 => {
                self.shifter.write_cr1(value, effects);
            }
            0x04 => self.cr2 = value & 0xE7,
            0x08 => {}
            0x0C => {
                let wide = self.shifter.cr1 & CR1_DFF != 0;
                let data = if wide { value as u16 } else { value as u16 & 0xFF };
                if !self.shifter.is_master() {
                    return Some(());
                }
                if self.shifter.transfer.is_none() {
                    self.begin(data, cycle, effects);
                } else {
                    self.holding = Some(data);
                    self.sr &= !SR_TXE;
                }
            }
            0x10 => self.crcpr = value & 0xFFFF,
            0x1C | 0x20 => {}
            _ => return None,
        }
        Some(())
    }
}

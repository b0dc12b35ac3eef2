//! SPI1 to SPI3 as masters with software slave select (RM0351 chapter 42): frames of 4 to 16 bits, 32-bit FIFOs.
//!
//! Not modelled: slave mode, hardware NSS on a pin, half-duplex, receive-only mode, CRC, TI mode, LSB first on the lines.

use crate::bus::Width;
use crate::soc::stm32::spi::{Effect, Shifter, CR1_SPE, SR_BSY, SR_OVR, SR_RXNE, SR_TXE};
use std::collections::VecDeque;

const CR2_FRXTH: u32 = 1 << 12;
/// Bytes of a FIFO.
const FIFO: usize = 4;

/// One SPI. Times are cycles of HCLK. A FIFO holds bytes; a frame of more than 8 bits takes two.
#[derive(Default)]
pub struct Spi {
    pub shifter: Shifter,
    cr2: u32,
    crcpr: u32,
    overrun: bool,
    /// DR was read since the overrun; a read of SR now clears it (42.4.9).
    overrun_seen: bool,
    tx: VecDeque<u8>,
    rx: VecDeque<u8>,
}

impl Spi {
    pub fn new(clock_div: u64) -> Spi {
        Spi {
            shifter: Shifter::new(clock_div, false),
            cr2: 0x700,
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

    /// Bits of a frame (CR2.DS; values below 4 bits count as 8, 42.6.2).
    fn bits(&self) -> u32 {
        match self.cr2 >> 8 & 15 {
            field if field < 3 => 8,
            field => field + 1,
        }
    }

    fn bytes(&self) -> usize {
        if self.bits() > 8 {
            2
        } else {
            1
        }
    }

    /// The next frame leaves the FIFO, if there is one and the SPI is a running master.
    fn begin(&mut self, cycle: u64, effects: &mut Vec<Effect>) {
        if !self.shifter.is_master() || self.shifter.transfer.is_some() || self.tx.len() < self.bytes() {
            return;
        }
        let low = self.tx.pop_front().unwrap_or(0);
        let high = if self.bytes() == 2 {
            self.tx.pop_front().unwrap_or(0)
        } else {
            0
        };
        let bits = self.bits();
        let out = (u16::from(low) | u16::from(high) << 8) & (0xFFFF >> (16 - bits));
        self.shifter.begin(out, bits, cycle, effects);
    }

    /// Data that the slave shifts back in the running frame.
    pub fn answer(&mut self, data: u16) {
        if let Some(transfer) = self.shifter.transfer.as_mut() {
            transfer.back = data;
        }
    }

    /// Bits of the running frame.
    pub fn running_bits(&self) -> u32 {
        self.shifter.transfer.map_or(8, |transfer| transfer.bits)
    }

    /// Handles what is due at exactly `cycle`.
    pub fn fire(&mut self, cycle: u64, effects: &mut Vec<Effect>) {
        let (transfer, over) = match self.shifter.advance(cycle) {
            Some(progress) => progress,
            None => return,
        };
        if self.shifter.traced {
            effects.push(Effect::Lines(self.shifter.lines()));
        }
        if !over {
            return;
        }
        self.shifter.transfer = None;
        effects.push(Effect::End {
            data: transfer.out,
            bits: transfer.bits,
        });
        let bytes = if transfer.bits > 8 { 2 } else { 1 };
        if self.rx.len() + bytes > FIFO {
            self.overrun = true;
        } else {
            self.rx.extend(&transfer.back.to_le_bytes()[..bytes]);
        }
        self.begin(cycle, effects);
    }

    /// RXNE: a quarter or half of the FIFO is filled (CR2.FRXTH).
    fn rx_ready(&self) -> bool {
        self.rx.len() >= if self.cr2 & CR2_FRXTH != 0 { 1 } else { 2 }
    }

    /// TXE: at most half of the FIFO is filled.
    fn tx_ready(&self) -> bool {
        self.tx.len() <= FIFO / 2
    }

    fn status(&self) -> u32 {
        // FRLVL, FTLVL: empty, a quarter, half, full; three bytes count as half.
        let level = |length: usize| [0, 1, 2, 2, 3][length.min(FIFO)];
        let flag = |on: bool, bit: u32| if on { bit } else { 0 };
        flag(self.rx_ready(), SR_RXNE)
            | flag(self.tx_ready(), SR_TXE)
            | flag(self.overrun, SR_OVR)
            | flag(self.shifter.transfer.is_some() || !self.tx.is_empty(), SR_BSY)
            | level(self.rx.len()) << 9
            | level(self.tx.len()) << 11
    }

    /// Level of the interrupt line: TXEIE, RXNEIE, ERRIE.
    pub fn irq(&self) -> bool {
        self.cr2 & 0x80 != 0 && self.tx_ready()
            || self.cr2 & 0x40 != 0 && self.rx_ready()
            || self.cr2 & 0x20 != 0 && self.overrun
    }

    /// DMA requests: receiver, transmitter.
    pub fn dma_requests(&self) -> (bool, bool) {
        let enabled = self.shifter.cr1 & CR1_SPE != 0;
        (
            self.cr2 & 1 != 0 && self.rx_ready(),
            self.cr2 & 2 != 0 && self.tx_ready() && enabled,
        )
    }

    pub fn read(&mut self, offset: u32, width: Width) -> Option<u32> {
        Some(match offset {
            0x00 => self.shifter.cr1,
            0x04 => self.cr2,
            0x08 => {
                let status = self.status();
                if self.overrun_seen {
                    (self.overrun, self.overrun_seen) = (false, false);
                }
                status
            }
            0x0C => {
                self.overrun_seen = self.overrun;
                let low = self.rx.pop_front().unwrap_or(0);
                let high = if width == Width::Byte {
                    0
                } else {
                    self.rx.pop_front().unwrap_or(0)
                };
                u32::from(low) | u32::from(high) << 8
            }
            0x10 => self.crcpr,
            0x14 | 0x18 => 0,
            _ => return None,
        })
    }

    /// An access to DR of 8 bits puts one byte into the FIFO, a wider one two: data packing (42.4.8, 42.4.11).
    pub fn write(
        &mut self,
        offset: u32,
        width: Width,
        value: u32,
        cycle: u64,
        effects: &mut Vec<Effect>,
    ) -> Option<()> {
        match offset {
            0x00 => {
                self.shifter.write_cr1(value, effects);
                self.begin(cycle, effects);
            }
            0x04 => self.cr2 = value & 0x7FFF,
            0x08 => {}
            0x0C => {
                let count = if width == Width::Byte && self.bytes() == 1 {
                    1
                } else {
                    2
                };
                let data = (value as u16).to_le_bytes();
                for &byte in data.iter().take(count) {
                    if self.tx.len() < FIFO {
                        self.tx.push_back(byte);
                    }
                }
                self.begin(cycle, effects);
            }
            0x10 => self.crcpr = value & 0xFFFF,
            _ => return None,
        }
        Some(())
    }
}

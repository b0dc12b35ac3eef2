//! SPI1 to SPI3 as masters with software slave select (RM0351 chapter 42): frames of 4 to 16 bits, 32-bit FIFOs.
//!
//! Not modelled: slave mode, hardware NSS on a pin, half-duplex, receive-only mode, CRC, TI mode, LSB first on the lines.

use crate::bus::Width;
use std::collections::VecDeque;

const SR_RXNE: u32 = 1 << 0;
const SR_TXE: u32 = 1 << 1;
const SR_OVR: u32 = 1 << 6;
const SR_BSY: u32 = 1 << 7;
const CR1_CPHA: u32 = 1 << 0;
const CR1_CPOL: u32 = 1 << 1;
const CR1_MSTR: u32 = 1 << 2;
const CR1_SPE: u32 = 1 << 6;
const CR2_FRXTH: u32 = 1 << 12;
/// Octets of a FIFO.
const FIFO: usize = 4;

/// What the chip around an SPI has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A frame begins: ask the slave for its data and hand it to [`Spi::answer`].
    Begin,
    /// A frame is over; this went out, in so many bits.
    End { data: u16, bits: u32 },
    /// Lines of a traced bus: SCK, MOSI, MISO.
    Lines { sck: bool, mosi: bool, miso: bool },
}

#[derive(Clone, Copy, Debug)]
struct Transfer {
    out: u16,
    back: u16,
    start: u64,
    half_cycles: u64,
    /// Half periods of SCK that are over.
    halves: u32,
    bits: u32,
}

/// One SPI. Times are cycles of HCLK. A FIFO holds octets; a frame of more than 8 bits takes two.
#[derive(Default)]
pub struct Spi {
    clock_div: u64,
    cr1: u32,
    cr2: u32,
    crcpr: u32,
    overrun: bool,
    /// DR was read since the overrun; a read of SR now clears it (42.4.9).
    overrun_seen: bool,
    tx: VecDeque<u8>,
    rx: VecDeque<u8>,
    transfer: Option<Transfer>,
    /// Tell of every edge of the lines: somebody has a probe on them.
    pub traced: bool,
}

impl Spi {
    pub fn new(clock_div: u64) -> Spi {
        Spi {
            clock_div,
            cr2: 0x700,
            crcpr: 7,
            ..Spi::default()
        }
    }

    pub fn set_clock_div(&mut self, clock_div: u64) {
        self.clock_div = clock_div;
    }

    pub fn reset(&mut self) {
        *self = Spi {
            traced: self.traced,
            ..Spi::new(self.clock_div)
        };
    }

    /// The bus clock has stood still for so many cycles.
    pub fn postpone(&mut self, cycles: u64) {
        if let Some(transfer) = self.transfer.as_mut() {
            transfer.start += cycles;
        }
    }

    /// Bits of a frame (CR2.DS; values below 4 bits count as 8, 42.6.2).
    fn bits(&self) -> u32 {
        match self.cr2 >> 8 & 15 {
            field if field < 3 => 8,
            field => field + 1,
        }
    }

    fn octets(&self) -> usize {
        if self.bits() > 8 {
            2
        } else {
            1
        }
    }

    pub fn next_event(&self) -> Option<u64> {
        self.transfer.map(|transfer| {
            let halves = if self.traced {
                transfer.halves + 1
            } else {
                2 * transfer.bits
            };
            transfer.start + u64::from(halves) * transfer.half_cycles
        })
    }

    /// The next frame leaves the FIFO, if there is one and the SPI is a running master.
    fn begin(&mut self, cycle: u64, effects: &mut Vec<Effect>) {
        let enabled = self.cr1 & (CR1_SPE | CR1_MSTR) == CR1_SPE | CR1_MSTR;
        if !enabled || self.transfer.is_some() || self.tx.len() < self.octets() {
            return;
        }
        let low = self.tx.pop_front().unwrap_or(0);
        let high = if self.octets() == 2 {
            self.tx.pop_front().unwrap_or(0)
        } else {
            0
        };
        let bits = self.bits();
        // Baud rate: fPCLK / 2^(BR+1); a half period is 2^BR.
        self.transfer = Some(Transfer {
            out: (u16::from(low) | u16::from(high) << 8) & (0xFFFF >> (16 - bits)),
            back: 0,
            start: cycle,
            half_cycles: (1 << (self.cr1 >> 3 & 7)) * self.clock_div,
            halves: 0,
            bits,
        });
        effects.push(Effect::Begin);
    }

    /// Data that the slave shifts back in the running frame.
    pub fn answer(&mut self, data: u16) {
        if let Some(transfer) = self.transfer.as_mut() {
            transfer.back = data;
        }
    }

    /// Bits of the running frame.
    pub fn running_bits(&self) -> u32 {
        self.transfer.map_or(8, |transfer| transfer.bits)
    }

    /// Levels of SCK, MOSI, MISO now.
    pub fn lines(&self) -> [bool; 3] {
        let idle = self.cr1 & CR1_CPOL != 0;
        let transfer = match self.transfer {
            Some(transfer) => transfer,
            None => return [idle, false, false],
        };
        let second_phase = self.cr1 & CR1_CPHA != 0;
        let active = (transfer.halves % 2 == 1) != second_phase && transfer.halves < 2 * transfer.bits;
        let bit = transfer.bits - 1 - (transfer.halves / 2).min(transfer.bits - 1);
        [
            active != idle,
            transfer.out >> bit & 1 == 1,
            transfer.back >> bit & 1 == 1,
        ]
    }

    fn tell_lines(&self, effects: &mut Vec<Effect>) {
        let [sck, mosi, miso] = self.lines();
        effects.push(Effect::Lines { sck, mosi, miso });
    }

    /// Handles what is due at exactly `cycle`.
    pub fn fire(&mut self, cycle: u64, effects: &mut Vec<Effect>) {
        let transfer = match self.transfer.as_mut() {
            Some(transfer) => transfer,
            None => return,
        };
        let end = transfer.start + u64::from(2 * transfer.bits) * transfer.half_cycles;
        transfer.halves = ((cycle - transfer.start) / transfer.half_cycles) as u32;
        let done = *transfer;
        if self.traced {
            self.tell_lines(effects);
        }
        if cycle < end {
            return;
        }
        self.transfer = None;
        effects.push(Effect::End {
            data: done.out,
            bits: done.bits,
        });
        let octets = if done.bits > 8 { 2 } else { 1 };
        if self.rx.len() + octets > FIFO {
            self.overrun = true;
        } else {
            self.rx.extend(&done.back.to_le_bytes()[..octets]);
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
        // FRLVL, FTLVL: empty, a quarter, half, full; three octets count as half.
        let level = |length: usize| [0, 1, 2, 2, 3][length.min(FIFO)];
        let flag = |on: bool, bit: u32| if on { bit } else { 0 };
        flag(self.rx_ready(), SR_RXNE)
            | flag(self.tx_ready(), SR_TXE)
            | flag(self.overrun, SR_OVR)
            | flag(self.transfer.is_some() || !self.tx.is_empty(), SR_BSY)
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
        let enabled = self.cr1 & CR1_SPE != 0;
        (
            self.cr2 & 1 != 0 && self.rx_ready(),
            self.cr2 & 2 != 0 && self.tx_ready() && enabled,
        )
    }

    pub fn read(&mut self, offset: u32, width: Width) -> Option<u32> {
        Some(match offset {
            0x00 => self.cr1,
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

    /// An access to DR of 8 bits puts one octet into the FIFO, a wider one two: data packing (42.4.8, 42.4.11).
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
                self.cr1 = value & 0xFFFF;
                self.tell_lines(effects);
                self.begin(cycle, effects);
            }
            0x04 => self.cr2 = value & 0x7FFF,
            0x08 => {}
            0x0C => {
                let count = if width == Width::Byte && self.octets() == 1 {
                    1
                } else {
                    2
                };
                let data = (value as u16).to_le_bytes();
                for &octet in data.iter().take(count) {
                    if self.tx.len() < FIFO {
                        self.tx.push_back(octet);
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

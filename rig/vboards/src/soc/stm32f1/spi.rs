//! SPI1 to SPI3 as 8 or 16 bit masters with software slave select (RM0008 chapter 25).
//!
//! Of the bidirectional mode only sending is modelled. Not modelled: slave mode, NSS, receive-only mode, CRC, I2S.

const SR_RXNE: u32 = 1 << 0;
const SR_TXE: u32 = 1 << 1;
const SR_OVR: u32 = 1 << 6;
const SR_BSY: u32 = 1 << 7;
const CR1_CPHA: u32 = 1 << 0;
const CR1_CPOL: u32 = 1 << 1;
const CR1_MSTR: u32 = 1 << 2;
const CR1_SPE: u32 = 1 << 6;
const CR1_DFF: u32 = 1 << 11;
/// BIDIMODE with BIDIOE: one line, out.
const CR1_OUT_ONLY: u32 = 3 << 14;

/// Half periods of the first octet.
const MIDDLE: u32 = 16;

/// What the chip around an SPI has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// A transfer begins: ask the slave for its data and hand it to [`Spi::answer`].
    Begin,
    /// The first octet of a 16 bit transfer has gone out: hand the second answer to [`Spi::answer`].
    Middle(u8),
    /// A transfer is over; its last octet has gone out.
    End(u8),
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

/// One SPI. Times are cycles of HCLK.
#[derive(Default)]
pub struct Spi {
    clock_div: u64,
    cr1: u32,
    cr2: u32,
    sr: u32,
    crcpr: u32,
    holding: Option<u16>,
    transfer: Option<Transfer>,
    rdr: u16,
    sr_read: bool,
    /// Tell of every edge of the lines: somebody has a probe on them.
    pub traced: bool,
}

impl Spi {
    pub fn new(clock_div: u64) -> Spi {
        Spi {
            clock_div,
            sr: SR_TXE,
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

    fn idle_clock(&self) -> bool {
        self.cr1 & CR1_CPOL != 0
    }

    pub fn next_event(&self) -> Option<u64> {
        self.transfer.map(|transfer| {
            let halves = match (self.traced, transfer.bits) {
                (true, _) => transfer.halves + 1,
                (false, 16) if transfer.halves < MIDDLE => MIDDLE,
                (false, bits) => 2 * bits,
            };
            transfer.start + u64::from(halves) * transfer.half_cycles
        })
    }

    fn begin(&mut self, data: u16, cycle: u64, effects: &mut Vec<Effect>) {
        let bits = if self.cr1 & CR1_DFF != 0 { 16 } else { 8 };
        // Baud rate: fPCLK / 2^(BR+1); a half period is 2^BR.
        let half_cycles = (1 << (self.cr1 >> 3 & 7)) * self.clock_div;
        self.transfer = Some(Transfer {
            out: data,
            back: 0,
            start: cycle,
            half_cycles,
            halves: 0,
            bits,
        });
        self.sr |= SR_TXE | SR_BSY;
        effects.push(Effect::Begin);
    }

    /// The octet that the slave shifts back next in the running transfer.
    pub fn answer(&mut self, octet: u8) {
        if let Some(transfer) = self.transfer.as_mut() {
            let last = transfer.bits == 8 || transfer.halves >= MIDDLE;
            transfer.back |= u16::from(octet) << if last { 0 } else { 8 };
        }
    }

    /// The chip's clock stood still.
    pub fn postpone(&mut self, cycles: u64) {
        if let Some(transfer) = self.transfer.as_mut() {
            transfer.start += cycles;
        }
    }

    /// Requests to the DMA: receiver, transmitter (25.3.9).
    pub fn dma_requests(&self) -> (bool, bool) {
        let receive = self.cr2 & 1 != 0 && self.sr & SR_RXNE != 0;
        let running = self.cr1 & (CR1_SPE | CR1_MSTR) == CR1_SPE | CR1_MSTR;
        (receive, self.cr2 & 2 != 0 && self.sr & SR_TXE != 0 && running)
    }

    /// Levels of the lines now.
    pub fn lines(&self) -> Effect {
        let idle = self.idle_clock();
        let transfer = match self.transfer {
            Some(transfer) => transfer,
            None => {
                return Effect::Lines {
                    sck: idle,
                    mosi: false,
                    miso: false,
                }
            }
        };
        let second_phase = self.cr1 & CR1_CPHA != 0;
        let active = (transfer.halves % 2 == 1) != second_phase && transfer.halves < 2 * transfer.bits;
        let bit = transfer.bits - 1 - (transfer.halves / 2).min(transfer.bits - 1);
        Effect::Lines {
            sck: active != idle,
            mosi: transfer.out >> bit & 1 == 1,
            miso: transfer.back >> bit & 1 == 1,
        }
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
        if done.bits == 16 && done.halves == MIDDLE {
            effects.push(Effect::Middle((done.out >> 8) as u8));
        }
        if self.traced {
            effects.push(self.lines());
        }
        if cycle < end {
            return;
        }
        self.transfer = None;
        effects.push(Effect::End(done.out as u8));
        if self.cr1 & CR1_OUT_ONLY == CR1_OUT_ONLY {
            // nothing comes back
        } else if self.sr & SR_RXNE != 0 {
            self.sr |= SR_OVR;
        } else {
            self.rdr = done.back;
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
            0x00 => self.cr1,
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
                self.cr1 = value & 0xFFFF;
                effects.push(self.lines());
            }
            0x04 => self.cr2 = value & 0xE7,
            0x08 => {}
            0x0C => {
                let wide = self.cr1 & CR1_DFF != 0;
                let data = if wide { value as u16 } else { value as u16 & 0xFF };
                if self.cr1 & (CR1_SPE | CR1_MSTR) != CR1_SPE | CR1_MSTR {
                    return Some(());
                }
                if self.transfer.is_none() {
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

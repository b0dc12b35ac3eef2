//! USART1 to USART3, UART4 and UART5, asynchronous (RM0008 chapter 27). Bits go over the pins one by one at the
//! programmed rate.
//!
//! Not modelled: synchronous, LIN, IrDA, smartcard and half-duplex modes, hardware flow control, noise. What comes from
//! outside has the parity and the framing that is set here, so PE and FE never rise.

use crate::soc::stm32::usart::{data_bits, Cycles, Effect, Frame, Lines};

const SR_ORE: u32 = 1 << 3;
const SR_IDLE: u32 = 1 << 4;
const SR_RXNE: u32 = 1 << 5;
const SR_TC: u32 = 1 << 6;
const SR_TXE: u32 = 1 << 7;
const CR1_RE: u32 = 1 << 2;
const CR1_TE: u32 = 1 << 3;
const CR1_PS: u32 = 1 << 9;
const CR1_PCE: u32 = 1 << 10;
const CR1_M: u32 = 1 << 12;
const CR1_UE: u32 = 1 << 13;
const CR3_EIE: u32 = 1 << 0;
const CR3_DMAR: u32 = 1 << 6;
const CR3_DMAT: u32 = 1 << 7;

/// One USART. Times are cycles of HCLK.
#[derive(Default)]
pub struct Usart {
    /// Cycles of HCLK per cycle of its bus clock.
    clock_div: u64,
    sr: u32,
    brr: u32,
    cr1: u32,
    cr2: u32,
    cr3: u32,
    gtpr: u32,
    pub lines: Lines<Cycles>,
    rdr: u16,
    /// SR was read: the next access to DR completes a clearing sequence.
    sr_read: bool,
    /// The chip's clock stands still: what arrives is lost.
    pub stopped: bool,
}

impl Usart {
    pub fn new(clock_div: u64) -> Usart {
        Usart {
            clock_div,
            sr: SR_TXE | SR_TC,
            ..Usart::default()
        }
    }

    pub fn set_clock_div(&mut self, clock_div: u64) {
        self.clock_div = clock_div;
    }

    /// Reset by RCC. What is on the wire continues.
    pub fn reset(&mut self) {
        *self = Usart {
            lines: self.lines.after_reset(),
            ..Usart::new(self.clock_div)
        };
    }

    /// Cycles of one bit: BRR is USARTDIV in 1/16, a bit takes 16 * USARTDIV clocks (27.3.4).
    fn bit_cycles(&self) -> u64 {
        u64::from(self.brr.max(1)) * self.clock_div
    }

    fn places(&self) -> u32 {
        if self.cr1 & CR1_M != 0 {
            9
        } else {
            8
        }
    }

    fn frame(&self, data: u16, start: u64) -> Frame<Cycles> {
        let places = self.places();
        let parity = if self.cr1 & CR1_PCE != 0 {
            Some(self.cr1 & CR1_PS != 0)
        } else {
            None
        };
        let bits = data_bits(data, places, parity);
        let stops = if self.cr2 >> 12 & 3 >= 2 { 2 } else { 1 };
        let boundaries = Cycles {
            start,
            per_bit: self.bit_cycles(),
        };
        Frame::new(boundaries, data as u8, bits, places, stops)
    }

    fn transmitting(&self) -> bool {
        self.cr1 & (CR1_UE | CR1_TE) == CR1_UE | CR1_TE
    }

    /// Bytes from outside, the first one starting at `cycle` or when the line is free.
    pub fn feed(&mut self, bytes: &[u8], cycle: u64) {
        if self.lines.feed(bytes) {
            self.next_incoming(cycle);
        }
    }

    /// False while the rate is not set: nothing can be fed then.
    pub fn has_rate(&self) -> bool {
        self.brr >= 16
    }

    fn next_incoming(&mut self, cycle: u64) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.next_incoming(|byte| Some(self.frame(u16::from(byte), cycle)));
        self.lines = lines;
    }

    /// Requests to the DMA: receiver, transmitter (27.3.13).
    pub fn dma_requests(&self) -> (bool, bool) {
        let receive = self.cr3 & CR3_DMAR != 0 && self.sr & SR_RXNE != 0;
        (
            receive,
            self.cr3 & CR3_DMAT != 0 && self.sr & SR_TXE != 0 && self.transmitting(),
        )
    }

    /// Handles what is due at exactly `cycle`.
    pub fn fire(&mut self, cycle: u64, effects: &mut Vec<Effect>) {
        let fired = self.lines.fire(cycle, effects);
        self.sr |= if fired.idle { SR_IDLE } else { 0 };
        if fired.sent {
            match self.lines.holding.take() {
                Some(data) => self.shift_out(data, cycle),
                None => self.sr |= SR_TC,
            }
        }
        if let Some((data, duration)) = fired.received {
            self.received(data);
            self.next_incoming(cycle);
            if self.lines.rx.is_none() {
                self.lines.idle_at = Some(cycle + duration);
            }
        }
    }

    fn received(&mut self, data: u16) {
        if self.stopped || self.cr1 & (CR1_UE | CR1_RE) != CR1_UE | CR1_RE {
            self.lines.unheard += 1;
            return;
        }
        if self.sr & SR_RXNE != 0 {
            self.sr |= SR_ORE;
            return;
        }
        self.rdr = data & ((1 << self.places()) - 1);
        self.sr |= SR_RXNE;
    }

    fn shift_out(&mut self, data: u16, cycle: u64) {
        self.sr |= SR_TXE;
        self.sr &= !SR_TC;
        self.lines.tx = Some(self.frame(data, cycle.max(self.lines.tx_ready)));
    }

    /// Level of the interrupt line (27.4, table 198).
    pub fn irq(&self) -> bool {
        let asked = self.sr & self.cr1 & (SR_IDLE | SR_RXNE | SR_TC | SR_TXE);
        let overrun = self.cr1 & SR_RXNE != 0 || self.cr3 & (CR3_EIE | CR3_DMAR) == CR3_EIE | CR3_DMAR;
        asked != 0 || (self.sr & SR_ORE != 0 && overrun)
    }

    pub fn read(&mut self, offset: u32) -> Option<u32> {
        Some(match offset {
            0x00 => {
                self.sr_read = true;
                self.sr
            }
            0x04 => {
                self.sr &= !SR_RXNE;
                if self.sr_read {
                    self.sr &= !(SR_ORE | SR_IDLE);
                }
                self.sr_read = false;
                u32::from(self.rdr)
            }
            0x08 => self.brr,
            0x0C => self.cr1,
            0x10 => self.cr2,
            0x14 => self.cr3,
            0x18 => self.gtpr,
            _ => return None,
        })
    }

    pub fn write(&mut self, offset: u32, value: u32, cycle: u64) -> Option<()> {
        match offset {
            0x00 => self.sr &= value | !(SR_TC | SR_RXNE | 0x300), // rc_w0
            0x04 => {
                self.sr &= if self.sr_read { !SR_TC } else { !0 };
                self.sr_read = false;
                let data = (value & 0x1FF) as u16;
                if !self.transmitting() {
                    return Some(());
                }
                if self.lines.tx.is_none() {
                    self.shift_out(data, cycle);
                } else {
                    self.lines.holding = Some(data);
                    self.sr &= !SR_TXE;
                }
            }
            0x08 => self.brr = value & 0xFFFF,
            0x0C => {
                let was = self.transmitting();
                self.cr1 = value & 0x3FFF;
                if self.transmitting() && !was {
                    let length = u64::from(self.places() + 2);
                    self.lines.tx_ready = cycle + length * self.bit_cycles(); // 27.3.2: an idle frame first
                }
            }
            0x10 => self.cr2 = value & 0x7F6F,
            0x14 => self.cr3 = value & 0x7FF,
            0x18 => self.gtpr = value & 0xFFFF,
            _ => return None,
        }
        Some(())
    }
}

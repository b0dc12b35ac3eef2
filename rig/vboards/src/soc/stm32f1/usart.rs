//! USART1 to USART3, UART4 and UART5, asynchronous (RM0008 chapter 27). Bits go over the pins one by one at the
//! programmed rate.
//!
//! Not modelled: synchronous, LIN, IrDA, smartcard and half-duplex modes, hardware flow control, noise. What comes from
//! outside has the parity and the framing that is set here, so PE and FE never rise.

use std::collections::VecDeque;

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

/// What an event of a USART means for the chip around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The TX line has a new level.
    TxLevel(bool),
    /// The RX line has a new level, driven from outside.
    RxLevel(bool),
    /// The stop bits of an octet are over.
    Sent(u8),
}

/// A frame on a line.
#[derive(Clone, Copy, Debug)]
struct Frame {
    octet: u8,
    /// Levels, first bit lowest; bits beyond `length` do not exist.
    bits: u32,
    length: u32,
    start: u64,
    bit_cycles: u64,
    /// Next bit boundary to look at.
    next: u32,
}

impl Frame {
    fn level(&self, bit: u32) -> bool {
        self.bits >> bit & 1 == 1
    }

    fn boundary(&self, bit: u32) -> u64 {
        self.start + u64::from(bit) * self.bit_cycles
    }

    /// First boundary from `next` on where the level changes, or the end.
    fn skip(&mut self) {
        while self.next < self.length && self.level(self.next) == self.level(self.next - 1) {
            self.next += 1;
        }
    }
}

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
    holding: Option<u16>,
    tx: Option<Frame>,
    /// After TE is set an idle frame goes out first.
    tx_ready: u64,
    rdr: u16,
    rx: Option<Frame>,
    incoming: VecDeque<u8>,
    idle_at: Option<u64>,
    /// SR was read: the next access to DR completes a clearing sequence.
    sr_read: bool,
    /// Octets that arrived while the receiver was off.
    pub unheard: u64,
    /// The chip's clock stands still: what arrives is not heard.
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

    /// Reset by RCC. What is on the wire goes on.
    pub fn reset(&mut self) {
        let incoming = std::mem::take(&mut self.incoming);
        *self = Usart {
            rx: self.rx,
            incoming,
            unheard: self.unheard,
            ..Usart::new(self.clock_div)
        };
    }

    /// Cycles of one bit: BRR is USARTDIV in 1/16, a bit takes 16 * USARTDIV clocks (27.3.4).
    fn bit_cycles(&self) -> u64 {
        u64::from(self.brr.max(1)) * self.clock_div
    }

    fn frame(&self, data: u16, start: u64) -> Frame {
        let places = if self.cr1 & CR1_M != 0 { 9 } else { 8 };
        let mut bits = u32::from(data) & ((1 << places) - 1);
        if self.cr1 & CR1_PCE != 0 {
            let below = bits & ((1 << (places - 1)) - 1);
            let odd = below.count_ones() & 1 == 1;
            let parity = odd != (self.cr1 & CR1_PS != 0);
            bits = below | u32::from(parity) << (places - 1);
        }
        let stops = if self.cr2 >> 12 & 3 >= 2 { 2 } else { 1 };
        let length = 1 + places + stops;
        let bits = bits << 1 | ((1 << stops) - 1) << (1 + places);
        Frame {
            octet: data as u8,
            bits,
            length,
            start,
            bit_cycles: self.bit_cycles(),
            next: 0,
        }
    }

    fn transmitting(&self) -> bool {
        self.cr1 & (CR1_UE | CR1_TE) == CR1_UE | CR1_TE
    }

    /// Octets from outside, the first one starting at `cycle` or when the line is free.
    pub fn feed(&mut self, octets: &[u8], cycle: u64) {
        self.incoming.extend(octets);
        if self.rx.is_none() {
            self.next_incoming(cycle);
        }
    }

    /// False while the rate is not set: nothing can be fed then.
    pub fn has_rate(&self) -> bool {
        self.brr >= 16
    }

    fn next_incoming(&mut self, cycle: u64) {
        self.rx = self
            .incoming
            .pop_front()
            .map(|octet| self.frame(u16::from(octet), cycle));
        if self.rx.is_some() {
            self.idle_at = None;
        }
    }

    /// The chip's clock stood still: what it was sending goes on later.
    pub fn postpone(&mut self, cycles: u64) {
        if let Some(frame) = self.tx.as_mut() {
            frame.start += cycles;
        }
        self.tx_ready += cycles;
        self.idle_at = self.idle_at.map(|at| at + cycles);
    }

    /// Next edge of a frame from outside, all that happens while the chip's clock stands still.
    pub fn next_arrival(&self) -> Option<u64> {
        self.rx.map(|frame| frame.boundary(frame.next))
    }

    /// Requests to the DMA: receiver, transmitter (27.3.13).
    pub fn dma_requests(&self) -> (bool, bool) {
        let receive = self.cr3 & CR3_DMAR != 0 && self.sr & SR_RXNE != 0;
        (
            receive,
            self.cr3 & CR3_DMAT != 0 && self.sr & SR_TXE != 0 && self.transmitting(),
        )
    }

    pub fn next_event(&self) -> Option<u64> {
        let tx = self.tx.map(|frame| frame.boundary(frame.next));
        let rx = self.rx.map(|frame| frame.boundary(frame.next));
        [tx, rx, self.idle_at].iter().flatten().copied().min()
    }

    /// Handles what is due at exactly `cycle`.
    pub fn fire(&mut self, cycle: u64, effects: &mut Vec<Effect>) {
        if self.idle_at.map_or(false, |at| at <= cycle) {
            self.idle_at = None;
            self.sr |= SR_IDLE;
        }
        if let Some(mut frame) = self.tx.filter(|frame| frame.boundary(frame.next) <= cycle) {
            if frame.next < frame.length {
                effects.push(Effect::TxLevel(frame.level(frame.next)));
                frame.next += 1;
                frame.skip();
                self.tx = Some(frame);
            } else {
                effects.push(Effect::Sent(frame.octet));
                self.tx = None;
                match self.holding.take() {
                    Some(data) => self.shift_out(data, cycle),
                    None => self.sr |= SR_TC,
                }
            }
        }
        if let Some(mut frame) = self.rx.filter(|frame| frame.boundary(frame.next) <= cycle) {
            if frame.next < frame.length {
                effects.push(Effect::RxLevel(frame.level(frame.next)));
                frame.next += 1;
                frame.skip();
                self.rx = Some(frame);
            } else {
                self.received(&frame);
                self.next_incoming(cycle);
                if self.rx.is_none() {
                    self.idle_at = Some(cycle + u64::from(frame.length) * frame.bit_cycles);
                }
            }
        }
    }

    fn received(&mut self, frame: &Frame) {
        if self.stopped || self.cr1 & (CR1_UE | CR1_RE) != CR1_UE | CR1_RE {
            self.unheard += 1;
            return;
        }
        if self.sr & SR_RXNE != 0 {
            self.sr |= SR_ORE;
            return;
        }
        let places = if self.cr1 & CR1_M != 0 { 9 } else { 8 };
        self.rdr = (frame.bits >> 1 & ((1 << places) - 1)) as u16;
        self.sr |= SR_RXNE;
    }

    fn shift_out(&mut self, data: u16, cycle: u64) {
        self.sr |= SR_TXE;
        self.sr &= !SR_TC;
        self.tx = Some(self.frame(data, cycle.max(self.tx_ready)));
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
                if self.tx.is_none() {
                    self.shift_out(data, cycle);
                } else {
                    self.holding = Some(data);
                    self.sr &= !SR_TXE;
                }
            }
            0x08 => self.brr = value & 0xFFFF,
            0x0C => {
                let was = self.transmitting();
                self.cr1 = value & 0x3FFF;
                if self.transmitting() && !was {
                    let length = if self.cr1 & CR1_M != 0 { 11 } else { 10 };
                    self.tx_ready = cycle + length * self.bit_cycles(); // 27.3.2: an idle frame first
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

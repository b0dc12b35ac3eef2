//! A USART: UART and SPI master (SLAU049F chapters 13 and 14). Bits are events; times are ticks of BRCLK.
//!
//! Not modelled: SPI slave mode, the multiprocessor formats, break and framing errors (no line carries them), UCLKI as
//! a clock, automatic baud rate. The I2C mode of USART0 (chapter 15) keeps its registers and does nothing.

use super::clocks::{Clocks, Source};
use std::collections::VecDeque;

/// UxCTL.
const SWRST: u8 = 1 << 0;
const MM: u8 = 1 << 1;
const SYNC: u8 = 1 << 2;
const LISTEN: u8 = 1 << 3;
const CHAR: u8 = 1 << 4;
const SPB: u8 = 1 << 5;
const PEV: u8 = 1 << 6;
const PENA: u8 = 1 << 7;
/// UxTCTL.
const TXEPT: u8 = 1 << 0;
const URXSE: u8 = 1 << 3;
const CKPL: u8 = 1 << 6;
const CKPH: u8 = 1 << 7;
/// UxRCTL.
const OE: u8 = 1 << 5;

/// What a USART does to the world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Level of the UART's TX, RX line.
    Tx(bool),
    Rx(bool),
    /// UART: a byte has left, stop bit and all.
    Sent(u8),
    /// UART: a byte has arrived and was not received; why.
    Lost(&'static str),
    /// SPI: the transfer of a byte begins.
    Begin,
    /// SPI: level of the clock, of SIMO.
    Clock(bool),
    Simo(bool),
    Somi(bool),
    /// SPI: the byte has been shifted out.
    End(u8),
}

/// A frame in transit, a bit at a time.
#[derive(Clone, Debug)]
struct Shift {
    byte: u8,
    /// Frame with start, parity and stop bits, bit 0 first.
    frame: u16,
    bits: u8,
    done: u8,
}

/// One USART.
#[derive(Clone, Debug)]
pub struct Usart {
    /// UxCTL, UxTCTL, UxRCTL, UxMCTL, UxBR0, UxBR1, UxRXBUF, UxTXBUF.
    registers: [u8; 8],
    /// Module enables of ME1 or ME2.
    pub transmits: bool,
    pub receives: bool,
    /// UTXIFG, URXIFG, and the start edge flag URXS.
    pub tx_flag: bool,
    pub rx_flag: bool,
    pub start_edge: bool,
    waiting: Option<u8>,
    sending: Option<Shift>,
    /// Tick of BRCLK at which the next bit of `sending` begins.
    tx_tick: u64,
    /// What SOMI brings, known when the transfer begins.
    pub somi: Option<u8>,
    feed: VecDeque<u8>,
    /// A byte on the RX line.
    arriving: Option<Shift>,
    /// Instant of its next bit: the host's clock is not the chip's.
    rx_ps: u64,
    rx_bit_ps: u64,
    /// Some analyzer looks at the SPI lines.
    pub traced: bool,
}

impl Usart {
    pub fn new() -> Usart {
        Usart {
            registers: [SWRST, TXEPT, 0, 0, 0, 0, 0, 0],
            transmits: false,
            receives: false,
            tx_flag: true,
            rx_flag: false,
            start_edge: false,
            waiting: None,
            sending: None,
            tx_tick: 0,
            somi: None,
            feed: VecDeque::new(),
            arriving: None,
            rx_ps: 0,
            rx_bit_ps: 0,
            traced: false,
        }
    }

    pub fn spi(&self) -> bool {
        self.registers[0] & SYNC != 0
    }

    fn master(&self) -> bool {
        self.registers[0] & MM != 0
    }

    fn held(&self) -> bool {
        self.registers[0] & SWRST != 0
    }

    pub fn source(&self) -> Source {
        match self.registers[1] >> 4 & 3 {
            0 => Source::None,
            1 => Source::Aclk,
            _ => Source::Smclk,
        }
    }

    fn divider(&self) -> u64 {
        u64::from(u16::from_le_bytes([self.registers[4], self.registers[5]]))
    }

    /// BRCLK ticks of bit `index` of a frame: the divider and, by the bits of UxMCTL in turn, one more (SLAU049F 13.2.6).
    fn bit_ticks(&self, index: u8) -> u64 {
        let divider = self.divider();
        if self.spi() {
            return divider.max(2); // SLAU049F 14.2.5: at least 2
        }
        divider.max(3) + u64::from(self.registers[3] >> (index & 7) & 1)
    }

    fn data_bits(&self) -> u8 {
        if self.registers[0] & CHAR != 0 {
            8
        } else {
            7
        }
    }

    /// A character as it stands on the line, and its bits: start, data, parity, one or two stop bits.
    fn frame(&self, byte: u8) -> Shift {
        let data = self.data_bits();
        let value = u16::from(byte) & ((1 << data) - 1);
        let mut frame = value << 1;
        let mut bits = 1 + data;
        if self.registers[0] & PENA != 0 {
            let odd = value.count_ones() & 1 == 1;
            let parity = odd == (self.registers[0] & PEV != 0);
            frame |= u16::from(parity) << bits;
            bits += 1;
        }
        let stops = if self.registers[0] & SPB != 0 { 2 } else { 1 };
        for _ in 0..stops {
            frame |= 1 << bits;
            bits += 1;
        }
        Shift {
            byte,
            frame,
            bits,
            done: 0,
        }
    }

    fn has_rate(&self) -> bool {
        !self.held() && self.divider() >= 2 && self.source() != Source::None
    }

    // ---- Registers

    pub fn read(&mut self, offset: u16) -> u8 {
        if offset == 6 {
            self.rx_flag = false;
            self.registers[2] &= !OE;
        }
        self.registers[usize::from(offset & 7)]
    }

    pub fn write(&mut self, offset: u16, value: u8, clocks: &Clocks, ps: u64, effects: &mut Vec<Effect>) {
        match offset {
            0 => {
                if value & SWRST != 0 && !self.held() {
                    // SLAU049F 13.2.1: SWRST resets URXIFG and sets UTXIFG, and stops what is under way.
                    self.waiting = None;
                    self.sending = None;
                    self.tx_flag = true;
                    self.rx_flag = false;
                    self.registers[1] |= TXEPT;
                    self.registers[2] = 0;
                    effects.push(Effect::Tx(true));
                }
                self.registers[0] = value;
                self.idle_lines(effects);
            }
            1 => {
                if value & URXSE == 0 {
                    self.start_edge = false; // SLAU049F 13.2.9
                }
                self.registers[1] = value & !TXEPT | self.registers[1] & TXEPT;
                self.idle_lines(effects);
            }
            6 => {}
            7 => {
                self.registers[7] = value;
                if self.held() || !self.transmits {
                    return;
                }
                self.waiting = Some(value);
                self.tx_flag = false;
                if self.sending.is_none() {
                    self.tx_tick = clocks.ticks(self.source(), ps) + 1;
                    self.load(effects);
                }
            }
            _ => self.registers[usize::from(offset & 7)] = value,
        }
    }

    fn idle_lines(&self, effects: &mut Vec<Effect>) {
        if self.spi() {
            effects.push(Effect::Clock(self.registers[1] & CKPL != 0));
        }
    }

    /// The shift register takes what waits.
    fn load(&mut self, effects: &mut Vec<Effect>) {
        let byte = match self.waiting.take() {
            Some(byte) => byte,
            None => return,
        };
        self.tx_flag = true;
        self.registers[1] &= !TXEPT;
        self.sending = Some(if self.spi() {
            effects.push(Effect::Begin);
            Shift {
                byte,
                frame: 0,
                bits: 2 * self.data_bits(),
                done: 0,
            }
        } else {
            self.frame(byte)
        });
    }

    /// The count of BRCLK breaks at `ps` (a change of clocks): `ticks` before it become those of `clocks`.
    pub fn anchor(&mut self, ticks: u64, clocks: &Clocks, ps: u64) {
        let ahead = self.tx_tick.saturating_sub(ticks);
        self.tx_tick = clocks.ticks(self.source(), ps) + ahead;
    }

    // ---- Events

    pub fn next_event_ps(&self, clocks: &Clocks) -> u64 {
        let arrival = if self.arriving.is_some() { self.rx_ps } else { u64::MAX };
        let departure = match &self.sending {
            Some(shift) if self.spi() => {
                let halves = if self.traced { shift.done } else { shift.bits };
                clocks.instant(self.source(), self.tx_tick + self.bit_ticks(0) * u64::from(halves) / 2)
            }
            Some(_) => clocks.instant(self.source(), self.tx_tick),
            None => u64::MAX,
        };
        clocks.known(self.source(), departure).min(arrival)
    }

    /// What is due at `ps` happens.
    pub fn fire(&mut self, clocks: &Clocks, ps: u64, effects: &mut Vec<Effect>) {
        if self.arriving.is_some() && self.rx_ps <= ps {
            self.receive_bit(clocks, effects);
        }
        if self.sending.is_some() {
            if self.spi() {
                self.shift(clocks, ps, effects);
            } else if clocks.instant(self.source(), self.tx_tick) <= ps {
                self.send_bit(effects);
            }
        }
    }

    fn send_bit(&mut self, effects: &mut Vec<Effect>) {
        let mut shift = match self.sending.take() {
            Some(shift) => shift,
            None => return,
        };
        if shift.done == shift.bits {
            effects.push(Effect::Sent(shift.byte));
            if self.waiting.is_some() {
                self.load(effects);
                return self.send_bit(effects);
            }
            self.registers[1] |= TXEPT;
            return;
        }
        effects.push(Effect::Tx(shift.frame >> shift.done & 1 == 1));
        self.tx_tick += self.bit_ticks(shift.done);
        shift.done += 1;
        self.sending = Some(shift);
    }

    /// SPI: half bits up to `ps`. The first half bit begins at `tx_tick` (SLAU049F figure 14-9).
    fn shift(&mut self, clocks: &Clocks, ps: u64, effects: &mut Vec<Effect>) {
        let polarity = self.registers[1] & CKPL != 0;
        let late = self.registers[1] & CKPH == 0; // data changes with the first edge of the clock
        while let Some(mut shift) = self.sending.take() {
            let half = self.bit_ticks(0) * u64::from(shift.done) / 2;
            if clocks.instant(self.source(), self.tx_tick + half) > ps {
                self.sending = Some(shift);
                return;
            }
            if shift.done == shift.bits {
                self.tx_tick += half;
                effects.push(Effect::Clock(polarity));
                self.finish(&shift, effects);
                continue;
            }
            if self.traced {
                let bit = shift.byte >> (self.data_bits() - 1 - shift.done / 2) & 1 == 1;
                if shift.done % 2 == 0 {
                    effects.push(Effect::Simo(bit));
                    let somi = self.somi.unwrap_or(0xFF) >> (self.data_bits() - 1 - shift.done / 2) & 1 == 1;
                    effects.push(Effect::Somi(somi));
                }
                effects.push(Effect::Clock(
                    polarity != (shift.done % 2 == (if late { 0 } else { 1 })),
                ));
            }
            shift.done += 1;
            self.sending = Some(shift);
        }
    }

    fn finish(&mut self, shift: &Shift, effects: &mut Vec<Effect>) {
        effects.push(Effect::End(shift.byte));
        let arrived = if self.registers[0] & LISTEN != 0 {
            Some(shift.byte)
        } else {
            self.somi
        };
        self.receive(arrived.unwrap_or(0xFF)); // a line without a driver: here high
        if self.waiting.is_some() {
            self.load(effects);
        } else {
            self.registers[1] |= TXEPT;
        }
    }

    fn receive(&mut self, byte: u8) {
        if self.held() || !self.receives {
            return;
        }
        if self.rx_flag {
            self.registers[2] |= OE;
        }
        self.registers[6] = byte;
        self.rx_flag = true;
    }

    // ---- The host's side of a UART

    /// Bytes from the host at the rate that the chip is set to; its clock errors are not the host's, so the rate is
    /// that of the registers at the present frequency. False: no rate is set.
    pub fn feed(&mut self, bytes: &[u8], clocks: &Clocks, ps: u64) -> bool {
        if self.spi() || !self.has_rate() || !clocks.runs(Source::Aclk) && self.source() == Source::Aclk {
            return false;
        }
        self.feed.extend(bytes);
        if self.arriving.is_none() {
            self.next_arrival(clocks, ps);
        }
        true
    }

    /// Time of one bit in eighths, so that the modulation counts.
    fn bit_ps(&self, clocks: &Clocks, ps: u64) -> u64 {
        let ticks: u64 = (0..8).map(|index| self.bit_ticks(index)).sum();
        clocks.span_ps(self.source(), ticks, ps) / 8
    }

    fn next_arrival(&mut self, clocks: &Clocks, ps: u64) {
        if let Some(byte) = self.feed.pop_front() {
            self.arriving = Some(self.frame(byte));
            self.rx_ps = ps;
            self.rx_bit_ps = self.bit_ps(clocks, ps);
        }
    }

    fn receive_bit(&mut self, clocks: &Clocks, effects: &mut Vec<Effect>) {
        let mut shift = match self.arriving.take() {
            Some(shift) => shift,
            None => return,
        };
        if shift.done == shift.bits {
            let ps = self.rx_ps;
            if self.held() || !self.receives {
                effects.push(Effect::Lost("the receiver is off"));
            } else if !clocks.runs(self.source()) {
                effects.push(Effect::Lost("its clock is off"));
            } else {
                self.receive(shift.byte);
            }
            return self.next_arrival(clocks, ps);
        }
        if shift.done == 0 && self.registers[1] & URXSE != 0 && self.receives {
            self.start_edge = true;
        }
        effects.push(Effect::Rx(shift.frame >> shift.done & 1 == 1));
        self.rx_ps += self.rx_bit_ps;
        shift.done += 1;
        self.arriving = Some(shift);
    }

    /// URXIFG, or the start edge that asks for a clock (SLAU049F 13.2.9).
    pub fn rx_request(&self) -> bool {
        self.rx_flag || self.start_edge && self.registers[1] & URXSE != 0
    }

    /// PUC: SWRST is set (SLAU049F 13.3); what the host sends continues.
    pub fn reset(&mut self) {
        let traced = self.traced;
        *self = Usart::new();
        self.traced = traced;
    }

    /// The USART drives its clock and SIMO (SPI master).
    pub fn drives_spi(&self) -> bool {
        self.spi() && self.master()
    }
}

impl Default for Usart {
    fn default() -> Usart {
        Usart::new()
    }
}

//! USART1 to USART3, UART4, UART5 and LPUART1, asynchronous (RM0351 chapters 40 and 41).
//!
//! Bits go over the pins one by one at the rate of the kernel clock, which need not be the core's: times are picoseconds.
//! Not modelled: synchronous, LIN, IrDA, smartcard and half-duplex modes, flow control, auto baud rate, mute mode,
//! receiver time-out, noise.

mod registers;

use crate::clock::Clock;
use crate::soc::stm32::usart::{data_bits, Effect, Frame, Lines};
use crate::soc::stm32l4::rcc::Rate;

const ISR_PE: u32 = 1 << 0;
const ISR_ORE: u32 = 1 << 3;
const ISR_IDLE: u32 = 1 << 4;
const ISR_RXNE: u32 = 1 << 5;
const ISR_TC: u32 = 1 << 6;
const ISR_TXE: u32 = 1 << 7;
const ISR_CMF: u32 = 1 << 17;
const ISR_WUF: u32 = 1 << 20;
const CR1_UE: u32 = 1 << 0;
const CR1_UESM: u32 = 1 << 1;
const CR1_RE: u32 = 1 << 2;
const CR1_TE: u32 = 1 << 3;
const CR1_PS: u32 = 1 << 9;
const CR1_PCE: u32 = 1 << 10;
const CR1_M0: u32 = 1 << 12;
const CR1_OVER8: u32 = 1 << 15;
const CR1_M1: u32 = 1 << 28;
const CR3_DMAR: u32 = 1 << 6;
const CR3_DMAT: u32 = 1 << 7;
const CR3_OVRDIS: u32 = 1 << 12;

/// One USART.
pub struct Usart {
    low_power: bool,
    ppb: i64,
    /// Kernel clock; None: it stands.
    kernel: Option<Rate>,
    /// Bits of a frame that starts at 0 ps; None without rate or kernel clock.
    bit_clock: Option<Clock>,
    cr1: u32,
    cr2: u32,
    cr3: u32,
    brr: u32,
    gtpr: u32,
    rtor: u32,
    isr: u32,
    rdr: u16,
    pub lines: Lines<Clock>,
    /// The chip is in Stop mode and this USART does not work there.
    deaf: bool,
}

impl Usart {
    /// A USART, or an LPUART, on a board whose clocks are off by `ppb`.
    pub fn new(low_power: bool, ppb: i64) -> Usart {
        Usart {
            low_power,
            ppb,
            kernel: None,
            bit_clock: None,
            cr1: 0,
            cr2: 0,
            cr3: 0,
            brr: 0,
            gtpr: 0,
            rtor: 0,
            isr: ISR_TXE | ISR_TC,
            rdr: 0,
            lines: Lines::default(),
            deaf: false,
        }
    }

    /// Reset by RCC. What is on the wire continues.
    pub fn reset(&mut self) {
        *self = Usart {
            kernel: self.kernel,
            lines: self.lines.after_reset(),
            ..Usart::new(self.low_power, self.ppb)
        };
    }

    /// The kernel clock is this from now on; a frame that runs keeps its rate.
    pub fn set_kernel(&mut self, kernel: Option<Rate>) {
        if self.kernel != kernel {
            self.kernel = kernel;
            self.update_rate();
        }
    }

    /// Stop mode begins: without UESM and a kernel clock that continues, nothing is received (40.5.17).
    pub fn stop(&mut self, clock_runs: bool) {
        self.deaf = !clock_runs || self.cr1 & CR1_UESM == 0;
    }

    pub fn woken(&mut self) {
        self.deaf = false;
    }

    /// Kernel clocks of one bit, as a fraction: BRR of them; BRR with its low field doubled, halved, in OVER8 (40.5.4);
    /// BRR/256 in an LPUART (41.4.5).
    fn clocks_per_bit(&self) -> (u64, u64) {
        if self.low_power {
            return (u64::from(self.brr), 256);
        }
        if self.cr1 & CR1_OVER8 != 0 {
            return (u64::from(self.brr & 0xFFF0 | (self.brr & 7) << 1), 2);
        }
        (u64::from(self.brr), 1)
    }

    fn update_rate(&mut self) {
        let (clocks, per) = self.clocks_per_bit();
        let least = if self.low_power { 0x300 } else { 16 };
        self.bit_clock = match self.kernel {
            Some(kernel) if clocks >= least => Some(Clock::new(kernel.num * per, kernel.den * clocks, self.ppb, 0)),
            _ => None,
        };
    }

    fn places(&self) -> u32 {
        match (self.cr1 & CR1_M1 != 0, self.cr1 & CR1_M0 != 0) {
            (true, _) => 7,
            (false, true) => 9,
            (false, false) => 8,
        }
    }

    fn frame(&self, data: u16, start_ps: u64) -> Option<Frame<Clock>> {
        let places = self.places();
        let parity = if self.cr1 & CR1_PCE != 0 {
            Some(self.cr1 & CR1_PS != 0)
        } else {
            None
        };
        let bits = data_bits(data, places, parity);
        let stops = if self.cr2 >> 12 & 3 >= 2 { 2 } else { 1 };
        let clock = self.bit_clock.as_ref()?.starting_at(start_ps);
        Some(Frame::new(clock, bits as u8, bits, places, stops))
    }

    fn transmitting(&self) -> bool {
        self.cr1 & (CR1_UE | CR1_TE) == CR1_UE | CR1_TE
    }

    fn receiving(&self) -> bool {
        self.cr1 & (CR1_UE | CR1_RE) == CR1_UE | CR1_RE && !self.deaf
    }

    /// Bytes from outside, the first one starting at `now_ps` or when the line is free.
    pub fn feed(&mut self, bytes: &[u8], now_ps: u64) {
        if self.lines.feed(bytes) {
            self.next_incoming(now_ps);
        }
    }

    /// False while the rate is not set: nothing can be fed then.
    pub fn has_rate(&self) -> bool {
        self.bit_clock.is_some()
    }

    fn next_incoming(&mut self, start_ps: u64) {
        if self.has_rate() {
            let mut lines = std::mem::take(&mut self.lines);
            lines.next_incoming(|byte| self.frame(u16::from(byte), start_ps));
            self.lines = lines;
        }
    }

    /// Handles what is due by `now_ps`, the instant that [`Lines::next_event`] returned.
    pub fn fire(&mut self, now_ps: u64, effects: &mut Vec<Effect>) {
        let fired = self.lines.fire(now_ps, effects);
        self.isr |= if fired.idle && self.receiving() { ISR_IDLE } else { 0 };
        if fired.sent {
            match self.lines.holding.take() {
                Some(data) => self.shift_out(data, now_ps),
                None => self.isr |= ISR_TC,
            }
        }
        if let Some((data, duration_ps)) = fired.received {
            self.received(data);
            self.next_incoming(now_ps);
            if self.lines.rx.is_none() {
                self.lines.idle_at = Some(now_ps + duration_ps);
            }
        }
    }

    fn received(&mut self, data: u16) {
        if !self.receiving() {
            self.lines.unheard += 1;
            return;
        }
        if self.isr & ISR_RXNE != 0 && self.cr3 & CR3_OVRDIS == 0 {
            self.isr |= ISR_ORE;
            return;
        }
        self.rdr = data;
        self.isr |= ISR_RXNE;
        if u32::from(data & 0xFF) == self.cr2 >> 24 {
            self.isr |= ISR_CMF;
        }
        if self.cr3 >> 20 & 3 == 3 {
            self.isr |= ISR_WUF; // WUS: wake-up on RXNE
        }
    }

    fn shift_out(&mut self, data: u16, now_ps: u64) {
        self.isr |= ISR_TXE;
        self.isr &= !ISR_TC;
        self.lines.tx = self.frame(data, now_ps.max(self.lines.tx_ready));
    }

    /// Level of the interrupt line (40.6, table 250).
    pub fn irq(&self) -> bool {
        let asked = self.isr & self.cr1 & (ISR_IDLE | ISR_RXNE | ISR_TC | ISR_TXE);
        let enabled = |bit: u32| self.cr1 >> bit & 1 == 1;
        asked != 0
            || self.isr & ISR_ORE != 0 && (enabled(5) || self.cr3 & 1 != 0)
            || self.isr & ISR_PE != 0 && enabled(8)
            || self.isr & ISR_CMF != 0 && enabled(14)
            || self.isr & ISR_WUF != 0 && self.cr3 >> 22 & 1 == 1
    }

    /// Whether its interrupt can wake the chip from Stop.
    pub fn wakes(&self) -> bool {
        !self.deaf && self.irq()
    }

    /// DMA requests: receiver, transmitter.
    pub fn dma_requests(&self) -> (bool, bool) {
        (
            self.cr3 & CR3_DMAR != 0 && self.isr & ISR_RXNE != 0,
            self.cr3 & CR3_DMAT != 0 && self.isr & ISR_TXE != 0 && self.transmitting(),
        )
    }
}

//! UART0 with and without EasyDMA, UARTE1 (PS "UARTE", "UART"): bits go over the pins one by one.
//!
//! What STARTTX sends is read from RAM at once, not byte by byte. Not modelled: flow control, parity and framing errors of
//! what comes in.

use super::interface::{At, Interface, Peripheral, Short};
use crate::clock::Clock;
use crate::soc::stm32::usart::{data_bits, Effect, Frame, Lines};
use std::collections::VecDeque;

const STARTRX: u32 = 0;
const STOPRX: u32 = 1;
const STARTTX: u32 = 2;
const STOPTX: u32 = 3;
const SUSPEND: u32 = 7;
const FLUSHRX: u32 = 11;
const RXDRDY: u32 = 2;
const ENDRX: u32 = 4;
const TXDRDY: u32 = 7;
const ENDTX: u32 = 8;
const ERROR: u32 = 9;
const RXTO: u32 = 17;
const RXSTARTED: u32 = 19;
const TXSTARTED: u32 = 20;
const TXSTOPPED: u32 = 22;
const EVENTS: u32 = 0x005A_0397;
const SHORTS: [Short; 2] = [(5, ENDRX, STARTRX), (6, ENDRX, STOPRX)];
/// ENABLE: 4 UART, 8 UARTE.
const UART: u32 = 4;
const UARTE: u32 = 8;
/// Bytes that the receiver keeps after its buffer is full (PS "UARTE", reception: four).
const FIFO_BYTES: usize = 4;
/// The same of the UART: six, of which the first is in RXD (PS "UART", reception).
const UART_FIFO_BYTES: usize = 5;
/// A line that is on no pin.
const DISCONNECTED: u32 = 1 << 31;

/// A buffer of EasyDMA.
#[derive(Clone, Copy, Debug, Default)]
struct Buffer {
    pointer: u32,
    most: u32,
    amount: u32,
}

/// One UARTE.
pub struct Uarte {
    interface: Interface,
    ppb: i64,
    easy_dma_only: bool,
    enable: u32,
    /// RTS, TXD, CTS, RXD.
    psel: [u32; 4],
    baud: u32,
    config: u32,
    error_source: u32,
    tx: Buffer,
    rx: Buffer,
    /// Buffer that STARTTX wants to be read.
    pub fetch: Option<(u32, usize)>,
    /// Bytes for RAM: address, byte.
    pub stores: Vec<(u32, u8)>,
    outgoing: VecDeque<u8>,
    /// The frame in transmission ends a buffer, or it is one of the UART.
    sending: bool,
    stop_after: bool,
    receiving: bool,
    filling: bool,
    received: u32,
    fifo: VecDeque<u8>,
    /// RXD of the UART, and that it was not read yet.
    rxd: u8,
    rxd_full: bool,
    pub lines: Lines<Clock>,
}

impl Uarte {
    /// On a board whose clocks are off by `ppb`. UARTE1 has EasyDMA only.
    pub fn new(easy_dma_only: bool, ppb: i64) -> Uarte {
        Uarte {
            interface: Interface::new(EVENTS, &SHORTS),
            ppb,
            easy_dma_only,
            enable: 0,
            psel: [u32::MAX; 4],
            baud: 0x0400_0000,
            config: 0,
            error_source: 0,
            tx: Buffer::default(),
            rx: Buffer::default(),
            fetch: None,
            stores: Vec::new(),
            outgoing: VecDeque::new(),
            sending: false,
            stop_after: false,
            receiving: false,
            filling: false,
            received: 0,
            fifo: VecDeque::new(),
            rxd: 0,
            rxd_full: false,
            lines: Lines::default(),
        }
    }

    /// The same after a reset; what is on the wire continues.
    pub fn after_reset(&mut self) -> Uarte {
        Uarte {
            lines: self.lines.after_reset(),
            ..Uarte::new(self.easy_dma_only, self.ppb)
        }
    }

    fn enabled(&self) -> bool {
        self.enable == UARTE || self.enable == UART && !self.easy_dma_only
    }

    /// The pin of TXD, if it is on one.
    pub fn txd(&self) -> Option<u32> {
        Some(self.psel[1]).filter(|&psel| self.enabled() && psel & DISCONNECTED == 0)
    }

    /// The pin of RXD.
    pub fn rx_pin(&self) -> Option<u32> {
        Some(self.psel[3]).filter(|&psel| self.enabled() && psel & DISCONNECTED == 0)
    }

    /// 2^32 / 16 MHz is a baud (PS "UARTE", BAUDRATE: the table of values fits).
    fn frame(&self, byte: u8, start_ps: u64) -> Option<Frame<Clock>> {
        if self.baud == 0 {
            return None;
        }
        let parity = if self.config & 0x0E != 0 { Some(false) } else { None };
        let places = 8 + u32::from(parity.is_some());
        let stops = 1 + (self.config >> 4 & 1);
        let clock = Clock::new(u64::from(self.baud) * 16_000_000, 1 << 32, self.ppb, start_ps);
        let bits = data_bits(u16::from(byte), places, parity);
        Some(Frame::new(clock, byte, bits, places, stops))
    }

    /// Bytes from outside, the first one starting at `now_ps` or when the line is free.
    pub fn feed(&mut self, bytes: &[u8], now_ps: u64) {
        if self.lines.feed(bytes) {
            self.next_incoming(now_ps);
        }
    }

    fn next_incoming(&mut self, start_ps: u64) {
        let mut lines = std::mem::take(&mut self.lines);
        lines.next_incoming(|byte| self.frame(byte, start_ps));
        self.lines = lines;
    }

    /// The buffer that [`Uarte::fetch`] asked for.
    pub fn loaded(&mut self, bytes: &[u8], now_ps: u64) {
        self.outgoing = bytes.iter().copied().collect();
        self.tx.amount = 0;
        self.next_outgoing(now_ps);
    }

    fn next_outgoing(&mut self, now_ps: u64) {
        match self.outgoing.pop_front() {
            Some(byte) => self.lines.tx = self.frame(byte, now_ps),
            None => {
                self.sending = false;
                self.interface.raise(ENDTX);
            }
        }
    }

    /// Handles what is due on the lines.
    pub fn fire_lines(&mut self, now_ps: u64, effects: &mut Vec<Effect>) {
        let fired = self.lines.fire(now_ps, effects);
        self.lines.idle_at = None;
        if fired.sent {
            self.interface.raise(TXDRDY);
            self.tx.amount += 1;
            if std::mem::take(&mut self.stop_after) {
                self.outgoing.clear();
                self.interface.raise(TXSTOPPED);
                self.sending = false;
            } else if self.enable == UARTE {
                self.next_outgoing(now_ps);
            } else {
                self.sending = false;
            }
        }
        if let Some((data, _)) = fired.received {
            self.arrived(data as u8);
            self.next_incoming(now_ps);
        }
    }

    fn arrived(&mut self, byte: u8) {
        if !self.receiving || !self.enabled() {
            self.lines.unheard += 1;
        } else if self.enable == UART && !self.rxd_full {
            self.show(byte);
        } else if self.filling {
            self.store(byte);
        } else if self.fifo.len() < self.room() {
            self.fifo.push_back(byte);
        } else {
            self.error_source |= 1; // OVERRUN
            self.interface.raise(ERROR);
        }
    }

    fn room(&self) -> usize {
        if self.enable == UART {
            UART_FIFO_BYTES
        } else {
            FIFO_BYTES
        }
    }

    /// A byte of the UART's FIFO is in RXD.
    fn show(&mut self, byte: u8) {
        (self.rxd, self.rxd_full) = (byte, true);
        self.interface.raise(RXDRDY);
    }

    fn read_rxd(&mut self) -> u32 {
        let byte = self.rxd;
        self.rxd_full = false;
        if let Some(next) = self.fifo.pop_front() {
            self.show(next);
        }
        u32::from(byte)
    }

    fn store(&mut self, byte: u8) {
        self.interface.raise(RXDRDY);
        self.stores.push((self.rx.pointer.wrapping_add(self.received), byte));
        self.received += 1;
        if self.received >= self.rx.most {
            self.end_rx();
        }
    }

    fn end_rx(&mut self) {
        self.rx.amount = self.received;
        self.filling = false;
        self.interface.raise(ENDRX);
    }

    fn start_rx(&mut self) {
        self.receiving = true;
        if self.enable != UARTE {
            return;
        }
        (self.filling, self.received) = (self.rx.most > 0, 0);
        self.interface.raise(RXSTARTED);
        while self.filling {
            match self.fifo.pop_front() {
                Some(byte) => self.store(byte),
                None => break,
            }
        }
    }

    fn start_tx(&mut self) {
        self.stop_after = false;
        if self.enable == UARTE {
            self.sending = true;
            self.fetch = Some((self.tx.pointer, self.tx.most as usize));
            self.interface.raise(TXSTARTED);
        }
    }
}

impl Peripheral for Uarte {
    fn interface(&self) -> &Interface {
        &self.interface
    }

    fn interface_mut(&mut self) -> &mut Interface {
        &mut self.interface
    }

    fn task(&mut self, task: u32, _at: At) -> Option<()> {
        match task {
            STARTRX => self.start_rx(),
            STOPRX => {
                if self.filling {
                    self.end_rx();
                }
                self.receiving = false;
                self.interface.raise(RXTO);
            }
            STARTTX => self.start_tx(),
            STOPTX if self.sending => self.stop_after = true,
            STOPTX => self.interface.raise(TXSTOPPED),
            SUSPEND => {}
            FLUSHRX => self.fifo.clear(),
            _ => return None,
        }
        Some(())
    }

    fn read(&mut self, offset: u32, _at: At) -> Option<u32> {
        Some(match offset {
            0x480 => self.error_source,
            0x500 => self.enable,
            0x508..=0x514 => self.psel[(offset as usize - 0x508) / 4],
            0x518 => self.read_rxd(),
            0x51C => 0,
            0x524 => self.baud,
            0x534 => self.rx.pointer,
            0x538 => self.rx.most,
            0x53C => self.rx.amount,
            0x544 => self.tx.pointer,
            0x548 => self.tx.most,
            0x54C => self.tx.amount,
            0x56C => self.config,
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, at: At) -> Option<()> {
        match offset {
            0x480 => self.error_source &= !value,
            0x500 => self.enable = value & 15,
            0x508..=0x514 => self.psel[(offset as usize - 0x508) / 4] = value,
            0x51C if self.enable == UART && !self.sending => {
                self.sending = true;
                self.lines.tx = self.frame(value as u8, at.ps);
            }
            0x51C => {}
            0x524 => self.baud = value,
            0x534 => self.rx.pointer = value,
            0x538 => self.rx.most = value & 0xFFFF,
            0x544 => self.tx.pointer = value,
            0x548 => self.tx.most = value & 0xFFFF,
            0x56C => self.config = value,
            _ => return None,
        }
        Some(())
    }

    fn next_ps(&self) -> Option<u64> {
        self.lines.next_event()
    }
}

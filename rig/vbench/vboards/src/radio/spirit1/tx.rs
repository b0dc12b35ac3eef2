//! Sending: packets from the TX FIFO, retransmission until the acknowledgement comes (data sheet, section on the link layer
//! protocol; library, SPIRIT_PktStack.h).
//!
//! The packet's length is in registers, so its end is known from the first bit on. Bytes that are still to be written into
//! the FIFO go on the air as they come: whenever the transmitter reaches one that it has not announced to the air yet, it
//! announces it again, a byte of at least 16 us before anybody can have received it.

use super::packet::{Format, Header};
use super::regs::{self, irq, protocol};
use super::state::Goal;
use super::{Kind, Spirit1};
use crate::air::{Message, Signal};
use std::sync::Arc;

/// The own packet on the air.
#[derive(Clone, Debug)]
pub(super) struct Sending {
    pub frame: u32,
    pub start_ps: u64,
    cause: Cause,
    format: Format,
    header: Header,
    /// Bytes of payload known so far, of the total.
    payload: Vec<u8>,
    length: usize,
    /// Of them on the air.
    sent: usize,
    /// Where the first bit after the sync word begins.
    body_ps: u64,
}

/// Why a packet goes out.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Cause {
    Fifo,
    Again,
    Ack,
}

/// A packet that waits for its acknowledgement.
#[derive(Clone, Debug, Default)]
pub(super) struct Transaction {
    retries: u8,
    payload: Vec<u8>,
}

impl Spirit1 {
    /// Command TX.
    pub(super) fn start_transmission(&mut self) {
        self.transaction = None;
        self.acknowledging = None;
        self.attempt();
    }

    /// Tells the air of a packet whose first bit goes out at `start_ps`.
    pub(super) fn announce(&mut self, start_ps: u64) {
        let frame = self.frames_sent;
        self.frames_sent += 1;
        let waveform = self.waveform();
        let signal = Signal::Start {
            start_ps,
            waveform,
            ppb: self.oscillator.ppb(),
            power_dbm: self.power_dbm(),
        };
        self.send_signal(frame, signal);
        let cause = match (&self.acknowledging, &self.transaction) {
            (Some(_), _) => Cause::Ack,
            (None, Some(_)) => Cause::Again,
            (None, None) => Cause::Fifo,
        };
        self.tx = Some(Sending {
            frame,
            start_ps,
            cause,
            format: self.format(),
            header: Header::default(),
            payload: Vec::new(),
            length: 0,
            sent: 0,
            body_ps: 0,
        });
        self.at(self.oscillator.later(start_ps, waveform.shr_ps), Kind::TxBody);
    }

    fn send_signal(&mut self, frame: u32, signal: Signal) {
        self.outbox.push(Message {
            source: self.board,
            frame,
            signal,
        });
    }

    pub(super) fn format(&self) -> Format {
        let (ctrl_4, ctrl_3) = (self.reg(regs::PCKTCTRL4), self.reg(regs::PCKTCTRL3));
        let variable = self.reg(regs::PCKTCTRL2) & 1 != 0;
        let ctrl_1 = self.reg(regs::PCKTCTRL1);
        Format {
            stack: ctrl_3 >> 6 == 3,
            length_bits: if variable { Some((ctrl_3 & 0x0F) + 1) } else { None },
            address_bytes: ctrl_4 >> 3 & 3,
            control_bytes: ctrl_4 & 7,
            crc_mode: ctrl_1 >> 5,
            whitening: ctrl_1 & 0x10 != 0,
            fec: ctrl_1 & 0x01 != 0,
        }
    }

    fn own_header(&self, length: usize) -> Header {
        Header {
            length,
            destination: self.reg(regs::RX_SOURCE_ADDR),
            source: self.reg(regs::TX_SOURCE_ADDR),
            control: [3, 2, 1, 0].map(|n| self.reg(regs::TX_CTRL_FIELD3 + n)),
            sequence: self.tx_sequence,
            no_ack: self.reg(regs::PROTOCOL0) & protocol::NACK_TX != 0,
        }
    }

    /// The sync word is out: what follows is known.
    pub(super) fn tx_body(&mut self) {
        let mut sending = match self.tx.take() {
            Some(sending) => sending,
            None => return,
        };
        let extra = sending.format.extra();
        sending.payload = match (&sending.cause, &self.transaction) {
            (Cause::Ack, _) => Vec::new(),
            (Cause::Again, Some(transaction)) => transaction.payload.clone(),
            _ => self.tx_fifo.iter().collect(),
        };
        sending.header = match self.acknowledging {
            Some(header) => header,
            None => {
                self.own_header(usize::from(self.reg(regs::PCKTLEN1)) << 8 | usize::from(self.reg(regs::PCKTLEN1 + 1)))
            }
        };
        sending.length = sending.header.length.saturating_sub(extra);
        sending.payload.truncate(sending.length);
        sending.body_ps = self.now_ps;
        let end_ps = self.later(self.bits_ps(sending.format.bits(sending.length)));
        self.say_body(&sending);
        if sending.format.bits(sending.length) % 8 != 0 {
            self.send_signal(sending.frame, Signal::Cut { end_ps });
        }
        if sending.length > 0 && sending.cause == Cause::Fifo {
            self.await_byte(&sending);
        }
        self.at(end_ps, Kind::TxEnd);
        self.tx = Some(sending);
    }

    fn say_body(&mut self, sending: &Sending) {
        let mut payload = sending.payload.clone();
        payload.resize(sending.length, 0);
        let psdu = Arc::from(sending.format.encode(&sending.header, &payload));
        self.send_signal(sending.frame, Signal::Body { psdu });
    }

    /// The next byte of payload leaves the FIFO when the air has come to it.
    fn await_byte(&mut self, sending: &Sending) {
        let apart = sending.format.bits_to(1) - sending.format.bits_to(0);
        let bits = sending.format.head_bits() + sending.sent as u64 * apart;
        let due_ps = self.oscillator.later(sending.body_ps, self.bits_ps(bits));
        self.at(due_ps, Kind::TxByte);
    }

    /// A byte of payload leaves the FIFO.
    pub(super) fn tx_byte(&mut self) {
        let mut sending = match self.tx.take() {
            Some(sending) => sending,
            None => return,
        };
        let byte = match self.tx_fifo.pop() {
            Some(byte) => byte,
            None => {
                self.tx = Some(sending);
                self.raise(irq::TX_FIFO_ERROR);
                return self.command(regs::command::SABORT);
            }
        };
        if sending.sent == sending.payload.len() {
            sending.payload.push(byte);
            sending.payload.extend(self.tx_fifo.iter());
            sending.payload.truncate(sending.length);
            self.say_body(&sending);
        }
        sending.sent += 1;
        if sending.sent < sending.length {
            self.await_byte(&sending);
        }
        self.tx = Some(sending);
        self.watch_fifos();
    }

    pub(super) fn tx_end(&mut self) {
        let sending = match self.tx.take() {
            Some(sending) => sending,
            None => return,
        };
        if sending.cause == Cause::Ack {
            self.acknowledging = None;
            return self.reception_over();
        }
        if sending.format.stack && !sending.header.no_ack {
            let transaction = self.transaction.get_or_insert_with(Transaction::default);
            transaction.payload = sending.payload;
            return self.go(Goal::AckWait);
        }
        self.sent(irq::TX_DATA_SENT);
    }

    /// A transmission and all that belongs to it is over.
    pub(super) fn sent(&mut self, result: u32) {
        self.cancel(Kind::RxTimeout);
        let retries = self.transaction.take().map_or(0, |transaction| transaction.retries);
        self.tx_info = self.tx_sequence << 4 | retries;
        self.tx_sequence = (self.tx_sequence + 1) & 3;
        self.raise(result);
        if self.reg(regs::PROTOCOL0) & protocol::PERS_TX != 0 {
            self.note(20, || {
                "radio: persistent transmission is not modelled, one packet goes".into()
            });
        }
        self.done();
    }

    /// No acknowledgement before the RX timeout: NMAX_RETX more attempts (library, PROTOCOL0).
    pub(super) fn ack_missing(&mut self) {
        self.awaits_ack = false;
        self.listening_since = None;
        self.rx = None;
        let most = self.reg(regs::PROTOCOL0) >> 4;
        let again = self.transaction.as_mut().map_or(false, |transaction| {
            let again = transaction.retries < most;
            transaction.retries += u8::from(again);
            again
        });
        if again {
            self.attempt();
        } else {
            self.sent(irq::MAX_RE_TX_REACH);
        }
    }
}

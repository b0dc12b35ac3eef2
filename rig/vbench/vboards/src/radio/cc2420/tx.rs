//! Sending: the TXFIFO, frames from it and acknowledgements (sections 16.1, 16.5, 17.1).

use super::fifo::{TxFifo, FIFO_BYTES};
use super::regs::{self, mdmctrl0, ram, State};
use super::{timing, Cc2420, Kind};
use crate::air::{Message, Signal, BYTE_PS, REACTION_PS};
use crate::radio::ieee802154::{ack, fcs};
use std::sync::Arc;

/// The own frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sending {
    pub start_ps: u64,
    /// Its number, once the air knows of it.
    pub frame: Option<u32>,
    /// Where the length byte begins.
    header_ps: u64,
    /// Bytes of the PSDU; known when the SFD is over.
    length: usize,
    /// An acknowledgement: sequence number and pending flag.
    ack: Option<(u8, bool)>,
}

impl Cc2420 {
    /// A write over the SPI. The TXFIFO holds one frame.
    pub(super) fn write_txfifo(&mut self, byte: u8) {
        if self.txfifo.sent && self.tx.is_none() && !self.tx_underflow {
            self.txfifo = TxFifo::default();
        }
        if self.txfifo.written == FIFO_BYTES {
            self.note(20, || {
                "radio: more than 128 bytes into the TXFIFO, the rest is dropped".into()
            });
            return;
        }
        self.ram[ram::TXFIFO + self.txfifo.written] = byte;
        self.txfifo.written += 1;
        self.txfifo_changed();
    }

    pub(super) fn flush_tx(&mut self) {
        self.txfifo = TxFifo::default();
        self.tx_underflow = false;
    }

    /// A frame, or an acknowledgement, whose first symbol is due at `start_ps`.
    pub(super) fn start_frame(&mut self, state: State, start_ps: u64, ack: Option<(u8, bool)>) {
        let header_ps = self.oscillator.later(start_ps, self.waveform().shr_ps);
        self.tx = Some(Sending {
            start_ps,
            frame: None,
            header_ps,
            length: 0,
            ack,
        });
        self.locked = false;
        self.enter(state);
        self.at(start_ps - REACTION_PS, Kind::TxAnnounce(start_ps));
        self.at(start_ps, Kind::TxPreamble);
        self.at(header_ps, Kind::TxSfd);
    }

    pub(super) fn announce(&mut self, start_ps: u64) {
        let level = usize::from(self.reg(regs::TXCTRL) & 0x1F) >> 2;
        let signal = Signal::Start {
            start_ps,
            waveform: self.waveform(),
            ppb: self.oscillator.ppb(),
            power_dbm: timing::PA_DBM[level],
        };
        let frame = self.frames_sent;
        self.frames_sent += 1;
        if let Some(sending) = self.tx.as_mut() {
            sending.frame = Some(frame);
        }
        self.outbox.push(Message {
            source: self.board,
            frame,
            signal,
        });
    }

    pub(super) fn preamble(&mut self) {
        let is_ack = self.tx.map_or(false, |sending| sending.ack.is_some());
        self.locked = true;
        self.enter(if is_ack {
            State::TxAckPreamble
        } else {
            State::TxPreamble
        });
    }

    /// The SFD is over: its line rises, and what follows comes from the TXFIFO.
    pub(super) fn sfd_sent(&mut self) {
        let sending = match self.tx {
            Some(sending) => sending,
            None => return,
        };
        self.enter(if sending.ack.is_some() {
            State::TxAck
        } else {
            State::TxFrame
        });
        self.set_sfd(true);
        let length = if sending.ack.is_some() {
            5
        } else {
            usize::from(self.ram[ram::TXFIFO] & 0x7F)
        };
        if let Some(sending) = self.tx.as_mut() {
            sending.length = length;
        }
        self.tell_body();
        let end_ps = self.oscillator.later(sending.header_ps, (1 + length as u64) * BYTE_PS);
        self.at(end_ps, Kind::TxEnd);
        if sending.ack.is_none() {
            self.fetch();
        }
    }

    /// Bytes of the TXFIFO that the frame in transmission needs: its checksum may be the chip's.
    fn needed(&self, length: usize) -> usize {
        let auto_crc = self.reg(regs::MDMCTRL0) & mdmctrl0::AUTOCRC != 0;
        1 + if auto_crc { length.saturating_sub(2) } else { length }
    }

    /// A byte is due. Those written are in transit; the first that is not makes an underflow when its turn comes.
    pub(super) fn fetch(&mut self) {
        let sending = match self.tx {
            Some(sending) => sending,
            None => return,
        };
        let written = self.txfifo.written;
        if written >= self.needed(sending.length) {
            return;
        }
        let due_ps = self.oscillator.later(sending.header_ps, written as u64 * BYTE_PS);
        if due_ps > self.now_ps {
            self.at(due_ps, Kind::TxFetch);
            return;
        }
        self.quiet();
        self.tx_underflow = true;
        self.enter(State::TxUnderflow);
    }

    /// The RAM of the TXFIFO has changed; a frame in transmission changes with it.
    pub(super) fn txfifo_changed(&mut self) {
        if matches!(self.state, State::TxFrame) {
            self.tell_body();
        }
    }

    fn tell_body(&mut self) {
        let sending = match self.tx {
            Some(sending) => sending,
            None => return,
        };
        let psdu = match sending.ack {
            Some((sequence, pending)) => ack(sequence, pending).to_vec(),
            None => {
                let mut psdu = self.ram[ram::TXFIFO + 1..=ram::TXFIFO + sending.length].to_vec();
                let body = self.needed(sending.length) - 1;
                if body < psdu.len() {
                    let check = fcs(&psdu[..body]).to_le_bytes();
                    psdu[body..].copy_from_slice(&check[..sending.length - body]);
                }
                psdu
            }
        };
        if let Some(frame) = sending.frame {
            let signal = Signal::Body { psdu: Arc::from(psdu) };
            self.outbox.push(Message {
                source: self.board,
                frame,
                signal,
            });
        }
    }

    pub(super) fn frame_sent(&mut self) {
        if let Some(sending) = self.tx.take() {
            self.txfifo.sent |= sending.ack.is_none();
        }
        self.set_sfd(false);
        self.calibrate_rx();
    }
}

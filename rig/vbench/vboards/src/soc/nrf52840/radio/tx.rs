//! Sending (PS "RADIO", IEEE 802.15.4 operation, transmit sequence).

use super::{event, registers, timing, Kind, Radio, State, Transfer};
use crate::air::{Message, Signal, BYTE_PS, MAX_FRAME_BYTES, REACTION_PS, SHR_PHR_PS, SHR_PS};
use crate::radio::ieee802154::fcs;
use std::sync::Arc;

/// The own frame.
#[derive(Clone, Debug)]
pub(super) struct Sending {
    pub frame: u32,
    pub start_ps: u64,
    /// START has come.
    started: bool,
    psdu: Arc<[u8]>,
}

impl Radio {
    /// A frame whose first symbol comes [`timing::TX_DELAY`] after READY: the air learns of it, if a shortcut will start it.
    pub(super) fn announce(&mut self, start_ps: u64) {
        let will_start =
            self.interface.has_short(registers::READY_START) || self.interface.has_short(registers::TXREADY_START);
        if self.state == State::TxRampUp && will_start {
            self.announce_at(start_ps);
        }
    }

    fn announce_at(&mut self, start_ps: u64) {
        let frame = self.frames_sent;
        self.frames_sent += 1;
        self.outbox.push(Message {
            source: self.board,
            frame,
            signal: Signal::Start {
                start_ps,
                waveform: self.waveform(),
                ppb: self.ppb,
                power_dbm: i32::from(self.word(registers::TXPOWER) as u8 as i8),
            },
        });
        self.tx = Some(Sending {
            frame,
            start_ps,
            started: false,
            psdu: Arc::new([]),
        });
    }

    /// READY has come, and the shortcut that was to start the frame is gone.
    pub(super) fn drop_unstarted(&mut self) {
        let will_start =
            self.interface.has_short(registers::READY_START) || self.interface.has_short(registers::TXREADY_START);
        if !will_start {
            self.break_off();
        }
    }

    /// START in TXIDLE.
    pub(super) fn send(&mut self) {
        if self.tx.is_none() {
            let start_ps = self.later(self.now_ps, REACTION_PS);
            self.note(5, || {
                "radio: START without a shortcut from READY: its frame is on the air 15 us later than in silicon".into()
            });
            self.announce_at(start_ps);
        }
        let start_ps = match self.tx.as_mut() {
            Some(sending) => {
                sending.started = true;
                sending.start_ps
            }
            None => return,
        };
        self.enter(State::Tx);
        let pointer = self.word(registers::PACKETPTR);
        self.transfers.push(Transfer::Fetch(pointer));
        let begin_ps = start_ps - timing::TX_DELAY;
        self.at(self.later(begin_ps, SHR_PS), Kind::TxSfd);
        self.at(self.later(begin_ps, SHR_PHR_PS), Kind::TxPhr);
    }

    /// The frame that EasyDMA has fetched: its length and what follows.
    pub fn loaded(&mut self, buffer: &[u8]) {
        let includes_crc = self.word(registers::PCNF0) >> 26 & 1 == 1;
        let crc_bytes = (self.word(registers::CRCCNF) & 3) as usize;
        let length = usize::from(buffer[0] & 0x7F);
        let body = if includes_crc {
            length.saturating_sub(crc_bytes)
        } else {
            length
        };
        let total = (body + crc_bytes).min(MAX_FRAME_BYTES);
        let mut psdu = buffer[1..=body.min(MAX_FRAME_BYTES)].to_vec();
        if crc_bytes > 0 {
            if crc_bytes != 2 || self.word(registers::CRCPOLY) & 0xFFFF != 0x1021 || self.word(registers::CRCINIT) != 0
            {
                self.note(6, || {
                    "radio: a checksum other than that of IEEE 802.15.4 is not modelled".into()
                });
            }
            let check = fcs(&psdu).to_le_bytes();
            psdu.extend(check.iter().chain([0; 2].iter()).take(crc_bytes));
        }
        psdu.truncate(total);
        if let Some(sending) = self.tx.as_mut() {
            sending.psdu = Arc::from(psdu);
        }
    }

    pub(super) fn sfd_sent(&mut self) {
        let (frame, psdu) = match self.tx.as_ref() {
            Some(sending) => (sending.frame, Arc::clone(&sending.psdu)),
            None => return,
        };
        self.interface.raise(event::ADDRESS);
        self.outbox.push(Message {
            source: self.board,
            frame,
            signal: Signal::Body { psdu },
        });
    }

    pub(super) fn phr_sent(&mut self) {
        self.interface.raise(event::FRAMESTART);
        let (start_ps, length) = match self.tx.as_ref() {
            Some(sending) => (sending.start_ps, sending.psdu.len() as u64),
            None => return,
        };
        let end_of = |bytes: u64| self.later(start_ps, SHR_PHR_PS + bytes * BYTE_PS);
        let (payload_ps, air_end_ps) = (end_of(length.saturating_sub(2)), end_of(length));
        self.at(self.edge(payload_ps - timing::TX_END_LEAD), Kind::TxPayload);
        self.at(self.edge(air_end_ps - timing::TX_END_LEAD), Kind::TxEnd);
        self.at(air_end_ps, Kind::TxPhyEnd);
    }

    pub(super) fn frame_sent(&mut self) {
        self.tx = None;
        self.enter(State::TxIdle);
        self.interface.raise(event::PHYEND);
    }

    /// Ends whatever continues. A carrier stays up for [`REACTION_PS`] more: the power that a real amplifier takes down
    /// faster (unverified) must not be missed by a board that has run ahead.
    pub(super) fn break_off(&mut self) {
        self.cancel(|kind| !matches!(kind, Kind::Sync(_)));
        self.rx = None;
        self.cca_since = None;
        if let Some(sending) = self.tx.take() {
            let end_ps = (self.now_ps + REACTION_PS).max(sending.start_ps);
            self.outbox.push(Message {
                source: self.board,
                frame: sending.frame,
                signal: Signal::Cut { end_ps },
            });
        }
    }

    /// BCSTART: BCMATCH comes when BCC bits are over.
    pub(super) fn count_bits(&mut self) {
        let bits = u64::from(self.word(registers::BCC));
        self.after(bits * timing::BIT, Kind::BitCount);
    }
}

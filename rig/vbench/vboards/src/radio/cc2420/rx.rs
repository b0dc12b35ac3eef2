//! Receiving: synchronisation, the RXFIFO, address recognition, acknowledgements (sections 14.2, 16, 17.2).

use super::fifo::RxFifo;
use super::regs::{self, iocfg0, mdmctrl0, ram, State};
use super::{timing, Cc2420, Kind};
use crate::air::{Carrier, Modulation, BYTE_PS, SYMBOL_PS};
use crate::radio::filter::{self, Identity};
use crate::radio::ieee802154::{ack_request, fcs_valid};
use crate::rng::{draw, Purpose};

/// The frame being received.
#[derive(Clone, Debug)]
pub(super) struct Reception {
    source: u16,
    frame: u32,
    /// Bytes of the PSDU, unchanged.
    bytes: Vec<u8>,
    length: usize,
    damaged: bool,
    accepted: bool,
    rssi: i8,
    /// SACK or SACKPEND came while it was received.
    acknowledge: bool,
}

/// What later strobes must know of the frame received last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Last {
    sequence: Option<u8>,
}

impl Cc2420 {
    /// The SHR of the carriers that began at `start_ps` is over.
    pub(super) fn sync(&mut self, start_ps: u64) {
        match self.searching_since {
            Some(since) if since <= start_ps + timing::PREAMBLE_SPARE => {}
            _ => return,
        }
        let own = self.waveform();
        let air_ps = self.now_ps - timing::RX_DELAY;
        let found = self.ether.starting(start_ps).find(|c| {
            c.waveform.modulation == Modulation::Oqpsk
                && own.modulation == Modulation::Oqpsk
                && c.waveform.centre_khz == own.centre_khz
                && c.rssi_dbm >= timing::SENSITIVITY_DBM
                && !c.lost
                && !c.cut
                && !self.ether.disturbed(c, c.start_ps, air_ps, timing::SENSITIVITY_DBM)
        });
        let (source, frame, length_ps) = match found {
            Some(carrier) => (carrier.source, carrier.frame, Cc2420::byte_end_ps(carrier, 0)),
            None => return,
        };
        self.rx = Some(Reception {
            source,
            frame,
            bytes: Vec::new(),
            length: 0,
            damaged: false,
            accepted: false,
            rssi: -128,
            acknowledge: false,
        });
        self.enter(State::RxFrame);
        self.set_sfd(true);
        self.at(self.heard(length_ps), Kind::RxByte(0));
    }

    /// Where byte `index` of a frame ends in the air, 0 being its length.
    fn byte_end_ps(carrier: &Carrier, index: usize) -> u64 {
        carrier.byte_ps(index)
    }

    /// The same of a byte of the frame under reception.
    fn air_end_ps(&self, rx: &Reception, index: usize) -> u64 {
        let carrier = self.ether.find(rx.source, rx.frame);
        carrier.map_or(self.now_ps, |carrier| Cc2420::byte_end_ps(carrier, index))
    }

    /// A byte is complete.
    pub(super) fn byte(&mut self, index: usize) {
        let mut rx = match self.rx.take() {
            Some(rx) => rx,
            None => return,
        };
        let (byte, damaged, end_ps) = match self.arrived(&rx, index) {
            Some(arrived) => arrived,
            None => return self.lose_frame(),
        };
        if index == 0 {
            rx.length = usize::from(byte & 0x7F);
        } else {
            rx.bytes.push(byte);
        }
        rx.damaged |= damaged;
        if index == (timing::RSSI_SYMBOLS * SYMBOL_PS / BYTE_PS) as usize {
            rx.rssi = self.rssi_average(end_ps); // the 8 symbols after the SFD: 16.3
        }
        let stored = if index == 0 { byte } else { self.to_store(&rx, byte) };
        match self.rxfifo.push() {
            Some(place) => self.ram[ram::RXFIFO + place] = stored,
            None => return self.overflow(),
        }
        let last = index == rx.length;
        if !rx.accepted && !self.judge(&mut rx, last) {
            return self.refuse(&rx, index);
        }
        if rx.accepted {
            self.rxfifo.accept();
        }
        if last {
            return self.frame_complete(rx, end_ps);
        }
        let next_ps = self.air_end_ps(&rx, index + 1);
        self.rx = Some(rx);
        self.show_fifo();
        self.at(self.heard(next_ps), Kind::RxByte(index + 1));
    }

    /// A byte off the air, whether something spoiled it, and where it ended; None if without a length.
    fn arrived(&self, rx: &Reception, index: usize) -> Option<(u8, bool, u64)> {
        let carrier = self.ether.find(rx.source, rx.frame)?;
        let psdu = carrier.psdu.as_ref()?;
        let end_ps = Cc2420::byte_end_ps(carrier, index);
        let gone = carrier.cut && carrier.end_ps < end_ps;
        let noisy = self
            .ether
            .disturbed(carrier, end_ps - BYTE_PS, end_ps, timing::SENSITIVITY_DBM);
        let spoiled = gone || noisy;
        if index == 0 {
            return if spoiled {
                None
            } else {
                Some((psdu.len() as u8, false, end_ps))
            };
        }
        let byte = psdu.get(index - 1).copied().unwrap_or(0);
        let keys = [u64::from(self.board), u64::from(rx.source), u64::from(rx.frame)];
        let noise = draw(self.seed, Purpose::Damage, &keys, index as u64 - 1) as u8 | 1;
        Some((if spoiled { byte ^ noise } else { byte }, spoiled, end_ps))
    }

    /// The content of the RXFIFO for a byte: with AUTOCRC the checksum gives way to RSSI, and to CRC OK and correlation
    /// (16.3, figure 21).
    fn to_store(&self, rx: &Reception, byte: u8) -> u8 {
        if self.reg(regs::MDMCTRL0) & mdmctrl0::AUTOCRC == 0 {
            return byte;
        }
        match rx.length - rx.bytes.len() {
            1 => rx.rssi as u8,
            0 => {
                let good = fcs_valid(&rx.bytes);
                let correlation = if rx.damaged {
                    timing::CORRELATION_BAD
                } else {
                    timing::CORRELATION_GOOD
                };
                if good {
                    0x80 | correlation
                } else {
                    correlation
                }
            }
            _ => byte,
        }
    }

    fn identity(&self) -> Identity {
        let at = |place: usize, bytes: usize| {
            let bytes = self.ram[place..place + bytes].iter().rev();
            bytes.fold(0u64, |sum, &byte| sum << 8 | u64::from(byte))
        };
        let mode = self.reg(regs::MDMCTRL0);
        Identity {
            pan: at(ram::PANID, 2) as u16,
            short: at(ram::SHORTADR, 2) as u16,
            ieee: at(ram::IEEEADR, 8),
            coordinator: mode & mdmctrl0::PAN_COORDINATOR != 0,
            accepts_reserved: mode & mdmctrl0::RESERVED_FRAME_MODE != 0,
            accepts_beacons: self.reg(regs::IOCFG0) & iocfg0::BCN_ACCEPT != 0,
        }
    }

    /// Address recognition as far as the bytes go; false: the frame is refused.
    fn judge(&self, rx: &mut Reception, last: bool) -> bool {
        if self.reg(regs::MDMCTRL0) & mdmctrl0::ADR_DECODE == 0 {
            rx.accepted = true;
            return true;
        }
        let mut complete = rx.bytes.clone();
        complete.resize(rx.length, 0);
        if rx.bytes.len() < 2 && !last {
            return true; // the frame control field is not in
        }
        let verdict = filter::recognise(&complete, &self.identity());
        if rx.bytes.len() < verdict.known_after && !last {
            return true;
        }
        rx.accepted = verdict.accepted;
        verdict.accepted
    }

    /// SFD falls at once, the RXFIFO forgets the frame; the next is searched for when this one is over (16.4).
    fn refuse(&mut self, rx: &Reception, index: usize) {
        self.rxfifo.reject();
        self.enter(State::RxWait);
        self.set_sfd(false);
        let end_ps = self.air_end_ps(rx, rx.length.max(index));
        self.at(self.heard(end_ps), Kind::RxWaitEnd);
    }

    fn lose_frame(&mut self) {
        self.rxfifo.reject();
        self.set_sfd(false);
        self.search();
    }

    /// Section 14.3: what is in the RXFIFO can be read, nothing more comes in until SFLUSHRX.
    fn overflow(&mut self) {
        self.rxfifo.accept();
        self.enter(State::RxOverflow);
    }

    fn frame_complete(&mut self, rx: Reception, end_ps: u64) {
        self.rxfifo.accept();
        self.rxfifo.frame_complete = true;
        self.set_sfd(false);
        let good = fcs_valid(&rx.bytes);
        self.last.sequence = if good { rx.bytes.get(2).copied() } else { None };
        let mode = self.reg(regs::MDMCTRL0);
        let automatic = mode & mdmctrl0::AUTOACK != 0 && mode & mdmctrl0::ADR_DECODE != 0;
        let asked = automatic && ack_request(&rx.bytes) && !to_all(&rx.bytes);
        if good && (asked || rx.acknowledge) {
            self.send_ack(self.oscillator.later(end_ps, timing::ACK));
        } else {
            self.search();
        }
    }

    /// Acknowledges the frame received last, if its checksum was right.
    fn send_ack(&mut self, start_ps: u64) {
        if let Some(sequence) = self.last.sequence {
            let pending = self.pending_flag;
            self.start_frame(State::TxAckCalibrate, start_ps, Some((sequence, pending)));
        }
    }

    /// SACK, SACKPEND: during a frame for its end, otherwise 12 symbol periods from now, for a slotted network (16.5).
    pub(super) fn acknowledge(&mut self, pending: bool) {
        self.pending_flag = pending;
        match (self.state, self.rx.as_mut()) {
            (State::RxFrame, Some(rx)) => rx.acknowledge = true,
            (State::RxSfdSearch, _) => self.send_ack(self.later(timing::ACK)),
            _ => {}
        }
    }

    /// SFLUSHRX. After an overflow it takes two of them until SFD is idle again (14.3).
    pub(super) fn strobe_flush_rx(&mut self) {
        let overflowed = self.state == State::RxOverflow;
        let receiving = self.rx.take().is_some();
        self.cancel(|kind| matches!(kind, Kind::RxByte(_) | Kind::RxWaitEnd));
        self.flush_rx();
        if overflowed || receiving || self.state == State::RxWait {
            self.search();
        }
        if !overflowed && self.tx.is_none() {
            self.set_sfd(false);
        }
        self.show_fifo();
    }

    pub(super) fn flush_rx(&mut self) {
        self.rxfifo = RxFifo::default();
        self.last = Last::default();
    }
}

/// A frame to every node is not acknowledged (IEEE 802.15.4-2003, 7.5.6.4).
fn to_all(psdu: &[u8]) -> bool {
    let header = crate::radio::ieee802154::Header::of(psdu);
    header.dst_mode == 2 && psdu.len() >= header.bytes() && header.dst(psdu) == 0xFFFF
}

//! Receiving (PS "RADIO", IEEE 802.15.4 operation, receive sequence).

use super::{cca, event, registers, timing, Kind, Radio, State, Transfer};
use crate::air::{lasting_ps, Carrier, Modulation, BYTE_PS, MAX_FRAME_BYTES};
use crate::radio::ieee802154::{fcs, fcs_valid};
use crate::rng::{draw, Purpose};

/// The frame being received.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reception {
    source: u16,
    frame: u32,
    /// Bytes that its length field names.
    length: usize,
    /// Bytes that are in RAM.
    stored: usize,
}

impl Radio {
    /// The SHR of the carriers that began at `start_ps` is over.
    pub(super) fn sync(&mut self, start_ps: u64) {
        match self.searching_since {
            Some(since) if self.rx.is_none() && since <= start_ps + timing::PREAMBLE_SPARE => {}
            _ => return,
        }
        let waveform = self.waveform();
        let found = self.ether.starting(start_ps).find(|carrier| {
            let shr_ps = carrier.at_ps(carrier.waveform.shr_ps);
            carrier.waveform == waveform
                && waveform.modulation == Modulation::Oqpsk
                && carrier.rssi_dbm >= timing::SENSITIVITY_DBM
                && !carrier.lost
                && !carrier.cut
                && !self
                    .ether
                    .disturbed(carrier, carrier.start_ps, shr_ps, timing::SENSITIVITY_DBM)
        });
        let (source, frame, length_ps) = match found {
            Some(carrier) => (carrier.source, carrier.frame, carrier.byte_ps(0)),
            None => return,
        };
        self.rx = Some(Reception {
            source,
            frame,
            length: 0,
            stored: 0,
        });
        self.interface.raise(event::ADDRESS);
        self.at(self.heard(length_ps), Kind::RxPhr);
    }

    /// The carrier under reception, if its content is known.
    fn received(&self) -> Option<(Reception, Carrier)> {
        let rx = self.rx?;
        let carrier = self.ether.find(rx.source, rx.frame)?;
        Some((rx, carrier.clone()))
    }

    /// Nothing comes of the frame: the search continues.
    fn lose_frame(&mut self) {
        self.rx = None;
        self.searching_since = Some(self.now_ps);
    }

    fn spoiled(&self, carrier: &Carrier, from_ps: u64, to_ps: u64) -> bool {
        let gone = carrier.cut && carrier.end_ps < to_ps;
        gone || self.ether.disturbed(carrier, from_ps, to_ps, timing::SENSITIVITY_DBM)
    }

    pub(super) fn length_received(&mut self) {
        let (rx, carrier) = match self.received() {
            Some(received) => received,
            None => return self.lose_frame(),
        };
        let end_ps = carrier.byte_ps(0);
        let phr_ps = end_ps - lasting_ps(BYTE_PS, carrier.ppb);
        let length = match carrier.psdu.as_ref() {
            Some(psdu) if !self.spoiled(&carrier, phr_ps, end_ps) => psdu.len(),
            _ => return self.lose_frame(),
        };
        self.rx = Some(Reception { length, ..rx });
        let pointer = self.word(registers::PACKETPTR);
        self.transfers.push(Transfer::Store(pointer, vec![length as u8]));
        self.interface.raise(event::FRAMESTART);
        self.at(self.heard(carrier.byte_ps(length.saturating_sub(2))), Kind::RxPayload);
        self.at(self.heard(carrier.byte_ps(length)), Kind::RxEnd);
    }

    /// The first `count` bytes of the frame as they were received.
    fn bytes(&self, rx: &Reception, carrier: &Carrier, count: usize) -> Vec<u8> {
        let psdu: &[u8] = carrier.psdu.as_deref().unwrap_or(&[]);
        let keys = [u64::from(self.board), u64::from(rx.source), u64::from(rx.frame)];
        let one = |index: usize| {
            let byte = psdu.get(index).copied().unwrap_or(0);
            let noise = draw(self.seed, Purpose::Damage, &keys, index as u64) as u8 | 1;
            let spoiled = self.spoiled(carrier, carrier.byte_ps(index), carrier.byte_ps(index + 1));
            if spoiled {
                byte ^ noise
            } else {
                byte
            }
        };
        (0..count).map(one).collect()
    }

    /// MAXLEN of PCNF1: more bytes do not go to RAM.
    fn room(&self) -> usize {
        ((self.word(registers::PCNF1) & 0xFF) as usize).min(MAX_FRAME_BYTES)
    }

    /// The part of the frame that is complete goes to RAM.
    pub(super) fn bits_counted(&mut self) {
        if let Some((rx, carrier)) = self.received() {
            let body = rx.length.saturating_sub(2);
            let over = |&count: &usize| carrier.byte_ps(count) + timing::RX_DELAY <= self.now_ps;
            let count = (rx.stored..=body.min(self.room())).take_while(over).last();
            if let Some(count) = count.filter(|&count| count > rx.stored) {
                self.store(&rx, &carrier, count);
                self.rx = Some(Reception { stored: count, ..rx });
            }
        }
        self.interface.raise(event::BCMATCH);
    }

    fn store(&mut self, rx: &Reception, carrier: &Carrier, count: usize) {
        let bytes = self.bytes(rx, carrier, count).split_off(rx.stored);
        let address = self.word(registers::PACKETPTR) + 1 + rx.stored as u32;
        self.transfers.push(Transfer::Store(address, bytes));
    }

    pub(super) fn frame_received(&mut self) {
        let (rx, carrier) = match self.received() {
            Some(received) => received,
            None => return self.lose_frame(),
        };
        let bytes = self.bytes(&rx, &carrier, rx.length);
        let body = rx.length.saturating_sub(2);
        let room = self.room();
        self.crc_ok = fcs_valid(&bytes) && rx.length <= room;
        self.rx_crc = u32::from(fcs(&bytes[..body]));
        self.store(&rx, &carrier, body.min(room).max(rx.stored));
        if body < room {
            // The LQI takes the place of the checksum (PS "RADIO", IEEE 802.15.4 operation, receive sequence).
            let lqi = self.quality(&carrier);
            let address = self.word(registers::PACKETPTR) + 1 + body as u32;
            self.transfers.push(Transfer::Store(address, vec![lqi]));
        }
        self.enter(State::RxIdle);
        self.interface
            .raise(if self.crc_ok { event::CRCOK } else { event::CRCERROR });
        self.interface.raise(event::END);
        self.interface.raise(event::PHYEND);
    }

    /// The hardware's LQI: the level of the frame as EDSAMPLE has it. RIOT's driver found it to follow RSSI dB by dB.
    fn quality(&self, carrier: &Carrier) -> u8 {
        cca::scaled(carrier.rssi_dbm, 255) as u8
    }
}

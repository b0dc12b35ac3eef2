//! Receiving: preamble and sync word, the RX FIFO, acknowledgement (data sheet 9.7 to 9.10; library, SPIRIT_Regs.h:
//! PROTOCOL, QI).

use super::packet::{Bits, Format, Header};
use super::regs::{self, irq, protocol, State};
use super::state::Goal;
use super::{timing, Kind, Spirit1};
use crate::air::{lasting_ps, Carrier, REACTION_PS};
use crate::rng::{draw, Purpose};

/// The packet being received.
#[derive(Clone, Debug)]
pub(super) struct Reception {
    source: u16,
    frame: u32,
    /// End of the sync word, here.
    sync_ps: u64,
    byte_ps: u64,
    /// Error of the sender's crystal.
    ppb: i64,
    format: Format,
    /// Received bytes, damaged where another signal overlapped them.
    received: Vec<u8>,
    damaged: bool,
    header: Header,
    payload: usize,
    stored: usize,
}

impl Reception {
    fn at(&self, bits: u64) -> u64 {
        self.sync_ps + lasting_ps(bits * self.byte_ps / 8, self.ppb)
    }
}

impl Spirit1 {
    /// The carrier of those that began at `start_ps` that this receiver can follow by now.
    fn audible(&self, start_ps: u64) -> Option<&Carrier> {
        let since = self.listening_since.filter(|_| self.rx.is_none())?;
        let floor_dbm = self.sensitivity_dbm();
        let spare_ps =
            |c: &Carrier| c.waveform.shr_ps - self.sync_bits_ps() - self.bits_ps(timing::PREAMBLE_LEAST_BITS);
        self.ether.starting(start_ps).find(|c| {
            self.matches(&c.waveform)
                && c.rssi_dbm >= floor_dbm
                && !c.lost
                && c.end_ps > self.now_ps
                && c.waveform.shr_ps >= self.sync_bits_ps() + self.bits_ps(timing::PREAMBLE_LEAST_BITS)
                && since <= start_ps + spare_ps(c)
                && !self.ether.disturbed(c, c.start_ps, self.now_ps, floor_dbm)
        })
    }

    fn sync_bits_ps(&self) -> u64 {
        self.bits_ps(8 * self.header_bytes().1)
    }

    /// Bits of preamble that PQI wants to see.
    pub(super) fn preamble_bits(&self) -> u64 {
        let qi = self.reg(regs::QI);
        if qi & 1 != 0 {
            u64::from(qi >> 2 & 0x0F) * 4
        } else {
            timing::PREAMBLE_VALID_BITS
        }
    }

    pub(super) fn preamble_heard(&mut self, start_ps: u64) {
        if self.audible(start_ps).is_some() {
            self.preamble = true;
            self.raise(irq::VALID_PREAMBLE);
            self.check_timeout();
        }
    }

    /// The sync word of the carriers that began at `start_ps` is over.
    pub(super) fn sync(&mut self, start_ps: u64) {
        let (source, frame, byte_ps, ppb, rssi_dbm, sync_ps) = match self.audible(start_ps) {
            Some(c) => {
                let sync_ps = c.at_ps(c.waveform.shr_ps);
                (c.source, c.frame, c.waveform.byte_ps, c.ppb, c.rssi_dbm, sync_ps)
            }
            None => {
                self.preamble &= self.rx.is_some();
                return;
            }
        };
        let format = self.format();
        let rx = Reception {
            source,
            frame,
            sync_ps,
            byte_ps,
            ppb,
            format,
            received: Vec::new(),
            damaged: false,
            header: Header::default(),
            payload: 0,
            stored: 0,
        };
        let head_ps = rx.at(format.head_bits()).max(self.now_ps + REACTION_PS);
        self.rssi = (2 * (rssi_dbm + 130)).clamp(0, 255) as u8;
        self.rx = Some(rx);
        self.listening_since = None;
        self.raise(irq::VALID_SYNC);
        if self.reg(regs::PROTOCOL1) & protocol::LDC_RELOAD_ON_SYNC != 0 {
            self.start_wake_up_timer(regs::TIMERS1);
        }
        self.check_timeout();
        self.at(self.oscillator.edge(head_ps), Kind::RxHead);
    }

    /// Takes in the bytes that hold the first `bits` bits of the packet. A carrier that goes off less than a byte too early
    /// counts as whole: the sender tells the end of a packet that is not a whole number of bytes by cutting it.
    fn hear_bits(&mut self, bits: u64) -> Option<(Reception, Bits)> {
        let mut rx = self.rx.take()?;
        let carrier = self.ether.find(rx.source, rx.frame);
        let psdu = carrier.and_then(|c| c.psdu.as_ref());
        for index in rx.received.len()..(bits + 7) as usize / 8 {
            let (from_ps, to_ps) = (rx.at(8 * index as u64), rx.at((8 * index as u64 + 8).min(bits)));
            let whole = psdu.and_then(|psdu| psdu.get(index).copied());
            let clean = carrier.map_or(false, |c| {
                (!c.cut || c.end_ps + rx.byte_ps > to_ps)
                    && !self.ether.disturbed(c, from_ps, to_ps, self.sensitivity_dbm())
            });
            let keys = [u64::from(self.board), u64::from(rx.source), u64::from(rx.frame)];
            let noise = draw(self.seed, Purpose::Damage, &keys, index as u64) as u8 | 1;
            rx.damaged |= !clean || whole.is_none();
            rx.received.push(whole.unwrap_or(0) ^ if clean { 0 } else { noise });
        }
        let opened = rx.format.open(&rx.received);
        Some((rx, opened))
    }

    /// Length, addresses and control field are in.
    pub(super) fn rx_head(&mut self) {
        let bits = self.format_of_reception().map_or(0, |format| format.head_bits());
        let known = self
            .rx
            .as_ref()
            .and_then(|rx| self.ether.find(rx.source, rx.frame))
            .map_or(false, |c| c.psdu.is_some());
        if !known {
            return self.discard(irq::RX_DATA_DISC); // the sender stopped in the sync word
        }
        let fixed = usize::from(self.reg(regs::PCKTLEN1)) << 8 | usize::from(self.reg(regs::PCKTLEN1 + 1));
        if let Some((mut rx, opened)) = self.hear_bits(bits) {
            rx.header = rx.format.header(&opened, fixed);
            rx.payload = rx.header.length.saturating_sub(rx.format.extra());
            self.rx_next(rx);
        }
    }

    fn format_of_reception(&self) -> Option<Format> {
        self.rx.as_ref().map(|rx| rx.format)
    }

    fn rx_next(&mut self, rx: Reception) {
        let (t_ps, kind) = if rx.stored < rx.payload {
            (rx.at(rx.format.bits_to(rx.stored + 1)), Kind::RxByte)
        } else {
            (rx.at(rx.format.bits(rx.payload)), Kind::RxEnd)
        };
        self.rx = Some(rx);
        self.at(self.oscillator.edge(t_ps.max(self.now_ps)), kind);
    }

    /// A byte of payload goes into the FIFO.
    pub(super) fn rx_byte(&mut self) {
        let bits = self.rx.as_ref().map_or(0, |rx| rx.format.bits_to(rx.stored + 1));
        if let Some((mut rx, opened)) = self.hear_bits(bits) {
            let byte = rx.format.payload(&opened, rx.stored);
            rx.stored += 1;
            if !self.awaits_ack && !self.rx_fifo.push(byte) {
                self.raise(irq::RX_FIFO_ERROR);
                return self.done();
            }
            self.rx_next(rx);
            self.watch_fifos();
        }
    }

    pub(super) fn rx_end(&mut self) {
        let bits = self.rx.as_ref().map_or(0, |rx| rx.format.bits(rx.payload));
        let (rx, opened) = match self.hear_bits(bits) {
            Some(both) => both,
            None => return,
        };
        let (check, right) = rx.format.check(&opened, rx.payload);
        let valid = right && !(rx.format.crc_mode == 0 && rx.damaged);
        if !valid && rx.format.crc_bytes() > 0 {
            self.raise(irq::CRC_ERROR);
        }
        if self.awaits_ack {
            return self.ack_heard(&rx.header, rx.payload, valid);
        }
        self.show_packet(&rx, check);
        if !self.accepts(&rx.format, &rx.header, right) {
            // A discarded packet does not stay in the FIFO (remembered, unverified).
            self.rx_fifo.clear();
            self.watch_fifos();
            return self.discard(irq::RX_DATA_DISC);
        }
        self.raise(irq::RX_DATA_READY);
        let acknowledge = self.reg(regs::PROTOCOL0) & protocol::AUTO_ACK != 0;
        if rx.format.stack && acknowledge && right && !rx.header.no_ack {
            return self.acknowledge(&rx);
        }
        self.reception_over();
    }

    /// The registers that tell of the packet.
    fn show_packet(&mut self, rx: &Reception, check: u32) {
        let [_, high, middle, low] = check.to_be_bytes();
        let (preamble, sync) = self.header_bytes();
        let header = &rx.header;
        let shown = [
            (regs::RX_PCKT_INFO, u8::from(header.no_ack) << 2 | header.sequence),
            (regs::LINK_QUALIF2, (8 * preamble).min(255) as u8),
            (regs::LINK_QUALIF1, 8 * sync as u8),
            (regs::LINK_QUALIF0, if rx.damaged { 0x30 } else { 0xF0 }),
            (regs::RX_PCKT_LEN1, (header.length >> 8) as u8),
            (regs::RX_PCKT_LEN1 + 1, header.length as u8),
            (regs::CRC_FIELD2, high),
            (regs::CRC_FIELD2 + 1, middle),
            (regs::CRC_FIELD2 + 2, low),
            (regs::RX_ADDR_FIELD1, header.source),
            (regs::RX_ADDR_FIELD1 + 1, header.destination),
        ];
        for &(register, value) in shown.iter() {
            self.regs[usize::from(register)] = value;
        }
        for (index, &byte) in (0..).zip(header.control.iter()) {
            self.regs[usize::from(regs::RX_CTRL_FIELD0 + index)] = byte;
        }
    }

    /// AUTO_ACK: an empty packet with the same sequence number back to the sender, which asks for nothing; no receiver listens
    /// before it (remembered, unverified).
    fn acknowledge(&mut self, rx: &Reception) {
        if self.reg(regs::PROTOCOL1) & protocol::PIGGYBACKING != 0 {
            self.note(30, || {
                "radio: piggybacking is not modelled, the acknowledgement goes empty".into()
            });
        }
        self.preamble = false;
        self.sense = false;
        self.cancel(Kind::RxTimeout);
        self.acknowledging = Some(Header {
            length: rx.format.extra(),
            destination: rx.header.source,
            source: self.reg(regs::TX_SOURCE_ADDR),
            no_ack: true,
            ..rx.header
        });
        self.go(Goal::Tx);
    }

    /// A packet came while an acknowledgement is awaited: the right one ends the transaction, others do not count.
    fn ack_heard(&mut self, header: &Header, payload: usize, valid: bool) {
        let for_me = header.destination == self.reg(regs::TX_SOURCE_ADDR);
        if valid && for_me && header.no_ack && payload == 0 && header.sequence == self.tx_sequence {
            return self.sent(irq::TX_DATA_SENT);
        }
        self.preamble = false;
        self.listening_since = Some(self.now_ps);
        if !self.events.iter().any(|event| event.1 == Kind::RxTimeout) {
            self.start_rx_timeout();
        }
    }

    /// The packet is not for the host.
    fn discard(&mut self, reason: u32) {
        self.rx = None;
        if self.awaits_ack {
            return self.ack_heard(&Header::default(), 1, false);
        }
        self.raise(reason);
        self.reception_over();
    }

    /// PERS_RX: receives on; else READY.
    pub(super) fn reception_over(&mut self) {
        self.cancel(Kind::RxTimeout);
        self.preamble = false;
        if self.reg(regs::PROTOCOL0) & protocol::PERS_RX == 0 {
            return self.done();
        }
        if self.state == State::Tx {
            return self.go(Goal::Rx);
        }
        self.listening_since = Some(self.now_ps);
        self.start_rx_timeout();
        self.carrier_sense();
    }
}

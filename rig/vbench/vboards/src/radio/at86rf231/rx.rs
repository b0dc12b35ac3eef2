//! Receiving: synchronisation, frame buffer, RX_AACK with its automatic ACK, the ACK of TX_ARET
//! (data sheet 7.1.3, 7.2.3, 8.6, 11.6).

use super::frame::{self, Verdict};
use super::regs::{self, ctrl_1, irq, trac, State};
use super::tx::ed_level;
use super::{timing, At86rf231, Kind};
use crate::air::{Carrier, Message, Signal, SHR_PHR_PS};
use crate::rng::{draw, Purpose};
use std::sync::Arc;

/// What says how long a header is (IEEE 802.15.4-2006, 7.2.1.1).
const FRAME_CONTROL_BYTES: usize = 2;

/// The frame being received.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reception {
    source: u16,
    frame: u32,
    /// Bytes of the PSDU that lie in the frame buffer.
    stored: usize,
    /// It is the ACK that TX_ARET waits for: it does not touch the frame buffer (7.2.4).
    is_ack: bool,
    /// The PHR came through, the length is known.
    length: Option<usize>,
    damaged: bool,
}

impl At86rf231 {
    /// The SHR of the carriers that began at `start_ps` is over.
    pub(super) fn sync(&mut self, start_ps: u64) {
        let since = match self.listening_since {
            Some(since) if since <= start_ps + timing::PREAMBLE_SPARE && self.rx.is_none() => since,
            _ => return,
        };
        debug_assert!(since <= self.now_ps);
        if self.guarded {
            return;
        }
        let found = self.ether.starting(start_ps).find(|c| {
            c.waveform == self.waveform()
                && c.rssi_dbm >= regs::SENSITIVITY_DBM
                && !c.lost
                && !c.cut
                && !self.ether.disturbed(c, c.start_ps, self.now_ps, regs::SENSITIVITY_DBM)
        });
        let (source, number, phr_ps) = match found {
            Some(carrier) => (carrier.source, carrier.frame, carrier.byte_ps(0)),
            None => return,
        };
        let is_ack = self.state == State::BusyTxAret;
        self.rx = Some(Reception {
            source,
            frame: number,
            stored: 0,
            is_ack,
            length: None,
            damaged: false,
        });
        self.listening_since = None;
        match self.state {
            State::RxOn => self.state = State::BusyRx,
            State::RxAackOn => self.state = State::BusyRxAack,
            _ => {}
        }
        self.at(self.oscillator.edge(phr_ps), Kind::Phr);
    }

    pub(super) fn carrier(&self) -> Option<&Carrier> {
        let rx = self.rx.as_ref()?;
        self.ether.find(rx.source, rx.frame)
    }

    /// The length byte is in: IRQ_2 (RX_START), and DIG2 "at the same time", 11.6.1.
    pub(super) fn phr(&mut self) {
        let seen = self.carrier().map(|c| {
            let spoiled = c.cut || self.ether.disturbed(c, c.start_ps, self.now_ps, regs::SENSITIVITY_DBM);
            (spoiled, c.clone())
        });
        let carrier = match seen {
            Some((false, carrier)) => carrier,
            _ => return self.rx_abandon(),
        };
        let psdu = match carrier.psdu.as_ref() {
            Some(psdu) => psdu,
            None => return self.rx_abandon(),
        };
        self.at(self.oscillator.edge(carrier.byte_ps(psdu.len())), Kind::RxEnd);
        let is_ack = self.rx.as_mut().map_or(true, |rx| {
            rx.length = Some(psdu.len());
            rx.is_ack
        });
        if is_ack {
            return;
        }
        if self.state == State::BusyRx {
            self.noclk = false; // 7.1.2.6: RX_START brings CLKM back
        }
        if matches!(self.port, super::spi::Port::FrameRead(_)) {
            self.raise(irq::TRX_UR); // 9.3.1: the frame being read is overwritten
        }
        self.buffer[0] = psdu.len() as u8;
        self.regs[usize::from(regs::PHY_ED_LEVEL)] = ed_level(Some(carrier.rssi_dbm));
        self.interrupt(irq::RX_START);
        if self.reg(regs::TRX_CTRL_1) & ctrl_1::IRQ_2_EXT_EN != 0 {
            self.after(timing::IRQ, Kind::Dig2(true));
        }
        if psdu.len() > FRAME_CONTROL_BYTES {
            self.at(self.oscillator.edge(carrier.byte_ps(FRAME_CONTROL_BYTES)), Kind::Header);
        }
    }

    /// Back to listening, as if nothing had been there.
    fn rx_abandon(&mut self) {
        self.rx = None;
        match self.state {
            State::BusyRx => self.enter(State::RxOn),
            State::BusyRxAack => self.enter(State::RxAackOn),
            _ => {
                self.listening_since = Some(self.now_ps);
                return;
            }
        }
        self.run_deferred();
    }

    /// Copies the bytes that have arrived by now into the frame buffer.
    pub(super) fn store_bytes(&mut self) {
        let (carrier, rx) = match (self.carrier().cloned(), self.rx) {
            (Some(carrier), Some(rx)) if !rx.is_ack => (carrier, rx),
            _ => return,
        };
        let (bytes, damaged) = self.arrived(&carrier, rx.length, rx.stored);
        self.buffer[1 + rx.stored..1 + rx.stored + bytes.len()].copy_from_slice(&bytes);
        if let Some(rx) = self.rx.as_mut() {
            rx.stored += bytes.len();
            rx.damaged |= damaged;
        }
    }

    /// Bytes of a frame from index `from` that are complete by now, and whether something spoiled one of them.
    fn arrived(&self, carrier: &Carrier, length: Option<usize>, from: usize) -> (Vec<u8>, bool) {
        let mut bytes = Vec::new();
        let mut damaged = false;
        if let (Some(psdu), Some(length)) = (carrier.psdu.as_ref(), length) {
            for index in from..length {
                let (start_ps, end_ps) = (carrier.byte_ps(index), carrier.byte_ps(index + 1));
                if end_ps > self.now_ps {
                    break;
                }
                let gone = carrier.cut && carrier.end_ps < end_ps;
                let spoiled = gone || self.ether.disturbed(carrier, start_ps, end_ps, regs::SENSITIVITY_DBM);
                let keys = [
                    u64::from(self.board),
                    u64::from(carrier.source),
                    u64::from(carrier.frame),
                ];
                let noise = draw(self.seed, Purpose::Damage, &keys, index as u64) as u8 | 1;
                bytes.push(if spoiled { psdu[index] ^ noise } else { psdu[index] });
                damaged |= spoiled;
            }
        }
        (bytes, damaged)
    }

    /// Whether a byte of a frame buffer read (0 is the PHR) is there: nothing more to come, or stored.
    pub(super) fn has_arrived(&self, index: usize) -> bool {
        match self.rx {
            Some(rx) if !rx.is_ack => rx.length.is_some() && index <= rx.stored,
            _ => true,
        }
    }

    /// When it will be there, if it is still on its way; what follows the PSDU comes with the end of the frame.
    pub(super) fn arrives_at(&self, index: usize) -> Option<u64> {
        if self.has_arrived(index) {
            return None;
        }
        let carrier = self.carrier()?;
        Some(carrier.byte_ps(index.min(carrier.psdu.as_ref()?.len())))
    }

    pub(super) fn rx_end(&mut self) {
        self.store_bytes();
        let rx = match self.rx.take() {
            Some(rx) => rx,
            None => return,
        };
        if rx.is_ack {
            let carrier = self.ether.find(rx.source, rx.frame);
            let (psdu, damaged) = carrier.map_or((Vec::new(), true), |c| self.arrived(c, rx.length, 0));
            return self.ack_received(&psdu, damaged);
        }
        let length = rx.length.unwrap_or(0);
        let psdu = self.buffer[1..=length].to_vec();
        self.buffer[1 + length] = if rx.damaged { 40 } else { 255 }; // LQI, 8.6: 255 for a flawless frame
        self.rx_crc_valid = !rx.damaged && frame::fcs_valid(&psdu);
        if self.stamp || self.events.iter().any(|event| event.1 == Kind::Dig2(true)) {
            self.after(timing::IRQ, Kind::Dig2(false));
        }
        let verdict = frame::filter(&psdu, &self.identity());
        self.guarded = self.reg(regs::TRX_CTRL_2) & 0x80 != 0 && self.rx_crc_valid;
        if self.state == State::BusyRxAack {
            return self.aack_decide(&psdu, &verdict);
        }
        self.interrupt(irq::TRX_END);
        self.enter(State::RxOn);
        self.run_deferred();
    }

    /// RX_AACK: TRX_END only for a good frame for this node (7.2.3), then the ACK.
    fn aack_decide(&mut self, psdu: &[u8], verdict: &Verdict) {
        let good = self.rx_crc_valid && verdict.accepted;
        let promiscuous = self.reg(regs::XAH_CTRL_1) & 0x02 != 0;
        self.guarded &= good || promiscuous;
        if good || promiscuous {
            self.noclk = false; // 7.2.3.4: a valid frame brings CLKM back
            self.interrupt(irq::TRX_END);
        }
        let seed_1 = self.reg(regs::CSMA_SEED_1);
        if !(good && verdict.acknowledge && seed_1 & 0x10 == 0) {
            self.enter(State::RxAackOn);
            if good {
                self.trac = trac::SUCCESS;
            }
            return self.run_deferred();
        }
        let short = self.reg(regs::XAH_CTRL_1) & 0x04 != 0;
        let ack = frame::ack(psdu[2], verdict.data_request && seed_1 & 0x20 != 0);
        if self.reg(regs::XAH_CTRL_0) & 0x01 != 0 {
            let ready = if short {
                timing::SLOT_READY_SHORT
            } else {
                timing::SLOT_READY
            };
            self.slotted_ack = Some(ack);
            return self.after(ready, Kind::SlotReady);
        }
        self.send_ack(ack, self.later(if short { timing::ACK_SHORT } else { timing::ACK }));
    }

    /// The ACK goes out from `start_ps` on.
    pub(super) fn send_ack(&mut self, bytes: [u8; 5], start_ps: u64) {
        let number = self.announce(start_ps);
        let signal = Signal::Body {
            psdu: Arc::from(bytes.to_vec()),
        };
        self.outbox.push(Message {
            source: self.board,
            frame: number,
            signal,
        });
        self.tx = Some(super::tx::Sending {
            frame: number,
            start_ps,
            outgoing: None,
        });
        let air_ps = SHR_PHR_PS + bytes.len() as u64 * self.byte_ps();
        self.at(self.oscillator.later(start_ps, air_ps), Kind::AackDone);
        self.update_pins();
    }

    pub(super) fn aack_done(&mut self) {
        self.tx = None;
        self.rx_ready_ps = self.later(timing::TX_TO_RX);
        self.enter(State::RxAackOn);
        self.trac = trac::SUCCESS;
        self.run_deferred();
    }

    /// A frame came while TX_ARET waits: the right ACK ends the transaction, anything else is discarded (7.2.4).
    fn ack_received(&mut self, psdu: &[u8], damaged: bool) {
        let awaited = self.aret.and_then(|transaction| transaction.awaiting);
        let is_it =
            !damaged && psdu.len() == 5 && psdu[0] & 7 == 2 && Some(psdu[2]) == awaited && frame::fcs_valid(psdu);
        if is_it {
            let pending = psdu[0] & 0x10 != 0;
            self.finish(if pending {
                trac::SUCCESS_DATA_PENDING
            } else {
                trac::SUCCESS
            });
        } else {
            self.listening_since = Some(self.now_ps);
        }
    }
}

//! Sending: TX normal FIFO, CSMA-CA, acknowledgement, retries (DS39776C, 3.9, 3.12, 3.13).

use super::regs::{self, intstat, txmcr, txncon, txstat, State};
use super::{timing, Kind, Mrf24j40};
use crate::air::{lasting_ps, Message, Signal, MAX_FRAME_BYTES};
use crate::radio::ieee802154::{ack_request, fcs};
use crate::rng::{draw, Purpose};
use std::sync::Arc;

/// A frame of this radio on the air, or about to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sending {
    pub frame: u32,
    pub start_ps: u64,
    /// It acknowledges a frame; TX FIFO and its interrupt have nothing to do with it.
    pub acknowledges: bool,
}

/// What TXNTRIG began.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transaction {
    retries: u8,
    busy: u8,
    exponent: u8,
    /// Sequence number of the acknowledgement that it waits for.
    pub awaits: Option<u8>,
}

impl Mrf24j40 {
    /// TXNTRIG.
    pub(super) fn trigger(&mut self) {
        if !matches!(self.state, State::Rx | State::Tx) || self.long[regs::RFCON2] & regs::RFCON2_PLLEN == 0 {
            return self.note(20, || {
                "radio: TXNTRIG while the radio sleeps, is reset or has no PLL, ignored".into()
            });
        }
        if self.transaction.is_some() {
            return self.note(21, || "radio: TXNTRIG while a frame is being sent, ignored".into());
        }
        if self.tuned != self.long[regs::RFCON0] >> 4 {
            self.note(22, || {
                "radio: channel changed without a reset of the RF state machine (3.4)".into()
            });
        }
        if self.reg(regs::TXMCR) & (txmcr::SLOTTED | txmcr::BATLIFEXT) != 0 {
            self.note(23, || "radio: slotted CSMA-CA is not modelled: unslotted".into());
        }
        if self.reg(regs::TXNCON) & txncon::TXNSECEN != 0 {
            self.note(24, || {
                "radio: security is not modelled: the frame is sent as it stands".into()
            });
        }
        self.transaction = Some(Transaction {
            retries: 0,
            busy: 0,
            exponent: 0,
            awaits: None,
        });
        self.attempt(timing::FIRST_WAIT_TICKS);
    }

    /// Waits, then backs off and assesses the channel, or does neither (NOCSMA).
    fn attempt(&mut self, wait_ticks: u64) {
        if self.reg(regs::TXMCR) & txmcr::NOCSMA != 0 {
            return self.after_ticks(wait_ticks, Kind::Turnaround);
        }
        let exponent = self.reg(regs::TXMCR) >> 3 & 3;
        if let Some(transaction) = self.transaction.as_mut() {
            transaction.busy = 0;
            transaction.exponent = exponent;
        }
        self.back_off(wait_ticks, exponent);
    }

    fn back_off(&mut self, wait_ticks: u64, exponent: u8) {
        let luck = draw(
            self.seed,
            Purpose::Backoff,
            &[u64::from(self.board)],
            self.backoffs_drawn,
        );
        self.backoffs_drawn += 1;
        let periods = luck & ((1 << exponent) - 1);
        let ticks = wait_ticks + periods * timing::BACKOFF_TICKS + timing::CCA_TICKS;
        self.after_ticks(ticks, Kind::CcaEnd);
    }

    /// The channel was measured until now. A radio that acknowledges a frame counts as a busy channel (assumption).
    pub(super) fn cca_end(&mut self) {
        if self.tx.is_none() && !self.channel_busy() {
            return self.turn_round();
        }
        let most = self.reg(regs::TXMCR) & 7;
        let next = self.transaction.as_mut().map(|transaction| {
            transaction.busy += 1;
            transaction.exponent = (transaction.exponent + 1).min(regs::MAX_BE);
            (transaction.busy > most, transaction.exponent)
        });
        match next {
            Some((false, exponent)) => self.back_off(0, exponent),
            _ => self.finish(txstat::CCAFAIL | txstat::TXNSTAT),
        }
    }

    /// CCA modes of BBREG2: 1 energy, 2 carrier, 3 carrier above the threshold (reserved: as 3).
    fn channel_busy(&self) -> bool {
        let from_ps = self.now_ps - lasting_ps(timing::CCA_TICKS * timing::TICK, self.oscillator.ppb());
        let level = self.ether.level_dbm(&self.waveform(), from_ps, self.now_ps);
        let energy = level.is_some() && regs::rssi(level) >= self.reg(regs::CCAEDTH).max(1);
        let carrier = self
            .ether
            .carrier_dbm(&self.waveform(), from_ps, self.now_ps)
            .map_or(false, |dbm| dbm >= regs::SENSITIVITY_DBM);
        match self.reg(regs::BBREG2) >> 6 {
            2 => energy,
            1 => carrier,
            _ => energy && carrier,
        }
    }

    /// From receiving to sending: RFSTBL and TURNTIME (TXSTBL, TXTIME), together aTurnaroundTime (3.13.2).
    pub(super) fn turnaround_ticks(&self) -> u64 {
        let ticks = (self.reg(regs::TXSTBL) >> 4) + (self.reg(regs::TXTIME) >> 4);
        u64::from(ticks.max(2))
    }

    /// An acknowledgement that is being sent comes first (assumption).
    pub(super) fn turn_round(&mut self) {
        if self.tx.is_some() {
            return self.after_ticks(1, Kind::Turnaround);
        }
        let start_ps = self.ticks_from(self.now_ps, self.turnaround_ticks());
        let length = usize::from(self.long[1] & 0x7F).min(MAX_FRAME_BYTES - 2);
        let mut psdu = self.long[2..2 + length].to_vec();
        psdu.extend(fcs(&psdu).to_le_bytes());
        self.put_on_air(start_ps, psdu, false);
    }

    /// A frame begins at `start_ps`; the receiver is off until it is over.
    pub(super) fn put_on_air(&mut self, start_ps: u64, psdu: Vec<u8>, acknowledges: bool) {
        let frame = self.frames_sent;
        self.frames_sent += 1;
        let waveform = self.waveform();
        let air_ps = waveform.header_ps() + psdu.len() as u64 * waveform.byte_ps;
        let start = Signal::Start {
            start_ps,
            waveform,
            ppb: self.oscillator.ppb(),
            power_dbm: regs::power_dbm(self.long[regs::RFCON3]),
        };
        let body = Signal::Body { psdu: Arc::from(psdu) };
        for signal in [start, body] {
            self.outbox.push(Message {
                source: self.board,
                frame,
                signal,
            });
        }
        self.state = State::Tx;
        self.listen_again();
        self.tx = Some(Sending {
            frame,
            start_ps,
            acknowledges,
        });
        self.at(self.oscillator.later(start_ps, air_ps), Kind::TxEnd);
    }

    pub(super) fn tx_end(&mut self) {
        let sending = self.tx.take();
        self.state = State::Rx;
        self.rx_ready_ps = self.later(timing::TX_TO_RX);
        self.listen_again();
        if sending.map_or(true, |sending| sending.acknowledges) {
            return;
        }
        if self.reg(regs::TXNCON) & txncon::TXNACKREQ == 0 {
            return self.finish(0);
        }
        // TXNACKREQ alone counts, not the frame's bit (unverified); its sequence number is its third byte.
        let sequence = self.long[4];
        if !ack_request(&self.long[2..7]) {
            self.note(25, || {
                "radio: TXNACKREQ for a frame that does not ask for an acknowledgement".into()
            });
        }
        if let Some(transaction) = self.transaction.as_mut() {
            transaction.awaits = Some(sequence);
        }
        self.after_ticks(u64::from(self.reg(regs::ACKTMOUT) & 0x7F), Kind::AckTimeout);
    }

    pub(super) fn ack_timeout(&mut self) {
        let exhausted = self.transaction.as_mut().map_or(true, |transaction| {
            transaction.awaits = None;
            transaction.retries += 1;
            transaction.retries > regs::MAX_FRAME_RETRIES
        });
        if exhausted {
            self.finish(txstat::TXNSTAT);
        } else {
            self.attempt(timing::RETRY_WAIT_TICKS);
        }
    }

    /// The acknowledgement that the transaction waits for.
    pub(super) fn acknowledged(&mut self, pending: bool) {
        self.cancel(Kind::AckTimeout);
        let status = self.reg(regs::TXNCON) & !txncon::FPSTAT;
        self.keep(regs::TXNCON, status | if pending { txncon::FPSTAT } else { 0 });
        self.finish(0);
    }

    fn finish(&mut self, status: u8) {
        let retries = self.transaction.take().map_or(0, |transaction| transaction.retries);
        let shown = retries.min(regs::MAX_FRAME_RETRIES) << txstat::RETRY_SHIFT;
        self.keep(regs::TXSTAT, shown | status);
        self.interrupt(intstat::TXNIF);
    }

    /// RSSIMODE1: the level over 1 to 8 symbols (RSSINUM; 3.6.1).
    pub(super) fn measure_rssi(&mut self) {
        let symbols = 1 << (self.reg(regs::TXBCON1) >> 4 & 3);
        self.cancel(Kind::RssiReady);
        self.after(symbols * timing::TICK, Kind::RssiReady);
    }

    pub(super) fn rssi_ready(&mut self) {
        let span_ps = (1 << (self.reg(regs::TXBCON1) >> 4 & 3)) * timing::TICK;
        let from_ps = self.now_ps.saturating_sub(span_ps);
        let level = self.ether.level_dbm(&self.waveform(), from_ps, self.now_ps);
        self.long[regs::RSSI] = regs::rssi(level);
        let mode = self.reg(regs::BBREG6);
        self.keep(regs::BBREG6, mode | regs::bbreg6::RSSIRDY);
    }
}

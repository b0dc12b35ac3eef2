//! Sending: basic transmission and TX_ARET, CSMA-CA with retries and ACK (data sheet 7.1.4.4, 7.2.4).

use super::outgoing::Outgoing;
use super::regs::{self, irq, trac, State};
use super::{timing, At86rf231, Kind};
use crate::air::{Message, Signal, SHR_PS};
use crate::rng::{draw, Purpose};

/// The own frame on the air.
#[derive(Clone, Debug)]
pub(super) struct Sending {
    pub frame: u32,
    pub start_ps: u64,
    /// From the end of its SHR on, unless it is an automatic ACK: that does not come from the frame buffer.
    pub outgoing: Option<Outgoing>,
}

/// A TX_ARET transaction.
#[derive(Clone, Copy, Debug)]
pub(super) struct Transaction {
    frame_retries: u8,
    csma_retries: u8,
    exponent: u8,
    /// Sequence number of the ACK waited for.
    pub awaiting: Option<u8>,
}

impl At86rf231 {
    /// TX_START or the rising edge of SLP_TR.
    pub(super) fn tx_start(&mut self) {
        match (self.state, self.target) {
            (State::PllOn, None) => {
                self.state = State::BusyTx;
                self.put_on_air();
            }
            (State::TxAretOn, None) => {
                self.state = State::BusyTxAret;
                self.trac = trac::INVALID;
                self.aret = Some(Transaction {
                    frame_retries: 0,
                    csma_retries: 0,
                    exponent: 0,
                    awaiting: None,
                });
                self.attempt();
            }
            _ => {
                let state = self.state;
                self.note(20, || {
                    format!("radio: start of transmission in state {:?}, ignored", state)
                });
            }
        }
    }

    /// The carrier continues after the start-up of PLL and amplifier.
    fn put_on_air(&mut self) {
        let start_ps = self.later(timing::TX_START);
        let frame = self.announce(start_ps);
        self.tx = Some(Sending {
            frame,
            start_ps,
            outgoing: None,
        });
        self.at(self.oscillator.later(start_ps, SHR_PS), Kind::TxBody);
        self.update_pins();
    }

    /// Tells the air of a frame; returns its number.
    pub(super) fn announce(&mut self, start_ps: u64) -> u32 {
        let frame = self.frames_sent;
        self.frames_sent += 1;
        let power_dbm = regs::TX_POWER_DBM[usize::from(self.reg(regs::PHY_TX_PWR) & 0x0F)];
        let signal = Signal::Start {
            start_ps,
            waveform: self.waveform(),
            ppb: self.oscillator.ppb(),
            power_dbm,
        };
        self.outbox.push(Message {
            source: self.board,
            frame,
            signal,
        });
        frame
    }

    pub(super) fn tx_end(&mut self) {
        let outgoing = self.tx.take().and_then(|sending| sending.outgoing);
        let wants_ack = outgoing.and_then(|outgoing| outgoing.wants_ack());
        self.rx_ready_ps = self.later(timing::TX_TO_RX);
        self.update_pins();
        match (self.aret.as_mut(), wants_ack) {
            (None, _) => {
                self.interrupt(irq::TRX_END);
                self.enter(State::PllOn);
                self.run_deferred();
            }
            (Some(_), None) => self.finish(trac::SUCCESS),
            (Some(transaction), Some(sequence)) => {
                transaction.awaiting = Some(sequence);
                self.listening_since = Some(self.rx_ready_ps);
                self.after(timing::ACK_WAIT, Kind::AckTimeout);
            }
        }
    }

    fn max_csma_retries(&self) -> u8 {
        self.reg(regs::XAH_CTRL_0) >> 1 & 7
    }

    /// Starts CSMA-CA; MAX_CSMA_RETRIES = 7 sends at once (7.2.4).
    fn attempt(&mut self) {
        if self.max_csma_retries() == 7 {
            self.put_on_air();
            return;
        }
        let exponent = self.reg(regs::CSMA_BE) & 0x0F;
        if let Some(transaction) = self.aret.as_mut() {
            transaction.csma_retries = 0;
            transaction.exponent = exponent;
        }
        self.back_off();
    }

    /// Waits 0 to 2^BE - 1 backoff periods, then measures the channel (IEEE 802.15.4-2006, 7.5.1.4).
    fn back_off(&mut self) {
        let exponent = self.aret.map_or(0, |transaction| transaction.exponent).min(8);
        let chip_seed = u64::from(self.reg(regs::CSMA_SEED_1) & 7) << 8 | u64::from(self.reg(regs::CSMA_SEED_0));
        let keys = [u64::from(self.board), chip_seed];
        let luck = draw(self.seed, Purpose::Backoff, &keys, self.backoffs_drawn);
        self.backoffs_drawn += 1;
        let periods = luck & ((1 << exponent) - 1);
        self.after(periods * timing::BACKOFF + timing::CCA, Kind::CcaEnd);
    }

    pub(super) fn cca_end(&mut self) {
        if !self.channel_busy(self.now_ps - timing::CCA) {
            self.put_on_air();
            return;
        }
        let (most_retries, most_exponent) = (self.max_csma_retries().min(5), self.reg(regs::CSMA_BE) >> 4);
        let exhausted = self.aret.as_mut().map_or(true, |transaction| {
            transaction.csma_retries += 1;
            transaction.exponent = (transaction.exponent + 1).min(most_exponent);
            transaction.csma_retries > most_retries
        });
        if exhausted {
            self.finish(trac::CHANNEL_ACCESS_FAILURE);
        } else {
            self.back_off();
        }
    }

    pub(super) fn ack_timeout(&mut self) {
        self.rx = None;
        self.cancel(Kind::Phr);
        self.cancel(Kind::RxEnd);
        self.listening_since = None;
        let most_retries = if self.max_csma_retries() == 7 {
            0
        } else {
            self.reg(regs::XAH_CTRL_0) >> 4
        };
        let exhausted = self.aret.as_mut().map_or(true, |transaction| {
            transaction.awaiting = None;
            transaction.frame_retries += 1;
            transaction.frame_retries > most_retries
        });
        if exhausted {
            self.finish(trac::NO_ACK);
        } else {
            self.attempt();
        }
    }

    /// Ends a TX_ARET transaction.
    pub(super) fn finish(&mut self, result: u8) {
        self.cancel(Kind::AckTimeout);
        self.aret = None;
        self.interrupt(irq::TRX_END);
        self.enter(State::TxAretOn);
        self.trac = result;
        self.run_deferred();
    }

    /// CCA over an interval that ends now (8.5, tables 8-10 to 8-12): mean energy; a carrier counts if it
    /// touches the interval.
    pub(super) fn channel_busy(&self, from_ps: u64) -> bool {
        let Level { energy, carrier } = self.measure(from_ps);
        match self.reg(regs::PHY_CC_CCA) >> 5 & 3 {
            0 => energy || carrier,
            1 => energy,
            2 => carrier,
            _ => energy && carrier,
        }
    }

    fn measure(&self, from_ps: u64) -> Level {
        let level = self.ether.level_dbm(&self.waveform(), from_ps, self.now_ps);
        let carrier = self.ether.carrier_dbm(&self.waveform(), from_ps, self.now_ps);
        let threshold = regs::RSSI_BASE_DBM + 2 * i32::from(self.reg(regs::CCA_THRES) & 0x0F);
        Level {
            energy: level.map_or(false, |dbm| dbm > threshold),
            carrier: carrier.map_or(false, |dbm| dbm >= regs::SENSITIVITY_DBM),
        }
    }

    pub(super) fn manual_cca_end(&mut self) {
        self.cca_done = true;
        self.cca_idle = !self.channel_busy(self.now_ps - timing::CCA_MANUAL);
        self.raise(irq::CCA_ED_DONE);
    }

    pub(super) fn manual_ed_end(&mut self) {
        let level = self
            .ether
            .level_dbm(&self.waveform(), self.now_ps - timing::CCA_MANUAL, self.now_ps);
        self.regs[usize::from(regs::PHY_ED_LEVEL)] = ed_level(level);
        self.raise(irq::CCA_ED_DONE);
    }
}

struct Level {
    energy: bool,
    carrier: bool,
}

/// ED_LEVEL of a level at the antenna (8.4.5).
pub(super) fn ed_level(dbm: Option<i32>) -> u8 {
    dbm.map_or(0, |dbm| (dbm - regs::RSSI_BASE_DBM).clamp(0, regs::ED_SPAN) as u8)
}

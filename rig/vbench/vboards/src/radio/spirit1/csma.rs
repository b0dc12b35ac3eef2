//! Listen before talk: CCA periods and back-off (data sheet, section on CSMA/CA; library, SPIRIT_Csma.h).

use super::regs::{self, irq, protocol, State};
use super::state::Goal;
use super::{timing, Kind, Spirit1};
use crate::rng::{below, draw, Purpose};

/// Listen before talk.
#[derive(Clone, Copy, Debug)]
pub(super) struct Csma {
    backoffs: u8,
    periods_left: u8,
    /// Carrier sense has been there since the present period began.
    pub sensed: bool,
}

impl Spirit1 {
    /// Sends at once, or listens first.
    pub(super) fn attempt(&mut self) {
        if self.reg(regs::PROTOCOL1) & protocol::CSMA_ON == 0 {
            return self.go(Goal::Tx);
        }
        if self.reg(regs::PROTOCOL1) & protocol::SEED_RELOAD != 0 {
            self.backoffs_drawn = 0;
        }
        self.csma = Some(Csma {
            backoffs: 0,
            periods_left: 0,
            sensed: false,
        });
        self.go(Goal::Listen);
    }

    /// Tcca: 64, 128, 256 or 512 bits (library, CSMA_CONFIG1).
    fn cca_ps(&self) -> u64 {
        self.bits_ps(64 << (self.reg(regs::CSMA_CONFIG1) & 3))
    }

    /// The receiver is on: listens for CCA_LENGTH times Tcca.
    pub(super) fn listen(&mut self) {
        let periods = self.reg(regs::CSMA_CONFIG0) >> 4;
        self.carrier_sense();
        if periods > 0 {
            self.listen_for(periods);
        } else if self.sense {
            self.channel_was_busy();
        } else {
            self.channel_is_free();
        }
    }

    /// Listens for N periods from now on.
    fn listen_for(&mut self, periods: u8) {
        let sense = self.sense;
        if let Some(csma) = self.csma.as_mut() {
            csma.periods_left = periods;
            csma.sensed = sense;
        }
        self.after(self.cca_ps(), Kind::CcaEnd);
    }

    pub(super) fn cca_end(&mut self) {
        match self.csma {
            Some(csma) if csma.sensed => self.channel_was_busy(),
            Some(csma) if csma.periods_left > 1 => self.listen_for(csma.periods_left - 1),
            _ => self.channel_is_free(),
        }
    }

    fn channel_is_free(&mut self) {
        self.csma = None;
        self.sense = false;
        self.go(Goal::Tx);
    }

    /// Persistent: listens on. Else waits 0 to 2^NB - 1 back-off units, NB up to NBACKOFF_MAX.
    fn channel_was_busy(&mut self) {
        if self.reg(regs::PROTOCOL1) & protocol::CSMA_PERS_ON != 0 {
            return self.listen_for((self.reg(regs::CSMA_CONFIG0) >> 4).max(1));
        }
        let backoffs = self.csma.as_mut().map_or(0, |csma| {
            csma.backoffs += 1;
            csma.backoffs
        });
        if backoffs > self.reg(regs::CSMA_CONFIG0) & 7 {
            self.csma = None;
            self.transaction = None;
            self.raise(irq::MAX_BO_CCA_REACH);
            return self.done();
        }
        self.sense = false;
        self.state = State::Ready;
        self.goal = Some(Goal::Listen);
        let wait_ps = self.back_off_ps(backoffs);
        self.after(wait_ps, Kind::BackoffEnd);
    }

    /// A back-off unit is BU_PRESCALER periods of the RC oscillator (remembered, unverified). The chip's own pseudo-random
    /// generator is not documented; a draw of the bench that depends on BU_COUNTER_SEED stands for it.
    fn back_off_ps(&mut self, backoffs: u8) -> u64 {
        let seed = u64::from(self.reg(regs::CSMA_CONFIG3)) << 8 | u64::from(self.reg(regs::CSMA_CONFIG3 + 1));
        let keys = [u64::from(self.board), seed];
        let luck = draw(self.seed, Purpose::Backoff, &keys, self.backoffs_drawn);
        self.backoffs_drawn += 1;
        timing::rco(below(luck, 1 << backoffs) * u64::from(self.reg(regs::CSMA_CONFIG1) >> 2))
    }
}

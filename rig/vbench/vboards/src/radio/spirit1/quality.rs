//! What the receiver thinks of the channel, and the RX timeout that depends on it (data sheet 9.10; library,
//! SPIRIT_Qi.h, SPIRIT_Timer.h).

use super::regs::{self, irq, protocol, State};
use super::state::Goal;
use super::{timing, Kind, Spirit1};

impl Spirit1 {
    /// RSSI_TH in dBm: 20 is -120 dBm, in steps of half a dB (library, RSSI_TH).
    pub(super) fn threshold_dbm(&self) -> i32 {
        i32::from(self.reg(regs::RSSI_TH)) / 2 - 130
    }

    /// RSSI_LEVEL for what is in the channel filter now; noise shows as the sensitivity.
    pub(super) fn rssi_level(&self) -> u8 {
        let level = self.ether.level_dbm(&self.band(), self.now_ps, self.now_ps + 1);
        let dbm = level.unwrap_or(i32::MIN).max(self.sensitivity_dbm());
        (2 * (dbm + 130)).clamp(0, 255) as u8
    }

    /// Keeps the RSSI when the receiver goes off.
    pub(super) fn latch_rssi(&mut self) {
        if self.state == State::Rx && self.rx.is_none() {
            self.rssi = self.rssi_level();
        }
    }

    /// Static carrier sense (library, RSSI_FLT).
    pub(super) fn carrier_sense(&mut self) {
        let level = self.ether.level_dbm(&self.band(), self.now_ps, self.now_ps + 1);
        let sense = self.state == State::Rx && level.map_or(false, |dbm| dbm >= self.threshold_dbm());
        if sense && !self.sense {
            self.raise(irq::RSSI_ABOVE_TH);
        }
        self.sense = sense;
        if let Some(csma) = self.csma.as_mut() {
            csma.sensed |= sense;
        }
        self.check_timeout();
    }

    /// (prescaler + 1) * counter * 1210 cycles; counter 0 is for ever (library, SPIRIT_Timer.c).
    pub(super) fn start_rx_timeout(&mut self) {
        let (prescaler, counter) = (self.reg(regs::TIMERS5), self.reg(regs::TIMERS5 + 1));
        let cycles = (u64::from(prescaler) + 1) * u64::from(counter) * timing::RX_TIMEOUT_CYCLES;
        self.cancel(Kind::RxTimeout);
        if counter > 0 && !self.timeout_stopped() {
            let wait_ps = u128::from(cycles) * u128::from(timing::PS_PER_S) / u128::from(self.digital_hz());
            self.after(wait_ps as u64, Kind::RxTimeout);
        }
    }

    /// The stop condition: CS, SQI and PQI as PROTOCOL2 selects them, all or any of them; any of none is "always", all of
    /// none is "never" (library, RxTimeoutStopCondition).
    fn timeout_stopped(&self) -> bool {
        let protocol_2 = self.reg(regs::PROTOCOL2);
        let all = [
            (protocol::CS_TIMEOUT, self.sense),
            (protocol::SQI_TIMEOUT, self.rx.is_some()),
            (protocol::PQI_TIMEOUT, self.preamble),
        ];
        let mut chosen = all
            .iter()
            .filter(|quality| protocol_2 & quality.0 != 0)
            .map(|quality| quality.1)
            .peekable();
        let none = chosen.peek().is_none();
        if self.reg(regs::PCKT_FLT_OPTIONS) & protocol::RX_TIMEOUT_OR != 0 {
            none || chosen.any(|quality| quality)
        } else {
            !none && chosen.all(|quality| quality)
        }
    }

    pub(super) fn check_timeout(&mut self) {
        if self.timeout_stopped() {
            self.cancel(Kind::RxTimeout);
        }
    }

    pub(super) fn rx_timeout(&mut self) {
        for kind in [Kind::RxHead, Kind::RxByte, Kind::RxEnd] {
            self.cancel(kind);
        }
        self.latch_rssi();
        self.rx = None;
        self.preamble = false;
        if self.awaits_ack {
            return self.ack_missing();
        }
        self.raise(irq::RX_TIMEOUT | irq::RX_DATA_DISC);
        if self.ldc() {
            self.listening_since = None;
            self.sense = false;
            self.go(Goal::Sleep);
        } else {
            self.done();
        }
    }
}

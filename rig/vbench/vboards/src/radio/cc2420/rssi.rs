//! Signal strength and clear channel assessment (sections 23 and 25).

use super::regs::{self, mdmctrl0};
use super::{timing, Cc2420, Kind, State};
use crate::air::SYMBOL_PS;

impl Cc2420 {
    /// The receiver is on for 8 symbol periods at least.
    pub(super) fn rssi_valid(&self) -> bool {
        let window_ps = timing::RSSI_SYMBOLS * SYMBOL_PS;
        self.rx_on_since.map_or(false, |since| since + window_ps <= self.now_ps)
    }

    /// RSSI_VAL over the 8 symbol periods before now; -128 until it is valid.
    pub(super) fn rssi_val(&self) -> i8 {
        if self.rssi_valid() {
            self.rssi_average(self.now_ps)
        } else {
            -128
        }
    }

    /// Average over the 8 symbol periods that end at `end_ps` of the strongest level in each.
    pub(super) fn rssi_average(&self, end_ps: u64) -> i8 {
        let band = self.waveform();
        let sum: i32 = (1..=timing::RSSI_SYMBOLS)
            .map(|back| {
                let from_ps = end_ps.saturating_sub(back * SYMBOL_PS);
                let level = self.ether.level_dbm(&band, from_ps, from_ps + SYMBOL_PS);
                level.map_or(timing::NOISE_FLOOR_DBM, |dbm| dbm.max(timing::NOISE_FLOOR_DBM))
            })
            .sum();
        let average = sum.div_euclid(timing::RSSI_SYMBOLS as i32) - timing::RSSI_OFFSET_DB;
        average.clamp(-128, 127) as i8
    }

    /// Carries the energy detector's hysteresis on: busy from CCA_THR on, clear below CCA_THR - CCA_HYST.
    pub(super) fn update_energy(&mut self) {
        let threshold = i16::from((self.reg(regs::RSSI) >> 8) as u8 as i8);
        let hysteresis = (self.reg(regs::MDMCTRL0) >> mdmctrl0::CCA_HYST_SHIFT & 7) as i16;
        let level = i16::from(self.rssi_val());
        if level >= threshold {
            self.energy_busy = true;
        } else if level < threshold - hysteresis {
            self.energy_busy = false;
        }
    }

    /// CCA: not valid, and then not clear, before the receiver was on for 8 symbol periods.
    pub(super) fn channel_clear(&mut self) -> bool {
        if !self.rssi_valid() {
            self.energy_busy = false;
            return false;
        }
        self.update_energy();
        let receiving = self.state == State::RxFrame;
        match self.reg(regs::MDMCTRL0) >> mdmctrl0::CCA_MODE_SHIFT & 3 {
            1 => !self.energy_busy,
            2 => !receiving,
            3 => !self.energy_busy && !receiving,
            _ => true, // reserved
        }
    }

    /// Has CCA looked at every symbol period from here on, as long as something is in the air.
    pub(super) fn watch_cca(&mut self, from_ps: u64) {
        if self.rx_on_since.is_none() {
            return;
        }
        if !self.events.iter().any(|event| event.1 == Kind::Cca) {
            self.at(from_ps.max(self.now_ps) + SYMBOL_PS, Kind::Cca);
        }
    }

    pub(super) fn cca_event(&mut self) {
        if self.rx_on_since.is_none() {
            return;
        }
        self.show_cca();
        let window_ps = (timing::RSSI_SYMBOLS + 1) * SYMBOL_PS;
        let from_ps = self.now_ps.saturating_sub(window_ps);
        if !self.ether.silent_from(&self.waveform(), from_ps) || !self.rssi_valid() {
            self.after(SYMBOL_PS, Kind::Cca);
        }
    }
}

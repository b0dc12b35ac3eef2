//! Clear channel assessment, energy detection, RSSI (PS "RADIO", IEEE 802.15.4 operation; "RSSI").

use super::{event, registers, timing, Kind, Radio, State};

/// A measurement of the energy.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Energy {
    /// EDSAMPLE.
    pub sample: u32,
    since: u64,
    left: u32,
    most: u32,
}

/// A level as EDSAMPLE and CCAEDTHRES have it.
pub(super) fn scaled(dbm: i32, most: i32) -> u32 {
    (dbm - timing::ED_OFFSET_DBM).clamp(0, most) as u32
}

impl Radio {
    fn level_dbm(&self, from_ps: u64, to_ps: u64) -> i32 {
        let level = self.ether.level_dbm(&self.waveform(), from_ps, to_ps);
        level.map_or(timing::NOISE_FLOOR_DBM, |dbm| dbm.max(timing::NOISE_FLOOR_DBM))
    }

    fn listens(&self) -> bool {
        matches!(self.state, State::RxIdle | State::Rx)
    }

    pub(super) fn start_cca(&mut self) {
        if self.state == State::RxRampUp {
            // Contiki-NG's driver starts it there and waits for its end (nrf-ieee-driver-arch.c, channel_clear): unverified.
            self.cca_asked = true;
            return;
        }
        if !self.listens() {
            let now = self.state;
            return self.note(7, || format!("radio: CCASTART in state {:?}, ignored", now));
        }
        self.cancel(|kind| kind == Kind::Cca);
        self.cca_since = Some(self.now_ps);
        self.after(timing::CCA, Kind::Cca);
    }

    pub(super) fn cca_done(&mut self) {
        let since_ps = match self.cca_since.take() {
            Some(since_ps) => since_ps,
            None => return,
        };
        let control = self.word(registers::CCACTRL);
        let energy = scaled(self.level_dbm(since_ps, self.now_ps), 127) > control >> 8 & 0xFF;
        let correlates = control >> 24 != 0;
        let carrier = self.ether.carrier_dbm(&self.waveform(), since_ps, self.now_ps);
        let seen = correlates && carrier.map_or(false, |dbm| dbm >= timing::SENSITIVITY_DBM);
        let busy = match control & 7 {
            1 => seen,
            2 => energy && seen,
            3 => energy || seen,
            _ => energy,
        };
        self.interface.raise(if busy { event::CCABUSY } else { event::CCAIDLE });
    }

    pub(super) fn start_energy(&mut self) {
        if !self.listens() {
            let now = self.state;
            return self.note(8, || format!("radio: EDSTART in state {:?}, ignored", now));
        }
        self.energy = Energy {
            sample: self.energy.sample,
            since: self.now_ps,
            left: self.word(registers::EDCNT) & 0x001F_FFFF,
            most: 0,
        };
        self.cancel(|kind| kind == Kind::Energy);
        self.after(timing::CCA, Kind::Energy);
    }

    pub(super) fn energy_measured(&mut self) {
        let level = scaled(self.level_dbm(self.energy.since, self.now_ps), 127);
        self.energy.most = self.energy.most.max(level);
        self.energy.since = self.now_ps;
        if self.energy.left > 0 {
            self.energy.left -= 1;
            return self.after(timing::CCA, Kind::Energy);
        }
        self.energy.sample = self.energy.most;
        self.interface.raise(event::EDEND);
    }

    /// RSSISAMPLE: the level below 0 dBm.
    pub(super) fn rssi_measured(&mut self) {
        if self.listens() {
            self.rssi = (-self.level_dbm(self.now_ps.saturating_sub(timing::RSSI), self.now_ps)).clamp(0, 127) as u32;
        }
        self.interface.raise(event::RSSIEND);
    }
}

//! State machine: ramp-up, start, stop, disable (PS "RADIO", operating states).

use super::{event, registers, timing, Kind, Radio, State};
use crate::air::REACTION_PS;

impl Radio {
    pub(super) fn ramp_up(&mut self, state: State) {
        let allowed = matches!(self.state, State::Disabled | State::RxIdle | State::TxIdle);
        if !allowed {
            let now = self.state;
            return self.note(1, || format!("radio: TXEN or RXEN in state {:?}, ignored", now));
        }
        if !self.crystal {
            self.note(2, || "radio: it is used while HFXO does not run".into());
        }
        if self.word(registers::MODE) & 15 != registers::MODE_IEEE802154 {
            let mode = self.word(registers::MODE) & 15;
            self.note(3, || {
                format!("radio: mode {} is not modelled, only IEEE 802.15.4", mode)
            });
        }
        let turns = self.state == State::RxIdle && state == State::TxRampUp;
        self.enter(state);
        let fast = self.word(registers::MODECNF0) & 1 == 1;
        let ramp_ps = match (fast, turns) {
            (true, true) => timing::TURNAROUND_FAST,
            (true, false) => timing::RAMP_UP_FAST,
            (false, _) => timing::RAMP_UP,
        };
        let ready_ps = self.later(self.now_ps, ramp_ps);
        if state == State::TxRampUp {
            let air_ps = self.later(ready_ps, timing::TX_DELAY);
            self.at(air_ps - REACTION_PS, Kind::TxAnnounce(air_ps));
        }
        self.at(ready_ps, Kind::Ready);
    }

    pub(super) fn ready(&mut self) {
        self.interface.raise(event::READY);
        if self.state == State::TxRampUp {
            self.enter(State::TxIdle);
            self.interface.raise(event::TXREADY);
            self.drop_unstarted();
        } else {
            self.enter(State::RxIdle);
            self.interface.raise(event::RXREADY);
            if std::mem::take(&mut self.cca_asked) {
                self.start_cca();
            }
        }
    }

    pub(super) fn disable(&mut self) {
        match self.state {
            // nRF5 SDK, examples/peripheral/radio_test: DISABLE in DISABLED is followed by DISABLED.
            State::Disabled => self.interface.raise(event::DISABLED),
            State::RxDisable | State::TxDisable => {}
            State::RxRampUp | State::RxIdle | State::Rx => self.go_down(State::RxDisable, timing::RX_DISABLE),
            State::TxRampUp | State::TxIdle | State::Tx => self.go_down(State::TxDisable, timing::TX_DISABLE),
        }
    }

    pub(super) fn go_down(&mut self, state: State, span_ps: u64) {
        self.break_off();
        self.enter(state);
        self.after(span_ps, Kind::Disabled);
    }

    pub(super) fn stop(&mut self) {
        match self.state {
            State::Rx => self.enter(State::RxIdle),
            State::Tx => {
                self.break_off();
                self.enter(State::TxIdle);
            }
            _ => {}
        }
    }

    pub(super) fn start(&mut self) {
        match self.state {
            State::RxIdle | State::Rx => {
                self.rx = None;
                self.enter(State::Rx);
            }
            State::TxIdle => self.send(),
            _ => {
                let now = self.state;
                self.note(4, || format!("radio: START in state {:?}, ignored", now));
            }
        }
    }
}

//! Reset, sleep, wake-up and the RF state machine (DS39776C, 3.1, 3.15).

use super::regs::{self, rxflush, wakecon, State};
use super::{timing, Kind, Mrf24j40};
use crate::air::{Message, Signal, REACTION_PS};
use crate::radio::Radio;

impl Mrf24j40 {
    /// Pin RESET, low active. silicon: registers answer 1.2 ms after it, before the oscillator's 2 ms are over.
    pub(super) fn set_reset(&mut self, level: bool, t_ps: u64) {
        self.advance(t_ps);
        if level != self.held {
            return;
        }
        self.held = !level;
        if level {
            self.start(timing::OSCILLATOR);
            return;
        }
        self.break_off();
        self.state = State::Reset;
        self.load_reset_values();
        self.update_pins();
    }

    /// Calibrates and then listens.
    pub(super) fn start(&mut self, delay_ps: u64) {
        self.state = State::Calibrating;
        self.tuned = self.long[regs::RFCON0] >> 4;
        self.after(delay_ps, Kind::Calibrated);
    }

    /// RFRST: 1 holds the RF state machine, 0 lets it calibrate for the channel of RFCON0.
    pub(super) fn rf_control(&mut self, before: u8, value: u8) {
        let (held, holds) = (before & regs::RFCTL_RFRST != 0, value & regs::RFCTL_RFRST != 0);
        if value & 3 != 0 {
            self.note(4, || {
                "radio: forced RF modes (RFTXMODE, RFRXMODE) are not modelled".into()
            });
        }
        if self.state == State::Sleep || held == holds {
            return;
        }
        if holds {
            let due_ps = self.due(Kind::Calibrated);
            self.oscillator_ps = due_ps.map_or(self.oscillator_ps, |due_ps| due_ps.max(self.oscillator_ps));
            self.break_off();
            self.state = State::Reset;
        } else {
            let after_reset = self.oscillator_ps.saturating_sub(self.now_ps);
            self.start(timing::CALIBRATION.max(after_reset));
        }
    }

    pub(super) fn calibrated(&mut self) {
        self.oscillator_ps = 0;
        self.state = State::Rx;
        self.listen_again();
    }

    /// SLPACK: sleeps at once (3.15.2); what it was doing ends. Registers stay and answer (silicon).
    pub(super) fn sleep(&mut self) {
        self.break_off();
        self.state = State::Sleep;
    }

    /// REGWAKE with IMMWAKE wakes (3.15.2). silicon: 1, then 0 a millisecond later, and WAKEIF is shown.
    pub(super) fn wake_control(&mut self, before: u8, value: u8) {
        let rises = value & !before & wakecon::REGWAKE != 0;
        if rises && value & wakecon::IMMWAKE != 0 {
            self.wake();
        }
    }

    /// Pin WAKE, with the polarity of WAKEPOL, if WAKEPAD lets it in (3.15.2).
    pub(super) fn set_wake(&mut self, level: bool, t_ps: u64) {
        self.advance(t_ps);
        let flush = self.reg(regs::RXFLUSH);
        let active = level == (flush & rxflush::WAKEPOL != 0);
        let enabled = flush & rxflush::WAKEPAD != 0 && self.reg(regs::WAKECON) & wakecon::IMMWAKE != 0;
        if active && enabled && !self.held {
            self.wake();
        }
    }

    fn wake(&mut self) {
        if self.state == State::Sleep {
            self.start(timing::OSCILLATOR);
            self.woke();
        }
    }

    /// Ends whatever continues. A carrier stays up for [`REACTION_PS`] more (unverified: what a real amplifier takes).
    fn break_off(&mut self) {
        if let Some(sending) = self.tx.take() {
            let end_ps = (self.now_ps + REACTION_PS).max(sending.start_ps);
            self.outbox.push(Message {
                source: self.board,
                frame: sending.frame,
                signal: Signal::Cut { end_ps },
            });
        }
        self.events
            .retain(|event| matches!(event.1, Kind::Sync(_) | Kind::SleepCalibrated));
        self.transaction = None;
        self.rx = None;
        self.listening_since = None;
    }

    /// The receiver looks for frames from now on, if it may; a frame on its way is lost.
    pub(super) fn listen_again(&mut self) {
        self.rx = None;
        self.cancel(Kind::Phr);
        self.cancel(Kind::RxEnd);
        let decodes = self.reg(regs::BBREG1) & regs::BBREG1_RXDECINV == 0;
        let on = self.long[regs::RFCON2] & regs::RFCON2_PLLEN != 0;
        let listens = self.state == State::Rx && decodes && on;
        self.listening_since = listens.then(|| self.now_ps.max(self.rx_ready_ps));
    }
}

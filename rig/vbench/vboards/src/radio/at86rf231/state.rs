//! State machine: commands, transitions, /RST and SLP_TR (data sheet 7.1, figure 7-1; 7.2, figure 7-8).

use super::regs::{self, command, irq, trac, State};
use super::{timing, At86rf231, Kind};
use crate::air::{Message, Signal, REACTION_PS, US};
use crate::radio::Radio;

impl At86rf231 {
    pub(super) fn busy(&self) -> bool {
        matches!(
            self.state,
            State::BusyRx | State::BusyTx | State::BusyRxAack | State::BusyTxAret
        )
    }

    /// Value of TRX_STATUS, bits 4 to 0.
    pub(super) fn status(&self) -> u8 {
        match (self.target, self.noclk, self.state) {
            (Some(_), _, _) => regs::STATE_TRANSITION_IN_PROGRESS,
            (None, true, State::RxOn) => regs::RX_ON_NOCLK,
            (None, true, State::RxAackOn) => regs::RX_AACK_ON_NOCLK,
            (None, true, State::BusyRxAack) => regs::BUSY_RX_AACK_NOCLK,
            (None, _, state) => state as u8 & 0x1F,
        }
    }

    /// A write to TRX_STATE.TRX_CMD.
    pub(super) fn command(&mut self, code: u8) {
        match code {
            command::TX_START => self.tx_start(),
            command::FORCE_TRX_OFF => {
                self.break_off();
                self.go(State::TrxOff, timing::QUICK);
            }
            command::FORCE_PLL_ON => {
                if self.noclk || matches!(self.state, State::POn | State::TrxOff) {
                    self.note(1, || {
                        "radio: FORCE_PLL_ON is not valid in P_ON, TRX_OFF and without CLKM, ignored".into()
                    });
                    return;
                }
                self.break_off();
                self.go(State::PllOn, timing::QUICK);
            }
            command::RX_ON | command::TRX_OFF | command::PLL_ON | command::RX_AACK_ON | command::TX_ARET_ON => {
                if self.busy() || self.target.is_some() {
                    self.deferred = Some(code);
                } else {
                    self.transition(code);
                }
            }
            _ => {} // table 7-17: all other values are mapped to NOP
        }
    }

    fn transition(&mut self, code: u8) {
        let target = match code {
            command::RX_ON => State::RxOn,
            command::PLL_ON => State::PllOn,
            command::RX_AACK_ON => State::RxAackOn,
            command::TX_ARET_ON => State::TxAretOn,
            _ => State::TrxOff,
        };
        match (self.state, target) {
            (from, to) if from == to => {}
            (State::POn, State::TrxOff) => {
                let running = (self.powered_ps + timing::P_ON).saturating_sub(self.now_ps);
                self.go(State::TrxOff, running + timing::QUICK);
            }
            (State::POn, _) => self.note(2, || "radio: in P_ON only TRX_OFF is possible, command ignored".into()),
            (State::TrxOff, _) => self.go(target, timing::PLL_LOCK),
            _ => self.go(target, timing::QUICK),
        }
    }

    fn go(&mut self, target: State, delay_ps: u64) {
        self.listening_since = None;
        self.target = Some(target);
        self.after(delay_ps, Kind::Settled(target));
    }

    pub(super) fn settled(&mut self, state: State) {
        let from = self.state;
        self.target = None;
        self.enter(state);
        let woken = matches!(from, State::POn | State::Sleep | State::Reset);
        if state == State::TrxOff && woken {
            self.raise(irq::CCA_ED_DONE); // AWAKE_END, 7.1.2.3
        }
        if from == State::TrxOff && !matches!(state, State::TrxOff | State::Sleep) {
            self.raise(irq::PLL_LOCK); // 7.1.2.4
        }
        self.run_deferred();
    }

    /// Takes a state at once, without its interrupts.
    pub(super) fn enter(&mut self, state: State) {
        self.state = state;
        self.noclk &= matches!(state, State::RxOn | State::RxAackOn);
        self.listening_since = None;
        match state {
            State::RxOn | State::RxAackOn => self.listening_since = Some(self.now_ps.max(self.rx_ready_ps)),
            State::TxAretOn => {}
            _ => self.guarded = false,
        }
        if state == State::RxAackOn {
            self.trac = trac::INVALID; // 7.2.7: "set TRAC_STATUS = 7 when started"
        }
    }

    pub(super) fn run_deferred(&mut self) {
        if let Some(code) = self.deferred.take() {
            self.transition(code);
        }
    }

    /// Ends whatever continues. A carrier stays up for [`REACTION_PS`] more: the power that a real amplifier takes
    /// down faster (unverified) must not be missed by a board that has run ahead.
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
            .retain(|event| !event.1.is_activity() && !matches!(event.1, Kind::Dig2(_)));
        self.aret = None;
        self.rx = None;
        self.deferred = None;
        self.target = None;
        self.noclk = false;
        self.slotted_ack = None;
        self.stamp(false);
    }

    /// Pin /RST (7.1.4.5).
    pub fn set_rstn(&mut self, level: bool, t_ps: u64) {
        self.advance(t_ps);
        if level == self.rstn {
            return;
        }
        self.rstn = level;
        if level {
            self.go(State::TrxOff, timing::RESET);
            return;
        }
        self.break_off();
        self.events.retain(|event| matches!(event.1, Kind::Sync(_)));
        self.state = State::Reset;
        self.listening_since = None;
        self.guarded = false;
        self.load_reset_values();
        self.irq_status = 0;
        self.trac = trac::SUCCESS;
        self.cca_done = false;
        self.update_pins();
    }

    /// Pin SLP_TR (6.5): sleep in TRX_OFF, start of transmission in PLL_ON and TX_ARET_ON.
    pub fn set_slp_tr(&mut self, level: bool, t_ps: u64) {
        self.advance(t_ps);
        if level == self.slp_tr {
            return;
        }
        self.slp_tr = level;
        match (self.state, level) {
            (State::TrxOff, true) if self.target.is_none() => self.go(State::Sleep, self.clkm_off()),
            (State::TrxOff, false) if self.target == Some(State::Sleep) => {
                self.cancel(Kind::Settled(State::Sleep));
                self.target = None;
            }
            (State::Sleep, false) => self.go(State::TrxOff, timing::WAKE),
            (State::PllOn, true) | (State::TxAretOn, true) => self.tx_start(),
            // CLKM itself stands a little later; nothing here counts it.
            (State::RxOn, true) | (State::RxAackOn, true) if self.target.is_none() => self.noclk = true,
            (State::RxOn, false) | (State::RxAackOn, false) | (State::BusyRxAack, false) => self.noclk = false,
            (State::BusyRxAack, true) if self.trac == trac::SUCCESS_WAIT_FOR_ACK => {
                if let Some(bytes) = self.slotted_ack.take() {
                    self.send_ack(bytes, self.later(timing::TX_START));
                }
            }
            (State::BusyRxAack, true) if self.slotted_ack.is_some() => {
                self.note(3, || "radio: SLP_TR before a slotted ACK is ready, ignored".into());
            }
            _ => {}
        }
    }

    /// How long CLKM continues after SLP_TR (tTR3).
    fn clkm_off(&self) -> u64 {
        match self.clkm_hz() {
            0 | 250_000 | 62_500 => 0,
            hz => timing::SLEEP_CLKM_PERIODS * (1_000_000 * US / hz),
        }
    }
}

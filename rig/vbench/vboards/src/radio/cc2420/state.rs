//! Supply, reset and the radio control state machine (sections 13.2, 19, figure 25).

use super::regs::{strobe, txctrl, State};
use super::{regs, timing, Cc2420, Kind};
use crate::air::{Message, Signal, REACTION_PS};

impl Cc2420 {
    /// Pin VREG_EN. Without it nothing is kept.
    pub(super) fn set_vreg_en(&mut self, level: bool) {
        if level == self.vreg_en {
            return;
        }
        self.vreg_en = level;
        self.cancel(|kind| kind == Kind::VregUp);
        if level {
            self.after(timing::vreg(self.start_up), Kind::VregUp);
            return;
        }
        self.reset();
        self.vreg_up = false;
        self.ram = [0; regs::ram::BYTES];
        self.show_all();
    }

    /// Pin RESETn: registers and state machine, not the RAM.
    pub(super) fn set_resetn(&mut self, level: bool) {
        if !level && self.resetn {
            self.reset();
        }
        self.resetn = level;
    }

    /// All registers to their reset values, crystal oscillator off.
    pub(super) fn reset(&mut self) {
        self.load_reset_values();
        self.flush_rx();
        self.flush_tx();
        self.pending_flag = false;
        self.oscillator_off();
    }

    fn oscillator_off(&mut self) {
        self.quiet();
        self.cancel(|kind| kind == Kind::XoscStable);
        self.xosc_stable = false;
        self.enter(State::PowerDown);
    }

    pub(super) fn xosc_started(&mut self) {
        self.xosc_stable = true;
        self.enter(State::Idle);
    }

    /// A command strobe, in effect with the last bit of its byte.
    pub(super) fn strobe(&mut self, code: u8) {
        match code {
            strobe::SNOP => {}
            strobe::SXOSCON => {
                if !self.xosc_stable && !self.events.iter().any(|event| event.1 == Kind::XoscStable) {
                    self.after(timing::XOSC, Kind::XoscStable);
                }
            }
            strobe::SXOSCOFF => self.oscillator_off(),
            _ if !self.xosc_stable => {
                self.note(10, || {
                    format!("radio: strobe 0x{:02x} without the crystal oscillator, ignored", code)
                });
            }
            strobe::STXCAL => {
                self.quiet();
                self.enter(State::TxCalibrate);
                self.after(timing::TX_TURNAROUND, Kind::Locked);
            }
            strobe::SRXON => {
                self.quiet();
                self.calibrate_rx();
            }
            strobe::STXON => self.transmit(),
            strobe::STXONCCA => {
                if self.channel_clear() {
                    self.transmit();
                }
            }
            strobe::SRFOFF => {
                self.quiet();
                self.enter(State::Idle);
            }
            strobe::SFLUSHRX => self.strobe_flush_rx(),
            strobe::SFLUSHTX => {
                self.flush_tx();
                if self.state == State::TxUnderflow {
                    self.calibrate_rx();
                }
            }
            strobe::SACK => self.acknowledge(false),
            strobe::SACKPEND => self.acknowledge(true),
            _ => self.note(11, || {
                format!("radio: strobe 0x{:02x} (security) is not modelled, ignored", code)
            }),
        }
    }

    /// Takes a state at once.
    pub(super) fn enter(&mut self, state: State) {
        self.state = state;
        if state != State::RxSfdSearch {
            self.searching_since = None;
        }
        if matches!(state, State::PowerDown | State::Idle) {
            self.locked = false;
        }
        let receives = matches!(
            state,
            State::RxSfdSearch | State::RxFrame | State::RxWait | State::RxOverflow
        );
        if !receives {
            self.rx_on_since = None;
        }
        self.show_all();
    }

    pub(super) fn calibrate_rx(&mut self) {
        self.locked = false;
        self.enter(State::RxCalibrate);
        self.after(timing::RX_TURNAROUND, Kind::RxOn);
    }

    pub(super) fn receiver_on(&mut self) {
        self.locked = true;
        self.rx_on_since = Some(self.now_ps);
        self.after(timing::RSSI_SYMBOLS * crate::air::SYMBOL_PS, Kind::Cca);
        self.search();
    }

    /// Looks for the next frame.
    pub(super) fn search(&mut self) {
        self.enter(State::RxSfdSearch);
        self.searching_since = Some(self.now_ps);
    }

    /// STXON, or STXONCCA on a clear channel: from IDLE and the receive states.
    fn transmit(&mut self) {
        if self.tx.is_some() || self.state == State::TxUnderflow {
            self.note(12, || {
                "radio: STXON while transmitting or after an underflow, ignored".into()
            });
            return;
        }
        let long = self.reg(regs::TXCTRL) & txctrl::TX_TURNAROUND != 0;
        let turnaround_ps = if long {
            timing::TX_TURNAROUND
        } else {
            timing::TX_TURNAROUND_SHORT
        };
        self.quiet();
        self.start_frame(State::TxCalibrate, self.later(turnaround_ps), None);
    }

    /// Ends what continues. A carrier stays up for [`REACTION_PS`] more: the power that a real amplifier takes down faster
    /// must not be missed by a board that has run ahead.
    pub(super) fn quiet(&mut self) {
        if let Some(sending) = self.tx.take() {
            if let Some(frame) = sending.frame {
                let end_ps = (self.now_ps + REACTION_PS).max(sending.start_ps);
                self.outbox.push(Message {
                    source: self.board,
                    frame,
                    signal: Signal::Cut { end_ps },
                });
            }
        }
        if self.rx.take().is_some() {
            self.rxfifo.reject();
        }
        self.cancel(|kind| !matches!(kind, Kind::Sync(_) | Kind::XoscStable | Kind::VregUp));
        self.set_sfd(false);
    }
}

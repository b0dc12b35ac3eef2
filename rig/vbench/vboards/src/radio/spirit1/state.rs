//! State machine: commands, the states between, SDN, the wake-up timer (data sheet, tables 20 and 21; library,
//! SPIRIT_Types.h and SPIRIT_Calibration.h).

use super::regs::{self, command, irq, protocol, State};
use super::{timing, Kind, Spirit1};
use crate::air::{Message, Signal, REACTION_PS};

/// The state the chip changes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    Standby,
    Sleep,
    Ready,
    Lock,
    /// To receive packets.
    Rx,
    /// To listen before a transmission.
    Listen,
    /// To wait for an acknowledgement.
    AckWait,
    Tx,
}

impl Spirit1 {
    /// A command by SPI. One that the present state does not take is ignored.
    pub(super) fn command(&mut self, code: u8) {
        match code {
            command::FLUSHRXFIFO => {
                self.rx_fifo.clear();
                self.watch_fifos();
            }
            command::FLUSHTXFIFO => {
                self.tx_fifo.clear();
                self.watch_fifos();
            }
            command::SRES => self.soft_reset(),
            command::SABORT => self.abort(),
            command::LDC_RELOAD => self.start_wake_up_timer(regs::TIMERS1),
            command::SEQUENCE_UPDATE => self.tx_sequence = self.reg(regs::PROTOCOL2) >> 3 & 3,
            code if command::AES.contains(&code) => {
                self.note(10, || "radio: AES is not modelled, command ignored".into())
            }
            _ => self.travel(code),
        }
    }

    /// A command that changes the state; not before the chip has got where the last one sent it.
    fn travel(&mut self, code: u8) {
        let from = if self.goal.is_none() { Some(self.state) } else { None };
        let goal = match (code, from) {
            (command::TX, Some(State::Ready | State::Lock)) => return self.start_transmission(),
            (command::RX, Some(State::Ready | State::Lock)) => {
                self.ldc_receives = self.ldc();
                Goal::Rx
            }
            (command::READY, Some(State::Ready)) => return,
            (command::READY, Some(State::Standby | State::Sleep | State::Lock)) => Goal::Ready,
            (command::STANDBY, Some(State::Ready)) => Goal::Standby,
            (command::SLEEP, Some(State::Ready)) => Goal::Sleep,
            (command::LOCKRX | command::LOCKTX, Some(State::Ready)) => Goal::Lock,
            _ => {
                let state = self.state;
                return self.note(11, || {
                    format!("radio: command 0x{:02x} in state {:?}, ignored", code, state)
                });
            }
        };
        self.go(goal);
    }

    /// Sets out for a goal, leg by leg.
    pub(super) fn go(&mut self, goal: Goal) {
        self.check_settings();
        self.goal = Some(goal);
        self.legs.clear();
        if matches!(self.state, State::Standby | State::Sleep) {
            self.legs.push_back((State::PmSetup, timing::PM_SETUP));
            self.legs.push_back((State::XoSettling, timing::XO_SETTLING));
        }
        match goal {
            Goal::Standby | Goal::Sleep => self.legs.push_back((State::Ready, timing::QUICK)),
            Goal::Ready => {
                if self.legs.is_empty() {
                    self.legs.push_back((self.state, timing::QUICK));
                }
            }
            Goal::Lock | Goal::Rx | Goal::Listen | Goal::AckWait | Goal::Tx => self.tune(goal),
        }
        self.leg();
    }

    /// The legs that tune the synthesizer. From RX to TX and back it must lock again but not be set up. MC_STATE shows LOCK
    /// only once it has locked; that receiver and transmitter start in LOCK is an assumption of this model, unverified.
    fn tune(&mut self, goal: Goal) {
        let relock = match self.state {
            State::Lock => 0,
            State::Rx | State::Tx => timing::SYNTH_LOCK,
            _ => {
                let calibrates = self.reg(regs::PROTOCOL2) & protocol::VCO_CALIBRATION != 0;
                let lock = |last: bool| if last { timing::SYNTH_LOCK } else { 0 };
                self.legs
                    .push_back((State::SynthSetup, timing::SYNTH_SETUP + lock(!calibrates)));
                if calibrates {
                    self.legs
                        .push_back((State::SynthCalibration, timing::SYNTH_CALIBRATION + lock(true)));
                }
                0
            }
        };
        if goal != Goal::Lock {
            self.legs.push_back((State::Lock, relock + timing::START));
        }
    }

    /// Begins the next leg, or is there.
    pub(super) fn leg(&mut self) {
        match (self.legs.pop_front(), self.goal) {
            (Some((state, delay_ps)), goal) => {
                self.state = state;
                if self.legs.is_empty() && goal == Some(Goal::Tx) {
                    self.announce(self.later(delay_ps));
                }
                self.after(delay_ps, Kind::Leg);
            }
            (None, Some(goal)) => {
                self.goal = None;
                self.arrive(goal);
            }
            (None, None) => {}
        }
    }

    fn arrive(&mut self, goal: Goal) {
        self.state = match goal {
            Goal::Standby => State::Standby,
            Goal::Sleep => State::Sleep,
            Goal::Ready => State::Ready,
            Goal::Lock => State::Lock,
            Goal::Rx | Goal::Listen | Goal::AckWait => State::Rx,
            Goal::Tx => State::Tx,
        };
        match goal {
            Goal::Standby => self.raise(irq::STANDBY_DELAYED),
            Goal::Sleep => {
                if self.ldc() && !self.events.iter().any(|event| event.1 == Kind::WakeUp) {
                    self.start_wake_up_timer(regs::TIMERS3);
                }
            }
            Goal::Ready => self.raise(irq::READY),
            Goal::Lock => self.raise(irq::LOCK),
            Goal::Rx | Goal::AckWait => {
                self.awaits_ack = goal == Goal::AckWait;
                self.listening_since = Some(self.now_ps);
                self.start_rx_timeout();
                self.carrier_sense();
            }
            Goal::Listen => self.listen(),
            Goal::Tx => {}
        }
    }

    /// Back to READY at the end of something.
    pub(super) fn done(&mut self) {
        self.listening_since = None;
        self.awaits_ack = false;
        self.sense = false;
        self.state = State::Ready;
        self.goal = None;
        self.raise(irq::READY);
    }

    /// SABORT: out of RX and TX, and what leads there (data sheet, table 21).
    fn abort(&mut self) {
        let tuned = matches!(
            self.goal,
            Some(Goal::Lock | Goal::Rx | Goal::Listen | Goal::AckWait | Goal::Tx)
        );
        if !tuned && !matches!(self.state, State::Rx | State::Tx) && self.csma.is_none() {
            return;
        }
        self.latch_rssi();
        self.break_off();
        self.state = State::Lock;
        self.go(Goal::Ready);
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
        self.events.retain(|event| !event.1.is_activity());
        self.legs.clear();
        self.goal = None;
        self.rx = None;
        self.csma = None;
        self.transaction = None;
        self.acknowledging = None;
        self.listening_since = None;
        self.awaits_ack = false;
        self.sense = false;
    }

    /// SRES: "reset of all digital part, except SPI registers" (library). The crystal continues, so READY is near.
    fn soft_reset(&mut self) {
        if self.goal == Some(Goal::Ready) && self.state == State::Shutdown {
            return; // still in power-on reset
        }
        self.break_off();
        self.cancel(Kind::WakeUp);
        self.rx_fifo.clear();
        self.tx_fifo.clear();
        self.tx_sequence = 0;
        self.irq_status = 0;
        self.watch_fifos();
        self.state = State::Ready;
        self.go(Goal::Ready);
    }

    /// Pin SDN: high takes the supply away, low begins with a power-on reset.
    pub(super) fn set_sdn(&mut self, level: bool) {
        if level == self.sdn {
            return;
        }
        self.sdn = level;
        self.break_off();
        self.cancel(Kind::WakeUp);
        self.load_reset_values();
        self.state = State::Shutdown;
        if !level {
            self.goal = Some(Goal::Ready);
            self.after(timing::POWER_ON, Kind::PowerOn);
        }
    }

    pub(super) fn power_on(&mut self) {
        self.goal = None;
        self.raise(irq::POR);
        self.done();
    }

    /// LDC mode: low duty cycle, the chip sleeps between its receptions (PROTOCOL2.LDC_MODE).
    pub(super) fn ldc(&self) -> bool {
        self.reg(regs::PROTOCOL2) & protocol::LDC_MODE != 0
    }

    /// (prescaler + 1) (counter + 1) periods of the RC oscillator (library, SPIRIT_Timer.c).
    pub(super) fn start_wake_up_timer(&mut self, register: u8) {
        let (prescaler, counter) = (self.reg(register), self.reg(register + 1));
        let periods = (u64::from(prescaler) + 1) * (u64::from(counter) + 1);
        self.cancel(Kind::WakeUp);
        self.at(self.oscillator.edge(self.now_ps + timing::rco(periods)), Kind::WakeUp);
    }

    /// The wake-up timer is out and restarts: a sleeping chip receives again, or is READY for the host (remembered,
    /// unverified).
    pub(super) fn wake_up(&mut self) {
        if !self.ldc() {
            return;
        }
        self.start_wake_up_timer(regs::TIMERS3);
        if self.state != State::Sleep || self.goal.is_some() {
            return;
        }
        self.raise(irq::WKUP_TOUT_LDC);
        self.go(if self.ldc_receives { Goal::Rx } else { Goal::Ready });
    }
}

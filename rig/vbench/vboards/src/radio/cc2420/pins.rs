//! The pins FIFO, FIFOP, SFD and CCA (section 14), with their polarities and the test signals.

use super::regs::{self, iocfg0, mux};
use super::{Cc2420, Output, State};
use crate::radio::PinChange;

/// Levels as they are.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pins {
    fifo: bool,
    fifop: bool,
    sfd: bool,
    cca: bool,
    /// SFD before its polarity and multiplexer.
    pub sfd_signal: bool,
}

impl Cc2420 {
    /// Start of frame delimiter found or sent (true); end of the frame (false).
    pub(super) fn set_sfd(&mut self, active: bool) {
        self.pins.sfd_signal = active;
        self.show_sfd();
    }

    /// Section 14.2. FIFO: there is something in the RXFIFO; FIFOP: more than the threshold of it is known to be for this
    /// node, or a frame is complete and none of it was read since. Overflow: FIFO low and FIFOP high.
    pub(super) fn show_fifo(&mut self) {
        let overflow = self.state == State::RxOverflow;
        let fifo = self.rxfifo.unread() > 0 && !overflow;
        let above = self.rxfifo.accepted() > usize::from(self.reg(regs::IOCFG0) & iocfg0::FIFOP_THR);
        let fifop = overflow || self.rxfifo.frame_complete || above;
        let (fifo, fifop) = (
            self.polar(fifo, iocfg0::FIFO_POLARITY),
            self.polar(fifop, iocfg0::FIFOP_POLARITY),
        );
        if fifo != self.pins.fifo {
            self.pins.fifo = fifo;
            self.drive(Output::Fifo, fifo);
        }
        if fifop != self.pins.fifop {
            self.pins.fifop = fifop;
            self.drive(Output::Fifop, fifop);
        }
    }

    fn show_sfd(&mut self) {
        let signal = self.pins.sfd_signal;
        let sfd = self.muxed(self.reg(regs::IOCFG1) >> 5 & 0x1F, signal, iocfg0::SFD_POLARITY);
        if sfd != self.pins.sfd {
            self.pins.sfd = sfd;
            self.drive(Output::Sfd, sfd);
        }
    }

    pub(super) fn show_cca(&mut self) {
        let signal = self.channel_clear();
        let cca = self.muxed(self.reg(regs::IOCFG1) & 0x1F, signal, iocfg0::CCA_POLARITY);
        if cca != self.pins.cca {
            self.pins.cca = cca;
            self.drive(Output::Cca, cca);
        }
    }

    /// After a change of anything that all of them depend on.
    pub(super) fn show_all(&mut self) {
        self.show_fifo();
        self.show_sfd();
        self.show_cca();
    }

    fn muxed(&mut self, source: u16, normal: bool, polarity: u16) -> bool {
        match source {
            mux::NORMAL => self.polar(normal, polarity),
            mux::XOSC16M_STABLE => self.xosc_stable,
            other => {
                self.note(30, || {
                    format!("radio: test signal {} on SFD or CCA is not modelled, low", other)
                });
                false
            }
        }
    }

    /// A polarity bit inverts; a chip without supply drives low.
    fn polar(&self, active: bool, polarity: u16) -> bool {
        self.vreg_up && active != (self.reg(regs::IOCFG0) & polarity != 0)
    }

    fn drive(&mut self, pin: Output, level: bool) {
        self.changes.push(PinChange {
            t_ps: self.now_ps,
            pin,
            level,
        });
    }
}

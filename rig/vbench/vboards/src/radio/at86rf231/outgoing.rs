//! The frame buffer while its frame is sent: each byte is taken shortly before its time on the air, and the host may
//! write ahead of that (data sheet 9.3.3, 10.2).

use super::regs::{self, ctrl_1, irq};
use super::spi::Port;
use super::{frame, At86rf231, Kind};
use crate::air::{lasting_ps, Message, Signal, SHR_PHR_PS, SHR_PS, US};
use std::sync::Arc;

/// What goes out of an own frame.
#[derive(Clone, Debug)]
pub(super) struct Outgoing {
    start_ps: u64,
    byte_ps: u64,
    /// Error of the crystal.
    ppb: i64,
    psdu: Vec<u8>,
    /// TX_AUTO_CRC_ON: the last two bytes are the chip's.
    auto_fcs: bool,
}

impl Outgoing {
    /// When byte `index` of the frame buffer is taken; 0 is the PHR.
    ///
    /// PHR and first byte of the PSDU: at the end of the SFD (9.3.3: the first byte of the PSDU must be there "before
    /// SFD transmission is complete"). So the chip is a byte ahead of the air; that it stays so is an assumption.
    /// At 2 Mb/s the model takes a byte earlier still, for nothing may reach another board within
    /// [`crate::air::REACTION_PS`].
    fn due_ps(&self, index: usize) -> u64 {
        if index < 2 {
            return self.start_ps + lasting_ps(SHR_PS, self.ppb);
        }
        let on_air_ps = self.start_ps + lasting_ps(SHR_PHR_PS + index as u64 * self.byte_ps, self.ppb);
        on_air_ps - (2 * self.byte_ps).max(16 * US)
    }

    fn on_air(&self) -> Vec<u8> {
        let mut psdu = self.psdu.clone();
        if let (true, Some(body)) = (self.auto_fcs, psdu.len().checked_sub(2)) {
            let check = frame::fcs(&psdu[..body]).to_le_bytes();
            psdu[body..].copy_from_slice(&check);
        }
        psdu
    }

    /// Sequence number if the frame asks for an ACK.
    pub fn wants_ack(&self) -> Option<u8> {
        frame::ack_request(&self.psdu).then(|| self.psdu[2])
    }
}

impl At86rf231 {
    /// The SHR is over: the length counts from now on, and receivers get what is in the frame buffer.
    pub(super) fn tx_body(&mut self) {
        let length = usize::from(self.buffer[0] & 0x7F);
        let psdu = self.buffer[1..=length].to_vec();
        let auto_fcs = self.reg(regs::TRX_CTRL_1) & ctrl_1::TX_AUTO_CRC_ON != 0;
        let (byte_ps, ppb) = (self.byte_ps(), self.oscillator.ppb());
        if let Some(sending) = self.tx.as_mut() {
            let start_ps = sending.start_ps;
            sending.outgoing = Some(Outgoing {
                start_ps,
                byte_ps,
                ppb,
                psdu,
                auto_fcs,
            });
            let air_ps = SHR_PHR_PS + length as u64 * byte_ps;
            self.at(self.oscillator.later(start_ps, air_ps), Kind::TxEnd);
            self.tell_body();
            self.await_write();
        }
    }

    fn outgoing(&self) -> Option<&Outgoing> {
        self.tx.as_ref()?.outgoing.as_ref()
    }

    fn tell_body(&mut self) {
        if let (Some(sending), Some(outgoing)) = (self.tx.as_ref(), self.outgoing()) {
            let message = Message {
                source: self.board,
                frame: sending.frame,
                signal: Signal::Body {
                    psdu: Arc::from(outgoing.on_air()),
                },
            };
            self.outbox.push(message);
        }
    }

    /// Byte `index` of the frame buffer was written: it goes out if it has not been taken yet.
    pub(super) fn written(&mut self, index: usize, byte: u8) {
        let now_ps = self.now_ps;
        let outgoing = self.tx.as_mut().and_then(|sending| sending.outgoing.as_mut());
        match outgoing.filter(|outgoing| index <= outgoing.psdu.len()) {
            Some(outgoing) if now_ps < outgoing.due_ps(index) => {
                outgoing.psdu[index - 1] = byte;
                self.tell_body();
            }
            Some(_) => self.note_late_write(),
            None => {}
        }
    }

    /// A frame buffer write continues: it is to be ahead of the transmission.
    pub(super) fn await_write(&mut self) {
        self.cancel(Kind::TxUnderrun);
        if let (Port::FrameWrite(index), Some(outgoing)) = (self.port, self.outgoing()) {
            if index <= outgoing.psdu.len() {
                let due_ps = outgoing.due_ps(index).max(self.now_ps);
                self.at(due_ps, Kind::TxUnderrun);
            }
        }
    }

    /// 9.3.3: an access violation is that the SPI's address "becomes less than or equal to" that of the transmitter.
    /// The frame continues with what the frame buffer holds, and TRX_END comes as always (Atmel's SWPM212, "IrqUR").
    pub(super) fn tx_underrun(&mut self) {
        self.note_late_write();
        self.raise(irq::TRX_UR);
    }

    fn note_late_write(&mut self) {
        self.note(11, || {
            "radio: frame buffer written too late for a frame on the air: what stood there before was sent".into()
        });
    }
}

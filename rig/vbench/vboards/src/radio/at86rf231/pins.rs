//! What the chip drives: IRQ (data sheet 6.6, 11.7), DIG1 and DIG2 (11.4, 11.6), DIG3 and DIG4 (11.5).

use super::regs::{self, ctrl_1, State};
use super::spi::Port;
use super::{At86rf231, Kind, Output, PinChange};

/// The pins, in the order of their levels.
pub(super) const OUTPUTS: [Output; 5] = [Output::Irq, Output::Dig1, Output::Dig2, Output::Dig3, Output::Dig4];

const ANT_EXT_SW_EN: u8 = 0x04;
/// ANT_CTRL: antenna 1; 1 is antenna 0 (11.4.3; unverified).
const ANT_CTRL_1: u8 = 2;

impl At86rf231 {
    /// Brings the pins to their levels.
    pub(super) fn update_pins(&mut self) {
        let ctrl = self.reg(regs::TRX_CTRL_1);
        let (dig1, dig2) = self.antenna_switch().unwrap_or((false, self.stamp));
        let indicates = ctrl & ctrl_1::PA_EXT_EN != 0;
        // 11.5: DIG3 while the amplifier is on, else DIG4 (unverified for the states without receiver).
        let sends = self.tx.is_some() && matches!(self.state, State::BusyTx | State::BusyTxAret | State::BusyRxAack);
        let levels = [self.irq_level(), dig1, dig2, indicates && sends, indicates && !sends];
        for (index, &pin) in OUTPUTS.iter().enumerate() {
            let level = levels[index];
            if level != std::mem::replace(&mut self.levels[index], level) {
                let t_ps = self.now_ps;
                self.pins.push(PinChange { t_ps, pin, level });
            }
        }
    }

    /// Interrupts, or during a read of the frame buffer: nothing is there yet (11.7; its 750 ns are left out).
    fn irq_level(&mut self) -> bool {
        let ctrl = self.reg(regs::TRX_CTRL_1);
        if let (true, Port::FrameRead(index)) = (ctrl & ctrl_1::RX_BL_CTRL != 0, self.port) {
            self.store_bytes();
            return !self.has_arrived(index);
        }
        let active = self.irq_status & self.reg(regs::IRQ_MASK) != 0;
        active != (ctrl & ctrl_1::IRQ_POLARITY != 0)
    }

    /// The antenna switch on DIG1 and DIG2, if it is on.
    fn antenna_switch(&self) -> Option<(bool, bool)> {
        let ant_div = self.reg(regs::ANT_DIV);
        if ant_div & ANT_EXT_SW_EN == 0 || matches!(self.state, State::Sleep | State::Reset) {
            return None;
        }
        let second = ant_div & 3 == ANT_CTRL_1;
        Some((!second, second))
    }

    /// DIG2 as a time stamp of a frame.
    pub(super) fn stamp(&mut self, level: bool) {
        self.stamp = level;
        self.update_pins();
    }

    /// A further byte was read from the frame buffer: the indicator falls when the next one is there.
    pub(super) fn await_byte(&mut self) {
        if self.reg(regs::TRX_CTRL_1) & ctrl_1::RX_BL_CTRL == 0 {
            return;
        }
        self.cancel(Kind::Byte);
        if let Port::FrameRead(index) = self.port {
            if let Some(t_ps) = self.arrives_at(index) {
                self.at(self.oscillator.edge(t_ps.max(self.now_ps)), Kind::Byte);
            }
        }
        self.update_pins();
    }
}

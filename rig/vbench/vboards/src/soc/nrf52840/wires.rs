//! Between the devices and the pins: nets and who looks at them, bits of the UARTEs, remarks of the radio.

use super::interface::At;
use super::{map, Nrf52840};
use crate::log::Topic;
use crate::soc::stm32::usart::Effect;
use crate::soc::Outside;
use crate::trace::{Edge, Pin};

impl Nrf52840 {
    /// Pins that peripherals drive, and their levels.
    fn outputs(&self) -> (u64, u64) {
        let (mut owned, mut levels) = self.gpiote.outputs();
        for uarte in self.uartes.iter() {
            if let Some(pin) = uarte.txd() {
                owned |= 1 << pin;
                levels = levels & !(1 << pin) | u64::from(uarte.lines.tx_level()) << pin;
            }
        }
        (owned, levels)
    }

    /// Pins may have new levels, those of `touched` and those that peripherals drive: the nets follow.
    pub(super) fn pins_changed(&mut self, touched: u64, at: At) {
        let (owned, levels) = self.outputs();
        let touched = touched | self.gpio.set_owned(owned, levels);
        self.settle(touched, at);
    }

    /// Brings the nets of some pins to their levels and tells everybody who looks at them.
    pub(super) fn settle(&mut self, touched: u64, at: At) {
        let mut changed = self.gpio.settle(touched);
        if changed == 0 {
            return;
        }
        let net = self.gpio.net();
        while changed != 0 {
            let pin = changed.trailing_zeros();
            changed &= changed - 1;
            let level = net >> pin & 1 == 1;
            self.edges.push_back(Edge {
                t_ps: at.ps,
                board: self.config.board,
                pin: pin as Pin,
                level,
            });
            self.gpiote.edge(pin, level);
        }
        if self.gpio.senses() && self.gpio.detect_rises() {
            self.gpiote.port_event();
        }
        self.follow(map::GPIOTE, at);
    }

    /// What is due on the lines of a UARTE.
    pub(super) fn uarte_fires(&mut self, index: usize, at: At) {
        let mut effects = std::mem::take(&mut self.effects);
        self.uartes[index].fire_lines(at.ps, &mut effects);
        for effect in effects.drain(..) {
            match effect {
                Effect::TxLevel(_) => {}
                Effect::RxLevel(level) => {
                    let pin = self.uartes[index].rx_pin().unwrap_or(self.config.serial_rx[index]);
                    self.gpio.set_drive(pin, level);
                    self.settle(1 << pin, at);
                }
                Effect::Sent(byte) => self.uarte_sent(index, byte, at.ps),
            }
        }
        self.effects = effects;
        self.follow(map::UARTES[index], at);
        self.pins_changed(0, at);
    }

    /// The host receives what goes out on a pin.
    fn uarte_sent(&mut self, index: usize, byte: u8, t_ps: u64) {
        if self.uartes[index].txd().is_some() {
            self.sent[index].push_back((t_ps, byte));
        } else {
            self.log.once(t_ps, Topic::Serial, 0x100 + index as u32, || {
                format!("UARTE{} sends while TXD is on no pin: the bytes are lost", index)
            });
        }
    }

    pub(super) fn radio_notes(&mut self, at: At) {
        for (key, text) in self.radio.take_notes() {
            self.log.once(at.ps, Topic::Radio, key, || text);
        }
    }
}

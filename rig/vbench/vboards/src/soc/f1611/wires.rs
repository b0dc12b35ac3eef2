//! Between the peripherals and the pins: nets and who looks at them, bits of the USARTs, the outside.

use super::map::{CAPTURES, OUTPUTS, PORTS, USART_PINS};
use super::usart::Effect;
use super::{Outside, F1611};
use crate::log::Topic;
use crate::trace::{Edge, Pin};

/// Bus number of a USART for the outside.
fn bus(usart: usize) -> usize {
    usart
}

impl<O: Outside> F1611<O> {
    /// Brings the nets of a port to their levels and tells everybody who looks at them.
    pub(super) fn settle(&mut self, port: usize, ps: u64) {
        let mut changed = self.ports[port].settle();
        let net = self.ports[port].net();
        while changed != 0 {
            let bit = changed.trailing_zeros() as u16;
            changed &= changed - 1;
            let level = net >> bit & 1 == 1;
            let pin = (port as Pin) << 4 | bit;
            self.edges.push_back(Edge {
                t_ps: ps,
                board: self.config.board,
                pin,
                level,
            });
            self.input(pin, level, ps);
            self.outside.pin(pin, level, ps);
        }
    }

    /// A pin that is selected for its module leads to the timers' inputs (SLAS368, pin schematics: the module's input
    /// holds its level while the pin is not selected).
    fn input(&mut self, pin: Pin, level: bool, ps: u64) {
        if self.ports[usize::from(pin >> 4)].sel >> (pin & 15) & 1 == 0 {
            return;
        }
        for &(_, timer, block, input) in CAPTURES.iter().filter(|entry| entry.0 == pin) {
            self.timers[timer].sync(&self.clocks, ps);
            self.timers[timer].set_input(block, input, level);
        }
    }

    /// The pins of a port were selected for modules, or taken back.
    pub(super) fn update_inputs(&mut self, port: usize, ps: u64) {
        for bit in 0..8 {
            let level = self.ports[port].net() >> bit & 1 == 1;
            self.input((port as Pin) << 4 | bit, level, ps);
        }
    }

    /// Takes over what the outside has done: levels, remarks.
    pub(super) fn outside_changed(&mut self) {
        loop {
            let mut drives = std::mem::take(&mut self.drives);
            self.outside.take_drives(&mut drives);
            if drives.is_empty() {
                self.drives = drives;
                break;
            }
            for drive in drives.drain(..) {
                let port = usize::from(drive.pin >> 4);
                self.ports[port].drive(drive.pin & 15, drive.level);
                self.settle(port, drive.t_ps.max(self.now_ps));
            }
            self.drives = drives;
        }
        for (key, text) in self.outside.take_notes() {
            self.log.once(self.now_ps, Topic::Radio, key, || text);
        }
    }

    /// Levels of the timers' outputs go to their pins.
    pub(super) fn timer_outputs(&mut self, ps: u64) {
        for timer in 0..self.timers.len() {
            let changed = std::mem::take(&mut self.timers[timer].out_changed);
            if changed == 0 {
                continue;
            }
            for &(_, block, pin) in OUTPUTS.iter().filter(|entry| entry.0 == timer) {
                if changed >> block & 1 == 1 {
                    let level = self.timers[timer].out(block);
                    self.module_level(pin, level, ps);
                }
            }
        }
    }

    fn module_level(&mut self, pin: Pin, level: bool, ps: u64) {
        let port = usize::from(pin >> 4);
        self.ports[port].set_module(pin & 15, level);
        self.settle(port, ps);
    }

    /// Who decides the direction of the USARTs' pins (SLAS368, pin schematics of ports 3 and 5: direction from module).
    pub(super) fn usart_pins(&mut self) {
        for (usart, pins) in self.usarts.iter().zip(USART_PINS.iter()) {
            let master = usart.drives_spi();
            let rules = [
                (pins.simo, master),
                (pins.somi, false),
                (pins.clock, master),
                (pins.tx, true),
                (pins.rx, false),
            ];
            for &(pin, drives) in rules.iter() {
                let port = &mut self.ports[usize::from(pin >> 4)];
                let mask = 1 << (pin & 15);
                port.module_rules |= mask;
                port.module_drives = if drives {
                    port.module_drives | mask
                } else {
                    port.module_drives & !mask
                };
            }
            if !usart.spi() {
                let port = &mut self.ports[usize::from(pins.tx >> 4)];
                port.set_module(pins.tx & 15, true);
            }
        }
        for port in 1..PORTS {
            self.settle(port, self.now_ps);
        }
    }

    /// Carries out what a USART has done at `ps`.
    pub(super) fn usart_effects(&mut self, index: usize, ps: u64) {
        let mut effects = std::mem::take(&mut self.effects);
        let pins = USART_PINS[index];
        for effect in effects.drain(..) {
            match effect {
                Effect::Tx(level) => self.module_level(pins.tx, level, ps),
                Effect::Clock(level) => self.module_level(pins.clock, level, ps),
                Effect::Simo(level) => self.module_level(pins.simo, level, ps),
                Effect::Rx(level) => self.outer_level(pins.rx, level, ps),
                Effect::Somi(level) => self.outer_level(pins.somi, level, ps),
                Effect::Sent(byte) => self.sent[index].push_back((ps, byte)),
                Effect::Begin => self.usarts[index].somi = self.outside.spi_out(bus(index), ps),
                Effect::End(byte) => {
                    self.outside.spi_in(bus(index), byte, ps);
                    self.outside_changed();
                }
                Effect::Lost(why) => self.log.once(ps, Topic::Serial, 16 + index as u32, || {
                    format!("USART{}: a byte from the host is lost, {}", index, why)
                }),
            }
        }
        self.effects = effects;
    }

    fn outer_level(&mut self, pin: Pin, level: bool, ps: u64) {
        let port = usize::from(pin >> 4);
        self.ports[port].drive(pin & 15, level);
        self.settle(port, ps);
    }
}

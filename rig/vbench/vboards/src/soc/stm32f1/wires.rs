//! Between the peripherals and the pins: nets and who looks at them, bits of USART and SPI, the outside.

use super::remap::NO_PIN;
use super::{Group, Outside, Stm32f1};
use crate::log::Topic;
use crate::soc::stm32::{absent, spi, usart};
use crate::trace::{pin_name, Edge, Pin};

impl<O: Outside> Stm32f1<O> {
    /// Brings the nets of a port to their levels and tells everybody who looks at them.
    pub(super) fn settle(&mut self, port: usize, cycle: u64, t_ps: u64) {
        let mut changed = self.ports[port].settle();
        let net = self.ports[port].net();
        while changed != 0 {
            let bit = changed.trailing_zeros() as u16;
            changed &= changed - 1;
            let level = net >> bit & 1 == 1;
            let pin = (port as Pin) << 4 | bit;
            self.edges.push_back(Edge {
                t_ps,
                board: self.config.board,
                pin,
                level,
            });
            if self.afio.selects(port, bit) {
                self.exti.edge(u32::from(bit), level);
            }
            if self.captured[port] >> bit & 1 == 1 {
                self.capture(pin, level, cycle);
            }
            if port == 0 {
                self.wakeup_pin(port, bit, level, cycle);
            }
            self.outside.pin(pin, level, t_ps);
        }
    }

    /// A port was written: its nets follow, and only what they touch is looked at again.
    pub(super) fn settle_at(&mut self, port: usize, cycle: u64) {
        if !self.ports[port].unsettled() {
            return;
        }
        let exti_before = self.exti.irqs();
        let t_ps = self.clock.ps(cycle);
        self.settle(port, cycle, t_ps);
        self.outside_changed(cycle);
        if self.stale != 0 || self.outside.next_event() != self.outside_next.0 || self.exti.irqs() != exti_before {
            self.look();
        }
    }

    fn capture(&mut self, pin: Pin, level: bool, cycle: u64) {
        self.sync_timers(cycle);
        for (timer, pins) in self.timers.iter_mut().zip(self.pins.timers.iter()) {
            if let Some(input) = pins.iter().position(|&candidate| candidate == pin) {
                for channel in [input, input ^ 1] {
                    if timer.captures(channel, input, level) {
                        timer.capture(channel);
                    }
                }
            }
        }
        self.touch(Group::Timers);
    }

    /// Timers or pins have changed: which pins are captured now.
    pub(super) fn inputs_changed(&mut self) {
        self.captured = [0; super::PORTS];
        for (timer, pins) in self.timers.iter().zip(self.pins.timers.iter()) {
            for (input, &pin) in pins.iter().enumerate() {
                let taken = [input, input ^ 1]
                    .iter()
                    .any(|&channel| timer.captures(channel, input, true) || timer.captures(channel, input, false));
                if taken && pin != NO_PIN {
                    self.captured[usize::from(pin >> 4)] |= 1 << (pin & 15);
                }
            }
        }
    }

    /// Brings the pins of the timers' outputs to their levels.
    pub(super) fn timer_outputs(&mut self, cycle: u64, t_ps: u64) {
        let mut ports = 0u32;
        for (timer, pins) in self.timers.iter_mut().zip(self.pins.timers.iter()) {
            let outputs = timer.outputs();
            let mut shown = 0;
            for (channel, &pin) in pins.iter().enumerate() {
                if outputs.enabled >> channel & 1 == 1 && pin != NO_PIN {
                    let port = &mut self.ports[usize::from(pin >> 4)];
                    port.set_alternate(pin & 15, outputs.levels >> channel & 1 == 1);
                    shown |= u8::from(port.alternate_outputs() >> (pin & 15) & 1 == 1) << channel;
                    ports |= 1 << (pin >> 4);
                }
            }
            if timer.show(shown) {
                self.stale |= 1 << Group::Timers as u8;
            }
        }
        for port in (0..self.ports.len()).filter(|port| ports >> port & 1 == 1) {
            if self.ports[port].unsettled() {
                self.settle(port, cycle, t_ps);
            }
        }
        if ports != 0 {
            self.outside_changed(cycle);
        }
    }

    /// A bus with a probe on it shows every edge.
    pub(super) fn trace_buses(&mut self) {
        for (spi, (sck, miso, mosi)) in self.spis.iter_mut().zip(self.pins.spis) {
            spi.shifter.traced = [sck, miso, mosi].iter().any(|pin| self.watched.contains(pin));
        }
        self.touch(Group::Spis);
        self.look();
    }

    /// Lines of USARTs rest high.
    pub(super) fn idle_lines(&mut self) {
        for (tx, rx) in self.pins.usarts {
            for pin in [tx, rx] {
                self.ports[usize::from(pin >> 4)].set_alternate(pin & 15, true);
            }
        }
    }

    /// Takes over what the outside has done: levels, remarks.
    pub(super) fn outside_changed(&mut self, cycle: u64) {
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
                self.settle(port, cycle, drive.t_ps);
            }
            self.drives = drives;
        }
        for (key, text) in self.outside.take_notes() {
            let t_ps = self.clock.ps(cycle);
            self.log.once(t_ps, Topic::Radio, key, || text);
        }
    }

    pub(super) fn usart_effects(&mut self, index: usize, cycle: u64, t_ps: u64) {
        let (tx, rx) = self.pins.usarts[index];
        for at in 0..self.usart_effects.len() {
            let (pin, level) = match self.usart_effects[at] {
                usart::Effect::TxLevel(level) => (tx, level),
                usart::Effect::RxLevel(level) => (rx, level),
                usart::Effect::Sent(byte) => {
                    self.usart_sent(index, byte, t_ps);
                    continue;
                }
            };
            let port = usize::from(pin >> 4);
            if pin == tx {
                self.ports[port].set_alternate(pin & 15, level);
            } else {
                self.ports[port].drive(pin & 15, level);
            }
            self.settle(port, cycle, t_ps);
        }
        self.usart_effects.clear();
        self.touch(Group::Usarts);
        self.outside_changed(cycle);
    }

    /// The host receives what goes out on the pin.
    fn usart_sent(&mut self, index: usize, byte: u8, t_ps: u64) {
        let tx = self.pins.usarts[index].0;
        if self.ports[usize::from(tx >> 4)].alternate_outputs() >> (tx & 15) & 1 == 1 {
            self.sent[index].push_back((t_ps, byte));
        } else {
            self.log.once(t_ps, Topic::Serial, 0x100 + index as u32, || {
                format!(
                    "USART{} sends while {} is not an AF output: the bytes are lost",
                    index + 1,
                    pin_name(tx)
                )
            });
        }
    }

    pub(super) fn spi_effects(&mut self, index: usize, cycle: u64, t_ps: u64) {
        let effects = std::mem::take(&mut self.spi_effects);
        for effect in effects.iter() {
            match *effect {
                spi::Effect::Begin => {
                    self.spi_begin(index, t_ps);
                    if self.spis[index].shifter.traced {
                        let lines = self.spis[index].shifter.lines();
                        self.spi_lines(index, lines, cycle, t_ps);
                    }
                }
                spi::Effect::Middle(byte) if self.spi_wired(index) => {
                    self.outside.spi_in(index + 1, byte, t_ps);
                    let back = self.outside.spi_out(index + 1, t_ps).unwrap_or(0);
                    self.spis[index].answer(back);
                }
                spi::Effect::End { data, .. } if self.spi_wired(index) => {
                    self.outside.spi_in(index + 1, data as u8, t_ps);
                }
                spi::Effect::Middle(_) | spi::Effect::End { .. } => {}
                spi::Effect::Lines(lines) => self.spi_lines(index, lines, cycle, t_ps),
            }
            self.outside_changed(cycle);
        }
        self.touch(Group::Spis);
        self.spi_effects = effects;
        self.spi_effects.clear();
    }

    /// Slaves see a transfer only through pins that carry it.
    pub(super) fn spi_wired(&self, index: usize) -> bool {
        let (sck, _, mosi) = self.pins.spis[index];
        let outputs = |pin: Pin| self.ports[usize::from(pin >> 4)].alternate_outputs() >> (pin & 15) & 1 == 1;
        outputs(sck) && outputs(mosi)
    }

    pub(super) fn spi_begin(&mut self, index: usize, t_ps: u64) {
        if !self.spi_wired(index) {
            let (sck, _, mosi) = self.pins.spis[index];
            self.log.once(t_ps, Topic::Device, index as u32, || {
                format!(
                    "SPI{} runs while {} or {} is not an AF output",
                    index + 1,
                    pin_name(sck),
                    pin_name(mosi)
                )
            });
            return;
        }
        let back = self.outside.spi_out(index + 1, t_ps);
        if back.is_none() {
            absent::spi(&mut self.log, t_ps, index);
        }
        self.spis[index].answer(back.unwrap_or(0));
    }

    pub(super) fn spi_lines(&mut self, index: usize, levels: [bool; 3], cycle: u64, t_ps: u64) {
        let (sck, miso, mosi) = self.pins.spis[index];
        self.ports[usize::from(sck >> 4)].set_alternate(sck & 15, levels[0]);
        self.ports[usize::from(mosi >> 4)].set_alternate(mosi & 15, levels[1]);
        if self.spis[index].shifter.traced {
            self.ports[usize::from(miso >> 4)].drive(miso & 15, levels[2]);
        }
        self.settle(usize::from(sck >> 4), cycle, t_ps);
    }
}

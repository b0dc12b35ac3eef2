//! Between the devices and the pins: nets and who looks at them, bits of USART and SPI, the outside.

use super::pins::{self, Signal};
use super::{map, Outside, Stm32l4, USARTS};
use crate::log::Topic;
use crate::soc::stm32::{absent, spi, usart};
use crate::trace::{Edge, Pin};

fn port_of(pin: Pin) -> usize {
    usize::from(pin >> 4)
}

impl<O: Outside> Stm32l4<O> {
    /// Without traffic: the serial lines and what the host drives are high.
    pub(super) fn rest_serial_lines(&mut self) {
        for index in 0..USARTS {
            if let Some(pin) = pins::usual_pin(Signal::UsartTx(index)) {
                self.ports[port_of(pin)].set_alternate(pin & 15, true);
            }
        }
        for port in self.ports.iter_mut() {
            port.settle();
        }
    }

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
            if self.syscfg.selects(port, bit) {
                self.exti.edge(u32::from(bit), level);
            }
            self.capture(pin, level, cycle);
            self.outside.pin(pin, level, t_ps);
        }
    }

    /// A port was written: its nets follow, and only what they touch is looked at again.
    pub(super) fn settle_at(&mut self, port: usize, cycle: u64) {
        if !self.ports[port].unsettled() {
            return;
        }
        let exti_before = self.exti.irqs();
        let outside_before = self.outside.next_event();
        let t_ps = self.clock.ps(cycle);
        self.settle(port, cycle, t_ps);
        self.outside_changed(cycle);
        if self.outside.next_event() != outside_before {
            self.now_ps = t_ps;
            self.reschedule();
        }
        if self.exti.irqs() != exti_before {
            self.update_irqs();
        }
    }

    /// Modes of a port's pins have changed: which lines of devices they carry now.
    pub(super) fn reroute(&mut self, port: usize) {
        let pins = &self.ports[port];
        self.routes.update(port, |bit| pins.function(bit));
        let mut outputs = 0;
        for (pin, signal) in self.routes.of_port(port) {
            if !signal.is_output() {
                continue;
            }
            outputs |= 1 << (pin & 15);
            let level = match signal {
                Signal::SpiSck(index) => self.spis[index].shifter.lines()[0],
                Signal::SpiMosi(index) => self.spis[index].shifter.lines()[1],
                Signal::UsartTx(index) => self.usarts[index].lines.tx_level(),
                _ => false,
            };
            self.ports[port].set_alternate(pin & 15, level);
        }
        self.ports[port].set_functions(outputs);
    }

    fn capture(&mut self, pin: Pin, level: bool, cycle: u64) {
        if let Some((timer, input)) = self.routes.timer_input(pin) {
            for channel in 0..4 {
                if self.timers[timer].captures(channel, input, level) {
                    self.sync_timers(cycle);
                    self.timers[timer].capture(channel);
                    self.update_irqs();
                }
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
                let port = port_of(drive.pin);
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

    /// A device gives a line a level, wherever that line comes out.
    fn put(&mut self, signal: Signal, level: bool, cycle: u64, t_ps: u64) {
        let pins: Vec<Pin> = self.routes.pins(signal).collect();
        for pin in pins {
            self.ports[port_of(pin)].set_alternate(pin & 15, level);
            self.settle(port_of(pin), cycle, t_ps);
        }
    }

    pub(super) fn usart_effects(&mut self, index: usize, cycle: u64, t_ps: u64) {
        let effects = std::mem::take(&mut self.usart_effects);
        for effect in effects.iter() {
            match *effect {
                usart::Effect::TxLevel(level) => self.put(Signal::UsartTx(index), level, cycle, t_ps),
                usart::Effect::RxLevel(level) => {
                    let signal = Signal::UsartRx(index);
                    let routed = self.routes.pins(signal).next();
                    if let Some(pin) = routed.or_else(|| pins::usual_pin(signal)) {
                        self.ports[port_of(pin)].drive(pin & 15, level);
                        self.settle(port_of(pin), cycle, t_ps);
                    }
                }
                usart::Effect::Sent(byte) => self.usart_sent(index, byte, t_ps),
            }
        }
        self.usart_effects = effects;
        self.usart_effects.clear();
        self.outside_changed(cycle);
    }

    /// The host receives what goes out on a pin.
    fn usart_sent(&mut self, index: usize, byte: u8, t_ps: u64) {
        if self.routes.carries(Signal::UsartTx(index)) {
            self.sent[index].push_back((t_ps, byte));
        } else {
            self.log.once(t_ps, Topic::Serial, 0x100 + index as u32, || {
                format!(
                    "{} sends while its TX is on no pin: the bytes are lost",
                    map::USARTS[index]
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
                spi::Effect::End { data, bits } if bits <= 8 && self.spi_wired(index) => {
                    self.outside.spi_in(index + 1, data as u8, t_ps);
                }
                spi::Effect::Middle(_) | spi::Effect::End { .. } => {}
                spi::Effect::Lines(lines) => self.spi_lines(index, lines, cycle, t_ps),
            }
            self.outside_changed(cycle);
        }
        self.spi_effects = effects;
        self.spi_effects.clear();
    }

    /// Slaves see a transfer only through pins that carry it.
    fn spi_wired(&self, index: usize) -> bool {
        self.routes.carries(Signal::SpiSck(index)) && self.routes.carries(Signal::SpiMosi(index))
    }

    fn spi_begin(&mut self, index: usize, t_ps: u64) {
        if !self.spi_wired(index) {
            self.log.once(t_ps, Topic::Device, index as u32, || {
                format!("SPI{} runs while its SCK or MOSI is on no pin", index + 1)
            });
            return;
        }
        if self.spis[index].running_bits() > 8 {
            self.log.once(t_ps, Topic::Device, 0x100 + index as u32, || {
                format!(
                    "SPI{}: frames of more than 8 bits reach no slave in this model",
                    index + 1
                )
            });
            return;
        }
        let back = self.outside.spi_out(index + 1, t_ps);
        if back.is_none() {
            absent::spi(&mut self.log, t_ps, index);
        }
        self.spis[index].answer(u16::from(back.unwrap_or(0)));
    }

    fn spi_lines(&mut self, index: usize, [sck, mosi, miso]: [bool; 3], cycle: u64, t_ps: u64) {
        self.put(Signal::SpiMosi(index), mosi, cycle, t_ps);
        if self.spis[index].shifter.traced {
            let pins: Vec<Pin> = self.routes.pins(Signal::SpiMiso(index)).collect();
            for pin in pins {
                self.ports[port_of(pin)].drive(pin & 15, miso);
                self.settle(port_of(pin), cycle, t_ps);
            }
        }
        self.put(Signal::SpiSck(index), sck, cycle, t_ps);
    }
}

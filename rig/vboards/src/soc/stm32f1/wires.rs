//! Between the peripherals and the pins: nets and who looks at them, bits of USART and SPI, the outside.

use super::map::{SPI_PINS, TIMER_PINS, USART_PINS};
use super::{spi, usart, Outside, Stm32f1};
use crate::log::Topic;
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
            self.exti.pin(port, bit, level);
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
        let t_ps = self.clock.ps(cycle);
        self.settle(port, cycle, t_ps);
        self.outside_changed(cycle);
        if self.outside.next_event() != self.outside_next.0 {
            self.reschedule();
        }
        if self.exti.irqs() != exti_before {
            self.update_irqs();
        }
    }

    pub(super) fn capture(&mut self, pin: Pin, level: bool, cycle: u64) {
        for (index, pins) in TIMER_PINS.iter().enumerate() {
            if let Some(channel) = pins.iter().position(|&candidate| candidate == pin) {
                if self.timers[index].captures(channel, level) {
                    self.sync_timers(cycle);
                    self.timers[index].capture(channel);
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
        let (tx, rx) = USART_PINS[index];
        for at in 0..self.usart_effects.len() {
            let (pin, level) = match self.usart_effects[at] {
                usart::Effect::TxLevel(level) => (tx, level),
                usart::Effect::RxLevel(level) => (rx, level),
                usart::Effect::Sent(octet) => {
                    self.usart_sent(index, octet, t_ps);
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
        self.outside_changed(cycle);
    }

    /// The host hears what goes out on the pin.
    fn usart_sent(&mut self, index: usize, octet: u8, t_ps: u64) {
        let tx = USART_PINS[index].0;
        if self.ports[usize::from(tx >> 4)].alternate_outputs() >> (tx & 15) & 1 == 1 {
            self.sent[index].push_back((t_ps, octet));
        } else {
            self.log.once(t_ps, Topic::Serial, 0x100 + index as u32, || {
                format!(
                    "USART{} sends while {} is no AF output: nobody hears it",
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
                    if let (true, spi::Effect::Lines { sck, mosi, miso }) =
                        (self.spis[index].traced, self.spis[index].lines())
                    {
                        self.spi_lines(index, [sck, mosi, miso], cycle, t_ps);
                    }
                }
                spi::Effect::End { data, octets: 1 } if self.spi_wired(index) => {
                    self.outside.spi_in(index + 1, data as u8, t_ps);
                }
                spi::Effect::End { .. } => {}
                spi::Effect::Lines { sck, mosi, miso } => self.spi_lines(index, [sck, mosi, miso], cycle, t_ps),
            }
            self.outside_changed(cycle);
        }
        self.spi_effects = effects;
        self.spi_effects.clear();
    }

    /// Slaves see a transfer only through pins that carry it.
    pub(super) fn spi_wired(&self, index: usize) -> bool {
        let (sck, _, mosi) = SPI_PINS[index];
        let outputs = |pin: Pin| self.ports[usize::from(pin >> 4)].alternate_outputs() >> (pin & 15) & 1 == 1;
        outputs(sck) && outputs(mosi)
    }

    pub(super) fn spi_begin(&mut self, index: usize, t_ps: u64) {
        if !self.spi_wired(index) {
            let (sck, _, mosi) = SPI_PINS[index];
            self.log.once(t_ps, Topic::Device, index as u32, || {
                format!(
                    "SPI{} runs while {} or {} is no AF output",
                    index + 1,
                    pin_name(sck),
                    pin_name(mosi)
                )
            });
            return;
        }
        let back = self.outside.spi_out(index + 1, t_ps).unwrap_or(0);
        if self.spis[index].octets() == 1 {
            self.spis[index].answer(u16::from(back));
        } else {
            self.log.once(t_ps, Topic::Device, 0x100 + index as u32, || {
                format!("SPI{}: 16 bit transfers reach no slave in this model", index + 1)
            });
        }
    }

    pub(super) fn spi_lines(&mut self, index: usize, levels: [bool; 3], cycle: u64, t_ps: u64) {
        let (sck, miso, mosi) = SPI_PINS[index];
        self.ports[usize::from(sck >> 4)].set_alternate(sck & 15, levels[0]);
        self.ports[usize::from(mosi >> 4)].set_alternate(mosi & 15, levels[1]);
        if self.spis[index].traced {
            self.ports[usize::from(miso >> 4)].drive(miso & 15, levels[2]);
        }
        self.settle(usize::from(sck >> 4), cycle, t_ps);
    }
}

//! What the board around the chip uses.

use super::gpio::{Port, PORTS};
use super::map::SPI_PINS;
use super::spi::Spi;
use super::usart::Usart;
use super::{Exti, FlashInterface, Outside, Stm32f1, USARTS};
use crate::clock::Clock;
use crate::log::{Log, Topic};
use crate::soc::stm32::timer::Timer;
use crate::soc::Chip;
use crate::trace::{Edge, Pin};
use std::collections::VecDeque;

impl<O: Outside> Chip for Stm32f1<O> {
    type Outside = O;

    fn outside(&mut self) -> &mut O {
        &mut self.outside
    }

    fn clock(&self) -> &Clock {
        &self.clock
    }

    fn advance(&mut self, cycle: u64) {
        while self.next_event <= cycle {
            let at = self.next_event;
            self.fire(at);
            self.reschedule();
        }
    }

    fn next_event(&self) -> u64 {
        self.next_event
    }

    fn reset(&mut self, cycle: u64) {
        self.advance(cycle);
        self.rcc.software_reset();
        self.flash = FlashInterface::default();
        self.exti = Exti::default();
        self.pwr_cr = 0;
        self.clocks_changed(cycle);
        self.timers.iter_mut().for_each(Timer::reset);
        self.usarts.iter_mut().for_each(Usart::reset);
        self.spis.iter_mut().for_each(Spi::reset);
        self.ports.iter_mut().for_each(Port::reset);
        for port in 0..PORTS {
            self.settle_at(port, cycle);
        }
        self.reschedule();
        self.update_irqs();
        self.irq_changed = true; // a core reset forgets the lines
    }

    fn sleep_deep(&mut self, cycle: u64) -> bool {
        let t_ps = self.clock.ps(cycle);
        self.log.once(t_ps, Topic::Device, 0xE000_ED10, || {
            "SLEEPDEEP: Stop and Standby are not modelled, the clocks stay on".to_string()
        });
        false
    }

    fn take_event(&mut self) -> bool {
        std::mem::take(&mut self.exti.event)
    }

    fn take_irqs(&mut self) -> Option<u128> {
        if std::mem::take(&mut self.irq_changed) {
            Some(self.irqs)
        } else {
            None
        }
    }

    fn outside_touched(&mut self) {
        self.reschedule();
    }

    fn edges(&mut self) -> &mut VecDeque<Edge> {
        &mut self.edges
    }

    fn ports(&self) -> usize {
        self.ports.len()
    }

    fn net(&self, port: usize) -> u16 {
        self.ports[port].net()
    }

    fn sent(&mut self, usart: usize) -> Option<&mut VecDeque<(u64, u8)>> {
        self.sent.get_mut(usart.checked_sub(1)?)
    }

    fn feed(&mut self, usart: usize, octets: &[u8], cycle: u64) -> bool {
        if !(1..=USARTS).contains(&usart) {
            return false;
        }
        let usart = usart - 1;
        self.advance(cycle);
        let t_ps = self.clock.ps(cycle);
        if !self.usarts[usart].has_rate() {
            self.log.once(t_ps, Topic::Serial, usart as u32, || {
                format!(
                    "USART{} has no rate yet: {} octets from the host are lost",
                    usart + 1,
                    octets.len()
                )
            });
            return true;
        }
        self.usarts[usart].feed(octets, cycle);
        self.reschedule();
        true
    }

    fn watch(&mut self, pin: Pin) {
        for (spi, &(sck, miso, mosi)) in self.spis.iter_mut().zip(SPI_PINS.iter()) {
            spi.traced |= [sck, miso, mosi].contains(&pin);
        }
        self.reschedule();
    }

    fn log(&self) -> &Log {
        &self.log
    }

    fn log_mut(&mut self) -> &mut Log {
        &mut self.log
    }

    fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }
}

//! What the board around the chip uses.

use super::map::SPI_PINS;
use super::{Outside, Stm32f1};
use crate::log::{Log, Topic};
use crate::trace::{Edge, Pin};
use std::collections::VecDeque;

impl<O: Outside> Stm32f1<O> {
    /// An event of EXTI for the core's event register, once.
    pub fn take_event(&mut self) -> bool {
        std::mem::take(&mut self.exti.event)
    }

    /// Level of the interrupt lines after [`Stm32f1::advance`], if they changed.
    pub fn take_irqs(&mut self) -> Option<u128> {
        if std::mem::take(&mut self.irq_changed) {
            Some(self.irqs)
        } else {
            None
        }
    }

    /// The outside was changed by somebody else (a signal from the air).
    pub fn outside_touched(&mut self) {
        self.reschedule();
    }

    pub fn edges(&mut self) -> &mut VecDeque<Edge> {
        &mut self.edges
    }

    pub fn ports(&self) -> usize {
        self.ports.len()
    }

    pub fn net(&self, port: usize) -> u16 {
        self.ports[port].net()
    }

    /// Octets sent, with the end of their stop bit.
    pub fn sent(&mut self, usart: usize) -> &mut VecDeque<(u64, u8)> {
        &mut self.sent[usart]
    }

    /// Octets for a USART (0 = USART1), the first start bit at `cycle` or when the line is free.
    pub fn feed(&mut self, usart: usize, octets: &[u8], cycle: u64) {
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
            return;
        }
        self.usarts[usart].feed(octets, cycle);
        self.reschedule();
    }

    /// Somebody looks at this pin: a bus on it is to show every edge.
    pub fn watch(&mut self, pin: Pin) {
        for (spi, &(sck, miso, mosi)) in self.spis.iter_mut().zip(SPI_PINS.iter()) {
            spi.traced |= [sck, miso, mosi].contains(&pin);
        }
        self.reschedule();
    }

    pub fn log(&self) -> &Log {
        &self.log
    }

    pub fn log_mut(&mut self) -> &mut Log {
        &mut self.log
    }

    /// Why the run must end, if it must.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }
}

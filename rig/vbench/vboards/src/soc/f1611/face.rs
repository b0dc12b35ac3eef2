//! What the board around the chip uses.

use super::map::{PORTS, USART_PINS};
use super::{Adc, Dma, Flash, Outside, F1611};
use crate::log::{Log, Topic};
use crate::trace::{Edge, Pin};
use std::collections::VecDeque;

impl<O: Outside> F1611<O> {
    /// How far the chip has got: the core's cycle while MCLK runs, otherwise the last thing that happened.
    pub fn local_ps(&self, cycle: u64) -> u64 {
        if self.clocks.mclk_on() {
            self.clocks.ps(cycle).max(self.now_ps)
        } else {
            self.now_ps
        }
    }

    /// The first cycle of the core at or after an instant.
    pub fn cycle_at(&self, ps: u64) -> u64 {
        self.clocks.cycle_at(ps)
    }

    /// Time of `cycles` of the core from now on.
    pub fn cycles_ps(&self, cycles: u64) -> u64 {
        self.clocks.cycles_ps(cycles, self.now_ps)
    }

    /// Instant of the next thing that happens by itself.
    pub fn next_event_ps(&self) -> u64 {
        self.next_event_ps
    }

    /// The core's power bits have changed.
    pub fn set_power(&mut self, power: u16, cycle: u64) {
        let ps = self.clocks.ps(cycle);
        self.advance(ps);
        self.change_clocks(ps, |clocks| clocks.set_power(power, cycle, ps));
        self.reschedule();
    }

    /// An interrupt wakes the core now: MCLK starts again at `cycle`.
    pub fn wake(&mut self, cycle: u64) {
        let ps = self.now_ps;
        self.change_clocks(ps, |clocks| clocks.wake(cycle, ps));
        self.reschedule();
    }

    pub fn mclk_on(&self) -> bool {
        self.clocks.mclk_on()
    }

    /// True once if a PUC is requested.
    pub fn take_reset(&mut self) -> bool {
        std::mem::take(&mut self.reset_asked)
    }

    /// PUC at `cycle`; the world outside stays as it is.
    pub fn reset(&mut self, cycle: u64) {
        let ps = self.local_ps(cycle);
        self.now_ps = ps;
        self.change_clocks(ps, |clocks| clocks.reset(cycle, ps));
        self.watchdog.reset(&self.clocks, ps);
        self.timers.iter_mut().for_each(|timer| timer.reset());
        self.usarts.iter_mut().for_each(|usart| usart.reset());
        self.flash = Flash::new();
        self.dma = Dma::default();
        self.adc = Adc::new();
        self.enables = [0; 2];
        for port in 1..PORTS {
            self.ports[port].reset();
        }
        self.usart_pins();
        self.outside_changed();
        self.update_requests();
        self.reschedule();
    }

    pub fn outside_touched(&mut self) {
        self.reschedule();
    }

    pub fn edges(&mut self) -> &mut VecDeque<Edge> {
        &mut self.edges
    }

    pub fn ports(&self) -> usize {
        PORTS
    }

    pub fn net(&self, port: usize) -> u16 {
        u16::from(self.ports[port].net())
    }

    /// A probe is on this pin: the SPI on it shows every edge.
    pub fn watch(&mut self, pin: Pin) {
        for (usart, pins) in self.usarts.iter_mut().zip(USART_PINS.iter()) {
            usart.traced |= [pins.simo, pins.somi, pins.clock].contains(&pin);
        }
        self.reschedule();
    }

    /// Bytes sent by USART `usart` (0 or 1).
    pub fn sent(&mut self, usart: usize) -> Option<&mut VecDeque<(u64, u8)>> {
        self.sent.get_mut(usart)
    }

    /// Bytes for USART `usart`, the first start bit at `ps`; false: no such USART.
    pub fn feed(&mut self, usart: usize, bytes: &[u8], ps: u64) -> bool {
        if usart >= self.usarts.len() {
            return false;
        }
        let ps = ps.max(self.now_ps);
        self.advance(ps);
        if !self.usarts[usart].feed(bytes, &self.clocks, ps) {
            self.log.once(ps, Topic::Serial, usart as u32, || {
                format!(
                    "USART{} is not a UART with a rate yet: {} bytes from the host are lost",
                    usart,
                    bytes.len()
                )
            });
        }
        self.reschedule();
        true
    }

    pub fn log(&self) -> &Log {
        &self.log
    }

    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }
}

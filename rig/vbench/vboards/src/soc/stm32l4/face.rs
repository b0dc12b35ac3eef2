//! What the board around the chip uses.

use super::pins::{self, Signal};
use super::{map, rcc, Outside, Stm32l4, USARTS};
use crate::clock::Clock;
use crate::core::v7m::Cpu;
use crate::debug::{TapIds, Wires};
use crate::log::{Log, Topic};
use crate::soc::Chip;
use crate::trace::{Edge, Pin};
use std::collections::VecDeque;

impl<O: Outside> Chip for Stm32l4<O> {
    type Outside = O;

    fn outside(&mut self) -> &mut O {
        &mut self.outside
    }

    /// RM0351 48.6.2, 48.6.3.
    fn debug_wires(&self) -> Wires {
        Wires::Jtag(TapIds {
            debug_port: 0x4BA0_0477,
            boundary_scan: 0x0641_5041,
        })
    }

    fn clock(&self) -> &Clock {
        &self.clock
    }

    fn advance(&mut self, cycle: u64) {
        while self.next_event <= cycle {
            let at = self.next_event;
            self.fire(at);
            self.update_requests();
            self.reschedule();
        }
    }

    fn serve(&mut self, core: &mut Cpu) {
        self.serve_core(core);
    }

    fn stalled_until(&self) -> u64 {
        self.stalled_until
    }

    fn take_reset(&mut self) -> bool {
        self.reset_if_wanted()
    }

    fn next_event(&self) -> u64 {
        let transfer = self.next_transfer().filter(|_| !self.stop.is_on());
        transfer.map_or(self.next_event, |at| at.min(self.next_event))
    }

    fn reset(&mut self, cycle: u64) {
        self.reset_by(rcc::SFTRSTF, cycle);
    }

    fn sleep_deep(&mut self, cycle: u64) -> bool {
        self.now_ps = self.clock.ps(cycle);
        self.enter_deep_sleep(cycle);
        self.update_irqs();
        self.reschedule();
        true
    }

    fn take_event(&mut self) -> bool {
        !self.stop.is_on() && std::mem::take(&mut self.exti.event)
    }

    fn take_irqs(&mut self) -> Option<u128> {
        if !self.stop.is_on() && std::mem::take(&mut self.irq_changed) {
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

    fn feed(&mut self, usart: usize, bytes: &[u8], cycle: u64) -> bool {
        if !(1..=USARTS).contains(&usart) {
            return false;
        }
        let index = usart - 1;
        self.advance(cycle);
        self.now_ps = self.clock.ps(cycle);
        if !self.usarts[index].has_rate() {
            self.log.once(self.now_ps, Topic::Serial, index as u32, || {
                let (name, count) = (map::USARTS[index], bytes.len());
                format!("{} has no rate yet: {} bytes from the host are lost", name, count)
            });
            return true;
        }
        if !self.routes.carries(Signal::UsartRx(index)) {
            self.log.once(self.now_ps, Topic::Serial, 0x200 + index as u32, || {
                format!("{} is fed while its RX is on no pin", map::USARTS[index])
            });
        }
        self.usarts[index].feed(bytes, self.now_ps);
        self.reschedule();
        true
    }

    fn watch(&mut self, pin: Pin) {
        for (index, spi) in self.spis.iter_mut().enumerate() {
            let lines = [Signal::SpiSck(index), Signal::SpiMiso(index), Signal::SpiMosi(index)];
            spi.shifter.traced |= lines.iter().any(|&line| pins::carried_by(line, pin));
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

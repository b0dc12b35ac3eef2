//! What the board around the chip uses.

use super::{Cause, Group, Outside, Stm32f1, USARTS};
use crate::clock::Clock;
use crate::core::v7m::Cpu;
use crate::debug::{TapIds, Wires};
use crate::log::{Log, Topic};
use crate::soc::Chip;
use crate::trace::{Edge, Pin};
use std::collections::VecDeque;

impl<O: Outside> Chip for Stm32f1<O> {
    type Outside = O;

    fn outside(&mut self) -> &mut O {
        &mut self.outside
    }

    /// RM0008 31.6.2 (boundary scan, high-density) and 31.6.3 (Cortex-M3 r1p1).
    fn debug_wires(&self) -> Wires {
        Wires::Jtag(TapIds {
            debug_port: 0x3BA0_0477,
            boundary_scan: 0x0641_4041,
        })
    }

    fn clock(&self) -> &Clock {
        &self.clock
    }

    fn advance(&mut self, cycle: u64) {
        while self.next_event <= cycle {
            let at = self.next_event;
            if self.power.deep.is_some() {
                self.fire_in_deep(at);
            } else {
                self.fire(at);
            }
            self.look();
        }
    }

    fn serve(&mut self, core: &mut Cpu) {
        self.serve_flash(core);
        self.serve_dma(core);
    }

    fn stalled_until(&self) -> u64 {
        self.stalled_until
    }

    fn next_event(&self) -> u64 {
        self.next_event.min(self.next_transfer)
    }

    fn reset(&mut self, cycle: u64) {
        self.advance(cycle);
        self.system_reset(Cause::Software, cycle);
    }

    fn take_reset(&mut self) -> bool {
        std::mem::take(&mut self.restarted)
    }

    fn sleep_deep(&mut self, cycle: u64) -> bool {
        self.enter_deep(cycle)
    }

    fn wake(&mut self, cycle: u64) -> u64 {
        self.leave_stop(cycle)
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
        self.look();
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
        let usart = usart - 1;
        self.advance(cycle);
        let t_ps = self.clock.ps(cycle);
        if !self.usarts[usart].has_rate() {
            self.log.once(t_ps, Topic::Serial, usart as u32, || {
                format!(
                    "USART{} has no rate yet: {} bytes from the host are lost",
                    usart + 1,
                    bytes.len()
                )
            });
            return true;
        }
        self.usarts[usart].feed(bytes, cycle);
        self.touch(Group::Usarts);
        self.look();
        true
    }

    fn watch(&mut self, pin: Pin) {
        self.watched.push(pin);
        self.trace_buses();
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

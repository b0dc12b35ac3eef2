//! What the board around the chip uses.

use super::protection::{Protection, UICR_WORD};
use super::radio::Radio;
use super::{gpio, map, power, Nrf52840, Power};
use crate::air::US;
use crate::clock::Clock;
use crate::core::v7m::Cpu;
use crate::debug::Wires;
use crate::log::{Log, Topic};
use crate::soc::Chip;
use crate::trace::{Edge, Pin};
use std::collections::VecDeque;

/// tIDLE2CPU of PS "POWER", electrical specification: 3 us in low-power mode (remembered, unverified); the value for constant
/// latency is an assumption.
const WAKE_PS: u64 = 3 * US;
const WAKE_CONSTANT_PS: u64 = US / 2;
/// The first of the words PSELRESET of UICR.
const PSELRESET: usize = 0x200 / 4;

impl Chip for Nrf52840 {
    type Outside = Radio;

    fn outside(&mut self) -> &mut Radio {
        &mut self.radio
    }

    /// SW-DP of ARM (OpenOCD target/nrf52.cfg: CPUTAPID 0x2ba01477); the chip has no JTAG.
    fn debug_wires(&self) -> Wires {
        Wires::Swd(0x2BA0_1477)
    }

    fn vendor_port(&mut self, register: u8, write: Option<u32>, cycle: u64) -> (u32, Option<bool>) {
        self.control_port(register, write, cycle)
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

    fn serve(&mut self, core: &mut Cpu) {
        if self.needs_core() || self.stalled_until > 0 {
            self.serve_core(core);
        }
    }

    fn stalled_until(&self) -> u64 {
        self.stalled_until
    }

    fn take_reset(&mut self) -> bool {
        self.reset_if_wanted()
    }

    fn next_event(&self) -> u64 {
        self.next_event
    }

    fn reset(&mut self, cycle: u64) {
        self.advance(cycle);
        self.reset_by(power::SREQ, cycle);
    }

    /// A reset pin there is with the same pin in both words PSELRESET of UICR (nrf52840.svd, nrfx 3.14.0).
    fn reset_by_pin(&mut self, cycle: u64) -> bool {
        let named = self.uicr[PSELRESET] == self.uicr[PSELRESET + 1] && self.uicr[PSELRESET] >> 31 == 0;
        if named {
            self.advance(cycle);
            self.reset_by(power::RESET_PIN, cycle);
        }
        named
    }

    fn debug_open(&self) -> bool {
        self.power.protection.is_open()
    }

    fn kept(&self) -> Vec<u8> {
        self.uicr.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// After power-on: UICR decides about the access port.
    fn restore(&mut self, kept: &[u8]) {
        for (word, bytes) in self.uicr.iter_mut().zip(kept.chunks_exact(4)) {
            *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        }
        self.power = Power::new(Protection::new(self.config.build_code, self.uicr[UICR_WORD]));
    }

    /// System ON, sleep: the core's clock stands, HFCLK and all devices continue.
    fn sleep_deep(&mut self, cycle: u64) -> bool {
        self.wdt.core_sleeps(true, self.clock.ps(cycle));
        self.reschedule();
        true
    }

    fn stops_in_sleep(&self) -> bool {
        true
    }

    fn wake(&mut self, cycle: u64) -> u64 {
        self.wdt.core_sleeps(false, self.clock.ps(cycle));
        self.reschedule();
        let span_ps = if self.power.constant_latency {
            WAKE_CONSTANT_PS
        } else {
            WAKE_PS
        };
        self.clock.tick_at(self.clock.ps(cycle) + span_ps)
    }

    fn take_event(&mut self) -> bool {
        false
    }

    fn take_irqs(&mut self) -> Option<u128> {
        std::mem::take(&mut self.irq_changed).then_some(self.irqs)
    }

    fn outside_touched(&mut self) {
        self.reschedule();
    }

    fn edges(&mut self) -> &mut VecDeque<Edge> {
        &mut self.edges
    }

    fn ports(&self) -> usize {
        gpio::PORTS
    }

    fn net(&self, port: usize) -> u16 {
        self.gpio.port(port)
    }

    fn pin_name(&self, pin: Pin) -> String {
        gpio::name(pin)
    }

    fn pin(&self, name: &str) -> Option<Pin> {
        gpio::parse(name)
    }

    fn sent(&mut self, usart: usize) -> Option<&mut VecDeque<(u64, u8)>> {
        self.sent.get_mut(usart.checked_sub(1)?)
    }

    fn feed(&mut self, usart: usize, bytes: &[u8], cycle: u64) -> bool {
        let index = match usart.checked_sub(1) {
            Some(index) if index < self.uartes.len() => index,
            _ => return false,
        };
        self.advance(cycle);
        let at = self.at(cycle);
        self.now_ps = self.now_ps.max(at.ps);
        if self.uartes[index].rx_pin().is_none() {
            self.log.once(at.ps, Topic::Serial, 0x200 + index as u32, || {
                format!("UARTE{} is fed while RXD is on no pin", index)
            });
        }
        self.uartes[index].feed(bytes, at.ps);
        self.follow(map::UARTES[index], at);
        self.reschedule();
        true
    }

    fn watch(&mut self, _pin: Pin) {}

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

//! STM32F103xE: 512 KiB of flash, 64 KiB of RAM, and the peripherals that a radio node uses.
//!
//! Modelled: RCC, FLASH, GPIO A to G, AFIO, EXTI, TIM2 to TIM7, USART1 to USART3, SPI1 to SPI3, PWR (as storage),
//! DBGMCU, unique identity. Other devices of the chip read as 0 and are logged; an address that belongs to none is a
//! bus error, and ends the run when the chip is strict. Sources: RM0008 rev 21, DS5792 (STM32F103xC/D/E).

mod bus;
mod exti;
mod flash;
mod gpio;
mod map;
mod rcc;
mod spi;
mod timer;
mod usart;

#[cfg(test)]
mod tests;

use super::{Drive, Outside};
use crate::clock::Clock;
use crate::log::{Log, Topic};
use crate::rng::{draw, Purpose};
use crate::trace::{pin_name, Edge, Pin};
use exti::Exti;
use flash::FlashInterface;
use gpio::{Port, PORTS};
use map::{SPI_IRQ, SPI_PINS, TIMER_IRQ, TIMER_PINS, TIMER_TRIGGERS, USART_IRQ, USART_PINS};
use rcc::Rcc;
use spi::Spi;
use std::collections::VecDeque;
use timer::Timer;
use usart::Usart;

/// USARTs of the model.
pub const USARTS: usize = 3;

/// What a board decides about its chip.
#[derive(Clone, Debug)]
pub struct Config {
    pub seed: u64,
    pub board: u16,
    /// External oscillator; 0 for none.
    pub hse_hz: u64,
    /// How much faster than nominal the board's clock is.
    pub clock_ppb: i64,
    /// Levels of nets that nobody drives, by port.
    pub rest: [u16; PORTS],
    /// An access to no device ends the run.
    pub strict: bool,
}

/// The chip without its core.
pub struct Stm32f1<O: Outside> {
    config: Config,
    clock: Clock,
    rcc: Rcc,
    flash: FlashInterface,
    exti: Exti,
    ports: Vec<Port>,
    timers: Vec<Timer>,
    usarts: Vec<Usart>,
    spis: Vec<Spi>,
    pwr_cr: u32,
    dbgmcu_cr: u32,
    identity: [u32; 3],
    /// What is soldered to the pins.
    pub outside: O,
    next_event: u64,
    /// Instant of the outside's next event, and the cycle by which it has happened.
    outside_next: (Option<u64>, u64),
    irqs: u128,
    irq_changed: bool,
    edges: VecDeque<Edge>,
    sent: Vec<VecDeque<(u64, u8)>>,
    log: Log,
    fault: Option<String>,
    drives: Vec<Drive>,
    usart_effects: Vec<usart::Effect>,
    spi_effects: Vec<spi::Effect>,
}

impl<O: Outside> Stm32f1<O> {
    pub fn new(config: Config, outside: O) -> Stm32f1<O> {
        let rcc = Rcc::new(config.hse_hz);
        let clock = Clock::new(rcc.sysclk_hz(), rcc.ahb_div(), config.clock_ppb, 0);
        let identity = |index| draw(config.seed, Purpose::Identity, &[u64::from(config.board)], index) as u32;
        let mut chip = Stm32f1 {
            clock,
            rcc,
            flash: FlashInterface::default(),
            exti: Exti::default(),
            ports: config.rest.iter().map(|&rest| Port::new(rest)).collect(),
            timers: (0..6).map(|_| Timer::default()).collect(),
            usarts: (0..USARTS).map(|_| Usart::new(1)).collect(),
            spis: (0..3).map(|_| Spi::new(1)).collect(),
            pwr_cr: 0,
            dbgmcu_cr: 0,
            identity: [identity(0), identity(1), identity(2)],
            outside,
            next_event: 0,
            outside_next: (None, u64::MAX),
            irqs: 0,
            irq_changed: false,
            edges: VecDeque::new(),
            sent: (0..USARTS).map(|_| VecDeque::new()).collect(),
            log: Log::default(),
            fault: None,
            drives: Vec::new(),
            usart_effects: Vec::new(),
            spi_effects: Vec::new(),
            config,
        };
        for &(tx, rx) in USART_PINS.iter() {
            chip.ports[usize::from(tx >> 4)].set_alternate(tx & 15, true);
            chip.ports[usize::from(rx >> 4)].set_alternate(rx & 15, true);
        }
        for port in chip.ports.iter_mut() {
            port.settle();
        }
        chip.outside_changed(0);
        chip.reschedule();
        chip
    }

    /// System reset at `cycle`: every device but the backup domain. The world outside stays as it is.
    pub fn reset(&mut self, cycle: u64) {
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
        let t_ps = self.clock.ps(cycle);
        for port in 0..PORTS {
            self.settle(port, cycle, t_ps);
        }
        self.reschedule();
        self.update_irqs();
        self.irq_changed = true; // a core reset forgets the lines
    }

    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Cycle of the next thing that happens by itself.
    pub fn next_event(&self) -> u64 {
        self.next_event
    }

    /// Lets time pass to `cycle`; what is due happens, each thing at its own instant.
    pub fn advance(&mut self, cycle: u64) {
        while self.next_event <= cycle {
            let at = self.next_event;
            self.fire(at);
            self.reschedule();
        }
    }

    /// The outside's events come first: they lie at or before the instant of their cycle.
    fn fire(&mut self, at: u64) {
        if let (Some(t_ps), true) = (self.outside_next.0, self.outside_next.1 <= at) {
            self.outside.advance(t_ps);
            self.outside_changed(at);
            return self.update_irqs();
        }
        let t_ps = self.clock.ps(at);
        for index in 0..self.spis.len() {
            if self.spis[index].next_event().map_or(false, |next| next <= at) {
                self.spis[index].fire(at, &mut self.spi_effects);
                self.spi_effects(index, at, t_ps);
            }
        }
        for index in 0..self.usarts.len() {
            if self.usarts[index].next_event().map_or(false, |next| next <= at) {
                self.usarts[index].fire(at, &mut self.usart_effects);
                self.usart_effects(index, at, t_ps);
            }
        }
        self.sync_timers(at);
        if self.rcc.switch_pending().map_or(false, |ready_ps| ready_ps <= t_ps) {
            self.rcc.complete_switch(t_ps);
            self.clocks_changed(at);
        }
        self.update_irqs();
    }

    fn reschedule(&mut self) {
        let outside_ps = self.outside.next_event();
        if outside_ps != self.outside_next.0 {
            self.outside_next = (outside_ps, outside_ps.map_or(u64::MAX, |t_ps| self.clock.tick_at(t_ps)));
        }
        let mut next = self.outside_next.1;
        for spi in self.spis.iter() {
            next = spi.next_event().map_or(next, |at| next.min(at));
        }
        for usart in self.usarts.iter() {
            next = usart.next_event().map_or(next, |at| next.min(at));
        }
        for timer in self.timers.iter() {
            next = timer.next_event().map_or(next, |at| next.min(at));
        }
        for (slave, triggers) in self.timers.iter().zip(TIMER_TRIGGERS) {
            if slave.waits_for_trigger() {
                let master = slave.trigger_input().and_then(|input| triggers[input]);
                next = master.and_then(|index| self.timers[index].next_update()).map_or(next, |at| next.min(at));
            }
        }
        if let Some(ready_ps) = self.rcc.switch_pending() {
            next = next.min(self.clock.tick_at(ready_ps));
        }
        self.next_event = next;
    }

    /// Brings the timers to `cycle`, those that count the updates of others last.
    fn sync_timers(&mut self, cycle: u64) {
        for timer in self.timers.iter_mut() {
            timer.sync(cycle);
        }
        loop {
            let mut quiet = true;
            for master in 0..self.timers.len() {
                let count = self.timers[master].take_triggers();
                quiet &= count == 0;
                for (slave, triggers) in self.timers.iter_mut().zip(TIMER_TRIGGERS) {
                    if count > 0 && slave.trigger_input().map_or(false, |input| triggers[input] == Some(master)) {
                        slave.count_triggers(count, cycle);
                    }
                }
            }
            if quiet {
                return;
            }
        }
    }

    fn update_irqs(&mut self) {
        let mut irqs = self.exti.irqs();
        for (timer, irq) in self.timers.iter().zip(TIMER_IRQ) {
            irqs |= u128::from(timer.irq()) << irq;
        }
        for (usart, irq) in self.usarts.iter().zip(USART_IRQ) {
            irqs |= u128::from(usart.irq()) << irq;
        }
        for (spi, irq) in self.spis.iter().zip(SPI_IRQ) {
            irqs |= u128::from(spi.irq()) << irq;
        }
        if irqs != self.irqs {
            self.irqs = irqs;
            self.irq_changed = true;
        }
    }

    fn clocks_changed(&mut self, cycle: u64) {
        let (apb1, apb2) = (self.rcc.apb1_div(), self.rcc.apb2_div());
        self.clock.retune(cycle, self.rcc.sysclk_hz().max(1), self.rcc.ahb_div());
        self.outside_next = (None, u64::MAX);
        for timer in self.timers.iter_mut() {
            timer.set_clock_div(cycle, (apb1 / 2).max(1)); // RM0008 figure 8: timers get twice a divided PCLK1
        }
        for (index, usart) in self.usarts.iter_mut().enumerate() {
            usart.set_clock_div(if index == 0 { apb2 } else { apb1 });
        }
        for (index, spi) in self.spis.iter_mut().enumerate() {
            spi.set_clock_div(if index == 0 { apb2 } else { apb1 });
        }
        let t_ps = self.clock.ps(cycle);
        let hclk_hz = self.rcc.sysclk_hz() / self.rcc.ahb_div();
        for text in [self.rcc.complaint(), self.flash.complaint(hclk_hz)].iter().flatten() {
            self.log.once(t_ps, Topic::Device, hclk_hz as u32, || text.clone());
        }
    }

    /// Brings the nets of a port to their levels and tells everybody who looks at them.
    fn settle(&mut self, port: usize, cycle: u64, t_ps: u64) {
        let mut changed = self.ports[port].settle();
        let net = self.ports[port].net();
        while changed != 0 {
            let bit = changed.trailing_zeros() as u16;
            changed &= changed - 1;
            let level = net >> bit & 1 == 1;
            let pin = (port as Pin) << 4 | bit;
            self.edges.push_back(Edge { t_ps, board: self.config.board, pin, level });
            self.exti.pin(port, bit, level);
            self.capture(pin, level, cycle);
            self.outside.pin(pin, level, t_ps);
        }
    }

    fn capture(&mut self, pin: Pin, level: bool, cycle: u64) {
        for (index, pins) in TIMER_PINS.iter().enumerate() {
            if let Some(channel) = pins.iter().position(|&candidate| candidate == pin) {
                if self.timers[index].captures(channel, level) {
                    self.sync_timers(cycle);
                    self.timers[index].capture(channel);
                }
            }
        }
    }

    /// Takes over what the outside has done: levels, remarks.
    fn outside_changed(&mut self, cycle: u64) {
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

    fn usart_effects(&mut self, index: usize, cycle: u64, t_ps: u64) {
        let (tx, rx) = USART_PINS[index];
        for at in 0..self.usart_effects.len() {
            let (pin, level) = match self.usart_effects[at] {
                usart::Effect::TxLevel(level) => (tx, level),
                usart::Effect::RxLevel(level) => (rx, level),
                usart::Effect::Sent(octet) => {
                    self.sent[index].push_back((t_ps, octet));
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

    fn spi_effects(&mut self, index: usize, cycle: u64, t_ps: u64) {
        let effects = std::mem::take(&mut self.spi_effects);
        for effect in effects.iter() {
            match *effect {
                spi::Effect::Begin => self.spi_begin(index, t_ps),
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
    fn spi_wired(&self, index: usize) -> bool {
        let (sck, _, mosi) = SPI_PINS[index];
        let outputs = |pin: Pin| self.ports[usize::from(pin >> 4)].alternate_outputs() >> (pin & 15) & 1 == 1;
        outputs(sck) && outputs(mosi)
    }

    fn spi_begin(&mut self, index: usize, t_ps: u64) {
        if !self.spi_wired(index) {
            let (sck, _, mosi) = SPI_PINS[index];
            self.log.once(t_ps, Topic::Device, index as u32, || {
                format!("SPI{} runs while {} or {} is no AF output", index + 1, pin_name(sck), pin_name(mosi))
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

    fn spi_lines(&mut self, index: usize, levels: [bool; 3], cycle: u64, t_ps: u64) {
        let (sck, miso, mosi) = SPI_PINS[index];
        self.ports[usize::from(sck >> 4)].set_alternate(sck & 15, levels[0]);
        self.ports[usize::from(mosi >> 4)].set_alternate(mosi & 15, levels[1]);
        if self.spis[index].traced {
            self.ports[usize::from(miso >> 4)].drive(miso & 15, levels[2]);
        }
        self.settle(usize::from(sck >> 4), cycle, t_ps);
    }
}

/// What the board around the chip uses.
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
                format!("USART{} has no rate yet: {} octets from the host are lost", usart + 1, octets.len())
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

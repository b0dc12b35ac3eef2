//! STM32F103xE: 512 KiB of flash, 64 KiB of RAM, and the peripherals that a radio node uses.
//!
//! Modelled: RCC, FLASH, GPIO A to G, AFIO, EXTI, TIM2 to TIM7, USART1 to USART3, SPI1 to SPI3, PWR (as storage),
//! DBGMCU, unique identity. Other devices of the chip read as 0 and are logged; an address that belongs to none is a
//! bus error, and ends the run when the chip is strict. Sources: RM0008 rev 21, DS5792 (STM32F103xC/D/E).

mod bus;
mod exti;
mod face;
mod flash;
mod gpio;
mod map;
mod rcc;
mod spi;
mod usart;
mod wires;

use super::stm32::timer::Timer;
use super::watch::Watch;
use super::{Drive, Outside};
use crate::clock::Clock;
use crate::log::{Log, Topic};
use crate::rng::{draw, Purpose};
use crate::trace::Edge;
use exti::Exti;
use flash::FlashInterface;
use gpio::{Port, PORTS};
use map::{SPI_IRQ, TIMER_IRQ, TIMER_TRIGGERS, USART_IRQ, USART_PINS};
use rcc::Rcc;
use spi::Spi;
use std::collections::VecDeque;
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
    watch: Watch,
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
            watch: Watch::default(),
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
                next = master
                    .and_then(|index| self.timers[index].next_update())
                    .map_or(next, |at| next.min(at));
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
                    if count > 0
                        && slave
                            .trigger_input()
                            .map_or(false, |input| triggers[input] == Some(master))
                    {
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
        self.clock
            .retune(cycle, self.rcc.sysclk_hz().max(1), self.rcc.ahb_div());
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
}

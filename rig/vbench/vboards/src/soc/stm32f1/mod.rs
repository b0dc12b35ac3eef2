//! STM32F103xE: 512 KiB of flash, 64 KiB of RAM, and its peripherals.
//!
//! `docs/evidence/virtual-boards.md` has what each device lacks. Devices that are not read as 0 and are
//! logged; an address that belongs to none is a bus error, and ends the run when the chip is strict. Sources: RM0008
//! rev 21, DS5792 (STM32F103xC/D/E).

mod access;
mod adc;
mod bus;
mod crc;
mod exti;
mod face;
mod flash;
mod gpio;
mod i2c;
mod map;
mod outlook;
mod power;
mod rcc;
mod remap;
mod requests;
mod restart;
mod rtc;
mod spi;
mod usart;
mod watchdog;
mod wires;

use super::stm32::absent;
use super::stm32::dma::Dma;
use super::stm32::exti::Exti;
use super::stm32::timer::Timer;
use super::watch::Watch;
use super::{Drive, Outside};
use crate::clock::{Clock, ClockSpec};
use crate::identity;
use crate::log::Log;
use crate::trace::{Edge, Pin};
use adc::Adc;
use crc::Crc;
use exti::Afio;
use flash::FlashInterface;
use gpio::{Port, PORTS};
use i2c::I2c;
use map::{TIM1, TIMER_TRIGGERS};
use outlook::{Group, Outlook, GROUPS};
use power::Power;
use rcc::{Cause, Rcc};
use remap::Pins;
use rtc::Rtc;
use spi::Spi;
use std::collections::VecDeque;
use usart::Usart;
use watchdog::{Iwdg, Wwdg};

/// USARTs of the model.
pub const USARTS: usize = 5;

/// What a board decides about its chip.
#[derive(Clone, Debug)]
pub struct Config {
    pub seed: u64,
    pub board: u16,
    /// External oscillator; 0 for none.
    pub hse_hz: u64,
    /// The errors of the board's oscillators, and when it gets its supply.
    pub clock: ClockSpec,
    /// Levels of nets without a driver, by port.
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
    afio: Afio,
    pins: Pins,
    ports: Vec<Port>,
    timers: Vec<Timer>,
    usarts: Vec<Usart>,
    spis: Vec<Spi>,
    i2cs: Vec<I2c>,
    adcs: Vec<Adc>,
    dmas: [Dma; 2],
    rtc: Rtc,
    iwdg: Iwdg,
    wwdg: Wwdg,
    crc: Crc,
    power: Power,
    dbgmcu_cr: u32,
    identity: [u32; 3],
    /// What is soldered to the pins.
    pub outside: O,
    /// Pins with a probe.
    watched: Vec<Pin>,
    /// Pins that a timer captures, by port.
    captured: [u16; PORTS],
    /// What each group of devices does next, and the groups of which that is no longer true.
    outlooks: [Outlook; GROUPS],
    stale: u8,
    next_event: u64,
    /// Cycle of the next DMA transfer, which [`crate::soc::Chip::serve`] makes; it may lie in the past.
    next_transfer: u64,
    /// Instant of the outside's next event, and the cycle by which it has happened.
    outside_next: (Option<u64>, u64),
    irqs: u128,
    irq_changed: bool,
    /// A reset that the chip itself is about to make; the core must follow when it is made.
    restart: Option<(u64, Cause)>,
    restarted: bool,
    /// The flash is busy and the core, which runs from it, waits.
    stalled_until: u64,
    edges: VecDeque<Edge>,
    sent: Vec<VecDeque<(u64, u8)>>,
    log: Log,
    watch: Watch,
    fault: Option<String>,
    drives: Vec<Drive>,
    usart_effects: Vec<super::stm32::usart::Effect>,
    spi_effects: Vec<super::stm32::spi::Effect>,
}

impl<O: Outside> Stm32f1<O> {
    pub fn new(config: Config, outside: O) -> Stm32f1<O> {
        let rcc = Rcc::new(config.hse_hz);
        let clock = Clock::of(&config.clock, rcc.sysclk_hz(), rcc.ahb_div());
        let mut timers: Vec<Timer> = (0..TIM1).map(|_| Timer::default()).collect();
        timers.extend([Timer::advanced(), Timer::advanced()]);
        let mut chip = Stm32f1 {
            clock,
            rcc,
            flash: FlashInterface::default(),
            exti: Exti::new(&exti::LINES, 0),
            afio: Afio::default(),
            pins: Pins::selected(0),
            ports: config.rest.iter().map(|&rest| Port::new(rest)).collect(),
            timers,
            usarts: (0..USARTS).map(|_| Usart::new(1)).collect(),
            spis: (0..3).map(|_| Spi::new(1)).collect(),
            i2cs: (0..2).map(|_| I2c::new(1)).collect(),
            adcs: (0..3).map(|_| Adc::new(2)).collect(),
            dmas: [Dma::new(7, false), Dma::new(5, false)],
            rtc: Rtc::default(),
            iwdg: Iwdg::new(config.clock.ppb),
            wwdg: Wwdg::new(1),
            crc: Crc::default(),
            power: Power::default(),
            dbgmcu_cr: 0,
            identity: identity::stm32(config.seed, config.board),
            outside,
            watched: Vec::new(),
            captured: [0; PORTS],
            outlooks: [Outlook::default(); GROUPS],
            stale: 0,
            next_event: 0,
            next_transfer: u64::MAX,
            outside_next: (None, u64::MAX),
            irqs: 0,
            irq_changed: false,
            restart: None,
            restarted: false,
            stalled_until: 0,
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
        chip.idle_lines();
        for port in chip.ports.iter_mut() {
            port.settle();
        }
        chip.outside_changed(0);
        chip.touch_all();
        chip.look();
        chip
    }

    /// The outside's events come first: they lie at or before the instant of their cycle.
    fn fire(&mut self, at: u64) {
        if let (Some(t_ps), true) = (self.outside_next.0, self.outside_next.1 <= at) {
            self.outside.advance(t_ps);
            self.outside_changed(at);
            return;
        }
        let t_ps = self.clock.ps(at);
        if self.due(Group::Spis, at) {
            for index in 0..self.spis.len() {
                if self.spis[index].shifter.next_event().map_or(false, |next| next <= at) {
                    self.spis[index].fire(at, &mut self.spi_effects);
                    self.spi_effects(index, at, t_ps);
                }
            }
        }
        if self.due(Group::Usarts, at) {
            for index in 0..self.usarts.len() {
                if self.usarts[index].lines.next_event().map_or(false, |next| next <= at) {
                    self.usarts[index].fire(at, &mut self.usart_effects);
                    self.usart_effects(index, at, t_ps);
                }
            }
        }
        if self.due(Group::Timers, at) {
            self.sync_timers(at);
            self.timer_outputs(at, t_ps);
            self.touch(Group::Timers);
        }
        if self.due(Group::Rest, at) || self.restart.is_some() {
            self.fire_rest(at, t_ps);
        }
    }

    /// Lets only that happen which does not need the chip's clocks.
    fn fire_in_deep(&mut self, at: u64) {
        if let (Some(t_ps), true) = (self.outside_next.0, self.outside_next.1 <= at) {
            self.outside.advance(t_ps);
            self.outside_changed(at);
            return;
        }
        let t_ps = self.clock.ps(at);
        for index in 0..self.usarts.len() {
            if self.usarts[index].lines.next_arrival().map_or(false, |next| next <= at) {
                self.usarts[index].fire(at, &mut self.usart_effects);
                self.usart_effects(index, at, t_ps);
            }
        }
        self.fire_backup(at, t_ps);
    }

    fn fire_rest(&mut self, at: u64, t_ps: u64) {
        self.touch(Group::Rest);
        for (index, i2c) in self.i2cs.iter_mut().enumerate() {
            if let Some(address) = i2c.fire(at) {
                absent::i2c(&mut self.log, t_ps, index, address);
            }
        }
        for adc in self.adcs.iter_mut() {
            adc.fire(at);
        }
        self.flash.sync(t_ps);
        self.wwdg.sync(at);
        if self.wwdg.bites {
            self.restart.get_or_insert((at, Cause::Wwdg));
        }
        if self.rcc.switch_pending().map_or(false, |ready_ps| ready_ps <= t_ps) {
            self.rcc.complete_switch(t_ps);
            self.clocks_changed(at);
        }
        self.fire_backup(at, t_ps);
    }

    /// RTC, independent watchdog, and resets that the chip makes itself.
    fn fire_backup(&mut self, at: u64, t_ps: u64) {
        self.sync_rtc(at, t_ps);
        if self.iwdg.next_event().map_or(false, |at_ps| at_ps <= t_ps) {
            self.restart.get_or_insert((at, Cause::Iwdg));
        }
        if let Some((due, cause)) = self.restart {
            if due <= at {
                self.system_reset(cause, at);
                self.restarted = true;
            }
        }
    }

    /// The alarm is a pulse on its EXTI line, and ends Standby.
    fn sync_rtc(&mut self, cycle: u64, t_ps: u64) {
        self.rtc.sync(t_ps);
        if std::mem::take(&mut self.rtc.alarm) {
            self.exti.edge(exti::RTC_ALARM, true);
            self.wake_from_standby(cycle);
        }
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

    fn clocks_changed(&mut self, cycle: u64) {
        let (apb1, apb2) = (self.rcc.apb1_div(), self.rcc.apb2_div());
        self.clock
            .retune(cycle, self.rcc.sysclk_hz().max(1), self.rcc.ahb_div());
        self.outside_next = (None, u64::MAX);
        for (index, timer) in self.timers.iter_mut().enumerate() {
            let bus = if index < TIM1 { apb1 } else { apb2 };
            timer.set_clock_div(cycle, (bus / 2).max(1)); // RM0008 figure 8: timers get twice a divided PCLK
        }
        for (index, usart) in self.usarts.iter_mut().enumerate() {
            usart.set_clock_div(if index == 0 { apb2 } else { apb1 });
        }
        for (index, spi) in self.spis.iter_mut().enumerate() {
            spi.shifter.set_clock_div(if index == 0 { apb2 } else { apb1 });
        }
        self.i2cs.iter_mut().for_each(|i2c| i2c.set_clock_div(apb1));
        for adc in self.adcs.iter_mut() {
            adc.set_clock_div(apb2 * self.rcc.adc_div());
        }
        self.wwdg.set_clock_div(cycle, apb1);
        self.touch_all();
        self.complain_of_clocks(cycle);
    }
}

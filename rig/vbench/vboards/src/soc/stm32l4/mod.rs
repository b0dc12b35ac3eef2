//! STM32L476: 1 MiB of flash, 96 + 32 KiB of RAM, and the peripherals that a radio node uses.
//!
//! What is modelled of each device stands at the head of its file; `docs/evidence/virtual-boards.md` has what is missing.
//! Other devices of the chip read as 0 and are logged; an address that belongs to none is a bus error, and ends the run
//! when the chip is strict. Sources: RM0351 rev 5 to 9, DS10198; sections are those of rev 5.
//!
//! Time is kept twice: what runs from the core's clock (timers, SPI, DMA) counts its cycles; what has a clock of its own
//! (USARTs, LPTIMs, RTC, oscillators) counts picoseconds.

mod adc;
mod art;
mod bus;
mod crc;
mod events;
mod exti;
mod face;
mod flash;
mod gpio;
mod i2c;
mod interrupts;
mod iwdg;
mod lptim;
mod map;
mod pins;
mod pwr;
mod rcc;
mod registers;
mod requests;
mod rng;
mod rtc;
mod serve;
mod spi;
mod stop;
mod usart;
mod wires;

use super::stm32::dma::Dma;
use super::stm32::exti::Exti;
use super::stm32::timer::Timer;
use super::watch::Watch;
use super::{Drive, Outside};
use crate::clock::{Clock, ClockSpec};
use crate::core::v7m::{Cpu, Model};
use crate::identity;
use crate::log::{Log, Topic};
use crate::trace::Edge;
use adc::Adc;
use crc::Crc;
use exti::Syscfg;
use flash::Flash;
use gpio::{Port, PORTS};
use i2c::I2c;
use iwdg::Iwdg;
use lptim::Lptim;
use pins::Routes;
use pwr::Pwr;
use rcc::Rcc;
use rng::Rng;
use rtc::Rtc;
use spi::Spi;
use std::collections::VecDeque;
use usart::Usart;

/// USART1 to USART3, UART4, UART5, LPUART1.
pub const USARTS: usize = map::USARTS.len();
/// Flash and RAMs (RM0351 2.4; table 1): SRAM1 and, apart from it, SRAM2.
pub const FLASH_BASE: u32 = flash::BASE;
pub const FLASH_BYTES: usize = flash::BYTES as usize;
const SRAM1: (u32, usize) = (0x2000_0000, 96 * 1024);
const SRAM2: (u32, usize) = (0x1000_0000, 32 * 1024);

/// A core with the memories of this chip, reset.
pub fn core(flash: Vec<u8>) -> Cpu {
    let mut cpu = Cpu::with_model(Model::CORTEX_M4F, FLASH_BASE, flash, SRAM1.0, SRAM1.1);
    cpu.add_ram(SRAM2.0, SRAM2.1);
    cpu.set_flash_cache(Box::new(art::Art::default()));
    cpu.reset();
    cpu
}

/// What a board decides about its chip.
#[derive(Clone, Debug)]
pub struct Config {
    pub seed: u64,
    pub board: u16,
    /// External oscillators; 0 for none.
    pub hse_hz: u64,
    pub lse_hz: u64,
    /// How much faster than nominal the board's clocks are.
    pub clock: ClockSpec,
    /// Levels of nets without a driver, by port.
    pub rest: [u16; PORTS],
    /// An access to no device ends the run.
    pub strict: bool,
}

/// The chip without its core.
pub struct Stm32l4<O: Outside> {
    config: Config,
    clock: Clock,
    rcc: Rcc,
    pwr: Pwr,
    flash: Flash,
    exti: Exti,
    syscfg: Syscfg,
    ports: Vec<Port>,
    routes: Routes,
    timers: Vec<Timer>,
    usarts: Vec<Usart>,
    spis: Vec<Spi>,
    i2cs: Vec<I2c>,
    lptims: Vec<Lptim>,
    dmas: Vec<Dma>,
    rtc: Rtc,
    iwdg: Iwdg,
    crc: Crc,
    rng: Rng,
    adcs: Vec<Adc>,
    adc_common: u32,
    dbgmcu: [u32; 4],
    identity: [u32; 3],
    /// What is soldered to the pins.
    pub outside: O,
    stop: stop::Stop,
    /// The core waits for its flash until this cycle.
    stalled_until: u64,
    /// Cause of a reset that the chip wants (bits of RCC_CSR); 0: none.
    wants_reset: u32,
    /// Cycle of the next thing that happens.
    next_event: u64,
    /// Instant of the next thing that has a clock of its own, and the cycle by which it has happened.
    next_timed: (Option<u64>, u64),
    /// The present.
    now_ps: u64,
    irqs: u128,
    irq_changed: bool,
    /// Levels of the RTC's signals as EXTI knows them.
    rtc_signals: (bool, bool),
    edges: VecDeque<Edge>,
    sent: Vec<VecDeque<(u64, u8)>>,
    log: Log,
    watch: Watch,
    fault: Option<String>,
    drives: Vec<Drive>,
    usart_effects: Vec<super::stm32::usart::Effect>,
    spi_effects: Vec<super::stm32::spi::Effect>,
}

impl<O: Outside> Stm32l4<O> {
    pub fn new(config: Config, outside: O) -> Stm32l4<O> {
        let ppb = config.clock.ppb;
        let rcc = Rcc::new(config.hse_hz, config.lse_hz);
        let sysclk = rcc.sysclk();
        let clock = Clock::of(&config.clock, sysclk.num, sysclk.den * rcc.ahb_div());
        let port = |(index, &rest): (usize, &u16)| Port::new(index, rest);
        let timer = |&name: &&str| match name {
            "TIM2" | "TIM5" => Timer::wide(),
            "TIM1" | "TIM8" | "TIM15" | "TIM16" | "TIM17" => Timer::advanced(),
            _ => Timer::default(),
        };
        let mut chip = Stm32l4 {
            clock,
            rcc,
            pwr: Pwr::default(),
            flash: Flash::default(),
            exti: Exti::new(&exti::LINES, exti::IMR_RESET),
            syscfg: Syscfg::default(),
            ports: config.rest.iter().enumerate().map(port).collect(),
            routes: Routes::default(),
            timers: map::TIMERS.iter().map(timer).collect(),
            usarts: map::USARTS
                .iter()
                .map(|&name| Usart::new(name == "LPUART1", ppb))
                .collect(),
            spis: (0..3).map(|_| Spi::new(1)).collect(),
            i2cs: vec![I2c::default(); 3],
            lptims: vec![Lptim::new(ppb); 2],
            dmas: vec![Dma::new(7, true); 2],
            rtc: Rtc::new(ppb),
            iwdg: Iwdg::new(ppb),
            crc: Crc::default(),
            rng: Rng::new(config.seed, config.board),
            adcs: vec![Adc::default(); 3],
            adc_common: 0,
            dbgmcu: [0; 4],
            identity: identity::stm32(config.seed, config.board),
            outside,
            stop: stop::Stop::default(),
            stalled_until: 0,
            wants_reset: 0,
            next_event: 0,
            next_timed: (None, u64::MAX),
            now_ps: 0,
            irqs: 0,
            irq_changed: false,
            rtc_signals: (false, false),
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
        chip.rest_serial_lines();
        chip.outside_changed(0);
        chip.clocks_changed(0);
        chip.reschedule();
        chip
    }

    fn clocks_changed(&mut self, cycle: u64) {
        let (apb1, apb2) = (self.rcc.apb1_div(), self.rcc.apb2_div());
        let sysclk = self.rcc.sysclk();
        self.clock.retune(cycle, sysclk.num, sysclk.den * self.rcc.ahb_div());
        self.next_timed = (None, u64::MAX);
        let t_ps = self.clock.ps(cycle);
        for (index, timer) in self.timers.iter_mut().enumerate() {
            let apb = if index < 6 { apb1 } else { apb2 };
            timer.set_clock_div(cycle, (apb / 2).max(1)); // RM0351 6.2.14: timers get twice a divided PCLK
        }
        for (index, usart) in self.usarts.iter_mut().enumerate() {
            usart.set_kernel(self.rcc.usart_clock(index, t_ps));
        }
        for (index, spi) in self.spis.iter_mut().enumerate() {
            spi.shifter.set_clock_div(if index == 0 { apb2 } else { apb1 });
        }
        for (index, lptim) in self.lptims.iter_mut().enumerate() {
            lptim.set_kernel(self.rcc.lptim_clock(index, t_ps), t_ps);
        }
        self.rtc.set_source(self.rcc.rtc_clock(t_ps), t_ps);
        self.remark_on_clocks(t_ps);
    }

    fn remark_on_clocks(&mut self, t_ps: u64) {
        let (hclk_hz, range_2) = (self.rcc.nominal_hclk_hz(), self.pwr.range_2());
        for text in [self.rcc.complaint(range_2), self.flash.complaint(hclk_hz, range_2)]
            .iter()
            .flatten()
        {
            self.log.once(t_ps, Topic::Device, hclk_hz as u32, || text.clone());
        }
    }
}

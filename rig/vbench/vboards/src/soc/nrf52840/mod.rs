//! nRF52840: 1 MiB of flash, 256 KiB of RAM, the peripherals that a radio node uses, and the radio itself.
//!
//! What is modelled of each device stands at the head of its file; `docs/evidence/virtual-boards.md` has what is missing.
//! Other devices of the chip read as 0 and are logged; an address that belongs to none is a bus error, and ends the run
//! when the chip is strict. Source: nRF52840 Product Specification (PS), named by section, whose numbers differ between its
//! versions; registers also from nrf52840.svd of nrfx 3.14.0.
//!
//! Time is kept twice: timers and PPI count cycles of the core's 64 MHz; what has a clock of its own (UARTEs, RTCs,
//! oscillators, the radio) counts picoseconds.

mod bus;
mod cache;
mod control_port;
mod egu;
mod events;
mod face;
pub mod gpio;
mod gpiote;
mod info;
mod interface;
mod map;
mod nvmc;
mod power;
mod ppi;
mod protection;
pub mod radio;
mod rng;
mod rtc;
mod serve;
mod temp;
mod timer;
mod uarte;
mod wdt;
mod wires;

use super::watch::Watch;
use crate::clock::{Clock, ClockSpec};
use crate::core::v7m::{Cpu, Model};
use crate::log::Log;
use crate::rng::{below, draw, Purpose};
use crate::soc::stm32::usart::Effect;
use crate::trace::Edge;
use egu::Egu;
use gpio::Gpio;
use gpiote::Gpiote;
use info::Ficr;
use interface::At;
use nvmc::Nvmc;
use power::Power;
use ppi::Ppi;
pub use protection::BuildCode;
use protection::Protection;
use radio::Radio;
use rng::Rng;
use rtc::Rtc;
use std::collections::VecDeque;
use temp::Temp;
use timer::Timer;
use uarte::Uarte;
use wdt::Wdt;

/// Memories (PS "Memory"): flash, RAM, and the user's registers, which are flash too.
pub const FLASH_BASE: u32 = 0;
pub const FLASH_BYTES: usize = 1024 * 1024;
const RAM: (u32, usize) = (0x2000_0000, 256 * 1024);
const UICR_BASE: u32 = 0x1000_1000;
const UICR_BYTES: u32 = 0x400;
/// The core's clock, whichever oscillator it comes from (PS "CLOCK").
const HFCLK_HZ: u64 = 64_000_000;
/// fTOL_HFINT: 1.5 % typical (nRF5340 PS, "CLOCK", HFINT128M; the nRF52840's is remembered, unverified); drawn for a board.
pub const HFINT_SPREAD_PPM: u64 = 15_000;
/// LFCLK; the error of LFRC is not modelled.
const LFCLK_HZ: u64 = 32_768;

/// A core with the memories of this chip, reset.
pub fn core(flash: Vec<u8>) -> Cpu {
    let mut cpu = Cpu::with_model(Model::CORTEX_M4F, FLASH_BASE, flash, RAM.0, RAM.1);
    cpu.set_flash_cache(Box::new(cache::Cache::default()));
    cpu.reset();
    cpu
}

/// What a board decides about its chip.
#[derive(Clone, Debug)]
pub struct Config {
    pub seed: u64,
    pub board: u16,
    /// How much faster than nominal the board's crystals are.
    pub clock: ClockSpec,
    /// The internal oscillator has its nominal frequency.
    pub exact_hfint: bool,
    /// Levels of nets without a driver.
    pub rest: u64,
    /// Pin that the board's serial adapter drives for each UARTE.
    pub serial_rx: [u32; 2],
    /// An access to no device ends the run.
    pub strict: bool,
    pub build_code: BuildCode,
}

/// The chip without its core.
pub struct Nrf52840 {
    config: Config,
    clock: Clock,
    power: Power,
    radio: Radio,
    uartes: Vec<Uarte>,
    gpiote: Gpiote,
    gpio: Gpio,
    timers: Vec<Timer>,
    rtcs: Vec<Rtc>,
    temp: Temp,
    rng: Rng,
    wdt: Wdt,
    egus: Vec<Egu>,
    nvmc: Nvmc,
    ppi: Ppi,
    ficr: Ficr,
    uicr: Vec<u32>,
    /// Tasks that the PPI carries out, by cycle.
    tasks: VecDeque<(u64, u32)>,
    /// Frequency of HFINT.
    hfint_hz: u64,
    stalled_until: u64,
    /// The reason of a reset that the chip wants (bits of RESETREAS); 0: none.
    wants_reset: u32,
    next_event: u64,
    /// Instant of the next thing that has a clock of its own, and the cycle by which it has happened.
    next_timed: (Option<u64>, u64),
    now_ps: u64,
    irqs: u128,
    irq_changed: bool,
    edges: VecDeque<Edge>,
    sent: Vec<VecDeque<(u64, u8)>>,
    log: Log,
    watch: Watch,
    fault: Option<String>,
    effects: Vec<Effect>,
    found_tasks: Vec<u32>,
}

impl Nrf52840 {
    pub fn new(config: Config) -> Nrf52840 {
        let ppb = config.clock.ppb;
        let spread = draw(0, Purpose::Dco, &[u64::from(config.board)], 0);
        let error_ppm = match config.exact_hfint {
            true => 0,
            false => below(spread, 2 * HFINT_SPREAD_PPM + 1) as i64 - HFINT_SPREAD_PPM as i64,
        };
        let hfint_hz = (HFCLK_HZ as i64 + HFCLK_HZ as i64 / 1_000_000 * error_ppm) as u64;
        let clock = Clock::of(&config.clock, hfint_hz, 1);
        let mut chip = Nrf52840 {
            radio: Radio::new(config.seed, config.board, clock.clone(), ppb),
            clock,
            power: Power::new(Protection::new(config.build_code, u32::MAX)),
            uartes: vec![Uarte::new(false, ppb), Uarte::new(true, ppb)],
            gpiote: Gpiote::default(),
            gpio: Gpio::new(config.rest),
            timers: map::TIMER_CHANNELS
                .iter()
                .map(|&channels| Timer::new(channels))
                .collect(),
            rtcs: map::RTC_CHANNELS.iter().map(|&channels| Rtc::new(channels)).collect(),
            temp: Temp::default(),
            rng: Rng::new(config.seed, config.board),
            wdt: Wdt::default(),
            egus: vec![Egu::default(); 6],
            nvmc: Nvmc::default(),
            ppi: Ppi::default(),
            ficr: Ficr::new(config.seed, config.board, config.build_code),
            uicr: vec![u32::MAX; UICR_BYTES as usize / 4],
            tasks: VecDeque::new(),
            hfint_hz,
            stalled_until: 0,
            wants_reset: 0,
            next_event: 0,
            next_timed: (None, u64::MAX),
            now_ps: config.clock.start_ps,
            irqs: 0,
            irq_changed: false,
            edges: VecDeque::new(),
            sent: vec![VecDeque::new(); 2],
            log: Log::default(),
            watch: Watch::default(),
            fault: None,
            effects: Vec::new(),
            found_tasks: Vec::new(),
            config,
        };
        chip.reschedule();
        chip
    }

    fn at(&self, cycle: u64) -> At {
        At {
            cycle,
            ps: self.clock.ps(cycle),
        }
    }

    /// HFCLK or LFCLK has another source.
    fn clocks_changed(&mut self, at: At) {
        let hz = if self.power.hfxo() { HFCLK_HZ } else { self.hfint_hz };
        self.clock.retune(at.cycle, hz, 1);
        self.next_timed = (None, u64::MAX);
        self.radio.set_clock(&self.clock, self.power.hfxo());
        let lfclk = Clock::of(&self.config.clock, LFCLK_HZ, 1);
        for rtc in self.rtcs.iter_mut() {
            rtc.set_clock(Some(&lfclk).filter(|_| self.power.lfclk()), at.ps);
        }
    }
}

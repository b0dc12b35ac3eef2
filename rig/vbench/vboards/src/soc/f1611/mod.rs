//! MSP430F1611: 48 KiB of flash, 10 KiB of RAM, and the peripherals around the CPU.
//!
//! Modelled: ports 1 to 6, Timer_A3, Timer_B7, USART0 and USART1 (UART, SPI master), the basic clock module, the watchdog,
//! the hardware multiplier, the flash controller, the DMA controller, ADC12 with fixed results. The I2C mode of USART0,
//! DAC12, the comparator and the supply supervisor keep what is written to them and do nothing; that is logged.
//! Sources: SLAU049F (MSP430x1xx Family User's Guide), SLAS368 (MSP430F15x, F16x, F161x).

mod adc;
mod bus;
mod clocks;
mod dco;
mod dma;
mod face;
mod flash;
mod map;
mod multiplier;
mod port;
mod serve;
mod timer;
mod usart;
mod watchdog;
mod wires;

use super::{Drive, Outside};
use crate::clock::ClockSpec;
use crate::core::msp430::{Kind, Memory};
use crate::exact::Exact;
use crate::log::{Log, Topic};
use crate::trace::Edge;
use adc::Adc;
use clocks::{Clocks, Source};
use dma::Dma;
use flash::Flash;
use map::{vector, PORTS};
use multiplier::Multiplier;
use port::Port;
use std::collections::VecDeque;
use timer::{Model, Timer};
use usart::Usart;
use watchdog::Watchdog;

/// What a board decides about its chip.
#[derive(Clone, Debug)]
pub struct Config {
    pub seed: u64,
    pub board: u16,
    /// The watch crystal, and when the chip gets its supply.
    pub clock: ClockSpec,
    /// What of its clocks is as in the data sheet.
    pub exact: Exact,
    /// Levels of nets without a driver, by port; index 0 is unused.
    pub rest: [u8; PORTS],
    /// An access to no register ends the run.
    pub strict: bool,
}

/// The chip without its core.
pub struct F1611<O: Outside> {
    config: Config,
    clocks: Clocks,
    /// How far the peripherals have got.
    now_ps: u64,
    ports: Vec<Port>,
    /// Timer_A, Timer_B.
    timers: [Timer; 2],
    usarts: [Usart; 2],
    watchdog: Watchdog,
    multiplier: Multiplier,
    flash: Flash,
    dma: Dma,
    adc: Adc,
    /// IE1 and IE2; IFG1's own bits (the USARTs' flags lie with them).
    enables: [u8; 2],
    flags: u8,
    /// Registers that only keep what is written, by address.
    storage: Vec<u16>,
    /// What is soldered to the pins.
    pub outside: O,
    next_event_ps: u64,
    horizon: u64,
    requests: u16,
    reset_asked: bool,
    edges: VecDeque<Edge>,
    sent: [VecDeque<(u64, u8)>; 2],
    log: Log,
    fault: Option<String>,
    drives: Vec<Drive>,
    effects: Vec<usart::Effect>,
}

/// The memories of the chip, erased (SLAS368, memory organisation).
pub fn memory() -> Memory {
    let mut memory = Memory::new();
    memory.map(0x0C, 0x0F, Kind::Flash); // boot memory: ROM
    memory.map(0x10, 0x10, Kind::Flash); // information memory B, A
    memory.map(0x11, 0x38, Kind::Ram);
    memory.mirror(0x02, 0x09, 0x11);
    memory.map(0x40, 0xFF, Kind::Flash);
    memory
}

impl<O: Outside> F1611<O> {
    pub fn new(config: Config, outside: O) -> F1611<O> {
        let start_ps = config.clock.start_ps;
        let clocks = Clocks::new(config.seed, config.board, config.exact, &config.clock);
        let mut chip = F1611 {
            clocks,
            now_ps: start_ps,
            ports: config.rest.iter().map(|&rest| Port::new(rest)).collect(),
            timers: [Timer::new(Model::A), Timer::new(Model::B)],
            usarts: [Usart::new(), Usart::new()],
            watchdog: Watchdog::default(),
            multiplier: Multiplier::default(),
            flash: Flash::new(),
            dma: Dma::default(),
            adc: Adc::new(),
            enables: [0; 2],
            flags: map::OSCILLATOR_BIT, // SLAU049F 4.2.7: set after POR
            storage: vec![0; 0x200],
            outside,
            next_event_ps: 0,
            horizon: 0,
            requests: 0,
            reset_asked: false,
            edges: VecDeque::new(),
            sent: [VecDeque::new(), VecDeque::new()],
            log: Log::default(),
            fault: None,
            drives: Vec::new(),
            effects: Vec::new(),
            config,
        };
        chip.usart_pins();
        for port in 1..PORTS {
            chip.settle(port, start_ps);
        }
        chip.outside_changed();
        chip.reschedule();
        chip
    }

    /// Lets time pass to `ps`: what is due happens, each thing at its own instant.
    pub fn advance(&mut self, ps: u64) {
        while self.next_event_ps <= ps {
            let at = self.next_event_ps.max(self.now_ps);
            self.now_ps = at;
            self.fire(at);
            self.reschedule();
        }
        self.now_ps = self.now_ps.max(ps);
        if self.clocks.dco.known_until_ps() <= ps {
            self.clocks.dco.roll(ps);
            self.reschedule();
        }
    }

    fn fire(&mut self, ps: u64) {
        self.clocks.dco.roll(ps);
        if self.outside.next_event().map_or(false, |next| next <= ps) {
            self.outside.advance(ps);
            self.outside_changed();
        }
        for index in 0..self.usarts.len() {
            if self.usarts[index].next_event_ps(&self.clocks) <= ps {
                let mut effects = std::mem::take(&mut self.effects);
                self.usarts[index].fire(&self.clocks, ps, &mut effects);
                self.effects = effects;
                self.usart_effects(index, ps);
            }
        }
        self.capture_aclk(ps);
        self.sync_timers(ps);
        if self.watchdog.sync(&self.clocks, ps) {
            self.watchdog_over();
        }
        self.adc.fire(ps);
        self.update_requests();
    }

    /// The instant of the next thing that happens by itself.
    fn reschedule(&mut self) {
        let mut next = self.outside.next_event().unwrap_or(u64::MAX);
        for usart in self.usarts.iter() {
            next = next.min(usart.next_event_ps(&self.clocks));
        }
        for (timer, &block) in self.timers.iter().zip(map::ACLK_CAPTURE.iter()) {
            next = next.min(timer.next_event_ps(&self.clocks));
            if timer.captures_on(block, 1) {
                next = next.min(self.next_aclk_edge());
            }
        }
        next = next.min(self.watchdog.next_event_ps(&self.clocks));
        next = next.min(self.adc.next_event_ps());
        self.next_event_ps = next;
        self.update_horizon();
    }

    /// Cycle at which the core must hand control back: the next event, or the end of what is known of the DCO.
    fn update_horizon(&mut self) {
        let waits = self.reset_asked || self.fault.is_some() || self.flash.work.is_some() || self.dma_waits();
        self.horizon = if waits || self.outside.has_messages() {
            0
        } else {
            let known = self.next_event_ps.min(self.clocks.dco.known_until_ps());
            self.clocks.cycle_at(known)
        };
    }

    /// The next edge of ACLK after now: ticks are rising edges, a falling one lies half a period later.
    fn next_aclk_edge(&self) -> u64 {
        let tick = self.clocks.ticks(Source::Aclk, self.now_ps);
        let rising = self.clocks.instant(Source::Aclk, tick + 1);
        let last = self.clocks.instant(Source::Aclk, tick);
        let falling = if rising == u64::MAX {
            u64::MAX
        } else {
            last + (rising - last) / 2
        };
        if falling > self.now_ps {
            falling
        } else {
            rising
        }
    }

    /// ACLK reaches input B of TACCR2 and TBCCR6 (SLAS368, timer signal connections).
    fn capture_aclk(&mut self, ps: u64) {
        let wanted = (0..2).any(|timer| self.timers[timer].captures_on(map::ACLK_CAPTURE[timer], 1));
        if !wanted || !self.clocks.runs(Source::Aclk) {
            return;
        }
        let tick = self.clocks.ticks(Source::Aclk, ps);
        let last = self.clocks.instant(Source::Aclk, tick);
        let next = self.clocks.instant(Source::Aclk, tick + 1);
        let high = ps < last + (next - last) / 2;
        self.sync_timers(ps);
        for (timer, &block) in self.timers.iter_mut().zip(map::ACLK_CAPTURE.iter()) {
            timer.set_input(block, 1, high);
        }
    }

    /// Brings the timers to `ps` and their outputs to the pins.
    fn sync_timers(&mut self, ps: u64) {
        for index in 0..self.timers.len() {
            self.timers[index].sync(&self.clocks, ps);
        }
        self.timer_outputs(ps);
    }

    fn watchdog_over(&mut self) {
        self.flags |= map::WDT_BIT;
        if !self.watchdog.interval_mode() {
            self.ask_reset("the watchdog has run out");
        }
    }

    /// PUC, as soon as the core is between two instructions.
    fn ask_reset(&mut self, why: &str) {
        self.reset_asked = true;
        self.horizon = 0;
        let text = format!("reset: {}", why);
        self.log.once(self.now_ps, Topic::Device, 0x1_0000, || text);
    }

    /// Requests to the core by vector number.
    fn update_requests(&mut self) {
        let mut requests = 0u16;
        let mut raise = |number: u16, up: bool| requests |= u16::from(up) << number;
        raise(vector::PORT1, self.ports[1].interrupt());
        raise(vector::PORT2, self.ports[2].interrupt());
        raise(vector::TIMER_A0, self.timers[0].request0());
        raise(vector::TIMER_A1, self.timers[0].request1());
        raise(vector::TIMER_B0, self.timers[1].request0());
        raise(vector::TIMER_B1, self.timers[1].request1());
        let usart_vectors = [
            (vector::USART0_RX, vector::USART0_TX),
            (vector::USART1_RX, vector::USART1_TX),
        ];
        for (index, &(rx, tx)) in usart_vectors.iter().enumerate() {
            let enables = self.enables[index];
            raise(
                rx,
                self.usarts[index].rx_request() && enables & map::USART_RX_BIT[index] != 0,
            );
            raise(
                tx,
                self.usarts[index].tx_flag && enables & map::USART_TX_BIT[index] != 0,
            );
        }
        let own = self.flags & self.enables[0];
        raise(
            vector::WATCHDOG,
            own & map::WDT_BIT != 0 && self.watchdog.interval_mode(),
        );
        let violated = self.flash.violated() && self.enables[0] & map::ACCESS_BIT != 0;
        raise(vector::NMI, own & (map::OSCILLATOR_BIT | map::NMI_BIT) != 0 || violated);
        raise(vector::ADC12, self.adc.request());
        raise(vector::DMA_DAC, self.dma.request());
        self.requests = requests;
    }

    /// Runs `change` on the clocks; everybody who counts one takes a new start.
    fn change_clocks(&mut self, ps: u64, change: impl FnOnce(&mut Clocks)) {
        self.sync_timers(ps);
        if self.watchdog.sync(&self.clocks, ps) {
            self.watchdog_over();
        }
        let ticks = [0, 1].map(|index: usize| self.clocks.ticks(self.usarts[index].source(), ps));
        change(&mut self.clocks);
        for timer in self.timers.iter_mut() {
            timer.anchor(&self.clocks, ps);
        }
        self.watchdog.anchor(&self.clocks, ps);
        for (usart, &ticks) in self.usarts.iter_mut().zip(ticks.iter()) {
            usart.anchor(ticks, &self.clocks, ps);
        }
        if self.clocks.xt2_fault() || self.clocks.lfxt1_fault() {
            self.flags |= map::OSCILLATOR_BIT;
        }
    }
}

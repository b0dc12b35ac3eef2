//! What boards with an MSP430F1611 have in common: the loop of core, chip and outside.

use super::adg715::{Adg715, Ask};
use super::bsl::{Bsl, Next};
use crate::air::{Link, Message};
use crate::board::{Board, Statistics};
use crate::core::msp430::{Cpu, Peripherals, Step, CPUOFF, PC, RESET, SCG0, SCG1, VECTORS};
use crate::log::Log;
use crate::soc::f1611::F1611;
use crate::soc::Outside;
use crate::trace::{dotted_pin_name, Edge, Pin};
use std::collections::VecDeque;

/// A board with an MSP430F1611.
pub struct Msp430Board<O: Outside> {
    pub cpu: Cpu,
    pub chip: F1611<O>,
    pub board: u16,
    /// The USART that the serial adapter hangs on.
    pub console: usize,
    /// The serial adapter's way to RST and TCK.
    switch: Adg715,
    held: Held,
}

/// Who has the processor instead of the image.
enum Held {
    Nothing,
    /// RST is low.
    Reset,
    /// The reset vector is erased: where the core would run to does not matter, it stands.
    Blank,
    Loader(Bsl),
}

/// Cycles of the longest instruction, which an interrupt entry equals (SLAU049F 3.4.4).
const LONGEST_STEP: u64 = 6;
/// What an erased reset vector reads as.
const ERASED: u16 = 0xFFFF;

impl<O: Outside> Msp430Board<O> {
    /// A board that is about to run its image from the reset vector, or waits for one; its serial adapter hangs on USART `console`.
    pub fn new(mut cpu: Cpu, chip: F1611<O>, board: u16, console: usize) -> Msp430Board<O> {
        Bsl::identify(&mut cpu);
        let mut board = Msp430Board {
            cpu,
            chip,
            board,
            console,
            switch: Adg715::default(),
            held: Held::Nothing,
        };
        board.restart();
        board
    }

    fn restart(&mut self) {
        if self.cpu.mem.word(VECTORS + 2 * RESET) == ERASED {
            return self.hold(Held::Blank);
        }
        self.reset();
        self.held = Held::Nothing;
    }

    fn reset(&mut self) {
        self.chip.reset(self.cpu.cycles);
        self.cpu.reset();
        self.cpu.take_power();
    }

    /// Something else takes the processor: the chip is as after a reset, its clocks stand.
    fn hold(&mut self, held: Held) {
        self.reset();
        self.chip.set_power(CPUOFF | SCG0 | SCG1, self.cpu.cycles);
        self.held = held;
    }

    fn loader_bytes(&mut self, bytes: &[u8], at_ps: u64) {
        let next = match (&mut self.held, self.chip.sent(self.console)) {
            (Held::Loader(bsl), Some(sent)) => bsl.receive(bytes, at_ps, &mut self.cpu, sent),
            _ => Next::Stay,
        };
        match next {
            Next::Stay => {}
            Next::Reset => self.restart(),
            Next::Jump(address) => {
                self.restart();
                self.cpu.regs[PC] = address;
            }
        }
    }

    /// How long the loader still speaks; None if it waits.
    fn loader_busy_ps(&self) -> Option<u64> {
        match &self.held {
            Held::Loader(bsl) if bsl.busy_ps > self.local_ps() => Some(bsl.busy_ps),
            _ => None,
        }
    }

    /// What is due by now happens, and the core is awake if something wakes it.
    fn catch_up(&mut self) {
        self.chip.advance(self.local_ps());
        self.chip.serve(&mut self.cpu);
        if self.chip.take_reset() {
            self.restart();
        }
        if self.asleep() && self.cpu.acceptable(self.chip.requests()).is_some() {
            self.chip.wake(self.cpu.cycles);
        }
    }

    /// The core sleeps and MCLK stands.
    fn asleep(&self) -> bool {
        !self.chip.mclk_on()
    }
}

impl<O: Outside> Board for Msp430Board<O> {
    fn run_until(&mut self, until_ps: u64) -> Result<(), String> {
        if !matches!(self.held, Held::Nothing) {
            if let Some(busy_ps) = self.loader_busy_ps() {
                self.chip.advance(busy_ps.min(until_ps));
            }
            return Ok(());
        }
        loop {
            self.catch_up();
            if let Some(text) = self.chip.fault() {
                return Err(text.to_string());
            }
            if self.local_ps() >= until_ps || self.chip.outside.has_messages() {
                return Ok(());
            }
            if self.asleep() {
                let next = self.chip.next_event_ps();
                if next >= until_ps {
                    return Ok(());
                }
                self.chip.advance(next);
                continue;
            }
            let until = self.chip.cycle_at(until_ps);
            match self.cpu.run_until(&mut self.chip, until) {
                Step::Ran | Step::Sleeping => {}
                Step::Power => {
                    let power = self.cpu.take_power();
                    self.chip.set_power(power, self.cpu.cycles);
                }
                Step::Fault(text) => {
                    return Err(format!("board {}: {} (t = {} ps)", self.board, text, self.local_ps()))
                }
            }
        }
    }

    fn local_ps(&self) -> u64 {
        self.chip.local_ps(self.cpu.cycles)
    }

    fn next_action_ps(&self) -> Option<u64> {
        if !matches!(self.held, Held::Nothing) {
            return self.loader_busy_ps();
        }
        if !self.asleep() {
            return Some(self.local_ps());
        }
        match self.chip.next_event_ps() {
            u64::MAX => None,
            ps => Some(ps.max(self.local_ps())),
        }
    }

    fn overshoot_ps(&self) -> u64 {
        self.chip.cycles_ps(LONGEST_STEP)
    }

    fn flash(&self) -> Vec<u8> {
        [self.cpu.mem.flash(), self.chip.outside.kept()].concat()
    }

    fn power_up(&mut self, flash: &[u8], ram: &mut dyn FnMut() -> u8) {
        let (own, outside) = flash.split_at(self.cpu.mem.flash().len());
        self.cpu.mem.power_up(own, ram);
        self.chip.outside.restore(outside);
        self.restart();
    }

    fn receive_signal(&mut self, message: &Message, link: &Link) {
        self.chip.outside.receive_signal(message, link);
        self.chip.outside_touched();
    }

    fn take_messages(&mut self, into: &mut Vec<Message>) {
        self.chip.outside.take_messages(into);
        self.chip.outside_touched();
    }

    fn edges(&mut self) -> &mut VecDeque<Edge> {
        self.chip.edges()
    }

    fn ports(&self) -> usize {
        self.chip.ports()
    }

    fn net(&self, port: usize) -> u16 {
        self.chip.net(port)
    }

    fn watch(&mut self, pin: Pin) {
        self.chip.watch(pin);
    }

    fn pin_name(&self, pin: Pin) -> String {
        dotted_pin_name(pin)
    }

    fn console(&self) -> usize {
        self.console
    }

    fn sent(&mut self, usart: usize) -> Option<&mut VecDeque<(u64, u8)>> {
        self.chip.sent(usart)
    }

    fn feed(&mut self, usart: usize, bytes: &[u8], at_ps: u64) -> Result<(), String> {
        if !matches!(self.held, Held::Nothing) && usart == self.console {
            self.chip.advance(at_ps);
            self.loader_bytes(bytes, at_ps);
            return Ok(());
        }
        if self.chip.feed(usart, bytes, at_ps) {
            Ok(())
        } else {
            Err(format!("board {} has no USART{}", self.board, usart))
        }
    }

    fn modem(&mut self, dtr: bool, rts: bool, at_ps: u64) -> bool {
        if let Some(ask) = self.switch.modem(dtr, rts) {
            self.chip.advance(at_ps.max(self.local_ps()));
            match ask {
                Ask::Hold => self.hold(Held::Reset),
                Ask::Loader => self.hold(Held::Loader(Bsl::default())),
                Ask::Reset => self.restart(),
            }
        }
        true
    }

    fn log(&self) -> &Log {
        self.chip.log()
    }

    fn statistics(&self) -> Statistics {
        Statistics {
            instructions: self.cpu.instructions,
            cycles: self.cpu.cycles,
        }
    }
}

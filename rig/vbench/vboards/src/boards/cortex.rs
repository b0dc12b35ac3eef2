//! What boards with a Cortex-M have in common: the loop of core, chip and outside.

use crate::air::{Link, Message};
use crate::board::{Board, Parts, Statistics};
use crate::bus::{BusError, Width};
use crate::core::v7m::{Cpu, Step};
use crate::debug::{Target, Wires};
use crate::elf;
use crate::log::Log;
use crate::soc::{Chip, Outside};
use crate::trace::{Edge, Pin};
use std::collections::VecDeque;

/// Cycles of an exception entry and a long instruction, LDM with wait states; stores come well before their end.
const LONGEST_STEP: u64 = 64;

/// A board with a Cortex-M.
pub struct CortexBoard<C: Chip> {
    pub cpu: Cpu,
    pub chip: C,
    pub board: u16,
    /// The USART that the board's serial adapter hangs on.
    pub console: usize,
    /// The core's clock stands still (Stop mode).
    stopped: bool,
    /// A debug adapter holds the reset line.
    held: bool,
}

/// The flash of a board with an image, erased where the image is not. Without an image all of it is erased: such
/// a board waits for a debug adapter that brings one.
pub fn flash(parts: &Parts, base: u32, bytes: usize, core: &str) -> Result<Vec<u8>, String> {
    if parts.image.is_empty() {
        return Ok(vec![0xFF; bytes]);
    }
    let image = elf::parse(parts.image_name, parts.image, elf::EM_ARM, core)?;
    elf::place(parts.image_name, &image, base, bytes, 0xFF)
}

impl<C: Chip> CortexBoard<C> {
    /// A board after power-on; one without an image waits for a debug adapter.
    pub fn new(mut cpu: Cpu, chip: C, parts: &Parts) -> CortexBoard<C> {
        cpu.set_timing(parts.timing.applied(cpu.timing()));
        if parts.image.is_empty() {
            cpu.await_debugger();
        }
        CortexBoard {
            cpu,
            chip,
            board: parts.board,
            console: 1,
            stopped: false,
            held: false,
        }
    }

    /// What is due by the core's present cycle happens, and the core sees the interrupt lines that follow.
    ///
    /// Not what is due from `until` on: an instruction may end later, but what others send by then is not known yet.
    fn catch_up(&mut self, until: u64) {
        self.chip.advance(self.cpu.cycles.min(until));
        self.chip.serve(&mut self.cpu);
        if self.chip.take_reset() {
            self.cpu.reset();
            self.stopped = false;
        }
        if let Some(levels) = self.chip.take_irqs() {
            self.cpu.set_irq_levels(levels);
        }
        if self.chip.take_event() {
            self.cpu.signal_event();
        }
    }

    /// Cycle of the next thing that happens while the core sleeps; `u64::MAX` for never.
    fn wake_cycle(&self) -> u64 {
        let own = if self.stopped || self.held {
            None
        } else {
            self.cpu.next_event()
        };
        self.chip.next_event().min(own.unwrap_or(u64::MAX))
    }

    fn asleep(&self) -> bool {
        self.held || self.cpu.sleeping()
    }

    fn reset(&mut self) {
        self.chip.reset(self.cpu.cycles);
        self.cpu.reset();
    }

    /// Brings chip and core to an instant at which a debug adapter acts.
    fn reach(&mut self, at_ps: u64) {
        let cycle = self.chip.clock().tick_at(at_ps);
        if self.asleep() && cycle > self.cpu.cycles {
            if self.stopped || self.cpu.debug_halted() {
                self.cpu.skip_halted(cycle);
            } else {
                self.cpu.skip_to(cycle);
            }
        }
        self.catch_up(u64::MAX);
    }

    fn explain(&self, step: &Step) -> Option<String> {
        let pc = self.cpu.regs[15];
        let what = match step {
            Step::Fault(fault) => fault.to_string(),
            Step::Breakpoint(number) => format!("BKPT {} without a debugger", number),
            _ => return None,
        };
        let t_ps = self.local_ps();
        Some(format!(
            "board {}: {} (PC 0x{:08x}, t = {} ps)",
            self.board, what, pc, t_ps
        ))
    }
}

impl<C: Chip> Board for CortexBoard<C> {
    fn run_until(&mut self, until_ps: u64) -> Result<(), String> {
        loop {
            self.catch_up(self.chip.clock().tick_at(until_ps));
            if let Some(text) = self.chip.fault() {
                return Err(text.to_string());
            }
            let until = self.chip.clock().tick_at(until_ps);
            if self.cpu.cycles >= until || self.chip.outside().has_messages() {
                return Ok(());
            }
            if self.asleep() {
                let wake = self.wake_cycle();
                if wake >= until {
                    return Ok(());
                }
                let wake = wake.max(self.cpu.cycles);
                if self.stopped || self.cpu.debug_halted() {
                    self.cpu.skip_halted(wake);
                } else {
                    self.cpu.skip_to(wake);
                }
                continue;
            }
            if self.stopped {
                self.stopped = false;
                let resume = self.chip.wake(self.cpu.cycles);
                self.cpu.skip_halted(resume);
                continue;
            }
            let stalled_until = self.chip.stalled_until();
            if self.cpu.cycles < stalled_until {
                self.cpu.skip_to(
                    stalled_until
                        .min(until)
                        .min(self.chip.next_event().max(self.cpu.cycles + 1)),
                );
                continue;
            }
            let step = self.cpu.run_until(&mut self.chip, until);
            match step {
                Step::ResetRequested => self.reset(),
                Step::Sleeping if self.cpu.sleep_deep() || self.chip.stops_in_sleep() => {
                    self.stopped = self.chip.sleep_deep(self.cpu.cycles);
                }
                _ => {}
            }
            if self.chip.fault().is_none() && !(matches!(step, Step::Fault(_)) && self.cpu.debug_attached()) {
                if let Some(text) = self.explain(&step) {
                    return Err(text);
                }
            }
        }
    }

    fn local_ps(&self) -> u64 {
        self.chip.clock().ps(self.cpu.cycles)
    }

    fn next_action_ps(&self) -> Option<u64> {
        let cycle = if self.asleep() {
            self.wake_cycle()
        } else {
            self.chip.next_event().min(self.cpu.cycles)
        };
        match cycle {
            u64::MAX => None,
            cycle => Some(self.chip.clock().ps(cycle)),
        }
    }

    fn overshoot_ps(&self) -> u64 {
        self.chip.clock().ps(self.cpu.cycles + LONGEST_STEP) - self.local_ps()
    }

    fn flash(&self) -> Vec<u8> {
        [self.cpu.flash(), &self.chip.kept()].concat()
    }

    fn power_up(&mut self, flash: &[u8], ram: &mut dyn FnMut() -> u8) {
        let (own, kept) = flash.split_at(self.cpu.flash().len());
        self.cpu.power_up(own, ram);
        self.chip.restore(kept);
    }

    fn receive_signal(&mut self, message: &Message, link: &Link) {
        self.chip.outside().receive_signal(message, link);
        self.chip.outside_touched();
    }

    fn take_messages(&mut self, into: &mut Vec<Message>) {
        self.chip.outside().take_messages(into);
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

    fn pin_name(&self, pin: Pin) -> String {
        self.chip.pin_name(pin)
    }

    fn pin(&self, name: &str) -> Option<Pin> {
        self.chip.pin(name)
    }

    fn watch(&mut self, pin: Pin) {
        self.chip.watch(pin);
    }

    fn console(&self) -> usize {
        self.console
    }

    fn sent(&mut self, usart: usize) -> Option<&mut VecDeque<(u64, u8)>> {
        self.chip.sent(usart)
    }

    fn feed(&mut self, usart: usize, bytes: &[u8], at_ps: u64) -> Result<(), String> {
        let cycle = self.chip.clock().tick_at(at_ps).max(self.cpu.cycles);
        if self.chip.feed(usart, bytes, cycle) {
            Ok(())
        } else {
            Err(format!("board {} has no USART{}", self.board, usart))
        }
    }

    fn debug_target(&mut self) -> Option<&mut dyn Target> {
        Some(self)
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

impl<C: Chip> Target for CortexBoard<C> {
    fn wires(&self) -> Wires {
        self.chip.debug_wires()
    }

    fn read(&mut self, address: u32, width: Width, at_ps: u64) -> Result<u32, BusError> {
        self.reach(at_ps);
        self.cpu.debug_read(&mut self.chip, address, width)
    }

    fn write(&mut self, address: u32, width: Width, value: u32, at_ps: u64) -> Result<(), BusError> {
        self.reach(at_ps);
        let written = self.cpu.debug_write(&mut self.chip, address, width, value);
        if self.cpu.reset_requested() {
            self.reset();
        }
        self.catch_up(u64::MAX);
        written
    }

    fn hold_reset(&mut self, held: bool, at_ps: u64) {
        self.reach(at_ps);
        if self.held != held && self.chip.reset_by_pin(self.cpu.cycles) {
            self.cpu.reset();
            self.held = held;
        }
    }

    fn is_open(&self) -> bool {
        self.chip.debug_open()
    }

    fn vendor_port(&mut self, register: u8, write: Option<u32>, at_ps: u64) -> u32 {
        self.reach(at_ps);
        if write.is_some() {
            self.cpu.await_debugger(); // it may erase what the core runs
        }
        let (value, held) = self.chip.vendor_port(register, write, self.cpu.cycles);
        if let Some(held) = held.filter(|&held| held != self.held) {
            self.reset();
            self.held = held;
        }
        self.catch_up(u64::MAX);
        value
    }
}

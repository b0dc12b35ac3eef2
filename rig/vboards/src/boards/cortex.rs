//! What boards with a Cortex-M have in common: the loop of core, chip and outside.

use crate::air::{Link, Message};
use crate::board::{Board, Statistics};
use crate::core::v7m::{Cpu, Step};
use crate::log::Log;
use crate::soc::{Chip, Outside};
use crate::trace::{Edge, Pin};
use std::collections::VecDeque;

/// A board with a Cortex-M.
pub struct CortexBoard<C: Chip> {
    pub cpu: Cpu,
    pub chip: C,
    pub board: u16,
    /// The USART that the board's serial adapter hangs on.
    pub console: usize,
    /// The core's clock stands still (Stop mode).
    stopped: bool,
}

impl<C: Chip> CortexBoard<C> {
    pub fn new(cpu: Cpu, chip: C, board: u16) -> CortexBoard<C> {
        CortexBoard {
            cpu,
            chip,
            board,
            console: 1,
            stopped: false,
        }
    }

    /// What is due by the core's present cycle happens, and the core sees the interrupt lines that follow.
    fn catch_up(&mut self) {
        self.chip.advance(self.cpu.cycles);
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
        let own = if self.stopped { None } else { self.cpu.next_event() };
        self.chip.next_event().min(own.unwrap_or(u64::MAX))
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
            self.catch_up();
            if let Some(text) = self.chip.fault() {
                return Err(text.to_string());
            }
            let until = self.chip.clock().tick_at(until_ps);
            if self.cpu.cycles >= until || self.chip.outside().has_messages() {
                return Ok(());
            }
            if self.cpu.sleeping() {
                let wake = self.wake_cycle();
                if wake >= until {
                    return Ok(());
                }
                let wake = wake.max(self.cpu.cycles);
                if self.stopped {
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
                Step::ResetRequested => {
                    self.chip.reset(self.cpu.cycles);
                    self.cpu.reset();
                }
                Step::Sleeping if self.cpu.sleep_deep() => self.stopped = self.chip.sleep_deep(self.cpu.cycles),
                _ => {}
            }
            if self.chip.fault().is_none() {
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
        if !self.cpu.sleeping() {
            return Some(self.local_ps());
        }
        match self.wake_cycle() {
            u64::MAX => None,
            cycle => Some(self.chip.clock().ps(cycle.max(self.cpu.cycles))),
        }
    }

    fn hear(&mut self, message: &Message, link: &Link) {
        self.chip.outside().hear(message, link);
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

    fn watch(&mut self, pin: Pin) {
        self.chip.watch(pin);
    }

    fn console(&self) -> usize {
        self.console
    }

    fn sent(&mut self, usart: usize) -> Option<&mut VecDeque<(u64, u8)>> {
        self.chip.sent(usart)
    }

    fn feed(&mut self, usart: usize, octets: &[u8], at_ps: u64) -> Result<(), String> {
        let cycle = self.chip.clock().tick_at(at_ps).max(self.cpu.cycles);
        if self.chip.feed(usart, octets, cycle) {
            Ok(())
        } else {
            Err(format!("board {} has no USART{}", self.board, usart))
        }
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

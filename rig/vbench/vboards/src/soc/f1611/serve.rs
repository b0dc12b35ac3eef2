//! Work that needs the memories, which are the core's: the flash controller and the DMA.

use super::dma::{Move, Trigger};
use super::flash::Work;
use super::{map, Outside, F1611};
use crate::core::msp430::{Cpu, Kind, PC};

/// A transfer takes two cycles of MCLK, one or two more to synchronise before it and one to wait after it (SLAU049F
/// 8.2.8): here one of each.
const TRANSFER_CYCLES: u64 = 2;
const AROUND_CYCLES: u64 = 2;

impl<O: Outside> F1611<O> {
    /// Does what waits for the memory. The core loses the cycles for which it is held.
    pub fn serve(&mut self, cpu: &mut Cpu) {
        if let Some((work, ticks)) = self.flash.work.take() {
            self.program(cpu, work, ticks);
        }
        while let Some((channel, trigger)) = self.dma.ready(|trigger| self.trigger_up(trigger)) {
            self.acknowledge(trigger);
            let count = self.dma.burst(channel);
            for _ in 0..count {
                let made = self.dma.step(channel);
                self.transfer(cpu, made);
            }
            if self.clocks.mclk_on() {
                cpu.cycles += AROUND_CYCLES + TRANSFER_CYCLES * u64::from(count);
            }
            self.update_requests();
            self.reschedule();
        }
    }

    fn program(&mut self, cpu: &mut Cpu, work: Work, ticks: u64) {
        match work {
            Work::Program { address, byte, value } => {
                let old = cpu.mem.word(address);
                match byte {
                    true => cpu.mem.set_byte(address, cpu.mem.byte(address) & value as u8),
                    false => cpu.mem.set_word(address, old & value),
                }
            }
            Work::Erase { first, last } => {
                for address in first..=last {
                    if cpu.mem.kind(address) == Kind::Flash {
                        cpu.mem.set_byte(address, 0xFF);
                    }
                }
            }
        }
        let (source, divider) = self.flash.generator();
        let now = self.clocks.ps(cpu.cycles);
        let until = match source {
            Some(source) => now + self.clocks.span_ps(source, ticks * divider, now),
            None => self.clocks.ps(cpu.cycles + ticks * divider),
        };
        if cpu.mem.kind(cpu.regs[PC]) == Kind::Flash {
            cpu.cycles = self.clocks.cycle_at(until);
        } else {
            self.flash.set_busy(until);
        }
        self.reschedule();
    }

    /// A flag that starts a transfer; one whose interrupt is enabled does not (SLAU049F table 8-2).
    fn trigger_up(&self, trigger: Trigger) -> bool {
        let enabled = |usart: usize, bit: [u8; 2]| self.enables[usart] & bit[usart] != 0;
        match trigger {
            Trigger::Timer(timer, block) => self.timers[timer].triggers(block),
            Trigger::UsartRx(usart) => self.usarts[usart].rx_flag && !enabled(usart, map::USART_RX_BIT),
            Trigger::UsartTx(usart) => self.usarts[usart].tx_flag && !enabled(usart, map::USART_TX_BIT),
            Trigger::Adc => self.adc.flagged() && !self.adc.request(),
            Trigger::Software | Trigger::Other => false,
        }
    }

    /// The transfer resets the flag that starts it.
    fn acknowledge(&mut self, trigger: Trigger) {
        match trigger {
            Trigger::Timer(timer, block) => self.timers[timer].acknowledge(block),
            Trigger::UsartRx(usart) => self.usarts[usart].rx_flag = false,
            Trigger::UsartTx(usart) => self.usarts[usart].tx_flag = false,
            _ => {}
        }
    }

    /// True if some transfer is due.
    pub(super) fn dma_waits(&self) -> bool {
        self.dma.ready(|trigger| self.trigger_up(trigger)).is_some()
    }

    fn transfer(&mut self, cpu: &mut Cpu, made: Move) {
        let ps = self.local_ps(cpu.cycles);
        let value = match cpu.mem.kind(made.from) {
            Kind::Device => self.read_register(made.from, made.from_byte, ps, cpu.regs[PC]),
            _ if made.from_byte => u16::from(cpu.mem.byte(made.from)),
            _ => cpu.mem.word(made.from),
        };
        let value = if made.from_byte || made.to_byte {
            value & 0xFF
        } else {
            value
        };
        match cpu.mem.kind(made.to) {
            Kind::Ram if made.to_byte => cpu.mem.set_byte(made.to, value as u8),
            Kind::Ram => cpu.mem.set_word(made.to, value),
            _ => self.write_register(made.to, made.to_byte, value, cpu.cycles, ps, cpu.regs[PC]),
        }
    }
}

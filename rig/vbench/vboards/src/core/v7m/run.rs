//! The run loop: fetch, IT blocks, and everything that must be looked at between two instructions.
//!
//! `Cpu::limit` is the cycle up to which instructions follow one another unwatched. Whatever needs attention (a device
//! access, a mask, a fault, sleep) sets it to 0, so the hot loop makes one comparison per instruction.

use super::decode16::{decode16, is_wide};
use super::decode32::decode32;
use super::fault::Trap;
use super::memory::{half_at, Place, RAM_OPS};
use super::ops::{Kind, Op, SET_FLAGS};
use super::{timing, Cpu, Sleep, Step};
use crate::bus::Bus;

impl Cpu {
    /// Runs until `cycles >= min(until_cycle, bus.horizon())`, sleep, fault or reset request.
    ///
    /// An instruction is never cut: `cycles` may exceed the limit by the length of one instruction or exception entry.
    pub fn run_until<B: Bus>(&mut self, bus: &mut B, until_cycle: u64) -> Step {
        self.pc = self.regs[15] & !1;
        let step = loop {
            if let Some(step) = self.before_instruction(bus, until_cycle) {
                break step;
            }
            while self.cycles < self.limit {
                self.one_instruction(bus);
            }
        };
        self.regs[15] = self.pc;
        step
    }

    /// One instruction or one exception entry, whatever the horizon.
    pub fn step<B: Bus>(&mut self, bus: &mut B) -> Step {
        self.pc = self.regs[15] & !1;
        self.look_at_bus(bus);
        let step = match self.ended() {
            Some(step) => step,
            None if self.take_exception(bus) => Step::Ran,
            None if self.sleep != Sleep::Awake => Step::Sleeping,
            None if !self.thumb => {
                let pc = self.pc;
                self.trap(bus, Trap::InvalidState, pc, self.it);
                self.ended().unwrap_or(Step::Ran)
            }
            None => {
                self.limit = u64::MAX;
                self.one_instruction(bus);
                self.ended().unwrap_or(Step::Ran)
            }
        };
        self.regs[15] = self.pc;
        step
    }

    /// Takes over what the chip's side changed.
    fn look_at_bus<B: Bus>(&mut self, bus: &mut B) {
        if bus.irq_changed() {
            self.set_irq_levels(bus.irq_levels());
        }
        let set = || u64::from(bus.flash_wait_states());
        self.fetch.wait_states = self.timing.flash_wait_states.unwrap_or_else(set);
        self.fetch.prefetch = self
            .timing
            .flash_prefetch
            .map_or_else(|| bus.flash_prefetch(), |set| set != 0);
        self.advance_systick();
    }

    /// Whether the core stands, for good or until it is acted upon; asking clears what is reported once.
    fn ended(&mut self) -> Option<Step> {
        if let Some(fault) = self.fault {
            return Some(Step::Fault(fault));
        }
        if self.reset_requested {
            return Some(Step::ResetRequested);
        }
        if self.halted {
            self.halted = false;
            return Some(Step::Breakpoint(self.breakpoint_number()));
        }
        None
    }

    fn breakpoint_number(&self) -> u8 {
        let mut code = [0];
        self.mem.read(self.pc, &mut code);
        code[0]
    }

    /// Everything between two instructions that `limit` stands for; None when the next one may run.
    fn before_instruction<B: Bus>(&mut self, bus: &mut B, until: u64) -> Option<Step> {
        loop {
            if let Some(step) = self.ended() {
                return Some(step);
            }
            if self.debug_stops() {
                return Some(Step::Halted);
            }
            let stop = until.min(bus.horizon());
            if self.cycles >= stop {
                return Some(Step::Ran);
            }
            self.look_at_bus(bus);
            if self.take_exception(bus) {
                continue;
            }
            if self.sleep != Sleep::Awake {
                return Some(Step::Sleeping);
            }
            if !self.thumb {
                let pc = self.pc;
                self.trap(bus, Trap::InvalidState, pc, self.it);
                continue;
            }
            self.limit = stop.min(self.systick.next_interrupt());
            if self.debug_single() {
                self.limit = self.limit.min(self.cycles + 1);
            }
            return None;
        }
    }

    /// Takes the exception that pre-empts, if one does; ends sleep if something does.
    fn take_exception<B: Bus>(&mut self, bus: &mut B) -> bool {
        if !self.dirty {
            return false;
        }
        self.dirty = false;
        if self.sleep != Sleep::Awake && self.wakes_now() {
            if self.sleep == Sleep::Event {
                self.event = false;
            }
            self.sleep = Sleep::Awake;
            self.cycles += timing::WAKE;
        }
        match self.preempting() {
            Some(exception) => {
                if !self.arrives_late(exception) {
                    self.enter_exception(bus, exception, self.pc);
                }
                true
            }
            None => false,
        }
    }

    /// One instruction; a trap becomes an exception entry.
    #[inline(always)]
    fn one_instruction<B: Bus>(&mut self, bus: &mut B) {
        let pc = self.pc;
        let index = (pc.wrapping_sub(self.mem.flash_base) >> 1) as usize;
        let mut op = match self.mem.ops.get(index) {
            Some(op) if op.kind != Kind::Undecoded => {
                let op = *op;
                if !self.fetch.holds(pc, u32::from(op.len)) {
                    self.cycles += self.fetch.fetch(pc, u32::from(op.len), self.cycles);
                }
                op
            }
            _ => match self.fetch_slowly(pc) {
                Ok(op) => op,
                Err(trap) => {
                    self.cycles += 1;
                    return self.trap(bus, trap, pc, self.it);
                }
            },
        };
        let it = self.it;
        (self.before, self.current) = (self.current, pc);
        self.regs[15] = pc.wrapping_add(4);
        self.pc = pc.wrapping_add(u32::from(op.len));
        self.cycles += 1;
        self.instructions += 1;
        if it != 0 {
            self.it = if it & 7 == 0 { 0 } else { it & 0xE0 | it << 1 & 0x1F };
            // BKPT is unconditional (DDI 0403E, A7.7.17).
            if !self.condition(it >> 4) && op.kind != Kind::Bkpt {
                return;
            }
            if op.len == 2 && !op.is_compare() {
                op.flags &= !SET_FLAGS;
            }
        }
        if let Err(trap) = self.execute(op, bus) {
            self.trap(bus, trap, pc, it);
        }
    }

    /// The instruction that ran before this one, if it is in the flash.
    #[inline(always)]
    pub(super) fn previous(&self) -> Op {
        let index = (self.before.wrapping_sub(self.mem.flash_base) >> 1) as usize;
        self.mem.ops.get(index).copied().unwrap_or(Op::UNDECODED)
    }

    /// An instruction that the hot loop does not find: not decoded yet, in the flash's alias, or in RAM.
    #[inline(never)]
    fn fetch_slowly(&mut self, pc: u32) -> Result<Op, Trap> {
        match self.mem.place(pc, 2) {
            Some(Place::Flash(offset)) => self.fetch_from_flash(offset),
            Some(place) => self.fetch_from_ram(place, pc),
            None if matches!(pc >> 29, 2 | 5..=7) => Err(Trap::ExecuteNever),
            None => Err(Trap::Fetch),
        }
    }

    fn fetch_from_flash(&mut self, offset: usize) -> Result<Op, Trap> {
        let mut op = self.mem.ops.get(offset / 2).copied().unwrap_or(Op::UNDECODED);
        if op.kind == Kind::Undecoded {
            op = self.decode(Place::Flash(offset))?;
            if let Some(cached) = self.mem.ops.get_mut(offset / 2) {
                *cached = op;
            }
        }
        let address = self.mem.flash_base.wrapping_add(offset as u32);
        self.cycles += self.fetch.fetch(address, u32::from(op.len), self.cycles);
        Ok(op)
    }

    /// RAM may change at any time: what was decoded counts only while the code is the same.
    fn fetch_from_ram(&mut self, place: Place, pc: u32) -> Result<Op, Trap> {
        let bytes = self.mem.bytes(place);
        let first = half_at(bytes, 0).ok_or(Trap::Fetch)?;
        let code = u32::from(first) << 16 | u32::from(half_at(bytes, 2).unwrap_or(0));
        let slot = (pc >> 1) as usize % RAM_OPS;
        if let Some(&(decoded, op)) = self.mem.ram_ops.get(slot) {
            if decoded == code && op.kind != Kind::Undecoded {
                return Ok(op);
            }
        }
        let op = self.decode(place)?;
        if let Some(cached) = self.mem.ram_ops.get_mut(slot) {
            *cached = (code, op);
        }
        Ok(op)
    }

    fn decode(&self, place: Place) -> Result<Op, Trap> {
        let bytes = self.mem.bytes(place);
        let first = half_at(bytes, 0).ok_or(Trap::Fetch)?;
        Ok(if is_wide(first) {
            decode32(first, half_at(bytes, 2).ok_or(Trap::Fetch)?, &self.model)
        } else {
            decode16(first)
        })
    }
}

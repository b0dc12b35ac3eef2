//! Exceptions: which one goes next, entry, return, tail-chaining, faults and their escalation (ARM DDI 0403E, B1.5).

use super::fault::{Fault, FaultKind, Trap};
use super::float::{FLOAT_FRAME_BYTES, FPCA};
use super::memory::word_at;
use super::nvic::*;
use super::registers::{NPRIV, SPSEL};
use super::scb::*;
use super::Cpu;
use crate::bus::{Bus, Width};

/// Frame without floating point: R0..R3, R12, LR, return address, xPSR.
const FRAME_BYTES: u32 = 32;
/// xPSR bit 9 in a frame: SP was not a multiple of eight, four bytes were left out.
const FRAME_PADDED: u32 = 1 << 9;
/// EXC_RETURN bit 4: the frame has no floating-point state.
const RETURN_BASIC: u32 = 1 << 4;

fn frame_bytes(float: bool) -> u32 {
    FRAME_BYTES + if float { FLOAT_FRAME_BYTES } else { 0 }
}

impl Cpu {
    /// Makes the run loop look at interrupts, masks and sleep before the next instruction.
    #[inline(always)]
    pub(super) fn attend(&mut self) {
        self.dirty = true;
        self.limit = 0;
    }

    pub(super) fn pend(&mut self, exception: u16) {
        if self.nvic.pend(exception) {
            self.event |= self.scb.scr & SCR_SEVONPEND != 0;
        }
        self.attend();
    }

    /// Priority that an exception must beat to be taken; `masked` false leaves PRIMASK out, as WFI does.
    pub(super) fn execution_priority(&self, masked: bool) -> i16 {
        let mut priority = self.nvic.active_priority();
        if self.basepri != 0 {
            priority = priority.min(self.nvic.group_priority(i16::from(self.basepri)));
        }
        if masked && self.primask {
            priority = priority.min(0);
        }
        if self.faultmask {
            priority = priority.min(-1);
        }
        priority
    }

    /// The pending exception that pre-empts now.
    pub(super) fn preempting(&self) -> Option<u16> {
        match self.nvic.strongest_pending() {
            Some((exception, priority)) if priority < self.execution_priority(true) && !self.debug.masks(exception) => {
                Some(exception)
            }
            _ => None,
        }
    }

    /// Whether something ends a WFI: as pre-emption, whatever PRIMASK contains (B1.5.19).
    pub(super) fn wakes(&self) -> bool {
        match self.nvic.strongest_pending() {
            Some((_, priority)) => priority < self.execution_priority(false),
            None => false,
        }
    }

    /// Stacks a frame and starts the handler; `return_to` is where the handler returns.
    pub(super) fn enter_exception<B: Bus>(&mut self, bus: &mut B, exception: u16, return_to: u32) {
        let psr = self.xpsr();
        let sp = self.regs[13];
        let float = self.control & FPCA != 0;
        let padded = (float || self.scb.ccr & CCR_STKALIGN != 0) && sp & 4 != 0;
        let frame = sp.wrapping_sub(frame_bytes(float)) & if padded { !7 } else { !3 };
        let r = self.regs;
        let words = [
            r[0],
            r[1],
            r[2],
            r[3],
            r[12],
            r[14],
            return_to,
            psr | if padded { FRAME_PADDED } else { 0 },
        ];
        self.regs[13] = frame;
        let now = self.cycles;
        let mut stacked = true;
        for (offset, word) in (0..).step_by(4).zip(words) {
            stacked &= self.store(bus, frame.wrapping_add(offset), Width::Word, word).is_ok();
        }
        // The entry's cycles are charged as a whole; what the RAM accesses of the frame cost is among them.
        self.cycles = now + self.timing.exception_entry;
        let mut failure = if stacked { 0 } else { CFSR_STKERR };
        if float {
            failure |= self.push_float(bus, frame.wrapping_add(FRAME_BYTES));
        }
        let kind = match (self.ipsr != 0, self.control & SPSEL != 0) {
            (true, _) => 0xFFFF_FFF1,
            (false, false) => 0xFFFF_FFF9,
            (false, true) => 0xFFFF_FFFD,
        };
        self.regs[14] = if float { kind & !RETURN_BASIC } else { kind };
        self.start_handler(exception);
        self.entered_at = self.instructions;
        if failure != 0 {
            self.stacking_failed(failure, frame);
        }
    }

    /// A stronger exception arrives while a weaker one is being entered: it takes the frame over, and the weaker one
    /// pends again (B1.5.12). True if that is what `exception` does. Within the entry it is unknown when exactly it
    /// arrived, so the new vector fetch costs as much as a tail-chained one, its most [E].
    pub(super) fn arrives_late(&mut self, exception: u16) -> bool {
        if self.entered_at != self.instructions || self.ipsr == 0 {
            return false;
        }
        let weaker = self.ipsr;
        self.nvic.deactivate(weaker);
        self.nvic.pend(weaker);
        self.cycles += self.timing.tail_chain;
        self.start_handler(exception);
        true
    }

    /// A frame could not be written or read: a derived BusFault (of the floating-point part, where CPACR denies access,
    /// UsageFault), or HardFault, or lockup (B1.5.15).
    fn stacking_failed(&mut self, reason: u32, frame: u32) {
        self.scb.cfsr |= reason;
        let (fault, enabled) = if reason == CFSR_NOCP {
            (USAGE_FAULT, SHCSR_USGFAULTENA)
        } else {
            self.last_bus_fault = Some((frame, self.pc));
            (BUS_FAULT, SHCSR_BUSFAULTENA)
        };
        if self.execution_priority(true) <= -1 {
            self.lock_up(FaultKind::Lockup, Some(frame));
        } else if self.scb.shcsr & enabled != 0 && self.nvic.preemption_priority(fault) < self.execution_priority(true)
        {
            self.pend(fault);
        } else {
            self.scb.hfsr |= HFSR_FORCED;
            self.pend(HARD_FAULT);
        }
    }

    /// What entry and tail-chaining share: the new mode and the vector.
    fn start_handler(&mut self, exception: u16) {
        self.nvic.activate(exception);
        self.it = 0;
        self.change_mode(exception, self.control & !(SPSEL | FPCA));
        self.exclusive = false;
        self.event = true;
        let address = self.scb.vtor.wrapping_add(4 * u32::from(exception));
        let offset = address.wrapping_sub(self.mem.flash_base) as usize;
        self.cycles += self.fetch.data_read(offset, self.cycles);
        match self
            .mem
            .place(address, 4)
            .and_then(|place| word_at(self.mem.bytes(place), 0))
        {
            Some(vector) => {
                self.pc = vector & !1;
                self.thumb = vector & 1 != 0;
            }
            None => {
                self.scb.hfsr |= HFSR_VECTTBL;
                self.lock_up(FaultKind::Vector(exception), Some(address));
            }
        }
        self.load_end = 0;
    }

    /// BX, POP or LDR to PC of an EXC_RETURN value in handler mode.
    pub(super) fn exception_return<B: Bus>(&mut self, bus: &mut B, value: u32) -> Result<(), Trap> {
        let ending = self.ipsr;
        let to_thread = value & 8 != 0;
        let nested = self.nvic.several_active();
        let base_allowed = self.scb.ccr & CCR_NONBASETHRDENA != 0;
        let basic = if self.model.fpu { value | RETURN_BASIC } else { value };
        let well_formed = match basic {
            0xFFFF_FFF1 => nested,
            0xFFFF_FFF9 | 0xFFFF_FFFD => !nested || base_allowed,
            _ => false,
        };
        if !well_formed || !self.nvic.is_active(ending) {
            self.nvic.deactivate(ending);
            return Err(Trap::InvalidReturn);
        }
        self.nvic.deactivate(ending);
        if ending != NMI {
            self.faultmask = false;
        }
        self.event = true;
        self.exclusive = false;
        if let Some(next) = self.preempting() {
            // Tail-chaining: the frame stays where it is.
            self.regs[14] = value;
            self.cycles += self.timing.tail_chain;
            self.start_handler(next);
            self.entered_at = self.instructions;
            return Ok(());
        }
        // The handler ran on the main stack; which one holds the frame is said by the value.
        let float = basic != value;
        let process_stack = basic == 0xFFFF_FFFD;
        let control =
            self.control & !(SPSEL | FPCA) | if process_stack { SPSEL } else { 0 } | if float { FPCA } else { 0 };
        let frame = if process_stack { self.psp() } else { self.msp() };
        let now = self.cycles;
        let mut words = [0u32; 8];
        let mut unstacked = true;
        for (offset, word) in (0..).step_by(4).zip(&mut words) {
            match self.load(bus, frame.wrapping_add(offset), Width::Word) {
                Ok(value) => *word = value,
                Err(_) => unstacked = false,
            }
        }
        self.cycles = now + self.timing.exception_return;
        let mut failure = if unstacked { 0 } else { CFSR_UNSTKERR };
        if float {
            let privileged = !to_thread || control & NPRIV == 0;
            failure |= self.pop_float(bus, frame.wrapping_add(FRAME_BYTES), privileged);
        }
        let psr = words[7];
        if failure != 0 {
            self.nvic.activate(ending);
            self.stacking_failed(failure, frame);
            return Ok(());
        }
        if to_thread != (psr & 0x1FF == 0) {
            return Err(Trap::InvalidReturn);
        }
        self.regs[..4].copy_from_slice(&words[..4]);
        self.regs[12] = words[4];
        self.change_mode((psr & 0x1FF) as u16, control);
        self.regs[13] = (frame.wrapping_add(frame_bytes(float))) | if psr & FRAME_PADDED != 0 { 4 } else { 0 };
        self.regs[14] = words[5];
        self.set_apsr(psr);
        self.it = ((psr >> 25 & 3) | (psr >> 8 & 0xFC)) as u8;
        self.thumb = psr >> 24 & 1 != 0;
        self.pc = words[6] & !1;
        if to_thread && self.scb.scr & SCR_SLEEPONEXIT != 0 {
            self.sleep = super::Sleep::Interrupt;
        }
        self.attend();
        Ok(())
    }

    /// An instruction at `pc` did not complete: enters the exception it causes.
    #[cold]
    #[inline(never)]
    pub(super) fn trap<B: Bus>(&mut self, bus: &mut B, trap: Trap, pc: u32, it: u8) {
        if trap == Trap::Breakpoint && self.debug_takes_breakpoint() {
            (self.pc, self.it) = (pc, it);
            return;
        }
        if trap == Trap::Breakpoint && self.halt_on_bkpt {
            self.pc = pc;
            self.it = it;
            self.halted = true;
            self.limit = 0;
            return;
        }
        let (exception, reason) = match trap {
            Trap::Undefined => (USAGE_FAULT, CFSR_UNDEFINSTR),
            Trap::InvalidState => (USAGE_FAULT, CFSR_INVSTATE),
            Trap::InvalidReturn => (USAGE_FAULT, CFSR_INVPC),
            Trap::Coprocessor => (USAGE_FAULT, CFSR_NOCP),
            Trap::Unaligned => (USAGE_FAULT, CFSR_UNALIGNED),
            Trap::DivideByZero => (USAGE_FAULT, CFSR_DIVBYZERO),
            Trap::Bus(_) => (BUS_FAULT, CFSR_PRECISERR | CFSR_BFARVALID),
            Trap::Stacking(_) => (BUS_FAULT, CFSR_LSPERR),
            Trap::Fetch => (BUS_FAULT, CFSR_IBUSERR),
            Trap::ExecuteNever => (MEM_MANAGE, CFSR_IACCVIOL),
            Trap::Svc => (SVCALL, 0),
            Trap::Breakpoint => (HARD_FAULT, 0),
        };
        let mut address = None;
        if let Trap::Bus(accessed) | Trap::Stacking(accessed) = trap {
            address = Some(accessed);
            if trap == Trap::Bus(accessed) {
                self.scb.bfar = accessed;
            }
        }
        if matches!(trap, Trap::Bus(_) | Trap::Fetch | Trap::ExecuteNever) {
            self.last_bus_fault = Some((address.unwrap_or(pc), pc));
        }
        self.scb.cfsr |= reason;
        let return_to = if trap == Trap::Svc { self.pc } else { pc };
        if trap != Trap::Svc {
            self.it = it;
            self.pc = pc;
        }
        let priority = self.execution_priority(true);
        let enabled = match exception {
            MEM_MANAGE => self.scb.shcsr & SHCSR_MEMFAULTENA != 0,
            BUS_FAULT => self.scb.shcsr & SHCSR_BUSFAULTENA != 0,
            USAGE_FAULT => self.scb.shcsr & SHCSR_USGFAULTENA != 0,
            _ => true,
        };
        if enabled && self.nvic.preemption_priority(exception) < priority {
            return self.enter_exception(bus, exception, return_to);
        }
        if priority <= -1 {
            return self.lock_up(FaultKind::Lockup, address);
        }
        self.scb.hfsr |= if trap == Trap::Breakpoint {
            HFSR_DEBUGEVT
        } else {
            HFSR_FORCED
        };
        self.enter_exception(bus, HARD_FAULT, return_to);
        self.debug_hard_fault();
    }

    /// The core stops; only a reset helps. `self.pc` is the instruction.
    pub(super) fn lock_up(&mut self, kind: FaultKind, address: Option<u32>) {
        let (pc, cycle, exception) = (self.pc, self.cycles, self.ipsr);
        let (cfsr, hfsr) = (self.scb.cfsr, self.scb.hfsr);
        self.fault = Some(Fault {
            kind,
            pc,
            address,
            cfsr,
            hfsr,
            exception,
            cycle,
        });
        self.limit = 0;
    }
}

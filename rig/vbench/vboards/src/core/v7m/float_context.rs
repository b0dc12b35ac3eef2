//! Floating-point contexts: access control, a new context, its place in an exception frame, lazy preservation (ARM DDI
//! 0403E, sections B1.5.6, B1.5.7, B3.2.20).

use super::fault::Trap;
use super::float::*;
use super::scb::{CFSR_LSPERR, CFSR_NOCP, CFSR_STKERR, CFSR_UNSTKERR};
use super::Cpu;
use crate::bus::{Bus, Width};

impl Cpu {
    /// Whether CPACR lets a mode at coprocessor 10 (11 must be alike).
    fn may_use_float(&self, privileged: bool) -> bool {
        match self.float.cpacr >> 20 & 3 {
            1 => privileged,
            3 => true,
            _ => false,
        }
    }

    /// CheckVFPEnabled.
    pub(super) fn check_float_access(&self) -> Result<(), Trap> {
        match self.may_use_float(self.privileged()) {
            true => Ok(()),
            false => Err(Trap::Coprocessor),
        }
    }

    /// ExecuteFPCheck but for the access: the pending preservation of an interrupted context, a new context.
    pub(super) fn begin_float<B: Bus>(&mut self, bus: &mut B) -> Result<(), Trap> {
        if self.float.fpccr & FPCCR_LSPACT != 0 {
            self.preserve_float(bus)?;
        }
        if self.float.fpccr & FPCCR_ASPEN != 0 && self.control & FPCA == 0 {
            self.float.fpscr = self.float.fpscr & !FPDSCR_WRITABLE | self.float.fpdscr;
            self.control |= FPCA;
        }
        Ok(())
    }

    /// Lazy preservation: the state of the interrupted context goes to its frame.
    fn preserve_float<B: Bus>(&mut self, bus: &mut B) -> Result<(), Trap> {
        let frame = self.float.fpcar;
        let stored = self.store_float(bus, frame);
        self.float.fpccr &= !FPCCR_LSPACT;
        if !stored {
            self.scb.cfsr |= CFSR_LSPERR;
            return Err(Trap::Stacking(frame));
        }
        Ok(())
    }

    /// The floating-point part of a new exception frame (PushStack): the registers, or room for them. Gives the bits
    /// of CFSR that show what went wrong.
    pub(super) fn push_float<B: Bus>(&mut self, bus: &mut B, at: u32) -> u32 {
        if self.float.fpccr & FPCCR_LSPEN != 0 {
            self.defer_float(at);
            0
        } else if !self.may_use_float(self.privileged()) {
            CFSR_NOCP
        } else if !self.store_float(bus, at) {
            CFSR_STKERR
        } else {
            0
        }
    }

    /// The floating-point part of a frame that is left (PopStack), for a mode that is `privileged`; as `push_float`.
    pub(super) fn pop_float<B: Bus>(&mut self, bus: &mut B, at: u32, privileged: bool) -> u32 {
        if self.float.fpccr & FPCCR_LSPACT != 0 {
            // The registers were not used: they are as they were.
            self.float.fpccr &= !FPCCR_LSPACT;
            0
        } else if !self.may_use_float(privileged) {
            CFSR_NOCP
        } else if !self.load_float(bus, at) {
            CFSR_UNSTKERR
        } else {
            0
        }
    }

    /// S0..S15 and FPSCR to memory; false if a store failed.
    fn store_float<B: Bus>(&mut self, bus: &mut B, at: u32) -> bool {
        let now = self.cycles;
        let mut stored = true;
        let words = (0..16).map(|i| self.float.s[i]).chain([self.float.fpscr]);
        let words: Vec<u32> = words.collect();
        for (offset, word) in (0..).step_by(4).zip(words) {
            stored &= self.store(bus, at.wrapping_add(offset), Width::Word, word).is_ok();
        }
        self.cycles = now + self.timing.float_stacking;
        stored
    }

    /// S0..S15 and FPSCR from memory; false if a load failed.
    fn load_float<B: Bus>(&mut self, bus: &mut B, at: u32) -> bool {
        let now = self.cycles;
        let mut loaded = true;
        for register in 0..17 {
            match self.load(bus, at.wrapping_add(4 * register), Width::Word) {
                Ok(word) if register == 16 => self.set_fpscr(word),
                Ok(word) => self.set_s(register as u8, word),
                Err(_) => loaded = false,
            }
        }
        self.cycles = now + self.timing.float_stacking;
        loaded
    }

    /// An exception frame at `frame` has room for floating-point state, which follows when it is needed.
    fn defer_float(&mut self, frame: u32) {
        let thread = if self.ipsr == 0 { FPCCR_THREAD } else { 0 };
        let user = if self.privileged() { 0 } else { FPCCR_USER };
        self.float.fpcar = frame;
        self.float.fpccr = self.float.fpccr & (FPCCR_ASPEN | FPCCR_LSPEN) | thread | user | FPCCR_LSPACT;
    }
}

//! Branches, IT, and the system instructions.

use super::fault::Trap;
use super::ops::*;
use super::{Cpu, Sleep};
use crate::bus::{Bus, Width};

/// Code from here on is fetched over the system bus (ARMv7-M ARM B3.1, M3 TRM 5.6).
const SYSTEM_BUS: u32 = 0x2000_0000;

impl Cpu {
    /// Whether condition code `code` (0..=15) holds.
    #[inline(always)]
    pub(super) fn condition(&self, code: u8) -> bool {
        let holds = match code >> 1 {
            0 => self.z,
            1 => self.c,
            2 => self.n,
            3 => self.v,
            4 => self.c && !self.z,
            5 => self.n == self.v,
            6 => !self.z && self.n == self.v,
            _ => return true,
        };
        holds != (code & 1 != 0)
    }

    #[inline(always)]
    fn branch(&mut self, target: u32, refill: u64) {
        self.pc = target & !1;
        self.cycles += self.fetch.branch(self.cycles) + refill;
        if self.pc >= SYSTEM_BUS {
            self.cycles += self.timing.refill_ram;
        }
    }

    /// A branch whose target is known while it is decoded: the fetch starts a cycle earlier.
    #[inline(always)]
    fn branch_decoded(&mut self, target: u32) {
        self.branch(target, self.timing.refill_decoded);
    }

    /// BX, and loads to PC: bit 0 is the instruction set; in handler mode some values mean the end of an exception.
    pub(super) fn branch_exchange<B: Bus>(&mut self, target: u32, bus: &mut B) -> Result<(), Trap> {
        if target >= 0xF000_0000 && self.ipsr != 0 {
            return self.exception_return(bus, target);
        }
        self.set_instruction_set(target);
        self.branch(target, self.timing.refill);
        Ok(())
    }

    #[inline(always)]
    fn set_instruction_set(&mut self, target: u32) {
        if target & 1 == 0 {
            self.thumb = false;
            self.limit = 0;
        }
    }

    #[inline(always)]
    pub(super) fn execute_control<B: Bus>(&mut self, op: Op, bus: &mut B) -> Result<(), Trap> {
        match op.kind {
            Kind::B => self.branch_decoded(self.regs[15].wrapping_add(op.imm)),
            Kind::BCond => {
                if self.condition(op.x) {
                    self.branch_decoded(self.regs[15].wrapping_add(op.imm));
                }
            }
            Kind::Cbz | Kind::Cbnz => {
                if (self.r(op.n) == 0) == (op.kind == Kind::Cbz) {
                    self.branch(self.regs[15].wrapping_add(op.imm), self.timing.refill);
                }
            }
            Kind::Bl => {
                self.regs[14] = self.pc | 1;
                self.branch_decoded(self.regs[15].wrapping_add(op.imm));
            }
            Kind::Bx => return self.branch_exchange(self.r(op.m), bus),
            Kind::Blx => {
                let target = self.r(op.m);
                self.regs[14] = self.pc | 1;
                self.set_instruction_set(target);
                self.branch(target, self.timing.refill);
            }
            Kind::AddPc => self.branch(self.regs[15].wrapping_add(self.r(op.m)), self.timing.refill),
            Kind::MovPc => self.branch(self.r(op.m), self.timing.refill),
            Kind::Tbb | Kind::Tbh => self.table_branch(op, bus)?,
            Kind::It => {
                self.it = op.imm as u8;
                if self.previous().len == 2 {
                    self.cycles -= self.timing.it_folds;
                }
            }
            Kind::Nop => {}
            _ if op.is_dsp() => return self.execute_dsp(op),
            _ if op.kind as u8 >= Kind::Vundefined as u8 => return self.execute_float(op, bus),
            _ => return self.execute_system(op),
        }
        Ok(())
    }

    fn table_branch<B: Bus>(&mut self, op: Op, bus: &mut B) -> Result<(), Trap> {
        let (base, index) = (self.r(op.n), self.r(op.m));
        self.cycles += self.timing.table_branch;
        let halfwords = if op.kind == Kind::Tbb {
            self.load(bus, base.wrapping_add(index), Width::Byte)?
        } else {
            self.load(bus, base.wrapping_add(index << 1), Width::Half)?
        };
        self.branch(self.regs[15].wrapping_add(2 * halfwords), 0);
        Ok(())
    }

    #[inline(never)]
    fn execute_system(&mut self, op: Op) -> Result<(), Trap> {
        match op.kind {
            Kind::Svc => return Err(Trap::Svc),
            Kind::Bkpt => return Err(Trap::Breakpoint),
            Kind::Coprocessor => return Err(Trap::Coprocessor),
            Kind::Wfi => self.fall_asleep(Sleep::Interrupt),
            Kind::Wfe if self.event => self.event = false,
            Kind::Wfe => self.fall_asleep(Sleep::Event),
            Kind::Sev => self.event = true,
            Kind::Cps => self.change_masks(op.imm),
            Kind::Mrs => {
                let value = self.read_special(op.imm);
                self.set_r(op.d, value);
                self.cycles += self.timing.special_register;
            }
            Kind::Msr => {
                self.write_special(op.imm, op.x, self.r(op.n));
                self.cycles += self.timing.special_register;
            }
            Kind::Dmb => self.drain_buffer(),
            Kind::Isb => {
                self.drain_buffer();
                self.cycles += self.timing.refill;
            }
            Kind::Clrex => self.exclusive = false,
            _ => return Err(Trap::Undefined),
        }
        Ok(())
    }

    fn fall_asleep(&mut self, how: Sleep) {
        self.sleep = how;
        self.attend();
    }
}

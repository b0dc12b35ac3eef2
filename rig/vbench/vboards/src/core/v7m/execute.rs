//! Executes one decoded instruction: data processing here, loads and stores in `loadstore`, the rest in `control`.

use super::alu::*;
use super::fault::Trap;
use super::ops::*;
use super::{timing, Cpu};
use crate::bus::Bus;

impl Cpu {
    #[inline(always)]
    pub(super) fn r(&self, register: u8) -> u32 {
        self.regs[usize::from(register & 15)]
    }

    /// Sets a register that is not PC; SP keeps its two low bits clear.
    #[inline(always)]
    pub(super) fn set_r(&mut self, register: u8, value: u32) {
        let mask = if register == 13 { !3 } else { !0 };
        self.regs[usize::from(register & 15)] = value & mask;
    }

    #[inline(always)]
    fn immediate(&self, op: Op) -> (u32, bool) {
        (
            op.imm,
            if op.flags & HAS_CARRY != 0 {
                op.flags & CARRY != 0
            } else {
                self.c
            },
        )
    }

    #[inline(always)]
    fn shifted(&self, op: Op) -> (u32, bool) {
        shift_c(self.r(op.m), op.s, op.x, self.c)
    }

    #[inline(always)]
    fn set_nz(&mut self, value: u32) {
        self.n = value >> 31 != 0;
        self.z = value == 0;
    }

    /// Result of a logical operation: N and Z from it, C from the shifter.
    #[inline(always)]
    fn logic(&mut self, op: Op, value: u32, carry: bool) {
        self.set_r(op.d, value);
        if op.flags & SET_FLAGS != 0 {
            self.set_nz(value);
            self.c = carry;
        }
    }

    /// TST, TEQ.
    #[inline(always)]
    fn test(&mut self, value: u32, carry: bool) {
        self.set_nz(value);
        self.c = carry;
    }

    /// Result of an addition, or of a subtraction as the addition of the complement.
    #[inline(always)]
    fn sum(&mut self, op: Op, a: u32, b: u32, carry_in: bool) {
        let (value, carry, overflow) = add_with_carry(a, b, carry_in);
        self.set_r(op.d, value);
        if op.flags & SET_FLAGS != 0 {
            self.set_nz(value);
            self.c = carry;
            self.v = overflow;
        }
    }

    /// CMP, CMN.
    #[inline(always)]
    fn compare(&mut self, a: u32, b: u32, carry_in: bool) {
        let (value, carry, overflow) = add_with_carry(a, b, carry_in);
        self.set_nz(value);
        self.c = carry;
        self.v = overflow;
    }

    #[inline(always)]
    pub(super) fn execute<B: Bus>(&mut self, op: Op, bus: &mut B) -> Result<(), Trap> {
        let (imm, imm_carry) = self.immediate(op);
        match op.kind {
            Kind::AndImm => self.logic(op, self.r(op.n) & imm, imm_carry),
            Kind::BicImm => self.logic(op, self.r(op.n) & !imm, imm_carry),
            Kind::OrrImm => self.logic(op, self.r(op.n) | imm, imm_carry),
            Kind::OrnImm => self.logic(op, self.r(op.n) | !imm, imm_carry),
            Kind::EorImm => self.logic(op, self.r(op.n) ^ imm, imm_carry),
            Kind::MovImm => self.logic(op, imm, imm_carry),
            Kind::MvnImm => self.logic(op, !imm, imm_carry),
            Kind::TstImm => self.test(self.r(op.n) & imm, imm_carry),
            Kind::TeqImm => self.test(self.r(op.n) ^ imm, imm_carry),
            Kind::AddImm => self.sum(op, self.r(op.n), imm, false),
            Kind::AdcImm => self.sum(op, self.r(op.n), imm, self.c),
            Kind::SbcImm => self.sum(op, self.r(op.n), !imm, self.c),
            Kind::SubImm => self.sum(op, self.r(op.n), !imm, true),
            Kind::RsbImm => self.sum(op, imm, !self.r(op.n), true),
            Kind::CmnImm => self.compare(self.r(op.n), imm, false),
            Kind::CmpImm => self.compare(self.r(op.n), !imm, true),
            Kind::AndReg
            | Kind::BicReg
            | Kind::OrrReg
            | Kind::OrnReg
            | Kind::EorReg
            | Kind::MovReg
            | Kind::MvnReg
            | Kind::TstReg
            | Kind::TeqReg => self.logic_register(op),
            Kind::AddReg => self.sum(op, self.r(op.n), self.shifted(op).0, false),
            Kind::AdcReg => self.sum(op, self.r(op.n), self.shifted(op).0, self.c),
            Kind::SbcReg => self.sum(op, self.r(op.n), !self.shifted(op).0, self.c),
            Kind::SubReg => self.sum(op, self.r(op.n), !self.shifted(op).0, true),
            Kind::RsbReg => self.sum(op, self.shifted(op).0, !self.r(op.n), true),
            Kind::CmnReg => self.compare(self.r(op.n), self.shifted(op).0, false),
            Kind::CmpReg => self.compare(self.r(op.n), !self.shifted(op).0, true),
            Kind::ShiftByReg => {
                let (value, carry) = shift_c(self.r(op.n), op.s, self.r(op.m) as u8, self.c);
                self.logic(op, value, carry);
            }
            Kind::Movt => self.set_r(op.d, self.r(op.d) & 0xFFFF | op.imm << 16),
            Kind::Adr => self.set_r(op.d, (self.regs[15] & !3).wrapping_add(op.imm)),
            Kind::Mul
            | Kind::Mla
            | Kind::Mls
            | Kind::Umull
            | Kind::Smull
            | Kind::Umlal
            | Kind::Smlal
            | Kind::Udiv
            | Kind::Sdiv => return self.multiply(op),
            Kind::Bfi => {
                let mask = field_mask(op.x, op.imm);
                let source = if op.n == 15 { 0 } else { self.r(op.n) };
                self.set_r(op.d, self.r(op.d) & !mask | source << op.x & mask);
            }
            Kind::Ubfx => self.set_r(op.d, self.r(op.n) >> op.x & field_mask(0, op.imm)),
            Kind::Sbfx => {
                let left = 32u32.saturating_sub(u32::from(op.x) + op.imm);
                let value = ((self.r(op.n) << left) as i32) >> (32 - op.imm);
                self.set_r(op.d, value as u32);
            }
            Kind::Ssat | Kind::Usat => self.saturate(op),
            Kind::Sxtb => self.set_r(op.d, self.rotated(op) as i8 as u32),
            Kind::Sxth => self.set_r(op.d, self.rotated(op) as i16 as u32),
            Kind::Uxtb => self.set_r(op.d, self.rotated(op) & 0xFF),
            Kind::Uxth => self.set_r(op.d, self.rotated(op) & 0xFFFF),
            Kind::Rev => self.set_r(op.d, self.r(op.m).swap_bytes()),
            Kind::Rev16 => self.set_r(op.d, self.r(op.m).swap_bytes().rotate_left(16)),
            Kind::Revsh => self.set_r(op.d, (self.r(op.m) as u16).swap_bytes() as i16 as u32),
            Kind::Rbit => self.set_r(op.d, self.r(op.m).reverse_bits()),
            Kind::Clz => self.set_r(op.d, self.r(op.m).leading_zeros()),
            _ => return self.execute_memory(op, bus),
        }
        Ok(())
    }

    #[inline(always)]
    fn rotated(&self, op: Op) -> u32 {
        self.r(op.m).rotate_right(u32::from(op.x))
    }

    #[inline(always)]
    fn logic_register(&mut self, op: Op) {
        let (b, carry) = self.shifted(op);
        let a = self.r(op.n);
        match op.kind {
            Kind::AndReg => self.logic(op, a & b, carry),
            Kind::BicReg => self.logic(op, a & !b, carry),
            Kind::OrrReg => self.logic(op, a | b, carry),
            Kind::OrnReg => self.logic(op, a | !b, carry),
            Kind::EorReg => self.logic(op, a ^ b, carry),
            Kind::MovReg => self.logic(op, b, carry),
            Kind::MvnReg => self.logic(op, !b, carry),
            Kind::TstReg => self.test(a & b, carry),
            _ => self.test(a ^ b, carry),
        }
    }

    fn saturate(&mut self, op: Op) {
        let value = shift_c(self.r(op.n), op.s, op.x, false).0 as i32;
        let (result, saturated) = match op.kind {
            Kind::Ssat => signed_saturate(value, op.imm),
            _ => unsigned_saturate(value, op.imm),
        };
        self.set_r(op.d, result);
        self.q |= saturated;
    }

    #[inline(always)]
    fn multiply(&mut self, op: Op) -> Result<(), Trap> {
        let (a, b) = (self.r(op.n), self.r(op.m));
        let signed = |v: u32| i64::from(v as i32);
        match op.kind {
            Kind::Mul => {
                let value = a.wrapping_mul(b);
                self.set_r(op.d, value);
                if op.flags & SET_FLAGS != 0 {
                    self.set_nz(value);
                }
            }
            Kind::Mla | Kind::Mls => {
                let product = a.wrapping_mul(b);
                let product = if op.kind == Kind::Mla {
                    product
                } else {
                    product.wrapping_neg()
                };
                self.set_r(op.d, self.r(op.x).wrapping_add(product));
                self.cycles += self.timing.multiply_accumulate;
            }
            Kind::Udiv | Kind::Sdiv => self.divide(op, a, b)?,
            Kind::Umull => self.set_long(op, u64::from(a) * u64::from(b), false),
            Kind::Smull => self.set_long(op, (signed(a) * signed(b)) as u64, false),
            Kind::Umlal => self.set_long(op, (u64::from(a) * u64::from(b)).wrapping_add(self.long(op)), true),
            _ => self.set_long(op, ((signed(a) * signed(b)) as u64).wrapping_add(self.long(op)), true),
        }
        Ok(())
    }

    fn long(&self, op: Op) -> u64 {
        u64::from(self.r(op.x)) << 32 | u64::from(self.r(op.d))
    }

    fn set_long(&mut self, op: Op, value: u64, accumulate: bool) {
        self.cycles += self.timing.long_multiply(self.r(op.n), self.r(op.m), accumulate);
        self.set_r(op.d, value as u32);
        self.set_r(op.x, (value >> 32) as u32);
    }

    fn divide(&mut self, op: Op, a: u32, b: u32) -> Result<(), Trap> {
        if b == 0 && self.scb.ccr & super::scb::CCR_DIV_0_TRP != 0 {
            return Err(Trap::DivideByZero);
        }
        let (quotient, size) = if op.kind == Kind::Udiv {
            (a.checked_div(b).unwrap_or(0), (a, b))
        } else {
            let (a, b) = (a as i32, b as i32);
            let quotient = if b == 0 { 0 } else { a.wrapping_div(b) };
            (quotient as u32, (a.unsigned_abs(), b.unsigned_abs()))
        };
        self.cycles += timing::divide_extra(size.0, size.1);
        self.set_r(op.d, quotient);
        Ok(())
    }
}

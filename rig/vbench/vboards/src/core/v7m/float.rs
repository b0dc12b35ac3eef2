//! The floating-point extension FPv4-SP: registers and instructions (ARM DDI 0403E, sections A7.7.222 on, B3.2.20 to
//! B3.2.24).

use super::fault::Trap;
use super::ops::*;
use super::softfloat::Environment;
use super::{timing, Cpu};
use crate::bus::{Bus, Width};

/// FPSCR: flags, modes, cumulative exceptions.
const FPSCR_WRITABLE: u32 = 0xF7C0_009F;
/// FPDSCR: the modes.
pub(super) const FPDSCR_WRITABLE: u32 = 0x07C0_0000;
pub(super) const FPCCR_ASPEN: u32 = 1 << 31;
pub(super) const FPCCR_LSPEN: u32 = 1 << 30;
pub(super) const FPCCR_THREAD: u32 = 1 << 3;
pub(super) const FPCCR_USER: u32 = 1 << 1;
pub(super) const FPCCR_LSPACT: u32 = 1;
/// CONTROL.FPCA: the context has floating-point state.
pub(super) const FPCA: u32 = 4;
/// What floating point adds to a frame: S0..S15, FPSCR, a reserved word.
pub(super) const FLOAT_FRAME_BYTES: u32 = 72;
const SIGN: u32 = 1 << 31;

/// Floating-point state and its registers in the system control space.
pub(super) struct Float {
    pub s: [u32; 32],
    pub fpscr: u32,
    pub cpacr: u32,
    pub fpccr: u32,
    pub fpcar: u32,
    pub fpdscr: u32,
}

impl Float {
    /// Values after reset (B3.2.20 on): no access, automatic and lazy preservation on.
    pub fn new() -> Float {
        Float {
            s: [0; 32],
            fpscr: 0,
            cpacr: 0,
            fpccr: FPCCR_ASPEN | FPCCR_LSPEN,
            fpcar: 0,
            fpdscr: 0,
        }
    }

    pub fn read(&self, address: u32) -> u32 {
        match address {
            0xE000_ED88 => self.cpacr,
            0xE000_EF34 => self.fpccr,
            0xE000_EF38 => self.fpcar,
            0xE000_EF3C => self.fpdscr,
            // MVFR0, MVFR1 of the Cortex-M4 (DDI 0439 section 7.3.4).
            0xE000_EF40 => 0x1011_0021,
            0xE000_EF44 => 0x1100_0011,
            _ => 0,
        }
    }

    pub fn write(&mut self, address: u32, value: u32) {
        match address {
            0xE000_ED88 => self.cpacr = value & 0x00F0_0000,
            0xE000_EF34 => self.fpccr = value & (FPCCR_ASPEN | FPCCR_LSPEN | 0x17B),
            0xE000_EF38 => self.fpcar = value & !7,
            0xE000_EF3C => self.fpdscr = value & FPDSCR_WRITABLE,
            _ => {}
        }
    }
}

impl Cpu {
    fn s(&self, register: u8) -> u32 {
        self.float.s[usize::from(register & 31)]
    }

    pub(super) fn set_s(&mut self, register: u8, value: u32) {
        self.float.s[usize::from(register & 31)] = value;
    }

    /// FPSCR, for tests and debuggers.
    pub fn fpscr(&self) -> u32 {
        self.float.fpscr
    }

    pub fn set_fpscr(&mut self, value: u32) {
        self.float.fpscr = value & FPSCR_WRITABLE;
    }

    /// S0..S31, for tests and debuggers.
    pub fn float_registers(&mut self) -> &mut [u32; 32] {
        &mut self.float.s
    }

    #[inline(never)]
    pub(super) fn execute_float<B: Bus>(&mut self, op: Op, bus: &mut B) -> Result<(), Trap> {
        self.check_float_access()?;
        if op.kind == Kind::Vundefined {
            return Err(Trap::Undefined);
        }
        self.begin_float(bus)?;
        match op.kind {
            Kind::Vldr | Kind::Vstr | Kind::Vldm | Kind::Vstm => return self.float_memory(op, bus),
            Kind::VmovToCore => self.set_r(op.d, self.s(op.m)),
            Kind::VmovFromCore => self.set_s(op.m, self.r(op.d)),
            Kind::VmovPairToCore => {
                self.cycles += timing::FLOAT_PAIR_EXTRA;
                let (low, high) = (self.s(op.m), self.s(op.m + 1));
                self.set_r(op.d, low);
                self.set_r(op.n, high);
            }
            Kind::VmovPairFromCore => {
                self.cycles += timing::FLOAT_PAIR_EXTRA;
                self.set_s(op.m, self.r(op.d));
                self.set_s(op.m + 1, self.r(op.n));
            }
            Kind::Vmrs if op.d == 15 => {
                let flags = self.float.fpscr >> 28;
                self.n = flags & 8 != 0;
                self.z = flags & 4 != 0;
                self.c = flags & 2 != 0;
                self.v = flags & 1 != 0;
            }
            Kind::Vmrs => self.set_r(op.d, self.float.fpscr),
            Kind::Vmsr => self.set_fpscr(self.r(op.d)),
            Kind::VmovImm => self.set_s(op.d, op.imm),
            Kind::VmovReg => self.set_s(op.d, self.s(op.m)),
            Kind::Vabs => self.set_s(op.d, self.s(op.m) & !SIGN),
            Kind::Vneg => self.set_s(op.d, self.s(op.m) ^ SIGN),
            _ => self.float_arithmetic(op),
        }
        Ok(())
    }

    fn float_arithmetic(&mut self, op: Op) {
        let (d, n, m) = (self.s(op.d), self.s(op.n), self.s(op.m));
        let mut env = Environment {
            fpscr: self.float.fpscr,
        };
        let result = match op.kind {
            Kind::Vadd => env.add(n, m, false),
            Kind::Vsub => env.add(n, m, true),
            Kind::Vmul => env.mul(n, m),
            Kind::Vnmul => env.mul(n, m) ^ SIGN,
            Kind::Vdiv => env.div(n, m),
            Kind::Vsqrt => env.sqrt(m),
            // Multiply and accumulate: two roundings. Fused: one.
            Kind::Vmla | Kind::Vmls | Kind::Vnmla | Kind::Vnmls => {
                let product = env.mul(n, m);
                let minus_product = matches!(op.kind, Kind::Vmls | Kind::Vnmla);
                let minus_d = matches!(op.kind, Kind::Vnmla | Kind::Vnmls);
                env.add(
                    if minus_d { d ^ SIGN } else { d },
                    if minus_product { product ^ SIGN } else { product },
                    false,
                )
            }
            Kind::Vfma => env.mul_add(d, n, m),
            Kind::Vfms => env.mul_add(d, n ^ SIGN, m),
            Kind::Vfnma => env.mul_add(d ^ SIGN, n ^ SIGN, m),
            Kind::Vfnms => env.mul_add(d ^ SIGN, n, m),
            Kind::Vcmp => {
                let against = if op.s != 0 { 0 } else { m };
                let flags = env.compare(d, against, op.x != 0);
                env.fpscr = env.fpscr & 0x0FFF_FFFF | flags << 28;
                d
            }
            _ => float_conversion(&mut env, op, d, m),
        };
        self.cycles += timing::float_extra(op.kind);
        self.float.fpscr = env.fpscr;
        self.set_s(op.d, result);
    }

    /// VLDR, VSTR, VLDM, VSTM: `x` words.
    fn float_memory<B: Bus>(&mut self, op: Op, bus: &mut B) -> Result<(), Trap> {
        let base = if op.n == 15 { self.regs[15] & !3 } else { self.r(op.n) };
        let sum = base.wrapping_add(op.imm);
        let multiple = matches!(op.kind, Kind::Vldm | Kind::Vstm);
        let mut address = if multiple && op.flags & DECREMENT == 0 {
            base
        } else {
            sum
        };
        if address & 3 != 0 {
            return Err(Trap::Unaligned);
        }
        for register in op.d..op.d + op.x {
            self.cycles += self.timing.per_register;
            if matches!(op.kind, Kind::Vldr | Kind::Vldm) {
                let value = self.load(bus, address, Width::Word)?;
                self.set_s(register, value);
            } else {
                self.store(bus, address, Width::Word, self.s(register))?;
            }
            address = address.wrapping_add(4);
        }
        if op.flags & WRITE_BACK != 0 {
            self.set_r(op.n, sum);
        }
        Ok(())
    }
}

/// VCVT in all its forms: the new value of `d`.
fn float_conversion(env: &mut Environment, op: Op, d: u32, m: u32) -> u32 {
    let top = op.x != 0;
    match op.kind {
        Kind::VcvtFromHalf => env.half_to_single(if top { m >> 16 } else { m & 0xFFFF }),
        Kind::VcvtToHalf => {
            let half = env.single_to_half(m);
            if top {
                d & 0xFFFF | half << 16
            } else {
                d & 0xFFFF_0000 | half
            }
        }
        // `x` here: signed, or toward zero.
        Kind::VcvtFromInt if top => env.fixed_to_float(i64::from(m as i32), 0, false),
        Kind::VcvtFromInt => env.fixed_to_float(i64::from(m), 0, false),
        Kind::VcvtToInt => env.float_to_fixed(m, 32, 0, op.s == 0, top),
        _ => {
            let unsigned = op.s & 1 != 0;
            let bits = if top { 32 } else { 16 };
            if op.s & 4 != 0 {
                return env.float_to_fixed(d, bits, op.imm, unsigned, true);
            }
            let value = match (bits, unsigned) {
                (16, false) => i64::from(d as i16),
                (16, true) => i64::from(d as u16),
                (_, false) => i64::from(d as i32),
                _ => i64::from(d),
            };
            env.fixed_to_float(value, op.imm, true)
        }
    }
}

//! The DSP extension: packed and saturating arithmetic, 16-bit multiplies (ARM DDI 0403E, section A7.7).

use super::alu::{shift_c, signed_saturate, unsigned_saturate};
use super::fault::Trap;
use super::ops::*;
use super::Cpu;

/// The signed halfword of `value`: the upper one if `top`.
fn half(value: u32, top: bool) -> i64 {
    i64::from(if top { (value >> 16) as i16 } else { value as i16 })
}

fn pack(low: u32, high: u32) -> u32 {
    low & 0xFFFF | high << 16
}

/// SignedSat of a sum that may exceed 32 bits: result, saturated.
fn saturate_32(value: i64) -> (u32, bool) {
    let result = value.clamp(i64::from(i32::MIN), i64::from(i32::MAX));
    (result as u32, result != value)
}

/// One lane of a parallel addition or subtraction: the result in `bits` bits, and whether its GE bits are set.
fn lane(a: u32, b: u32, bits: u32, subtract: bool, mode: u8) -> (u32, bool) {
    let unsigned = mode & 4 != 0;
    let value_of = |v: u32| {
        let left = 32 - bits;
        if unsigned {
            (v << left >> left) as i32
        } else {
            (v << left) as i32 >> left
        }
    };
    let sum = if subtract {
        value_of(a) - value_of(b)
    } else {
        value_of(a) + value_of(b)
    };
    let ge = if unsigned && !subtract {
        sum >> bits != 0
    } else {
        sum >= 0
    };
    let result = match mode & 3 {
        0 => sum as u32,
        1 if unsigned => unsigned_saturate(sum, bits).0,
        1 => signed_saturate(sum, bits).0,
        _ => (sum >> 1) as u32,
    };
    (result & (u32::MAX >> (32 - bits)), ge)
}

/// The addition or subtraction in two or four lanes: result and GE bits.
fn parallel(operation: u8, mode: u8, a: u32, b: u32) -> (u32, u8) {
    if operation & 3 == 0 {
        return (0..4).fold((0, 0), |(result, ge), i| {
            let (value, set) = lane(a >> (8 * i), b >> (8 * i), 8, operation == 4, mode);
            (result | value << (8 * i), ge | u8::from(set) << i)
        });
    }
    // ADD16, ASX, SUB16, SAX: whether the low and the high lane subtract, and whether the second operand's lanes swap.
    let (low, high, swap) = match operation {
        1 => (false, false, false),
        2 => (true, false, true),
        5 => (true, true, false),
        _ => (false, true, true),
    };
    let b = if swap { b.rotate_left(16) } else { b };
    let (low, low_ge) = lane(a, b, 16, low, mode);
    let (high, high_ge) = lane(a >> 16, b >> 16, 16, high, mode);
    (
        pack(low, high),
        if low_ge { 3 } else { 0 } | if high_ge { 12 } else { 0 },
    )
}

impl Cpu {
    #[inline(never)]
    pub(super) fn execute_dsp(&mut self, op: Op) -> Result<(), Trap> {
        let (a, b) = (self.r(op.n), self.r(op.m));
        match op.kind {
            Kind::Pkh => {
                let shifted = shift_c(b, op.s, op.x, false).0;
                // PKHTB is the one that shifts right.
                let (low, high) = if op.s == LSL {
                    (a, shifted >> 16)
                } else {
                    (shifted, a >> 16)
                };
                self.set_r(op.d, pack(low, high));
            }
            Kind::Ssat16 | Kind::Usat16 => self.saturate_16(op, a),
            Kind::ExtendAdd => self.extend_add(op, b.rotate_right(u32::from(op.x))),
            Kind::Parallel => {
                let (value, ge) = parallel(op.s, op.x, a, b);
                if op.x & 3 == 0 {
                    self.ge = ge;
                }
                self.set_r(op.d, value);
            }
            Kind::Qadd => self.saturating_add(op, b as i32, a as i32),
            Kind::Sel => {
                let mask = (0..4).fold(0, |mask, i| mask | (u32::from(self.ge >> i & 1) * 0xFF) << (8 * i));
                self.set_r(op.d, a & mask | b & !mask);
            }
            Kind::SmlalXy | Kind::Smlald | Kind::Smlsld | Kind::Umaal => self.multiply_long_dsp(op, a, b),
            _ => self.multiply_dsp(op, a, b),
        }
        Ok(())
    }

    fn saturate_16(&mut self, op: Op, a: u32) {
        let saturate = |v: i32| match op.kind {
            Kind::Ssat16 => signed_saturate(v, op.imm),
            _ => unsigned_saturate(v, op.imm),
        };
        let (low, low_saturated) = saturate(half(a, false) as i32);
        let (high, high_saturated) = saturate(half(a, true) as i32);
        self.set_r(op.d, pack(low, high));
        self.q |= low_saturated | high_saturated;
    }

    /// SXTAH, UXTAH, SXTAB16, UXTAB16, SXTAB, UXTAB; with Rn = 15 SXTB16 and UXTB16.
    fn extend_add(&mut self, op: Op, b: u32) {
        let a = if op.n == 15 { 0 } else { self.r(op.n) };
        let value = match op.s {
            0 => a.wrapping_add(b as i16 as u32),
            1 => a.wrapping_add(b & 0xFFFF),
            2 => pack(
                a.wrapping_add(b as i8 as u32),
                (a >> 16).wrapping_add((b >> 16) as i8 as u32),
            ),
            3 => pack(a.wrapping_add(b & 0xFF), (a >> 16).wrapping_add(b >> 16 & 0xFF)),
            4 => a.wrapping_add(b as i8 as u32),
            _ => a.wrapping_add(b & 0xFF),
        };
        self.set_r(op.d, value);
    }

    /// QADD, QDADD, QSUB, QDSUB of Rm and Rn.
    fn saturating_add(&mut self, op: Op, m: i32, n: i32) {
        let (n, doubled_saturates) = if op.x & 1 != 0 {
            saturate_32(2 * i64::from(n))
        } else {
            (n as u32, false)
        };
        let n = i64::from(n as i32);
        let (value, saturates) = saturate_32(i64::from(m) + if op.x & 2 != 0 { -n } else { n });
        self.set_r(op.d, value);
        self.q |= saturates | doubled_saturates;
    }

    /// Multiplies with a 32-bit result; an accumulator of 15 means none.
    fn multiply_dsp(&mut self, op: Op, a: u32, b: u32) {
        let addend = if op.x == 15 { 0 } else { self.r(op.x) };
        let sum = i64::from(addend as i32);
        let rounding = if op.s & 1 != 0 { 0x8000_0000 } else { 0 };
        let product = || i64::from(a as i32) * i64::from(b as i32);
        let crossed = b.rotate_left(if op.s & 1 != 0 { 16 } else { 0 });
        let (low, high) = (
            half(a, false) * half(crossed, false),
            half(a, true) * half(crossed, true),
        );
        let total = match op.kind {
            Kind::SmlaXy => sum + half(a, op.s & 2 != 0) * half(b, op.s & 1 != 0),
            Kind::Smlad => sum + low + high,
            Kind::Smlsd => sum + low - high,
            Kind::Smlaw => sum + ((i64::from(a as i32) * half(b, op.s & 1 != 0)) >> 16),
            Kind::Smmla => (sum << 32).wrapping_add(product()).wrapping_add(rounding) >> 32,
            Kind::Smmls => (sum << 32).wrapping_sub(product()).wrapping_add(rounding) >> 32,
            _ => {
                let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
                sum + a.iter().zip(b).map(|(&a, b)| i64::from(a.abs_diff(b))).sum::<i64>()
            }
        };
        self.set_r(op.d, total as u32);
        let accumulates = matches!(op.kind, Kind::SmlaXy | Kind::Smlad | Kind::Smlsd | Kind::Smlaw);
        self.q |= accumulates && total != i64::from(total as i32);
    }

    /// Multiplies accumulated in RdHi:RdLo.
    fn multiply_long_dsp(&mut self, op: Op, a: u32, b: u32) {
        let (low, high) = (self.r(op.d), self.r(op.x));
        let sum = i64::from(high as i32) << 32 | i64::from(low);
        let crossed = b.rotate_left(if op.s & 1 != 0 { 16 } else { 0 });
        let products = (
            half(a, false) * half(crossed, false),
            half(a, true) * half(crossed, true),
        );
        let total = match op.kind {
            Kind::SmlalXy => sum.wrapping_add(half(a, op.s & 2 != 0) * half(b, op.s & 1 != 0)) as u64,
            Kind::Smlald => sum.wrapping_add(products.0 + products.1) as u64,
            Kind::Smlsld => sum.wrapping_add(products.0 - products.1) as u64,
            _ => u64::from(a) * u64::from(b) + u64::from(low) + u64::from(high),
        };
        self.set_r(op.d, total as u32);
        self.set_r(op.x, (total >> 32) as u32);
    }
}

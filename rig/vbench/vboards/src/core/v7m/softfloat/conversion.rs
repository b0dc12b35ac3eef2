//! Conversions to and from integers, fixed point and half precision.

use super::rounding::{shift_jam, Format, Rounding, SINGLE};
use super::{Environment, Finite, Value, AHP, DEFAULT_NAN, DN, FRACTION, INFINITY, IOC, IXC, SIGN};

impl Environment {
    /// FPToFixed: to `bits` bits of which `fraction_bits` follow the point, saturating.
    pub fn float_to_fixed(&mut self, a: u32, bits: u32, fraction_bits: u32, unsigned: bool, toward_zero: bool) -> u32 {
        let (lowest, highest) = if unsigned {
            (0, (1i128 << bits) - 1)
        } else {
            (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
        };
        let rounding = if toward_zero { Rounding::Zero } else { self.rounding() };
        let (value, exact) = match self.unpack(a) {
            Value::Zero(_) => (0, true),
            Value::Nan { .. } => {
                self.raise(IOC);
                return 0;
            }
            Value::Infinity(negative) => (if negative { i128::MIN } else { i128::MAX }, true),
            Value::Finite(x) => integer(x, fraction_bits, rounding),
        };
        let result = value.clamp(lowest, highest);
        if result != value {
            self.raise(IOC);
        } else if !exact {
            self.raise(IXC);
        }
        result as u32
    }

    /// FixedToFP.
    pub fn fixed_to_float(&mut self, value: i64, fraction_bits: u32, to_nearest: bool) -> u32 {
        if value == 0 {
            return 0;
        }
        let x = Finite {
            negative: value < 0,
            exponent: -(fraction_bits as i32),
            fraction: value.unsigned_abs(),
        };
        let rounding = if to_nearest { Rounding::Nearest } else { self.rounding() };
        self.round_to(x, SINGLE, rounding)
    }

    /// FPHalfToSingle.
    pub fn half_to_single(&mut self, half: u32) -> u32 {
        let sign = half << 16 & SIGN;
        let (exponent, fraction) = (half >> 10 & 31, half & 0x3FF);
        match (exponent, fraction) {
            (0, 0) => sign,
            (31, 0) if self.fpscr & AHP == 0 => sign | INFINITY,
            (31, _) if self.fpscr & AHP == 0 => {
                if fraction & 0x200 == 0 {
                    self.raise(IOC);
                }
                if self.fpscr & DN != 0 {
                    DEFAULT_NAN
                } else {
                    sign | DEFAULT_NAN | fraction << 13
                }
            }
            (0, _) => {
                let top = 31 - fraction.leading_zeros();
                sign | (top + 103) << 23 | fraction << (23 - top) & FRACTION
            }
            _ => sign | (exponent + 112) << 23 | fraction << 13,
        }
    }

    /// FPSingleToHalf.
    pub fn single_to_half(&mut self, a: u32) -> u32 {
        let alternative = self.fpscr & AHP != 0;
        let sign = a >> 16 & 0x8000;
        match self.unpack(a) {
            Value::Nan { bits, signalling } => {
                if signalling || alternative {
                    self.raise(IOC);
                }
                match alternative {
                    true => sign,
                    false if self.fpscr & DN != 0 => 0x7E00,
                    false => sign | 0x7E00 | bits >> 13 & 0x1FF,
                }
            }
            Value::Infinity(_) if alternative => {
                self.raise(IOC);
                sign | 0x7FFF
            }
            Value::Infinity(_) => sign | 0x7C00,
            Value::Zero(_) => sign,
            Value::Finite(x) => {
                let format = Format {
                    fraction_bits: 10,
                    exponent_bits: 5,
                    alternative,
                };
                self.round_to(x, format, self.rounding())
            }
        }
    }
}

/// `x * 2^fraction_bits` as an integer, and whether that is exact. Far too large numbers stay far too large.
fn integer(x: Finite, fraction_bits: u32, rounding: Rounding) -> (i128, bool) {
    let exponent = x.exponent + fraction_bits as i32;
    let fraction = u128::from(x.fraction);
    let (floor, rest) = if exponent >= 0 {
        (fraction << exponent.min(80), 0)
    } else {
        let wide = shift_jam(fraction << 64, (-exponent) as u32);
        (wide >> 64, wide as u64)
    };
    let away = rounding.away(x.negative, floor & 1 != 0, rest);
    let magnitude = (floor + u128::from(away)) as i128;
    (if x.negative { -magnitude } else { magnitude }, rest == 0)
}

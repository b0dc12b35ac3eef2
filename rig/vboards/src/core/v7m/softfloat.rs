//! Single-precision arithmetic in integers: the pseudocode functions of ARM DDI 0403E, section A2.5, bit for bit.
//!
//! Every function takes the environment (the mode bits of FPSCR) and adds to its cumulative flags.

pub const AHP: u32 = 1 << 26;
pub const DN: u32 = 1 << 25;
pub const FZ: u32 = 1 << 24;
const MODE_SHIFT: u32 = 22;
pub const IDC: u32 = 1 << 7;
pub const IXC: u32 = 1 << 4;
pub const UFC: u32 = 1 << 3;
pub const OFC: u32 = 1 << 2;
pub const DZC: u32 = 1 << 1;
pub const IOC: u32 = 1 << 0;

const SIGN: u32 = 1 << 31;
const QUIET: u32 = 1 << 22;
const FRACTION: u32 = (1 << 23) - 1;
const DEFAULT_NAN: u32 = 0x7FC0_0000;
const INFINITY: u32 = 0x7F80_0000;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rounding {
    Nearest,
    Up,
    Down,
    Zero,
}

/// Where a result goes: fraction bits stored, exponent bits, and whether it is the alternative half precision.
#[derive(Clone, Copy)]
struct Format {
    fraction_bits: u32,
    exponent_bits: u32,
    alternative: bool,
}

const SINGLE: Format = Format {
    fraction_bits: 23,
    exponent_bits: 8,
    alternative: false,
};

/// A finite non-zero number: `fraction * 2^exponent`.
#[derive(Clone, Copy)]
struct Finite {
    negative: bool,
    exponent: i32,
    fraction: u64,
}

#[derive(Clone, Copy)]
enum Value {
    Zero(bool),
    Infinity(bool),
    Nan { bits: u32, signalling: bool },
    Finite(Finite),
}

/// FPSCR as arithmetic sees it.
pub struct Environment {
    pub fpscr: u32,
}

fn signed(bits: u32, negative: bool) -> u32 {
    bits | if negative { SIGN } else { 0 }
}

/// `value >> by`, with a one in the lowest bit if anything was lost.
fn shift_jam(value: u128, by: u32) -> u128 {
    match by {
        0 => value,
        1..=127 => value >> by | u128::from(value << (128 - by) != 0),
        _ => u128::from(value != 0),
    }
}

fn floor_sqrt(value: u64) -> u64 {
    let (mut root, mut rest, mut bit) = (0u64, value, 1u64 << 62);
    while bit != 0 {
        if rest >= root + bit {
            rest -= root + bit;
            root = (root >> 1) + bit;
        } else {
            root >>= 1;
        }
        bit >>= 2;
    }
    root
}

/// Exact sum of two terms `(negative, exponent, fraction)`, both fractions below 2^110 and, if the exponents differ
/// much, aligned so that what is lost only matters as a sticky bit.
fn exact_sum(a: (bool, i32, u128), b: (bool, i32, u128)) -> (bool, i32, u128) {
    let (large, small) = if a.1 >= b.1 { (a, b) } else { (b, a) };
    let lost = shift_jam(small.2, (large.1 - small.1) as u32);
    if large.0 == small.0 {
        (large.0, large.1, large.2 + lost)
    } else if large.2 >= lost {
        (large.0, large.1, large.2 - lost)
    } else {
        (small.0, large.1, lost - large.2)
    }
}

/// A term of a sum with its highest bit at 100.
fn aligned(x: Finite) -> (bool, i32, u128) {
    let up = 100 - (63 - x.fraction.leading_zeros());
    (x.negative, x.exponent - up as i32, u128::from(x.fraction) << up)
}

impl Environment {
    fn raise(&mut self, flags: u32) {
        self.fpscr |= flags;
    }

    fn rounding(&self) -> Rounding {
        match self.fpscr >> MODE_SHIFT & 3 {
            0 => Rounding::Nearest,
            1 => Rounding::Up,
            2 => Rounding::Down,
            _ => Rounding::Zero,
        }
    }

    fn default_nan(&mut self) -> u32 {
        self.raise(IOC);
        DEFAULT_NAN
    }

    /// FPUnpack.
    fn unpack(&mut self, bits: u32) -> Value {
        let negative = bits & SIGN != 0;
        let exponent = (bits >> 23 & 0xFF) as i32;
        let fraction = bits & FRACTION;
        match (exponent, fraction) {
            (0, 0) => Value::Zero(negative),
            (0, _) if self.fpscr & FZ != 0 => {
                self.raise(IDC);
                Value::Zero(negative)
            }
            (0, _) => Value::Finite(Finite {
                negative,
                exponent: -149,
                fraction: u64::from(fraction),
            }),
            (255, 0) => Value::Infinity(negative),
            (255, _) => Value::Nan {
                bits,
                signalling: bits & QUIET == 0,
            },
            _ => Value::Finite(Finite {
                negative,
                exponent: exponent - 150,
                fraction: u64::from(fraction | 1 << 23),
            }),
        }
    }

    /// FPProcessNaNs: the operand that becomes the result, if one is a NaN; signalling ones first.
    fn nan_of(&mut self, values: &[Value]) -> Option<u32> {
        let find = |wanted: bool| {
            values.iter().find_map(|value| match *value {
                Value::Nan { bits, signalling } if signalling == wanted => Some(bits),
                _ => None,
            })
        };
        let bits = match find(true) {
            Some(bits) => {
                self.raise(IOC);
                bits | QUIET
            }
            None => find(false)?,
        };
        Some(if self.fpscr & DN != 0 { DEFAULT_NAN } else { bits })
    }

    /// Sign of an exact zero that is the sum of numbers of different sign.
    fn zero_sum(&self) -> u32 {
        signed(0, self.rounding() == Rounding::Down)
    }

    /// FPRound to single precision. The lowest bit of a fraction of more than 32 bits may stand for what follows it.
    fn round(&mut self, x: Finite) -> u32 {
        self.round_to(x, SINGLE, self.rounding())
    }

    fn round_to(&mut self, x: Finite, format: Format, rounding: Rounding) -> u32 {
        let up = x.fraction.leading_zeros();
        let fraction = x.fraction << up;
        let power = x.exponent - up as i32 + 63;
        let lowest_power = 2 - (1 << (format.exponent_bits - 1));
        let sign = u32::from(x.negative) << (format.fraction_bits + format.exponent_bits);
        if self.fpscr & FZ != 0 && format.fraction_bits == 23 && power < lowest_power {
            self.raise(UFC);
            return sign;
        }
        let denormal = power < lowest_power;
        let drop = 63 - format.fraction_bits + if denormal { (lowest_power - power) as u32 } else { 0 };
        // Twice the dropped part against one unit: below, exactly, above a half.
        let (kept, rest) = match drop {
            1..=63 => (fraction >> drop, fraction << (64 - drop)),
            64 => (0, fraction),
            _ => (0, 1),
        };
        let exact = rest == 0;
        if denormal && !exact {
            self.raise(UFC);
        }
        let away = match rounding {
            Rounding::Nearest => rest > 1 << 63 || rest == 1 << 63 && kept & 1 != 0,
            Rounding::Up => !exact && !x.negative,
            Rounding::Down => !exact && x.negative,
            Rounding::Zero => false,
        };
        // Adding the implicit bit carries it, and what rounding carries, into the exponent.
        let biased = if denormal { 0 } else { (power - lowest_power) as u64 };
        let magnitude = (biased << format.fraction_bits) + kept + u64::from(away);
        let top_exponent = (1u64 << format.exponent_bits) - u64::from(!format.alternative);
        if magnitude >= top_exponent << format.fraction_bits {
            return self.overflow(sign, x.negative, format, rounding);
        }
        if !exact {
            self.raise(IXC);
        }
        sign | magnitude as u32
    }

    fn overflow(&mut self, sign: u32, negative: bool, format: Format, rounding: Rounding) -> u32 {
        if format.alternative {
            self.raise(IOC);
            return sign | 0x7FFF;
        }
        self.raise(OFC | IXC);
        let infinity = ((1 << format.exponent_bits) - 1) << format.fraction_bits;
        let to_infinity = match rounding {
            Rounding::Nearest => true,
            Rounding::Up => !negative,
            Rounding::Down => negative,
            Rounding::Zero => false,
        };
        sign | if to_infinity { infinity } else { infinity - 1 }
    }

    /// Rounds a sum of `exact_sum`.
    fn round_sum(&mut self, sum: (bool, i32, u128)) -> u32 {
        let (negative, exponent, fraction) = sum;
        if fraction == 0 {
            return self.zero_sum();
        }
        let down = 64u32.saturating_sub(fraction.leading_zeros());
        self.round(Finite {
            negative,
            exponent: exponent + down as i32,
            fraction: shift_jam(fraction, down) as u64,
        })
    }

    /// FPAdd; FPSub is the addition of the negated operand unless that is a NaN.
    pub fn add(&mut self, a: u32, b: u32, subtract: bool) -> u32 {
        let (a, b) = (self.unpack(a), self.unpack(b));
        if let Some(nan) = self.nan_of(&[a, b]) {
            return nan;
        }
        self.add_values(a, if subtract { negated(b) } else { b })
    }

    fn add_values(&mut self, a: Value, b: Value) -> u32 {
        match (a, b) {
            (Value::Infinity(a), Value::Infinity(b)) if a != b => self.default_nan(),
            (Value::Infinity(sign), _) | (_, Value::Infinity(sign)) => signed(INFINITY, sign),
            (Value::Zero(a), Value::Zero(b)) if a == b => signed(0, a),
            (Value::Finite(a), Value::Finite(b)) => self.round_sum(exact_sum(aligned(a), aligned(b))),
            (Value::Finite(x), _) | (_, Value::Finite(x)) => self.round(x),
            _ => self.zero_sum(),
        }
    }

    /// FPMul.
    pub fn mul(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.unpack(a), self.unpack(b));
        if let Some(nan) = self.nan_of(&[a, b]) {
            return nan;
        }
        match product(a, b) {
            None => self.default_nan(),
            Some(Value::Finite(x)) => self.round(x),
            Some(Value::Zero(sign)) => signed(0, sign),
            Some(_) => signed(INFINITY, is_negative(a) != is_negative(b)),
        }
    }

    /// FPMulAdd: `addend + a * b` rounded once.
    pub fn mul_add(&mut self, addend: u32, a: u32, b: u32) -> u32 {
        let (addend, a, b) = (self.unpack(addend), self.unpack(a), self.unpack(b));
        let invalid = matches!(
            (a, b),
            (Value::Infinity(_), Value::Zero(_)) | (Value::Zero(_), Value::Infinity(_))
        );
        if invalid && matches!(addend, Value::Nan { signalling: false, .. }) {
            return self.default_nan();
        }
        if let Some(nan) = self.nan_of(&[addend, a, b]) {
            return nan;
        }
        match product(a, b) {
            None => self.default_nan(),
            Some(product) => self.add_values(addend, product),
        }
    }

    /// FPDiv.
    pub fn div(&mut self, a: u32, b: u32) -> u32 {
        let (a, b) = (self.unpack(a), self.unpack(b));
        if let Some(nan) = self.nan_of(&[a, b]) {
            return nan;
        }
        let negative = is_negative(a) != is_negative(b);
        match (a, b) {
            (Value::Infinity(_), Value::Infinity(_)) | (Value::Zero(_), Value::Zero(_)) => self.default_nan(),
            (Value::Infinity(_), _) => signed(INFINITY, negative),
            (_, Value::Zero(_)) => {
                self.raise(DZC);
                signed(INFINITY, negative)
            }
            (Value::Finite(a), Value::Finite(b)) => {
                // The divisor has at most 24 bits, so the quotient has 32 to 56.
                let up = a.fraction.leading_zeros() - 8;
                let dividend = a.fraction << up;
                let quotient = (dividend / b.fraction) << 1 | u64::from(dividend % b.fraction != 0);
                self.round(Finite {
                    negative,
                    exponent: a.exponent - up as i32 - b.exponent - 1,
                    fraction: quotient,
                })
            }
            _ => signed(0, negative),
        }
    }

    /// FPSqrt.
    pub fn sqrt(&mut self, a: u32) -> u32 {
        let a = self.unpack(a);
        if let Some(nan) = self.nan_of(&[a]) {
            return nan;
        }
        match a {
            Value::Zero(sign) => signed(0, sign),
            Value::Infinity(false) => INFINITY,
            Value::Finite(x) if !x.negative => {
                let mut up = x.fraction.leading_zeros();
                up -= ((x.exponent - up as i32) & 1) as u32;
                let radicand = x.fraction << up;
                let root = floor_sqrt(radicand);
                self.round(Finite {
                    negative: false,
                    exponent: (x.exponent - up as i32) / 2 - 1,
                    fraction: root << 1 | u64::from(root * root != radicand),
                })
            }
            _ => self.default_nan(),
        }
    }

    /// FPCompare: NZCV as a number. `signal_all`: a quiet NaN, too, is an invalid operation.
    pub fn compare(&mut self, a: u32, b: u32, signal_all: bool) -> u32 {
        let (a, b) = (self.unpack(a), self.unpack(b));
        let signals = |v: Value| matches!(v, Value::Nan { signalling, .. } if signalling || signal_all);
        if signals(a) || signals(b) {
            self.raise(IOC);
        }
        match (rank(a), rank(b)) {
            (Some(a), Some(b)) if a == b => 0b0110,
            (Some(a), Some(b)) if a < b => 0b1000,
            (Some(_), Some(_)) => 0b0010,
            _ => 0b0011,
        }
    }

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

fn is_negative(value: Value) -> bool {
    match value {
        Value::Zero(negative) | Value::Infinity(negative) => negative,
        Value::Nan { bits, .. } => bits & SIGN != 0,
        Value::Finite(x) => x.negative,
    }
}

fn negated(value: Value) -> Value {
    match value {
        Value::Zero(negative) => Value::Zero(!negative),
        Value::Infinity(negative) => Value::Infinity(!negative),
        Value::Finite(x) => Value::Finite(Finite {
            negative: !x.negative,
            ..x
        }),
        nan => nan,
    }
}

/// Exact product of two numbers that are no NaNs; None for infinity times zero.
fn product(a: Value, b: Value) -> Option<Value> {
    let negative = is_negative(a) != is_negative(b);
    match (a, b) {
        (Value::Infinity(_), Value::Zero(_)) | (Value::Zero(_), Value::Infinity(_)) => None,
        (Value::Infinity(_), _) | (_, Value::Infinity(_)) => Some(Value::Infinity(negative)),
        (Value::Finite(a), Value::Finite(b)) => Some(Value::Finite(Finite {
            negative,
            exponent: a.exponent + b.exponent,
            fraction: a.fraction * b.fraction,
        })),
        _ => Some(Value::Zero(negative)),
    }
}

/// A number that orders as the value does; None for a NaN.
fn rank(value: Value) -> Option<i64> {
    let (negative, magnitude) = match value {
        Value::Nan { .. } => return None,
        Value::Zero(_) => return Some(0),
        Value::Infinity(negative) => (negative, i64::MAX),
        Value::Finite(x) => {
            let up = x.fraction.leading_zeros();
            let power = i64::from(x.exponent) - i64::from(up) + 1000;
            (x.negative, power << 32 | (x.fraction << up >> 40) as i64)
        }
    };
    Some(if negative { -magnitude } else { magnitude })
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
    let away = match rounding {
        Rounding::Nearest => rest > 1 << 63 || rest == 1 << 63 && floor & 1 != 0,
        Rounding::Up => rest != 0 && !x.negative,
        Rounding::Down => rest != 0 && x.negative,
        Rounding::Zero => false,
    };
    let magnitude = (floor + u128::from(away)) as i128;
    (if x.negative { -magnitude } else { magnitude }, rest == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with<T>(fpscr: u32, compute: impl FnOnce(&mut Environment) -> T) -> (T, u32) {
        let mut env = Environment { fpscr };
        let result = compute(&mut env);
        (result, env.fpscr & !fpscr)
    }

    #[test]
    fn a_third_rounds_by_mode() {
        let third = |mode: u32| with(mode << MODE_SHIFT, |env| env.div(0x3F80_0000, 0x4040_0000));
        assert_eq!((0x3EAA_AAAB, IXC), third(0));
        assert_eq!((0x3EAA_AAAB, IXC), third(1));
        assert_eq!((0x3EAA_AAAA, IXC), third(2));
        assert_eq!((0x3EAA_AAAA, IXC), third(3));
    }

    #[test]
    fn hardware_agrees_where_it_rounds_to_nearest() {
        // A walk over the bit patterns with a stride that is no power of two.
        let mut pattern = 0x1234_5678u32;
        for _ in 0..20_000 {
            let next = pattern.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (a, b) = (f32::from_bits(pattern), f32::from_bits(next));
            pattern = next.rotate_left(7);
            if a.is_nan() || b.is_nan() {
                continue;
            }
            let (x, y) = (a.to_bits(), b.to_bits());
            let same = |wanted: f32, got: u32| wanted.is_nan() || wanted.to_bits() == got;
            assert!(same(a + b, with(0, |env| env.add(x, y, false)).0), "{:x} + {:x}", x, y);
            assert!(same(a * b, with(0, |env| env.mul(x, y)).0), "{:x} * {:x}", x, y);
            assert!(same(a / b, with(0, |env| env.div(x, y)).0), "{:x} / {:x}", x, y);
            assert!(same(a.sqrt(), with(0, |env| env.sqrt(x)).0), "sqrt {:x}", x);
        }
    }

    #[test]
    fn flags_tell_what_happened() {
        assert_eq!((0x7F80_0000, DZC), with(0, |env| env.div(0x3F80_0000, 0)));
        assert_eq!((DEFAULT_NAN, IOC), with(0, |env| env.sqrt(0xBF80_0000)));
        assert_eq!(
            (0x7F80_0000, OFC | IXC),
            with(0, |env| env.mul(0x7F00_0000, 0x7F00_0000))
        );
        assert_eq!((0, UFC), with(FZ, |env| env.mul(0x0080_0000, 0x3F00_0000)));
        assert_eq!((0x3F80_0000, IDC), with(FZ, |env| env.add(0x3F80_0000, 1, false)));
        assert_eq!((0x7FC0_0001, IOC), with(0, |env| env.add(0x7F80_0001, 0, false)));
        assert_eq!((DEFAULT_NAN, IOC), with(DN, |env| env.add(0x7F80_0001, 0, false)));
    }

    #[test]
    fn halves_convert_both_ways() {
        for half in 0..=0x7C00 {
            let (single, _) = with(0, |env| env.half_to_single(half));
            assert_eq!((half, 0), with(0, |env| env.single_to_half(single)));
        }
        assert_eq!((0x7FFF, IOC), with(AHP, |env| env.single_to_half(INFINITY)));
    }
}

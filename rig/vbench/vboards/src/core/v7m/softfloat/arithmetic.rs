//! Sums, products, quotients, square roots and comparisons.

use super::rounding::{shift_jam, Rounding};
use super::{signed, Environment, Finite, Value, DZC, INFINITY, IOC, SIGN};

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
    /// Sign of an exact zero that is the sum of numbers of different sign.
    fn zero_sum(&self) -> u32 {
        signed(0, self.rounding() == Rounding::Down)
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

/// Exact product of two numbers that are not NaNs; None for infinity times zero.
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

//! FPRound: from an exact number to one that a format holds.

use super::{Environment, Finite, FZ, IOC, IXC, MODE_SHIFT, OFC, UFC};

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rounding {
    Nearest,
    Up,
    Down,
    Zero,
}

impl Rounding {
    /// Whether the magnitude goes up, to the next unit; `rest` in 2^-64 of one.
    pub(super) fn away(self, negative: bool, odd: bool, rest: u64) -> bool {
        match self {
            Rounding::Nearest => rest > 1 << 63 || rest == 1 << 63 && odd,
            Rounding::Up => rest != 0 && !negative,
            Rounding::Down => rest != 0 && negative,
            Rounding::Zero => false,
        }
    }
}

/// Where a result goes: fraction bits stored, exponent bits, and whether it is the alternative half precision.
#[derive(Clone, Copy)]
pub(super) struct Format {
    pub fraction_bits: u32,
    pub exponent_bits: u32,
    pub alternative: bool,
}

pub(super) const SINGLE: Format = Format {
    fraction_bits: 23,
    exponent_bits: 8,
    alternative: false,
};

/// `value >> by`, with a one in the lowest bit if anything was lost.
pub(super) fn shift_jam(value: u128, by: u32) -> u128 {
    match by {
        0 => value,
        1..=127 => value >> by | u128::from(value << (128 - by) != 0),
        _ => u128::from(value != 0),
    }
}

impl Environment {
    pub(super) fn rounding(&self) -> Rounding {
        match self.fpscr >> MODE_SHIFT & 3 {
            0 => Rounding::Nearest,
            1 => Rounding::Up,
            2 => Rounding::Down,
            _ => Rounding::Zero,
        }
    }

    /// FPRound to single precision. The lowest bit of a fraction of more than 32 bits may stand for what follows it.
    pub(super) fn round(&mut self, x: Finite) -> u32 {
        self.round_to(x, SINGLE, self.rounding())
    }

    pub(super) fn round_to(&mut self, x: Finite, format: Format, rounding: Rounding) -> u32 {
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
        let away = rounding.away(x.negative, kept & 1 != 0, rest);
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
}

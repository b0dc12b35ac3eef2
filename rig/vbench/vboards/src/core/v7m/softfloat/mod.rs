//! Single-precision arithmetic in integers: the pseudocode functions of ARM DDI 0403E, section A2.5, bit for bit.
//!
//! Every function takes the environment (the mode bits of FPSCR) and adds to its cumulative flags.

mod arithmetic;
mod conversion;
mod rounding;
#[cfg(test)]
mod tests;

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

impl Environment {
    fn raise(&mut self, flags: u32) {
        self.fpscr |= flags;
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
}

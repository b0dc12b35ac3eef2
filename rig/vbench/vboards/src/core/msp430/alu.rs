//! Results and flags (SLAU049 3.4.1, 3.4.2 and the instructions' pages).

use super::{C, N, V, Z};

/// A result with the flags C, Z, N, V that follow from it.
pub type Outcome = (u16, u16);

#[inline(always)]
fn top(byte: bool) -> u16 {
    if byte {
        0x80
    } else {
        0x8000
    }
}

#[inline(always)]
fn mask(byte: bool) -> u16 {
    if byte {
        0xFF
    } else {
        0xFFFF
    }
}

#[inline(always)]
fn sign_zero(result: u16, byte: bool) -> u16 {
    (if result & top(byte) != 0 { N } else { 0 }) | (if result == 0 { Z } else { 0 })
}

/// `source + target + carry`; a subtraction gives the complement of what is subtracted.
#[inline(always)]
pub fn add(source: u16, target: u16, carry: u16, byte: bool) -> Outcome {
    let source = source & mask(byte);
    let sum = u32::from(source) + u32::from(target) + u32::from(carry);
    let result = sum as u16 & mask(byte);
    let mut flags = sign_zero(result, byte);
    if sum > u32::from(mask(byte)) {
        flags |= C;
    }
    if (source ^ result) & (target ^ result) & top(byte) != 0 {
        flags |= V;
    }
    (result, flags)
}

/// Decimal sum of packed digits with the carry. What digits above 9 give, and V, is undefined (SLAU049, DADD): here
/// each digit is added in binary and corrected when its sum exceeds 9, and V is kept.
pub fn add_decimal(source: u16, target: u16, carry: u16, kept: u16, byte: bool) -> Outcome {
    let mut carry = carry;
    let mut result = 0;
    for shift in (0..if byte { 8 } else { 16 }).step_by(4) {
        let mut digit = (source >> shift & 15) + (target >> shift & 15) + carry;
        carry = u16::from(digit > 9);
        if digit > 9 {
            digit -= 10;
        }
        result |= (digit & 15) << shift;
    }
    (
        result,
        sign_zero(result, byte) | (if carry != 0 { C } else { 0 }) | kept & V,
    )
}

/// AND and BIT: carry is "not zero", V is reset.
#[inline(always)]
pub fn and(source: u16, target: u16, byte: bool) -> Outcome {
    let result = source & target;
    (result, sign_zero(result, byte) | (if result != 0 { C } else { 0 }))
}

/// XOR: carry is "not zero", V is set if both operands are negative.
#[inline(always)]
pub fn xor(source: u16, target: u16, byte: bool) -> Outcome {
    let result = source ^ target;
    let overflow = if source & target & top(byte) != 0 { V } else { 0 };
    (
        result,
        sign_zero(result, byte) | (if result != 0 { C } else { 0 }) | overflow,
    )
}

/// RRA (the sign stays) and RRC (the carry comes in). V is reset (SLAU049 3.4.6, RRA and RRC).
#[inline(always)]
pub fn shift_right(value: u16, into: bool, byte: bool) -> Outcome {
    let result = value >> 1 | (if into { top(byte) } else { 0 });
    (result, sign_zero(result, byte) | (if value & 1 != 0 { C } else { 0 }))
}

/// SXT: carry is "not zero", V is reset.
#[inline(always)]
pub fn sign_extend(value: u16) -> Outcome {
    let result = i16::from(value as u8 as i8) as u16;
    (result, sign_zero(result, false) | (if result != 0 { C } else { 0 }))
}

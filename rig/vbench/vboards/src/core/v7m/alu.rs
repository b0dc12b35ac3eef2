//! Arithmetic of the architecture's pseudocode (ARM DDI 0403E, sections A2.2.1 and A7.4.2), without processor state.

use super::ops::{ASR, LSL, LSR, ROR};

/// AddWithCarry: result, carry out, overflow.
#[inline(always)]
pub fn add_with_carry(a: u32, b: u32, carry: bool) -> (u32, bool, bool) {
    let (sum, carry_1) = a.overflowing_add(b);
    let (sum, carry_2) = sum.overflowing_add(u32::from(carry));
    (sum, carry_1 | carry_2, ((a ^ sum) & (b ^ sum)) >> 31 != 0)
}

/// Shift_C by any amount from 0 to 255: result, carry out. An amount of 0 leaves both alone; RRX has amount 1.
#[inline(always)]
pub fn shift_c(value: u32, kind: u8, amount: u8, carry: bool) -> (u32, bool) {
    if amount == 0 {
        return (value, carry);
    }
    let n = u32::from(amount);
    match kind {
        LSL if n < 32 => (value << n, (value >> (32 - n)) & 1 != 0),
        LSL => (0, n == 32 && value & 1 != 0),
        LSR if n < 32 => (value >> n, (value >> (n - 1)) & 1 != 0),
        LSR => (0, n == 32 && value >> 31 != 0),
        ASR if n < 32 => (((value as i32) >> n) as u32, (value >> (n - 1)) & 1 != 0),
        ASR => (((value as i32) >> 31) as u32, value >> 31 != 0),
        ROR => {
            let result = value.rotate_right(n & 31);
            (result, result >> 31 != 0)
        }
        _ => (value >> 1 | u32::from(carry) << 31, value & 1 != 0),
    }
}

/// ThumbExpandImm_C: the constant, and its carry where it has one.
pub fn expand_immediate(imm12: u32) -> (u32, Option<bool>) {
    let byte = imm12 & 0xFF;
    match imm12 >> 8 {
        0 => (byte, None),
        1 => (byte << 16 | byte, None),
        2 => (byte << 24 | byte << 8, None),
        3 => (byte * 0x0101_0101, None),
        _ => {
            let value = (0x80 | byte & 0x7F).rotate_right(imm12 >> 7);
            (value, Some(value >> 31 != 0))
        }
    }
}

/// SignedSatQ to `bits` (1..=32): result, saturated.
pub fn signed_saturate(value: i32, bits: u32) -> (u32, bool) {
    let top = ((1i64 << (bits - 1)) - 1) as i32;
    let result = value.clamp(-top - 1, top);
    (result as u32, result != value)
}

/// UnsignedSatQ to `bits` (0..=31): result, saturated.
pub fn unsigned_saturate(value: i32, bits: u32) -> (u32, bool) {
    let result = value.clamp(0, ((1u32 << bits) - 1) as i32);
    (result as u32, result != value)
}

/// Bits `lsb .. lsb + width`, as a mask; width 1..=32.
pub fn field_mask(lsb: u8, width: u32) -> u32 {
    (u32::MAX >> (32 - width.clamp(1, 32))) << (lsb & 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::v7m::ops::RRX;

    #[test]
    fn addition_gives_carry_and_overflow() {
        assert_eq!((0, true, false), add_with_carry(u32::MAX, 1, false));
        assert_eq!((0x8000_0000, false, true), add_with_carry(0x7FFF_FFFF, 0, true));
        // 5 - 5 as the architecture does it: no borrow is carry set.
        assert_eq!((0, true, false), add_with_carry(5, !5, true));
        assert_eq!((0xFFFF_FFFF, false, false), add_with_carry(4, !5, true));
        assert_eq!((u32::MAX, true, false), add_with_carry(u32::MAX, u32::MAX, true));
    }

    #[test]
    fn shifts_reach_past_the_word() {
        assert_eq!((0, true), shift_c(1, LSL, 32, false));
        assert_eq!((0, false), shift_c(u32::MAX, LSL, 33, true));
        assert_eq!((0, true), shift_c(0x8000_0000, LSR, 32, false));
        assert_eq!((0, false), shift_c(u32::MAX, LSR, 200, true));
        assert_eq!((u32::MAX, true), shift_c(0x8000_0000, ASR, 99, false));
        assert_eq!((0x8000_0001, true), shift_c(0x8000_0001, ROR, 32, false));
        assert_eq!((0x8000_0000, true), shift_c(1, RRX, 1, true));
        assert_eq!((7, true), shift_c(7, LSR, 0, true));
    }

    #[test]
    fn immediates_expand() {
        assert_eq!((0xAB, None), expand_immediate(0x0AB));
        assert_eq!((0x00AB_00AB, None), expand_immediate(0x1AB));
        assert_eq!((0xAB00_AB00, None), expand_immediate(0x2AB));
        assert_eq!((0xABAB_ABAB, None), expand_immediate(0x3AB));
        assert_eq!((0x8000_0000, Some(true)), expand_immediate(0x400));
        assert_eq!((0x0000_01FE, Some(false)), expand_immediate(0xFFF));
    }

    #[test]
    fn saturation_clamps() {
        assert_eq!((127, true), signed_saturate(128, 8));
        assert_eq!((-128i32 as u32, true), signed_saturate(-1000, 8));
        assert_eq!((i32::MIN as u32, false), signed_saturate(i32::MIN, 32));
        assert_eq!((0, true), unsigned_saturate(-1, 8));
        assert_eq!((0, true), unsigned_saturate(5, 0));
        assert_eq!((0x7FFF_FFFF, false), unsigned_saturate(0x7FFF_FFFF, 31));
    }

    #[test]
    fn masks_have_their_width() {
        assert_eq!(u32::MAX, field_mask(0, 32));
        assert_eq!(0xF0, field_mask(4, 4));
        assert_eq!(0x8000_0000, field_mask(31, 1));
    }
}

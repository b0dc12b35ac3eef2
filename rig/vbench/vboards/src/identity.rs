//! Serial numbers of virtual boards: patterns that silicon does not have, which the host recognises in the answer to
//! `identify` (rig/gpiorig/rig/bench/virtual_ids.py, which a test compares with this).
//!
//! STM32: the unique id is X and Y of the die on its wafer in BCD (bits 31 to 0), the number of the wafer (39 to 32) and
//! that of the lot, seven ASCII characters (95 to 40): RM0351 49.1. RM0008 30.2 names no fields (unverified: chips of the
//! F1 have the same ones). A virtual chip has the lot "VIRTUAL", and FFFF, which is not BCD, in the upper half of X and Y.
//!
//! nRF52840: DEVICEID is a random number of 64 bits (PS "FICR"); that of a virtual chip ends in "VIRT", as one in 2^32 of
//! silicon does.
//!
//! DS2411: family code 01h, 48 bits of serial number, CRC (Maxim 19-6131). The family code has to stay, since drivers check
//! it. The upper four bytes of the number are "VIRT" (unverified: Maxim does not publish which numbers were given out).

use crate::rng::{draw, Purpose};

const NOT_BCD: u32 = 0xFFFF_0000;

/// The three words of the unique id of an STM32; the wafer is the board, and the rest of X and Y is drawn.
pub fn stm32(seed: u64, board: u16) -> [u32; 3] {
    let drawn = draw(seed, Purpose::Identity, &[u64::from(board)], 0) as u32;
    [
        NOT_BCD | (drawn & 0xFFFF),
        u32::from_le_bytes([board as u8, b'V', b'I', b'R']),
        u32::from_le_bytes(*b"TUAL"),
    ]
}

/// The serial number of the DS2411 of a board, 48 bits, the first byte on the line lowest.
pub fn ds2411(board: u16) -> u64 {
    let number = board.wrapping_add(1).to_le_bytes();
    u64::from_le_bytes([number[0], number[1], b'V', b'I', b'R', b'T', 0, 0])
}

/// DEVICEID of an nRF52840 (64 bits, random in silicon), its word 1 "VIRT"; and what else the factory draws for a chip.
pub fn nrf52(seed: u64, board: u16) -> ([u32; 2], [u32; 10]) {
    let draw = |counter: u64| draw(seed, Purpose::Identity, &[u64::from(board)], counter) as u32;
    let mut drawn = [0; 10];
    for (index, word) in drawn.iter_mut().enumerate() {
        *word = draw(1 + index as u64);
    }
    let id = u32::from(board) | draw(0) << 16;
    ([id, u32::from_le_bytes(*b"VIRT")], drawn)
}

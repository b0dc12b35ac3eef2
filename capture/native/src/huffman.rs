//! Decoding tables for the prefix codes of DEFLATE (RFC 1951, section 3.2.2).
//!
//! A table is looked up with the next bits of the stream, first bit lowest. An entry holds
//!
//! | bits   | meaning                                                                        |
//! |--------|--------------------------------------------------------------------------------|
//! | 0..8   | bits to drop: those of the code, and the extra bits that follow it              |
//! | 8..12  | bits of the code alone; of a `SUBTABLE`, bits to look it up with                |
//! | 12     | `MATCH`: a length with its distance, in bits 16..25 and, less 1, 25..31         |
//! | 13..16 | `END`, `SUBTABLE`, `EXCEPTION`: set for both of these, and alone for no code    |
//! | 16..31 | a literal, the least length or distance, or the place of a subtable             |
//! | 31     | `LITERAL`                                                                       |

pub const LITERAL: u32 = 1 << 31;
pub const EXCEPTION: u32 = 1 << 15;
pub const SUBTABLE: u32 = 1 << 14;
pub const END: u32 = 1 << 13;
pub const MATCH: u32 = 1 << 12;
/// Longest code of the alphabets (RFC 1951, section 3.2.7).
pub const MAX_BITS: usize = 15;
/// Symbols of the largest alphabet.
pub const MAX_SYMBOLS: usize = 288;
/// The least of those that are lengths.
const FIRST_LENGTH: usize = 257;

/// What a symbol means: an entry without the bits of its code.
pub const fn literal(byte: u8) -> u32 {
    LITERAL | (byte as u32) << 16
}

pub const fn with_extra(base: u16, extra_bits: u8) -> u32 {
    (base as u32) << 16 | extra_bits as u32
}

pub const fn end() -> u32 {
    EXCEPTION | END
}

/// Length and distance of a `MATCH`.
#[inline(always)]
pub fn of_match(entry: u32) -> (usize, usize) {
    ((entry >> 16 & 0x1ff) as usize, (entry >> 25 & 0x3f) as usize + 1)
}

/// A distance that comes up often: the bits that stand for it, their number, and the distance.
#[derive(Clone, Copy, Default)]
pub struct Near {
    code: usize,
    bits: usize,
    distance: u32,
}

/// Distances whose bits may stand in one entry with those of a length.
pub const NEAREST: usize = 4;
const NEAR_BITS: usize = 5;
const MAX_NEAR: u32 = 1 << 6;

/// The near distances of a table of distances; returns how many there are in `nearest`.
pub fn near(table: &[u32], nearest: &mut [Near; NEAREST]) -> usize {
    let mut count = 0;
    for (code, &entry) in table[..1 << NEAR_BITS].iter().enumerate() {
        let (bits, length) = ((entry & 0xff) as usize, (entry >> 8 & 0xf) as usize);
        let distance = (entry >> 16) + (code as u32 >> length);
        let is_near = entry & EXCEPTION == 0 && bits <= NEAR_BITS && code >> bits == 0 && distance <= MAX_NEAR;
        if is_near && count < NEAREST {
            nearest[count] = Near { code, bits, distance };
            count += 1;
        }
    }
    count
}

/// Fill `table`, which is looked up with `bits` bits first, for the codes of these lengths (0: not used).
///
/// Where a length and one of the distances in `nearest` have room in `bits` bits, an entry holds both.
///
/// Returns false when the lengths are not those of a code. As in zlib, a code may be incomplete only when it has a single
/// code of one bit, or none.
pub fn build(lengths: &[u8], meanings: &[u32], bits: usize, nearest: &[Near], table: &mut [u32]) -> bool {
    let mut counts = [0u32; MAX_BITS + 1];
    for &length in lengths {
        counts[usize::from(length)] += 1;
    }
    counts[0] = 0;
    let longest = (1..=MAX_BITS).rev().find(|&length| counts[length] > 0).unwrap_or(0);
    let mut room = 1i32;
    let mut next = [0u32; MAX_BITS + 2];
    for length in 1..=MAX_BITS {
        room = (room << 1) - counts[length] as i32;
        if room < 0 {
            return false;
        }
        next[length + 1] = (next[length] + counts[length]) << 1;
    }
    if room > 0 {
        if longest > 1 {
            return false;
        }
        table[..1 << bits].fill(EXCEPTION);
    }
    let sub_bits = longest.saturating_sub(bits);
    let mut order = [0u16; MAX_SYMBOLS];
    let mut place = [0usize; MAX_BITS + 2];
    for length in 1..=MAX_BITS {
        place[length + 1] = place[length] + counts[length] as usize;
    }
    for (symbol, &length) in lengths.iter().enumerate().filter(|(_, &length)| length > 0) {
        order[place[usize::from(length)]] = symbol as u16;
        place[usize::from(length)] += 1;
    }
    let mut end = 1 << bits;
    let mut subtable: Option<(usize, usize)> = None; // first bits, place
    for &symbol in &order[..place[MAX_BITS]] {
        let symbol = usize::from(symbol);
        let length = usize::from(lengths[symbol]);
        let code = next[length].reverse_bits() as usize >> (32 - length);
        next[length] += 1;
        if length <= bits {
            let entry = meanings[symbol] + (length << 8 | length) as u32;
            for place in (code..1 << bits).step_by(1 << length) {
                table[place] = entry;
            }
            if symbol >= FIRST_LENGTH && !nearest.is_empty() {
                fill_matches(&mut table[..1 << bits], code, entry, nearest);
            }
            continue;
        }
        let first = code & ((1 << bits) - 1);
        let start = match subtable {
            Some((same, start)) if same == first => start,
            _ => {
                table[first] = EXCEPTION | SUBTABLE | (end as u32) << 16 | (sub_bits << 8 | bits) as u32;
                subtable = Some((first, end));
                end += 1 << sub_bits;
                end - (1 << sub_bits)
            }
        };
        let left = length - bits;
        let entry = meanings[symbol] + (left << 8 | left) as u32;
        for place in (code >> bits..1 << sub_bits).step_by(1 << left) {
            table[start + place] = entry;
        }
    }
    true
}

/// Replace the entries of a length by those that hold the distance after it too, where there is room.
fn fill_matches(table: &mut [u32], code: usize, entry: u32, nearest: &[Near]) {
    let (bits, code_bits) = ((entry & 0xff) as usize, (entry >> 8 & 0xf) as usize);
    for near in nearest {
        let all_bits = bits + near.bits;
        if 1 << all_bits > table.len() {
            continue;
        }
        for extra in 0..1 << (bits - code_bits) {
            let length = (entry >> 16) + extra as u32;
            let pattern = code | extra << code_bits | near.code << bits;
            let both = MATCH | (near.distance - 1) << 25 | length << 16 | all_bits as u32;
            for place in (pattern..table.len()).step_by(1 << all_bits) {
                table[place] = both;
            }
        }
    }
}

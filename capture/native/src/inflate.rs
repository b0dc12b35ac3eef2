//! DEFLATE (RFC 1951) into a [`Window`], resumable at any byte of the input.
//!
//! The bits ahead are compared with those of the last match as long as they repeat it, dozens of symbols at a time: a quiet
//! line is one match of 258 bytes again and again.

use crate::huffman::{self, end, literal, with_extra, END, EXCEPTION, LITERAL, MATCH, MAX_SYMBOLS, SUBTABLE};
use crate::window::{Window, Writer, LONGEST};

/// Bits that the tables are looked up with first: most codes are not longer.
const LITLEN_BITS: usize = 11;
const DISTANCE_BITS: usize = 9;
const PRECODE_BITS: usize = 7; // no code of this alphabet is longer
/// Places of a table with all subtables that can be: at most half of the symbols begin one, of 2^(15 - bits) places.
const LITLEN_SIZE: usize = 1 << 13;
const DISTANCE_SIZE: usize = 1 << 11;
/// Symbols in use (RFC 1951, sections 3.2.5 to 3.2.7), and what an encoder may announce.
const MAX_LITLEN: usize = 286;
const MAX_DISTANCE: usize = 30;
const PRECODE: usize = 19;
const PRECODE_ORDER: [usize; PRECODE] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
const END_OF_BLOCK: usize = 256;
/// Bytes ahead that the quick loop looks at, at most, for one symbol.
const AHEAD: usize = 32;
/// Bits that a refill promises.
const PROMISED: u32 = 56;

static LITLEN: [u32; MAX_SYMBOLS] = litlen_meanings();
static DISTANCE: [u32; 32] = distance_meanings();
static PRECODE_MEANINGS: [u32; PRECODE] = precode_meanings();

const fn litlen_meanings() -> [u32; MAX_SYMBOLS] {
    let mut meanings = [EXCEPTION; MAX_SYMBOLS];
    let mut symbol = 0;
    while symbol < END_OF_BLOCK {
        meanings[symbol] = literal(symbol as u8);
        symbol += 1;
    }
    meanings[END_OF_BLOCK] = end();
    let mut base = 3;
    symbol = END_OF_BLOCK + 1;
    while symbol < MAX_LITLEN - 1 {
        let extra = if symbol < 265 { 0 } else { (symbol - 261) / 4 };
        meanings[symbol] = with_extra(base, extra as u8);
        base += 1 << extra;
        symbol += 1;
    }
    meanings[symbol] = with_extra(LONGEST as u16, 0);
    meanings
}

const fn distance_meanings() -> [u32; 32] {
    let mut meanings = [EXCEPTION; 32];
    let mut base = 1;
    let mut symbol = 0;
    while symbol < MAX_DISTANCE {
        let extra = if symbol < 4 { 0 } else { symbol / 2 - 1 };
        meanings[symbol] = with_extra(base, extra as u8);
        base += 1 << extra;
        symbol += 1;
    }
    meanings
}

const fn precode_meanings() -> [u32; PRECODE] {
    let mut meanings = [0; PRECODE];
    let mut symbol = 0;
    while symbol < PRECODE {
        meanings[symbol] = with_extra(symbol as u16, 0);
        symbol += 1;
    }
    meanings
}

/// Why an inflater stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The input is used up.
    Input,
    /// The window must be read, and moved when it is full.
    Full,
    /// The stream is complete.
    End,
    /// This is not a DEFLATE stream.
    Malformed,
}

/// What comes next in the stream. Numbers, so that any memory is a valid state.
const HEADER: u32 = 0;
const CODES: u32 = 1;
const STORED: u32 = 2;
const DONE: u32 = 3;

#[repr(C)]
#[derive(Clone)]
pub struct Inflater {
    bits: u64,
    count: u32,
    phase: u32,
    is_last: u32,
    fixed: u32,
    /// Bytes of a stored block that are left.
    stored: u64,
    /// A match that had no room, or looks back to what was omitted from the window.
    length: u64,
    distance: usize,
    litlen: [u32; LITLEN_SIZE],
    distances: [u32; DISTANCE_SIZE],
}

/// The next bits of the stream, first bit lowest.
struct Bits<'a> {
    input: &'a [u8],
    at: usize,
    bits: u64,
    count: u32,
}

impl Bits<'_> {
    /// Make at least `PROMISED` bits ready; 8 bytes of input are ahead. Bits above `count` may be ready already.
    #[inline(always)]
    fn refill_quickly(&mut self) {
        let mut word = [0; 8];
        word.copy_from_slice(&self.input[self.at..self.at + 8]);
        self.bits |= u64::from_le_bytes(word) << self.count;
        self.at += (63 - self.count as usize) >> 3;
        self.count |= PROMISED;
    }

    fn refill(&mut self) {
        while self.count < PROMISED && self.at < self.input.len() {
            self.bits |= u64::from(self.input[self.at]) << self.count;
            self.at += 1;
            self.count += 8;
        }
    }

    #[inline(always)]
    fn drop(&mut self, count: u32) {
        self.bits >>= count;
        self.count -= count;
    }

    /// The next `count` bits, at most 16; none when the input ends before.
    fn take(&mut self, count: u32) -> Option<usize> {
        self.refill();
        if self.count < count {
            return None;
        }
        let value = low(self.bits, count);
        self.drop(count);
        Some(value as usize)
    }

    /// Give back complete bytes, and forget bits that do not count.
    fn settle(&mut self) {
        self.at -= (self.count / 8) as usize;
        self.count %= 8;
        self.bits = low(self.bits, self.count);
    }
}

#[inline(always)]
fn low(bits: u64, count: u32) -> u64 {
    bits & ((1u64 << count) - 1)
}

/// The number in an entry, and the extra bits that belong to it.
#[inline(always)]
fn with_extra_bits(entry: u32, bits: u64) -> usize {
    (entry >> 16) as usize + (low(bits, entry & 0xff) >> (entry >> 8 & 0xf)) as usize
}

impl Inflater {
    pub fn new() -> Self {
        Inflater {
            bits: 0,
            count: 0,
            phase: HEADER,
            is_last: 0,
            fixed: 0,
            stored: 0,
            length: 0,
            distance: 0,
            litlen: [0; LITLEN_SIZE],
            distances: [0; DISTANCE_SIZE],
        }
    }

    /// Make ready for another stream.
    pub fn begin(&mut self) {
        self.bits = 0;
        self.count = 0;
        self.phase = HEADER;
        self.is_last = 0;
        self.length = 0;
    }

    pub fn is_valid(&self) -> bool {
        self.count < 8 && self.bits < 1 << self.count && (self.length == 0 || self.distance > 0)
    }

    /// Read `input` until the window is full or the input used up; returns why, and the bytes used.
    ///
    /// What is not used has to come again with the next call, followed by more; less than a kilobyte is left.
    pub fn run(&mut self, input: &[u8], window: &mut Window) -> (Stop, usize) {
        let mut bits = Bits {
            input,
            at: 0,
            bits: self.bits,
            count: self.count,
        };
        let stop = self.blocks(&mut bits, window);
        bits.settle();
        self.bits = bits.bits;
        self.count = bits.count;
        (stop, bits.at)
    }

    fn blocks(&mut self, bits: &mut Bits<'_>, window: &mut Window) -> Stop {
        loop {
            if self.length > 0 {
                match window.repeat_long(self.distance, self.length) {
                    Some(left) => self.length = left,
                    None => return Stop::Malformed,
                }
            }
            if self.length > 0 || window.is_full() {
                return Stop::Full;
            }
            let stop = match self.phase {
                HEADER => {
                    let (before, bits_before, count_before) = (bits.at, bits.bits, bits.count);
                    let result = self.header(bits);
                    if result == Err(Stop::Input) {
                        (bits.at, bits.bits, bits.count) = (before, bits_before, count_before);
                    }
                    result
                }
                STORED => self.stored(bits, window),
                CODES => self.symbols(bits, window),
                _ => return Stop::End,
            };
            if let Err(stop) = stop {
                return stop;
            }
        }
    }

    fn end_block(&mut self) {
        self.phase = if self.is_last == 1 { DONE } else { HEADER };
    }

    fn header(&mut self, bits: &mut Bits<'_>) -> Result<(), Stop> {
        let first = bits.take(3).ok_or(Stop::Input)?;
        match first >> 1 {
            0 => {
                bits.drop(bits.count % 8);
                let length = bits.take(16).ok_or(Stop::Input)?;
                let inverted = bits.take(16).ok_or(Stop::Input)?;
                if length ^ inverted != 0xffff {
                    return Err(Stop::Malformed);
                }
                self.stored = length as u64;
                self.phase = STORED;
            }
            1 => {
                if self.fixed == 0 {
                    self.fixed_codes();
                }
                self.phase = CODES;
            }
            2 => {
                self.fixed = 0;
                self.dynamic_codes(bits)?;
                self.phase = CODES;
            }
            _ => return Err(Stop::Malformed),
        }
        self.is_last = (first & 1) as u32;
        Ok(())
    }

    /// RFC 1951, section 3.2.6.
    fn fixed_codes(&mut self) {
        let mut lengths = [8; MAX_SYMBOLS];
        lengths[144..256].fill(9);
        lengths[256..280].fill(7);
        huffman::build(&lengths, &LITLEN, LITLEN_BITS, &[], &mut self.litlen);
        huffman::build(&[5; 32], &DISTANCE, DISTANCE_BITS, &[], &mut self.distances);
        self.fixed = 1;
    }

    /// RFC 1951, section 3.2.7.
    fn dynamic_codes(&mut self, bits: &mut Bits<'_>) -> Result<(), Stop> {
        let litlens = 257 + bits.take(5).ok_or(Stop::Input)?;
        let distances = 1 + bits.take(5).ok_or(Stop::Input)?;
        let precodes = 4 + bits.take(4).ok_or(Stop::Input)?;
        if litlens > MAX_LITLEN || distances > MAX_DISTANCE {
            return Err(Stop::Malformed);
        }
        let mut lengths = [0u8; PRECODE];
        for &symbol in &PRECODE_ORDER[..precodes] {
            lengths[symbol] = bits.take(3).ok_or(Stop::Input)? as u8;
        }
        let mut precode = [0; 1 << PRECODE_BITS];
        // Unlike the others this code must be complete (zlib, inftrees.c).
        let is_code = huffman::build(&lengths, &PRECODE_MEANINGS, PRECODE_BITS, &[], &mut precode);
        if !is_code || precode.contains(&EXCEPTION) {
            return Err(Stop::Malformed);
        }
        let mut lengths = [0u8; MAX_LITLEN + MAX_DISTANCE];
        let all = litlens + distances;
        let mut have = 0;
        while have < all {
            bits.refill();
            let entry = precode[low(bits.bits, PRECODE_BITS as u32) as usize];
            bits.take(entry & 0xff).ok_or(Stop::Input)?;
            let (value, count) = match entry >> 16 {
                16 if have == 0 => return Err(Stop::Malformed),
                16 => (lengths[have - 1], 3 + bits.take(2).ok_or(Stop::Input)?),
                17 => (0, 3 + bits.take(3).ok_or(Stop::Input)?),
                18 => (0, 11 + bits.take(7).ok_or(Stop::Input)?),
                length => (length as u8, 1),
            };
            if have + count > all {
                return Err(Stop::Malformed);
            }
            lengths[have..have + count].fill(value);
            have += count;
        }
        let (litlen, rest) = lengths.split_at(litlens);
        let distance_lengths = &rest[..distances];
        if !huffman::build(distance_lengths, &DISTANCE, DISTANCE_BITS, &[], &mut self.distances) {
            return Err(Stop::Malformed);
        }
        let mut nearest = [huffman::Near::default(); huffman::NEAREST];
        let near = huffman::near(&self.distances, &mut nearest);
        let is_code = litlen[END_OF_BLOCK] > 0
            && huffman::build(litlen, &LITLEN, LITLEN_BITS, &nearest[..near], &mut self.litlen);
        if is_code {
            Ok(())
        } else {
            Err(Stop::Malformed)
        }
    }

    fn stored(&mut self, bits: &mut Bits<'_>, window: &mut Window) -> Result<(), Stop> {
        bits.settle(); // at a byte's end since the header
        let ahead = &bits.input[bits.at..];
        let count = window.extend(&ahead[..ahead.len().min(self.stored as usize)]);
        bits.at += count;
        self.stored -= count as u64;
        if self.stored == 0 {
            self.end_block();
            Ok(())
        } else if window.is_full() {
            Err(Stop::Full)
        } else {
            Err(Stop::Input)
        }
    }

    fn symbols(&mut self, bits: &mut Bits<'_>, window: &mut Window) -> Result<(), Stop> {
        if self.quick_symbols(bits, window)? {
            self.end_block();
            return Ok(());
        }
        bits.settle();
        while !window.is_full() {
            if bits.input.len() - bits.at > 2 * AHEAD {
                return Ok(()); // enough input for the quick loop
            }
            if self.symbol(bits, window)? {
                self.end_block();
                return Ok(());
            }
        }
        Ok(())
    }

    /// One symbol, where the input may end within it. True at the block's end.
    fn symbol(&mut self, bits: &mut Bits<'_>, window: &mut Window) -> Result<bool, Stop> {
        bits.refill();
        let (mut ahead, mut used) = (bits.bits, 0);
        let mut entry = self.litlen[low(ahead, LITLEN_BITS as u32) as usize];
        if entry & SUBTABLE != 0 {
            (ahead, used) = (ahead >> LITLEN_BITS, LITLEN_BITS as u32);
            entry = self.litlen[(entry >> 16) as usize + low(ahead, entry >> 8 & 0xf) as usize];
        }
        used += entry & 0xff;
        if used > bits.count {
            return Err(Stop::Input);
        }
        if entry & LITERAL != 0 {
            window.push((entry >> 16) as u8);
            bits.drop(used);
            return Ok(false);
        }
        if entry & EXCEPTION != 0 {
            let stop = if bits.count < huffman::MAX_BITS as u32 {
                Stop::Input
            } else {
                Stop::Malformed
            };
            bits.drop(used);
            return if entry & END != 0 { Ok(true) } else { Err(stop) };
        }
        if entry & MATCH != 0 {
            let (length, distance) = huffman::of_match(entry);
            bits.drop(used);
            return self.append(window, distance, length as u64).map(|()| false);
        }
        let length = with_extra_bits(entry, ahead);
        ahead = bits.bits >> used;
        let mut entry = self.distances[low(ahead, DISTANCE_BITS as u32) as usize];
        if entry & SUBTABLE != 0 {
            (ahead, used) = (ahead >> DISTANCE_BITS, used + DISTANCE_BITS as u32);
            entry = self.distances[(entry >> 16) as usize + low(ahead, entry >> 8 & 0xf) as usize];
        }
        used += entry & 0xff;
        if used > bits.count {
            return Err(Stop::Input);
        }
        if entry & EXCEPTION != 0 {
            return Err(Stop::Malformed);
        }
        let distance = with_extra_bits(entry, ahead);
        bits.drop(used);
        self.append(window, distance, length as u64).map(|()| false)
    }

    /// Append a match; what has no room, or has to wait until the window is read, is stored.
    #[inline(always)]
    fn append(&mut self, window: &mut Window, distance: usize, length: u64) -> Result<(), Stop> {
        match window.repeat_long(distance, length) {
            Some(0) => Ok(()),
            Some(left) => {
                (self.distance, self.length) = (distance, left);
                Err(Stop::Full)
            }
            None if window.is_left_out(distance) => {
                (self.distance, self.length) = (distance, length);
                Err(Stop::Full)
            }
            None => Err(Stop::Malformed),
        }
    }

    /// Symbols, as long as there is much input ahead and room in the window. True at the block's end.
    fn quick_symbols(&mut self, bits: &mut Bits<'_>, window: &mut Window) -> Result<bool, Stop> {
        #[cfg(target_arch = "x86_64")]
        if wide::is_available() {
            return wide::quick_symbols(self, bits, window);
        }
        self.quick_symbols_anywhere(bits, window)
    }

    #[inline(always)]
    fn quick_symbols_anywhere(&mut self, bits: &mut Bits<'_>, window: &mut Window) -> Result<bool, Stop> {
        let mut local = Bits { ..*bits }; // stays in registers
        let result = loop {
            let mut writer = window.writer();
            let event = quick_matches(&self.litlen, &self.distances, &mut local, &mut writer);
            window.end = writer.end;
            match event {
                Event::NoMore => break Ok(false),
                Event::End => break Ok(true),
                Event::Malformed => break Err(Stop::Malformed),
                Event::Match(distance, length) => {
                    if let Err(stop) = self.append(window, distance, length) {
                        break Err(stop);
                    }
                }
            }
        };
        *bits = local;
        result
    }
}

/// What ends the quick loop.
enum Event {
    /// Little input is ahead, or the window is full.
    NoMore,
    End,
    Malformed,
    /// Distance and length of a match that is long, or looks back where nothing is.
    Match(usize, u64),
}

#[inline(always)]
fn quick_matches(
    litlen: &[u32; LITLEN_SIZE],
    distances: &[u32; DISTANCE_SIZE],
    bits: &mut Bits<'_>,
    writer: &mut Writer<'_>,
) -> Event {
    let last = match bits.input.len().checked_sub(AHEAD) {
        Some(last) => last,
        None => return Event::NoMore,
    };
    while bits.at <= last && !writer.is_full() {
        bits.refill_quickly();
        let mut entry = litlen[low(bits.bits, LITLEN_BITS as u32) as usize];
        if entry & LITERAL != 0 {
            writer.push((entry >> 16) as u8);
            bits.drop(entry & 0xff);
            entry = litlen[low(bits.bits, LITLEN_BITS as u32) as usize];
            if entry & LITERAL != 0 {
                writer.push((entry >> 16) as u8);
                bits.drop(entry & 0xff);
                entry = litlen[low(bits.bits, LITLEN_BITS as u32) as usize];
                if entry & LITERAL != 0 {
                    writer.push((entry >> 16) as u8);
                    bits.drop(entry & 0xff);
                    continue;
                }
            }
        }
        if entry & MATCH != 0 {
            // Three literals leave 11 bits of those that a refill promises: enough for the look-up.
            let (pattern, width) = (bits.bits, entry & 0xff);
            let (length, distance) = huffman::of_match(entry);
            bits.drop(width);
            if length == LONGEST {
                let repetitions = repetitions(bits, last, pattern, width);
                return Event::Match(distance, LONGEST as u64 * (1 + repetitions));
            }
            if !writer.repeat(distance, length) {
                return Event::Match(distance, length as u64);
            }
            continue;
        }
        bits.refill_quickly();
        let (pattern, before) = (bits.bits, bits.count);
        if entry & EXCEPTION != 0 {
            if entry & SUBTABLE != 0 {
                bits.drop(LITLEN_BITS as u32);
                let place = (entry >> 16) as usize + low(bits.bits, entry >> 8 & 0xf) as usize;
                entry = litlen[place % LITLEN_SIZE];
                if entry & LITERAL != 0 {
                    writer.push((entry >> 16) as u8);
                    bits.drop(entry & 0xff);
                    continue;
                }
            }
            if entry & EXCEPTION != 0 {
                bits.drop(entry & 0xff);
                return if entry & END != 0 { Event::End } else { Event::Malformed };
            }
        }
        let length = with_extra_bits(entry, bits.bits);
        bits.drop(entry & 0xff);
        // A length has at most 15 + 5 bits and a distance 15 + 13: what a refill promises is enough for both.
        let mut entry = distances[low(bits.bits, DISTANCE_BITS as u32) as usize];
        if entry & EXCEPTION != 0 {
            if entry & SUBTABLE != 0 {
                bits.drop(DISTANCE_BITS as u32);
                let place = (entry >> 16) as usize + low(bits.bits, entry >> 8 & 0xf) as usize;
                entry = distances[place % DISTANCE_SIZE];
            }
            if entry & EXCEPTION != 0 {
                return Event::Malformed;
            }
        }
        let distance = with_extra_bits(entry, bits.bits);
        bits.drop(entry & 0xff);
        if length == LONGEST {
            let repetitions = repetitions(bits, last, pattern, before - bits.count);
            return Event::Match(distance, LONGEST as u64 * (1 + repetitions));
        }
        if !writer.repeat(distance, length) {
            return Event::Match(distance, length as u64);
        }
    }
    Event::NoMore
}

impl Default for Inflater {
    fn default() -> Self {
        Inflater::new()
    }
}

/// Drop the bits that repeat the `width` bits of `pattern`, and tell how often they do.
#[inline(always)]
fn repetitions(bits: &mut Bits<'_>, last: usize, pattern: u64, width: u32) -> u64 {
    let mut repeated = low(pattern, width);
    let mut have = width;
    while have < 64 {
        repeated |= repeated << have;
        have *= 2;
    }
    let each = PROMISED / width;
    let compared = each * width;
    let mut count = 0;
    loop {
        if bits.at > last {
            return count;
        }
        bits.refill_quickly();
        let different = low(bits.bits ^ repeated, compared);
        if different != 0 {
            let same = different.trailing_zeros() / width;
            bits.drop(same * width);
            return count + u64::from(same);
        }
        bits.drop(compared);
        count += u64::from(each);
    }
}

/// The quick loop, compiled for wider registers and shifts that leave the flags alone.
#[cfg(target_arch = "x86_64")]
mod wide {
    use super::{Bits, Inflater, Stop, Window};

    pub fn is_available() -> bool {
        is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("bmi2")
    }

    pub(super) fn quick_symbols(
        inflater: &mut Inflater,
        bits: &mut Bits<'_>,
        window: &mut Window,
    ) -> Result<bool, Stop> {
        // SAFETY: the caller asked `is_available`.
        unsafe { quick_symbols_wide(inflater, bits, window) }
    }

    #[target_feature(enable = "avx2,bmi1,bmi2")]
    unsafe fn quick_symbols_wide(
        inflater: &mut Inflater,
        bits: &mut Bits<'_>,
        window: &mut Window,
    ) -> Result<bool, Stop> {
        inflater.quick_symbols_anywhere(bits, window)
    }
}

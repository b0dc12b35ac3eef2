//! Edges into DEFLATE (RFC 1951), without the samples between them.
//!
//! A byte that equals the one a sample before it belongs to a match; every other is a literal. So all matches have the same
//! distance, and what is between two changes costs two bits for 258 bytes, whatever its length.

use crate::crc;
use crate::huffman::MAX_BITS;
use crate::window::LONGEST;

const SYMBOLS: usize = 286;
const END_OF_BLOCK: usize = 256;
const SHORTEST: u64 = 3;
/// Symbol of the longest match.
const LONGEST_SYMBOL: usize = 285;
/// The alphabet of code lengths (RFC 1951, section 3.2.7): its size, its longest code, and the order it is sent in.
const PRECODE: usize = 19;
const PRECODE_BITS: usize = 7;
const PRECODE_ORDER: [usize; PRECODE] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
/// Symbols 17 and 18 stand for 3 to 10 and 11 to 138 times the length 0.
const ZEROS: (usize, usize) = (3, 10);
const MANY_ZEROS: (usize, usize) = (11, 138);
/// Runs of equal samples that are longer go into the CRC at once.
const LONG_RUN: u64 = 512;
/// Bytes of other runs that go into the CRC together.
const SHORT_BYTES: usize = 1 << 12;

/// Edges in `start..end`, sample numbers; the first row tells the levels at `start`.
#[derive(Clone, Copy)]
pub struct Rows<'a> {
    pub samples: &'a [i64],
    pub levels: &'a [u64],
    pub start: i64,
    pub end: i64,
    /// Bytes per sample, 1 to 8.
    pub unit: usize,
}

impl Rows<'_> {
    pub fn is_valid(&self) -> bool {
        let inside = |pair: &[i64]| pair[0] < pair[1];
        self.samples.len() == self.levels.len()
            && matches!(self.unit, 1..=8)
            && self.samples.first().map_or(false, |&first| first <= self.start)
            && self.samples.get(1).map_or(true, |&second| second > self.start)
            && self.samples.last().map_or(false, |&last| last < self.end)
            && self.samples.windows(2).all(inside)
            && self.start < self.end
            && self.end.checked_sub(self.start).map_or(false, |count| count < 1 << 48)
    }

    /// Level and number of samples of each run.
    fn runs(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let ends = self.samples[1..].iter().copied().chain([self.end]);
        let starts = [self.start].into_iter().chain(self.samples[1..].iter().copied());
        let counts = starts.zip(ends).map(|(start, end)| (end - start) as u64);
        self.levels.iter().copied().zip(counts)
    }

    /// Give `out` every literal, and the length of every run of bytes that equal those a sample before them.
    fn symbols(&self, out: &mut impl Symbols) {
        let unit = self.unit;
        let (mut equal, mut before, mut is_first) = (0, [0; 8], true);
        for (level, count) in self.runs() {
            let bytes = level.to_le_bytes();
            for place in 0..unit {
                if !is_first && bytes[place] == before[place] {
                    equal += 1;
                    continue;
                }
                let byte_back = |back| {
                    if back <= place {
                        bytes[place - back]
                    } else {
                        before[(2 * unit + place - back) % unit]
                    }
                };
                emit_run(equal, byte_back, out);
                equal = 0;
                out.literal(bytes[place]);
            }
            equal += (count - 1) * unit as u64;
            (before, is_first) = (bytes, false);
        }
        emit_run(equal, |back| before[(2 * unit - back) % unit], out);
    }

    fn crc(&self) -> u32 {
        let mut state = crc::START;
        let mut short = [0; SHORT_BYTES + LONG_RUN as usize + 8];
        let mut length = 0;
        for (level, count) in self.runs() {
            let bytes = level.to_le_bytes();
            if count * self.unit as u64 > LONG_RUN {
                state = crc::update_run(crc::update(state, &short[..length]), &bytes[..self.unit], count);
                length = 0;
                continue;
            }
            for _ in 0..count {
                short[length..length + 8].copy_from_slice(&bytes); // the next sample goes over the bytes too many
                length += self.unit;
            }
            if length >= SHORT_BYTES {
                state = crc::update(state, &short[..length]);
                length = 0;
            }
        }
        !crc::update(state, &short[..length])
    }
}

/// What a stream is made of.
trait Symbols {
    fn literal(&mut self, byte: u8);
    /// Matches of the greatest length, one after the other.
    fn longest(&mut self, count: u64);
    /// A match of 3 to 257 bytes.
    fn shorter(&mut self, length: u64);
}

/// `equal` bytes by matches, or as literals if they are too few; `byte_back` gives the last ones.
fn emit_run(equal: u64, byte_back: impl Fn(usize) -> u8, out: &mut impl Symbols) {
    let (longest, rest) = (equal / LONGEST as u64, equal % LONGEST as u64);
    if equal < SHORTEST {
        for back in (1..=equal as usize).rev() {
            out.literal(byte_back(back));
        }
    } else if rest == 0 {
        out.longest(longest);
    } else if rest < SHORTEST {
        out.longest(longest - 1);
        out.shorter(LONGEST as u64 + rest - SHORTEST);
        out.shorter(SHORTEST);
    } else {
        out.longest(longest);
        out.shorter(rest);
    }
}

/// Symbol, extra bits and their number, of a length below the greatest (RFC 1951, section 3.2.5).
fn length_symbol(length: u64) -> (usize, u64, u32) {
    let above = length - SHORTEST;
    if above < 8 {
        return (257 + above as usize, 0, 0);
    }
    let extra = 61 - above.leading_zeros(); // above is 4 to 7 times 2^extra, and more
    let symbol = 261 + 4 * extra as usize + (above >> extra) as usize - 4;
    (symbol, above & ((1 << extra) - 1), extra)
}

/// Symbol, extra bits and their number, of a distance of one sample.
fn distance_symbol(unit: usize) -> (usize, u64, u32) {
    match unit {
        1..=4 => (unit - 1, 0, 0),
        5 | 6 => (4, unit as u64 - 5, 1),
        _ => (5, unit as u64 - 7, 1),
    }
}

/// How often each symbol occurs.
struct Counts([u64; SYMBOLS]);

impl Symbols for Counts {
    fn literal(&mut self, byte: u8) {
        self.0[usize::from(byte)] += 1;
    }

    fn longest(&mut self, count: u64) {
        self.0[LONGEST_SYMBOL] += count;
    }

    fn shorter(&mut self, length: u64) {
        self.0[length_symbol(length).0] += 1;
    }
}

/// A prefix code: of each symbol its bits, in the order they are sent, and their number.
struct Code<const N: usize> {
    bits: [u16; N],
    lengths: [u8; N],
}

impl<const N: usize> Code<N> {
    /// Huffman's code for these counts, of which two at least are not 0; none longer than `limit` bits.
    fn new(counts: &[u64; N], limit: usize) -> Self {
        let mut counts = *counts;
        let mut lengths = huffman_lengths(&counts);
        while lengths.iter().any(|&length| usize::from(length) > limit) {
            for count in counts.iter_mut().filter(|count| **count > 0) {
                *count = *count / 2 + 1; // flatter counts have shorter codes
            }
            lengths = huffman_lengths(&counts);
        }
        let mut bits = [0; N];
        let mut next = 0u32;
        for length in 1..=limit as u32 {
            for symbol in (0..N).filter(|&symbol| u32::from(lengths[symbol]) == length) {
                bits[symbol] = (next.reverse_bits() >> (32 - length)) as u16;
                next += 1;
            }
            next <<= 1;
        }
        Code { bits, lengths }
    }
}

fn huffman_lengths<const N: usize>(counts: &[u64; N]) -> [u8; N] {
    let mut leaves: Vec<usize> = (0..N).filter(|&symbol| counts[symbol] > 0).collect();
    leaves.sort_by_key(|&symbol| counts[symbol]);
    let mut weights: Vec<u64> = leaves.iter().map(|&symbol| counts[symbol]).collect();
    let count = leaves.len();
    let mut parents = vec![0; 2 * count];
    // Two queues, both in increasing order: leaves, and the nodes made of two of either.
    let (mut leaf, mut node) = (0, count);
    while weights.len() + 1 < 2 * count {
        let mut sum = 0;
        for _ in 0..2 {
            let take_leaf = leaf < count && (node == weights.len() || weights[leaf] <= weights[node]);
            let child = if take_leaf { &mut leaf } else { &mut node };
            sum += weights[*child];
            parents[*child] = weights.len();
            *child += 1;
        }
        weights.push(sum);
    }
    let mut depths = vec![0u8; weights.len()];
    for node in (0..weights.len().saturating_sub(1)).rev() {
        depths[node] = depths[parents[node]].saturating_add(1);
    }
    let mut lengths = [0; N];
    for (place, &symbol) in leaves.iter().enumerate() {
        lengths[symbol] = depths[place];
    }
    lengths
}

/// Writes bits, first bit lowest, until there is no room.
struct BitWriter<'a> {
    out: &'a mut [u8],
    at: usize,
    bits: u64,
    count: u32,
    is_full: bool,
}

impl BitWriter<'_> {
    /// At most 32 bits.
    fn put(&mut self, bits: u64, count: u32) {
        self.bits |= bits << self.count;
        self.count += count;
        if self.count >= 32 {
            match self.out.get_mut(self.at..self.at + 4) {
                Some(place) => place.copy_from_slice(&(self.bits as u32).to_le_bytes()),
                None => self.is_full = true,
            }
            self.at += 4;
            self.bits >>= 32;
            self.count -= 32;
        }
    }

    /// The length of the stream; none if it had no room.
    fn finish(mut self) -> Option<usize> {
        while self.count > 0 {
            *self.out.get_mut(self.at)? = self.bits as u8;
            self.at += 1;
            self.bits >>= 8;
            self.count = self.count.saturating_sub(8);
        }
        (!self.is_full).then_some(self.at)
    }
}

struct Encoder<'a> {
    writer: BitWriter<'a>,
    code: Code<SYMBOLS>,
    /// A match's distance: one bit, and the extra bits.
    distance: u64,
    distance_bits: u32,
}

impl Symbols for Encoder<'_> {
    fn literal(&mut self, byte: u8) {
        let symbol = usize::from(byte);
        self.writer
            .put(u64::from(self.code.bits[symbol]), u32::from(self.code.lengths[symbol]));
    }

    fn longest(&mut self, count: u64) {
        let bits = u32::from(self.code.lengths[LONGEST_SYMBOL]);
        let (mut pattern, mut width) = (
            u64::from(self.code.bits[LONGEST_SYMBOL]) | self.distance << bits,
            bits + self.distance_bits,
        );
        let (mut copies, mut left) = (1, count);
        while left > copies && width <= 16 {
            pattern |= pattern << width;
            width *= 2;
            copies *= 2;
        }
        while left >= copies {
            self.writer.put(pattern, width);
            left -= copies;
        }
        let rest = width / copies as u32 * left as u32;
        self.writer.put(pattern & ((1 << rest) - 1), rest);
    }

    fn shorter(&mut self, length: u64) {
        let (symbol, extra, extra_bits) = length_symbol(length);
        let bits = u32::from(self.code.lengths[symbol]);
        self.writer
            .put(u64::from(self.code.bits[symbol]) | extra << bits, bits + extra_bits);
        self.writer.put(self.distance, self.distance_bits);
    }
}

/// Write samples as one DEFLATE stream; returns its length and the CRC of the samples, or nothing if `out` is too small.
pub fn deflate(rows: &Rows<'_>, out: &mut [u8]) -> Option<(usize, u32)> {
    let mut counts = Counts([0; SYMBOLS]);
    counts.0[END_OF_BLOCK] = 1;
    rows.symbols(&mut counts);
    let code = Code::new(&counts.0, MAX_BITS);
    let (distance, extra, extra_bits) = distance_symbol(rows.unit);
    let mut writer = BitWriter {
        out,
        at: 0,
        bits: 0,
        count: 0,
        is_full: false,
    };
    write_header(&mut writer, &code, distance);
    let mut encoder = Encoder {
        writer,
        distance: extra << 1, // the one distance code is a single 0
        distance_bits: 1 + extra_bits,
        code,
    };
    rows.symbols(&mut encoder);
    let end_bits = u32::from(encoder.code.lengths[END_OF_BLOCK]);
    encoder.writer.put(u64::from(encoder.code.bits[END_OF_BLOCK]), end_bits);
    Some((encoder.writer.finish()?, rows.crc()))
}

/// The head of a block with codes of its own, the last of the stream (RFC 1951, section 3.2.7).
fn write_header(writer: &mut BitWriter<'_>, code: &Code<SYMBOLS>, distance: usize) {
    let used = 1 + code
        .lengths
        .iter()
        .rposition(|&length| length > 0)
        .unwrap_or(END_OF_BLOCK);
    let mut lengths = code.lengths[..used].to_vec();
    lengths.resize(used + distance, 0);
    lengths.push(1);
    let symbols = length_symbols(&lengths);
    let mut counts = [0; PRECODE];
    for &(symbol, _, _) in &symbols {
        counts[symbol] += 1;
    }
    let precode = Code::new(&counts, PRECODE_BITS);
    let sent = PRECODE_ORDER
        .iter()
        .rposition(|&symbol| precode.lengths[symbol] > 0)
        .unwrap_or(0)
        .max(3)
        + 1;
    writer.put(0b101, 3); // the last block; codes of its own
    writer.put(used as u64 - 257, 5);
    writer.put(distance as u64, 5);
    writer.put(sent as u64 - 4, 4);
    for &symbol in &PRECODE_ORDER[..sent] {
        writer.put(u64::from(precode.lengths[symbol]), 3);
    }
    for (symbol, extra, extra_bits) in symbols {
        let bits = u32::from(precode.lengths[symbol]);
        writer.put(u64::from(precode.bits[symbol]) | extra << bits, bits + extra_bits);
    }
}

/// Code lengths as symbols with extra bits: zeros together, every other alone.
fn length_symbols(lengths: &[u8]) -> Vec<(usize, u64, u32)> {
    let mut symbols = Vec::new();
    let mut at = 0;
    while at < lengths.len() {
        let zeros = lengths[at..]
            .iter()
            .take(MANY_ZEROS.1)
            .take_while(|&&length| length == 0)
            .count();
        if zeros < ZEROS.0 {
            symbols.push((usize::from(lengths[at]), 0, 0));
            at += 1;
            continue;
        }
        symbols.push(match zeros {
            few if few <= ZEROS.1 => (17, (few - ZEROS.0) as u64, 3),
            many => (18, (many - MANY_ZEROS.0) as u64, 7),
        });
        at += zeros;
    }
    symbols
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::member::{Reader, COMPLETE, DEFLATED};

    #[test]
    fn what_is_deflated_is_read() {
        for unit in 1..=8 {
            let levels: Vec<u64> = (0..60u64)
                .map(|n| (n.wrapping_mul(n) % 251) << (8 * (n as usize % unit)))
                .collect();
            let samples: Vec<i64> = (0..60).map(|n: i64| 5 + n * n * n).collect();
            let rows = Rows {
                samples: &samples,
                levels: &levels,
                start: 5,
                end: samples[59] + 7,
                unit,
            };
            let mut out = vec![0; 1 << 16];
            let (length, crc) = deflate(&rows, &mut out).unwrap();
            let bytes = (rows.end - rows.start) as u64 * unit as u64;
            let mut reader = Reader::new(unit as u32, u64::MAX);
            assert!(reader.begin(DEFLATED, bytes));
            let (mut read_back, mut read_levels) = ([0; 99], [0; 99]);
            let (count, _) = reader.feed(&out[..length], &mut read_back, &mut read_levels);

            assert_eq!(
                (COMPLETE, bytes, crc),
                (reader.head.status, reader.head.bytes, reader.head.crc)
            );
            assert_eq!(
                samples.iter().map(|sample| sample - 5).collect::<Vec<_>>(),
                read_back[..count]
            );
            assert_eq!(levels, read_levels[..count]);
        }
    }

    #[test]
    fn codes_are_no_longer_than_allowed() {
        let (mut counts, mut a, mut b) = ([0; 40], 1u64, 1u64);
        for count in &mut counts {
            (*count, a, b) = (a, b, a + b); // Fibonacci's numbers make the longest codes
        }
        let code = Code::new(&counts, MAX_BITS);
        let kraft: f64 = code.lengths.iter().map(|&length| 0.5f64.powi(i32::from(length))).sum();

        assert!(code.lengths.iter().all(|&length| (1..=15).contains(&length)));
        assert_eq!(1.0, kraft);
    }

    #[test]
    fn an_output_that_is_too_small_gives_nothing() {
        let rows = Rows {
            samples: &[0],
            levels: &[1],
            start: 0,
            end: 9,
            unit: 1,
        };
        assert_eq!(None, deflate(&rows, &mut [0; 4]));
    }
}

//! Edges of samples in memory: where a sample differs from the one before it.

/// Largest sample, in bytes.
pub const MAX_UNIT: usize = 8;

/// Where edges go: two slices of one length.
pub struct Sink<'a> {
    pub samples: &'a mut [i64],
    pub levels: &'a mut [u64],
    pub count: usize,
}

impl Sink<'_> {
    pub fn is_full(&self) -> bool {
        self.count == self.samples.len()
    }

    #[inline(always)]
    pub fn push(&mut self, sample: i64, level: u64) {
        self.samples[self.count] = sample;
        self.levels[self.count] = level;
        self.count += 1;
    }
}

/// Samples of `unit` bytes, of which the bits in `mask` are in use.
#[derive(Clone, Copy)]
pub struct Format {
    pub unit: usize,
    pub mask: u64,
}

impl Format {
    /// Find the edges among the samples that begin in `bytes[from..to]`, until `sink` is full; returns where it stopped.
    ///
    /// Before `from` there is a sample, and `to` is an integer number of samples later. The sample at `from` has the number
    /// `position`.
    pub fn scan(self, bytes: &[u8], from: usize, to: usize, position: i64, sink: &mut Sink<'_>) -> usize {
        debug_assert!(from >= self.unit && (to - from) % self.unit == 0 && to <= bytes.len());
        #[cfg(target_arch = "x86_64")]
        if wide::is_available() {
            let stopped = match self.unit {
                1 => wide::scan::<1>(self.mask, bytes, from, to, position, sink),
                2 => wide::scan::<2>(self.mask, bytes, from, to, position, sink),
                4 => wide::scan::<4>(self.mask, bytes, from, to, position, sink),
                8 => wide::scan::<8>(self.mask, bytes, from, to, position, sink),
                _ => from,
            };
            let scanned = ((stopped - from) / self.unit) as i64;
            return self.scan_portable(bytes, stopped, to, position + scanned, sink);
        }
        self.scan_portable(bytes, from, to, position, sink)
    }

    fn scan_portable(self, bytes: &[u8], from: usize, to: usize, position: i64, sink: &mut Sink<'_>) -> usize {
        match self.unit {
            1 => self.scan_units::<1>(bytes, from, to, position, sink),
            2 => self.scan_units::<2>(bytes, from, to, position, sink),
            3 => self.scan_units::<3>(bytes, from, to, position, sink),
            4 => self.scan_units::<4>(bytes, from, to, position, sink),
            5 => self.scan_units::<5>(bytes, from, to, position, sink),
            6 => self.scan_units::<6>(bytes, from, to, position, sink),
            7 => self.scan_units::<7>(bytes, from, to, position, sink),
            _ => self.scan_units::<8>(bytes, from, to, position, sink),
        }
    }

    fn scan_units<const UNIT: usize>(
        self,
        bytes: &[u8],
        from: usize,
        to: usize,
        mut position: i64,
        sink: &mut Sink<'_>,
    ) -> usize {
        let block = 8 * UNIT;
        let mut at = from;
        let mut before = value(&bytes[at - UNIT..at]) & self.mask;
        while at < to {
            while at + block <= to && bytes[at..at + block] == bytes[at - UNIT..at + block - UNIT] {
                at += block;
                position += 8;
            }
            let stop = to.min(at + block);
            while at < stop {
                let level = value(&bytes[at..at + UNIT]) & self.mask;
                if level != before {
                    if sink.is_full() {
                        return at;
                    }
                    sink.push(position, level);
                    before = level;
                }
                at += UNIT;
                position += 1;
            }
        }
        to
    }
}

/// A sample, little endian, as a number.
#[inline(always)]
pub fn value(bytes: &[u8]) -> u64 {
    let mut wide = [0; MAX_UNIT];
    wide[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(wide)
}

/// 64 bytes at a time.
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_op_in_unsafe_fn)] // intrinsics are unsafe in the oldest rustc we support, and safe in later ones
mod wide {
    use super::{value, Sink};
    use std::arch::x86_64::*;

    const BLOCK: usize = 64;
    const AT_ONCE: usize = 4;

    pub fn is_available() -> bool {
        is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi1") && is_x86_feature_detected!("popcnt")
    }

    /// As [`super::Format::scan`], but stops up to a block earlier, where the sink has no room for all samples of a block or
    /// the bytes end.
    pub fn scan<const UNIT: usize>(
        mask: u64,
        bytes: &[u8],
        from: usize,
        to: usize,
        position: i64,
        sink: &mut Sink<'_>,
    ) -> usize {
        // SAFETY: the caller asked `is_available`.
        unsafe { scan_wide::<UNIT>(mask, bytes, from, to, position, sink) }
    }

    #[target_feature(enable = "avx2,bmi1,popcnt")]
    unsafe fn scan_wide<const UNIT: usize>(
        mask: u64,
        bytes: &[u8],
        from: usize,
        to: usize,
        position: i64,
        sink: &mut Sink<'_>,
    ) -> usize {
        let used = match UNIT {
            1 => _mm256_set1_epi8(mask as i8),
            2 => _mm256_set1_epi16(mask as i16),
            4 => _mm256_set1_epi32(mask as i32),
            _ => _mm256_set1_epi64x(mask as i64),
        };
        let room = BLOCK / UNIT;
        let mut at = from;
        while at + BLOCK <= to && at + BLOCK + UNIT <= bytes.len() && sink.samples.len() - sink.count >= room {
            let now = &bytes[at..at + BLOCK + UNIT];
            let before = &bytes[at - UNIT..at - UNIT + BLOCK];
            let low = _mm256_xor_si256(load(now), load(before));
            let high = _mm256_xor_si256(load(&now[32..]), load(&before[32..]));
            if _mm256_testz_si256(_mm256_or_si256(low, high), used) == 0 {
                let same = u64::from(equal::<UNIT>(_mm256_and_si256(low, used)))
                    | u64::from(equal::<UNIT>(_mm256_and_si256(high, used))) << 32;
                let mut changed = !same & first_bytes::<UNIT>();
                let base = position + ((at - from) / UNIT) as i64;
                let end = sink.count + changed.count_ones() as usize;
                let mut out = sink.samples[sink.count..]
                    .iter_mut()
                    .zip(&mut sink.levels[sink.count..]);
                loop {
                    // Four at once, some for nothing, are cheaper than a branch that depends on their number.
                    for (sample, out_level) in (&mut out).take(AT_ONCE) {
                        let place = changed.trailing_zeros() as usize;
                        *sample = base + (place / UNIT) as i64;
                        *out_level = value(&now[place..place + UNIT]) & mask;
                        changed &= changed.wrapping_sub(1);
                    }
                    if changed == 0 {
                        break;
                    }
                }
                sink.count = end;
            }
            at += BLOCK;
        }
        at
    }

    /// # Safety
    /// `bytes` has 32 bytes or more.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn load(bytes: &[u8]) -> __m256i {
        debug_assert!(bytes.len() >= 32);
        _mm256_loadu_si256(bytes.as_ptr().cast())
    }

    /// A bit for each byte: whether its sample is zero.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn equal<const UNIT: usize>(difference: __m256i) -> u32 {
        let zero = _mm256_setzero_si256();
        let same = match UNIT {
            1 => _mm256_cmpeq_epi8(difference, zero),
            2 => _mm256_cmpeq_epi16(difference, zero),
            4 => _mm256_cmpeq_epi32(difference, zero),
            _ => _mm256_cmpeq_epi64(difference, zero),
        };
        _mm256_movemask_epi8(same) as u32
    }

    /// A bit for each byte that begins a sample.
    const fn first_bytes<const UNIT: usize>() -> u64 {
        match UNIT {
            1 => u64::MAX,
            2 => 0x5555_5555_5555_5555,
            4 => 0x1111_1111_1111_1111,
            _ => 0x0101_0101_0101_0101,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes that often equal those a sample before, from a multiplicative generator.
    fn samples(unit: usize, count: usize, seed: u32) -> Vec<u8> {
        let mut state = seed | 1;
        let mut bytes = vec![0; unit];
        for _ in 0..count * unit {
            state = state.wrapping_mul(747_796_405);
            let before = bytes[bytes.len() - unit];
            bytes.push(if state >> 28 == 0 {
                before ^ (state >> 20) as u8
            } else {
                before
            });
        }
        bytes
    }

    fn all(
        format: Format,
        bytes: &[u8],
        room: usize,
        scan: impl Fn(usize, i64, &mut Sink<'_>) -> usize,
    ) -> Vec<(i64, u64)> {
        let (mut samples, mut levels) = (vec![0; room], vec![0; room]);
        let (mut rows, mut from) = (Vec::new(), format.unit);
        while from < bytes.len() {
            let mut sink = Sink {
                samples: &mut samples,
                levels: &mut levels,
                count: 0,
            };
            from = scan(from, (from / format.unit) as i64, &mut sink);
            let count = sink.count;
            rows.extend(samples[..count].iter().copied().zip(levels[..count].iter().copied()));
        }
        rows
    }

    #[test]
    fn wide_and_portable_scans_agree_whatever_the_room() {
        for unit in 1..=MAX_UNIT {
            for (seed, mask) in [(1, u64::MAX), (2, 0x0f0f_0f0f_0f0f_0f0f), (3, 1)] {
                let format = Format { unit, mask };
                let bytes = samples(unit, 3000, seed);
                let end = bytes.len();
                let expected = all(format, &bytes, 7, |from, position, sink| {
                    format.scan_portable(&bytes, from, end, position, sink)
                });
                assert!(expected.len() > 20);
                for room in [1, 70, 5000] {
                    let rows = all(format, &bytes, room, |from, position, sink| {
                        format.scan(&bytes, from, end, position, sink)
                    });
                    assert_eq!(expected, rows, "unit {} room {}", unit, room);
                }
            }
        }
    }
}

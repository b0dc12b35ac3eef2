//! CRC-32 as zip files carry it, over bytes, and over a long run of equal samples in constant time.
//!
//! A CRC is a polynomial over GF(2) modulo P, the polynomial of IEEE 802.3 (also RFC 1952, section 8). In a `u32` the
//! coefficient of x^0 is the highest bit. P is irreducible, so the remainders are a field: a pattern of `unit` bytes
//! repeated m times is a geometric sum, (pattern) (x^(8 unit m) - 1) / (x^(8 unit) - 1).
//!
//! The state between bytes is the CRC before the final inversion; it begins with all ones.

/// P without x^32, lowest power in the highest bit (RFC 1952, section 8.1.1).
const POLYNOMIAL: u32 = 0xedb8_8320;
/// x^0.
const ONE: u32 = 1 << 31;
/// State before the first byte.
pub const START: u32 = u32::MAX;
/// Bytes that the portable version reads at once.
const SLICE: usize = 16;
/// Largest sample, in bytes.
const MAX_UNIT: usize = 8;

/// What a byte does to the CRC, 0 to 15 bytes before the last.
static BYTE: [[u32; 256]; SLICE] = byte_tables();
/// x^(8 n 256^k), for n below 256 and k below 4.
static BYTES_POWER: [[u32; 256]; 4] = power_tables();
/// 1 / (x^(8 unit) - 1), by unit.
static GEOMETRIC: [u32; MAX_UNIT + 1] = geometric();

const fn byte_tables() -> [[u32; 256]; SLICE] {
    let mut tables = [[0; 256]; SLICE];
    let mut byte = 0;
    while byte < 256 {
        let mut state = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            state = times_x(state);
            bit += 1;
        }
        tables[0][byte] = state;
        byte += 1;
    }
    let mut before = 1;
    while before < SLICE {
        byte = 0;
        while byte < 256 {
            let state = tables[before - 1][byte];
            tables[before][byte] = state >> 8 ^ tables[0][(state & 0xff) as usize];
            byte += 1;
        }
        before += 1;
    }
    tables
}

const fn power_tables() -> [[u32; 256]; 4] {
    let mut tables = [[ONE; 256]; 4];
    let mut step = ONE >> 8; // x^8
    let mut digit = 0;
    while digit < 4 {
        let mut n = 1;
        while n < 256 {
            tables[digit][n] = product_portable(tables[digit][n - 1], step);
            n += 1;
        }
        step = product_portable(tables[digit][255], step);
        digit += 1;
    }
    tables
}

const fn geometric() -> [u32; MAX_UNIT + 1] {
    let mut inverses = [0; MAX_UNIT + 1];
    let mut unit = 1;
    let mut power = ONE;
    while unit <= MAX_UNIT {
        power = product_portable(power, ONE >> 8);
        inverses[unit] = inverse(power ^ ONE);
        unit += 1;
    }
    inverses
}

const fn times_x(a: u32) -> u32 {
    a >> 1 ^ if a & 1 != 0 { POLYNOMIAL } else { 0 }
}

/// Product in the field.
fn product(a: u32, b: u32) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if folding::is_available() {
        let double = folding::product(a, b);
        return (double >> 32) as u32 ^ advance(double as u32);
    }
    product_portable(a, b)
}

/// The state after 4 bytes of zero.
#[cfg(target_arch = "x86_64")]
fn advance(state: u32) -> u32 {
    let [a, b, c, d] = state.to_le_bytes();
    BYTE[3][usize::from(a)] ^ BYTE[2][usize::from(b)] ^ BYTE[1][usize::from(c)] ^ BYTE[0][usize::from(d)]
}

const fn product_portable(mut a: u32, mut b: u32) -> u32 {
    let mut sum = 0;
    while a != 0 {
        if a & ONE != 0 {
            sum ^= b;
        }
        a <<= 1;
        b = times_x(b);
    }
    sum
}

/// 1 / a = a^(2^32 - 2), since the field has 2^32 elements.
const fn inverse(a: u32) -> u32 {
    let mut power = a;
    let mut result = ONE;
    let mut bit = 1;
    while bit < 32 {
        power = product_portable(power, power);
        result = product_portable(result, power);
        bit += 1;
    }
    result
}

/// x^(8 bytes). The order of x divides 2^32 - 1, so the exponent is taken modulo that.
fn power_of_bytes(bytes: u64) -> u32 {
    let exponent = (bytes % u64::from(u32::MAX)) as u32;
    let mut result = BYTES_POWER[0][(exponent & 0xff) as usize];
    for (digit, table) in BYTES_POWER.iter().enumerate().skip(1) {
        let n = (exponent >> (8 * digit) & 0xff) as usize;
        if n != 0 {
            result = product(result, table[n]);
        }
    }
    result
}

/// The state after `data`.
pub fn update(state: u32, data: &[u8]) -> u32 {
    #[cfg(target_arch = "x86_64")]
    if data.len() >= folding::MIN_BYTES && folding::is_available() {
        return folding::update(state, data);
    }
    update_portable(state, data)
}

/// The state after `count` samples that all equal `pattern`, of 1 to 8 bytes.
pub fn update_run(state: u32, pattern: &[u8], count: u64) -> u32 {
    let sum = product(update_portable(0, pattern), GEOMETRIC[pattern.len()]);
    let power = power_of_bytes(count.wrapping_mul(pattern.len() as u64));
    product(state ^ sum, power) ^ sum
}

fn update_portable(mut state: u32, data: &[u8]) -> u32 {
    let mut blocks = data.chunks_exact(SLICE);
    for block in &mut blocks {
        let mut next = 0;
        for (place, &byte) in block.iter().enumerate() {
            let mixed = if place < 4 {
                byte ^ (state >> (8 * place)) as u8
            } else {
                byte
            };
            next ^= BYTE[SLICE - 1 - place][usize::from(mixed)];
        }
        state = next;
    }
    for &byte in blocks.remainder() {
        state = state >> 8 ^ BYTE[0][usize::from(state as u8 ^ byte)];
    }
    state
}

/// Folding by carry-less multiplication: Gopal et al., "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ
/// Instruction" (Intel, 2009).
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_op_in_unsafe_fn)] // intrinsics are unsafe in the oldest rustc we support, and safe in later ones
mod folding {
    use super::{power_of_bytes, update_portable};
    use std::arch::asm;
    use std::arch::x86_64::*;
    use std::sync::atomic::{AtomicU8, Ordering};

    /// Shorter data are not worth it: four registers of 16 bytes are folded at once.
    pub const MIN_BYTES: usize = 128;
    const MIN_WIDE_BYTES: usize = 512;
    const UNKNOWN: u8 = 2;

    /// Whether VPCLMULQDQ multiplies 32 bytes at once: ECX of leaf 7 (Intel, Software Developer's Manual, CPUID).
    fn is_wide() -> bool {
        static WIDE: AtomicU8 = AtomicU8::new(UNKNOWN);
        if WIDE.load(Ordering::Relaxed) == UNKNOWN {
            #[allow(unused_unsafe)] // it is safe in later versions of Rust than the oldest that we support
            // SAFETY: where AVX2 is, CPUID has leaf 7.
            let is_wide = is_x86_feature_detected!("avx2") && unsafe { __cpuid_count(7, 0) }.ecx >> 10 & 1 == 1;
            WIDE.store(u8::from(is_wide), Ordering::Relaxed);
        }
        WIDE.load(Ordering::Relaxed) == 1
    }

    pub fn is_available() -> bool {
        is_x86_feature_detected!("pclmulqdq") && is_x86_feature_detected!("sse4.1")
    }

    pub fn update(state: u32, data: &[u8]) -> u32 {
        // SAFETY: the caller asked `is_available`.
        unsafe {
            if data.len() >= MIN_WIDE_BYTES && is_wide() {
                fold_wide(state, data)
            } else {
                fold(state, data)
            }
        }
    }

    /// Product of two polynomials, x^0 in the highest bit.
    pub fn product(a: u32, b: u32) -> u64 {
        // SAFETY: the caller asked `is_available`.
        unsafe { multiply(a, b) << 1 }
    }

    #[target_feature(enable = "pclmulqdq,sse4.1")]
    unsafe fn multiply(a: u32, b: u32) -> u64 {
        let (a, b) = (_mm_cvtsi32_si128(a as i32), _mm_cvtsi32_si128(b as i32));
        _mm_cvtsi128_si64(_mm_clmulepi64_si128(a, b, 0)) as u64
    }

    /// The two multipliers that carry 16 bytes on by `bytes`: x^(8 bytes + 32) and x^(8 bytes - 32).
    fn multipliers(bytes: u64) -> (i64, i64) {
        let multiplier = |bytes| i64::from(power_of_bytes(bytes)) << 1; // the product of two reversed numbers is one bit low
        (multiplier(bytes + 4), multiplier(bytes - 4))
    }

    /// Two multipliers in each half of a register.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn doubled(bytes: u64) -> __m256i {
        let (far, near) = multipliers(bytes);
        _mm256_set_epi64x(near, far, near, far)
    }

    /// As [`fold`], 32 bytes a register.
    #[target_feature(enable = "avx2,pclmulqdq,sse4.1")]
    unsafe fn fold_wide(state: u32, data: &[u8]) -> u32 {
        let (by_128, by_32) = (doubled(128), doubled(32));
        let (first, rest) = data.split_at(128);
        let mut sums = [
            load_wide(first),
            load_wide(&first[32..]),
            load_wide(&first[64..]),
            load_wide(&first[96..]),
        ];
        let before = _mm256_set_epi64x(0, 0, 0, i64::from(state));
        sums[0] = _mm256_xor_si256(sums[0], before);
        let mut blocks = rest.chunks_exact(128);
        for block in &mut blocks {
            for (place, sum) in sums.iter_mut().enumerate() {
                *sum = carried_wide(*sum, by_128, load_wide(&block[32 * place..]));
            }
        }
        let mut sum = sums[0];
        for &next in &sums[1..] {
            sum = carried_wide(sum, by_32, next);
        }
        let (far, near) = multipliers(16);
        let halves = (_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
        finish(
            carried(halves.0, _mm_set_epi64x(near, far), halves.1),
            blocks.remainder(),
        )
    }

    /// # Safety
    /// `block` has 32 bytes or more.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn load_wide(block: &[u8]) -> __m256i {
        debug_assert!(block.len() >= 32);
        _mm256_loadu_si256(block.as_ptr().cast())
    }

    /// `_mm256_clmulepi64_epi128` came with Rust 1.89.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn carried_wide(sum: __m256i, multipliers: __m256i, next: __m256i) -> __m256i {
        let (low, high): (__m256i, __m256i);
        asm!(
            "vpclmulqdq {low}, {sum}, {multipliers}, 0x00",
            "vpclmulqdq {high}, {sum}, {multipliers}, 0x11",
            low = out(ymm_reg) low,
            high = lateout(ymm_reg) high,
            sum = in(ymm_reg) sum,
            multipliers = in(ymm_reg) multipliers,
            options(pure, nomem, nostack, preserves_flags),
        );
        _mm256_xor_si256(_mm256_xor_si256(low, high), next)
    }

    #[target_feature(enable = "pclmulqdq,sse4.1")]
    unsafe fn fold(state: u32, data: &[u8]) -> u32 {
        let (far, near) = multipliers(64);
        let by_64 = _mm_set_epi64x(near, far);
        let (far, near) = multipliers(16);
        let by_16 = _mm_set_epi64x(near, far);
        let (first, rest) = data.split_at(64);
        let mut sums = [load(first), load(&first[16..]), load(&first[32..]), load(&first[48..])];
        sums[0] = _mm_xor_si128(sums[0], _mm_cvtsi32_si128(state as i32));
        let mut blocks = rest.chunks_exact(64);
        for block in &mut blocks {
            for (place, sum) in sums.iter_mut().enumerate() {
                *sum = carried(*sum, by_64, load(&block[16 * place..]));
            }
        }
        let mut sum = sums[0];
        for &next in &sums[1..] {
            sum = carried(sum, by_16, next);
        }
        finish(sum, blocks.remainder())
    }

    /// The state after the bytes whose remainder is `sum`, and those that follow.
    #[inline]
    #[target_feature(enable = "pclmulqdq,sse4.1")]
    unsafe fn finish(mut sum: __m128i, rest: &[u8]) -> u32 {
        let (far, near) = multipliers(16);
        let by_16 = _mm_set_epi64x(near, far);
        let mut blocks = rest.chunks_exact(16);
        for block in &mut blocks {
            sum = carried(sum, by_16, load(block));
        }
        let mut bytes = [0; 16];
        _mm_storeu_si128(bytes.as_mut_ptr().cast(), sum);
        update_portable(update_portable(0, &bytes), blocks.remainder())
    }

    /// # Safety
    /// `block` has 16 bytes or more.
    #[inline]
    #[target_feature(enable = "sse4.1")]
    unsafe fn load(block: &[u8]) -> __m128i {
        debug_assert!(block.len() >= 16);
        _mm_loadu_si128(block.as_ptr().cast())
    }

    #[inline]
    #[target_feature(enable = "pclmulqdq,sse4.1")]
    unsafe fn carried(sum: __m128i, multipliers: __m128i, next: __m128i) -> __m128i {
        let low = _mm_clmulepi64_si128(sum, multipliers, 0x00);
        let high = _mm_clmulepi64_si128(sum, multipliers, 0x11);
        _mm_xor_si128(_mm_xor_si128(low, high), next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(count: usize) -> Vec<u8> {
        (0..count as u32)
            .map(|n| (n.wrapping_mul(2_654_435_761) >> 13) as u8)
            .collect()
    }

    #[test]
    fn the_check_value_is_that_of_the_catalogue() {
        // CRC-32/ISO-HDLC of "123456789" (reveng catalogue of CRC algorithms).
        assert_eq!(0xcbf4_3926, !update(START, b"123456789"));
    }

    #[test]
    fn every_length_gives_the_crc_of_the_bytes_one_by_one() {
        let data = bytes(700);
        for from in 0..17 {
            let mut plain = 7;
            for to in from..data.len() {
                assert_eq!(plain, update(7, &data[from..to]), "{}..{}", from, to);
                assert_eq!(plain, update_portable(7, &data[from..to]), "{}..{}", from, to);
                plain = update_portable(plain, &data[to..to + 1]);
            }
        }
    }

    #[test]
    fn a_run_gives_the_crc_of_its_bytes() {
        for unit in 1..=8 {
            let pattern = &bytes(unit + 3)[3..];
            for count in [0, 1, 2, 3, 100, 255, 256, 257, 70_000] {
                let expected = update(99, &pattern.repeat(count));
                assert_eq!(
                    expected,
                    update_run(99, pattern, count as u64),
                    "{} times {}",
                    count,
                    unit
                );
            }
        }
    }

    #[test]
    fn a_run_of_more_than_4_gib_is_two_shorter_ones() {
        let long = 5 << 30;
        let halves = update_run(update_run(1, b"ab", long / 2), b"ab", long / 2);
        assert_eq!(halves, update_run(1, b"ab", long));
    }

    #[test]
    fn a_number_times_its_inverse_is_one() {
        for a in [1, 2, 0x1234_5678, ONE] {
            assert_eq!(ONE, product(a, inverse(a)));
            assert_eq!(ONE, product_portable(a, inverse(a)));
        }
    }
}

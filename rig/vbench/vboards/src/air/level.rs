//! Levels in dBm and the powers they stand for, as integers.

/// Below this nothing is left of a carrier.
const MIN_DBM: i32 = -160;
const MAX_DBM: i32 = 60;
/// 10^(k/10), times 10^6.
const TENTHS: [u128; 10] = [
    1_000_000, 1_258_925, 1_584_893, 1_995_262, 2_511_886, 3_162_278, 3_981_072, 5_011_872, 6_309_573, 7_943_282,
];

/// Power of a level, in units of 10^-22 mW.
pub fn power(dbm: i32) -> u128 {
    if dbm < MIN_DBM {
        return 0;
    }
    let steps = (dbm.min(MAX_DBM) - MIN_DBM) as u32;
    TENTHS[(steps % 10) as usize] * 10u128.pow(steps / 10)
}

/// The level of a power, rounded down; None: nothing.
pub fn dbm(sum: u128) -> Option<i32> {
    let (mut low, mut high) = (MIN_DBM, MAX_DBM);
    if sum < power(low) {
        return None;
    }
    while low < high {
        let middle = (low + high + 1).div_euclid(2);
        if power(middle) <= sum {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    Some(low)
}

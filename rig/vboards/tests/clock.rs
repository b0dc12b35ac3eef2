//! Exactness of the conversion between ticks and picoseconds.

use vboards::clock::Clock;
use vboards::rng::{below, draw, Purpose};

const FREQUENCIES: [(u64, u64); 8] = [
    (8_000_000, 1),
    (16_000_000, 1),
    (72_000_000, 1),
    (72_000_000, 512),
    (24_000_000, 1),
    (100_000_000, 3),
    (32_768, 1),
    (4, 1),
];

fn random(index: u64, bound: u64) -> u64 {
    below(draw(42, Purpose::Identity, &[9], index), bound)
}

#[test]
fn whole_seconds_are_exact() {
    for &(hz, divider) in FREQUENCIES.iter() {
        let clock = Clock::new(hz, divider, 0, 5);
        assert_eq!(
            5 + 6_000_000_000_000,
            clock.ps(6 * hz / divider),
            "{} / {}",
            hz,
            divider
        );
    }
}

#[test]
fn a_fast_clock_has_more_ticks_per_second() {
    let clock = Clock::new(72_000_000, 1, 10_000, 0); // +10 ppm: 720 ticks more in a second
    assert_eq!(1_000_000_000_000, clock.ps(72_000_720));
    assert_eq!(72_000_720, clock.tick_at(1_000_000_000_000));
    let clock = Clock::new(24_000_000, 1, -20_000, 0);
    assert_eq!(23_999_520, clock.tick_at(1_000_000_000_000));
}

/// `tick_at` gives the first tick at or after an instant, for every rate, error and instant.
#[test]
fn conversions_are_inverse() {
    for round in 0..20_000 {
        let (hz, divider) = FREQUENCIES[random(4 * round, 8) as usize];
        let ppb = random(4 * round + 1, 400_001) as i64 - 200_000;
        let clock = Clock::new(hz, divider, ppb, random(4 * round + 2, 1 << 40));
        let tick = random(4 * round + 3, 1_000_000 * hz / divider); // up to 11 days
        let ps = clock.ps(tick);
        assert_eq!(tick, clock.tick_at(ps), "{} Hz {} ppb", hz, ppb);
        let after = clock.tick_at(ps + 1);
        assert!(after == tick + 1 && clock.ps(after) > ps);
    }
}

#[test]
fn a_retune_goes_on_from_the_same_instant() {
    let mut clock = Clock::new(8_000_000, 1, 0, 0);
    clock.retune(16_000, 72_000_000, 1);
    assert_eq!(2_000_000_000, clock.ps(16_000));
    assert_eq!(3_000_000_000, clock.ps(16_000 + 72_000));
    assert_eq!(16_000 + 72, clock.tick_at(2_001_000_000));
}

/// A plain slow count gives the same: 3 ticks of 72 MHz are 41 666 ps, not 3 * 13 888.
#[test]
fn nothing_accumulates() {
    let clock = Clock::new(72_000_000, 1, 0, 0);
    for tick in 0..1000u64 {
        assert_eq!(tick * 125_000 / 9, clock.ps(tick));
    }
}

//! Exactness of the conversion between ticks and picoseconds.

use vboards::clock::{Clock, ClockSpec, ClockStep, Drift};
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

/// Specs with every kind of trouble.
fn troubled(round: u64) -> ClockSpec {
    let number = |index: u64, bound: u64| random(1_000_000 + 16 * round + index, bound);
    let ppb = number(0, 100_001) as i64 - 50_000;
    let span_ps = 1_000_000_000 + number(1, 1_000_000_000_000);
    ClockSpec {
        seed: round,
        board: 3,
        start_ps: number(2, 1 << 40),
        ppb: number(3, 400_001) as i64 - 200_000,
        drift: [
            Drift::None,
            Drift::Ramp { ppb, over_ps: span_ps },
            Drift::Triangle {
                ppb,
                period_ps: span_ps,
            },
            Drift::Wander { ppb, every_ps: span_ps },
        ][number(4, 4) as usize],
        steps: (0..number(5, 3))
            .map(|step| ClockStep {
                at_ps: number(6 + step, 2_000_000_000_000),
                ppb: 1_000_000,
                gap_ps: number(9 + step, 1_000_000_000),
            })
            .collect(),
        jitter_ps: number(12, 2) * 5_000,
    }
}

/// With drift, steps, gaps and jitter too: ticks never go back, `tick_at` is the exact inverse, and no query
/// change the answers.
#[test]
fn conversions_are_inverse_whatever_the_oscillator_does() {
    for round in 0..200 {
        let spec = troubled(round);
        spec.check().unwrap();
        let (hz, divider) = FREQUENCIES[random(3_000_000 + round, 7) as usize];
        let clock = Clock::of(&spec, hz, divider);
        for question in 0..30 {
            let tick = 1 + random(4_000_000 + 40 * round + question, 3 * hz / divider);
            let ps = clock.ps(tick);
            assert_eq!(tick, clock.tick_at(ps), "{:?}", spec);
            assert_eq!(tick + 1, clock.tick_at(ps + 1), "{:?}", spec);
            assert!(clock.ps(tick - 1) < ps && ps < clock.ps(tick + 1), "{:?}", spec);
            assert_eq!(ps, Clock::of(&spec, hz, divider).ps(tick));
        }
    }
}

/// A ramp to +20 ppm in 10 s: on average +10 ppm on the way, +20 ppm afterwards.
#[test]
fn a_ramp_is_half_its_end_on_average() {
    let spec = ClockSpec {
        drift: Drift::Ramp {
            ppb: 20_000,
            over_ps: 10_000_000_000_000,
        },
        ..ClockSpec::default()
    };
    let clock = Clock::of(&spec, 1_000_000, 1);
    let at = |seconds: u64| clock.tick_at(seconds * 1_000_000_000_000);
    assert_eq!(10_000_100, at(10));
    assert_eq!(10_000_100 + 1_000_020, at(11));
}

/// Up and down again: after whole periods a triangle has gained half its peak.
#[test]
fn a_triangle_comes_back() {
    let spec = ClockSpec {
        drift: Drift::Triangle {
            ppb: -40_000,
            period_ps: 1_000_000_000_000,
        },
        ..ClockSpec::default()
    };
    let clock = Clock::of(&spec, 1_000_000, 1);
    // One tick of room: periods, not rates, are averaged, and each of the 1280 stairs loses less than 1 ps.
    assert!(clock.tick_at(5_000_000_000_000).abs_diff(5_000_000 - 100) <= 1);
}

/// A step changes the rate, a gap takes time away; a retune in between loses nothing of either.
#[test]
fn steps_and_gaps_happen_at_their_instant() {
    let spec = ClockSpec {
        steps: vec![
            ClockStep {
                at_ps: 1_000_000_000_000,
                ppb: 1_000_000,
                gap_ps: 0,
            },
            ClockStep {
                at_ps: 2_000_000_000_000,
                ppb: 0,
                gap_ps: 3_000_000,
            },
        ],
        ..ClockSpec::default()
    };
    let mut clock = Clock::of(&spec, 1_000_000, 1);
    assert_eq!(1_000_000, clock.tick_at(1_000_000_000_000));
    assert_eq!(2_001_000, clock.tick_at(2_000_000_000_000)); // 0.1 % faster
    assert_eq!(2_001_000, clock.tick_at(2_000_003_000_000));
    assert_eq!(2_001_000 + 1_001, clock.tick_at(2_001_003_000_000));
    clock.retune(500_000, 2_000_000, 1);
    assert_eq!(500_000 + 1_000_000, clock.tick_at(1_000_000_000_000));
    assert_eq!(1_500_000 + 2_002_000, clock.tick_at(2_000_003_000_000));
}

/// Jitter moves edges by less than its setting, and does not add up.
#[test]
fn jitter_stays_within_its_span() {
    let spec = ClockSpec {
        jitter_ps: 20_000,
        ..ClockSpec::default()
    };
    let (even, clock) = (Clock::new(4_194_304, 1, 0, 0), Clock::of(&spec, 4_194_304, 1));
    let late: Vec<u64> = (0..5000).map(|tick| clock.ps(tick) - even.ps(tick)).collect();
    assert!(late.iter().all(|&ps| ps < 20_000));
    assert!(*late.iter().max().unwrap() > 19_000 && *late.iter().min().unwrap() < 1_000);
}

#[test]
fn impossible_clocks_are_refused() {
    assert!(ClockSpec::fast(100_000_001).check().is_err());
    let quick = ClockSpec {
        drift: Drift::Wander {
            ppb: 1,
            every_ps: 999_999_999,
        },
        ..ClockSpec::default()
    };
    assert!(quick.check().is_err());
}

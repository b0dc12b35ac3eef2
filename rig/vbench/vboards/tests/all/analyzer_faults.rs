//! An analyzer that is not ideal: drift, thresholds, edges near a sampling instant, glitches, and its faults.

use vboards::analyzer::{Analyzer, Drift, Imperfections, Kind, Settings, Threshold, When};
use vboards::trace::Edge;

const PIN: u16 = 0x19;
const US: u64 = 1_000_000;
const FOREVER: u64 = u64::MAX;

/// One channel at 1 MS/s: sample k lies at k us.
fn analyzer(imperfections: Imperfections) -> Analyzer {
    analyzer_of(1, imperfections)
}

fn analyzer_of(seed: u64, imperfections: Imperfections) -> Analyzer {
    let settings = Settings {
        rate_num: 1_000_000,
        rate_den: 1,
        unitsize: 1,
        ppb: 0,
        start_ps: 0,
    };
    let mut made = Analyzer::new(settings).unwrap();
    made.imperfect(seed, imperfections).unwrap();
    made.probe(0, 0, PIN, false, 0).unwrap();
    made
}

fn edge(t_ps: u64, pin: u16, level: bool) -> Edge {
    Edge {
        t_ps,
        board: 0,
        pin,
        level,
    }
}

fn samples(analyzer: &mut Analyzer, now_ps: u64, bytes_at_once: usize) -> Vec<u8> {
    let mut all = Vec::new();
    loop {
        let mut buffer = vec![0xEE; bytes_at_once];
        let bytes = analyzer.fill(&mut buffer, now_ps);
        if bytes == 0 {
            return all;
        }
        all.extend_from_slice(&buffer[..bytes]);
    }
}

/// Sample numbers at which the levels change.
fn changes(samples: &[u8]) -> Vec<usize> {
    (1..samples.len())
        .filter(|&at| samples[at] != samples[at - 1])
        .collect()
}

fn once(from_ps: u64) -> When {
    When {
        from_ps,
        for_ps: FOREVER,
        every_ps: 0,
    }
}

#[test]
fn thresholds_delay_rising_and_falling_edges() {
    let mut late = analyzer(Imperfections::default());
    let threshold = Threshold {
        rise_ps: 2 * US,
        fall_ps: 5 * US,
    };
    late.threshold(0, threshold).unwrap();
    late.edge(&edge(10 * US, PIN, true));
    late.edge(&edge(20 * US, PIN, false));
    assert_eq!(vec![12, 25], changes(&samples(&mut late, 40 * US, 64)));
}

/// A pulse that is over before the input has seen its beginning leaves nothing, and the next one is seen.
#[test]
fn a_pulse_shorter_than_the_difference_of_the_thresholds_vanishes() {
    let mut late = analyzer(Imperfections::default());
    let threshold = Threshold {
        rise_ps: 5 * US,
        fall_ps: US,
    };
    late.threshold(0, threshold).unwrap();
    for &(t_us, level) in [(10, true), (13, false), (30, true)].iter() {
        late.edge(&edge(t_us * US, PIN, level));
    }
    assert_eq!(vec![35], changes(&samples(&mut late, 50 * US, 64)));
}

/// Edges well away from the sampling instants are where they were; of those within the window about half are a sample
/// off, never more; another seed tosses other coins.
#[test]
fn an_edge_near_a_sampling_instant_may_be_seen_by_either_sample() {
    let window_ps = 100_000;
    let see = |seed: u64, offset_ps: u64| {
        let mut seen = analyzer_of(
            seed,
            Imperfections {
                window_ps,
                ..Default::default()
            },
        );
        for number in 1..=1000u64 {
            seen.edge(&edge(number * 10 * US + offset_ps, PIN, number % 2 == 1));
        }
        changes(&samples(&mut seen, 10_020 * US, 4096))
    };
    let shifts = |seen: &[usize]| -> Vec<i64> {
        assert_eq!(1000, seen.len());
        seen.iter()
            .enumerate()
            .map(|(index, &at)| at as i64 - 10 * (index as i64 + 1))
            .collect()
    };
    assert!(shifts(&see(1, US / 2)).iter().all(|&shift| shift == 1));
    for (offset_ps, either) in [(50_000, [0, 1]), (US - 50_000, [1, 2])] {
        let found = shifts(&see(1, offset_ps));
        assert!(found.iter().all(|shift| either.contains(shift)), "{:?}", &found[..20]);
        let other = found.iter().filter(|&&shift| shift == either[1]).count();
        assert!((400..=600).contains(&other), "{}", other); // 6 standard deviations of 1000 tosses are 95
    }
    assert_eq!(see(1, 50_000), see(1, 50_000));
    assert_ne!(see(1, 50_000), see(2, 50_000));
}

/// The drift moves instants by its integral: a triangle of height h over a quarter period is h/2 on average, so after
/// half a period the clock has gained h/4 of it, and after a whole one nothing.
#[test]
fn drift_gains_and_loses_the_same() {
    let count = |drift_ppb: i64, now_ms: u64| {
        let drift = Drift {
            ppb: drift_ppb,
            period_ms: 10_000,
        };
        let mut drifting = analyzer(Imperfections {
            drift,
            ..Default::default()
        });
        let mut buffer = vec![0; 1 << 20];
        let mut total = 0;
        loop {
            match drifting.fill(&mut buffer, now_ms * 1000 * US) {
                0 => return total as i64,
                bytes => total += bytes,
            }
        }
    };
    // 10 s at 1 MS/s; 20 ppm on average over half a period are 50 samples when the height is 20 ppm: 5 s * 20e-6 / 2.
    assert_eq!(5_000_000, count(0, 5_000));
    assert!((count(20_000, 5_000) - 5_000_050).abs() <= 1);
    assert!((count(20_000, 10_000) - 10_000_000).abs() <= 1);
    assert!((count(20_000, 17_500) - 17_500_025).abs() <= 1);
}

#[test]
fn glitches_come_when_asked_and_only_wide_ones_are_seen() {
    let mut glitching = analyzer(Imperfections::default());
    for (from_us, width_ps) in [(10, 3 * US), (20, US / 2), (30, US)] {
        let kind = Kind::Glitch {
            channel: 0,
            least_ps: width_ps,
            most_ps: width_ps,
        };
        glitching.fault(kind, once(from_us * US + 100)).unwrap();
    }
    assert_eq!(vec![11, 14, 31, 32], changes(&samples(&mut glitching, 50 * US, 64)));
}

/// Random glitches: as many as their mean distance says, as wide as asked, inverting whatever level there is.
#[test]
fn random_glitches_have_their_rate() {
    let mut glitching = analyzer(Imperfections::default());
    let kind = Kind::Glitch {
        channel: 0,
        least_ps: 2 * US,
        most_ps: 4 * US,
    };
    let when = When {
        from_ps: 0,
        for_ps: FOREVER,
        every_ps: 1000 * US,
    };
    glitching.fault(kind, when).unwrap();
    let found = changes(&samples(&mut glitching, 1_000_000 * US, 4096));
    let pulses = found.len() / 2;
    assert!((900..=1100).contains(&pulses), "{}", pulses);
    let widths: Vec<usize> = found.chunks_exact(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(widths.iter().filter(|width| (2..=4).contains(*width)).count() > 980);
    // but for those that overlap
}

#[test]
fn a_stuck_line_comes_back() {
    let mut stuck = analyzer(Imperfections::default());
    let kind = Kind::Stuck {
        channel: 0,
        level: true,
    };
    let when = When {
        from_ps: 10 * US,
        for_ps: 10 * US,
        every_ps: 0,
    };
    stuck.fault(kind, when).unwrap();
    stuck.edge(&edge(12 * US, PIN, true));
    stuck.edge(&edge(15 * US, PIN, false));
    stuck.edge(&edge(30 * US, PIN, true));
    assert_eq!(vec![10, 20, 30], changes(&samples(&mut stuck, 40 * US, 64)));
}

#[test]
fn a_floating_line_toggles_at_its_rate_and_then_follows_the_pin() {
    let mut floating = analyzer(Imperfections::default());
    let kind = Kind::Floating {
        channel: 0,
        toggle_hz: 10_000,
    };
    let when = When {
        from_ps: 0,
        for_ps: 1_000_000 * US,
        every_ps: 0,
    };
    floating.fault(kind, when).unwrap();
    floating.edge(&edge(500_000 * US, PIN, true));
    let seen = samples(&mut floating, 1_100_000 * US, 4096);
    let toggles = changes(&seen).len();
    assert!((9_000..=11_000).contains(&toggles), "{}", toggles);
    assert!(seen[1_000_001..].iter().all(|&sample| sample == 1));
}

#[test]
fn swapped_clips_show_each_others_lines() {
    let mut swapped = analyzer(Imperfections::default());
    swapped.probe(1, 0, PIN + 1, true, 0).unwrap();
    let kind = Kind::Swapped { channel: 0, other: 1 };
    let when = When {
        from_ps: 10 * US,
        for_ps: 10 * US,
        every_ps: 0,
    };
    swapped.fault(kind, when).unwrap();
    swapped.edge(&edge(15 * US, PIN, true));
    let seen = samples(&mut swapped, 30 * US, 64);
    assert_eq!((0b10, 0b01, 0b11), (seen[9], seen[10], seen[15]));
    assert_eq!(0b11, seen[25]);
}

/// Nothing but the missing samples tells: what comes after a lost block is that many samples too early.
#[test]
fn a_dropped_block_shifts_what_follows() {
    let mut lossy = analyzer(Imperfections::default());
    lossy.fault(Kind::Dropped { samples: 7 }, once(20 * US)).unwrap();
    for &(t_us, level) in [(10, true), (22, false), (40, true)].iter() {
        lossy.edge(&edge(t_us * US, PIN, level));
    }
    let seen = samples(&mut lossy, 60 * US, 64);
    assert_eq!(53, seen.len());
    assert_eq!(vec![10, 20, 33], changes(&seen));
}

#[test]
fn an_ended_analyzer_has_handed_out_what_it_saw() {
    let mut ending = analyzer(Imperfections::default());
    ending.fault(Kind::End, once(30 * US)).unwrap();
    assert_eq!(20, samples(&mut ending, 20 * US, 64).len());
    assert!(!ending.ended(20 * US));
    assert!(!ending.ended(40 * US));
    assert_eq!(10, samples(&mut ending, 40 * US, 64).len());
    assert!(ending.ended(40 * US));
}

/// However the samples are fetched, and whether the analyzer was asked between two edges or not, they are the same.
#[test]
fn faults_do_not_depend_on_how_samples_are_fetched() {
    let run = |step_ps: u64, bytes_at_once: usize| {
        let mut all = analyzer(Imperfections {
            key: 3,
            window_ps: 200_000,
            drift: Drift {
                ppb: 50_000,
                period_ms: 3,
            },
        });
        let often = When {
            from_ps: 100 * US,
            for_ps: 4000 * US,
            every_ps: 37 * US,
        };
        let glitch = Kind::Glitch {
            channel: 0,
            least_ps: 100,
            most_ps: 5 * US,
        };
        all.fault(glitch, often).unwrap();
        all.fault(Kind::Dropped { samples: 5 }, often).unwrap();
        let noise = Kind::Floating {
            channel: 1,
            toggle_hz: 30_000,
        };
        all.fault(noise, once(0)).unwrap();
        let (mut result, mut now_ps, mut level) = (Vec::new(), 0, false);
        let end_ps = 5000 * US;
        let mut next_edge_ps = 13 * US + 77;
        while now_ps < end_ps {
            now_ps = (now_ps + step_ps).min(end_ps);
            while next_edge_ps < now_ps {
                level = !level;
                all.edge(&edge(next_edge_ps, PIN, level));
                next_edge_ps += 17 * US + 333_333;
            }
            result.extend(samples(&mut all, now_ps, bytes_at_once));
        }
        result
    };
    let plain = run(5000 * US, 4096);
    assert!(changes(&plain).len() > 500);
    for (step_ps, bytes_at_once) in [(US / 3, 64), (7 * US + 1, 3), (333 * US, 50)] {
        assert_eq!(plain, run(step_ps, bytes_at_once));
    }
}

#[test]
fn rates_beyond_the_analyzers_are_refused() {
    let settings = |rate_num: u64| Settings {
        rate_num,
        rate_den: 1,
        unitsize: 2,
        ppb: 0,
        start_ps: 0,
    };
    assert!(Analyzer::new(settings(100_000_000)).is_ok());
    assert_eq!(
        Some("100000001/1 Hz is beyond the analyzer's 100000000 Hz".to_string()),
        Analyzer::new(settings(100_000_001)).err()
    );
}

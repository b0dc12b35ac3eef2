//! The virtual logic analyzer against a plain slow version and golden cases.

use vboards::analyzer::{Analyzer, Kind, Settings, When};
use vboards::rng::{below, draw, Purpose};
use vboards::trace::{dotted_pin_name, parse_pin, pin_name, Edge};

const PIN: u16 = 0x19;

fn settings(rate_num: u64, rate_den: u64, unitsize: usize) -> Settings {
    Settings {
        rate_num,
        rate_den,
        unitsize,
        ppb: 0,
        start_ps: 0,
    }
}

fn edge(t_ps: u64, level: bool) -> Edge {
    Edge {
        t_ps,
        board: 0,
        pin: PIN,
        level,
    }
}

fn drain(analyzer: &mut Analyzer, now_ps: u64, bytes_at_once: usize) -> Vec<u8> {
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

#[test]
fn an_edge_at_the_sample_instant_is_seen() {
    let mut analyzer = Analyzer::new(settings(1_000_000, 1, 1)).unwrap();
    analyzer.probe(0, 0, PIN, false, 0).unwrap();
    analyzer.edge(&edge(3_000_000, true));
    analyzer.edge(&edge(5_000_001, false));
    assert_eq!(vec![0, 0, 0, 1, 1, 1, 0, 0], drain(&mut analyzer, 8_000_000, 64));
}

#[test]
fn only_samples_before_now_are_written() {
    let mut analyzer = Analyzer::new(settings(1_000_000, 1, 1)).unwrap();
    assert_eq!(3, drain(&mut analyzer, 3_000_000, 64).len()); // samples at 0, 1 and 2 us
    assert_eq!(1, drain(&mut analyzer, 3_000_001, 64).len());
    assert_eq!(0, drain(&mut analyzer, 4_000_000, 64).len());
}

#[test]
fn a_pulse_between_samples_is_missed_and_a_level_before_the_start_is_known() {
    let mut analyzer = Analyzer::new(Settings {
        start_ps: 10_000_500,
        ..settings(1_000_000, 1, 2)
    })
    .unwrap();
    analyzer.probe(13, 0, PIN, true, 10_000_000).unwrap();
    analyzer.edge(&edge(11_100_000, false));
    analyzer.edge(&edge(11_900_000, true));
    assert_eq!(vec![0, 0x20, 0, 0x20, 0, 0x20], drain(&mut analyzer, 13_000_000, 64));
}

#[test]
fn wrong_settings_are_refused() {
    assert!(Analyzer::new(settings(1, 1, 3)).is_err());
    assert!(Analyzer::new(settings(0, 1, 1)).is_err());
    let mut analyzer = Analyzer::new(settings(1, 1, 1)).unwrap();
    assert_eq!(
        Err("channel 8 does not exist, this analyzer has 0 to 7".to_string()),
        analyzer.probe(8, 0, PIN, true, 0)
    );
}

/// Sample k is the level after every edge with t <= start + k * den * 10^21 / (num * (10^9 + ppb)), however it is cut.
#[test]
fn samples_equal_the_plain_version() {
    for round in 0..60u64 {
        let random = |index: u64, bound: u64| below(draw(7, Purpose::Identity, &[round], index), bound);
        let rate = [24_000_000, 100_000_000, 16_000_000, 999_983][random(0, 4) as usize];
        let ppb = random(1, 100_001) as i64 - 50_000;
        let unitsize = 1 + random(2, 2) as usize;
        let start_ps = random(3, 1_000_000);
        let mut analyzer = Analyzer::new(Settings {
            ppb,
            start_ps,
            ..settings(rate, 1, unitsize)
        })
        .unwrap();
        let pins: Vec<u16> = (0..4).collect();
        for &pin in pins.iter() {
            analyzer
                .probe(u32::from(pin) * (unitsize as u32 * 2), 0, pin, false, 0)
                .unwrap();
        }
        let (mut t_ps, mut edges, mut levels) = (0, Vec::new(), [false; 4]);
        for index in 0..400 {
            t_ps += random(10 + 3 * index, 2 * 1_000_000_000_000 / rate);
            let pin = random(11 + 3 * index, 4) as usize;
            levels[pin] = !levels[pin];
            edges.push(Edge {
                t_ps,
                board: 0,
                pin: pin as u16,
                level: levels[pin],
            });
            analyzer.edge(edges.last().unwrap());
        }
        let now_ps = t_ps + 1_000_000;
        let got = drain(&mut analyzer, now_ps, 2 + 2 * random(5, 500) as usize);
        let mut expected = Vec::new();
        let mut sample = 0u128;
        loop {
            let scaled = u128::from(rate) * (1_000_000_000 + i128::from(ppb)) as u128;
            let instant = |k: u128| k * 1_000_000_000_000_000_000_000;
            if instant(sample) >= u128::from(now_ps - start_ps) * scaled {
                break;
            }
            let mut word = 0u16;
            for edge in edges.iter() {
                if edge.t_ps <= start_ps || u128::from(edge.t_ps - start_ps) * scaled <= instant(sample) {
                    let mask = 1 << (u32::from(edge.pin) * (unitsize as u32 * 2));
                    word = if edge.level { word | mask } else { word & !mask };
                }
            }
            expected.extend_from_slice(&word.to_le_bytes()[..unitsize]);
            sample += 1;
        }
        assert_eq!(expected, got, "round {}", round);
    }
}

/// Edges are the changes of the samples, with lost blocks and faults in between, wherever both are cut.
#[test]
fn edges_are_those_of_the_samples() {
    for round in 0..60u64 {
        let random = |index: u64, bound: u64| below(draw(9, Purpose::Identity, &[round], index), bound);
        let made = || {
            let mut analyzer = Analyzer::new(settings(1_000_000, 1, 2)).unwrap();
            let when = |from_ps, every_ps| When {
                from_ps,
                for_ps: u64::MAX,
                every_ps,
            };
            let glitch = Kind::Glitch {
                channel: 9,
                least_ps: 1,
                most_ps: 3_000_000,
            };
            analyzer.probe(9, 0, PIN, round % 2 == 0, 0).unwrap();
            analyzer.fault(glitch, when(0, 40_000_000)).unwrap();
            analyzer
                .fault(Kind::Dropped { samples: 7 }, when(0, 50_000_000))
                .unwrap();
            analyzer.fault(Kind::End, when(900_000_000, 0)).unwrap();
            analyzer
        };
        let (mut sampled, mut edged) = (made(), made());
        let (mut t_ps, mut all, mut found) = (0, Vec::new(), Vec::new());
        for index in 0..100 {
            t_ps += 1 + random(index, 20_000_000);
            for analyzer in [&mut sampled, &mut edged] {
                analyzer.edge(&edge(t_ps, index % 2 == round % 2));
            }
            all.extend(drain(&mut sampled, t_ps, 64));
            let (mut samples, mut levels) = ([0i64; 3], [0u64; 3]);
            loop {
                let count = edged.edges(&mut samples, &mut levels, t_ps);
                found.extend((0..count).map(|at| (samples[at], levels[at])));
                if count < samples.len() {
                    break;
                }
            }
        }
        let words: Vec<u64> = all
            .chunks(2)
            .map(|word| u64::from(u16::from_le_bytes([word[0], word[1]])))
            .collect();
        let expected: Vec<(i64, u64)> = (0..words.len())
            .filter(|&at| at == 0 || words[at] != words[at - 1])
            .map(|at| (at as i64, words[at]))
            .collect();
        assert!(expected.len() > 20, "round {}", round);
        assert_eq!(expected, found, "round {}", round);
        assert_eq!(words.len() as u64, edged.handed_out(), "round {}", round);
    }
}

#[test]
fn pin_names() {
    assert_eq!(Some(0x19), parse_pin("PB9"));
    assert_eq!(Some(0x2F), parse_pin("pc15"));
    for wrong in ["", "P", "PB", "B9", "PB16", "PB-1", "P19", "PB9x"] {
        assert_eq!(None, parse_pin(wrong), "{}", wrong);
    }
    assert_eq!(Some(0x66), parse_pin("P6.6"));
    for wrong in ["P6.", "P6.8", "P6.-1", "P66", "P0.1"] {
        assert_eq!(None, parse_pin(wrong), "{}", wrong);
    }
    assert_eq!("PC11", pin_name(0x2B));
    assert_eq!("P6.0", dotted_pin_name(0x60));
}

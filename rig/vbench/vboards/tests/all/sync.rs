//! The sync line: its code, and that several analyzers with the bench around them see the same pulses.

use vboards::analyzer::{Imperfections, Settings};
use vboards::bench::Bench;
use vboards::sync::SyncLine;

const IMAGE: &[u8] = include_bytes!("../data/pingpong.elf");
const US: u64 = 1_000_000;
const PERIOD_PS: u64 = 10_000 * US;

/// (rise, width) of the first pulses.
fn pulses(ppb: i64, count: usize) -> Vec<(u64, u64)> {
    let mut line = SyncLine::new(ppb);
    (0..count)
        .map(|_| {
            let rise = line.next(u64::MAX).unwrap();
            let fall = line.next(u64::MAX).unwrap();
            assert!(rise.level && !fall.level);
            (rise.t_ps, fall.t_ps - rise.t_ps)
        })
        .collect()
}

/// x^16 + x^15 + x^13 + x^4 + 1 is primitive: the register goes through all 65535 states, so no 16 pulses repeat.
#[test]
fn the_code_has_maximal_length() {
    let found = pulses(0, 65_535 + 15);
    let bits: Vec<u32> = found.iter().map(|&(_, width)| u32::from(width == 200 * US)).collect();
    assert!(found.iter().all(|&(_, width)| width == 100 * US || width == 200 * US));
    let mut seen = vec![false; 1 << 16];
    for window in bits.windows(16) {
        let state = window.iter().fold(0, |state, &bit| state << 1 | bit) as usize;
        assert!(!seen[state], "window {} repeats", state);
        seen[state] = true;
    }
    assert_eq!(vec![0; 15], bits[..15]);
    assert_eq!(1, bits[15]);
}

#[test]
fn pulses_rise_every_10_ms_of_the_sources_clock() {
    assert!(pulses(0, 100)
        .iter()
        .enumerate()
        .all(|(number, pulse)| pulse.0 == number as u64 * PERIOD_PS));
    assert_eq!(
        PERIOD_PS * 99 / 1_000_100 * 1_000_000 / US,
        pulses(100_000, 100)[99].0 / US
    );
}

/// However the bench is run, analyzers of other rates and instants see the pulses where they are, and so does the
/// host: chunks and samples do not depend on slices.
#[test]
fn analyzers_and_host_do_not_depend_on_how_the_bench_is_run() {
    let run = |slice_ps: u64, call_ps: u64| {
        let mut bench = Bench::new(3);
        bench.set_slice(slice_ps);
        bench.add_board("iotlab-m3", "pingpong.elf", IMAGE, 0).unwrap();
        bench.start_sync(5_000).unwrap();
        bench.start_host(vboards::hostpath::ReaderSettings {
            readers: vboards::hostpath::Readers::One,
            wake_ps: 20 * US,
            wake_tail_ps: 30 * US,
            other_period_ps: 20_000 * US,
            other_ps: 500 * US,
            read_ps: 10 * US,
            line_ps: 5 * US,
        });
        let adapter = vboards::hostpath::AdapterSettings {
            latency_timer_ps: 16_000 * US,
            packet_bytes: 62,
            request_packets: 8,
            poll_ps: 1000 * US,
            buffer_bytes: 256,
        };
        bench.plug_host(0, adapter).unwrap();
        for (key, rate_num) in [1_000_000, 800_000].iter().enumerate() {
            let settings = Settings {
                rate_num: *rate_num,
                rate_den: 1,
                unitsize: 1,
                ppb: 30_000,
                start_ps: 77 * US * key as u64,
            };
            let analyzer = bench.add_analyzer(settings).unwrap();
            let imperfections = Imperfections {
                key: key as u64,
                window_ps: 400_000,
                ..Default::default()
            };
            bench.imperfect(analyzer, imperfections).unwrap();
            bench.probe_sync(analyzer, 0).unwrap();
            bench.probe(analyzer, 1, 0, 0x09).unwrap();
        }
        let (mut samples, mut chunks) = (vec![Vec::new(), Vec::new()], Vec::new());
        while bench.now_ps() < 100_000 * US {
            let until_ps = (bench.now_ps() + call_ps).min(100_000 * US);
            bench.pass(until_ps).unwrap();
            for (analyzer, all) in samples.iter_mut().enumerate() {
                let mut buffer = vec![0; 1 << 17];
                let bytes = bench.samples(analyzer, &mut buffer).unwrap();
                all.extend_from_slice(&buffer[..bytes]);
            }
            while let Some(chunk) = bench.host_read(0, 1 << 16).unwrap() {
                chunks.push(chunk);
            }
        }
        let pulses = samples[0]
            .windows(2)
            .filter(|pair| pair[0] & 1 == 0 && pair[1] & 1 == 1)
            .count();
        assert!((9..=10).contains(&pulses), "{}", pulses);
        assert!(!chunks.is_empty());
        (samples, chunks)
    };
    let plain = run(u64::MAX, 100_000 * US);
    for (slice_ps, call_ps) in [(US, 100_000 * US), (3_333_333, 999_999_937), (u64::MAX, 17_000_003)] {
        assert!(plain == run(slice_ps, call_ps));
    }
}

#[test]
fn the_line_must_be_started_first() {
    let mut bench = Bench::new(1);
    let settings = Settings {
        rate_num: 1_000_000,
        rate_den: 1,
        unitsize: 1,
        ppb: 0,
        start_ps: 0,
    };
    let analyzer = bench.add_analyzer(settings).unwrap();
    assert_eq!(
        Err("the bench has no sync line, start it first".to_string()),
        bench.probe_sync(analyzer, 0)
    );
}

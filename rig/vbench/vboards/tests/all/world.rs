//! Boards among troubles: many of them, noise, brown-outs, bad clocks. The reference image of tests/data runs on all.

use vboards::air::interferer::{Interferer, Pattern};
use vboards::air::{Jitter, Link};
use vboards::bench::{Bench, BrownOut, Outcome};
use vboards::clock::{ClockSpec, ClockStep, Drift};

const IMAGE: &[u8] = include_bytes!("../data/pingpong.elf");
const FOREVER: u64 = 1_000_000_000_000_000;
const MS: u64 = 1_000_000_000;
const SLICES: [u64; 3] = [1_000_000, 4_000_000, 16_000_000];
/// Channel 26, which the image starts on.
const CHANNEL_KHZ: u32 = 2_480_000;

fn settle(bench: &mut Bench) {
    while bench.run(bench.now_ps() + FOREVER).unwrap() != Outcome::Idle {}
}

fn console_text(bench: &mut Bench, board: usize) -> String {
    let bytes = bench.uart_read(board, 0, usize::MAX).unwrap();
    bytes.iter().map(|byte| char::from(byte.1)).collect()
}

fn feed(bench: &mut Bench, board: usize, line: &str) {
    bench.uart_feed(board, 0, format!("{}\n", line).as_bytes()).unwrap();
}

/// Boards that know each other: each one's peer is the next one of its pair.
fn boards(seed: u64, slice_ps: u64, clocks: Vec<ClockSpec>) -> Bench {
    let mut bench = Bench::new(seed);
    bench.set_slice(slice_ps);
    let count = clocks.len();
    for clock in clocks {
        bench.add_board_with("iotlab-m3", "pingpong.elf", IMAGE, clock).unwrap();
    }
    settle(&mut bench);
    for board in 0..count {
        for setting in [
            format!("set address {}", board + 1),
            format!("set peer {}", (board ^ 1) + 1),
            format!("set seed {}", board + 1),
        ] {
            feed(&mut bench, board, &setting);
            settle(&mut bench);
        }
        assert_eq!(3, console_text(&mut bench, board).matches("ok set").count());
    }
    bench
}

fn plain(count: usize) -> Vec<ClockSpec> {
    (0..count).map(|board| ClockSpec::fast(2_500 * board as i64)).collect()
}

/// The number after a key of the line that begins with `word`.
fn number(text: &str, word: &str, key: &str) -> usize {
    let line = text.lines().find(|line| line.starts_with(word)).expect(text);
    let rest = &line[line.find(key).expect(key) + key.len()..];
    rest.split(' ').next().unwrap().parse().unwrap()
}

/// Five initiators at once among ten boards, CSMA and collisions: nothing hangs, each request is accounted for, and the
/// slice does not show.
#[test]
fn ten_boards_share_a_channel() {
    let results: Vec<(u64, Vec<String>)> = SLICES
        .iter()
        .map(|&slice_ps| {
            let mut bench = boards(3, slice_ps, plain(10));
            for board in (0..10).step_by(2) {
                for setting in ["set interval_us 50000", "set timeout_us 45000"] {
                    feed(&mut bench, board, setting);
                    settle(&mut bench);
                }
            }
            for board in (0..10).step_by(2) {
                feed(&mut bench, board, "start 20");
            }
            settle(&mut bench);
            let texts = (0..10).map(|board| console_text(&mut bench, board)).collect();
            assert_eq!("", bench.log_text());
            (bench.edge_hash(), texts)
        })
        .collect();
    assert!(results.iter().all(|result| *result == results[0]));
    let (mut received, mut unanswered) = (0, 0);
    for text in results[0].1.iter().step_by(2) {
        let (ok, lost) = (number(text, "done", "received="), number(text, "done", "lost="));
        assert_eq!((20, 20), (number(text, "done", "sent="), ok + lost));
        assert_eq!(ok, text.matches("status=ok").count());
        let reasons = ["no_ack", "busy", "timeout"].map(|reason| text.matches(&format!("reason={}", reason)).count());
        assert_eq!(lost, reasons.iter().sum::<usize>());
        received += ok;
        unanswered += reasons[0] + reasons[2];
    }
    assert!(received > 50 && unanswered > 0, "{} {}", received, unanswered); // collisions, and more that gets through
}

/// Seeds and slices: for each seed one result, whatever the slice, with every kind of trouble in the air and the clocks.
#[test]
fn no_slice_shows_with_any_seed() {
    let run = |seed: u64, slice_ps: u64| {
        let clock = |board: u64| ClockSpec {
            start_ps: 3_000_000_007 * board,
            drift: Drift::Wander {
                ppb: 20_000,
                every_ps: 7 * MS,
            },
            steps: vec![ClockStep {
                at_ps: 30 * MS,
                ppb: 5_000,
                gap_ps: 12_345,
            }],
            jitter_ps: 900 * board,
            ..ClockSpec::fast(1_000 * seed as i64)
        };
        let mut bench = boards(seed, slice_ps, (0..3).map(clock).collect());
        let noise = Interferer {
            centre_khz: CHANNEL_KHZ + 1_000,
            width_khz: 20_000,
            level_dbm: -55,
            burst_ps: 400_000_000,
            first_ps: bench.now_ps() + 1,
            pattern: Pattern::Poisson { mean_ps: 3 * MS },
        };
        bench.add_interferer(noise).unwrap();
        let link = Link {
            loss_ppm: 50_000,
            jitter: Jitter::Triangular { span_ps: 250_000 },
            ..Link::default()
        };
        bench.set_link(0, 1, link).unwrap();
        let fault = BrownOut {
            board: 2,
            at_ps: bench.now_ps() + 41 * MS + 1,
            off_ps: 5 * MS,
        };
        bench.brown_out(fault).unwrap();
        feed(&mut bench, 0, "start 5");
        feed(&mut bench, 2, "start 5");
        settle(&mut bench);
        (bench.edge_hash(), bench.now_ps(), console_text(&mut bench, 0))
    };
    let firsts: Vec<_> = (0..6).map(|seed| run(seed, SLICES[0])).collect();
    for (seed, first) in firsts.iter().enumerate() {
        assert!(first.2.contains("done sent=5"), "{}", first.2);
        for &slice_ps in SLICES[1..].iter() {
            assert_eq!(*first, run(seed as u64, slice_ps));
        }
    }
    assert!((1..6).all(|seed| firsts[seed].0 != firsts[0].0));
}

/// Noise on the channel at a level that CCA sees: requests fail for want of a channel; far off in frequency: none does.
#[test]
fn noise_on_the_channel_keeps_packets_from_going() {
    let lost = |centre_khz: u32| {
        let mut bench = boards(1, SLICES[2], plain(2));
        let noise = Interferer {
            centre_khz,
            width_khz: 2_000,
            level_dbm: -40,
            burst_ps: 9 * MS,
            first_ps: bench.now_ps(),
            pattern: Pattern::Periodic { period_ps: 10 * MS },
        };
        bench.add_interferer(noise).unwrap();
        feed(&mut bench, 0, "start 10");
        settle(&mut bench);
        let text = console_text(&mut bench, 0);
        (number(&text, "done", "lost="), text.matches("reason=busy").count())
    };
    let (all, busy) = lost(CHANNEL_KHZ);
    assert!(all > 5 && busy > 0, "{} {}", all, busy);
    assert_eq!((0, 0), lost(CHANNEL_KHZ - 75_000));
}

/// Noise at the receiver only: the sender's CCA does not see it, frames are destroyed.
#[test]
fn hidden_noise_destroys_frames() {
    let mut bench = boards(1, SLICES[2], plain(2));
    let noise = Interferer {
        centre_khz: CHANNEL_KHZ,
        width_khz: 2_000,
        level_dbm: -200,
        burst_ps: 100_000_000,
        first_ps: bench.now_ps(),
        pattern: Pattern::Periodic { period_ps: MS },
    };
    let number_of_it = bench.add_interferer(noise).unwrap();
    bench.set_interferer_level(number_of_it, 1, -40).unwrap();
    feed(&mut bench, 0, "start 10");
    settle(&mut bench);
    let text = console_text(&mut bench, 0);
    assert!(text.matches("status=lost").count() > 5, "{}", text);
}

/// Without supply a board's lines are low and it sends nothing; with it again it boots, in another place of the seed's.
#[test]
fn a_brown_out_is_a_boot() {
    let mut bench = boards(1, SLICES[2], plain(2));
    let (at_ps, off_ps) = (bench.now_ps() + 70 * MS, 30 * MS);
    let too_late = BrownOut {
        board: 1,
        at_ps: 0,
        off_ps,
    };
    assert!(bench.brown_out(too_late).is_err());
    bench.brown_out(BrownOut { at_ps, ..too_late }).unwrap();
    bench.keep_edges(true);
    feed(&mut bench, 0, "start 10");
    settle(&mut bench);
    let edges = bench.take_edges(usize::MAX);
    let board: Vec<_> = edges.iter().filter(|edge| edge.board == 1).collect();
    assert!(board.iter().any(|edge| edge.t_ps == at_ps && !edge.level));
    assert!(board.iter().all(|edge| edge.t_ps != at_ps || !edge.level));
    assert!(!board.iter().any(|edge| edge.t_ps > at_ps && edge.t_ps < at_ps + off_ps));
    assert!(board.iter().any(|edge| edge.t_ps == at_ps + off_ps && edge.level)); // pull-ups
    assert!(edges.windows(2).all(|pair| pair[0].t_ps <= pair[1].t_ps));
    let text = console_text(&mut bench, 1);
    assert!(
        text.contains("boot board=iotlab-m3 firmware=pingpong\nready\n"),
        "{}",
        text
    );
    let text = console_text(&mut bench, 0);
    let (ok, lost) = (number(&text, "done", "received="), number(&text, "done", "lost="));
    assert!(ok >= 2 && lost >= 2 && ok + lost == 10, "{}", text);
}

/// A board whose supply comes later boots later by exactly that, and its lines are low before.
#[test]
fn a_late_board_boots_late() {
    let ready = |start_ps: u64| {
        let mut bench = Bench::new(1);
        bench.keep_edges(true);
        let clock = ClockSpec {
            start_ps,
            ..ClockSpec::default()
        };
        bench.add_board_with("iotlab-m3", "x.elf", IMAGE, clock).unwrap();
        settle(&mut bench);
        assert_eq!("", bench.log_text());
        let first_ps = bench.take_edges(1)[0].t_ps;
        (bench.uart_read(0, 0, usize::MAX).unwrap().last().unwrap().0, first_ps)
    };
    let late_ps = 123 * MS + 457;
    let (in_time, late) = (ready(0), ready(late_ps));
    assert!((in_time.0 + late_ps).abs_diff(late.0) <= 1);
    assert_eq!(late_ps, late.1);
}

/// Slower flash, bridges and branches make a board slower, also after a brown-out; the slice does not show.
#[test]
fn timing_changes_reach_the_boards() {
    let cycles = |name: &str, value: u64, slice_ps: u64| {
        let mut bench = Bench::new(1);
        bench.set_slice(slice_ps);
        bench.timing.set(name, value).unwrap();
        bench.add_board("iotlab-m3", "pingpong.elf", IMAGE, 0).unwrap();
        bench.add_board("iotlab-m3", "pingpong.elf", IMAGE, 0).unwrap();
        let fault = BrownOut {
            board: 0,
            at_ps: 500 * MS,
            off_ps: 10 * MS,
        };
        bench.brown_out(fault).unwrap();
        settle(&mut bench);
        let boards = [0, 1].map(|board| bench.statistics(board).unwrap().cycles);
        (boards, bench.edge_hash())
    };
    for name in ["flash_wait_states", "apb1_wait_cycles", "apb2_wait_cycles", "refill"] {
        let (least, most) = (cycles(name, 0, SLICES[0]), cycles(name, 16, SLICES[0]));
        assert_ne!(least.1, most.1, "{}", name);
        assert_eq!(most, cycles(name, 16, SLICES[2]), "{}", name);
    }
}

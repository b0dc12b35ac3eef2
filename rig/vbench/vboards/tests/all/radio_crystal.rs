//! The crystals of the radios: phase, error, and what of them shows on the pins of two boards that play ping-pong.

use crate::bench::IMAGE;
use vboards::air::{REACTION_PS, US};
use vboards::bench::{Bench, Outcome};
use vboards::exact::Exact;
use vboards::radio::oscillator::{Oscillator, CRYSTAL_HZ, TOLERANCE_PPB};
use vboards::trace::{Edge, Pin};

const PERIOD_PS: u64 = 1_000_000_000_000 / CRYSTAL_HZ;
const FOREVER: u64 = 1_000_000_000_000_000;
const IRQ: Pin = 0x24;
const DIG2: Pin = 0x10;
const PACKETS: usize = 40;

fn oscillator(board: u16, start_ps: u64) -> Oscillator {
    Oscillator::drawn(CRYSTAL_HZ, 7, board, start_ps, Exact::default())
}

/// The error is the board's, within the tolerance, and the phase is that of a power-up.
#[test]
fn a_crystal_keeps_its_error_and_draws_its_phase() {
    let errors: Vec<i64> = (0..200).map(|board| oscillator(board, 0).ppb()).collect();
    assert_eq!([39_629, 26_455], errors[..2]); // tests/analysis/test_attribution.py reckons with them
    assert!(errors.iter().all(|ppb| ppb.unsigned_abs() <= TOLERANCE_PPB));
    let (least, most) = (*errors.iter().min().unwrap(), *errors.iter().max().unwrap());
    assert!(least < -30_000 && most > 30_000, "{} {}", least, most);
    let (cold, warm) = (oscillator(3, 0), oscillator(3, 5_000 * US));
    let other_run = Oscillator::drawn(CRYSTAL_HZ, 8, 3, 0, Exact::default());
    assert_eq!([cold.ppb(); 2], [warm.ppb(), other_run.ppb()]);
    assert_ne!(cold.edge(6_000 * US), other_run.edge(6_000 * US));
    assert_ne!(cold.edge(6_000 * US), warm.edge(6_000 * US));
}

/// Whatever the instant: the edge comes within a period, a whole number of periods on is an edge, and none is so soon that
/// another board could have run past it.
#[test]
fn all_that_a_radio_does_is_on_an_edge() {
    for board in 0..200 {
        let oscillator = oscillator(board, 0);
        let t_ps = 1000 * US + 104_729 * u64::from(board);
        let edge_ps = oscillator.edge(t_ps);
        assert!((t_ps..=t_ps + PERIOD_PS + 3).contains(&edge_ps));
        assert_eq!(edge_ps, oscillator.edge(edge_ps));
        let start_ps = oscillator.later(t_ps, 16 * US);
        assert_eq!(start_ps, oscillator.edge(start_ps));
        assert_eq!(start_ps, oscillator.later(edge_ps, 16 * US));
        assert!(start_ps >= t_ps + REACTION_PS);
        let frame_ps = oscillator.later(edge_ps, 4000 * US) - edge_ps;
        let error_ps = 4 * oscillator.ppb(); // of 4 ms, less its square
        assert!((4_000_000_000 - error_ps).abs_diff(frame_ps as i64) <= 8, "{}", board);
    }
}

fn settle(bench: &mut Bench) {
    while bench.run(bench.now_ps() + FOREVER).unwrap() != Outcome::Idle {}
}

fn rises(edges: &[Edge], board: u16, pin: Pin) -> Vec<u64> {
    let rising = edges
        .iter()
        .filter(|edge| (edge.board, edge.pin, edge.level) == (board, pin, true));
    rising.map(|edge| edge.t_ps).collect()
}

fn after(instants: &[u64], t_ps: u64) -> u64 {
    instants[instants.partition_point(|&instant| instant <= t_ps)]
}

/// From DIG2 at the receiver to TRX_END at the sender, of each request; this has no software in it.
fn stamp_to_end(exact: Exact) -> Vec<u64> {
    let mut bench = Bench::new(1);
    bench.exact = exact;
    for ppb in [12_000, -7_000] {
        bench.add_board("iotlab-m3", "pingpong.elf", IMAGE, ppb).unwrap();
    }
    settle(&mut bench);
    for (board, line) in [
        (0, "set address 1"),
        (0, "set peer 2"),
        (1, "set address 2"),
        (1, "set peer 1"),
    ] {
        bench.uart_feed(board, 1, format!("{}\n", line).as_bytes()).unwrap();
        settle(&mut bench);
    }
    bench.keep_edges(true);
    bench
        .uart_feed(0, 1, format!("start {}\n", PACKETS).as_bytes())
        .unwrap();
    settle(&mut bench);
    let edges = bench.take_edges(usize::MAX);
    let (stamps, ends) = (rises(&edges, 1, DIG2), rises(&edges, 0, IRQ));
    stamps
        .iter()
        .map(|&stamp_ps| after(&ends, stamp_ps) - stamp_ps)
        .collect()
}

fn least_and_spread(spans: &[u64]) -> (u64, u64) {
    let least = *spans.iter().min().unwrap();
    (least, spans.iter().max().unwrap() - least)
}

/// Exact crystals give one value; their error changes it by that share; their phase spreads it over two periods at most:
/// the receiver counts from the end of the frame to its acknowledgement on its own edges, as DIG2 is on one, and TRX_END is on
/// an edge of the sender after that.
#[test]
fn each_cause_has_its_share_of_the_time_between_two_radios() {
    let ideal = Exact {
        radio_phase: true,
        radio_rate: true,
        ..Exact::default()
    };
    let (exact_ps, nothing) = least_and_spread(&stamp_to_end(ideal));
    assert_eq!(0, nothing);
    let rate_only = Exact {
        radio_rate: false,
        ..ideal
    };
    let (rate_ps, rounding) = least_and_spread(&stamp_to_end(rate_only));
    assert!(rounding <= 2, "{} ps", rounding);
    let most_ps = exact_ps * TOLERANCE_PPB / 1_000_000_000 + 2 * 9 * TOLERANCE_PPB / 1000;
    assert!(rate_ps != exact_ps && rate_ps.abs_diff(exact_ps) <= most_ps);
    let spans = stamp_to_end(Exact::default());
    assert_eq!(PACKETS, spans.len());
    let (_, spread) = least_and_spread(&spans);
    assert!(spread > PERIOD_PS / 2 && spread <= 2 * PERIOD_PS + 8, "{} ps", spread);
}

//! How fast the bench is: pairs of boards that run the reference firmware and ping each other.
//!
//!     cargo run --release -p vboards --example bench_speed -- IMAGE.elf BOARDS PACKETS INTERVAL_US [SLICE_NS]

use std::time::Instant;
use vboards::bench::{Bench, Outcome};

const FOREVER_PS: u64 = 1_000_000_000_000_000;

fn settle(bench: &mut Bench) {
    while bench.run(bench.now_ps() + FOREVER_PS).unwrap() != Outcome::Idle {}
}

/// Feeds a line to a board and gives what it has said since.
fn say(bench: &mut Bench, board: usize, line: &str) -> String {
    bench.uart_feed(board, 0, format!("{}\n", line).as_bytes()).unwrap();
    settle(bench);
    let octets = bench.uart_read(board, 0, usize::MAX).unwrap();
    octets.iter().map(|octet| char::from(octet.1)).collect()
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let number = |index: usize, default: u64| words.get(index).map_or(default, |word| word.parse().unwrap());
    let image = std::fs::read(&words[1]).unwrap();
    let (boards, packets, interval_us) = (number(2, 2) as usize, number(3, 1000), number(4, 200_000));
    let mut bench = Bench::new(1);
    bench.set_slice(number(5, 16_000) * 1000);
    for board in 0..boards {
        let ppb = 1000 * board as i64;
        bench.add_board("iotlab-m3", &words[1], &image, ppb).unwrap();
    }
    settle(&mut bench);
    for board in 0..boards {
        let settings = [
            format!("set address {}", board + 1),
            format!("set peer {}", (board ^ 1) + 1),
            format!("set seed {}", board + 1),
            format!("set interval_us {}", interval_us),
        ];
        for line in settings.iter() {
            assert!(say(&mut bench, board, line).contains("ok set"));
        }
    }
    let (wall, from_ps) = (Instant::now(), bench.now_ps());
    let instructions = |bench: &Bench| -> u64 {
        (0..boards)
            .map(|board| bench.statistics(board).unwrap().instructions)
            .sum()
    };
    let before = instructions(&bench);
    for board in (0..boards).step_by(2) {
        // 7919 us apart, so that they do not all begin at once.
        bench.run(from_ps + 7_919_000_000 * board as u64 / 2).unwrap();
        let line = format!("start {}\n", packets);
        bench.uart_feed(board, 0, line.as_bytes()).unwrap();
    }
    settle(&mut bench);
    let (wall_s, virtual_s) = (wall.elapsed().as_secs_f64(), (bench.now_ps() - from_ps) as f64 / 1e12);
    let executed = (instructions(&bench) - before) as f64;
    let sent = packets as f64 * (boards as f64 / 2.0).ceil();
    println!(
        "{} boards, {} requests: {:.1} virtual s in {:.2} s: {:.0} virtual s per s",
        boards,
        sent,
        virtual_s,
        wall_s,
        virtual_s / wall_s
    );
    println!(
        "{:.1} M instructions per s, {:.0} per request; {:.1} us of wall time per request, {:.0} us per board and virtual s",
        executed / wall_s / 1e6,
        executed / sent,
        wall_s / sent * 1e6,
        wall_s / virtual_s / boards as f64 * 1e6
    );
    println!("edge hash {:016x}", bench.edge_hash());
    for board in (0..boards).step_by(2) {
        let octets = bench.uart_read(board, 0, usize::MAX).unwrap();
        let text: String = octets.iter().map(|octet| char::from(octet.1)).collect();
        if let Some(done) = text.lines().find(|line| line.starts_with("done")) {
            println!("board {}: {}", board, done);
        }
    }
}

//! How fast the bench is: pairs of boards that run the reference firmware and ping each other.
//!
//!     cargo run --release -p vboards --example bench_speed -- IMAGE.elf BOARDS PACKETS INTERVAL_US [SLICE_NS]
//!
//! Prints one `name=value` per line.

mod processor;

use processor::processor_ns;
use std::time::Instant;
use vboards::bench::{Bench, Outcome};

const FOREVER_PS: u64 = 1_000_000_000_000_000;

fn settle(bench: &mut Bench) {
    while bench.run(bench.now_ps() + FOREVER_PS).unwrap() != Outcome::Idle {}
}

/// Feeds a line to a board and gives what it has sent since.
fn command(bench: &mut Bench, board: usize, line: &str) -> String {
    bench.uart_feed(board, 0, format!("{}\n", line).as_bytes()).unwrap();
    settle(bench);
    let bytes = bench.uart_read(board, 0, usize::MAX).unwrap();
    bytes.iter().map(|byte| char::from(byte.1)).collect()
}

fn instructions(bench: &Bench) -> u64 {
    (0..bench.boards())
        .map(|board| bench.statistics(board).unwrap().instructions)
        .sum()
}

/// Replies that the boards report to have received.
fn replies(bench: &mut Bench) -> u64 {
    let mut sum = 0;
    for board in (0..bench.boards()).step_by(2) {
        let bytes = bench.uart_read(board, 0, usize::MAX).unwrap();
        let text: String = bytes.iter().map(|byte| char::from(byte.1)).collect();
        let done = text.lines().find(|line| line.starts_with("done")).unwrap();
        let received = done.split_whitespace().find_map(|word| word.strip_prefix("received="));
        sum += received.unwrap().parse::<u64>().unwrap();
    }
    sum
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
            assert!(command(&mut bench, board, line).contains("ok set"));
        }
    }
    let (wall, cpu_ns, from_ps) = (Instant::now(), processor_ns().unwrap(), bench.now_ps());
    let before = instructions(&bench);
    for board in (0..boards).step_by(2) {
        // 7919 us apart, so that they do not all begin at once.
        bench.run(from_ps + 7_919_000_000 * board as u64 / 2).unwrap();
        let line = format!("start {}\n", packets);
        bench.uart_feed(board, 0, line.as_bytes()).unwrap();
    }
    settle(&mut bench);
    println!("boards={}", boards);
    println!("requests={}", packets * (boards as u64 / 2));
    println!("replies={}", replies(&mut bench));
    println!("virtual_s={:.3}", (bench.now_ps() - from_ps) as f64 / 1e12);
    println!("wall_s={:.4}", wall.elapsed().as_secs_f64());
    println!("processor_s={:.4}", (processor_ns().unwrap() - cpu_ns) as f64 / 1e9);
    println!("instructions={}", instructions(&bench) - before);
    println!("edge_hash={:016x}", bench.edge_hash());
}

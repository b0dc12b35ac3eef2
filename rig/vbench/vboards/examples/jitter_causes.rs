//! What jitters between two boards that play ping-pong, and which cause makes it: every step with all causes, without one of
//! them, and with none.
//!
//!     cargo run --release -p vboards --example jitter_causes -- iotlab-m3|telosb IMAGE.elf PACKETS [LINE]...
//!
//! LINE is sent to both boards first ("set backoff 0"). Prints, in ns, median, standard deviation and peak-to-peak.

use vboards::bench::{Bench, Outcome};
use vboards::exact::Exact;
use vboards::trace::{Edge, Pin};

const SECOND_PS: u64 = 1_000_000_000_000;

/// Board, pin, level.
type Mark = (u16, Pin, bool);

/// The edges that a packet makes one after the other, and what ends there.
const M3: [(&str, Mark); 4] = [
    ("", (1, 0x10, true)),
    ("DIG2 at the responder to TRX_END at the initiator", (0, 0x24, true)),
    ("that to DIG2 of the reply at the initiator", (0, 0x10, true)),
    ("that to TRX_END at the responder", (1, 0x24, true)),
];
const TELOSB: [(&str, Mark); 9] = [
    ("", (0, 0x41, true)),
    ("SFD of the request here to SFD there", (1, 0x41, true)),
    ("SFD high of the request", (1, 0x41, false)),
    ("end of the request to SFD of its acknowledgement", (1, 0x41, true)),
    ("that to SFD at the initiator", (0, 0x41, true)),
    ("that to SFD of the reply at the responder", (1, 0x41, true)),
    ("SFD of the reply there to SFD here", (0, 0x41, true)),
    ("that to SFD of its acknowledgement", (0, 0x41, true)),
    ("that to SFD at the responder", (1, 0x41, true)),
];

/// Runs until every board waits for input; a system with a ticker never does.
fn settle(bench: &mut Bench, most_ps: u64) {
    let until_ps = bench.now_ps() + most_ps;
    while bench.now_ps() < until_ps && bench.run(until_ps).unwrap() != Outcome::Idle {}
}

fn command(bench: &mut Bench, board: usize, line: &str, most_ps: u64) {
    bench.uart_feed(board, 0, format!("{}\n", line).as_bytes()).unwrap();
    settle(bench, most_ps);
}

fn edges(kind: &str, image: &[u8], packets: &str, lines: &[String], exact: Exact) -> Vec<Edge> {
    let mut bench = Bench::new(1);
    bench.exact = exact;
    for ppb in [12_000, -7_000] {
        bench.add_board(kind, "image", image, ppb).unwrap();
    }
    settle(&mut bench, 2 * SECOND_PS);
    for board in 0..2 {
        command(&mut bench, board, &format!("set address {}", board + 1), SECOND_PS);
        command(&mut bench, board, &format!("set peer {}", 2 - board), SECOND_PS);
        for line in lines {
            command(&mut bench, board, line, SECOND_PS);
        }
    }
    bench.keep_edges(true);
    command(
        &mut bench,
        0,
        &format!("start {}", packets),
        packets.parse::<u64>().unwrap() * SECOND_PS / 20,
    );
    bench.take_edges(usize::MAX)
}

/// Instants of the marks of each packet; one that lacks a mark is left out.
fn packets(edges: &[Edge], marks: &[(&str, Mark)]) -> Vec<Vec<u64>> {
    let (mut all, mut packet) = (Vec::new(), Vec::new());
    for edge in edges {
        if (edge.board, edge.pin, edge.level) == marks[packet.len()].1 {
            packet.push(edge.t_ps);
        }
        if packet.len() == marks.len() {
            all.push(std::mem::take(&mut packet));
        }
    }
    all
}

fn summary(mut spans: Vec<u64>) -> String {
    spans.sort_unstable();
    let count = spans.len() as f64;
    let mean = spans.iter().sum::<u64>() as f64 / count;
    let variance = spans.iter().map(|&span| (span as f64 - mean).powi(2)).sum::<f64>() / count;
    let spread = spans[spans.len() - 1] - spans[0];
    format!(
        "{:14.3} {:10.3} {:10.3}",
        spans[spans.len() / 2] as f64 / 1e3,
        variance.sqrt() / 1e3,
        spread as f64 / 1e3
    )
}

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let image = std::fs::read(&words[2]).unwrap();
    let marks: &[(&str, Mark)] = if words[1] == "telosb" { &TELOSB } else { &M3 };
    let all = Exact {
        radio_phase: true,
        radio_rate: true,
        dco: true,
        dco_start: true,
    };
    let real = Exact::default();
    let causes = [
        ("all causes", real),
        (
            "no phase",
            Exact {
                radio_phase: true,
                ..real
            },
        ),
        (
            "no ppm",
            Exact {
                radio_rate: true,
                ..real
            },
        ),
        ("no DCO", Exact { dco: true, ..real }),
        (
            "DCO start 6 us",
            Exact {
                dco_start: true,
                ..real
            },
        ),
        ("none", all),
    ];
    println!(
        "{:16} {:50} {:>14} {:>10} {:>10}",
        "", "", "median", "deviation", "peak-peak"
    );
    for (name, exact) in causes {
        let found = packets(&edges(&words[1], &image, &words[3], &words[4..], exact), marks);
        for index in 1..marks.len() {
            let spans = found.iter().map(|packet| packet[index] - packet[index - 1]).collect();
            println!("{:16} {:50} {}", name, marks[index].0, summary(spans));
        }
        let last = marks.len() - 1;
        let trips = found.iter().map(|packet| packet[last] - packet[0]).collect();
        println!(
            "{:16} {:50} {} of {}",
            name,
            "all of these",
            summary(trips),
            found.len()
        );
    }
}

//! Runs an image on TelosBs and prints every edge of their pins, for the comparison with another simulator in
//! `rig/vbench/tests/test_second_simulator.py`.
//!
//!     telosb_pins IMAGE NODES UNTIL_US [AT_US NODE LINE]...
//!
//! LINE goes to the console of NODE. Prints, separated by tabs: node, cycles of its processor that it was awake, instant in
//! ps, pin ("P6.0"; P3.3 is the clock of the SPI), level. Radios and clocks are exact. The cycles are counted up to the end of
//! the instruction that made the edge, or during which it came.

use std::error::Error;
use vboards::analyzer::Settings;
use vboards::bench::Bench;
use vboards::boards::telosb;
use vboards::exact::Exact;
use vboards::trace::dotted_pin_name;

/// SCLK of the radio's SPI: shown where a probe is on it.
const SPI_CLOCK: &str = "P3.3";
const PROBE: Settings = Settings {
    rate_num: 1_000_000,
    rate_den: 1,
    unitsize: 1,
    ppb: 0,
    start_ps: 0,
};
const PS_PER_US: u64 = 1_000_000;

struct Input<'a> {
    at_ps: u64,
    node: usize,
    line: &'a str,
}

fn inputs(words: &[String]) -> Result<Vec<Input<'_>>, Box<dyn Error>> {
    words
        .chunks_exact(3)
        .map(|input| {
            Ok(Input {
                at_ps: input[0].parse::<u64>()? * PS_PER_US,
                node: input[1].parse()?,
                line: &input[2],
            })
        })
        .collect()
}

/// A bench whose boards have run to the first of `stops`, and so on; `each` sees it at every one.
fn run(
    words: &[String],
    stops: &[u64],
    mut each: impl FnMut(&mut Bench, usize) -> Result<(), String>,
) -> Result<Bench, Box<dyn Error>> {
    let image = std::fs::read(&words[0])?;
    let mut bench = Bench::new(1);
    bench.exact = Exact {
        radio_phase: true,
        radio_rate: true,
        dco: true,
        dco_start: false,
    };
    for node in 0..words[1].parse()? {
        bench.add_board(telosb::KIND, &words[0], &image, 0)?;
        let analyzer = bench.add_analyzer(PROBE)?;
        bench.probe(analyzer, 0, node, bench.pin(node, SPI_CLOCK)?)?;
        bench.stop_analyzer(analyzer)?;
    }
    bench.keep_edges(true);
    let mut feed = inputs(&words[3..])?.into_iter().peekable();
    for (index, &stop_ps) in stops.iter().enumerate() {
        while let Some(input) = feed.next_if(|input| input.at_ps <= stop_ps) {
            bench.pass(input.at_ps)?;
            bench.uart_feed(input.node, 1, format!("{}\n", input.line).as_bytes())?;
        }
        bench.pass(stop_ps)?;
        each(&mut bench, index)?;
    }
    Ok(bench)
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let until_ps = words[2].parse::<u64>()? * PS_PER_US;
    let edges = run(&words, &[until_ps], |_, _| Ok(()))?.take_edges(usize::MAX);
    // A second run, which stops at each edge to look at the cycles.
    let stops: Vec<u64> = edges.iter().map(|edge| edge.t_ps).collect();
    run(&words, &stops, |bench, index| {
        let edge = &edges[index];
        let cycles = bench.statistics(usize::from(edge.board))?.cycles;
        let pin = dotted_pin_name(edge.pin);
        println!(
            "{}\t{}\t{}\t{}\t{}",
            edge.board,
            cycles,
            edge.t_ps,
            pin,
            u8::from(edge.level)
        );
        Ok(())
    })?;
    Ok(())
}

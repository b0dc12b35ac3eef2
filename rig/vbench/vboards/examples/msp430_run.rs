//! Runs an ELF image on a TelosB for some virtual milliseconds and prints what its console sends:
//! `msp430_run image.elf 500 [seed]`.

use std::error::Error;
use vboards::bench::Bench;
use vboards::boards::telosb;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let path = arguments
        .get(1)
        .ok_or("usage: msp430_run image.elf milliseconds [seed]")?;
    let milliseconds: u64 = arguments.get(2).map_or(Ok(1000), |text| text.parse())?;
    let seed = arguments.get(3).map_or(Ok(1), |text| text.parse())?;
    let mut bench = Bench::new(seed);
    bench.add_board(telosb::KIND, path, &std::fs::read(path)?, 0)?;
    let start = std::time::Instant::now();
    bench.run(milliseconds * 1_000_000_000)?;
    let wall = start.elapsed();
    let bytes: Vec<u8> = bench.uart_read(0, 0, usize::MAX)?.iter().map(|entry| entry.1).collect();
    print!("{}", String::from_utf8_lossy(&bytes));
    let statistics = bench.statistics(0)?;
    println!(
        "-- {} ps, {} instructions, {} cycles, wall {:?}, edges {:016x}",
        bench.now_ps(),
        statistics.instructions,
        statistics.cycles,
        wall,
        bench.edge_hash()
    );
    print!("{}", bench.log_text());
    Ok(())
}

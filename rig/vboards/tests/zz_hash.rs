use vboards::bench::{Bench, Outcome};

const IMAGE: &[u8] = include_bytes!("data/pingpong.elf");
const FOREVER: u64 = 1_000_000_000_000_000;

/// How a run is cut into calls and slices; none of it may show.
#[derive(Clone, Copy)]
struct Way {
    slice_ps: u64,
    call_ps: u64,
}

const PLAIN: Way = Way {
    slice_ps: u64::MAX,
    call_ps: FOREVER,
};

fn settle(bench: &mut Bench, way: Way) {
    while bench.run(bench.now_ps() + way.call_ps).unwrap() != Outcome::Idle {}
}

fn pair(seed: u64, way: Way) -> Bench {
    let mut bench = Bench::new(seed);
    bench.set_slice(way.slice_ps);
    assert_eq!(Ok(0), bench.add_board("iotlab-m3", "pingpong.elf", IMAGE, 0));
    assert_eq!(Ok(1), bench.add_board("iotlab-m3", "pingpong.elf", IMAGE, 12_345));
    settle(&mut bench, way);
    bench
}

fn say(bench: &mut Bench, board: usize, line: &str, way: Way) -> String {
    bench.uart_feed(board, 1, format!("{}\n", line).as_bytes()).unwrap();
    settle(bench, way);
    heard(bench, board)
}

fn heard(bench: &mut Bench, board: usize) -> String {
    let octets: Vec<u8> = bench
        .uart_read(board, 1, usize::MAX)
        .unwrap()
        .iter()
        .map(|octet| octet.1)
        .collect();
    String::from_utf8(octets).unwrap()
}

fn exchange(seed: u64, packets: u32, way: Way) -> (Bench, String) {
    let mut bench = pair(seed, way);
    for (board, line) in [
        (0, "set address 1"),
        (0, "set peer 2"),
        (1, "set address 2"),
        (1, "set peer 1"),
    ] {
        assert!(say(&mut bench, board, line, way).contains("ok set"));
    }
    let text = say(&mut bench, 0, &format!("start {}", packets), way);
    (bench, text)
}

#[test]
fn hash() {
    let (bench, text) = exchange(1, 20, PLAIN);
    println!("HASH {:x} {} {}", bench.edge_hash(), bench.now_ps(), text.len());
    let t = std::time::Instant::now();
    let (bench, _) = exchange(1, 3000, PLAIN);
    let wall = t.elapsed().as_secs_f64();
    println!(
        "SPEED {:.1} sim-s per wall-s, {} s",
        bench.now_ps() as f64 / 1e12 / wall,
        bench.now_ps() as f64 / 1e12
    );
}

//! The complete bench with a real image (tests/data): two boards that answer each other, over the C ABI where it matters.

use std::ffi::CString;
use std::os::raw::c_char;
use vboards::analyzer::Settings;
use vboards::bench::{Bench, Outcome};
use vboards::capi;

pub const IMAGE: &[u8] = include_bytes!("../data/pingpong.elf");
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

fn command(bench: &mut Bench, board: usize, line: &str, way: Way) -> String {
    bench.uart_feed(board, 1, format!("{}\n", line).as_bytes()).unwrap();
    settle(bench, way);
    console_text(bench, board)
}

fn console_text(bench: &mut Bench, board: usize) -> String {
    let bytes: Vec<u8> = bench
        .uart_read(board, 1, usize::MAX)
        .unwrap()
        .iter()
        .map(|byte| byte.1)
        .collect();
    String::from_utf8(bytes).unwrap()
}

fn exchange(seed: u64, packets: u32, way: Way) -> (Bench, String) {
    let mut bench = pair(seed, way);
    for (board, line) in [
        (0, "set address 1"),
        (0, "set peer 2"),
        (1, "set address 2"),
        (1, "set peer 1"),
    ] {
        assert!(command(&mut bench, board, line, way).contains("ok set"));
    }
    let text = command(&mut bench, 0, &format!("start {}", packets), way);
    (bench, text)
}

#[test]
fn boards_boot_and_then_wait_for_input() {
    let mut bench = pair(1, PLAIN);
    for board in 0..2 {
        assert_eq!(
            "boot board=iotlab-m3 firmware=pingpong\nready\n",
            console_text(&mut bench, board)
        );
    }
    let now_ps = bench.now_ps();
    assert_eq!(Ok(Outcome::Idle), bench.run(FOREVER));
    assert_eq!(now_ps, bench.now_ps());
    assert_eq!("", bench.log_text());
}

#[test]
fn packets_go_and_come_back() {
    let (mut bench, text) = exchange(1, 20, PLAIN);
    assert!(text.contains("done sent=20 received=20 lost=0"), "{}", text);
    assert_eq!(20, text.matches("status=ok").count());
    assert!(command(&mut bench, 1, "report", PLAIN).contains("received=20"));
    assert_eq!("", bench.log_text());
}

/// The round trips lie on levels of 320 us: the backoffs of both ends, and nothing else that varies.
#[test]
fn round_trips_lie_on_the_backoff_lattice() {
    let (_, text) = exchange(4, 120, PLAIN);
    let number = |line: &str, key: &str| -> i64 {
        let rest = &line[line.find(key).unwrap() + key.len()..];
        rest.split(' ').next().unwrap().parse().unwrap()
    };
    let trips: Vec<i64> = text
        .lines()
        .filter(|line| line.contains("status=ok"))
        .map(|line| number(line, "rx_us=") - number(line, "tx_us="))
        .collect();
    assert_eq!(120, trips.len());
    let least = *trips.iter().min().unwrap();
    assert!(trips
        .iter()
        .all(|trip| (trip - least + 2) % 320 <= 4 && trip - least <= 14 * 320 + 2));
    assert!(trips.iter().any(|trip| trip - least >= 6 * 320));
}

/// Slices and calls do not show; the seed does.
#[test]
fn the_result_does_not_depend_on_how_it_is_run() {
    let ways = [
        PLAIN,
        Way {
            slice_ps: 16_000_000,
            ..PLAIN
        },
        Way {
            slice_ps: 4_000_000,
            ..PLAIN
        },
        Way {
            slice_ps: 1_000_000,
            ..PLAIN
        },
        Way {
            slice_ps: 3_333_333,
            ..PLAIN
        },
        Way {
            call_ps: 1_000_000_007,
            ..PLAIN
        },
        Way {
            call_ps: 37_000_003,
            slice_ps: 7_000_001,
        },
    ];
    let results: Vec<(u64, u64, String)> = ways
        .iter()
        .map(|&way| {
            let (bench, text) = exchange(1, 8, way);
            (bench.edge_hash(), bench.now_ps(), text)
        })
        .collect();
    for result in results.iter() {
        assert_eq!(&results[0], result);
    }
    assert_ne!(results[0].0, exchange(2, 8, PLAIN).0.edge_hash());
}

/// What the analyzer saw of the serial line is what the node sent: sampled at 24 MHz, decoded at 500 kbaud.
#[test]
fn the_analyzer_sees_the_serial_line() {
    let mut bench = pair(1, PLAIN);
    console_text(&mut bench, 0);
    let settings = Settings {
        rate_num: 24_000_000,
        rate_den: 1,
        unitsize: 1,
        ppb: -15_000,
        start_ps: 7,
    };
    let analyzer = bench.add_analyzer(settings).unwrap();
    bench.probe(analyzer, 3, 0, 0x09).unwrap();
    let text = command(&mut bench, 0, "identify", PLAIN);
    assert!(text.contains("ok identify board=iotlab-m3"), "{}", text);
    let mut samples = vec![0u8; 24 * 20_000];
    let used = bench.samples(analyzer, &mut samples).unwrap();
    let level = |at: usize| samples[at.min(used - 1)] >> 3 & 1;
    let (mut at, mut decoded) = (0, Vec::new());
    while at < used {
        if level(at) == 1 {
            at += 1;
            continue;
        }
        decoded.push((0..8).fold(0, |byte, bit| byte | level(at + 72 + 48 * bit) << bit)); // 48 samples per bit
        at += 48 * 9 + 24;
    }
    assert_eq!(text, String::from_utf8_lossy(&decoded));
}

#[test]
fn a_lost_link_is_no_ack() {
    let mut bench = pair(1, PLAIN);
    let silent = vboards::air::Link {
        loss_ppm: 1_000_000,
        ..Default::default()
    };
    bench.set_link(0, 1, silent).unwrap();
    for (board, line) in [
        (0, "set address 1"),
        (0, "set peer 2"),
        (1, "set address 2"),
        (1, "set peer 1"),
    ] {
        command(&mut bench, board, line, PLAIN);
    }
    assert!(command(&mut bench, 0, "start 3", PLAIN).contains("done sent=3 received=0 lost=3"));
}

fn last_error(handle: *mut capi::Handle) -> String {
    let mut buffer = vec![0u8; 400];
    let length = capi::vb_last_error(handle, buffer.as_mut_ptr().cast::<c_char>(), buffer.len());
    String::from_utf8_lossy(&buffer[..length as usize]).into_owned()
}

#[test]
fn the_c_abi_explains_errors() {
    let handle = capi::vb_new(1);
    let (board, wrong) = (CString::new("iotlab-m3").unwrap(), CString::new("z1").unwrap());
    let mut msp430 = IMAGE.to_vec();
    msp430[18] = 105;
    assert_eq!(
        -1,
        capi::vb_add_board(handle, board.as_ptr(), msp430.as_ptr(), msp430.len(), 0)
    );
    assert_eq!(
        "the image is for MSP430 (machine 105), this board has a Cortex-M3 (ARM, 40)",
        last_error(handle)
    );
    assert_eq!(
        -1,
        capi::vb_add_board(handle, wrong.as_ptr(), IMAGE.as_ptr(), IMAGE.len(), 0)
    );
    assert_eq!(
        "no board of kind \"z1\"; there are: iotlab-m3, nucleo-l476rg, nucleo-l476rg-at86rf231, \
         nucleo-l476rg-mrf24j40, nrf52840dk, telosb",
        last_error(handle)
    );
    assert_eq!(
        -4,
        capi::vb_add_board(handle, std::ptr::null(), IMAGE.as_ptr(), IMAGE.len(), 0)
    );
    assert_eq!(
        0,
        capi::vb_add_board(handle, board.as_ptr(), IMAGE.as_ptr(), IMAGE.len(), 0)
    );
    assert_eq!(1, capi::vb_run(handle, FOREVER));
    let pin = CString::new("PZ99").unwrap();
    assert_eq!(0, capi::vb_analyzer_add(handle, 1_000_000, 1, 2, 0, 0));
    assert_eq!(-1, capi::vb_probe(handle, 0, 0, 0, pin.as_ptr()));
    assert_eq!("\"PZ99\" is not a pin, write it as PB6", last_error(handle));
    assert_eq!(-1, capi::vb_probe(handle, 1, 0, 0, pin.as_ptr()));
    assert_eq!(-1, capi::vb_set_link(handle, 0, 1, 0, 0, 0));
    assert_eq!("no board 1: the bench has 1", last_error(handle));
    assert_eq!(-4, capi::vb_run(std::ptr::null_mut(), 0));
    capi::vb_free(handle);
}

/// An ELF image with one segment at the start of the flash: stack pointer, entry, code.
fn program(code: &[u16]) -> Vec<u8> {
    let mut body: Vec<u8> = [0x2000_1000u32, 0x0800_0009]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    body.extend(code.iter().flat_map(|half| half.to_le_bytes()));
    let mut bytes = vec![0u8; 84];
    bytes[..7].copy_from_slice(b"\x7fELF\x01\x01\x01");
    (bytes[16], bytes[18], bytes[28], bytes[42], bytes[44]) = (2, 40, 52, 32, 1);
    let size = body.len() as u32;
    for (index, word) in [1, 84, 0x0800_0000, 0x0800_0000, size, size, 5, 4u32]
        .iter()
        .enumerate()
    {
        bytes[52 + 4 * index..56 + 4 * index].copy_from_slice(&word.to_le_bytes());
    }
    bytes.extend(body);
    bytes
}

/// ldr r0, =0x48000000; ldr r1, [r0]; b .
#[test]
fn an_unmapped_register_ends_the_run() {
    let image = program(&[0x4801, 0x6801, 0xE7FE, 0xBF00, 0x0000, 0x4800]);
    let mut bench = Bench::new(1);
    bench.add_board("iotlab-m3", "x.elf", &image, 0).unwrap();
    let error = bench.run(FOREVER).unwrap_err();
    assert!(
        error.starts_with("board 0: read of unmapped register 0x48000000 at PC 0x0800000a, t = "),
        "{}",
        error
    );
    assert_eq!(Err(error), bench.run(FOREVER));
    let mut lenient = Bench::new(1);
    lenient.set_strict(false);
    lenient.add_board("iotlab-m3", "x.elf", &image, 0).unwrap();
    let error = lenient.run(FOREVER).unwrap_err(); // the core takes a bus fault it has no handler for
    assert!(
        error.starts_with("board 0: ") && !error.contains("unmapped"),
        "{}",
        error
    );
    assert!(lenient.log_text().contains("read of unmapped register 0x48000000"));
}

/// A board that never sleeps has no idle: the bench stops at the instant asked for. wfi; b . - 2 does.
#[test]
fn spinning_reaches_and_sleeping_idles() {
    let mut spinning = Bench::new(1);
    spinning
        .add_board("iotlab-m3", "x.elf", &program(&[0xE7FE, 0xBF00]), 0)
        .unwrap();
    assert_eq!(Ok(Outcome::Reached), spinning.run(5_000_000_000));
    assert_eq!(5_000_000_000, spinning.now_ps());
    let mut sleeping = Bench::new(1);
    sleeping
        .add_board("iotlab-m3", "x.elf", &program(&[0xBF30, 0xE7FD]), 0)
        .unwrap();
    assert_eq!(Ok(Outcome::Idle), sleeping.run(5_000_000_000));
    assert!(sleeping.now_ps() < 10_000_000);
}

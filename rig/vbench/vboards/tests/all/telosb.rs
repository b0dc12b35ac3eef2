//! The supply and the crystal of a TelosB: late starts, brown-outs, clock errors, an erased flash.

use vboards::bench::{Bench, BrownOut, Outcome};
use vboards::board::{self, Board, Parts};
use vboards::clock::{ClockSpec, ClockStep};
use vboards::trace::{parse_pin, Edge};

const MS: u64 = 1_000_000_000;
const US: u64 = 1_000_000;
const FLASH: u32 = 0x4000;
const RESET_VECTOR: u32 = 0xFFFE;
const EM_MSP430: u16 = 105;
/// The program toggles P6.0 every 328 ticks of 32 768 Hz.
const PERIOD_PS: u64 = 328 * 1_000_000_000_000 / 32_768;
/// From the timer's flag to the pin: 16 cycles of the polling loop at most (SLAU049F tables 3-15, 3-16), of a DCO of 750 kHz
/// less 10 % (SLAS272H 5.18); before the first flag, 30 cycles of start-up.
const POLL_PS: u64 = 25 * US;
const START_PS: u64 = 50 * US;

#[rustfmt::skip]
const PROGRAM: [u16; 19] = [
    0x40B2, 0x5A80, 0x0120, // mov #WDTPW|WDTHOLD, &WDTCTL
    0xD3D2, 0x0036, // bis.b #1, &P6DIR
    0x40B2, 327, 0x0172, // mov #327, &TACCR0
    0x40B2, 0x0114, 0x0160, // mov #TASSEL_ACLK|MC_UP|TACLR, &TACTL
    0xB392, 0x0162, // loop: bit #CCIFG, &TACCTL0
    0x27FD, // jz loop
    0xC392, 0x0162, // bic #CCIFG, &TACCTL0
    0xE3D2, 0x0035, // xor.b #1, &P6OUT
    0x3FF8, // jmp loop

];

/// A program as an executable (Tool Interface Standard, ELF Specification 1.2).
pub fn executable(program: &[u16]) -> Vec<u8> {
    let code: Vec<u8> = program.iter().flat_map(|word| word.to_le_bytes()).collect();
    let vector = (FLASH as u16).to_le_bytes().to_vec();
    let mut elf = b"\x7fELF\x01\x01\x01".to_vec();
    elf.resize(16, 0);
    for half in [
        2,
        EM_MSP430,
        1,
        0,
        FLASH as u16,
        0,
        52,
        0,
        0,
        0,
        0,
        0,
        52,
        32,
        2,
        0,
        0,
        0,
    ] {
        elf.extend(half.to_le_bytes());
    }
    let mut offset = 52 + 2 * 32;
    for (address, bytes) in [(FLASH, &code), (RESET_VECTOR, &vector)] {
        let length = bytes.len() as u32;
        for word in [1, offset, address, address, length, length, 5, 1] {
            elf.extend(word.to_le_bytes());
        }
        offset += length;
    }
    elf.extend(code);
    elf.extend(vector);
    elf
}

fn image() -> Vec<u8> {
    executable(&PROGRAM)
}

fn bench(image: &[u8], clock: ClockSpec) -> Bench {
    let mut bench = Bench::new(3);
    bench.keep_edges(true);
    bench.add_board_with("telosb", "test.elf", image, clock).unwrap();
    bench
}

/// Instants of the edges on a pin.
pub fn instants(edges: &[Edge], pin: &str) -> Vec<u64> {
    let pin = parse_pin(pin).unwrap();
    edges
        .iter()
        .filter(|edge| edge.pin == pin)
        .map(|edge| edge.t_ps)
        .collect()
}

fn assert_between(least: u64, value: u64, most: u64) {
    assert!(least <= value && value <= most, "{} <= {} <= {}", least, value, most);
}

/// Before its supply is there all lines are low and nothing runs; then it boots as any other board.
#[test]
fn a_late_telosb_boots_late() {
    for start_ps in [0, 123_456_789_012, 5_000 * MS] {
        let clock = ClockSpec {
            start_ps,
            ..ClockSpec::default()
        };
        let mut bench = bench(&image(), clock);
        bench.run(start_ps + 100 * MS).unwrap();
        let edges = bench.take_edges(usize::MAX);
        assert!(edges.iter().all(|edge| edge.t_ps >= start_ps));
        let rest = instants(&edges, "P5.4"); // an LED to the supply
        assert_eq!(if start_ps > 0 { vec![start_ps] } else { vec![] }, rest);
        let first_ps = instants(&edges, "P6.0")[0] - start_ps;
        assert_between(PERIOD_PS - START_PS, first_ps, PERIOD_PS + START_PS + POLL_PS);
        assert_eq!("", bench.log_text());
    }
}

/// The crystal is fast by 0.1 %, stands still for 5 ms once, and is then fast by another 0.2 %.
#[test]
fn the_crystal_has_the_errors_of_the_clock() {
    let step = ClockStep {
        at_ps: 500 * MS,
        ppb: 2_000_000,
        gap_ps: 5 * MS,
    };
    let mut bench = bench(
        &image(),
        ClockSpec {
            steps: vec![step],
            ..ClockSpec::fast(1_000_000)
        },
    );
    bench.run(1_600 * MS).unwrap();
    let toggles = instants(&bench.take_edges(usize::MAX), "P6.0");
    let span = |from: usize, to: usize| toggles[to] - toggles[from];
    let fast = |periods: u64, ppm: u64| periods * PERIOD_PS * 1_000_000 / (1_000_000 + ppm);
    assert_between(fast(48, 1000) - POLL_PS, span(0, 48), fast(48, 1000) + POLL_PS);
    let around = fast(2, 1000) + 5 * MS; // one of the two periods may already be quicker
    assert_between(around - 50 * US - POLL_PS, span(48, 50), around + POLL_PS);
    assert_between(fast(100, 3000) - POLL_PS, span(50, 150), fast(100, 3000) + POLL_PS);
}

/// A brown-out: lines low at once, a boot afterwards; whatever the slice.
#[test]
fn a_brown_out_is_a_boot() {
    let fault = BrownOut {
        board: 0,
        at_ps: 55 * MS + 7,
        off_ps: 30 * MS,
    };
    let on_ps = fault.at_ps + fault.off_ps;
    let mut hashes = Vec::new();
    for slice_ps in [1_000_000, 16_000_000] {
        let mut bench = bench(&image(), ClockSpec::fast(20_000));
        bench.set_slice(slice_ps);
        bench.add_board("telosb", "test.elf", &image(), 0).unwrap();
        bench.brown_out(fault).unwrap();
        bench.run(200 * MS).unwrap();
        let edges: Vec<Edge> = bench
            .take_edges(usize::MAX)
            .into_iter()
            .filter(|edge| edge.board == 0)
            .collect();
        assert!(!edges.iter().any(|edge| edge.t_ps > fault.at_ps && edge.t_ps < on_ps));
        assert_eq!(vec![fault.at_ps, on_ps], instants(&edges, "P5.4"));
        let toggles = instants(&edges, "P6.0");
        let again_ps = toggles.iter().find(|&&t_ps| t_ps > fault.at_ps).unwrap() - on_ps;
        assert_between(PERIOD_PS - START_PS, again_ps, PERIOD_PS + START_PS + POLL_PS);
        assert_eq!("", bench.log_text());
        hashes.push(bench.edge_hash());
    }
    assert_eq!(hashes[0], hashes[1]);
}

fn made(image: &[u8]) -> Box<dyn Board> {
    let clock = ClockSpec::default();
    let parts = Parts {
        seed: 1,
        board: 0,
        image_name: "test.elf",
        image,
        clock,
        strict: true,
        timing: Default::default(),
        radio_start: Default::default(),
        build_code: Default::default(),
        exact: Default::default(),
    };
    board::make("telosb", &parts).unwrap()
}

/// An erased board stands still, and runs once its flash holds a program; the flash outlives the supply.
#[test]
fn an_erased_telosb_waits() {
    let mut bench = bench(b"", ClockSpec::default());
    assert_eq!(Outcome::Idle, bench.run(1_000 * MS).unwrap());
    assert_eq!("", bench.log_text());
    let flash = made(&image()).flash();
    let mut erased = made(b"");
    assert_eq!(None, erased.next_action_ps());
    erased.power_up(&flash, &mut || 0xA5);
    assert_eq!(flash, erased.flash());
    erased.run_until(50 * MS).unwrap();
    assert!(erased.edges().iter().any(|edge| Some(edge.pin) == parse_pin("P6.0")));
}

/// Pins have the names of the chip's manual, and those of another family are none of its.
#[test]
fn pins_have_their_own_names() {
    let mut bench = bench(&image(), ClockSpec::default());
    bench.add_board("iotlab-m3", "", b"", 0).unwrap();
    assert_eq!(parse_pin("P6.0").unwrap(), bench.pin(0, "p6.0").unwrap());
    assert_eq!(
        "\"PB9\" is not a pin, write it as P1.6",
        bench.pin(0, "PB9").unwrap_err()
    );
    assert_eq!(
        "\"P6.0\" is not a pin, write it as PB6",
        bench.pin(1, "P6.0").unwrap_err()
    );
    let absent = bench.probe(0, 0, 0, parse_pin("P9.1").unwrap()).unwrap_err();
    assert_eq!("board 0 has no P9.1", absent);
}

/// Polls the status of the flash M25P80 until its write-in-progress bit is 0, as Contiki's start-up does; then sets P6.0.
#[rustfmt::skip]
const FLASH_POLL: [u16; 53] = [
    0x40B2, 0x5A80, 0x0120, // mov #WDTPW|WDTHOLD, &WDTCTL
    0xD0F2, 0x0010, 0x001E, // bis.b #BIT4, &P4DIR
    0xC0F2, 0x0010, 0x001D, // bic.b #BIT4, &P4OUT: the flash is selected
    0xD0F2, 0x000E, 0x001B, // bis.b #0x0E, &P3SEL
    0x40F2, 0x0017, 0x0070, // mov.b #CHAR|SYNC|MM|SWRST, &U0CTL
    0x40F2, 0x00A2, 0x0071, // mov.b #CKPH|SSEL_SMCLK|STC, &U0TCTL
    0x43E2, 0x0074, // mov.b #2, &U0BR0
    0x43C2, 0x0075, // mov.b #0, &U0BR1
    0x43C2, 0x0073, // mov.b #0, &U0MCTL
    0xD0F2, 0x0040, 0x0004, // bis.b #USPIE0, &ME1
    0xC3D2, 0x0070, // bic.b #SWRST, &U0CTL
    0x40F2, 0x0005, 0x0077, // mov.b #RDSR, &U0TXBUF
    0xB0F2, 0x0040, 0x0002, 0x27FC, // bit.b #URXIFG0, &IFG1; jz
    0x4254, 0x0076, // mov.b &U0RXBUF, r4
    0x43C2, 0x0077, // status: mov.b #0, &U0TXBUF
    0xB0F2, 0x0040, 0x0002, 0x27FC, // bit.b #URXIFG0, &IFG1; jz
    0x4254, 0x0076, // mov.b &U0RXBUF, r4
    0xB354, // bit.b #WIP, r4
    0x23F6, // jnz status
    0xD3D2, 0x0036, // bis.b #1, &P6DIR
    0xD3D2, 0x0035, // bis.b #1, &P6OUT
    0x3FFF, // jmp $
];

#[test]
fn the_flash_is_never_busy() {
    let mut bench = bench(&executable(&FLASH_POLL), ClockSpec::default());
    bench.run(20 * MS).unwrap();
    assert_eq!(1, instants(&bench.take_edges(usize::MAX), "P6.0").len());
    assert_eq!("", bench.log_text());
}

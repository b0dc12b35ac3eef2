//! The flash of a TelosB against its data sheet (STMicroelectronics M25P80, section 6).

use vboards::air::US;
use vboards::boards::m25p80::M25p80;
use vboards::soc::Outside;
use vboards::trace::Pin;

const BUS: usize = 0;
const SELECT: Pin = 0x44;
const HOLD: Pin = 0x47;

/// Sends bytes while the chip is selected; what it answers to each.
fn exchange(chip: &mut M25p80, bytes: &[u8]) -> Vec<Option<u8>> {
    chip.pin(SELECT, false, 0);
    let answers = bytes
        .iter()
        .map(|&byte| {
            let answer = chip.spi_out(BUS, 0);
            chip.spi_in(BUS, byte, 0);
            answer
        })
        .collect();
    chip.pin(SELECT, true, 0);
    answers
}

/// RDSR is answered as often as it is clocked (6.4); the write enable latch follows WREN and WRDI when the select rises (6.1, 6.2).
#[test]
fn status() {
    let mut chip = M25p80::new(BUS, SELECT, HOLD);
    assert_eq!(vec![None, Some(0), Some(0)], exchange(&mut chip, &[0x05, 0, 0]));
    exchange(&mut chip, &[0x06]);
    assert_eq!(vec![None, Some(2)], exchange(&mut chip, &[0x05, 0]));
    exchange(&mut chip, &[0x04]);
    assert_eq!(vec![None, Some(0)], exchange(&mut chip, &[0x05, 0]));
}

#[test]
fn identity() {
    let mut chip = M25p80::new(BUS, SELECT, HOLD);
    assert_eq!(
        vec![None, Some(0x20), Some(0x20), Some(0x14), None],
        exchange(&mut chip, &[0x9F, 0, 0, 0, 0])
    );
    assert_eq!(
        vec![None, None, None, None, Some(0x13)],
        exchange(&mut chip, &[0xAB, 0, 0, 0, 0])
    );
}

/// It answers on its own bus, while it is selected.
#[test]
fn others_are_left_alone() {
    let mut chip = M25p80::new(BUS, SELECT, HOLD);
    chip.spi_in(BUS, 0x05, 0);
    assert_eq!(None, chip.spi_out(BUS, 0));
    chip.pin(SELECT, false, 0);
    chip.spi_in(BUS, 0x05, 0);
    assert_eq!((None, Some(0)), (chip.spi_out(BUS + 1, 0), chip.spi_out(BUS, 0)));
}

/// Sends bytes at an instant; what it answers to the last `answers` of them, 0xFF where it drives nothing.
fn at(chip: &mut M25p80, t_us: u64, bytes: &[u8], answers: usize) -> Vec<u8> {
    chip.pin(SELECT, false, t_us * US);
    let mut all = Vec::new();
    for &byte in bytes.iter().chain(&vec![0; answers]) {
        all.push(chip.spi_out(BUS, t_us * US).unwrap_or(0xFF));
        chip.spi_in(BUS, byte, t_us * US);
    }
    chip.pin(SELECT, true, t_us * US);
    all.split_off(bytes.len())
}

fn notes(chip: &mut M25p80) -> Vec<String> {
    chip.take_notes().into_iter().map(|note| note.1).collect()
}

/// Programs bytes at an address, from `t_us` on; the instant at which it is done.
fn program(chip: &mut M25p80, t_us: u64, address: [u8; 3], bytes: &[u8]) -> u64 {
    at(chip, t_us, &[0x06], 0);
    at(chip, t_us, &[&[0x02][..], &address, bytes].concat(), 0);
    t_us + 1_400
}

/// 6.5, 6.6: it is erased at first; both ways to read continue over pages and from the end to the start.
#[test]
fn reading() {
    let mut chip = M25p80::new(BUS, SELECT, HOLD);
    let t_us = program(&mut chip, 0, [0x0F, 0xFF, 0xFF], &[0x12]);
    let t_us = program(&mut chip, t_us, [0x00, 0x00, 0x00], &[0x34, 0x56]);
    assert_eq!(
        vec![0xFF, 0x12, 0x34, 0x56, 0xFF],
        at(&mut chip, t_us, &[0x03, 0x0F, 0xFF, 0xFE], 5)
    );
    assert_eq!(
        vec![0x12, 0x34],
        at(&mut chip, t_us, &[0x0B, 0xFF, 0xFF, 0xFF, 0x00], 2) // the upper four bits do not count
    );
}

/// 6.8: programming clears bits, continues at the start of its page, and takes the last 256 bytes.
#[test]
fn programming() {
    let mut chip = M25p80::new(BUS, SELECT, HOLD);
    let t_us = program(&mut chip, 0, [0x01, 0x02, 0xFE], &[0xF0, 0x11, 0x22]);
    let t_us = program(&mut chip, t_us, [0x01, 0x02, 0xFE], &[0x3C]);
    assert_eq!(
        vec![0x30, 0x11, 0xFF],
        at(&mut chip, t_us, &[0x03, 0x01, 0x02, 0xFE], 3)
    );
    assert_eq!(vec![0x22, 0xFF], at(&mut chip, t_us, &[0x03, 0x01, 0x02, 0x00], 2));
    let long: Vec<u8> = [0; 8].iter().copied().chain(0..=255).collect();
    let t_us = program(&mut chip, t_us, [0x01, 0x03, 0x00], &long);
    assert_eq!(vec![248, 249], at(&mut chip, t_us, &[0x03, 0x01, 0x03, 0x00], 2));
    assert_eq!(vec![0, 1], at(&mut chip, t_us, &[0x03, 0x01, 0x03, 0x08], 2));
}

/// 6.4: WIP while it works, for the typical time; the latch is down afterwards, and nothing but RDSR is taken meanwhile.
#[test]
fn write_cycles() {
    let mut chip = M25p80::new(BUS, SELECT, HOLD);
    let cases: [(&[u8], u64); 4] = [
        (&[0x02, 0, 0, 0, 0], 1_400),
        (&[0xD8, 0, 0, 0], 1_000_000),
        (&[0xC7], 10_000_000),
        (&[0x01, 0x9C], 5_000),
    ];
    let mut t_us = 0;
    for (instruction, cycle_us) in cases {
        at(&mut chip, t_us, &[0x06], 0);
        assert_eq!(vec![0x02], at(&mut chip, t_us, &[0x05], 1));
        at(&mut chip, t_us, instruction, 0);
        t_us += cycle_us;
        assert_eq!(1, at(&mut chip, t_us - 1, &[0x05], 1)[0] & 1);
        assert_eq!(vec![0xFF], at(&mut chip, t_us - 1, &[0x03, 0, 0, 0], 1));
        assert_eq!(0, at(&mut chip, t_us, &[0x05], 1)[0] & 3);
    }
    assert_eq!(vec![0x9C], at(&mut chip, t_us, &[0x05], 1));
    let refusal = "M25P80: instruction 0x03 comes during a write cycle, where only 0x05 is taken, ignored";
    assert_eq!(vec![refusal; 4], notes(&mut chip));
}

/// 6.9, 6.10: a sector of 64 KiB, and all; neither without write enable.
#[test]
fn erasing() {
    let mut chip = M25p80::new(BUS, SELECT, HOLD);
    let mut t_us = 0;
    for sector in [3, 4] {
        t_us = program(&mut chip, t_us, [sector, 0xFF, 0xFF], &[sector]);
    }
    let content = |chip: &mut M25p80, t_us: u64| [3, 4].map(|sector| at(chip, t_us, &[0x03, sector, 0xFF, 0xFF], 1)[0]);
    at(&mut chip, t_us, &[0xD8, 3, 0, 0], 0);
    assert_eq!([3, 4], content(&mut chip, t_us));
    at(&mut chip, t_us, &[0x06], 0);
    at(&mut chip, t_us, &[0xD8, 3, 0x12, 0x34], 0);
    t_us += 1_000_000;
    assert_eq!([0xFF, 4], content(&mut chip, t_us));
    at(&mut chip, t_us, &[0x06], 0);
    at(&mut chip, t_us, &[0xC7], 0);
    t_us += 10_000_000;
    assert_eq!([0xFF, 0xFF], content(&mut chip, t_us));
    assert_eq!(
        vec!["M25P80: instruction 0xd8 with no write enable, ignored"],
        notes(&mut chip)
    );
}

/// Table 2: BP2 to BP0 protect the upper sectors, and all of it from a bulk erase.
#[test]
fn protected_areas() {
    for (level, first) in [(0, 16), (1, 15), (2, 14), (3, 12), (4, 8), (5, 0), (7, 0)] {
        let mut chip = M25p80::new(BUS, SELECT, HOLD);
        at(&mut chip, 0, &[0x06], 0);
        at(&mut chip, 0, &[0x01, level << 2], 0);
        let mut t_us = 5_000;
        for sector in 0..16 {
            t_us = program(&mut chip, t_us, [sector, 0, 0], &[0x55]);
            let expected = if sector < first { 0x55 } else { 0xFF };
            assert_eq!(vec![expected], at(&mut chip, t_us, &[0x03, sector, 0, 0], 1));
        }
        at(&mut chip, t_us, &[0x06], 0);
        at(&mut chip, t_us, &[0xC7], 0);
        t_us += 10_000_000;
        let first_byte = if first == 0 || level == 0 { 0xFF } else { 0x55 };
        assert_eq!(vec![first_byte], at(&mut chip, t_us, &[0x03, 0, 0, 0], 1));
    }
}

/// 2.5: while HOLD is low the chip neither listens nor answers, and then continues where it was.
#[test]
fn hold() {
    let mut chip = M25p80::new(BUS, SELECT, HOLD);
    chip.pin(SELECT, false, 0);
    chip.spi_in(BUS, 0x05, 0);
    chip.pin(HOLD, false, 0);
    chip.spi_in(BUS, 0x9F, 0);
    assert_eq!(None, chip.spi_out(BUS, 0));
    chip.pin(HOLD, true, 0);
    assert_eq!(Some(0), chip.spi_out(BUS, 0));
}

/// What is programmed outlives the supply.
#[test]
fn kept_without_supply() {
    let mut chip = M25p80::new(BUS, SELECT, HOLD);
    let t_us = program(&mut chip, 0, [7, 7, 7], &[0x42]);
    let mut next = M25p80::new(BUS, SELECT, HOLD);
    next.restore(&chip.kept());
    assert_eq!(vec![0x42], at(&mut next, t_us, &[0x03, 7, 7, 7], 1));
}

/// In deep power-down it takes the release only (6.11); that, and what it does not know, is logged.
#[test]
fn what_it_ignores_is_logged() {
    let mut chip = M25p80::new(BUS, SELECT, HOLD);
    exchange(&mut chip, &[0xB9]);
    assert_eq!(vec![None, None], exchange(&mut chip, &[0x05, 0]));
    exchange(&mut chip, &[0xAB]);
    assert_eq!(vec![None, Some(0)], exchange(&mut chip, &[0x05, 0]));
    exchange(&mut chip, &[0x52, 0, 0, 0]);
    assert_eq!(
        vec![
            "M25P80: instruction 0x05 comes in deep power-down, where only 0xab is taken, ignored",
            "M25P80: instruction 0x52 is none of this chip's, ignored"
        ],
        notes(&mut chip)
    );
}

//! The flash of a TelosB against its data sheet (STMicroelectronics M25P80, section 6).

use vboards::boards::m25p80::M25p80;
use vboards::soc::Outside;
use vboards::trace::Pin;

const BUS: usize = 0;
const SELECT: Pin = 0x44;

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
    let mut chip = M25p80::new(BUS, SELECT);
    assert_eq!(vec![None, Some(0), Some(0)], exchange(&mut chip, &[0x05, 0, 0]));
    exchange(&mut chip, &[0x06]);
    assert_eq!(vec![None, Some(2)], exchange(&mut chip, &[0x05, 0]));
    exchange(&mut chip, &[0x04]);
    assert_eq!(vec![None, Some(0)], exchange(&mut chip, &[0x05, 0]));
}

#[test]
fn identity() {
    let mut chip = M25p80::new(BUS, SELECT);
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
    let mut chip = M25p80::new(BUS, SELECT);
    chip.spi_in(BUS, 0x05, 0);
    assert_eq!(None, chip.spi_out(BUS, 0));
    chip.pin(SELECT, false, 0);
    chip.spi_in(BUS, 0x05, 0);
    assert_eq!((None, Some(0)), (chip.spi_out(BUS + 1, 0), chip.spi_out(BUS, 0)));
}

/// In deep power-down it takes the release only (6.11); that, and what is not modelled, is logged.
#[test]
fn what_it_does_not_answer_is_told() {
    let mut chip = M25p80::new(BUS, SELECT);
    exchange(&mut chip, &[0xB9]);
    assert_eq!(vec![None, None], exchange(&mut chip, &[0x05, 0]));
    exchange(&mut chip, &[0xAB]);
    assert_eq!(vec![None, Some(0)], exchange(&mut chip, &[0x05, 0]));
    exchange(&mut chip, &[0x03, 0, 0, 0, 0]);
    let notes: Vec<String> = chip.take_notes().into_iter().map(|note| note.1).collect();
    assert_eq!(
        vec![
            "M25P80: asked in deep power-down, where it takes 0xab only",
            "M25P80: instruction 0x03 is not modelled, it answers nothing"
        ],
        notes
    );
}

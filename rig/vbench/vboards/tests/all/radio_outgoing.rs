//! AT86RF231: the frame buffer written while its frame is sent (data sheet 9.3.3, 10.2). Instants are microseconds here.

use crate::radio_support::*;
use vboards::air::US;
use vboards::radio::at86rf231::{Input, Output};
use vboards::radio::Radio;

const TRX_CTRL_2: u8 = 0x0C;
const PHY_RSSI: u8 = 0x06;
const CRC_VALID: u8 = 0x80;
const TRX_END: u8 = 0x08;
const TRX_UR: u8 = 0x40;
/// PLL and amplifier, then the SHR.
const START_US: u64 = 16;
const SHR_US: u64 = 160;
const PHR_US: u64 = 32;

/// Radio 0 is ready to send a frame of 21 bytes to radio 1, which listens; every interrupt of radio 0 shows.
fn ready() -> Field {
    let mut field = Field::new(1, 2);
    field.enter(1, 0x06);
    field.enter(0, 0x09);
    field.load(0, 2, 7, false, 10);
    field.write(0, IRQ_MASK, TRX_END | TRX_UR);
    field.read(0, IRQ_STATUS);
    field.pins[0].clear();
    field
}

/// Starts the frame and lets `us` pass from the first bit of its SHR on.
fn start(field: &mut Field, us: u64) {
    field.write(0, TRX_STATE, 0x02);
    field.run(START_US + us);
}

fn sram_write(field: &mut Field, index: usize, byte: u8) {
    field.spi(0, &[0x40, index as u8, byte]);
}

/// The frame that radio 1 holds: PHR and PSDU, without FCS.
fn received(field: &mut Field) -> Vec<u8> {
    let mut frame = field.spi(1, &[0x20; 130]);
    let length = usize::from(frame[1]);
    frame.drain(..1);
    frame.truncate(1 + length - 2);
    assert_eq!(CRC_VALID, field.read(1, PHY_RSSI) & CRC_VALID);
    frame
}

/// Sends bytes to radio 0 within an access that continues.
fn shift(field: &mut Field, bytes: &[u8]) {
    let t_ps = field.t_ps;
    for &byte in bytes {
        field.radios[0].spi_out(t_ps);
        field.radios[0].spi_in(byte, t_ps);
    }
    field.exchange();
}

fn select(field: &mut Field, selected: bool) {
    let t_ps = field.t_ps;
    field.radios[0].input(Input::Sel, !selected, t_ps);
}

/// Byte n of the PSDU is taken while the byte before it goes out; at 2 Mb/s 16 us before its end.
#[test]
fn an_byte_just_before_and_just_after_its_time() {
    for (rate, byte_us, ahead_us) in [(0u8, 32u64, 64u64), (1, 16, 32), (2, 8, 16), (3, 4, 16)] {
        for (early_us, goes_out) in [(1, true), (0, false)] {
            let mut field = ready();
            field.write(0, TRX_CTRL_2, rate);
            field.write(1, TRX_CTRL_2, rate);
            start(&mut field, SHR_US + PHR_US + 12 * byte_us - ahead_us - early_us);
            sram_write(&mut field, 12, 0xEE);
            field.run(2000);
            let byte = received(&mut field)[12];
            assert_eq!(goes_out, byte == 0xEE, "rate {} early {}", rate, early_us);
            // 9.3.3: "Access violations are not indicated when using the SRAM access mode."
            assert_eq!(TRX_END, field.read(0, IRQ_STATUS));
            assert_eq!(usize::from(!goes_out), field.radios[0].take_notes().len());
        }
    }
}

/// 9.3.3, 10.2: PHR and the first byte of the PSDU are taken at the end of the SHR.
#[test]
fn the_length_just_before_and_just_after_its_time() {
    let longer: Vec<u8> = (0..31).map(|index| if index == 0 { 30 } else { index }).collect();
    for (early_us, length, interrupts) in [(1, 30, TRX_END), (0, 21, TRX_END | TRX_UR)] {
        let mut field = ready();
        start(&mut field, SHR_US - early_us);
        field.spi(0, &[&[0x60], &longer[..]].concat());
        field.run(2000);
        let frame = received(&mut field);
        assert_eq!(length, frame[0]);
        // The first byte is late with the length, the others are not.
        assert_eq!(if early_us == 1 { 1 } else { 0x41 }, frame[1]);
        assert_eq!(longer[2..19], frame[2..19]);
        assert_eq!(interrupts, field.read(0, IRQ_STATUS));
    }
}

/// What a driver does that starts first and loads by DMA: 1 us a byte, from 100 us after the first bit on.
#[test]
fn a_frame_is_loaded_while_it_is_sent() {
    let mut field = ready();
    let bytes: Vec<u8> = (0..126)
        .map(|index| if index == 0 { 127 } else { 200 - index })
        .collect();
    start(&mut field, 100);
    select(&mut field, true);
    shift(&mut field, &[0x60]);
    for byte in &bytes {
        shift(&mut field, &[*byte]);
        field.run(1);
    }
    select(&mut field, false);
    field.run(5000);
    assert_eq!(bytes, received(&mut field));
    assert_eq!(TRX_END, field.read(0, IRQ_STATUS));
    assert!(field.radios[0].take_notes().is_empty());
}

/// The transmission overtakes a slow write: TRX_UR when it does, the old bytes go out, TRX_END comes as always.
#[test]
fn an_underrun_in_the_middle() {
    let mut field = ready();
    let first_bit = field.t_ps + START_US * US;
    start(&mut field, 100);
    select(&mut field, true);
    shift(&mut field, &[0x60, 21, 11, 12, 13, 14]); // byte 5 is next
    field.run(400);
    shift(&mut field, &[15]); // late
    shift(&mut field, &[16, 17, 18, 19, 20, 21, 22, 23, 24, 25]); // bytes 6 to 15, of which 12 is the first in time
    select(&mut field, false);
    field.run(2000);
    let overtaken = first_bit + (SHR_US + PHR_US + 5 * 32 - 64) * US;
    assert_eq!(vec![(overtaken, true)], field.edges(0, Output::Irq));
    let frame = received(&mut field);
    assert_eq!(vec![11, 12, 13, 14], frame[1..5]);
    assert_eq!(vec![0x67, 2, 0, 1, 0, 0, 1], frame[5..12]);
    assert_eq!(vec![22, 23, 24, 25, 6, 7, 8, 9], frame[12..]);
    assert_eq!(TRX_END | TRX_UR, field.read(0, IRQ_STATUS));
    assert!(!field.radios[0].take_notes().is_empty());
}

/// A receiver filters by the address that goes out, not by the one that was there when the length came.
#[test]
fn the_filter_sees_what_is_on_the_air() {
    for (address, interrupts) in [(2, 0x2C), (3, 0x0C)] {
        let mut field = ready();
        field.load(0, 5 - address, 7, false, 10);
        field.write(1, IRQ_MASK, 0xFF);
        field.read(1, IRQ_STATUS);
        start(&mut field, SHR_US + PHR_US + 20);
        sram_write(&mut field, 6, address as u8);
        field.run(2000);
        assert_eq!(interrupts, field.read(1, IRQ_STATUS), "to {}", address);
    }
}

/// TX_ARET waits for the ACK of the sequence number that went out.
#[test]
fn the_acknowledgement_of_what_went_out() {
    let mut field = Field::new(1, 2);
    field.write(0, XAH_CTRL_0, 0x0E); // no retry, no CSMA-CA
    field.enter(1, 0x16);
    field.enter(0, 0x19);
    field.load(0, 2, 7, true, 10);
    start(&mut field, SHR_US + 1);
    sram_write(&mut field, 3, 9);
    field.run(10_000);
    assert_eq!(9, received(&mut field)[3]);
    assert_eq!((0, 2), (field.trac(0), field.starts.len()));
}

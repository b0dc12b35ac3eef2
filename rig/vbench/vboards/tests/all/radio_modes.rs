//! AT86RF231: the less common modes. Instants are microseconds here.

use crate::radio_support::*;
use vboards::air::US;
use vboards::radio::at86rf231::{Input, Output};
use vboards::radio::Radio;

/// SLP_TR in a receive state stops CLKM (7.1.2.6); a frame's PHR brings it back in RX_ON.
#[test]
fn receive_states_without_clkm() {
    let mut field = Field::new(1, 2);
    field.enter(1, 0x06);
    assert_eq!(1_000_000, field.radios[1].clkm_hz()); // reset value of TRX_CTRL_0
    let t_ps = field.t_ps;
    field.radios[1].input(Input::SlpTr, true, t_ps);
    assert_eq!((0x1C, 0), (field.status(1), field.radios[1].clkm_hz()));
    field.enter(0, 0x09);
    field.load(0, 2, 7, false, 10);
    field.write(0, TRX_STATE, 0x02);
    field.run(400);
    assert_eq!((0x01, 1_000_000), (field.status(1), field.radios[1].clkm_hz()));
    field.run(1000);
    assert_eq!(0x06, field.status(1));
    let t_ps = field.t_ps;
    field.radios[1].input(Input::SlpTr, false, t_ps);
    field.enter(1, 0x16);
    let t_ps = field.t_ps;
    field.radios[1].input(Input::SlpTr, true, t_ps);
    assert_eq!(0x1D, field.status(1));
    field.load(0, 9, 8, false, 10); // for another node: CLKM stays off
    field.write(0, TRX_STATE, 0x02);
    field.run(400);
    assert_eq!(0x1E, field.status(1));
    field.run(1000);
    assert_eq!(0x1D, field.status(1));
    let t_ps = field.t_ps;
    field.radios[1].input(Input::SlpTr, false, t_ps);
    assert_eq!(0x16, field.status(1));
}

/// 7.2.3.6: the ACK waits for SLP_TR; ready 6 symbols after the frame, on the air 16 us after the edge.
#[test]
fn slotted_acknowledgement() {
    let mut field = Field::new(1, 2);
    let xah = field.read(1, XAH_CTRL_0);
    field.write(1, XAH_CTRL_0, xah | 1);
    field.enter(1, 0x16);
    field.enter(0, 0x09);
    field.load(0, 2, 7, true, 10);
    let start = field.t_ps + 16 * US;
    field.write(0, TRX_STATE, 0x02);
    let end = start + (192 + 21 * 32) * US;
    field.run((end - field.t_ps) / US + 95);
    assert_eq!((7, 0x11), (field.trac(1), field.status(1)));
    field.run(1);
    assert_eq!(2, field.trac(1)); // SUCCESS_WAIT_FOR_ACK
    field.run(200);
    let t_ps = field.t_ps;
    field.radios[1].input(Input::SlpTr, true, t_ps);
    field.run(1000);
    assert_eq!(Some(&(1, t_ps + 16 * US)), field.starts.last());
    assert_eq!((0, 0x16), (field.trac(1), field.status(1)));
}

/// 11.7: IRQ is low as long as the next byte is there. Byte n of the PSDU is complete 192 + 32 n us after the start.
#[test]
fn frame_buffer_empty_indicator() {
    let mut field = Field::new(1, 2);
    field.write(1, IRQ_MASK, 0);
    field.write(1, TRX_CTRL_1, 0x30);
    field.enter(1, 0x06);
    field.enter(0, 0x09);
    field.load(0, 2, 7, false, 10);
    let start = field.t_ps + 16 * US;
    field.write(0, TRX_STATE, 0x02);
    field.run((start - field.t_ps) / US + 192 + 40); // one byte is there
    field.pins[1].clear();
    let t_ps = field.t_ps;
    field.radios[1].input(Input::Sel, false, t_ps);
    let mut got = Vec::new();
    for _ in 0..3 {
        let t_ps = field.t_ps;
        got.push(field.radios[1].spi_out(t_ps).unwrap());
        field.radios[1].spi_in(0x20, t_ps); // the command, then PHR and the first byte
    }
    assert_eq!(vec![0, 21, 0x41], got);
    field.run(100);
    let t_ps = field.t_ps;
    field.radios[1].input(Input::Sel, true, t_ps);
    assert_eq!(
        vec![(start + 232 * US, true), (start + 256 * US, false)],
        field.edges(1, Output::Irq)
    );
    assert_eq!(0, field.read(1, IRQ_STATUS) & 0x40);
}

/// 9.3.1: reading what has not arrived is an access violation.
#[test]
fn a_read_that_is_too_fast() {
    let mut field = Field::new(1, 2);
    field.write(1, IRQ_MASK, 0x40);
    field.enter(1, 0x06);
    field.enter(0, 0x09);
    field.load(0, 2, 7, false, 10);
    field.write(0, TRX_STATE, 0x02);
    field.run(16 + 192 + 40);
    field.spi(1, &[0x20, 0, 0]);
    assert_eq!(0, field.read(1, IRQ_STATUS) & 0x40);
    field.spi(1, &[0x20, 0, 0, 0, 0]);
    assert_eq!(0x40, field.read(1, IRQ_STATUS) & 0x40);
}

/// 11.3: only the PSDU gets faster; radios with different rates do not understand each other.
#[test]
fn high_data_rates() {
    for (rate, byte_us) in [(0u8, 32u64), (1, 16), (2, 8), (3, 4)] {
        let mut field = Field::new(1, 2);
        field.write(0, 0x0C, rate);
        field.write(1, 0x0C, rate);
        field.enter(1, 0x06);
        field.enter(0, 0x09);
        field.load(0, 2, 7, false, 10);
        let start = field.t_ps + 16 * US;
        field.pins[0].clear();
        field.write(0, TRX_STATE, 0x02);
        field.run(2000);
        let end = start + (192 + 21 * byte_us) * US;
        assert_eq!(vec![(end + 9 * US, true)], field.edges(0, Output::Irq));
        assert_eq!(0x80, field.read(1, 0x06) & 0x80);
        field.read(1, IRQ_STATUS);
        field.write(1, 0x0C, rate ^ 1);
        field.load(0, 2, 8, false, 10);
        field.write(0, TRX_STATE, 0x02);
        field.run(2000);
        assert_eq!(0, field.read(1, IRQ_STATUS));
    }
}

/// 11.5: DIG3 is up while the own carrier is being sent, DIG4 otherwise; 11.4: the antenna switch takes DIG1 and DIG2.
#[test]
fn indicator_and_antenna_switch() {
    let mut field = Field::new(1, 1);
    field.write(0, TRX_CTRL_1, 0xA0);
    assert_eq!(1, field.edges(0, Output::Dig4).len());
    field.enter(0, 0x09);
    field.load(0, 2, 7, false, 10);
    let t_ps = field.t_ps;
    field.write(0, TRX_STATE, 0x02);
    field.run(2000);
    let end = t_ps + (16 + 192 + 21 * 32) * US;
    assert_eq!(vec![(t_ps, true), (end, false)], field.edges(0, Output::Dig3));
    field.write(0, 0x0D, 0x06);
    field.write(0, 0x0D, 0x05);
    let t_ps = field.t_ps;
    assert_eq!(vec![(t_ps, true)], field.edges(0, Output::Dig1));
    assert_eq!(vec![(t_ps, true), (t_ps, false)], field.edges(0, Output::Dig2));
}

/// The AES unit lies above the frame buffer: it is not there, and it does not alias the frame.
#[test]
fn the_aes_unit_is_not_the_frame_buffer() {
    let mut field = Field::new(1, 1);
    field.spi(0, &[0x60, 3, 10, 11, 12]);
    field.spi(0, &[0x40, 0x83, 99]);
    assert_eq!(vec![3, 10, 11, 12], field.spi(0, &[0x20, 0, 0, 0, 0])[1..].to_vec());
    assert_eq!(1, field.radios[0].take_notes().len());
}

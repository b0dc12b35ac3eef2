//! AT86RF231: state machine, CSMA-CA, acknowledgements, filter, time stamps. Instants are microseconds here.

use crate::radio_support::*;
use vboards::air::US;
use vboards::radio::at86rf231::{Input, Output, State};
use vboards::radio::Radio;

#[test]
fn identity_and_start_up() {
    let mut field = Field::new(1, 1);
    assert_eq!(
        vec![3, 2, 0x1F, 0],
        (0x1C..0x20).map(|r| field.read(0, r)).collect::<Vec<u8>>()
    );
    assert_eq!(0x08, field.status(0));
    field.write(0, TRX_STATE, 0x09);
    assert_eq!(0x1F, field.status(0)); // STATE_TRANSITION_IN_PROGRESS
    field.run(109);
    assert_eq!(0x1F, field.status(0));
    field.run(1);
    assert_eq!(0x09, field.status(0));
    field.write(0, TRX_STATE, 0x03);
    field.run(1);
    assert_eq!(0x08, field.status(0));
}

#[test]
fn reset_and_sleep() {
    let mut field = Field::new(1, 1);
    let t_ps = field.t_ps;
    field.radios[0].input(Input::Rstn, false, t_ps);
    field.run(5);
    let t_ps = field.t_ps;
    field.radios[0].input(Input::Rstn, true, t_ps);
    field.run(40);
    assert_eq!(
        (0x08, 0xFF, 0x00),
        (field.status(0), field.read(0, 0x20), field.read(0, IRQ_MASK))
    );
    field.write(0, IRQ_MASK, 0x10);
    let t_ps = field.t_ps;
    field.radios[0].input(Input::SlpTr, true, t_ps);
    field.run(100);
    assert_eq!(State::Sleep, field.radios[0].state());
    assert_eq!(0, field.read(0, 0x1C));
    let t_ps = field.t_ps;
    field.radios[0].input(Input::SlpTr, false, t_ps);
    field.run(400);
    assert_eq!(State::TrxOff, field.radios[0].state());
    assert_eq!(0x10, field.read(0, IRQ_STATUS)); // AWAKE_END
}

#[test]
fn frame_buffer_and_sram() {
    let mut field = Field::new(1, 1);
    field.spi(0, &[0x60, 3, 10, 11, 12]);
    assert_eq!(vec![3, 10, 11, 12], field.spi(0, &[0x20, 0, 0, 0, 0])[1..].to_vec());
    field.spi(0, &[0x40, 2, 99]);
    assert_eq!(vec![10, 99, 12], field.spi(0, &[0x00, 1, 0, 0, 0])[2..].to_vec());
}

/// The first symbol is 16 us after the command or the rising edge of SLP_TR; TRX_END 9 us after the last one.
#[test]
fn basic_transmission_and_reception() {
    let mut field = Field::new(1, 2);
    field.write(1, TRX_CTRL_1, 0x60);
    field.enter(1, 0x06);
    field.enter(0, 0x09);
    field.load(0, 2, 7, false, 10);
    let t_ps = field.t_ps;
    field.radios[0].input(Input::SlpTr, true, t_ps);
    assert_eq!(0x02, field.status(0));
    field.run(2000);
    assert_eq!(vec![(0, t_ps + 16 * US)], field.starts);
    let start = t_ps + 16 * US;
    let end = start + (192 + 21 * 32) * US;
    assert_eq!(vec![(end + 9 * US, true)], field.edges(0, Output::Irq));
    assert_eq!(vec![(start + 201 * US, true)], field.edges(1, Output::Irq));
    // 11.6.1: DIG2 rises with IRQ_2 (RX_START) and stays up for the frame.
    assert_eq!(
        vec![(start + 201 * US, true), (end + 9 * US, false)],
        field.edges(1, Output::Dig2)
    );
    assert_eq!((0x0C, 0x08), (field.read(1, IRQ_STATUS), field.read(0, IRQ_STATUS)));
    assert_eq!((0x09, 0x06), (field.status(0), field.status(1)));
    assert_eq!(0x80, field.read(1, 0x06) & 0x80); // RX_CRC_VALID
    let frame = field.spi(1, &[0x20; 25]);
    assert_eq!((21, 0x41, 255), (frame[1], frame[2], frame[23]));
    assert_eq!(44, field.read(1, 0x07)); // -50 dBm at 0 dBm, +3 dBm, over -91 dBm
}

#[test]
fn automatic_acknowledgement() {
    let mut field = Field::new(3, 2);
    field.enter(1, 0x16);
    field.enter(0, 0x19);
    field.load(0, 2, 7, true, 10);
    field.write(0, TRX_STATE, 0x02);
    assert_eq!(0x12, field.status(0));
    field.run(20_000);
    let (data, ack) = (field.starts[0], field.starts[1]);
    let end = data.1 + (192 + 21 * 32) * US;
    assert_eq!((1, end + 192 * US), ack); // 12 symbols
    assert_eq!(2, field.starts.len());
    assert_eq!((0, 0x19), (field.trac(0), field.status(0)));
    // TRX_END at the sender 9 us after the ACK (192 us and 5 bytes), at the receiver 9 us after the frame.
    assert_eq!(vec![(ack.1 + (192 + 160 + 9) * US, true)], field.edges(0, Output::Irq));
    assert_eq!(0x0C, field.read(1, IRQ_STATUS));
    assert_eq!(0x16, field.status(1));
}

/// Start of the frame after TX_START: n * 320 us of backoff, 128 us of CCA, 16 us of start-up; n in 0..2^BE.
#[test]
fn backoff_lies_on_the_lattice() {
    for (be, periods) in [(0x53u8, 8u64), (0x52, 4), (0x50, 1), (0x55, 32)] {
        let mut field = Field::new(5, 1);
        field.write(0, CSMA_BE, be);
        field.enter(0, 0x19);
        let mut seen = vec![0u32; periods as usize];
        for sequence in 0..400u32 {
            field.load(0, 2, sequence as u8, false, 0);
            let t_ps = field.t_ps;
            field.write(0, TRX_STATE, 0x02);
            field.run(12_000 + 7);
            let wait = field.starts.last().unwrap().1 - t_ps - (128 + 16) * US;
            assert_eq!(0, wait % (320 * US));
            seen[(wait / (320 * US)) as usize] += 1;
            assert_eq!(0, field.trac(0));
            field.read(0, IRQ_STATUS);
        }
        assert!(seen.iter().all(|&count| u64::from(count) * periods > 100), "{:?}", seen);
    }
}

/// MAX_CSMA_RETRIES = 7: no CSMA-CA at all, one attempt (7.2.4).
#[test]
fn immediate_transmission() {
    let mut field = Field::new(1, 1);
    field.write(0, XAH_CTRL_0, 0x3E);
    field.enter(0, 0x19);
    field.load(0, 2, 1, true, 0);
    let t_ps = field.t_ps;
    field.write(0, TRX_STATE, 0x02);
    field.run(10_000);
    assert_eq!(vec![(0, t_ps + 16 * US)], field.starts);
    assert_eq!(5, field.trac(0));
}

/// The same from SLP_TR, a pulse is enough (6.5); the end of a transmission that is masked is not noted either (6.6).
#[test]
fn a_pulse_on_slp_tr_and_a_masked_end() {
    let mut field = Field::new(1, 1);
    field.write(0, XAH_CTRL_0, 0x0E);
    field.enter(0, 0x19);
    field.load(0, 2, 1, false, 0);
    field.read(0, IRQ_STATUS);
    field.write(0, IRQ_MASK, 0);
    let t_ps = field.t_ps;
    field.radios[0].input(Input::SlpTr, true, t_ps);
    field.radios[0].input(Input::SlpTr, false, t_ps);
    field.run(10_000);
    assert_eq!(vec![(0, t_ps + 16 * US)], field.starts);
    assert_eq!((0x19, 0), (field.status(0), field.trac(0)));
    field.write(0, IRQ_MASK, 0x08);
    assert_eq!(0, field.read(0, IRQ_STATUS));
    assert!(field.edges(0, Output::Irq).iter().all(|&edge| edge.0 < t_ps));
}

#[test]
fn no_ack_after_all_retries() {
    let mut field = Field::new(1, 1);
    field.write(0, CSMA_BE, 0x00);
    field.write(0, XAH_CTRL_0, 0x28); // 2 frame retries
    field.enter(0, 0x19);
    field.load(0, 2, 1, true, 0);
    let t_ps = field.t_ps;
    field.write(0, TRX_STATE, 0x02);
    field.run(20_000);
    // A round: CCA, start-up, frame of 192 + 11 * 32 us, wait of 54 symbols.
    let round = (128 + 16 + 192 + 352 + 864) * US;
    let expected: Vec<(usize, u64)> = (0..3).map(|n| (0, t_ps + n * round + 144 * US)).collect();
    assert_eq!(expected, field.starts);
    assert_eq!((5, 0x08), (field.trac(0), field.read(0, IRQ_STATUS)));
    assert_eq!(
        vec![(t_ps + 3 * round + 9 * US, true), (field.t_ps, false)],
        field.edges(0, Output::Irq)
    );
}

/// Sends 127 byte frames back to back from radio 1, so that radio 0 never finds a free channel.
#[test]
fn a_busy_channel_fails_the_access() {
    let mut field = Field::new(1, 2);
    field.enter(1, 0x09);
    field.spi(1, &[0x60, 127]);
    field.write(0, CSMA_BE, 0x00);
    field.write(0, XAH_CTRL_0, 0x34); // 2 CSMA retries
    field.enter(0, 0x19);
    field.load(0, 2, 1, true, 0);
    field.write(1, TRX_STATE, 0x02);
    field.run(100);
    let t_ps = field.t_ps;
    field.write(0, TRX_STATE, 0x02);
    field.run(4000);
    assert_eq!((3, 0x19), (field.trac(0), field.status(0)));
    assert_eq!(1, field.starts.len());
    assert_eq!(
        Some(&(t_ps + (3 * 128 + 9) * US, true)),
        field.edges(0, Output::Irq).first()
    );
}

#[test]
fn a_channel_that_gets_free_is_used() {
    let mut field = Field::new(9, 2);
    field.enter(1, 0x09);
    field.spi(1, &[0x60, 127]);
    field.enter(0, 0x19);
    field.load(0, 2, 1, false, 0);
    field.write(1, TRX_STATE, 0x02);
    field.run(50);
    let t_ps = field.t_ps;
    field.write(0, TRX_STATE, 0x02);
    field.run(30_000);
    let other_end = field.starts[0].1 + (192 + 127 * 32) * US;
    if field.trac(0) == 0 {
        let start = field.starts[1].1;
        assert!(start >= other_end + 144 * US);
        // Each CCA takes 128 us: the start lies on a lattice of backoffs and CCAs.
        let wait = start - t_ps - 16 * US;
        assert!((1..=5).any(|ccas| wait >= ccas * 128 * US && (wait - ccas * 128 * US) % (320 * US) == 0));
    } else {
        assert_eq!(3, field.trac(0));
    }
}

#[test]
fn frames_for_others_are_filtered() {
    let cases: [(u16, u8, bool); 4] = [
        (2, 0x67, true),
        (3, 0x67, false),
        (2, 0x66, false),
        (0xFFFF, 0x67, true),
    ];
    for &(to, pan_high, accepted) in cases.iter() {
        let mut field = Field::new(1, 2);
        field.write(1, IRQ_MASK, 0x28);
        field.enter(1, 0x16);
        field.enter(0, 0x09);
        let [low, high] = to.to_le_bytes();
        field.spi(0, &[0x60, 11, 0x61, 0x88, 9, 0x70, pan_high, low, high, 1, 0]);
        field.write(0, TRX_STATE, 0x02);
        field.run(3000);
        assert_eq!(if accepted { 0x28 } else { 0 }, field.read(1, IRQ_STATUS), "{:04x}", to);
        assert_eq!(if to == 2 && accepted { 2 } else { 1 }, field.starts.len()); // no ACK to a broadcast
        assert_eq!(0x16, field.status(1));
    }
}

#[test]
fn overlapping_frames_destroy_each_other() {
    let mut field = Field::new(1, 3);
    field.enter(2, 0x06);
    for index in 0..2 {
        field.enter(index, 0x09);
        field.load(index, 3, 1, false, 20);
    }
    field.write(0, TRX_STATE, 0x02);
    field.run(400);
    field.write(1, TRX_STATE, 0x02);
    field.run(4000);
    assert_eq!(0x0C, field.read(2, IRQ_STATUS)); // RX_START and TRX_END of the first one
    assert_eq!(0, field.read(2, 0x06) & 0x80); // with a wrong FCS
}

#[test]
fn a_lossy_link_loses_its_share() {
    let mut field = Field::new(1, 2);
    field.link.loss_ppm = 250_000;
    field.write(1, IRQ_MASK, 0x08);
    field.enter(1, 0x06);
    field.enter(0, 0x09);
    let mut received = 0;
    for sequence in 0..1000u32 {
        field.load(0, 2, sequence as u8, false, 0);
        field.write(0, TRX_STATE, 0x02);
        field.run(1000);
        received += u32::from(field.read(1, IRQ_STATUS) == 0x08);
    }
    assert!((700..800).contains(&received), "{}", received);
}

#[test]
fn force_trx_off_cuts_the_frame() {
    let mut field = Field::new(1, 2);
    field.enter(1, 0x06);
    field.enter(0, 0x09);
    field.load(0, 2, 1, false, 40);
    field.write(0, TRX_STATE, 0x02);
    field.run(600);
    field.write(0, TRX_STATE, 0x03);
    field.run(5000);
    assert_eq!((0x08, 0x06), (field.status(0), field.status(1)));
    assert_eq!(0, field.read(1, 0x06) & 0x80);
    assert_eq!(0, field.read(0, IRQ_STATUS));
}

#[test]
fn safe_mode_keeps_a_frame_until_it_is_read() {
    let mut field = Field::new(1, 2);
    field.write(1, 0x0C, 0x80);
    field.enter(1, 0x06);
    field.enter(0, 0x09);
    for sequence in [1, 2] {
        field.load(0, 2, sequence, false, 0);
        field.write(0, TRX_STATE, 0x02);
        field.run(1500);
    }
    assert_eq!(1, field.spi(1, &[0x20; 8])[4]);
    field.load(0, 2, 3, false, 0);
    field.write(0, TRX_STATE, 0x02);
    field.run(1500);
    assert_eq!(3, field.spi(1, &[0x20; 8])[4]);
}

/// A register that is only kept is a remark, unless it gets what it has after reset.
#[test]
fn a_register_that_is_not_modelled() {
    let mut field = Field::new(1, 1);
    field.write(0, 0x0B, 0xA7); // SFD_VALUE
    assert!(field.radios[0].take_notes().is_empty());
    field.write(0, 0x0B, 0x7A);
    assert_eq!(0x7A, field.read(0, 0x0B));
    let text = "radio: register 0x0b is not modelled, a write has no effect (0x7a)";
    assert_eq!(vec![(0x10B, text.to_string())], field.radios[0].take_notes());
}

//! RADIO of the nRF52840 in its IEEE 802.15.4 mode: state machine, frames between two of them, CCA, energy detection.

use crate::nrf52840_support::*;
use vboards::air::{Link, Message, Signal};

const TXEN: u32 = RADIO;
const RXEN: u32 = RADIO + 0x004;
const DISABLE: u32 = RADIO + 0x010;
const EDSTART: u32 = RADIO + 0x024;
const READY: u32 = RADIO + 0x100;
const ADDRESS: u32 = RADIO + 0x104;
const END: u32 = RADIO + 0x10C;
const DISABLED: u32 = RADIO + 0x110;
const CRCOK: u32 = RADIO + 0x130;
const CRCERROR: u32 = RADIO + 0x134;
const FRAMESTART: u32 = RADIO + 0x138;
const EDEND: u32 = RADIO + 0x13C;
const CCAIDLE: u32 = RADIO + 0x144;
const CCABUSY: u32 = RADIO + 0x148;
const PHYEND: u32 = RADIO + 0x16C;
const SHORTS: u32 = RADIO + 0x200;
const CRCSTATUS: u32 = RADIO + 0x400;
const STATE: u32 = RADIO + 0x550;
/// TXREADY_START, RXREADY_START.
const STARTS: u32 = 1 << 18 | 1 << 19;
/// RXREADY_CCASTART, CCAIDLE_TXEN, CCABUSY_DISABLE, CCAIDLE_STOP, TXREADY_START: RIOT's nrf802154_radio.c.
const CCA_SHORTS: u32 = 1 << 11 | 1 << 12 | 1 << 13 | 1 << 17 | 1 << 18;
const BUFFER: u32 = 0x400;

/// A chip set up as RIOT's driver does it, on channel 26.
fn node(board: u16) -> Rig {
    let mut rig = Rig::clocked(board);
    for (offset, value) in [
        (0x510, 15),
        (0x514, 8 | 3 << 24 | 1 << 26),
        (0x518, 127),
        (0x534, 2 | 2 << 8),
        (0x538, 0x0001_1021),
        (0x53C, 0),
        (0x650, 0x201),
        (0x508, 80),
        (0x504, RAM + BUFFER),
        (0x200, STARTS),
    ] {
        rig.write(RADIO + offset, value);
    }
    rig
}

/// Its frame on the air: what it has told, up to the end of the frame.
fn send(rig: &mut Rig, payload: &[u8]) -> Vec<Message> {
    let mut frame = vec![payload.len() as u8 + 2];
    frame.extend(payload);
    rig.set_ram(BUFFER, &frame);
    rig.write(END, 0);
    rig.write(TXEN, 1);
    rig.await_event(END);
    rig.messages()
}

/// A receiver whose clock is at the sender's instant of its first message, and listens since 200 us.
fn listener() -> Rig {
    let mut rig = node(1);
    rig.write(RXEN, 1);
    rig.await_event(READY);
    rig
}

fn start_of(messages: &[Message]) -> u64 {
    match messages[0].signal {
        Signal::Start { start_ps, .. } => start_ps,
        _ => panic!("the first message is the start of a carrier"),
    }
}

/// PS "RADIO", RADIO timing: 130 us or 40 us of ramp-up; 21 us to disable a transmitter.
#[test]
fn ramps_up_and_down() {
    for (modecnf0, ramp_us) in [(0x200, 130), (0x201, 40)] {
        let mut rig = node(0);
        rig.write(RADIO + 0x650, modecnf0);
        rig.write(SHORTS, 0);
        let begin_ps = rig.now_ps();
        rig.write(TXEN, 1);
        assert_eq!(9, rig.read(STATE));
        let ready_ps = rig.await_event(READY);
        assert_eq!((ramp_us * US, 10), (ready_ps - begin_ps, rig.read(STATE)));
        rig.write(DISABLE, 1);
        assert_eq!(12, rig.read(STATE));
        assert_eq!(21 * US, rig.await_event(DISABLED) - ready_ps);
        assert_eq!(0, rig.read(STATE));
    }
}

/// ADDRESS comes 160 us, FRAMESTART 192 us after READY; the first symbol 1 us after it, PHYEND with the last one, END 17.25 us
/// before that, the edge of 16 MHz after 17.3 us.
#[test]
fn a_frame_has_its_events() {
    let mut rig = node(0);
    rig.set_ram(BUFFER, &[5, 2, 0, 7]);
    rig.write(TXEN, 1);
    let ready_ps = rig.await_event(READY);
    assert_eq!(160 * US, rig.await_event(ADDRESS) - ready_ps);
    assert_eq!(192 * US, rig.await_event(FRAMESTART) - ready_ps);
    let over_ps = ready_ps + US + 192 * US + 5 * 32 * US;
    assert_eq!(17_250_000, over_ps - rig.await_event(END));
    assert_eq!(over_ps, rig.await_event(PHYEND));
    let messages = rig.messages();
    assert_eq!(ready_ps + US, start_of(&messages));
    match &messages[1].signal {
        Signal::Body { psdu } => assert_eq!([2, 0, 7, 0x07, 0xC1], psdu[..]),
        other => panic!("{:?}", other),
    }
}

/// What one sends the other has in RAM, with the LQI in the place of the checksum.
#[test]
fn a_frame_arrives() {
    let messages = send(&mut node(0), &[0x41, 0x88, 3, 1, 2]);
    let mut rig = listener();
    rig.hear(&messages, &Link::default());
    let start_ps = start_of(&messages) + 10_000 + 23 * US; // the receiver's delay
    let edge_ps = |air_ps: u64| (air_ps + 62_499) / 62_500 * 62_500;
    assert_eq!(edge_ps(start_ps + 160 * US), rig.await_event(ADDRESS));
    assert_eq!(edge_ps(start_ps + 192 * US), rig.await_event(FRAMESTART));
    assert_eq!(3, rig.read(STATE));
    assert_eq!(edge_ps(start_ps + 192 * US + 7 * 32 * US), rig.await_event(END));
    assert_eq!((1, 1, 2), (rig.read(CRCOK), rig.read(CRCSTATUS), rig.read(STATE)));
    // -50 dBm is 42 above -92 dBm.
    assert_eq!(vec![7, 0x41, 0x88, 3, 1, 2, 42], rig.ram(BUFFER, 7));
}

/// A frame that something spoils ends in CRCERROR; one on another channel is not found.
#[test]
fn damage_is_seen_and_other_channels_are_not() {
    let messages = send(&mut node(0), &[0x41, 0x88, 3, 1, 2]);
    let other = send(&mut node(2), &[9, 9, 9, 9]);
    let mut rig = listener();
    rig.hear(&messages, &Link::default());
    let late = Link {
        delay_ps: 230 * US,
        ..Link::default()
    };
    rig.hear(&other, &late);
    rig.await_event(END);
    assert_eq!((0, 1), (rig.read(CRCSTATUS), rig.read(CRCERROR)));
    let mut rig = node(1);
    rig.write(RADIO + 0x508, 75);
    rig.write(RXEN, 1);
    rig.await_event(READY);
    rig.hear(&messages, &Link::default());
    rig.pass(1_000 * US);
    assert_eq!(0, rig.read(ADDRESS));
}

/// A receiver that begins after the preamble finds nothing.
#[test]
fn a_late_receiver_misses_the_frame() {
    let messages = send(&mut node(0), &[1, 2, 3]);
    let mut rig = node(1);
    let start_ps = start_of(&messages);
    rig.pass_to(start_ps + 40 * US);
    rig.write(RXEN, 1); // ramped up 80 us after the first symbol
    rig.hear(&messages, &Link::default());
    rig.pass(1_000 * US);
    assert_eq!((0, 3), (rig.read(ADDRESS), rig.read(STATE)));
}

/// RXEN, 40 us, 128 us of CCA, TXEN, 20 us, 1 us: the frame of an idle channel begins 189 us after RXEN.
#[test]
fn cca_leads_to_a_frame_or_not() {
    let mut rig = node(0);
    rig.write(SHORTS, CCA_SHORTS);
    rig.write(RADIO + 0x66C, 5 << 8);
    rig.set_ram(BUFFER, &[5, 2, 0, 7]);
    let begin_ps = rig.now_ps();
    rig.write(RXEN, 1);
    assert_eq!(168 * US, rig.await_event(CCAIDLE) - begin_ps);
    rig.await_event(END);
    let messages = rig.messages();
    assert_eq!(189 * US, start_of(&messages) - begin_ps);

    let mut rig = node(1);
    rig.write(SHORTS, CCA_SHORTS);
    rig.write(RADIO + 0x66C, 5 << 8); // ED mode, threshold 5: -87 dBm
    rig.pass_to(start_of(&messages));
    rig.hear(&messages, &Link::default());
    rig.write(RXEN, 1);
    rig.await_event(CCABUSY);
    assert_eq!(4, rig.read(STATE));
    rig.pass(500 * US);
    assert!(rig.messages().is_empty());
    assert_eq!(0, rig.read(STATE));
}

/// EDSAMPLE is the greatest of EDCNT + 1 averages over 128 us, in dB above -92 dBm.
#[test]
fn energy_is_measured() {
    let messages = send(&mut node(0), &[1; 40]);
    let mut rig = node(1);
    rig.write(SHORTS, 0);
    rig.write(RADIO + 0x664, 1);
    rig.write(RXEN, 1);
    rig.pass_to(start_of(&messages) + 10 * US);
    rig.hear(&messages, &Link::default());
    let begin_ps = rig.now_ps();
    rig.write(EDSTART, 1);
    assert_eq!(256 * US, rig.await_event(EDEND) - begin_ps);
    assert_eq!(42, rig.read(RADIO + 0x668));
}

/// DISABLE in the middle of a frame takes the carrier down.
#[test]
fn a_frame_is_cut() {
    let mut rig = node(0);
    rig.set_ram(BUFFER, &[100]);
    rig.write(TXEN, 1);
    rig.await_event(FRAMESTART);
    rig.write(DISABLE, 1);
    assert!(matches!(rig.messages().last().unwrap().signal, Signal::Cut { .. }));
    assert_eq!(0, rig.read(END));
}

/// CCASTART during the ramp-up, as Contiki-NG gives it: the assessment begins with READY.
#[test]
fn an_early_cca_waits_for_the_receiver() {
    let mut rig = node(0);
    rig.write(SHORTS, 0);
    let begin_ps = rig.now_ps();
    rig.write(RXEN, 1);
    rig.write(RADIO + 0x02C, 1);
    assert_eq!(168 * US, rig.await_event(CCAIDLE) - begin_ps);
}

//! MRF24J40: registers, transmission, reception, sleep, against the data sheet and two recordings of real modules.
//! Instants are microseconds here. The crystal is exact, its phase too, so the MAC's ticks lie at multiples of 16 us.

use crate::radio_support::Radios;
use vboards::air::US;
use vboards::radio::mrf24j40::{Input, Mrf24j40, Output, State};
use vboards::radio::oscillator::Oscillator;
use vboards::radio::Radio;

const PANIDL: u8 = 0x01;
const SADRL: u8 = 0x03;
const RXFLUSH: u8 = 0x0D;
const TXMCR: u8 = 0x11;
const TXNCON: u8 = 0x1B;
const WAKECON: u8 = 0x22;
const TXSTAT: u8 = 0x24;
const TXTIME: u8 = 0x27;
const SOFTRST: u8 = 0x2A;
const INTSTAT: u8 = 0x31;
const INTCON: u8 = 0x32;
const SLPACK: u8 = 0x35;
const RFCTL: u8 = 0x36;
const BBREG1: u8 = 0x39;
const BBREG6: u8 = 0x3E;
const RFCON0: u16 = 0x200;
const RFCON3: u16 = 0x203;
const RFSTATE: u16 = 0x20F;
const RSSI: u16 = 0x210;
const SLPCON0: u16 = 0x211;
const RX_FIFO: u16 = 0x300;
/// CSMA-CA without a back-off: MACMINBE 0, 4 assessments.
const NO_BACKOFF: u8 = 0x04;
const TRIGGER: u8 = 0x01;
const TRIGGER_ACK: u8 = 0x05;
/// First tick after the trigger to the first symbol: 14 ticks, CCA of 8, RFSTBL 9 and TURNTIME 4 of turnaround. The
/// recordings have 560 us: 909.6 to 921.0 us from TXNCON to INT for frames of 345.6 us, with 0 to 16 us to the next tick.
const TO_AIR: u64 = (14 + 8 + 13) * 16;

impl Radios<Mrf24j40> {
    /// Radios as DS39776C, 3.2 initialises them, on channel 11, short addresses 1, 2, ... of PAN 0x6770.
    fn ready(seed: u64, count: u16) -> Radios<Mrf24j40> {
        let radio = |board| Mrf24j40::new(seed, board, 0, Oscillator::default());
        let mut field = Radios::of((0..count).map(radio).collect(), Input::Cs);
        for index in 0..usize::from(count) {
            field.set_up(index);
            for (register, value) in [(PANIDL, 0x70), (PANIDL + 1, 0x67), (SADRL, index as u8 + 1)] {
                field.put(index, register, value);
            }
        }
        field.run(3000);
        field
    }

    /// As RIOT, Linux and the recordings do it.
    fn set_up(&mut self, index: usize) {
        for (register, value) in [(SOFTRST, 7), (0x18, 0x98), (0x2E, 0x95), (TXMCR, NO_BACKOFF)] {
            self.put(index, register, value);
        }
        let long = [
            (0x200, 3),
            (0x201, 2),
            (0x202, 0x80),
            (0x206, 0x90),
            (0x207, 0x80),
            (0x208, 0x10),
            (0x220, 0x21),
        ];
        for (register, value) in long {
            self.put_long(index, register, &[value]);
        }
        for (register, value) in [
            (0x3A, 0x80),
            (0x3F, 0x60),
            (BBREG6, 0x40),
            (INTCON, 0xF6),
            (RFCTL, 4),
            (RFCTL, 0),
        ] {
            self.put(index, register, value);
        }
    }

    fn put(&mut self, index: usize, register: u8, value: u8) {
        self.spi(index, &[register << 1 | 1, value]);
    }

    fn get(&mut self, index: usize, register: u8) -> u8 {
        self.spi(index, &[register << 1, 0])[1]
    }

    fn put_long(&mut self, index: usize, address: u16, values: &[u8]) {
        let mut bytes = vec![0x80 | (address >> 3) as u8, (address << 5) as u8 | 0x10];
        bytes.extend(values);
        self.spi(index, &bytes);
    }

    fn get_long(&mut self, index: usize, address: u16, count: usize) -> Vec<u8> {
        let mut bytes = vec![0x80 | (address >> 3) as u8, (address << 5) as u8];
        bytes.resize(2 + count, 0);
        self.spi(index, &bytes).split_off(2)
    }

    /// A data frame to a short address in the TX normal FIFO: header length, frame length, frame without FCS.
    fn fill(&mut self, index: usize, to: u16, sequence: u8, payload: usize) {
        let [low, high] = to.to_le_bytes();
        let mut frame = vec![9, 0, 0x61, 0x88, sequence, 0x70, 0x67, low, high, index as u8 + 1, 0];
        frame.resize(11 + payload, 0xA5);
        frame[1] = frame.len() as u8 - 2;
        self.put_long(index, 0, &frame);
    }

    /// Falling edges of INT, in microseconds.
    fn interrupts(&self, index: usize) -> Vec<u64> {
        let edges = self.edges(index, Output::Int);
        edges.iter().filter(|edge| !edge.1).map(|edge| edge.0 / US).collect()
    }
}

/// Air time of a PSDU in microseconds.
fn air(psdu: u64) -> u64 {
    (6 + psdu) * 32
}

#[test]
fn reset_values_and_accesses() {
    let mut field = Radios::of(vec![Mrf24j40::new(1, 0, 0, Oscillator::default())], Input::Cs);
    let short: Vec<u8> = (0..0x40).map(|register| field.get(0, register)).collect();
    let sums = [
        short[0x10],
        short[TXMCR as usize],
        short[0x12],
        short[0x2E],
        short[INTCON as usize],
        short[0x3A],
    ];
    assert_eq!([0xFF, 0x1C, 0x39, 0x75, 0xFF, 0x48], sums);
    assert_eq!(0x00, field.spi(0, &[TXMCR << 1, 0])[0]); // nothing is shifted out during the address
    field.put(0, 0x05, 0x5A);
    assert_eq!(0x5A, field.get(0, 0x05));
    // Long addresses count up; RFSTATE is read only, and calibrating before it receives.
    field.put_long(0, 0x10, &[1, 2, 3]);
    assert_eq!(vec![2, 3, 0], field.get_long(0, 0x11, 3));
    field.put_long(0, RFSTATE, &[0]);
    assert_eq!(vec![0x60], field.get_long(0, RFSTATE, 1));
    field.run(2000);
    assert_eq!(vec![0xA0], field.get_long(0, RFSTATE, 1)); // as in the recordings
    field.put(0, SOFTRST, 0x01);
    assert_eq!((0, 0x1C), (field.get(0, 0x05), field.get(0, TXMCR)));
}

/// "Delay at least 192 us after the RF State Machine Reset".
#[test]
fn rf_state_machine_reset() {
    let mut field = Radios::<Mrf24j40>::ready(1, 1);
    field.put(0, RFCTL, 4);
    assert_eq!(vec![0], field.get_long(0, RFSTATE, 1));
    field.put(0, RFCTL, 0);
    field.run(191);
    assert_eq!(State::Calibrating, field.radios[0].state());
    field.run(1);
    assert_eq!(State::Rx, field.radios[0].state());
}

/// The first symbol comes 35 ticks after the trigger's tick, TXNIF with the end of the frame; INT goes back when INTSTAT is read.
#[test]
fn transmission_without_acknowledgement() {
    let mut field = Radios::<Mrf24j40>::ready(1, 2);
    field.fill(0, 0xFFFF, 7, 10);
    let tick = field.t_ps / US / 16 * 16 + 16;
    field.run(tick - field.t_ps / US - 5);
    field.put(0, TXNCON, TRIGGER);
    field.run(5000);
    let start = tick + TO_AIR;
    assert_eq!(vec![(0, start * US)], field.starts);
    assert_eq!(vec![start + air(21)], field.interrupts(0));
    assert_eq!(
        (0x01, 0x00, 0x00),
        (field.get(0, INTSTAT), field.get(0, INTSTAT), field.get(0, TXSTAT))
    );
    assert_eq!(Some(true), field.edges(0, Output::Int).last().map(|edge| edge.1));
    // The receiver: length with FCS, frame, LQI, RSSI of -50 dBm (table 3-8: 193).
    assert_eq!(vec![start + air(21) + 7], field.interrupts(1));
    assert_eq!(0x08, field.get(1, INTSTAT));
    let fifo = field.get_long(1, RX_FIFO, 24);
    assert_eq!((21, 0x61, 7, 193), (fifo[0], fifo[1], fifo[3], fifo[23]));
    assert!(field.radios[1].take_notes().is_empty());
}

/// ACK: turnaround of TURNTIME and RFSTBL from the next tick on; the recordings have 14 us beside turnaround, air and ticks.
#[test]
fn acknowledged_transmission() {
    for (turntime, turnaround) in [(0x48, 13), (0x38, 12)] {
        let mut field = Radios::<Mrf24j40>::ready(1, 2);
        field.put(1, TXTIME, turntime);
        field.fill(0, 2, 9, 22);
        field.put(0, TXNCON, TRIGGER_ACK);
        field.run(5000);
        let (start, reply) = (field.starts[0].1 / US, field.starts[1].1 / US);
        let ready = (start + air(33) + 7) / 16 * 16 + 16;
        assert_eq!(ready + turnaround * 16, reply);
        assert_eq!(vec![reply + air(5) + 7], field.interrupts(0));
        assert_eq!((0x01, 0x00), (field.get(0, INTSTAT), field.get(0, TXSTAT)));
        assert_eq!(2, field.starts.len());
    }
}

/// Nobody answers: 57 ticks of ACKTMOUT after the tick that follows the frame, then again: 31 ticks to the air, three times.
#[test]
fn retries() {
    let mut field = Radios::<Mrf24j40>::ready(1, 1);
    field.fill(0, 2, 9, 22);
    field.put(0, TXNCON, TRIGGER_ACK);
    field.run(20_000);
    let starts: Vec<u64> = field.starts.iter().map(|start| start.1 / US).collect();
    let period = air(33).div_ceil_16() + (57 + 31) * 16;
    let gaps: Vec<u64> = starts.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(vec![period; 3], gaps);
    assert_eq!(vec![starts[3] + air(33).div_ceil_16() + 57 * 16], field.interrupts(0));
    assert_eq!((0xC1, 0x01), (field.get(0, TXSTAT), field.get(0, INTSTAT)));
}

trait Ticks {
    fn div_ceil_16(self) -> u64;
}

impl Ticks for u64 {
    fn div_ceil_16(self) -> u64 {
        (self + 15) / 16 * 16
    }
}

/// Back-offs are 0 to 7 periods of 320 us with MACMINBE 3, each of them drawn (recordings: 48 to 73 of 478 each).
#[test]
fn backoffs() {
    let mut field = Radios::<Mrf24j40>::ready(1, 1);
    field.put(0, TXMCR, 0x1C);
    let mut counts = [0; 8];
    for _ in 0..400 {
        field.starts.clear();
        field.put(0, TXNCON, TRIGGER);
        let tick = (field.t_ps / US).div_ceil_16();
        field.run(6000);
        let wait = field.starts[0].1 / US - tick - TO_AIR;
        assert_eq!(0, wait % 320);
        counts[(wait / 320) as usize] += 1;
    }
    assert!(counts.iter().all(|&count| (25..=75).contains(&count)), "{:?}", counts);
}

/// A channel in use: CCAFAIL after 1 + CSMABF assessments; without CSMA-CA nothing is assessed.
#[test]
fn busy_channel() {
    let mut field = Radios::<Mrf24j40>::ready(3, 2);
    field.put(1, TXMCR, 0x80);
    for (txmcr, status) in [(0x00, 0x21), (0x80, 0x00)] {
        field.put(0, TXMCR, txmcr);
        field.fill(1, 0xFFFF, 1, 100);
        field.put(1, TXNCON, TRIGGER);
        field.run(1000);
        field.fill(0, 0xFFFF, 2, 5);
        field.put(0, TXNCON, TRIGGER);
        field.run(8000);
        assert_eq!(status, field.get(0, TXSTAT));
    }
}

#[test]
fn receiver_off_and_modes() {
    let mut field = Radios::<Mrf24j40>::ready(1, 2);
    let try_one = |field: &mut Radios<Mrf24j40>, to: u16| {
        field.fill(0, to, 9, 4);
        field.put(0, TXNCON, TRIGGER);
        field.run(4000);
        field.get(1, INTSTAT)
    };
    assert_eq!(0x08, try_one(&mut field, 2));
    assert_eq!(0x00, try_one(&mut field, 3));
    field.put(1, 0x00, 0x01); // promiscuous
    assert_eq!(0x08, try_one(&mut field, 3));
    field.put(1, 0x00, 0x00);
    field.put(1, RXFLUSH, 0x02); // beacons only
    assert_eq!(0x00, try_one(&mut field, 2));
    field.put(1, RXFLUSH, 0x00);
    field.put(1, BBREG1, 0x04); // RXDECINV
    assert_eq!(0x00, try_one(&mut field, 2));
    field.put(1, BBREG1, 0x00);
    field.put_long(1, RFCON0, &[0x13]); // channel 12 from the next reset of the RF state machine on
    assert_eq!(0x08, try_one(&mut field, 2));
    field.put(1, RFCTL, 4);
    field.put(1, RFCTL, 0);
    field.run(200);
    assert_eq!(0x00, try_one(&mut field, 2));
}

/// NOACKRSP and broadcasts give no acknowledgement; INTEDGE turns INT round; INTCON masks the pin, not the flag.
#[test]
fn interrupt_pin_and_acknowledgements() {
    let mut field = Radios::<Mrf24j40>::ready(1, 2);
    field.put(1, 0x00, 0x20);
    field.put(1, INTCON, 0xFF);
    field.put_long(0, SLPCON0, &[0x02]);
    assert_eq!(Some(false), field.edges(0, Output::Int).last().map(|edge| edge.1));
    field.fill(0, 2, 9, 4);
    field.put(0, TXNCON, TRIGGER);
    field.run(4000);
    assert_eq!(1, field.starts.len());
    assert!(field.interrupts(1).is_empty());
    assert_eq!(0x08, field.get(1, INTSTAT));
    assert_eq!(Some(true), field.edges(0, Output::Int).last().map(|edge| edge.1));
    field.put(1, 0x00, 0x00);
    field.fill(0, 0xFFFF, 9, 4);
    field.put(0, TXNCON, TRIGGER);
    field.run(4000);
    assert_eq!(2, field.starts.len());
}

/// Without CSMA-CA, a frame that is triggered while its radio acknowledges another one follows the acknowledgement.
#[test]
fn acknowledgement_before_own_frame() {
    let mut field = Radios::<Mrf24j40>::ready(1, 2);
    field.put(1, TXMCR, 0x80);
    field.fill(1, 0xFFFF, 1, 5);
    field.fill(0, 2, 9, 22);
    field.put(0, TXNCON, TRIGGER_ACK);
    while field.starts.len() < 2 {
        field.run(1);
    }
    field.put(1, TXNCON, TRIGGER);
    field.run(5000);
    let ends = field.starts[1].1 / US + air(5);
    assert_eq!(
        vec![0, 1, 1],
        field.starts.iter().map(|start| start.0).collect::<Vec<usize>>()
    );
    assert_eq!(ends + 13 * 16, field.starts[2].1 / US);
    assert_eq!((0x09, 0x00), (field.get(0, INTSTAT), field.get(0, TXSTAT)));
}

/// SLPACK sleeps, REGWAKE or the pin WAKE wakes: WAKEIF at once, the receiver after the oscillator's 2 ms.
#[test]
fn sleep_and_wake() {
    let mut field = Radios::<Mrf24j40>::ready(1, 2);
    for by_pin in [false, true] {
        field.put(1, WAKECON, 0x80);
        field.put(1, RXFLUSH, 0x60);
        field.put(1, SLPACK, 0x80);
        assert_eq!((State::Sleep, 0x00), (field.radios[1].state(), field.get(1, SLPACK)));
        assert_eq!(0x80, field.get(1, WAKECON)); // registers answer
        field.put(1, TXNCON, TRIGGER);
        assert!(field.radios[1].take_notes()[0].1.contains("sleeps"));
        let t_ps = field.t_ps;
        if by_pin {
            field.radios[1].input(Input::Wake, true, t_ps);
        } else {
            field.put(1, WAKECON, 0xC0);
            field.put(1, WAKECON, 0x80);
        }
        assert_eq!(
            (State::Calibrating, 0x40),
            (field.radios[1].state(), field.get(1, INTSTAT))
        );
        field.run(1999);
        assert_eq!(State::Calibrating, field.radios[1].state());
        field.run(1);
        assert_eq!(State::Rx, field.radios[1].state());
    }
    let t_ps = field.t_ps;
    field.radios[1].input(Input::Reset, false, t_ps);
    field.radios[1].input(Input::Reset, true, t_ps);
    assert_eq!(
        (0x00, State::Calibrating),
        (field.get(1, SADRL), field.radios[1].state())
    );
}

/// RSSIMODE1 measures over 8 symbols; power and turbo mode are on the air.
#[test]
fn rssi_power_turbo() {
    let mut field = Radios::<Mrf24j40>::ready(1, 2);
    field.put(0, TXMCR, 0x80);
    field.put_long(0, RFCON3, &[0x40]); // -10 dB
    field.fill(0, 0xFFFF, 9, 100);
    field.put(0, TXNCON, TRIGGER);
    field.run(1000);
    field.put(1, BBREG6, 0x80);
    field.run(127);
    assert_eq!(0x00, field.get(1, BBREG6));
    field.run(1);
    assert_eq!((0x01, vec![138]), (field.get(1, BBREG6), field.get_long(1, RSSI, 1))); // -60 dBm
    field.run(8000);
    field.put(0, 0x38, 0x01);
    field.put(1, 0x38, 0x01);
    field.put(1, BBREG6, 0x40);
    field.get(0, INTSTAT);
    field.get(1, INTSTAT);
    field.fill(0, 2, 9, 22);
    field.put(0, TXNCON, TRIGGER_ACK);
    field.run(5000);
    assert_eq!(
        (0x01, 0x08, 0x00),
        (field.get(0, INTSTAT), field.get(1, INTSTAT), field.get(0, TXSTAT))
    );
    // 625 kb/s, preamble and all: 12.8 us a byte.
    let (start, reply) = (field.starts[1].1, field.starts[2].1);
    let ticks = (start + 39 * 12_800_000 + 7_100_000) / (16 * US) + 1;
    assert_eq!((ticks + 13) * 16 * US, reply);
    let end = field.edges(0, Output::Int).iter().rev().nth(1).map(|edge| edge.0);
    assert_eq!(Some(reply + 11 * 12_800_000 + 7_100_000), end);
}

/// As the recordings of sigrok-dumps, spi/mrf24j40/ecg, have their modules: 625 kb/s, TXTIME as after a reset; no back-off, which
/// those have. The second radio is there from a time within a tick on, so that their ticks are anyhow to each other.
fn module(offset_ps: u64) -> Radios<Mrf24j40> {
    let radio = |(board, start_ps)| Mrf24j40::new(1, board, start_ps, Oscillator::default());
    let mut field = Radios::of([(0, 0), (1, offset_ps)].into_iter().map(radio).collect(), Input::Cs);
    field.t_ps = offset_ps;
    for index in 0..2 {
        field.set_up(index);
        let address = [(PANIDL, 0x70), (PANIDL + 1, 0x67), (SADRL, index as u8 + 1)];
        for (register, value) in [(0x38, 0x01), (0x3B, 0x38), (0x3C, 0x5C)].into_iter().chain(address) {
            field.put(index, register, value);
        }
    }
    field.run(3000);
    field
}

/// Microseconds from a trigger, `phase_ps` after a tick, to INT; the receiver is on from the try `deaf` on.
fn trigger_to_interrupt(octets: usize, asks: bool, deaf: usize, phase_ps: u64) -> f64 {
    let mut field = module(phase_ps * 37 % (16 * US));
    field.put(1, BBREG1, 0x04);
    field.fill(0, 2, 9, octets - 11);
    let tick = (field.t_ps / (16 * US) + 1) * 16 * US;
    for radio in field.radios.iter_mut() {
        radio.advance(tick + phase_ps);
    }
    field.t_ps = tick + phase_ps;
    field.put(0, TXNCON, if asks { TRIGGER_ACK } else { TRIGGER });
    let mut is_on = false;
    for _ in 0..20_000 {
        if field.starts.len() > deaf && !is_on {
            field.put(1, BBREG1, 0x00);
            is_on = true;
        }
        field.run(1);
        if let Some(edge) = field.edges(0, Output::Int).iter().find(|edge| !edge.1) {
            return (edge.0 - tick - phase_ps) as f64 / US as f64;
        }
    }
    panic!("no interrupt");
}

fn mean_over_ticks(octets: usize, asks: bool, deaf: usize) -> f64 {
    let phases = (0..32).map(|step| step * 500_000 + 1);
    phases
        .map(|phase| trigger_to_interrupt(octets, asks, deaf, phase))
        .sum::<f64>()
        / 32.0
}

/// docs/evidence/silicon.md has what the model gives under the conditions of the recordings, next to what they give.
#[test]
fn silicon() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../docs/evidence/silicon.md");
    let page = std::fs::read_to_string(page).unwrap();
    let cases = [
        ("21 octets", 21, false, 0),
        ("33 octets, acknowledged", 33, true, 0),
        ("33 octets, retry 1", 33, true, 1),
        ("33 octets, retry 2", 33, true, 2),
        ("33 octets, retry 3", 33, true, 3),
        ("33 octets, given up", 33, true, 99),
    ];
    for (number, &(name, octets, asks, deaf)) in cases.iter().enumerate() {
        let mean = mean_over_ticks(octets, asks, deaf);
        let shown = if number < 2 { mean } else { mean % 320.0 };
        let row = page.lines().find(|line| line.starts_with(&format!("| {} |", name)));
        let cells: Vec<&str> = row.unwrap_or("").split('|').map(str::trim).collect();
        assert_eq!(Some(&format!("{:.1}", shown).as_str()), cells.get(4), "{}", name);
    }
}

/// What the module of spi/mrf24j40/sensormote answered to the same accesses, and when it was done: 2390.2 us after the trigger
/// at 250 kb/s, within the two ticks of 16 us of two radios.
#[test]
fn sensormote() {
    let mut field = Radios::<Mrf24j40>::ready(1, 2);
    field.put(1, SADRL, 0x01);
    field.put(1, PANIDL, 0xFE);
    field.put(1, PANIDL + 1, 0xCA);
    let started = [
        (SOFTRST, 0x07, 0x00),
        (0x18, 0x98, 0x98),
        (0x2E, 0x95, 0x95),
        (0x3A, 0x80, 0x80),
        (0x3F, 0x60, 0x60),
        (INTCON, 0xF6, 0xF6),
        (WAKECON, 0x80, 0x80),
        (SOFTRST, 0x04, 0x00),
        (SLPACK, 0x80, 0x00),
        (PANIDL + 1, 0xCA, 0xCA),
        (PANIDL, 0xFE, 0xFE),
        (SADRL + 1, 0x11, 0x11),
        (SADRL, 0x11, 0x11),
    ];
    for (register, value, answer) in started {
        field.put(0, register, value);
        assert_eq!(answer, field.get(0, register), "{:02x}", register);
        if register == INTCON {
            let long = [
                (RFCON0, 0x03),
                (0x201, 1),
                (0x202, 0x80),
                (0x206, 0x90),
                (0x207, 0x80),
                (0x208, 0x10),
            ];
            for (address, value) in long {
                field.put_long(0, address, &[value]);
            }
            field.put(0, TXMCR, NO_BACKOFF); // it drew none: 320 us would be one
        }
    }
    field.put(0, WAKECON, 0xC0);
    field.run(986);
    field.put(0, WAKECON, 0x80);
    field.run(2014);
    let mut frame = vec![9, 31, 0x61, 0x88, 0xC5, 0xFE, 0xCA, 0x01, 0x00, 0x11, 0x11];
    frame.resize(33, 0x78);
    field.put_long(0, 0, &frame);
    let trigger = field.t_ps;
    field.put(0, TXNCON, TRIGGER_ACK);
    field.run(5000);
    let falls: Vec<f64> = field
        .edges(0, Output::Int)
        .iter()
        .filter(|edge| !edge.1)
        .map(|edge| edge.0 as f64)
        .collect();
    let delay = (falls[0] - trigger as f64) / US as f64;
    assert!((delay - 2390.2).abs() <= 16.0, "{}", delay);
    // WAKEIF, masked, and TXNIF; sent at the first try; asleep again.
    assert_eq!((0x41, 0x00), (field.get(0, INTSTAT), field.get(0, TXSTAT)));
}

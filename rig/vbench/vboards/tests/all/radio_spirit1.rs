//! SPIRIT1s on a common air: states, packets, filters, FIFOs, listen before talk, acknowledgement, timers, GPIOs. Instants
//! are microseconds here. Bits last 4 us: 250 kb/s from a 50 MHz crystal, as near as the registers get.

use vboards::air::{Link, Message, Modulation, Signal, Waveform, REACTION_PS, US};
use vboards::radio::spirit1::{Input, Output, Spirit1, State};
use vboards::radio::{PinChange, Radio};

const XTAL_HZ: u64 = 50_000_000;
const READY: u8 = 0x03;
const RX: u8 = 0x33;

const RX_DATA_READY: u32 = 1 << 0;
const RX_DATA_DISC: u32 = 1 << 1;
const TX_DATA_SENT: u32 = 1 << 2;
const MAX_RE_TX: u32 = 1 << 3;
const CRC_ERROR: u32 = 1 << 4;
const TX_FIFO_ERROR: u32 = 1 << 5;
const RX_FIFO_ERROR: u32 = 1 << 6;
const TX_ALMOST_FULL: u32 = 1 << 7;
const TX_ALMOST_EMPTY: u32 = 1 << 8;
const RX_ALMOST_FULL: u32 = 1 << 9;
const MAX_BO_CCA: u32 = 1 << 11;
const VALID_PREAMBLE: u32 = 1 << 12;
const VALID_SYNC: u32 = 1 << 13;
const WKUP_TOUT: u32 = 1 << 15;
const POR: u32 = 1 << 19;
const RX_TIMEOUT: u32 = 1 << 29;

/// Radios on one air, driven by hand.
struct Field {
    radios: Vec<Spirit1>,
    pins: Vec<Vec<PinChange<Output>>>,
    starts: Vec<(usize, u64)>,
    bodies: Vec<Vec<u8>>,
    t_ps: u64,
    link: Link,
}

impl Field {
    /// Radios in READY: 868 MHz, 250 kb/s, GFSK, variable length of 8 bits, CRC-16, every byte of the sync word another one.
    fn new(seed: u64, count: u16) -> Field {
        let radios = (0..count).map(|board| Spirit1::new(seed, board, XTAL_HZ)).collect();
        let link = Link {
            delay_ps: 0,
            ..Link::default()
        };
        let mut field = Field {
            radios,
            pins: vec![Vec::new(); count.into()],
            starts: Vec::new(),
            bodies: Vec::new(),
            t_ps: 0,
            link,
        };
        field.run(1000);
        for index in 0..usize::from(count) {
            // 868.0 MHz: 868e6 * 3 * 2^18 / 50e6 = 13 652 459.
            let word = 13_652_459u32;
            let synt = [word >> 21, word >> 13 & 0xFF, word >> 5 & 0xFF, (word & 0x1F) << 3 | 1];
            field.write(index, 0x08, &synt.map(|byte| byte as u8));
            // 25 MHz * (256 + 71) * 2^13 / 2^28 = 249.5 kb/s; 50 MHz * 8 * 2^6 / 2^18 = 97.7 kHz; 520 kHz of filter.
            field.write(index, 0x1A, &[71, 0x1D, 0x70, 0x80]);
            field.write(index, 0x30, &[0x00, 0x07, 0x1F, 0x60]);
            field.write(index, 0x36, &[0x44, 0x33, 0x22, 0x11]);
            field.write(index, 0x50, &[0x00, 0x01, 0x0A]); // no calibration, filter, NO_ACK, persistent reception
            field.write(index, 0x4F, &[0x41]); // packets with a wrong CRC are discarded
            field.status(index);
        }
        field
    }

    fn exchange(&mut self) {
        for from in 0..self.radios.len() {
            let mut messages = Vec::new();
            self.radios[from].take_messages(&mut messages);
            for message in messages {
                match &message.signal {
                    Signal::Start { start_ps, .. } => {
                        assert!(*start_ps >= self.t_ps + REACTION_PS, "too late for the other boards");
                        self.starts.push((from, *start_ps));
                    }
                    Signal::Body { psdu } => self.bodies.push(psdu.to_vec()),
                    Signal::Cut { end_ps } => assert!(*end_ps >= self.t_ps + REACTION_PS),
                }
                for to in (0..self.radios.len()).filter(|&to| to != from) {
                    self.radios[to].receive_signal(&message, &self.link);
                }
            }
            self.radios[from].take_pins(&mut self.pins[from]);
        }
    }

    fn run_ps(&mut self, ps: u64) {
        let until = self.t_ps + ps;
        loop {
            self.exchange();
            let next = self
                .radios
                .iter()
                .filter_map(Spirit1::next_event)
                .min()
                .filter(|&t| t <= until);
            self.t_ps = next.unwrap_or(until);
            for radio in self.radios.iter_mut() {
                radio.advance(self.t_ps);
            }
            if next.is_none() {
                return self.exchange();
            }
        }
    }

    fn run(&mut self, us: u64) {
        self.run_ps(us * US);
    }

    /// One SPI access at once, for time between bytes there is none here.
    fn spi(&mut self, index: usize, bytes: &[u8]) -> Vec<u8> {
        let (radio, t_ps) = (&mut self.radios[index], self.t_ps);
        radio.input(Input::Csn, false, t_ps);
        let mut back = Vec::new();
        for &byte in bytes {
            back.push(radio.spi_out(t_ps).unwrap_or(0xEE));
            radio.spi_in(byte, t_ps);
        }
        radio.input(Input::Csn, true, t_ps);
        self.exchange();
        back
    }

    fn write(&mut self, index: usize, register: u8, values: &[u8]) {
        let mut bytes = vec![0x00, register];
        bytes.extend(values);
        self.spi(index, &bytes);
    }

    fn read(&mut self, index: usize, register: u8, count: usize) -> Vec<u8> {
        let mut bytes = vec![0x01, register];
        bytes.resize(2 + count, 0xFF);
        self.spi(index, &bytes)[2..].to_vec()
    }

    fn command(&mut self, index: usize, code: u8) {
        self.spi(index, &[0x80, code]);
    }

    /// MC_STATE, by the second byte of an access.
    fn state(&mut self, index: usize) -> u8 {
        self.spi(index, &[0x01, 0xC0])[1] >> 1
    }

    /// IRQ_STATUS, which reading clears.
    fn status(&mut self, index: usize) -> u32 {
        self.read(index, 0xFA, 4)
            .iter()
            .fold(0, |word, &byte| (word << 8) | u32::from(byte))
    }

    fn receive(&mut self, index: usize) {
        self.command(index, 0x61);
        self.run(60);
        assert_eq!(RX, self.state(index));
        self.status(index);
    }

    /// Puts a payload into the TX FIFO and its length into the registers (with `extra` bytes of address and control).
    fn load(&mut self, index: usize, payload: &[u8], extra: usize) {
        self.command(index, 0x72);
        let length = (payload.len() + extra) as u16;
        self.write(index, 0x34, &length.to_be_bytes());
        self.write(index, 0xFF, payload);
    }

    /// READY to the first bit.
    fn send(&mut self, index: usize, payload: &[u8]) -> u64 {
        self.load(index, payload, 0);
        self.command(index, 0x60);
        self.t_ps + 50 * US
    }

    fn edges(&self, index: usize, gpio: u8) -> Vec<(u64, bool)> {
        let mine = self.pins[index]
            .iter()
            .filter(|c| c.pin == Output::Gpio(gpio) && c.t_ps > 0);
        mine.map(|c| (c.t_ps, c.level)).collect()
    }

    fn fifo(&mut self, index: usize) -> Vec<u8> {
        let count = self.read(index, 0xE7, 1)[0];
        self.read(index, 0xFF, count.into())
    }
}

/// Bits of the field's rate: 2^28 / (25 MHz * 327 * 2^13) s each, a byte rounded down to a picosecond.
fn bits(count: u64) -> u64 {
    let byte_ps = (8u128 * (1_000_000_000_000u128 << 28) / ((25_000_000u128 * 327) << 13)) as u64;
    count * byte_ps / 8
}

/// Preamble and sync word of 4 bytes each.
const SHR_BITS: u64 = 64;

#[test]
fn identity_power_on_and_status() {
    let mut radio = Spirit1::new(1, 0, XTAL_HZ);
    radio.input(Input::Csn, false, 0);
    assert_eq!(None, radio.spi_out(0)); // power-on reset
    radio.input(Input::Csn, true, 0);
    radio.advance(649 * US);
    assert_eq!(State::Shutdown, radio.state());
    radio.advance(650 * US);
    assert_eq!(State::Ready, radio.state());
    let mut pins = Vec::new();
    radio.take_pins(&mut pins);
    let por = pins
        .iter()
        .find(|c| c.pin == Output::Gpio(0) && c.level)
        .map(|c| c.t_ps);
    assert_eq!(Some(650 * US), por); // GPIO0 shows the end of the power-on reset by default

    let mut field = Field::new(1, 1);
    assert_eq!(vec![0x01, 0x30], field.read(0, 0xF0, 2));
    // MC_STATE1 then MC_STATE0 come back first: 5 above, RX FIFO empty; READY and XO_ON.
    assert_eq!(vec![0x52, 0x03 << 1 | 1], field.spi(0, &[0x01, 0xC0]));
    assert_eq!(vec![0x52, 0x03 << 1 | 1], field.read(0, 0xC0, 2));
    let t_ps = field.t_ps;
    field.radios[0].input(Input::Sdn, true, t_ps);
    assert_eq!(vec![0xEE; 3], field.spi(0, &[0x01, 0xF0, 0]));
    field.radios[0].input(Input::Sdn, false, t_ps);
    field.run(700);
    assert_eq!(0x24, field.read(0, 0x22, 1)[0]);
    assert_eq!(POR, field.status(0) & POR);
}

/// An access may continue after a command without CSn going high.
#[test]
fn a_command_may_be_followed_by_an_access() {
    let mut field = Field::new(1, 1);
    field.write(0, 0xFF, &[1, 2, 3]);
    assert_eq!(3, field.read(0, 0xE6, 1)[0]);
    let back = field.spi(0, &[0x80, 0x72, 0x01, 0xE6, 0xFF]);
    assert_eq!(0, back[4]);
}

#[test]
fn states_and_their_times() {
    let mut field = Field::new(1, 1);
    field.command(0, 0x63);
    field.run(3);
    assert_eq!(0x40, field.state(0)); // STANDBY
    field.command(0, 0x61);
    field.run(200);
    assert_eq!(0x40, field.state(0)); // RX is not for STANDBY
    field.command(0, 0x62);
    let mut seen = Vec::new();
    for _ in 0..100 {
        seen.push(field.state(0));
        field.run(1);
    }
    seen.dedup();
    assert_eq!(vec![0x3D, 0x23, READY], seen); // PM setup, XO settling
    field.command(0, 0x66);
    field.run(33);
    assert_eq!(0x53, field.state(0)); // SYNTH setup
    field.run(1);
    assert_eq!(0x0F, field.state(0));
    assert_eq!(1 << 21, field.status(0) & 1 << 21); // LOCK
    field.command(0, 0x62);
    field.run(2);
    assert_eq!(READY, field.state(0));
    field.command(0, 0x61);
    field.run(49);
    assert_eq!(0x0F, field.state(0));
    field.run(1);
    assert_eq!(RX, field.state(0));
    field.command(0, 0x67);
    field.run(2);
    assert_eq!(READY, field.state(0));
    field.command(0, 0x64);
    field.run(3);
    assert_eq!(0x36, field.state(0)); // SLEEP
                                      // With VCO calibration the way to RX takes 54 us more.
    field.command(0, 0x62);
    field.run(75);
    field.write(0, 0x50, &[0x02]);
    field.command(0, 0x61);
    field.run(40);
    assert_eq!(0x4F, field.state(0)); // SYNTH calibration
    field.run(64);
    assert_eq!(RX, field.state(0));
}

/// What ST's library and Contiki do in a row, an access of some microseconds after the other, with waits by polling only:
/// SRES and STANDBY at once, the calibration of the VCO in LOCK, SABORT and TX at once.
#[test]
fn commands_in_quick_succession() {
    let mut field = Field::new(1, 2);
    let poll = |field: &mut Field, state: u8| {
        for _ in 0..300 {
            field.run(4);
            if field.state(0) == state {
                return;
            }
        }
        panic!("state 0x{:02x} does not come", state);
    };
    field.command(0, 0x70);
    field.run(4);
    field.command(0, 0x63);
    poll(&mut field, 0x40);
    field.command(0, 0x62);
    poll(&mut field, READY);
    field.write(0, 0x50, &[0x02]);
    field.command(0, 0x66);
    poll(&mut field, 0x0F);
    assert_eq!(vec![0x48], field.read(0, 0xE5, 1));
    field.command(0, 0x62);
    poll(&mut field, READY);
    field.write(0, 0x50, &[0x00]);
    field.receive(0);
    field.receive(1);
    field.load(0, &[1, 2, 3], 0);
    field.command(0, 0x67);
    field.run(6);
    field.command(0, 0x60);
    poll(&mut field, 0x5F);
    poll(&mut field, READY);
    assert_eq!(RX_DATA_READY, field.status(1) & 0x13);
}

#[test]
fn frequency_from_the_registers() {
    let mut field = Field::new(1, 1);
    let hz = field.radios[0].carrier_hz();
    assert!(hz.abs_diff(868_000_000) < 100, "{}", hz);
    // CHSPACE 66 * 50 MHz / 2^15 = 100 708 Hz.
    field.write(0, 0x0C, &[66]);
    field.write(0, 0x6C, &[10]);
    assert_eq!(1_007_080, field.radios[0].carrier_hz() - hz);
    // FC_OFFSET -1: -50 MHz / 2^18 = -190.7 Hz, rounded down.
    field.write(0, 0x0E, &[0x0F, 0xFF]);
    assert_eq!(1_007_080 - 191, field.radios[0].carrier_hz() - hz);
}

#[test]
fn a_packet_goes_through() {
    let mut field = Field::new(1, 2);
    field.write(1, 0x05, &[0x7A]); // GPIO0: sync word detected
    field.write(0, 0x05, &[0x2A]); // GPIO0: TX state
    field.receive(1);
    field.pins.iter_mut().for_each(Vec::clear);
    let start = field.send(0, b"hello air");
    field.run(2000);
    let end = start + bits(SHR_BITS) + bits(8 * 12);
    assert_eq!(vec![(0, start)], field.starts);
    assert_eq!(vec![(start, true), (end, false)], field.edges(0, 0));
    let sync = start + bits(SHR_BITS);
    assert_eq!(vec![(sync, true), (end, false)], field.edges(1, 0));
    assert_eq!(TX_DATA_SENT, field.status(0) & 0xFF);
    assert_eq!(VALID_PREAMBLE | VALID_SYNC | RX_DATA_READY, field.status(1) & 0x3033);
    assert_eq!((READY, RX), (field.state(0), field.state(1)));
    assert_eq!(vec![0, 9], field.read(1, 0xC9, 2));
    assert_eq!(b"hello air".to_vec(), field.fifo(1));
    // 10 dBm by level 3 of the library's curve for 868 MHz, -50 dB of link; RSSI_LEVEL is 2 (dBm + 130).
    assert_eq!(2 * (-50 + 10 + 130), field.read(1, 0xC8, 1)[0] as i32);
    assert_eq!(32, field.read(1, 0xC6, 1)[0] & 0x7F); // SQI: 8 * sync bytes
}

/// Length, payload, CRC-16 with polynomial 0x1021 and start value all ones: known check value 0x29B1 for "123456789"
/// (CRC-16/IBM-3740 in the catalogue of parametrised CRC algorithms), here without a length field.
#[test]
fn what_the_air_carries() {
    let mut field = Field::new(1, 1);
    field.write(0, 0x32, &[0x1E]); // fixed length
    field.send(0, b"123456789");
    field.run(1000);
    assert_eq!(b"123456789\x29\xB1".to_vec(), field.bodies[0]);
    field.write(0, 0x33, &[0x20]); // CRC-8
    field.send(0, b"12");
    field.run(1000);
    assert_eq!(3, field.bodies[1].len());
    field.write(0, 0x33, &[0x10]); // no CRC, whitened: zeros become PN9
    field.send(0, &[0, 0]);
    field.run(1000);
    assert_eq!(vec![0xFF, 0x87], field.bodies[2]); // nine ones, then 0000 111
}

/// With FEC payload and CRC take twice the time, the fields before them do not; the receiver gets the same packet, a byte of
/// payload every 16 bits.
#[test]
fn fec_doubles_payload_and_crc() {
    let mut field = Field::new(1, 2);
    for index in 0..2 {
        field.write(index, 0x33, &[0x71]); // CRC-16, whitened, FEC
    }
    field.write(1, 0x05, &[0x7A]); // GPIO0: sync word detected
    field.receive(1);
    field.pins.iter_mut().for_each(Vec::clear);
    let start = field.send(0, b"hello air");
    let sync = start + bits(SHR_BITS);
    field.run_ps(sync + bits(8 + 2 * 8 * 3) - field.t_ps);
    assert_eq!(3, field.read(1, 0xE7, 1)[0]); // bytes in the FIFO: length, then three bytes twice
    field.run(2000);
    assert_eq!(1 + 2 * 11, field.bodies[0].len());
    let end = sync + bits(8 + 2 * 8 * 11);
    assert_eq!(vec![(sync, true), (end, false)], field.edges(1, 0));
    assert_eq!(TX_DATA_SENT, field.status(0) & 0xFF);
    assert_eq!(RX_DATA_READY, field.status(1) & 0x33);
    assert_eq!(b"hello air".to_vec(), field.fifo(1));
}

/// Of two radios only one of which uses FEC neither gets the packet.
#[test]
fn fec_is_a_matter_of_both_radios() {
    let mut field = Field::new(1, 2);
    field.write(0, 0x33, &[0x61]); // FEC
    field.receive(1);
    field.send(0, b"hello air");
    field.run(2000);
    assert_eq!(RX_DATA_DISC | CRC_ERROR, field.status(1) & 0x33);
}

#[test]
fn addresses_are_filtered() {
    let cases = [(0x22, true), (0x23, false), (0xFF, true), (0xEE, false)];
    for &(to, accepted) in cases.iter() {
        let mut field = Field::new(1, 2);
        for index in 0..2 {
            field.write(index, 0x30, &[0x08]); // one byte of address
            field.write(index, 0x4C, &[0xFF, 0xEE, 0x21 + index as u8]);
        }
        field.write(1, 0x4F, &[0x4B]); // own and broadcast, not multicast
        field.write(0, 0x4B, &[to]);
        field.receive(1);
        field.load(0, &[1, 2, 3], 1);
        field.command(0, 0x60);
        field.run(1000);
        let expected = if accepted { RX_DATA_READY } else { RX_DATA_DISC };
        assert_eq!(expected, field.status(1) & 0x13, "{:02x}", to);
        assert_eq!(if accepted { vec![1, 2, 3] } else { vec![] }, field.fifo(1));
        assert_eq!(RX, field.state(1)); // persistent
    }
}

#[test]
fn other_settings_hear_nothing() {
    let changes: [(u8, u8); 4] = [(0x39, 0x12), (0x6C, 40), (0x1A, 90), (0x1C, 0x50)];
    for &(register, value) in changes.iter() {
        let mut field = Field::new(1, 2);
        field.write(1, register, &[value]);
        field.receive(1);
        field.send(0, &[1, 2, 3]);
        field.run(1000);
        assert_eq!(
            0,
            field.status(1) & (VALID_SYNC | RX_DATA_READY | RX_DATA_DISC),
            "{:02x}",
            register
        );
    }
}

#[test]
fn overlapping_packets_have_a_wrong_crc() {
    let mut field = Field::new(1, 3);
    field.receive(2);
    field.send(0, &[0x55; 30]);
    field.run(500);
    field.send(1, &[0xAA; 30]);
    field.run(3000);
    assert_eq!(VALID_SYNC | CRC_ERROR | RX_DATA_DISC, field.status(2) & 0x2013);
    assert!(field.fifo(2).is_empty());
    field.write(2, 0x51, &[0x00]); // without the filter it is given to the host
    field.send(0, &[0x55; 30]);
    field.run(500);
    field.send(1, &[0xAA; 30]);
    field.run(3000);
    assert_eq!(CRC_ERROR | RX_DATA_READY, field.status(2) & 0x13);
}

#[test]
fn fifo_thresholds_and_errors() {
    let mut field = Field::new(1, 2);
    field.write(0, 0x40, &[16, 10]); // TX: almost full at 80, almost empty at 10
    field.write(1, 0x3E, &[76]); // RX: almost full at 20
    field.write(1, 0x05, &[0x5A]); // GPIO0: RX FIFO almost full
    field.receive(1);
    field.command(0, 0x72);
    field.status(0);
    field.write(0, 0x34, &[0, 90]);
    field.write(0, 0xFF, &[7; 79]);
    assert_eq!(0, field.status(0) & TX_ALMOST_FULL);
    field.write(0, 0xFF, &[7; 11]);
    assert_eq!(TX_ALMOST_FULL, field.status(0) & (TX_ALMOST_FULL | TX_ALMOST_EMPTY));
    field.command(0, 0x60);
    let start = field.t_ps + 50 * US;
    // The 80th byte of payload leaves the FIFO as it begins, after SHR, length and 79 bytes: 10 are left.
    let empty = start + bits(SHR_BITS + 8 + 8 * 79);
    field.run_ps(empty - 1 - field.t_ps);
    assert_eq!(0, field.status(0) & TX_ALMOST_EMPTY);
    field.run_ps(1);
    assert_eq!(TX_ALMOST_EMPTY, field.status(0) & TX_ALMOST_EMPTY);
    field.run(2000);
    // The 20th byte is complete after SHR, length and 20 bytes.
    let full = start + bits(SHR_BITS) + bits(8 + 8 * 20);
    assert_eq!(Some(&(full, true)), field.edges(1, 0).last());
    assert_eq!(RX_ALMOST_FULL, field.status(1) & RX_ALMOST_FULL);
    // A second packet does not fit into 96 bytes: overflow, and the receiver stops.
    field.send(0, &[8; 10]);
    field.run(2000);
    assert_eq!(RX_FIFO_ERROR, field.status(1) & (RX_FIFO_ERROR | RX_DATA_READY));
    assert_eq!(READY, field.state(1));
    assert_eq!(96, field.fifo(1).len());
    field.read(1, 0xFF, 1);
    assert_eq!(RX_FIFO_ERROR, field.status(1) & RX_FIFO_ERROR); // underflow
    field.command(0, 0x72);
    field.write(0, 0xFF, &[0; 96]);
    assert_eq!(0x04, field.spi(0, &[0x01, 0xC0])[0] & 0x04); // TX_FIFO_FULL
    assert_eq!(0, field.status(0) & TX_FIFO_ERROR);
    field.write(0, 0xFF, &[0]);
    assert_eq!(TX_FIFO_ERROR, field.status(0) & TX_FIFO_ERROR);
}

/// A packet longer than both FIFOs: the host writes and reads while it is on the air.
#[test]
fn a_long_packet_streams_through_the_fifos() {
    let mut field = Field::new(1, 2);
    for index in 0..2 {
        field.write(index, 0x31, &[0x0F]); // 16 bits of length
    }
    field.receive(1);
    let payload: Vec<u8> = (0..300u32).map(|n| (n * 7) as u8).collect();
    field.command(0, 0x72);
    field.write(0, 0x34, &300u16.to_be_bytes());
    field.write(0, 0xFF, &payload[..96]);
    field.command(0, 0x60);
    let (mut written, mut got) = (96, Vec::new());
    for _ in 0..30 {
        field.run(500);
        let room = 96 - usize::from(field.read(0, 0xE6, 1)[0]);
        let more = room.min(300 - written);
        field.write(0, 0xFF, &payload[written..written + more]);
        written += more;
        got.extend(field.fifo(1));
    }
    assert_eq!(payload, got);
    assert_eq!(RX_DATA_READY, field.status(1) & 0x13);
    assert_eq!(TX_DATA_SENT, field.status(0) & (TX_DATA_SENT | TX_FIFO_ERROR));
}

#[test]
fn an_empty_fifo_breaks_the_packet_off() {
    let mut field = Field::new(1, 2);
    field.receive(1);
    field.command(0, 0x72);
    field.write(0, 0x34, &[0, 50]);
    field.write(0, 0xFF, &[1; 20]);
    field.command(0, 0x60);
    field.run(5000);
    assert_eq!(
        (TX_FIFO_ERROR, READY),
        (field.status(0) & (TX_FIFO_ERROR | TX_DATA_SENT), field.state(0))
    );
    assert_eq!(CRC_ERROR | RX_DATA_DISC, field.status(1) & 0x13);
}

/// Timeout: (prescaler + 1) * counter * 1210 cycles of 25 MHz; a sync word stops it when SQI is the condition.
#[test]
fn rx_timeout_and_its_stop_condition() {
    let mut field = Field::new(1, 2);
    field.write(1, 0x52, &[0x08]); // not persistent
    field.write(1, 0x53, &[9, 10]); // 10 * 10 * 48.4 us = 4.84 ms
    field.write(1, 0x50, &[0x40]); // SQI
    field.command(1, 0x61);
    let armed = field.t_ps + 50 * US;
    field.run_ps(armed + 4839 * US - field.t_ps);
    assert_eq!(RX, field.state(1));
    field.run(1);
    assert_eq!(READY, field.state(1));
    assert_eq!(RX_TIMEOUT | RX_DATA_DISC, field.status(1) & (RX_TIMEOUT | 0x13));
    // A packet whose sync word comes in time is received although it ends after the timeout.
    field.command(1, 0x61);
    field.run(4000);
    field.send(0, &[3; 60]);
    field.run(4000);
    assert_eq!(RX_DATA_READY, field.status(1) & (RX_TIMEOUT | 0x13));
    assert_eq!(READY, field.state(1));
    // Neither condition nor OR: nothing stops it.
    field.write(1, 0x50, &[0x00]);
    field.write(1, 0x4F, &[0x01]);
    field.command(1, 0x71);
    field.command(1, 0x61);
    field.run(4000);
    field.send(0, &[3; 60]);
    field.run(4000);
    assert_eq!(RX_TIMEOUT | RX_DATA_DISC, field.status(1) & (RX_TIMEOUT | 0x13));
    // OR of no condition: always stopped, the default.
    field.write(1, 0x4F, &[0x41]);
    field.command(1, 0x61);
    field.run(20_000);
    assert_eq!(RX, field.state(1));
}

/// A carrier of a frame that never ends by itself, as another radio would give it.
fn jam(field: &mut Field, to: usize, start_ps: u64, us: u64) {
    let waveform = Waveform {
        modulation: Modulation::Noise,
        centre_khz: 868_000,
        width_khz: 100,
        shr_ps: us * US,
        phr_ps: 0,
        byte_ps: 1,
    };
    let (source, frame) = (99, field.starts.len() as u32 + (start_ps / US) as u32);
    for signal in [
        Signal::Start {
            start_ps,
            waveform,
            ppb: 0,
            power_dbm: 0,
        },
        Signal::Cut {
            end_ps: start_ps + us * US,
        },
    ] {
        let message = Message { source, frame, signal };
        field.radios[to].receive_signal(
            &message,
            &Link {
                delay_ps: 0,
                ..Link::default()
            },
        );
    }
}

#[test]
fn csma_sends_after_listening_to_a_free_channel() {
    let mut field = Field::new(1, 1);
    field.write(0, 0x51, &[0x05]); // CSMA
    field.write(0, 0x64, &[0x12, 0x34, 11 << 2, 0x25]); // BU 11 periods, Tcca 64 bits, listen 2 Tcca, 5 back-offs
    field.load(0, &[1], 0);
    let t_ps = field.t_ps;
    field.command(0, 0x60);
    field.run(3000);
    // 50 us to RX, 128 bits of listening, 22 us to TX.
    assert_eq!(vec![(0, t_ps + 72 * US + 2 * bits(64))], field.starts);
}

#[test]
fn csma_backs_off_and_gives_up() {
    let mut waits = Vec::new();
    for seed in 0..40 {
        let mut field = Field::new(seed, 1);
        field.write(0, 0x51, &[0x05]);
        field.write(0, 0x64, &[0x12, 0x34, 11 << 2, 0x11]); // 1 Tcca, 1 back-off
        field.load(0, &[1], 0);
        let t_ps = field.t_ps;
        jam(&mut field, 0, t_ps + 20 * US, 100);
        field.command(0, 0x60);
        field.run(3000);
        // Busy, 0 or 1 units of 11 / 34.7 kHz, then free: 50 us, Tcca, wait, 50 us, Tcca, 22 us.
        let wait = field.starts[0].1 - t_ps - 122 * US - 2 * bits(64);
        assert!(wait == 0 || wait == 11_000_000_000_000 / 34_700, "{}", wait);
        waits.push(wait);
    }
    assert!(waits.contains(&0) && waits.iter().any(|&wait| wait > 0));
    let mut field = Field::new(1, 1);
    field.write(0, 0x51, &[0x05]);
    field.write(0, 0x64, &[0x12, 0x34, 11 << 2, 0x13]); // 3 back-offs
    field.load(0, &[1, 2], 0);
    let t_ps = field.t_ps;
    jam(&mut field, 0, t_ps, 50_000);
    field.command(0, 0x60);
    field.run(20_000);
    assert!(field.starts.is_empty());
    assert_eq!(
        (MAX_BO_CCA, READY),
        (field.status(0) & (MAX_BO_CCA | TX_DATA_SENT), field.state(0))
    );
    assert_eq!(2, field.read(0, 0xE6, 1)[0]); // the packet waits in the FIFO
}

#[test]
fn persistent_csma_waits_for_the_end() {
    let mut field = Field::new(1, 1);
    field.write(0, 0x51, &[0x07]);
    field.write(0, 0x64, &[0x12, 0x34, 0, 0x10]);
    field.load(0, &[1], 0);
    let t_ps = field.t_ps;
    jam(&mut field, 0, t_ps, 2000);
    field.command(0, 0x60);
    field.run(5000);
    // Tccas follow each other; the first one wholly after the jam lets it send.
    let period = bits(64);
    let listening = t_ps + 50 * US;
    let busy = (t_ps + 2000 * US - listening + period - 1) / period;
    assert_eq!(vec![(0, listening + (busy + 1) * period + 22 * US)], field.starts);
}

/// Sets both to STack with addresses 0x21 and 0x22; radio 1 acknowledges.
fn link_layer(field: &mut Field, retries: u8) {
    for index in 0..2 {
        field.write(index, 0x30, &[0x10, 0xC7]);
        field.write(index, 0x4C, &[0xFF, 0xEE, 0x21 + index as u8, 0x49]);
        field.write(index, 0x4B, &[0x22 - index as u8]);
    }
    field.write(0, 0x50, &[0x40, 0x01, retries << 4]); // asks for an acknowledgement
    field.write(0, 0x53, &[0, 25]); // waits 25 * 48.4 us = 1.21 ms for it
    field.write(1, 0x52, &[0x0E]); // AUTO_ACK, persistent
}

#[test]
fn acknowledgement_ends_the_transmission() {
    let mut field = Field::new(1, 2);
    // With a delay a receiver knows of the end of a packet that is not a whole number of bytes before its sync word ends.
    field.link.delay_ps = 10_000;
    link_layer(&mut field, 3);
    field.receive(1);
    for sequence in 0..5u8 {
        field.load(0, &[sequence, 2, 3], 2);
        field.status(0);
        field.command(0, 0x60);
        field.run(3000);
        assert_eq!(
            (TX_DATA_SENT, READY),
            (field.status(0) & (TX_DATA_SENT | MAX_RE_TX), field.state(0))
        );
        assert_eq!(RX_DATA_READY, field.status(1) & 0x13);
        assert_eq!(vec![sequence, 2, 3], field.fifo(1));
        assert_eq!(sequence & 3, field.read(1, 0xC3, 1)[0]);
        assert_eq!(vec![0x21, 0x22], field.read(1, 0xD2, 2));
    }
    // A packet and its acknowledgement, 22 us after the packet's last bit: 8 + 16 + 3 + 24 + 16 bits after the sync word.
    let (data, ack) = (field.starts[0], field.starts[1]);
    assert_eq!((1, data.1 + 10_000 + bits(SHR_BITS) + bits(67) + 22 * US), ack);
    assert_eq!(10, field.starts.len());
}

/// NACK_TX: no acknowledgement comes, nothing is waited for; from LOCK the first bit is 16 us away.
#[test]
fn a_packet_that_asks_for_nothing() {
    let mut field = Field::new(1, 2);
    link_layer(&mut field, 3);
    field.write(0, 0x52, &[0x38]); // NMAX_RETX 3, NACK_TX
    field.receive(1);
    field.load(0, &[9, 8, 7], 2);
    field.command(0, 0x66); // LOCKTX
    field.run(100);
    field.status(0);
    let t_ps = field.t_ps;
    field.command(0, 0x60);
    field.run_ps(16 * US + bits(SHR_BITS) + bits(67) + US);
    assert_eq!((TX_DATA_SENT, READY), (field.status(0) & TX_DATA_SENT, field.state(0)));
    field.run(3000);
    assert_eq!(RX_DATA_READY, field.status(1) & 0x13);
    assert_eq!(vec![(0, t_ps + 16 * US)], field.starts);
}

#[test]
fn without_acknowledgement_it_is_sent_again() {
    let mut field = Field::new(1, 1);
    field.write(0, 0x30, &[0x10, 0xC7]);
    field.write(0, 0x50, &[0x40, 0x01, 0x30]);
    field.write(0, 0x53, &[0, 25]);
    field.load(0, &[9, 8, 7], 2);
    field.command(0, 0x60);
    field.run(20_000);
    assert_eq!(4, field.starts.len());
    assert!(field.bodies.iter().all(|body| *body == field.bodies[0]));
    assert_eq!(
        (MAX_RE_TX, READY),
        (field.status(0) & (TX_DATA_SENT | MAX_RE_TX), field.state(0))
    );
    assert_eq!(3, field.read(0, 0xC2, 1)[0] & 0x0F);
    // A round: packet, 22 us to RX, 1.21 ms, 22 us to TX.
    let round = bits(SHR_BITS) + bits(67) + (22 + 1210 + 22) * US;
    let first = field.starts[0].1;
    let expected: Vec<(usize, u64)> = (0..4).map(|n| (0, first + n * round)).collect();
    assert_eq!(expected, field.starts);
}

#[test]
fn interrupts_are_masked_and_cleared_by_reading() {
    let mut field = Field::new(1, 2);
    field.write(1, 0x02, &[0x02]); // GPIO3: nIRQ
    field.receive(1);
    field.pins[1].clear();
    field.send(0, &[1, 2]);
    field.run(1000);
    assert!(field.edges(1, 3).is_empty()); // nothing is enabled
    field.status(1);
    field.write(1, 0x90, &[0, 0, 0, RX_DATA_READY as u8]);
    let start = field.send(0, &[1, 2]);
    field.run(1000);
    let end = start + bits(SHR_BITS) + bits(8 * 5);
    let read = field.t_ps;
    field.status(1);
    assert_eq!(vec![(end, false), (read, true)], field.edges(1, 3));
}

#[test]
fn sabort_cuts_the_packet() {
    let mut field = Field::new(1, 2);
    field.receive(1);
    field.send(0, &[5; 50]);
    field.run(800);
    field.command(0, 0x67);
    field.run(5000);
    assert_eq!(READY, field.state(0));
    assert_eq!(0, field.status(0) & TX_DATA_SENT);
    assert_eq!(CRC_ERROR | RX_DATA_DISC, field.status(1) & 0x13);
}

/// LDC: listens for the RX timeout, sleeps for (3 + 1) * (9 + 1) periods of 34.7 kHz, listens again.
#[test]
fn low_duty_cycle() {
    let mut field = Field::new(1, 1);
    field.write(0, 0x50, &[0x41, 0x01, 0x08]);
    field.write(0, 0x53, &[0, 10, 3, 9]); // 484 us of RX; the wake-up timer
    field.command(0, 0x61);
    field.run(50 + 484 + 3);
    assert_eq!(0x36, field.state(0)); // SLEEP
    field.status(0);
    field.run(1152 + 2); // 40 / 34.7 kHz
    assert_eq!(WKUP_TOUT, field.status(0) & WKUP_TOUT);
    field.run(126);
    assert_eq!(RX, field.state(0));
}

/// What is not modelled is logged.
#[test]
fn remarks() {
    let mut field = Field::new(1, 1);
    field.write(0, 0x33, &[0x64]); // direct mode
    field.command(0, 0x61);
    let notes = field.radios[0].take_notes();
    assert!(notes.iter().any(|note| note.1.contains("direct")), "{:?}", notes);
}

//! CC2420: SPI, state machine, FIFOs and pins, addresses, acknowledgements, CCA; alone and with an AT86RF231 on one air.
//! Sections are those of TI SWRS041. An SPI access takes no time here.

use vboards::air::{Link, Message, Signal, US};
use vboards::radio::at86rf231::{self, At86rf231};
use vboards::radio::cc2420::{Cc2420, Input, Output, State};
use vboards::radio::ieee802154::{ack, fcs};
use vboards::radio::{PinChange, Radio, StartUp};

const SXOSCON: u8 = 0x01;
const SRXON: u8 = 0x03;
const STXON: u8 = 0x04;
const STXONCCA: u8 = 0x05;
const SRFOFF: u8 = 0x06;
const SFLUSHRX: u8 = 0x08;
const SFLUSHTX: u8 = 0x09;
const SACK: u8 = 0x0A;
const SACKPEND: u8 = 0x0B;
const MDMCTRL0: u8 = 0x11;
const IOCFG0: u8 = 0x1C;
const TXFIFO: u8 = 0x3E;
const RXFIFO_READ: u8 = 0x3F | 0x40;
const AUTOACK: u16 = 0x0AF2;
const NO_FILTER: u16 = 0x02E2;
const DELAY: u64 = 3 * US;

enum Node {
    Cc(Box<Cc2420>),
    At(Box<At86rf231>),
}

/// Radios on one air, driven by hand.
struct Field {
    nodes: Vec<Node>,
    pins: Vec<Vec<PinChange<Output>>>,
    starts: Vec<(usize, u64)>,
    t_ps: u64,
    link: Link,
}

impl Field {
    /// CC2420s that listen on channel 11 with short addresses 1, 2, ... in PAN 0x6770.
    fn new(count: usize) -> Field {
        let mut field = Field::unpowered(count);
        field.run(700);
        for index in 0..count {
            field.start(index);
        }
        field.run(400);
        field
    }

    fn unpowered(count: usize) -> Field {
        let mut field = Field {
            nodes: (0..count)
                .map(|board| Node::Cc(Box::new(Cc2420::new(7, board as u16))))
                .collect(),
            pins: vec![Vec::new(); count],
            starts: Vec::new(),
            t_ps: 0,
            link: Link {
                delay_ps: 0,
                ..Link::default()
            },
        };
        for index in 0..count {
            field.input(index, Input::VregEn, true);
        }
        field
    }

    /// One CC2420 and one AT86RF231, node 1, in the extended mode that `command` asks for.
    fn mixed(command: u8) -> Field {
        let mut field = Field::unpowered(1);
        field.nodes.push(Node::At(Box::new(At86rf231::new(7, 1))));
        field.pins.push(Vec::new());
        field.run(2000);
        field.start(0);
        field.at_write(0x02, 0x08);
        field.run(500);
        for (register, value) in [
            (0x08, 0x20 | 11),
            (0x20, 2),
            (0x21, 0),
            (0x22, 0x70),
            (0x23, 0x67),
            (0x2F, 0x50),
        ] {
            field.at_write(register, value);
        }
        field.at_write(0x02, command);
        field.run(400);
        field
    }

    fn start(&mut self, index: usize) {
        self.strobe(index, SXOSCON);
        self.run(900);
        self.ram_write(index, 0x168, &[0x70, 0x67, index as u8 + 1, 0]);
        self.strobe(index, SRXON);
    }

    fn cc(&mut self, index: usize) -> &mut Cc2420 {
        match &mut self.nodes[index] {
            Node::Cc(radio) => radio,
            Node::At(_) => panic!("no CC2420"),
        }
    }

    fn input(&mut self, index: usize, pin: Input, level: bool) {
        let t_ps = self.t_ps;
        self.cc(index).input(pin, level, t_ps);
    }

    fn receive_signal(&mut self, to: usize, message: &Message) {
        let link = self.link;
        match &mut self.nodes[to] {
            Node::Cc(radio) => radio.receive_signal(message, &link),
            Node::At(radio) => radio.receive_signal(message, &link),
        }
    }

    fn exchange(&mut self) {
        for from in 0..self.nodes.len() {
            let mut messages = Vec::new();
            match &mut self.nodes[from] {
                Node::Cc(radio) => {
                    radio.take_messages(&mut messages);
                    radio.take_pins(&mut self.pins[from]);
                }
                Node::At(radio) => radio.take_messages(&mut messages),
            }
            for message in messages {
                if let Signal::Start { start_ps, .. } = message.signal {
                    self.starts.push((from, start_ps));
                }
                for to in (0..self.nodes.len()).filter(|&to| to != from) {
                    self.receive_signal(to, &message);
                }
            }
        }
    }

    fn run(&mut self, us: u64) {
        self.run_to(self.t_ps + us * US);
    }

    fn run_to(&mut self, until: u64) {
        loop {
            self.exchange();
            let events = self.nodes.iter().filter_map(|node| match node {
                Node::Cc(radio) => radio.next_event(),
                Node::At(radio) => radio.next_event(),
            });
            let next = events.min().filter(|&t| t <= until);
            self.t_ps = next.unwrap_or(until);
            for node in self.nodes.iter_mut() {
                match node {
                    Node::Cc(radio) => radio.advance(self.t_ps),
                    Node::At(radio) => radio.advance(self.t_ps),
                }
            }
            if next.is_none() {
                return self.exchange();
            }
        }
    }

    fn spi(&mut self, index: usize, bytes: &[u8]) -> Vec<u8> {
        let t_ps = self.t_ps;
        let radio = self.cc(index);
        radio.input(Input::Csn, false, t_ps);
        let mut back = Vec::new();
        for &byte in bytes {
            back.push(radio.spi_out(t_ps).unwrap());
            radio.spi_in(byte, t_ps);
        }
        radio.input(Input::Csn, true, t_ps);
        assert_eq!(None, radio.spi_out(t_ps));
        self.exchange();
        back
    }

    fn strobe(&mut self, index: usize, code: u8) -> u8 {
        self.spi(index, &[code])[0]
    }

    fn status(&mut self, index: usize) -> u8 {
        self.strobe(index, 0)
    }

    fn read(&mut self, index: usize, register: u8) -> u16 {
        let back = self.spi(index, &[register | 0x40, 0, 0]);
        u16::from_be_bytes([back[1], back[2]])
    }

    fn write(&mut self, index: usize, register: u8, value: u16) {
        let [high, low] = value.to_be_bytes();
        self.spi(index, &[register, high, low]);
    }

    /// Gives back what was there before.
    fn ram_write(&mut self, index: usize, address: u16, bytes: &[u8]) -> Vec<u8> {
        self.ram(index, address, 0x00, bytes)
    }

    fn ram_read(&mut self, index: usize, address: u16, count: usize) -> Vec<u8> {
        self.ram(index, address, 0x20, &vec![0; count])
    }

    fn ram(&mut self, index: usize, address: u16, mode: u8, bytes: &[u8]) -> Vec<u8> {
        let mut access = vec![0x80 | (address & 0x7F) as u8, (address >> 7 << 6) as u8 | mode];
        access.extend(bytes);
        self.spi(index, &access)[2..].to_vec()
    }

    /// A data frame into the TXFIFO; returns its length byte.
    fn load(&mut self, index: usize, to: u16, sequence: u8, ack: bool, payload: usize) -> usize {
        let mut frame = data(to, index as u8 + 1, sequence, ack, payload);
        let length = frame.len() + 2;
        frame.insert(0, length as u8);
        frame.insert(0, TXFIFO);
        self.spi(index, &frame);
        length
    }

    fn rxfifo(&mut self, index: usize, count: usize) -> Vec<u8> {
        self.spi(index, &vec![RXFIFO_READ; count + 1])[1..].to_vec()
    }

    fn edges(&self, index: usize, pin: Output) -> Vec<(u64, bool)> {
        let changes = self.pins[index].iter().filter(|change| change.pin == pin);
        changes.map(|change| (change.t_ps, change.level)).collect()
    }

    fn level(&self, index: usize, pin: Output) -> bool {
        self.edges(index, pin).last().map_or(false, |edge| edge.1)
    }

    fn at_spi(&mut self, bytes: &[u8]) -> Vec<u8> {
        let t_ps = self.t_ps;
        let radio = match &mut self.nodes[1] {
            Node::At(radio) => radio,
            Node::Cc(_) => panic!("no AT86RF231"),
        };
        radio.input(at86rf231::Input::Sel, false, t_ps);
        let mut back = Vec::new();
        for &byte in bytes {
            back.push(radio.spi_out(t_ps).unwrap());
            radio.spi_in(byte, t_ps);
        }
        radio.input(at86rf231::Input::Sel, true, t_ps);
        self.exchange();
        back
    }

    fn at_write(&mut self, register: u8, value: u8) {
        self.at_spi(&[0xC0 | register, value]);
    }

    fn at_read(&mut self, register: u8) -> u8 {
        self.at_spi(&[0x80 | register, 0])[1]
    }
}

/// A data frame without its checksum, PAN 0x6770, short addresses.
fn data(to: u16, from: u8, sequence: u8, ack: bool, payload: usize) -> Vec<u8> {
    let [low, high] = to.to_le_bytes();
    let fcf = if ack { 0x61 } else { 0x41 };
    let mut bytes = vec![fcf, 0x88, sequence, 0x70, 0x67, low, high, from, 0];
    bytes.extend((0..payload).map(|value| value as u8));
    bytes
}

/// Status after an oscillator strobe at an instant after VREG_EN.
fn status_after_strobe(start_up: StartUp, t_us: u64) -> Option<u8> {
    let mut radio = Cc2420::new(7, 0).starting_in(start_up);
    radio.input(Input::VregEn, true, 0);
    radio.input(Input::Csn, false, t_us * US);
    radio.spi_in(SXOSCON, t_us * US);
    radio.spi_out((t_us + 2_000) * US)
}

/// 4.7: the regulator takes 600 us at most. By default the first strobe of Contiki 2.x, 167 us after VREG_EN, is taken.
#[test]
fn regulator() {
    assert_eq!(Some(0x40), status_after_strobe(StartUp::Typical, 167));
    assert_eq!(Some(0), status_after_strobe(StartUp::Maximum, 167));
    assert_eq!(Some(0), status_after_strobe(StartUp::Maximum, 599));
    assert_eq!(Some(0x40), status_after_strobe(StartUp::Maximum, 600));
}

/// 13.2, 4.6: the oscillator, and the registers after a reset (37).
#[test]
fn start_up_and_identity() {
    let mut field = Field::unpowered(1);
    field.run(99);
    assert_eq!(0, field.read(0, 0x1E));
    field.run(1);
    assert_eq!((0x233D, 0x3000), (field.read(0, 0x1E), field.read(0, 0x1F)));
    assert_eq!((0xF800, 0x0AE2), (field.read(0, 0x10), field.read(0, MDMCTRL0)));
    assert_eq!((0x4165, 0xE080), (field.read(0, 0x18), field.read(0, 0x13)));
    assert_eq!(0, field.status(0));
    field.strobe(0, SXOSCON);
    field.run(859);
    assert_eq!((0, State::PowerDown), (field.status(0), field.cc(0).state()));
    field.run(1);
    assert_eq!((0x40, 1), (field.status(0), field.read(0, 0x2C)));
    field.write(0, 0x1E, 0xFFFF); // read only
    assert_eq!(0x233D, field.read(0, 0x1E));
}

/// 13.1: the pin and the bit of MAIN reset registers and oscillator; the RAM keeps its content until the supply goes.
#[test]
fn resets() {
    let mut field = Field::new(1);
    field.ram_write(0, 0x100, &[1, 2, 3]);
    field.write(0, IOCFG0, 0x007F);
    field.write(0, 0x10, 0x0000);
    field.write(0, IOCFG0, 0x0001); // held
    field.write(0, 0x10, 0xF800);
    assert_eq!((0x0040, 0), (field.read(0, IOCFG0), field.status(0)));
    field.write(0, IOCFG0, 0x007F);
    field.input(0, Input::Resetn, false);
    assert_eq!(0, field.read(0, 0x1E));
    field.input(0, Input::Resetn, true);
    assert_eq!(0x0040, field.read(0, IOCFG0));
    field.strobe(0, SXOSCON);
    field.run(900);
    assert_eq!(vec![1, 2, 3], field.ram_read(0, 0x100, 3));
    field.input(0, Input::VregEn, false);
    field.input(0, Input::VregEn, true);
    field.run(600);
    field.strobe(0, SXOSCON);
    field.run(900);
    assert_eq!(vec![0, 0, 0], field.ram_read(0, 0x100, 3));
}

/// 13.5: a write gives back what was there; every bank; a read changes nothing. 13.3: accesses in a row with CSn low.
#[test]
fn ram_and_registers() {
    let mut field = Field::new(1);
    for &address in [0x000, 0x080, 0x100, 0x130, 0x160].iter() {
        assert_eq!(vec![0, 0], field.ram_write(0, address, &[0xA5, 0x5A]));
        assert_eq!(vec![0xA5, 0x5A], field.ram_write(0, address, &[1, 2]));
        assert_eq!(vec![1, 2], field.ram_read(0, address, 2));
        assert_eq!(vec![1, 2], field.ram_read(0, address, 2));
    }
    let back = field.spi(0, &[0x00, 0x1C, 0x00, 0x11, 0x5C, 0, 0, 0x00]);
    assert_eq!((0x00, 0x11), (back[5], back[6]));
    assert_eq!(0x0011, field.read(0, IOCFG0));
}

/// Figures 13, 15 and 25: SFD rises when the last bit of the SFD is sent or found, and falls with the frame.
#[test]
fn a_frame_and_its_pins() {
    let mut field = Field::new(2);
    let length = field.load(0, 2, 5, false, 10) as u64;
    let t_ps = field.t_ps;
    let before = field.strobe(0, STXON);
    assert_eq!((0, 0x08), (before & 0x08, field.status(0) & 0x08)); // TX_ACTIVE
    assert_eq!(State::TxCalibrate, field.cc(0).state());
    field.run(192);
    assert_eq!(
        (State::TxPreamble, State::RxSfdSearch),
        (field.cc(0).state(), field.cc(1).state())
    );
    assert_eq!(vec![(0, t_ps + 192 * US)], field.starts);
    field.run(160);
    assert_eq!(State::TxFrame, field.cc(0).state());
    field.run(2000);
    let sfd = t_ps + (192 + 160) * US;
    let end = sfd + (1 + length) * 32 * US;
    assert_eq!(vec![(sfd, true), (end, false)], field.edges(0, Output::Sfd));
    assert_eq!(
        vec![(sfd + DELAY, true), (end + DELAY, false)],
        field.edges(1, Output::Sfd)
    );
    assert_eq!(vec![(sfd + 32 * US + DELAY, true)], field.edges(1, Output::Fifo));
    assert_eq!(vec![(end + DELAY, true)], field.edges(1, Output::Fifop));
    assert_eq!(
        (State::RxSfdSearch, State::RxSfdSearch),
        (field.cc(0).state(), field.cc(1).state())
    );

    let first = field.rxfifo(1, 1);
    assert_eq!((length as u8, false), (first[0], field.level(1, Output::Fifop)));
    let frame = field.rxfifo(1, length as usize);
    assert_eq!(data(2, 1, 5, false, 10), frame[..19]);
    assert_eq!(-50 + 45, i32::from(frame[19] as i8)); // RSSI of the link's -50 dBm: 23
    assert_eq!(0x80, frame[20] & 0x80);
    assert!(!field.level(1, Output::Fifo));
}

/// Figure 25: STXON from IDLE takes as long as from a receive state; afterwards the receiver is on.
#[test]
fn a_frame_from_idle() {
    let mut field = Field::new(1);
    field.strobe(0, 0x06); // SRFOFF
    field.load(0, 2, 5, false, 10);
    assert_eq!(State::Idle, field.cc(0).state());
    let t_ps = field.t_ps;
    field.strobe(0, STXON);
    field.run(3000);
    assert_eq!(vec![(0, t_ps + 192 * US)], field.starts);
    assert_eq!(State::RxSfdSearch, field.cc(0).state());
}

/// Figure 14's packet of 8 bytes with the threshold at 3.
#[test]
fn fifop_follows_the_threshold() {
    let mut field = Field::new(2);
    field.write(1, MDMCTRL0, NO_FILTER);
    field.write(1, IOCFG0, 3);
    field.spi(0, &[TXFIFO, 8, 1, 2, 3, 4, 5, 6]);
    let sfd = field.t_ps + (192 + 160) * US + DELAY;
    field.strobe(0, STXON);
    field.run(2000);
    // More than three bytes are in when the fourth is.
    assert_eq!(vec![(sfd + 4 * 32 * US, true)], field.edges(1, Output::Fifop));
    let levels: Vec<bool> = (0..9)
        .map(|_| {
            field.rxfifo(1, 1);
            field.level(1, Output::Fifop)
        })
        .collect();
    assert_eq!(vec![true, true, true, true, true, false, false, false, false], levels);
}

/// 14.2: FIFOP waits for the address recognition; 16.4: a refused frame is flushed and SFD falls at once.
#[test]
fn address_recognition() {
    let cases: [(u16, u8, bool); 5] = [
        (2, 0x67, true),
        (3, 0x67, false),
        (2, 0x66, false),
        (2, 0xFF, false),
        (0xFFFF, 0x67, true),
    ];
    for &(to, pan_high, accepted) in cases.iter() {
        let mut field = Field::new(2);
        field.write(1, IOCFG0, 1);
        let mut frame = data(to, 1, 9, false, 10);
        frame[4] = pan_high;
        let mut access = vec![TXFIFO, frame.len() as u8 + 2];
        access.extend(&frame);
        field.spi(0, &access);
        let sfd = field.t_ps + (192 + 160) * US + DELAY;
        field.strobe(0, STXON);
        field.run(3000);
        let known = sfd + (1 + 9) * 32 * US; // length byte and header
        let fall = field.edges(1, Output::Sfd)[1];
        if accepted {
            assert_eq!((known, true), field.edges(1, Output::Fifop)[0], "{:04x}", to);
            assert_eq!((sfd + (1 + 21) * 32 * US, false), fall);
        } else {
            assert_eq!(Vec::<(u64, bool)>::new(), field.edges(1, Output::Fifop), "{:04x}", to);
            assert_eq!((known, false), fall);
        }
        assert_eq!(accepted, field.level(1, Output::Fifo));
        assert_eq!(State::RxSfdSearch, field.cc(1).state());
    }
}

/// 16.5: 12 symbol periods after the frame; the sender finds the acknowledgement in its RXFIFO.
#[test]
fn automatic_acknowledgement() {
    let mut field = Field::new(2);
    field.write(1, MDMCTRL0, AUTOACK);
    let length = field.load(0, 2, 77, true, 10) as u64;
    let t_ps = field.t_ps;
    field.strobe(0, STXON);
    field.run(3000);
    let end = t_ps + (192 + 192 + length * 32) * US;
    assert_eq!(vec![(0, t_ps + 192 * US), (1, end + 192 * US)], field.starts);
    let bytes = field.rxfifo(0, 6);
    assert_eq!((5, 2, 0, 77), (bytes[0], bytes[1], bytes[2], bytes[3]));
    assert_eq!(0x80, bytes[5] & 0x80);
    assert_eq!(
        (false, true),
        (field.level(0, Output::Fifop), field.level(1, Output::Fifop))
    );
}

/// 16.5: broadcasts, frames that do not ask, and damaged ones are not acknowledged.
#[test]
fn no_acknowledgement_where_none_is_due() {
    for &(to, ack) in [(0xFFFF, true), (2, false), (3, true)].iter() {
        let mut field = Field::new(2);
        field.write(1, MDMCTRL0, AUTOACK);
        field.load(0, to, 1, ack, 0);
        field.strobe(0, STXON);
        field.run(3000);
        assert_eq!(1, field.starts.len());
    }
}

/// 16.5: a strobe during the frame acknowledges 12 symbol periods after it, one afterwards 12 after the strobe; the
/// pending flag stays until SACK.
#[test]
fn manual_acknowledgement() {
    let mut field = Field::new(2);
    let length = field.load(0, 2, 7, true, 0) as u64;
    let end = field.t_ps + (192 + 192 + length * 32) * US;
    field.strobe(0, STXON);
    field.run(500);
    field.strobe(1, SACKPEND);
    field.run(3000);
    assert_eq!((1, end + 192 * US), field.starts[1]);
    assert_eq!(0x12, field.rxfifo(0, 6)[1]);
    field.strobe(0, STXON);
    field.run(1000);
    let t_ps = field.t_ps;
    field.strobe(1, SACK);
    field.run(2000);
    assert_eq!((1, t_ps + 192 * US), field.starts[3]);
    assert_eq!(0x02, field.rxfifo(0, 6)[1]);
}

/// 14.3: FIFO low and FIFOP high, what is there can be read, and it takes SFLUSHRX to receive again, twice for SFD.
#[test]
fn overflow() {
    let mut field = Field::new(2);
    for sequence in 1..=2 {
        field.load(0, 2, sequence, false, 60);
        field.strobe(0, STXON);
        field.run(4000);
    }
    assert_eq!(State::RxOverflow, field.cc(1).state());
    assert_eq!(
        (false, true),
        (field.level(1, Output::Fifo), field.level(1, Output::Fifop))
    );
    let frame = field.rxfifo(1, 72);
    assert_eq!((71, 1), (frame[0], frame[3]));
    assert_eq!(
        (false, true),
        (field.level(1, Output::Fifo), field.level(1, Output::Fifop))
    );
    assert!(field.level(1, Output::Sfd));
    field.strobe(1, SFLUSHRX);
    assert_eq!(
        (false, true),
        (field.level(1, Output::Fifop), field.level(1, Output::Sfd))
    );
    field.strobe(1, SFLUSHRX);
    assert!(!field.level(1, Output::Sfd));
    field.load(0, 2, 3, false, 0);
    field.strobe(0, STXON);
    field.run(2000);
    assert_eq!(3, field.rxfifo(1, 12)[3]);
}

/// The RXFIFO holds several frames (17.2).
#[test]
fn frames_queue_up() {
    let mut field = Field::new(2);
    for sequence in 1..=3 {
        field.load(0, 2, sequence, false, 20);
        field.strobe(0, STXON);
        field.run(3000);
    }
    let bytes = field.rxfifo(1, 3 * 32);
    assert_eq!(vec![1, 2, 3], vec![bytes[3], bytes[32 + 3], bytes[64 + 3]]);
    assert!(!field.level(1, Output::Fifo));
}

/// 23, 25: RSSI is an average over 8 symbols; CCA is valid after as many; STXONCCA is ignored on a busy channel.
#[test]
fn clear_channel_assessment() {
    let mut field = Field::new(2);
    field.strobe(1, SRFOFF);
    field.strobe(1, SRXON);
    let on = field.t_ps + 192 * US;
    field.run(192 + 127);
    assert_eq!((0, 0x80), (field.status(1) & 0x02, field.read(1, 0x13) & 0xFF));
    field.run(1);
    assert_eq!(0x02, field.status(1) & 0x02);
    assert_eq!(Some(&(on + 128 * US, true)), field.edges(1, Output::Cca).last());

    let start = field.t_ps + 192 * US;
    field.load(0, 3, 1, false, 100);
    field.strobe(0, STXON);
    field.run(192 + 64);
    // Half of the window at -50 dBm, half at the floor of -100: the average is 45 - 75; the threshold is -32.
    assert_eq!(-30, i32::from(field.read(1, 0x13) as u8 as i8));
    field.run(64);
    assert_eq!(-5, i32::from(field.read(1, 0x13) as u8 as i8));
    assert_eq!(Some(&(start + 64 * US, false)), field.edges(1, Output::Cca).last());
    field.strobe(1, STXONCCA);
    assert_eq!((0, State::RxSfdSearch), (field.status(1) & 0x08, field.cc(1).state()));
    field.run(5000);
    assert!(field.level(1, Output::Cca));
    field.load(1, 1, 1, false, 0);
    field.strobe(1, STXONCCA);
    assert_eq!(0x08, field.status(1) & 0x08);
    field.run(2000);
    assert_eq!(1, field.starts.last().unwrap().0);
}

/// CCA mode 2 looks for frames only (37, MDMCTRL0).
#[test]
fn cca_by_frames() {
    let mut field = Field::new(2);
    field.write(1, MDMCTRL0, 0x02A2);
    let sfd = field.t_ps + (192 + 160) * US + DELAY;
    let length = field.load(0, 2, 1, false, 0) as u64;
    field.strobe(0, STXON);
    field.run(2000);
    let edges = field.edges(1, Output::Cca);
    assert_eq!(
        [(sfd, false), (sfd + (1 + length) * 32 * US, true)],
        edges[edges.len() - 2..]
    );
}

/// 17.1: too few bytes stop the transmission until SFLUSHTX; those that come in time are sent.
#[test]
fn underflow_and_late_bytes() {
    let mut field = Field::new(2);
    field.write(1, MDMCTRL0, NO_FILTER);
    field.spi(0, &[TXFIFO, 10, 1, 2]);
    field.strobe(0, STXON);
    field.run(192 + 160 + 80);
    field.spi(0, &[TXFIFO, 3, 4, 5, 6, 7, 8]);
    field.run(2000);
    let bytes = field.rxfifo(1, 11);
    assert_eq!(vec![10, 1, 2, 3, 4, 5, 6, 7, 8], bytes[..9]);
    assert_eq!(0x80, bytes[10] & 0x80);

    field.spi(0, &[TXFIFO, 10, 1, 2]);
    let sfd = field.t_ps + (192 + 160) * US;
    field.strobe(0, STXON);
    field.run(1000);
    assert_eq!((0x20, 56), (field.status(0) & 0x28, field.read(0, 0x2C)));
    assert_eq!(Some(&(sfd + 3 * 32 * US, false)), field.edges(0, Output::Sfd).last());
    field.strobe(0, STXON);
    assert_eq!(State::TxUnderflow, field.cc(0).state());
    field.strobe(0, SFLUSHTX);
    assert_eq!(0, field.status(0) & 0x20);
    field.run(192);
    assert_eq!(State::RxSfdSearch, field.cc(0).state());
}

/// 17.1: the frame stays in the TXFIFO for another STXON; a write after it begins a new one. 13.5: RAM access changes a
/// frame in transmission, and the checksum follows.
#[test]
fn the_txfifo_after_a_frame() {
    let mut field = Field::new(2);
    let length = field.load(0, 2, 1, false, 4);
    field.strobe(0, STXON);
    field.run(2000);
    field.strobe(0, STXON);
    field.run(192 + 160 + 100);
    field.ram_write(0, 1 + 9, &[0xEE]);
    field.run(2000);
    let mut bytes = field.rxfifo(1, 2 * (1 + length));
    let second = bytes.split_off(1 + length);
    assert_eq!(bytes[..10], second[..10]);
    assert_eq!((0x00, 0xEE), (bytes[10], second[10]));
    assert_eq!(0x80, second[length] & 0x80);
    field.load(0, 2, 2, false, 0);
    field.strobe(0, STXON);
    field.run(2000);
    assert_eq!((11, 2), (field.rxfifo(1, 1)[0], field.rxfifo(1, 3)[2]));
}

/// 14: polarities; the oscillator on CCA, which TinyOS waits for.
#[test]
fn polarity_and_test_signal() {
    let mut field = Field::unpowered(1);
    field.run(600);
    field.write(0, IOCFG0, 0x0640);
    assert_eq!(
        (true, true),
        (field.level(0, Output::Fifo), field.level(0, Output::Fifop))
    );
    field.write(0, 0x1D, 24);
    let t_ps = field.t_ps;
    field.strobe(0, SXOSCON);
    field.run(1000);
    assert_eq!(vec![(t_ps + 860 * US, true)], field.edges(0, Output::Cca));
}

/// 26: Fc = 2048 + FREQ MHz; a radio one channel off receives nothing.
#[test]
fn channels_are_apart() {
    let mut field = Field::new(2);
    field.write(1, 0x18, 0x4165 + 5);
    field.load(0, 2, 1, false, 0);
    field.strobe(0, STXON);
    field.run(2000);
    assert_eq!(Vec::<(u64, bool)>::new(), field.edges(1, Output::Sfd));
}

#[test]
fn overlapping_frames_destroy_each_other() {
    let mut field = Field::new(3);
    field.write(2, MDMCTRL0, NO_FILTER);
    for index in 0..2 {
        field.load(index, 3, 1, false, 20);
    }
    field.strobe(0, STXON);
    field.run(400);
    field.strobe(1, STXON);
    field.run(4000);
    let bytes = field.rxfifo(2, 32);
    assert_eq!((31, 0), (bytes[0], bytes[31] & 0x80));
}

/// RX_AACK of the AT86RF231 acknowledges a frame of the CC2420, which receives it.
#[test]
fn an_at86rf231_acknowledges_a_cc2420() {
    let mut field = Field::mixed(0x16);
    let length = field.load(0, 2, 42, true, 10) as u64;
    let t_ps = field.t_ps;
    field.strobe(0, STXON);
    field.run(4000);
    let end = t_ps + (192 + 192 + length * 32) * US;
    assert_eq!(vec![(0, t_ps + 192 * US), (1, end + 192 * US)], field.starts);
    let body = data(2, 1, 42, true, 10);
    let mut psdu = vec![length as u8];
    psdu.extend(&body);
    psdu.extend(fcs(&body).to_le_bytes());
    assert_eq!(psdu, field.at_spi(&[0x20; 23])[1..]);
    assert_eq!(ack(42, false)[..3], field.rxfifo(0, 6)[1..4]);
}

/// TX_ARET of the AT86RF231 takes the automatic acknowledgement of a CC2420 for what it is.
#[test]
fn a_cc2420_acknowledges_an_at86rf231() {
    let mut field = Field::mixed(0x19);
    field.write(0, MDMCTRL0, AUTOACK);
    let mut access = vec![0x60, 21];
    access.extend(data(1, 2, 43, true, 10));
    field.at_spi(&access);
    field.at_write(0x04, 0x20); // TX_AUTO_CRC_ON
    field.at_write(0x02, 0x02);
    field.run(4000);
    let (frame, answer) = (field.starts[0], field.starts[1]);
    assert_eq!((0, frame.1 + (192 + 21 * 32 + 192) * US), answer);
    assert_eq!((0, 0x19), (field.at_read(0x02) >> 5, field.at_read(0x01) & 0x1F));
    assert_eq!(data(1, 2, 43, true, 10), field.rxfifo(0, 22)[1..20]);
}

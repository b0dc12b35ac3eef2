//! Radios on one air, driven by hand. Instants are microseconds here.

use vboards::air::{Link, Signal, US};
use vboards::radio::at86rf231::{At86rf231, Input};
use vboards::radio::{PinChange, Radio};

pub const TRX_STATUS: u8 = 0x01;
pub const TRX_STATE: u8 = 0x02;
pub const TRX_CTRL_1: u8 = 0x04;
pub const IRQ_MASK: u8 = 0x0E;
pub const IRQ_STATUS: u8 = 0x0F;
pub const XAH_CTRL_0: u8 = 0x2C;
pub const CSMA_BE: u8 = 0x2F;

/// Radios on one air, driven by hand.
pub struct Radios<R: Radio> {
    pub radios: Vec<R>,
    pub pins: Vec<Vec<PinChange<R::Output>>>,
    pub starts: Vec<(usize, u64)>,
    pub t_ps: u64,
    pub link: Link,
    select: R::Input,
}

/// AT86RF231.
pub type Field = Radios<At86rf231>;

impl Field {
    pub fn new(seed: u64, count: u16) -> Field {
        let radios = (0..count).map(|board| At86rf231::new(seed, board)).collect();
        let mut field = Radios::of(radios, Input::Sel);
        field.run(2000);
        for index in 0..usize::from(count) {
            field.write(index, TRX_STATE, 0x08);
            field.run(500);
            field.write(index, 0x20, index as u8 + 1); // short address 1, 2, ...
            field.write(index, 0x21, 0);
            field.write(index, 0x22, 0x70);
            field.write(index, 0x23, 0x67);
            field.write(index, IRQ_MASK, 0x0C);
        }
        field
    }

    pub fn write(&mut self, index: usize, register: u8, value: u8) {
        self.spi(index, &[0xC0 | register, value]);
    }

    pub fn read(&mut self, index: usize, register: u8) -> u8 {
        self.spi(index, &[0x80 | register, 0])[1]
    }

    pub fn status(&mut self, index: usize) -> u8 {
        self.read(index, TRX_STATUS) & 0x1F
    }

    pub fn trac(&mut self, index: usize) -> u8 {
        self.read(index, TRX_STATE) >> 5
    }

    pub fn enter(&mut self, index: usize, command: u8) {
        self.write(index, TRX_STATE, command);
        self.run(200);
        assert_eq!(command, self.status(index));
    }

    /// Puts a data frame into the frame buffer: PAN 0x6770, short addresses.
    pub fn load(&mut self, index: usize, to: u16, sequence: u8, ack: bool, payload: usize) {
        let [low, high] = to.to_le_bytes();
        let fcf = if ack { 0x61 } else { 0x41 };
        let mut bytes = vec![0x60, 0, fcf, 0x88, sequence, 0x70, 0x67, low, high, index as u8 + 1, 0];
        bytes.extend((0..payload).map(|value| value as u8));
        bytes[1] = bytes.len() as u8 - 2 + 2;
        self.spi(index, &bytes);
    }
}

impl<R: Radio> Radios<R> {
    /// Radios 3 m apart, and their select line.
    pub fn of(radios: Vec<R>, select: R::Input) -> Radios<R> {
        let link = Link {
            delay_ps: 0,
            ..Link::default()
        };
        Radios {
            pins: radios.iter().map(|_| Vec::new()).collect(),
            radios,
            starts: Vec::new(),
            t_ps: 0,
            link,
            select,
        }
    }

    pub fn exchange(&mut self) {
        for from in 0..self.radios.len() {
            let mut messages = Vec::new();
            self.radios[from].take_messages(&mut messages);
            for message in messages {
                if let Signal::Start { start_ps, .. } = message.signal {
                    self.starts.push((from, start_ps));
                }
                for to in (0..self.radios.len()).filter(|&to| to != from) {
                    self.radios[to].receive_signal(&message, &self.link);
                }
            }
            self.radios[from].take_pins(&mut self.pins[from]);
        }
    }

    pub fn run(&mut self, us: u64) {
        let until = self.t_ps + us * US;
        loop {
            self.exchange();
            let next = self
                .radios
                .iter()
                .filter_map(R::next_event)
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

    /// One SPI access at once, for time between bytes there is none here.
    pub fn spi(&mut self, index: usize, bytes: &[u8]) -> Vec<u8> {
        let (radio, select, t_ps) = (&mut self.radios[index], self.select, self.t_ps);
        radio.input(select, false, t_ps);
        let mut back = Vec::new();
        for &byte in bytes {
            back.push(radio.spi_out(t_ps).unwrap());
            radio.spi_in(byte, t_ps);
        }
        radio.input(select, true, t_ps);
        self.exchange();
        back
    }

    pub fn edges(&self, index: usize, pin: R::Output) -> Vec<(u64, bool)> {
        self.pins[index]
            .iter()
            .filter(|c| c.pin == pin && c.t_ps > 0)
            .map(|c| (c.t_ps, c.level))
            .collect()
    }
}

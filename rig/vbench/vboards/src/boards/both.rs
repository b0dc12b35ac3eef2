//! Two things on one chip's pins: two radios on one SPI, say.

use crate::air::{Link, Message};
use crate::soc::{Drive, Outside};
use crate::trace::Pin;

/// Both of them.
pub struct Both<A: Outside, B: Outside>(pub A, pub B);

impl<A: Outside, B: Outside> Outside for Both<A, B> {
    fn pin(&mut self, pin: Pin, level: bool, t_ps: u64) {
        self.0.pin(pin, level, t_ps);
        self.1.pin(pin, level, t_ps);
    }

    /// Of two that are selected at once the first wins.
    fn spi_out(&mut self, bus: usize, t_ps: u64) -> Option<u8> {
        let second = self.1.spi_out(bus, t_ps);
        self.0.spi_out(bus, t_ps).or(second)
    }

    fn spi_in(&mut self, bus: usize, byte: u8, t_ps: u64) {
        self.0.spi_in(bus, byte, t_ps);
        self.1.spi_in(bus, byte, t_ps);
    }

    fn next_event(&self) -> Option<u64> {
        [self.0.next_event(), self.1.next_event()]
            .iter()
            .flatten()
            .copied()
            .min()
    }

    fn advance(&mut self, t_ps: u64) {
        self.0.advance(t_ps);
        self.1.advance(t_ps);
    }

    fn take_drives(&mut self, into: &mut Vec<Drive>) {
        let old = into.len();
        self.0.take_drives(into);
        self.1.take_drives(into);
        into[old..].sort_by_key(|drive| drive.t_ps);
    }

    fn receive_signal(&mut self, message: &Message, link: &Link) {
        self.0.receive_signal(message, link);
        self.1.receive_signal(message, link);
    }

    fn has_messages(&self) -> bool {
        self.0.has_messages() || self.1.has_messages()
    }

    fn take_messages(&mut self, into: &mut Vec<Message>) {
        self.0.take_messages(into);
        self.1.take_messages(into);
    }

    fn take_notes(&mut self) -> Vec<(u32, String)> {
        let mut notes = self.0.take_notes();
        notes.extend(self.1.take_notes());
        notes
    }

    fn kept(&self) -> Vec<u8> {
        [self.0.kept(), self.1.kept()].concat()
    }

    fn restore(&mut self, kept: &[u8]) {
        let (first, second) = kept.split_at(self.0.kept().len());
        self.0.restore(first);
        self.1.restore(second);
    }
}

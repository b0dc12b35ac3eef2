//! Chips: everything between a core and the pins.

pub mod stm32f1;

use crate::air::{Link, Message};
use crate::trace::Pin;

/// A level that something outside the chip puts on a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Drive {
    pub t_ps: u64,
    pub pin: Pin,
    pub level: bool,
}

/// What is soldered to a chip on its board: a radio, and the traces to it.
pub trait Outside {
    /// The chip's pin has a new level.
    fn pin(&mut self, pin: Pin, level: bool, t_ps: u64);
    /// Octet that a slave shifts out on SPI `bus` (1 = SPI1) from `t_ps` on; None: nothing drives MISO.
    fn spi_out(&mut self, bus: usize, t_ps: u64) -> Option<u8>;
    /// The chip has shifted out `octet`, complete at `t_ps`.
    fn spi_in(&mut self, bus: usize, octet: u8, t_ps: u64);
    /// Instant of its next own event.
    fn next_event(&self) -> Option<u64>;
    /// Time passes to `t_ps`.
    fn advance(&mut self, t_ps: u64);
    /// Levels it has put on pins since the last call, in the order of time.
    fn take_drives(&mut self, into: &mut Vec<Drive>);
    /// A signal from the air.
    fn hear(&mut self, message: &Message, link: &Link);
    /// True if something is for the air.
    fn has_messages(&self) -> bool;
    fn take_messages(&mut self, into: &mut Vec<Message>);
    /// Remarks on doubtful use, each with a key of its kind.
    fn take_notes(&mut self) -> Vec<(u32, String)>;
}

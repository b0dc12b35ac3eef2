//! No radio: an empty footprint.

use super::{PinChange, Radio};
use crate::air::{Link, Message};

/// Nothing is soldered there.
pub struct NoRadio;

impl Radio for NoRadio {
    type Input = ();
    type Output = ();

    fn input(&mut self, _pin: (), _level: bool, _t_ps: u64) {}

    fn spi_out(&mut self, _t_ps: u64) -> Option<u8> {
        None
    }

    fn spi_in(&mut self, _byte: u8, _t_ps: u64) {}

    fn next_event(&self) -> Option<u64> {
        None
    }

    fn advance(&mut self, _now_ps: u64) {}

    fn receive_signal(&mut self, _message: &Message, _link: &Link) {}

    fn take_pins(&mut self, _into: &mut Vec<PinChange<()>>) {}

    fn has_messages(&self) -> bool {
        false
    }

    fn take_messages(&mut self, _into: &mut Vec<Message>) {}

    fn take_notes(&mut self) -> Vec<(u32, String)> {
        Vec::new()
    }
}

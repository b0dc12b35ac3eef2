//! Radios: what a board sees of one is the trait [`Radio`]; a new one is a folder here.

use crate::air::{Link, Message};

pub mod at86rf231;
pub mod cc2420;
mod filter;
pub mod ieee802154;
pub mod mrf24j40;
pub mod none;
pub mod oscillator;
pub mod spirit1;

/// How long a radio takes to start, within what its data sheet states.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartUp {
    #[default]
    Typical,
    Maximum,
}

impl StartUp {
    /// By the name that a bench file has for it.
    pub fn parse(name: &str) -> Result<StartUp, String> {
        match name {
            "typical" => Ok(StartUp::Typical),
            "maximum" => Ok(StartUp::Maximum),
            other => Err(format!("no radio_start \"{}\"; there are: typical, maximum", other)),
        }
    }
}

/// A level that a radio puts on one of its pins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PinChange<P> {
    pub t_ps: u64,
    pub pin: P,
    pub level: bool,
}

/// A transceiver with an SPI of complete bytes and a few pins.
pub trait Radio {
    /// Pins that it listens to, and pins that it drives.
    type Input: Copy;
    type Output: Copy + PartialEq;

    /// One of its inputs has a new level.
    fn input(&mut self, pin: Self::Input, level: bool, t_ps: u64);
    /// Byte that it shifts out from `t_ps` on; None: it is not selected and drives nothing.
    fn spi_out(&mut self, t_ps: u64) -> Option<u8>;
    /// It has shifted in `byte`, complete at `t_ps`.
    fn spi_in(&mut self, byte: u8, t_ps: u64);
    /// Instant of its next own event.
    fn next_event(&self) -> Option<u64>;
    /// Time passes to `now_ps`; everything due by then happens.
    fn advance(&mut self, now_ps: u64);
    /// It takes in what another board sends.
    fn receive_signal(&mut self, message: &Message, link: &Link);
    /// Levels it has put on its pins since the last call, in the order of time.
    fn take_pins(&mut self, into: &mut Vec<PinChange<Self::Output>>);
    /// True if something is for the air.
    fn has_messages(&self) -> bool;
    fn take_messages(&mut self, into: &mut Vec<Message>);
    /// Remarks on doubtful use, each with a key of its kind.
    fn take_notes(&mut self) -> Vec<(u32, String)>;
}

//! Nucleo-L476RG with an MRF24J40MA module on jumper wires.
//!
//! There is no such shield: the pins are this project's own choice, on the Arduino connector (UM1724 table 16): SPI1 on D13,
//! D12, D11 (PA5 to PA7), /CS D10 (PB6), INT D9 (PC7), RESET D8 (PA9), WAKE D7 (PA8).

use super::nucleo_l476rg;
use super::wiring::{Traces, Wiring};
use crate::board::{Board, Parts};
use crate::radio::mrf24j40::{Input, Mrf24j40, Output, CRYSTAL_HZ};
use crate::trace::Pin;

/// Name of the kind.
pub const KIND: &str = "nucleo-l476rg-mrf24j40";

const CS: Pin = 0x16;
const INT: Pin = 0x27;
const RESET: Pin = 0x09;
const WAKE: Pin = 0x08;

const TRACES: Traces<Mrf24j40> = Traces {
    bus: 1,
    inputs: &[(CS, Input::Cs), (RESET, Input::Reset), (WAKE, Input::Wake)],
    outputs: &[(Output::Int, INT)],
};

/// Makes a node that runs an image from its reset vector.
pub fn make(parts: &Parts) -> Result<Box<dyn Board>, String> {
    let oscillator = parts.oscillator(CRYSTAL_HZ);
    let radio = Mrf24j40::new(parts.seed, parts.board, parts.clock.start_ps, oscillator);
    nucleo_l476rg::make_with(parts, Wiring::new(radio, TRACES))
}

//! Nucleo-L476RG with an AT86RF231 on jumper wires.
//!
//! There is no such shield, and no port of an operating system wires one: the pins are this project's own choice, on the
//! Arduino connector (UM1724 table 16): SPI1 on D13, D12, D11 (PA5 to PA7), /SEL D10 (PB6), IRQ D9 (PC7), /RST D8 (PA9),
//! SLP_TR D7 (PA8), DIG2 D6 (PB10, TIM2 channel 3).

use super::nucleo_l476rg;
use super::wiring::{Traces, Wiring};
use crate::board::{Board, Parts};
use crate::radio::at86rf231::{At86rf231, Input, Output};
use crate::radio::oscillator::CRYSTAL_HZ;
use crate::trace::Pin;

/// Name of the kind.
pub const KIND: &str = "nucleo-l476rg-at86rf231";

const SEL: Pin = 0x16;
const IRQ: Pin = 0x27;
const RSTN: Pin = 0x09;
const SLP_TR: Pin = 0x08;
const DIG2: Pin = 0x1A;

const TRACES: Traces<At86rf231> = Traces {
    bus: 1,
    inputs: &[(SEL, Input::Sel), (SLP_TR, Input::SlpTr), (RSTN, Input::Rstn)],
    outputs: &[(Output::Irq, IRQ), (Output::Dig2, DIG2)],
};

/// Makes a node that runs an image from its reset vector.
pub fn make(parts: &Parts) -> Result<Box<dyn Board>, String> {
    let radio = At86rf231::new(parts.seed, parts.board)
        .powered_at(parts.clock.start_ps)
        .clocked_by(parts.oscillator(CRYSTAL_HZ));
    nucleo_l476rg::make_with(parts, Wiring::new(radio, TRACES))
}

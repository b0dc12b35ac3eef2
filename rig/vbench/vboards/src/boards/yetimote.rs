//! YetiMote (B105 Lab, Universidad Politecnica de Madrid): STM32L476 and two SPIRIT1, for 433 and 868 MHz.
//!
//! Wiring: the platform header of YetiOS for these radios (`heimdallConf.h`: STM32L476RE, SPI2 on PB13 to PB15; SPIRIT1-433
//! with CS PB12, SDN PC7, GPIO3 PC4; SPIRIT1-868 with CS PB0, SDN PC6, GPIO3 PC2; 50 MHz crystals by `cerberusPhy.c`).
//! Unknown, for want of a schematic: oscillators of the processor (a 32.768 kHz crystal and no HSE are assumed), pull-ups,
//! what a serial adapter would hang on (its firmware talks over USB). Absent: the CC2500 (CS PB2, GDO2 PC0), the sensors,
//! USB. LEDs: PB5, PB4, PA8, PA15. The chip of the model has the 1 MiB of the STM32L476RG.

use super::both::Both;
use super::cortex::CortexBoard;
use super::nucleo_l476rg::core;
use super::wiring::{Traces, Wiring};
use crate::board::{Board, Parts};
use crate::radio::spirit1::{Input, Output, Spirit1};
use crate::soc::stm32l4::{Config, Stm32l4};

/// Name of the kind.
pub const KIND: &str = "yetimote";

const LSE_HZ: u64 = 32_768;
const XTAL_HZ: u64 = 50_000_000;
/// Both CSn rest high (unverified).
const REST: [u16; 8] = [0, 0x1001, 0, 0, 0, 0, 0, 0];

const RADIO_433: Traces<Spirit1> = Traces {
    bus: 2,
    inputs: &[(0x1C, Input::Csn), (0x27, Input::Sdn)],
    outputs: &[(Output::Gpio(3), 0x24)],
};
const RADIO_868: Traces<Spirit1> = Traces {
    bus: 2,
    inputs: &[(0x10, Input::Csn), (0x26, Input::Sdn)],
    outputs: &[(Output::Gpio(3), 0x22)],
};

/// Makes a node that runs an image from its reset vector.
pub fn make(parts: &Parts) -> Result<Box<dyn Board>, String> {
    let config = Config {
        seed: parts.seed,
        board: parts.board,
        hse_hz: 0,
        lse_hz: LSE_HZ,
        clock: parts.clock.clone(),
        rest: REST,
        strict: parts.strict,
    };
    // Seeds differ, so that the radios of one board do not draw the same.
    let radio = |salt: u64, traces| {
        Wiring::new(
            Spirit1::new(parts.seed ^ salt, parts.board, XTAL_HZ).powered_at(parts.clock.start_ps),
            traces,
        )
    };
    let outside = Both(radio(433, RADIO_433), radio(868, RADIO_868));
    let chip = Stm32l4::new(config, outside);
    Ok(Box::new(CortexBoard::new(core(parts)?, chip, parts)))
}

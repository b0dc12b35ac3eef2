//! Nucleo-L476RG with an X-NUCLEO-IDS01A4 or IDS01A5 shield: STM32L476RG and SPIRIT1 (module SPSGRF).
//!
//! Shield on the Arduino connector: MOSI D11, MISO D12, SCK D3, interrupt D9, CSn D10, SDN D2 (mbed, example of class
//! SimpleSpirit1: `CreateInstance(D11, D12, D3, D9, D10, D2)`), which on the Nucleo-64 are PA7, PA6, PB3, PC7, PB6, PA10
//! (UM1724 table 16). The ports of ST's X-CUBE-SUBG1 say the same for SCK and CSn (RADIO_SPI_SCK PB3, RADIO_SPI_CS PB6).
//! GPIO0 to GPIO2 of the SPIRIT1 go to A4, A3 and A2 (PC1, PB0, PA4) by the pins that ST's driver gives them, which says too
//! that the shield does not use them (Contiki, platform/stm32nucleo-spirit1/drivers/x_nucleo_ids01ax/radio_gpio.h): on a real
//! shield look whether the traces are closed.
//! Board: X2 is a 32.768 kHz crystal; there is no HSE crystal, and the 8 MHz of the ST-LINK reach PH0 only over a solder
//! bridge that is open as delivered (UM1724 6.7.1, 6.7.2). The ST-LINK's serial port is USART2, PA2 and PA3 (6.8).

use super::cortex::{self, CortexBoard};
use super::wiring::{Traces, Wiring};
use crate::board::{Board, Parts};
use crate::core::v7m::Cpu;
use crate::radio::spirit1::{Input, Output, Spirit1};
use crate::radio::Radio;
use crate::soc::stm32l4::{self, Config, Stm32l4};
use crate::trace::Pin;

/// Name of the kind.
pub const KIND: &str = "nucleo-l476rg";

/// The ST-LINK's serial port hangs on USART2.
const CONSOLE: usize = 2;
/// X2 (UM1724 6.7.2).
const LSE_HZ: u64 = 32_768;
/// Crystal of the SPSGRF modules (ST, X-CUBE-SUBG1 and Contiki platform/stm32nucleo-spirit1: XTAL_FREQUENCY 50000000).
const XTAL_HZ: u64 = 50_000_000;
/// Nets that rest high: serial lines PA2 PA3, CSn PB6 (unverified: what pulls it), button PC13 (UM1724 6.5).
pub(super) const REST: [u16; 8] = [0x000C, 0x0040, 0x2000, 0, 0, 0, 0, 0];

const CSN: Pin = 0x16;
const SDN: Pin = 0x0A;
const GPIO0: Pin = 0x21;
const GPIO1: Pin = 0x10;
const GPIO2: Pin = 0x04;
const GPIO3: Pin = 0x27;

/// The shield's traces.
const TRACES: Traces<Spirit1> = Traces {
    bus: 1,
    inputs: &[(CSN, Input::Csn), (SDN, Input::Sdn)],
    outputs: &[
        (Output::Gpio(0), GPIO0),
        (Output::Gpio(1), GPIO1),
        (Output::Gpio(2), GPIO2),
        (Output::Gpio(3), GPIO3),
    ],
};

/// Makes a node that runs an image from its reset vector.
pub fn make(parts: &Parts) -> Result<Box<dyn Board>, String> {
    let radio = Spirit1::new(parts.seed, parts.board, XTAL_HZ)
        .powered_at(parts.clock.start_ps)
        .clocked_by(parts.oscillator(XTAL_HZ));
    make_with(parts, Wiring::new(radio, TRACES))
}

/// The Nucleo with some radio.
pub(super) fn make_with<R: Radio + 'static>(parts: &Parts, wiring: Wiring<R>) -> Result<Box<dyn Board>, String> {
    let config = Config {
        seed: parts.seed,
        board: parts.board,
        hse_hz: 0,
        lse_hz: LSE_HZ,
        clock: parts.clock.clone(),
        rest: REST,
        strict: parts.strict,
    };
    let chip = Stm32l4::new(config, wiring);
    let mut board = CortexBoard::new(core(parts)?, chip, parts);
    board.console = CONSOLE;
    Ok(Box::new(board))
}

/// A core with an image in the chip's flash.
pub(super) fn core(parts: &Parts) -> Result<Cpu, String> {
    let flash = cortex::flash(parts, stm32l4::FLASH_BASE, stm32l4::FLASH_BYTES, "Cortex-M4")?;
    Ok(stm32l4::core(flash))
}

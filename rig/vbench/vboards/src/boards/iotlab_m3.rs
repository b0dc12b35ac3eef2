//! FIT IoT-LAB M3 open node: STM32F103REY6 and AT86RF231.
//!
//! Wiring: the IoT-LAB M3's connector (GPIO_1 PA3, GPIO_2 PB9, GPIO_3 PC11; I2C PB6, PB7; DIG2 on PB0); RIOT boards/common/iotlab/include/board_common.h (CSn PA4, IRQ PC4,
//! SLP_TR PA2, /RST PC1) and boards/iotlab-m3 periph_conf.h (SPI1 on PA5..7, `CLOCK_HSE 16000000`).

use super::cortex::{self, CortexBoard};
use super::wiring::{Traces, Wiring};
use crate::board::{Board, Parts};
use crate::core::v7m::Cpu;
use crate::radio::at86rf231::{At86rf231, Input, Output};
use crate::radio::oscillator::CRYSTAL_HZ;
use crate::soc::stm32f1::{Config, Stm32f1};
use crate::trace::Pin;

/// Name of the kind.
pub const KIND: &str = "iotlab-m3";

/// RIOT: `CLOCK_HSE 16000000`; PLLXTPRE and PLL x9 make 72 MHz of it.
const HSE_HZ: u64 = 16_000_000;
const FLASH_BASE: u32 = 0x0800_0000;
const FLASH_BYTES: usize = 512 * 1024;
const RAM_BASE: u32 = 0x2000_0000;
const RAM_BYTES: usize = 64 * 1024;

const CSN: Pin = 0x04;
const SLP_TR: Pin = 0x02;
const RSTN: Pin = 0x21;
const IRQ: Pin = 0x24;
const DIG2: Pin = 0x10;
/// Nets that rest high: CSn PA4, UART lines PA9 PA10 (the FT2232H holds them), LED PB5 and I2C PB6 PB7 (pull-ups),
/// /RST PC1, LED PC10, LED PD2. Unverified for CSn and /RST: the schematic was not at hand.
const REST: [u16; 7] = [0x0610, 0x00E0, 0x0402, 0x0004, 0, 0, 0];

/// The radio's pins on the chip.
const TRACES: Traces<At86rf231> = Traces {
    bus: 1,
    inputs: &[(CSN, Input::Sel), (SLP_TR, Input::SlpTr), (RSTN, Input::Rstn)],
    outputs: &[(Output::Irq, IRQ), (Output::Dig2, DIG2)],
};

/// Makes a node that runs an image from its reset vector.
pub fn make(parts: &Parts) -> Result<Box<dyn Board>, String> {
    let flash = cortex::flash(parts, FLASH_BASE, FLASH_BYTES, "Cortex-M3")?;
    let config = Config {
        seed: parts.seed,
        board: parts.board,
        hse_hz: HSE_HZ,
        clock: parts.clock.clone(),
        rest: REST,
        strict: parts.strict,
    };
    let wiring = Wiring::new(
        At86rf231::new(parts.seed, parts.board)
            .powered_at(parts.clock.start_ps)
            .clocked_by(parts.oscillator(CRYSTAL_HZ)),
        TRACES,
    );
    let mut cpu = Cpu::new(FLASH_BASE, flash, RAM_BASE, RAM_BYTES);
    cpu.reset();
    let chip = Stm32f1::new(config, wiring);
    Ok(Box::new(CortexBoard::new(cpu, chip, parts)))
}

//! nRF52840-DK (PCA10056): nRF52840 with crystals of 32 MHz and 32.768 kHz.
//!
//! Pins: nRF52840 DK user guide; RIOT boards/nrf52840dk (periph_conf.h, board.h) and Contiki-NG arch/platform/nrf say the same:
//! serial port of the debugger P0.06 (TXD) and P0.08 (RXD), RTS P0.05, CTS P0.07; LED1 to LED4 P0.13 to P0.16, active low;
//! buttons P0.11, P0.12, P0.24, P0.25 to ground, pulled up by the chip.

use super::cortex::{self, CortexBoard};
use crate::board::{Board, Parts};
use crate::soc::nrf52840::{self, Config, Nrf52840};

/// Name of the kind.
pub const KIND: &str = "nrf52840dk";

/// The debugger drives RXD of UARTE0; for UARTE1 it is the pin that RIOT gives it, P1.01.
const SERIAL_RX: [u32; 2] = [8, 33];
/// Nets that rest high: the serial lines, the LEDs' cathodes (P0.13 to P0.16), reset (P0.18).
const REST: u64 = 1 << 6 | 1 << 8 | 0xF << 13 | 1 << 18;

/// Makes a node that runs an image from its reset vector.
pub fn make(parts: &Parts) -> Result<Box<dyn Board>, String> {
    let flash = cortex::flash(parts, nrf52840::FLASH_BASE, nrf52840::FLASH_BYTES, "Cortex-M4")?;
    let chip = Nrf52840::new(Config {
        seed: parts.seed,
        board: parts.board,
        clock: parts.clock.clone(),
        exact_hfint: parts.exact.dco,
        rest: REST,
        serial_rx: SERIAL_RX,
        strict: parts.strict,
        build_code: parts.build_code,
    });
    Ok(Box::new(CortexBoard::new(nrf52840::core(flash), chip, parts)))
}

//! Delays of the SPIRIT1, in picoseconds, typical values.
//!
//! The data sheet's timing tables could not be read. What is known: 125 us from STANDBY to RX or TX (Contiki,
//! platform/stm32nucleo-spirit1/spirit1.c, "STANDBY mode (125us -> rx/tx)"), 6 us to settle the synthesizer (data sheet, page 1),
//! at least 1.5 ms to be waited after SDN (the same Contiki file), 54.15 us for the longest VCO calibration window at
//! 26 MHz (ST's library, SPIRIT_Calibration.h). The rest is remembered or chosen so that the sums fit: "unverified".

use crate::air::US;

/// SDN low to READY: 0.65 ms of power-on reset (unverified).
pub const POWER_ON: u64 = 650 * US;
/// STANDBY or SLEEP to READY: 125 us less the 50 us from READY on; regulators first, then the crystal (split unverified).
pub const PM_SETUP: u64 = 25 * US;
pub const XO_SETTLING: u64 = 50 * US;
/// READY to RX or TX: 50 us in all without calibration (unverified).
pub const SYNTH_SETUP: u64 = 28 * US;
pub const SYNTH_LOCK: u64 = 6 * US;
/// Receiver or transmitter from a locked synthesizer; not less than [`crate::air::REACTION_PS`], which the air needs
/// (unverified).
pub const START: u64 = 16 * US;
/// VCO calibration, when PROTOCOL2 asks for it.
pub const SYNTH_CALIBRATION: u64 = 54 * US;
/// SABORT, READY from LOCK, STANDBY and SLEEP, SRES (unverified; software strobes the next command some 10 us later).
pub const QUICK: u64 = 2 * US;

/// The RC oscillator counts the wake-up timer and the back-off: 34.7 kHz (data sheet, table 38; library, SPIRIT_Timer.h).
pub const RCO_HZ: u64 = 34_700;
/// A step of the RX timeout: 1210 cycles of the digital clock (library, SPIRIT_Timer.h).
pub const RX_TIMEOUT_CYCLES: u64 = 1210;

/// Bits of preamble that a receiver needs before the sync word (assumption of this model, unverified).
pub const PREAMBLE_LEAST_BITS: u64 = 16;
/// Bits of preamble after which VALID_PREAMBLE comes when PQI is not checked (assumption of this model, unverified).
pub const PREAMBLE_VALID_BITS: u64 = 8;

pub const PS_PER_S: u64 = 1_000_000_000_000;

/// Picoseconds of `periods` of the RC oscillator.
pub fn rco(periods: u64) -> u64 {
    periods * PS_PER_S / RCO_HZ
}

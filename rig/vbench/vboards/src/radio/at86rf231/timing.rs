//! Delays of the AT86RF231, in picoseconds, typical values.
//!
//! Source: Atmel 8111 (A 05/08 pages 41 to 43, C 09/09), tables 7-1 and 7-2, and the sections named; "MAC": the typical
//! values in Atmel's own AT86RF231 driver, IEEE 802.15.4 MAC, TAL/AT86RF231/Inc/at86rf231.h (2010). The chip counts
//! them on its crystal ([`crate::radio::oscillator`]). "unverified": remembered, not found in the pages that could be read.

use crate::air::{SYMBOL_PS, US};

/// tTR1, power on until the crystal runs (MAC: P_ON_TO_CLKM_AVAILABLE). Registers can be reached before.
pub const P_ON: u64 = 330 * US;
/// tTR2, SLEEP to TRX_OFF, shown by AWAKE_END (MAC: SLEEP_TO_TRX_OFF_US).
pub const WAKE: u64 = 380 * US;
/// tTR3, TRX_OFF to SLEEP, and SLP_TR until CLKM stands: periods of a CLKM above 250 kHz; else at once (7.2.3.4).
pub const SLEEP_CLKM_PERIODS: u64 = 35;
/// tTR4, tTR6, TRX_OFF to PLL_ON or a receive state (tTR19: 110 us typical, 155 us most, with 60 us of AVREG).
pub const PLL_LOCK: u64 = 110 * US;
/// tTR5, tTR7, tTR8, tTR9: between PLL_ON, the receive states and TRX_OFF; also tTR12 and tTR14, the forced ones.
pub const QUICK: u64 = US;
/// tTR10, PLL_ON to the first symbol, "first symbol transmission is delayed by 16 us".
pub const TX_START: u64 = 16 * US;
/// tTR11, tTR24, end of a frame sent until the receiver can work.
pub const TX_TO_RX: u64 = 32 * US;
/// tTR13, end of /RST until TRX_OFF.
pub const RESET: u64 = 37 * US;
/// tTR20, settling between channels.
pub const CHANNEL: u64 = 11 * US;
/// tIRQ of section 12.4: event to IRQ pin (MAC: TRX_IRQ_DELAY_US).
pub const IRQ: u64 = 9 * US;
/// Unit backoff period: 20 symbols (aUnitBackoffPeriod, IEEE 802.15.4-2006, table 85).
pub const BACKOFF: u64 = 20 * SYMBOL_PS;
/// CCA and ED measure over 8 symbols (8.4.5, 8.5; IEEE 802.15.4-2006, 6.9.9).
pub const CCA: u64 = 8 * SYMBOL_PS;
/// A CCA or ED asked for by a register: 128 us and 12 us until the result is there (tTR26, tTR28: unverified; MAC
/// reckons with nine symbols, CCA_DURATION_SYM, 144 us).
pub const CCA_MANUAL: u64 = 140 * US;
/// aTurnaroundTime, last symbol of a frame to the first of its ACK (11.3.6; IEEE 802.15.4-2006, table 22).
pub const ACK: u64 = 12 * SYMBOL_PS;
/// The same with AACK_ACK_TIME set (11.3.6, register 0x17).
pub const ACK_SHORT: u64 = 2 * SYMBOL_PS;
/// Slotted operation: last symbol of a frame until SLP_TR may start its ACK (7.2.3.6: 6 symbols, 2 with
/// AACK_ACK_TIME).
pub const SLOT_READY: u64 = 6 * SYMBOL_PS;
pub const SLOT_READY_SHORT: u64 = 2 * SYMBOL_PS;
/// Wait for an ACK after a frame (7.2.4: "timeout of 54 symbol periods (864 us)").
pub const ACK_WAIT: u64 = 54 * SYMBOL_PS;
/// Preamble that the receiver may miss and still synchronise (assumption of this model, unverified).
pub const PREAMBLE_SPARE: u64 = 4 * SYMBOL_PS;

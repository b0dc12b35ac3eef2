//! Delays and levels of the RADIO in its IEEE 802.15.4 mode, in picoseconds, typical values.
//!
//! Source: nRF52840 Product Specification (PS), section "RADIO", tables "RADIO timing parameters" and "RSSI"; "models" are
//! Nordic's own of the nRF52833, whose radio is the same (BabbleSim ext_nRF_hw_models b0d807af, NHW_RADIO_timings.c);
//! "driver" is its IEEE 802.15.4 driver (sdk-nrfxlib, nrf_802154_procedures_duration.h). "unverified": remembered; not found
//! in the pages that could be read.

use crate::air::{SYMBOL_PS, US};

/// tTXEN,IEEE 802.15.4 and tTXEN,FAST,IEEE 802.15.4: TXEN to READY; RXEN's are equal (models: 130 and 40 us each).
pub const RAMP_UP: u64 = 130 * US;
pub const RAMP_UP_FAST: u64 = 40 * US;
/// TXEN to READY with the fast ramp-up in RXIDLE, where the synthesizer is locked (driver: RX_TX_TURNAROUND_TIME_HW; the PS has
/// 40 us as the most, unverified). RXEN in TXIDLE is taken to be a ramp-up.
pub const TURNAROUND_FAST: u64 = 20 * US;
/// From START to the first bit on the air (models: "~1us").
pub const TX_DELAY: u64 = US;
/// The sender's END is so much before the last bit is over, its PHYEND with it (models: "~17.3us").
pub const TX_END_LEAD: u64 = 17_300_000;
/// From the last bit on the air to END and PHYEND of the receiver (driver: RX_PHYEND_EVENT_LATENCY_US_OQPSK; models: 22 us for
/// every event of reception). FRAMESTART comes with the end of the length field (models, NHW_RADIO.c, note 22).
pub const RX_DELAY: u64 = 23 * US;
/// tTXDIS,IEEE 802.15.4: DISABLE to DISABLED while transmitting (models; RIOT, cpu/nrf52/radio/nrf802154/nrf802154_radio.c:
/// "in worst case 21 us").
pub const TX_DISABLE: u64 = 21 * US;
/// tRXDIS,IEEE 802.15.4: the same while receiving (models: "~0.5 us").
pub const RX_DISABLE: u64 = US / 2;
/// CCA and energy detection average over 8 symbols (PS "RADIO", IEEE 802.15.4 operation; IEEE 802.15.4-2006, 6.9.9).
pub const CCA: u64 = 8 * SYMBOL_PS;
/// tRSSIPERIOD (unverified).
pub const RSSI: u64 = US / 4;
/// A bit at 250 kb/s, as the bit counter counts.
pub const BIT: u64 = 4 * US;
/// Preamble that the receiver may miss and still synchronise (assumption of this model, unverified).
pub const PREAMBLE_SPARE: u64 = 4 * SYMBOL_PS;

/// PSENS,IEEE 802.15.4: -100 dBm (unverified).
pub const SENSITIVITY_DBM: i32 = -100;
/// What is measured when nothing is in the air (an assumption of this model).
pub const NOISE_FLOOR_DBM: i32 = -100;
/// ED_RSSIOFFS: EDSAMPLE and CCAEDTHRES 0 in dBm (RIOT and Contiki-NG have -92 from PS "RADIO", energy detection).
pub const ED_OFFSET_DBM: i32 = -92;

//! Delays of the MRF24J40, in picoseconds.
//!
//! "silicon": measured on two public recordings of MRF24J40MA modules (sigrok-dumps, spi/mrf24j40/ecg and /sensormote), by
//! tests/studies/mrf24j40_silicon.py; docs/evidence/silicon.md has the table. Sections are those of Microchip DS39776C, as its
//! readers quote them. "unverified": remembered or assumed.

use crate::air::{BYTE_PS, SYMBOL_PS, US};

/// Tick of the MAC: all that it times begins on one (SYMTICK: 320 ticks of 50 ns). silicon: a transmission without an
/// acknowledgement ends evenly spread over 16 us, retries come in multiples of it.
pub const TICK: u64 = SYMBOL_PS;
/// Trigger until back-off. silicon: 35 ticks until the first symbol with a back-off of 0, of which CCA has 8 and the
/// turnaround 13; that what is left lies before the back-off is an assumption.
pub const FIRST_WAIT_TICKS: u64 = 14;
/// The same for a retry. silicon: 31 ticks from the time-out to the first symbol.
pub const RETRY_WAIT_TICKS: u64 = 10;
/// Unit backoff period: 20 symbols (aUnitBackoffPeriod, IEEE 802.15.4-2003, table 70). silicon: 320 us.
pub const BACKOFF_TICKS: u64 = 20;
/// CCA measures over 8 symbols (IEEE 802.15.4-2003, 6.7.9), as RSSI does (TXBCON1, RSSINUM 3).
pub const CCA_TICKS: u64 = 8;
/// What stands in ACKTMOUT counts from the tick after the end of the frame. silicon: 57 with its reset value 0x39.
pub const ACK_BYTES: usize = 5;
/// Frame end in the air until the receiver knows of it. silicon: from the end of a frame to the interrupt for its
/// acknowledgement are 14 us more than turnaround, air and ticks; half of it at each of two receivers is an assumption.
pub const RX_DELAY: u64 = 7_100_000;
/// End of a frame sent until the receiver works: at most aTurnaroundTime (IEEE 802.15.4-2003, 7.4.1); unverified.
pub const TX_TO_RX: u64 = 12 * SYMBOL_PS;
/// "Delay at least 192 us after the RF State Machine Reset, to allow the RF circuitry to calibrate" (3.1, after 2.6.4).
pub const CALIBRATION: u64 = 192 * US;
/// The main oscillator after RESET and after sleep: 2 ms (3.1, 3.15.2).
pub const OSCILLATOR: u64 = 2_000 * US;
/// SLPCAL counts 16 periods of the sleep clock (3.15.1.2), 100 kHz by the internal oscillator.
pub const SLEEP_CALIBRATION: u64 = 160 * US;
/// Its result in ticks of 50 ns.
pub const SLEEP_CALIBRATION_TICKS: u32 = 3_200;
/// A byte in turbo mode: 625 kb/s (BBREG0). silicon: the air time of a frame of 33 bytes fits 12.8 us each, preamble and all.
pub const TURBO_BYTE: u64 = BYTE_PS * 250 / 625;
/// Preamble that the receiver may miss and still synchronise (assumption of this model, unverified).
pub const PREAMBLE_SPARE: u64 = 4 * SYMBOL_PS;

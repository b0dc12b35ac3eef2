//! Delays and levels of the CC2420, typical values unless another is asked for.
//!
//! Source: TI SWRS041 (CC2420 data sheet, revision B and C), by section. "unverified": remembered, or reported by users;
//! not found in the pages that could be read. The chip counts them on its crystal ([`crate::radio::oscillator`]).

use crate::air::{SYMBOL_PS, US};
use crate::radio::StartUp;

/// From VREG_EN to the first SPI access that the chip takes. The maximum is sourced (section 4.7: 0.6 ms; unverified). The
/// typical value is an estimate, unverified: Contiki 2.x of 2007, whose driver served real Tmote Sky, releases RESETn 163 us
/// after VREG_EN and first accesses the chip after 167 us, so the chip must be there earlier than that.
pub fn vreg(start_up: StartUp) -> u64 {
    match start_up {
        StartUp::Typical => 100 * US,
        StartUp::Maximum => 600 * US,
    }
}
/// Start-up of the crystal oscillator (section 4.6: 0.86 ms typical with the recommended crystal, no maximum; unverified).
pub const XOSC: u64 = 860 * US;
/// Calibration of the synthesizer before reception: 12 symbol periods from RX_CALIBRATE to RX_SFD_SEARCH (section 19).
pub const RX_TURNAROUND: u64 = 12 * SYMBOL_PS;
/// STXON to the first symbol of the preamble: 12 symbol periods with TXCTRL.TX_TURNAROUND set, as after reset
/// (section 17.1), and 8 without (section 37, TXCTRL; unverified).
pub const TX_TURNAROUND: u64 = 12 * SYMBOL_PS;
pub const TX_TURNAROUND_SHORT: u64 = 8 * SYMBOL_PS;
/// Last symbol of a frame to the first of its acknowledgement (section 16.5).
pub const ACK: u64 = 12 * SYMBOL_PS;
/// Delay of the receiver after the air: group delay of filters and demodulator. Both edges of SFD and all that goes into
/// the RXFIFO come that much later (3 us is what users of the chip measure between the SFD lines of two chips;
/// unverified).
pub const RX_DELAY: u64 = 3 * US;
/// RSSI_VAL is an average over 8 symbol periods, and valid that long after the receiver is on (section 23).
pub const RSSI_SYMBOLS: u64 = 8;
/// Preamble that the receiver may miss: SYNCWORD 0xA70F wants two of the eight zero symbols (section 16.1), two more are
/// left to the automatic gain control (an assumption of this model).
pub const PREAMBLE_SPARE: u64 = 4 * SYMBOL_PS;

/// Receiver sensitivity (section 4.4: -95 dBm typical; unverified).
pub const SENSITIVITY_DBM: i32 = -95;
/// P = RSSI_VAL + RSSI_OFFSET, about -45 (section 23).
pub const RSSI_OFFSET_DB: i32 = -45;
/// What the receiver reports when nothing is in the air: the lower end of its range (section 23, figure of RSSI value;
/// an assumption of this model).
pub const NOISE_FLOOR_DBM: i32 = -100;
/// Output power by PA_LEVEL >> 2 (section 28, table 9: levels 3, 7, ... 31).
pub const PA_DBM: [i32; 8] = [-25, -15, -10, -7, -5, -3, -1, 0];
/// Average correlation of a frame without and with errors (section 24: 110 is the best, 50 the worst).
pub const CORRELATION_GOOD: u8 = 108;
pub const CORRELATION_BAD: u8 = 60;
/// Supply that the battery monitor compares with, in mV (this model: two fresh cells).
pub const SUPPLY_MV: u32 = 3000;

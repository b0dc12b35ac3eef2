//! Registers of the MRF24J40: addresses, reset values, bits, tables.
//!
//! Source: Microchip DS39776C, chapter 2, as drivers state it: Linux drivers/net/ieee802154/mrf24j40.c (addresses), RIOT
//! drivers/mrf24j40 (addresses, bits, table 3-8), PeterBorisenko/MRF24J40_LIB MRF24J40.h (every bit with its reset value). Read
//! themselves, at datasheetandpdf.com: pages 94 (3.6) and 104 (3.9) of it, and of DS39776B 104, 108, 112, 113 (3.11 to 3.13).

pub const RXMCR: u8 = 0x00;
pub const PANIDL: u8 = 0x01;
pub const SADRL: u8 = 0x03;
pub const EADR0: u8 = 0x05;
pub const RXFLUSH: u8 = 0x0D;
pub const ORDER: u8 = 0x10;
pub const TXMCR: u8 = 0x11;
pub const ACKTMOUT: u8 = 0x12;
pub const TXBCON0: u8 = 0x1A;
pub const TXNCON: u8 = 0x1B;
pub const TXG1CON: u8 = 0x1C;
pub const TXG2CON: u8 = 0x1D;
pub const TXPEND: u8 = 0x21;
pub const WAKECON: u8 = 0x22;
pub const TXSTAT: u8 = 0x24;
pub const TXBCON1: u8 = 0x25;
pub const TXTIME: u8 = 0x27;
pub const SOFTRST: u8 = 0x2A;
pub const TXSTBL: u8 = 0x2E;
pub const INTSTAT: u8 = 0x31;
pub const INTCON: u8 = 0x32;
pub const SLPACK: u8 = 0x35;
pub const RFCTL: u8 = 0x36;
pub const SECCR2: u8 = 0x37;
pub const BBREG0: u8 = 0x38;
pub const BBREG1: u8 = 0x39;
pub const BBREG2: u8 = 0x3A;
pub const BBREG6: u8 = 0x3E;
pub const CCAEDTH: u8 = 0x3F;

pub const RFCON0: usize = 0x200;
pub const RFCON2: usize = 0x202;
pub const RFCON3: usize = 0x203;
pub const SLPCAL0: usize = 0x209;
pub const SLPCAL2: usize = 0x20B;
pub const RFSTATE: usize = 0x20F;
pub const RSSI: usize = 0x210;
pub const SLPCON0: usize = 0x211;
pub const MAINCNT3: usize = 0x229;

/// Registers in the long address space, between the TX FIFOs and the keys.
pub const LONG_REGISTERS: std::ops::Range<usize> = 0x200..0x280;
pub const RX_FIFO: usize = 0x300;
/// The long address space: 10 bits (2.14.2).
pub const LONG_BYTES: usize = 0x400;

/// Reset values that are not 0, short addresses.
pub const RESET: [(u8, u8); 16] = [
    (ORDER, 0xFF),
    (TXMCR, 0x1C),
    (ACKTMOUT, 0x39),
    (0x14, 0x40), // SYMTICKL
    (0x15, 0x51), // SYMTICKH
    (0x16, 0x29), // PACON0
    (0x17, 0x02), // PACON1
    (0x18, 0x88), // PACON2
    (TXPEND, 0x84),
    (TXBCON1, 0x30),
    (TXTIME, 0x48),
    (TXSTBL, 0x75),
    (INTCON, 0xFF),
    (BBREG2, 0x48),
    (0x3B, 0xD8), // BBREG3
    (0x3C, 0x9C), // BBREG4
];
/// The same, long addresses: WAKETIMEL, TESTMODE.
pub const RESET_LONG: [(usize, u8); 2] = [(0x222, 0x0A), (0x22F, 0x08)];

pub mod rxmcr {
    pub const NOACKRSP: u8 = 0x20;
    pub const PANCOORD: u8 = 0x08;
    pub const ERRPKT: u8 = 0x02;
    pub const PROMI: u8 = 0x01;
}
pub mod rxflush {
    pub const WAKEPOL: u8 = 0x40;
    pub const WAKEPAD: u8 = 0x20;
    /// Commands, data, beacons only.
    pub const ONLY: u8 = 0x0E;
    pub const RXFLUSH: u8 = 0x01;
}
pub mod txmcr {
    pub const NOCSMA: u8 = 0x80;
    pub const BATLIFEXT: u8 = 0x40;
    pub const SLOTTED: u8 = 0x20;
}
pub mod txncon {
    pub const FPSTAT: u8 = 0x10;
    pub const TXNACKREQ: u8 = 0x04;
    pub const TXNSECEN: u8 = 0x02;
    pub const TXNTRIG: u8 = 0x01;
}
pub mod txstat {
    pub const CCAFAIL: u8 = 0x20;
    pub const TXNSTAT: u8 = 0x01;
    pub const RETRY_SHIFT: u32 = 6;
}
pub mod wakecon {
    pub const IMMWAKE: u8 = 0x80;
    pub const REGWAKE: u8 = 0x40;
}
pub mod softrst {
    pub const RSTPWR: u8 = 0x04;
    pub const RSTMAC: u8 = 0x01;
}
pub mod intstat {
    pub const WAKEIF: u8 = 0x40;
    pub const RXIF: u8 = 0x08;
    pub const TXNIF: u8 = 0x01;
}
pub const SLPACK_SLEEP: u8 = 0x80;
pub const RFCTL_RFRST: u8 = 0x04;
pub const BBREG0_TURBO: u8 = 0x01;
pub const BBREG1_RXDECINV: u8 = 0x04;
pub const RFCON2_PLLEN: u8 = 0x80;
pub const SLPCON0_INTEDGE: u8 = 0x02;
pub mod bbreg6 {
    pub const RSSIMODE1: u8 = 0x80;
    pub const RSSIMODE2: u8 = 0x40;
    pub const RSSIRDY: u8 = 0x01;
}
pub const SLPCAL2_READY: u8 = 0x80;
pub const SLPCAL2_ENABLE: u8 = 0x10;

/// States of RFSTATE, bits 7 to 5. silicon: 0xA0 while it listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Reset = 0,
    Sleep = 2,
    /// CALVCO: the calibration after a reset of the RF state machine, and the start of the oscillator before it.
    Calibrating = 3,
    Tx = 4,
    Rx = 5,
}

/// Sensitivity: -95 dBm (Features; recalled, unverified).
pub const SENSITIVITY_DBM: i32 = -95;
/// LQI of a sound and of a damaged frame: the scale is not stated. silicon: 28 to 37 at 625 kb/s and -65 to -75 dBm.
pub const LQI_SOUND: u8 = 32;
pub const LQI_DAMAGED: u8 = 8;
/// aMaxFrameRetries (3.13.1; IEEE 802.15.4-2003, table 71). silicon: TXSTAT has 3 retries at most.
pub const MAX_FRAME_RETRIES: u8 = 3;
/// aMaxBE (figure 3-7; IEEE 802.15.4-2003, table 71): no register has it.
pub const MAX_BE: u8 = 5;

/// RSSI from -90 to -35 dBm (table 3-8, after Linux mrf24j40_ed_levels_map).
const RSSI_OF_DBM: [u8; 56] = [
    0, 1, 2, 5, 9, 13, 18, 23, 27, 32, 37, 43, 48, 53, 58, 63, 68, 73, 78, 83, 89, 95, 100, 107, 111, 117, 121, 125,
    129, 133, 138, 143, 148, 153, 159, 165, 170, 176, 183, 188, 193, 198, 203, 207, 212, 216, 221, 225, 228, 233, 239,
    245, 250, 253, 254, 255,
];

/// The RSSI of a level at the antenna.
pub fn rssi(dbm: Option<i32>) -> u8 {
    dbm.map_or(0, |dbm| RSSI_OF_DBM[(dbm + 90).clamp(0, 55) as usize])
}

/// Output power of RFCON3: large scale of 10 dB, small scale in tenths (register 2-51), rounded to 1 dB.
pub fn power_dbm(rfcon3: u8) -> i32 {
    const SMALL: [i32; 8] = [0, 0, -1, -2, -3, -4, -5, -6];
    -10 * i32::from(rfcon3 >> 6) + SMALL[usize::from(rfcon3 >> 3 & 7)]
}

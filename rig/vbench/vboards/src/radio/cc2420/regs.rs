//! Registers of the CC2420 (TI SWRS041, section 37) with their values after reset.
//!
//! Compared with RIOT's and WSim's headers. Test registers (0x23 to 0x2F) are storage; their reset values are WSim's and
//! unverified.

pub const MAIN: u8 = 0x10;
pub const MDMCTRL0: u8 = 0x11;
pub const MDMCTRL1: u8 = 0x12;
pub const RSSI: u8 = 0x13;
pub const SYNCWORD: u8 = 0x14;
pub const TXCTRL: u8 = 0x15;
pub const FSCTRL: u8 = 0x18;
pub const BATTMON: u8 = 0x1B;
pub const IOCFG0: u8 = 0x1C;
pub const IOCFG1: u8 = 0x1D;
pub const FSMSTATE: u8 = 0x2C;
pub const TXFIFO: u8 = 0x3E;
pub const RXFIFO: u8 = 0x3F;

pub const RESET: [(u8, u16); 26] = [
    (MAIN, 0xF800),
    (MDMCTRL0, 0x0AE2),
    (MDMCTRL1, 0x0500), // CORR_THR 20; chips of the first versions had 0 (unverified)
    (RSSI, 0xE080),
    (SYNCWORD, 0xA70F),
    (TXCTRL, 0xA0FF),
    (0x16, 0x12E5), // RXCTRL0
    (0x17, 0x0A56), // RXCTRL1
    (FSCTRL, 0x4165),
    (0x19, 0x03C4), // SECCTRL0
    (0x1A, 0x0000), // SECCTRL1
    (BATTMON, 0x0000),
    (IOCFG0, 0x0040),
    (IOCFG1, 0x0000),
    (0x1E, 0x233D), // MANFIDL
    (0x1F, 0x3000), // MANFIDH, chip version 3
    (0x20, 0x7A94), // FSMTC
    (0x21, 0xFFFF), // MANAND
    (0x23, 0x07F0), // AGCCTRL
    (0x24, 0x3649), // AGCTST0
    (0x25, 0x0860), // AGCTST1
    (0x26, 0x012A), // AGCTST2
    (0x27, 0x0200), // FSTST0
    (0x28, 0x5002), // FSTST1
    (0x29, 0x0600), // FSTST2
    (0x2A, 0x81DD), // FSTST3
];

/// Registers that cannot be written.
pub const READ_ONLY: [u8; 3] = [0x1E, 0x1F, FSMSTATE];

pub mod main_bit {
    pub const RESETN: u16 = 1 << 15;
}

pub mod mdmctrl0 {
    pub const RESERVED_FRAME_MODE: u16 = 1 << 13;
    pub const PAN_COORDINATOR: u16 = 1 << 12;
    pub const ADR_DECODE: u16 = 1 << 11;
    pub const CCA_HYST_SHIFT: u16 = 8; // 3 bits
    pub const CCA_MODE_SHIFT: u16 = 6; // 2 bits
    pub const AUTOCRC: u16 = 1 << 5;
    pub const AUTOACK: u16 = 1 << 4;
    pub const PREAMBLE_LENGTH: u16 = 0xF;
}

pub mod txctrl {
    pub const TX_TURNAROUND: u16 = 1 << 13;
}

pub mod fsctrl {
    pub const CAL_DONE: u16 = 1 << 13;
    pub const CAL_RUNNING: u16 = 1 << 12;
    pub const LOCK_STATUS: u16 = 1 << 10;
    pub const FREQ: u16 = 0x3FF;
}

pub mod battmon {
    pub const OK: u16 = 1 << 6;
    pub const EN: u16 = 1 << 5;
    pub const VOLTAGE: u16 = 0x1F;
}

pub mod iocfg0 {
    pub const BCN_ACCEPT: u16 = 1 << 11;
    pub const FIFO_POLARITY: u16 = 1 << 10;
    pub const FIFOP_POLARITY: u16 = 1 << 9;
    pub const SFD_POLARITY: u16 = 1 << 8;
    pub const CCA_POLARITY: u16 = 1 << 7;
    pub const FIFOP_THR: u16 = 0x7F;
}

/// Signals for the pins SFD and CCA (IOCFG1.SFDMUX, IOCFG1.CCAMUX). The other numbers are test signals.
pub mod mux {
    pub const NORMAL: u16 = 0;
    pub const XOSC16M_STABLE: u16 = 24;
}

/// Command strobes (section 13.3, table of registers).
pub mod strobe {
    pub const SNOP: u8 = 0x00;
    pub const SXOSCON: u8 = 0x01;
    pub const STXCAL: u8 = 0x02;
    pub const SRXON: u8 = 0x03;
    pub const STXON: u8 = 0x04;
    pub const STXONCCA: u8 = 0x05;
    pub const SRFOFF: u8 = 0x06;
    pub const SXOSCOFF: u8 = 0x07;
    pub const SFLUSHRX: u8 = 0x08;
    pub const SFLUSHTX: u8 = 0x09;
    pub const SACK: u8 = 0x0A;
    pub const SACKPEND: u8 = 0x0B;
}

/// Status byte (section 13.3, table 5).
pub mod status {
    pub const XOSC16M_STABLE: u8 = 1 << 6;
    pub const TX_UNDERFLOW: u8 = 1 << 5;
    pub const TX_ACTIVE: u8 = 1 << 3;
    pub const LOCK: u8 = 1 << 2;
    pub const RSSI_VALID: u8 = 1 << 1;
}

/// Places in the RAM (section 13.5, table 6).
pub mod ram {
    pub const TXFIFO: usize = 0x000;
    pub const RXFIFO: usize = 0x080;
    pub const IEEEADR: usize = 0x160;
    pub const PANID: usize = 0x168;
    pub const SHORTADR: usize = 0x16A;
    pub const BYTES: usize = 0x180;
    /// What is not there reads 0: the security bank has 112 bytes.
    pub const END: usize = 0x170;
}

/// States by their number in FSMSTATE (section 19, figure 25).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Also without supply, in reset, and while the crystal starts.
    PowerDown = 0,
    Idle = 1,
    RxCalibrate = 2,
    RxSfdSearch = 3,
    RxWait = 14,
    RxFrame = 16,
    RxOverflow = 17,
    TxCalibrate = 32,
    TxPreamble = 34,
    TxFrame = 37,
    TxAckCalibrate = 48,
    TxAckPreamble = 49,
    TxAck = 52,
    TxUnderflow = 56,
}

//! Registers, commands and states of the AT86RF231.
//!
//! Source: Atmel 8111, AT86RF231 data sheet (revisions A, 05/08, and C, 09/09); the section stands beside each group.
//! "unverified": remembered, not found in the pages that could be read.

pub const TRX_STATUS: u8 = 0x01;
pub const TRX_STATE: u8 = 0x02;
pub const TRX_CTRL_0: u8 = 0x03;
pub const TRX_CTRL_1: u8 = 0x04;
pub const PHY_TX_PWR: u8 = 0x05;
pub const PHY_RSSI: u8 = 0x06;
pub const PHY_ED_LEVEL: u8 = 0x07;
pub const PHY_CC_CCA: u8 = 0x08;
pub const CCA_THRES: u8 = 0x09;
pub const TRX_CTRL_2: u8 = 0x0C;
pub const ANT_DIV: u8 = 0x0D;
pub const IRQ_MASK: u8 = 0x0E;
pub const IRQ_STATUS: u8 = 0x0F;
pub const VREG_CTRL: u8 = 0x10;
pub const BATMON: u8 = 0x11;
pub const XAH_CTRL_1: u8 = 0x17;
pub const FTN_CTRL: u8 = 0x18;
pub const PLL_CF: u8 = 0x1A;
pub const PLL_DCU: u8 = 0x1B;
pub const PART_NUM: u8 = 0x1C;
pub const MAN_ID_1: u8 = 0x1F;
pub const SHORT_ADDR_0: u8 = 0x20;
pub const PAN_ID_0: u8 = 0x22;
pub const IEEE_ADDR_0: u8 = 0x24;
pub const XAH_CTRL_0: u8 = 0x2C;
pub const CSMA_SEED_0: u8 = 0x2D;
pub const CSMA_SEED_1: u8 = 0x2E;
pub const CSMA_BE: u8 = 0x2F;

/// Reset values (section 14, register summary; those of 0x04, 0x07, 0x08, 0x09, 0x0C, 0x11 and 0x2F were read in their
/// own sections, the others are unverified).
pub const RESET: [(u8, u8); 30] = [
    (TRX_CTRL_0, 0x19),
    (TRX_CTRL_1, 0x20), // 6.3.1
    (PHY_TX_PWR, 0xC0),
    (PHY_ED_LEVEL, 0xFF), // 8.4.5
    (PHY_CC_CCA, 0x2B),   // 8.5.6: CCA mode 1, channel 11
    (CCA_THRES, 0xC7),    // 8.5.6
    (0x0A, 0xB7),
    (0x0B, 0xA7),
    (TRX_CTRL_2, 0x00), // 11.3.6
    (ANT_DIV, 0x03),
    (BATMON, 0x02), // 9.5.5
    (0x12, 0xF0),
    (FTN_CTRL, 0x58),
    (PLL_CF, 0x57),
    (PLL_DCU, 0x20),
    (PART_NUM, 0x03), // 6.4: AT86RF231
    (0x1D, 0x02),     // revision A
    (0x1E, 0x1F),     // Atmel JEDEC identity
    (SHORT_ADDR_0, 0xFF),
    (0x21, 0xFF),
    (PAN_ID_0, 0xFF),
    (0x23, 0xFF),
    (XAH_CTRL_0, 0x38),
    (CSMA_SEED_0, 0xEA),
    (CSMA_SEED_1, 0x42),
    (CSMA_BE, 0x53), // 7.2.7
    (0x0F, 0x00),
    (0x15, 0x00),
    (XAH_CTRL_1, 0x00),
    (IRQ_MASK, 0x00),
];

/// Registers that are written and read back, and do nothing here: RX_CTRL, SFD_VALUE, XOSC_CTRL, RX_SYN, those of test
/// modes, and reserved ones (section 14, register summary).
pub fn is_kept_only(register: u8) -> bool {
    matches!(register, 0x00 | 0x0A | 0x0B | 0x12..=0x16 | 0x19 | 0x30..)
}

/// Commands of TRX_STATE (7.1.5, table 7-4; 7.2.7, table 7-17).
pub mod command {
    pub const TX_START: u8 = 0x02;
    pub const FORCE_TRX_OFF: u8 = 0x03;
    pub const FORCE_PLL_ON: u8 = 0x04;
    pub const RX_ON: u8 = 0x06;
    pub const TRX_OFF: u8 = 0x08;
    pub const PLL_ON: u8 = 0x09;
    pub const RX_AACK_ON: u8 = 0x16;
    pub const TX_ARET_ON: u8 = 0x19;
}

/// States as TRX_STATUS shows them (7.2.7, table 7-15).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    POn = 0x00,
    BusyRx = 0x01,
    BusyTx = 0x02,
    RxOn = 0x06,
    TrxOff = 0x08,
    PllOn = 0x09,
    Sleep = 0x0F,
    BusyRxAack = 0x11,
    BusyTxAret = 0x12,
    RxAackOn = 0x16,
    TxAretOn = 0x19,
    /// Held in reset by /RST; registers cannot be reached.
    Reset = 0x20,
}

/// TRX_STATUS of the receive states without CLKM (7.2.7, table 7-15).
pub const RX_ON_NOCLK: u8 = 0x1C;
pub const RX_AACK_ON_NOCLK: u8 = 0x1D;
pub const BUSY_RX_AACK_NOCLK: u8 = 0x1E;
/// TRX_STATUS between two states (7.2.7, table 7-15).
pub const STATE_TRANSITION_IN_PROGRESS: u8 = 0x1F;

/// TRAC_STATUS (7.2.7, table 7-16).
pub mod trac {
    pub const SUCCESS: u8 = 0;
    pub const SUCCESS_DATA_PENDING: u8 = 1;
    pub const SUCCESS_WAIT_FOR_ACK: u8 = 2;
    pub const CHANNEL_ACCESS_FAILURE: u8 = 3;
    pub const NO_ACK: u8 = 5;
    pub const INVALID: u8 = 7;
}

/// Bits of IRQ_MASK and IRQ_STATUS (6.6).
pub mod irq {
    pub const PLL_LOCK: u8 = 0x01;
    pub const RX_START: u8 = 0x04;
    pub const TRX_END: u8 = 0x08;
    /// CCA_ED_DONE and AWAKE_END.
    pub const CCA_ED_DONE: u8 = 0x10;
    pub const AMI: u8 = 0x20;
    /// Frame buffer access violation.
    pub const TRX_UR: u8 = 0x40;
}

/// Bits of TRX_CTRL_1 (6.3.1).
pub mod ctrl_1 {
    pub const IRQ_POLARITY: u8 = 0x01;
    pub const IRQ_MASK_MODE: u8 = 0x02;
    pub const TX_AUTO_CRC_ON: u8 = 0x20;
    pub const RX_BL_CTRL: u8 = 0x10;
    pub const IRQ_2_EXT_EN: u8 = 0x40;
    pub const PA_EXT_EN: u8 = 0x80;
}

/// CLKM by CLKM_CTRL: none, 1, 2, 4, 8, 16 MHz, 250 kHz, 62.5 kHz (9.6.5).
pub const CLKM_HZ: [u64; 8] = [
    0, 1_000_000, 2_000_000, 4_000_000, 8_000_000, 16_000_000, 250_000, 62_500,
];

/// Output power in dBm by TX_PWR, rounded to whole dBm (9.2.4, table 9-4: 3.0 2.8 2.3 1.8 1.3 0.7 0.0 -1 ... -17).
pub const TX_POWER_DBM: [i32; 16] = [3, 3, 2, 2, 1, 1, 0, -1, -2, -3, -4, -5, -7, -9, -12, -17];
/// Receiver sensitivity (data sheet, feature list: -101 dBm).
pub const SENSITIVITY_DBM: i32 = -101;
/// RSSI_BASE_VAL (8.3.3; -91 dBm by a tutorial that quotes the section, "< -90 dBm" in 8.3.4 of revision A).
pub const RSSI_BASE_DBM: i32 = -91;
/// Span of ED_LEVEL (8.4.5: 84 dB).
pub const ED_SPAN: i32 = 84;

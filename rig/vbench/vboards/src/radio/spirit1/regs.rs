//! Registers, commands, states and interrupts of the SPIRIT1.
//!
//! Source: ST, SPIRIT1 data sheet (DocID022758), as far as its text could be read: tables 20 (states), 21 (commands), 37 and
//! 38 (GPIO), sections 9.6 to 9.10, quoted by others; and ST's SPIRIT1 library 3.2.2, SPIRIT_Regs.h (addresses, fields,
//! default values), named "library" here. "unverified": remembered, not found in either.

pub const ANA_FUNC_CONF0: u8 = 0x01;
pub const GPIO3_CONF: u8 = 0x02;
pub const SYNT3: u8 = 0x08;
pub const CHSPACE: u8 = 0x0C;
pub const FC_OFFSET1: u8 = 0x0E;
pub const PA_POWER8: u8 = 0x10;
pub const PA_POWER0: u8 = 0x18;
pub const MOD1: u8 = 0x1A;
pub const MOD0: u8 = 0x1B;
pub const FDEV0: u8 = 0x1C;
pub const CHFLT: u8 = 0x1D;
pub const RSSI_TH: u8 = 0x22;
pub const PCKTCTRL4: u8 = 0x30;
pub const PCKTCTRL3: u8 = 0x31;
pub const PCKTCTRL2: u8 = 0x32;
pub const PCKTCTRL1: u8 = 0x33;
pub const PCKTLEN1: u8 = 0x34;
pub const SYNC4: u8 = 0x36;
pub const QI: u8 = 0x3A;
pub const FIFO_RX_ALMOST_FULL: u8 = 0x3E;
pub const FIFO_RX_ALMOST_EMPTY: u8 = 0x3F;
pub const FIFO_TX_ALMOST_FULL: u8 = 0x40;
pub const FIFO_TX_ALMOST_EMPTY: u8 = 0x41;
pub const CONTROL0_MASK: u8 = 0x42;
pub const CONTROL0_FIELD: u8 = 0x46;
pub const RX_SOURCE_MASK: u8 = 0x4A;
/// What a received source is compared with, and where a sent packet goes.
pub const RX_SOURCE_ADDR: u8 = 0x4B;
pub const BROADCAST: u8 = 0x4C;
pub const MULTICAST: u8 = 0x4D;
/// The own address.
pub const TX_SOURCE_ADDR: u8 = 0x4E;
pub const PCKT_FLT_OPTIONS: u8 = 0x4F;
pub const PROTOCOL2: u8 = 0x50;
pub const PROTOCOL1: u8 = 0x51;
pub const PROTOCOL0: u8 = 0x52;
/// RX timeout: prescaler, counter; LDC: prescaler, counter, reload prescaler, reload counter.
pub const TIMERS5: u8 = 0x53;
pub const TIMERS3: u8 = 0x55;
pub const TIMERS1: u8 = 0x57;
pub const CSMA_CONFIG3: u8 = 0x64;
pub const CSMA_CONFIG1: u8 = 0x66;
pub const CSMA_CONFIG0: u8 = 0x67;
pub const TX_CTRL_FIELD3: u8 = 0x68;
pub const CHNUM: u8 = 0x6C;
pub const VCO_CALIBR_IN: u8 = 0x6E;
pub const IRQ_MASK3: u8 = 0x90;
pub const SYNTH_CONFIG1: u8 = 0x9E;
pub const XO_RCO_TEST: u8 = 0xB4;
/// From here to the end registers are the chip's to write.
pub const MC_STATE1: u8 = 0xC0;
pub const MC_STATE0: u8 = 0xC1;
pub const TX_PCKT_INFO: u8 = 0xC2;
pub const RX_PCKT_INFO: u8 = 0xC3;
pub const LINK_QUALIF2: u8 = 0xC5;
pub const LINK_QUALIF1: u8 = 0xC6;
pub const LINK_QUALIF0: u8 = 0xC7;
pub const RSSI_LEVEL: u8 = 0xC8;
pub const RX_PCKT_LEN1: u8 = 0xC9;
pub const CRC_FIELD2: u8 = 0xCB;
pub const RX_CTRL_FIELD0: u8 = 0xCE;
/// RX_ADDR_FIELD1 (source) and RX_ADDR_FIELD0 (destination).
pub const RX_ADDR_FIELD1: u8 = 0xD2;
pub const CALIBR_OUT0: u8 = 0xE5;
pub const FIFO_STATUS1: u8 = 0xE6;
pub const FIFO_STATUS0: u8 = 0xE7;
pub const DEVICE_INFO1: u8 = 0xF0;
pub const DEVICE_INFO0: u8 = 0xF1;
pub const IRQ_STATUS3: u8 = 0xFA;
pub const IRQ_STATUS0: u8 = 0xFD;
pub const FIFO: u8 = 0xFF;

/// Values after power-on that are not 0 (library, "Default value"; GPIOs, TIMERS, SYNTH_CONFIG, XO_RCO_TEST, PM and
/// DEVICE_INFO as the Rust driver 0xA54/spirit1-rs copies them from the data sheet, where the library is silent or older).
pub const RESET: [(u8, u8); 66] = [
    (0x00, 0x0C),
    (ANA_FUNC_CONF0, 0xC0),
    (GPIO3_CONF, 0xA2), // GND
    (0x03, 0xA2),
    (0x04, 0xA2),
    (0x05, 0x0A), // GPIO0: POR
    (0x07, 0xA3),
    (SYNT3, 0x0C),
    (0x09, 0x84),
    (0x0A, 0xEC),
    (0x0B, 0x51),
    (CHSPACE, 0xFC),
    (0x0D, 0xA3),
    (PA_POWER8, 0x03),
    (0x11, 0x0E),
    (0x12, 0x1A),
    (0x13, 0x25),
    (0x14, 0x35),
    (0x15, 0x40),
    (0x16, 0x4E),
    (PA_POWER0, 0x07),
    (MOD1, 0x83),
    (MOD0, 0x1A),
    (FDEV0, 0x45),
    (CHFLT, 0x23),
    (0x1E, 0x48),
    (0x1F, 0x18),
    (0x20, 0x25),
    (0x21, 0xF3), // RSSI_FLT; 0xE3 in later documents (unverified)
    (RSSI_TH, 0x24),
    (0x23, 0x58),
    (0x24, 0x22),
    (0x25, 0x65),
    (0x26, 0x8A),
    (0x27, 0x05),
    (PCKTCTRL3, 0x07),
    (PCKTCTRL2, 0x1E),
    (PCKTCTRL1, 0x20),
    (0x35, 0x14),
    (SYNC4, 0x88),
    (0x37, 0x88),
    (0x38, 0x88),
    (0x39, 0x88),
    (QI, 0x02),
    (0x3B, 0x20),
    (0x3C, 0x20),
    (FIFO_RX_ALMOST_FULL, 0x30),
    (FIFO_RX_ALMOST_EMPTY, 0x30),
    (FIFO_TX_ALMOST_FULL, 0x30),
    (FIFO_TX_ALMOST_EMPTY, 0x30),
    (PCKT_FLT_OPTIONS, 0x70),
    (PROTOCOL2, 0x06),
    (PROTOCOL0, 0x08),
    (TIMERS1, 0x01),
    (CSMA_CONFIG3, 0xFF),
    (CSMA_CONFIG1, 0x04),
    (0x6D, 0x70),
    (VCO_CALIBR_IN, 0x48),
    (0x6F, 0x48),
    (SYNTH_CONFIG1, 0x5B),
    (0x9F, 0x20),
    (0xA1, 0x11), // VCO_CONFIG: what the library restores
    (0xA4, 0x0C),
    (0xB2, 0x42),
    (XO_RCO_TEST, 0x21),
    (DEVICE_INFO1, 0x01),
];
/// DEVICE_INFO0, version of the silicon.
pub const VERSION: u8 = 0x30;
/// The VCO's calibration word: whatever the calibrator finds; the reset value of its input (library).
pub const VCO_WORD: u8 = 0x48;

/// Commands (data sheet, table 21).
pub mod command {
    pub const TX: u8 = 0x60;
    pub const RX: u8 = 0x61;
    pub const READY: u8 = 0x62;
    pub const STANDBY: u8 = 0x63;
    pub const SLEEP: u8 = 0x64;
    pub const LOCKRX: u8 = 0x65;
    pub const LOCKTX: u8 = 0x66;
    pub const SABORT: u8 = 0x67;
    pub const LDC_RELOAD: u8 = 0x68;
    pub const SEQUENCE_UPDATE: u8 = 0x69;
    /// AES_ENC, AES_KEY, AES_DEC, AES_KEY_DEC.
    pub const AES: std::ops::RangeInclusive<u8> = 0x6A..=0x6D;
    pub const SRES: u8 = 0x70;
    pub const FLUSHRXFIFO: u8 = 0x71;
    pub const FLUSHTXFIFO: u8 = 0x72;
}

/// States as MC_STATE0 shows them (data sheet, table 20; those in between: library, SPIRIT_Types.h).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// No supply inside, SDN is high; cannot be read.
    Shutdown = 0x00,
    Standby = 0x40,
    Sleep = 0x36,
    PmSetup = 0x3D,
    XoSettling = 0x23,
    Ready = 0x03,
    SynthSetup = 0x53,
    SynthCalibration = 0x4F,
    Lock = 0x0F,
    Rx = 0x33,
    Tx = 0x5F,
}

/// Interrupts: bits of IRQ_MASK and IRQ_STATUS, 3 to 0 in one word (library, IRQ_MASK registers).
pub mod irq {
    pub const RX_DATA_READY: u32 = 1 << 0;
    pub const RX_DATA_DISC: u32 = 1 << 1;
    pub const TX_DATA_SENT: u32 = 1 << 2;
    pub const MAX_RE_TX_REACH: u32 = 1 << 3;
    pub const CRC_ERROR: u32 = 1 << 4;
    pub const TX_FIFO_ERROR: u32 = 1 << 5;
    pub const RX_FIFO_ERROR: u32 = 1 << 6;
    pub const TX_FIFO_ALMOST_FULL: u32 = 1 << 7;
    pub const TX_FIFO_ALMOST_EMPTY: u32 = 1 << 8;
    pub const RX_FIFO_ALMOST_FULL: u32 = 1 << 9;
    pub const RX_FIFO_ALMOST_EMPTY: u32 = 1 << 10;
    pub const MAX_BO_CCA_REACH: u32 = 1 << 11;
    pub const VALID_PREAMBLE: u32 = 1 << 12;
    pub const VALID_SYNC: u32 = 1 << 13;
    pub const RSSI_ABOVE_TH: u32 = 1 << 14;
    pub const WKUP_TOUT_LDC: u32 = 1 << 15;
    pub const READY: u32 = 1 << 16;
    pub const STANDBY_DELAYED: u32 = 1 << 17;
    pub const POR: u32 = 1 << 19;
    pub const LOCK: u32 = 1 << 21;
    pub const RX_TIMEOUT: u32 = 1 << 29;
}

/// Bits of PROTOCOL2, PROTOCOL1, PROTOCOL0 and PCKT_FLT_OPTIONS (library).
pub mod protocol {
    pub const CS_TIMEOUT: u8 = 0x80;
    pub const SQI_TIMEOUT: u8 = 0x40;
    pub const PQI_TIMEOUT: u8 = 0x20;
    pub const VCO_CALIBRATION: u8 = 0x02;
    pub const LDC_MODE: u8 = 0x01;

    pub const LDC_RELOAD_ON_SYNC: u8 = 0x80;
    pub const PIGGYBACKING: u8 = 0x40;
    pub const SEED_RELOAD: u8 = 0x08;
    pub const CSMA_ON: u8 = 0x04;
    pub const CSMA_PERS_ON: u8 = 0x02;
    pub const AUTO_PCKT_FLT: u8 = 0x01;

    pub const NACK_TX: u8 = 0x08;
    pub const AUTO_ACK: u8 = 0x04;
    pub const PERS_RX: u8 = 0x02;
    pub const PERS_TX: u8 = 0x01;

    pub const RX_TIMEOUT_OR: u8 = 0x40;
    pub const CONTROL_FILTERING: u8 = 0x20;
    pub const SOURCE_FILTERING: u8 = 0x10;
    pub const DEST_VS_SOURCE: u8 = 0x08;
    pub const DEST_VS_MULTICAST: u8 = 0x04;
    pub const DEST_VS_BROADCAST: u8 = 0x02;
    pub const CRC_CHECK: u8 = 0x01;
}

//! Registers of the RADIO, numbers of its tasks and events (nrf52840.svd of nrfx 3.14.0).

use super::super::interface::Short;

pub mod task {
    pub const TXEN: u32 = 0;
    pub const RXEN: u32 = 1;
    pub const START: u32 = 2;
    pub const STOP: u32 = 3;
    pub const DISABLE: u32 = 4;
    pub const RSSISTART: u32 = 5;
    pub const RSSISTOP: u32 = 6;
    pub const BCSTART: u32 = 7;
    pub const BCSTOP: u32 = 8;
    pub const EDSTART: u32 = 9;
    pub const EDSTOP: u32 = 10;
    pub const CCASTART: u32 = 11;
    pub const CCASTOP: u32 = 12;
}

pub mod event {
    pub const READY: u32 = 0;
    pub const ADDRESS: u32 = 1;
    pub const PAYLOAD: u32 = 2;
    pub const END: u32 = 3;
    pub const DISABLED: u32 = 4;
    pub const RSSIEND: u32 = 7;
    pub const BCMATCH: u32 = 10;
    pub const CRCOK: u32 = 12;
    pub const CRCERROR: u32 = 13;
    pub const FRAMESTART: u32 = 14;
    pub const EDEND: u32 = 15;
    pub const EDSTOPPED: u32 = 16;
    pub const CCAIDLE: u32 = 17;
    pub const CCABUSY: u32 = 18;
    pub const CCASTOPPED: u32 = 19;
    pub const TXREADY: u32 = 21;
    pub const RXREADY: u32 = 22;
    pub const PHYEND: u32 = 27;
    /// All that exist, those that never happen here too.
    pub const ALL: u32 = 0x0CFF_F4FF;
}

/// READY_START, TXREADY_START: the carrier of a frame begins with READY.
pub const READY_START: u32 = 0;
pub const TXREADY_START: u32 = 18;

pub const SHORTS: [Short; 19] = [
    (READY_START, event::READY, task::START),
    (1, event::END, task::DISABLE),
    (2, event::DISABLED, task::TXEN),
    (3, event::DISABLED, task::RXEN),
    (4, event::ADDRESS, task::RSSISTART),
    (5, event::END, task::START),
    (6, event::ADDRESS, task::BCSTART),
    (8, event::DISABLED, task::RSSISTOP),
    (11, event::RXREADY, task::CCASTART),
    (17, event::CCAIDLE, task::STOP),
    (12, event::CCAIDLE, task::TXEN),
    (13, event::CCABUSY, task::DISABLE),
    (14, event::FRAMESTART, task::BCSTART),
    (15, event::READY, task::EDSTART),
    (16, event::EDEND, task::DISABLE),
    (TXREADY_START, event::TXREADY, task::START),
    (19, event::RXREADY, task::START),
    (20, event::PHYEND, task::DISABLE),
    (21, event::PHYEND, task::START),
];

/// Values of STATE (PS "RADIO", register STATE).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Disabled = 0,
    RxRampUp = 1,
    RxIdle = 2,
    Rx = 3,
    RxDisable = 4,
    TxRampUp = 9,
    TxIdle = 10,
    Tx = 11,
    TxDisable = 12,
}

pub const PACKETPTR: u32 = 0x504;
pub const FREQUENCY: u32 = 0x508;
pub const TXPOWER: u32 = 0x50C;
pub const MODE: u32 = 0x510;
pub const PCNF0: u32 = 0x514;
pub const PCNF1: u32 = 0x518;
pub const CRCCNF: u32 = 0x534;
pub const CRCPOLY: u32 = 0x538;
pub const CRCINIT: u32 = 0x53C;
pub const BCC: u32 = 0x560;
pub const MODECNF0: u32 = 0x650;
pub const SFD: u32 = 0x660;
pub const EDCNT: u32 = 0x664;
pub const CCACTRL: u32 = 0x66C;
/// MODE: IEEE 802.15.4 at 250 kb/s.
pub const MODE_IEEE802154: u32 = 15;

/// First register that only holds what was written, and how many words there are from it.
pub const STORED: u32 = 0x504;
pub const WORDS: usize = (0x670 - 0x504) / 4;

/// Registers that are not 0 after a reset.
const RESET: [(u32, u32); 5] = [
    (FREQUENCY, 2),
    (0x554, 0x40), // DATAWHITEIV
    (MODECNF0, 0x200),
    (SFD, 0xA7),
    (CCACTRL, 0x052D_0000),
];

/// The registers after a reset.
pub fn reset_values() -> [u32; WORDS] {
    let mut words = [0; WORDS];
    for &(offset, value) in RESET.iter() {
        words[(offset - STORED) as usize / 4] = value;
    }
    words
}

/// Whether a word of that range exists.
pub fn exists(offset: u32) -> bool {
    matches!(offset, 0x504..=0x53C | 0x544 | 0x554 | 0x560 | 0x600..=0x648 | 0x650 | 0x660 | 0x664 | 0x66C)
}

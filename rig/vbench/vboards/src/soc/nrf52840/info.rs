//! FICR (PS "FICR"): what the factory has written; and the words that tell a chip's revision to the start-up code.

use super::protection::BuildCode;
use crate::identity;

pub const FICR_BASE: u32 = 0x1000_0000;

/// The factory's words of one chip.
#[derive(Clone, Debug)]
pub struct Ficr {
    device_id: [u32; 2],
    /// ER, IR, DEVICEADDR: random in silicon.
    drawn: [u32; 10],
    build_code: BuildCode,
}

/// Trim of TEMP as a chip comes from the factory (reset values of TEMP in nrf52840.svd, nrfx 3.14.0).
const TEMP_TRIM: [u32; 17] = [
    0x326, 0x348, 0x3AA, 0x40E, 0x4BD, 0x5A3, 0x3FEF, 0x3FBE, 0x3FBE, 0x12, 0x124, 0x27C, 0xE2, 0, 0x19, 0x3C, 0x50,
];

impl Ficr {
    pub fn new(seed: u64, board: u16, build_code: BuildCode) -> Ficr {
        let (device_id, drawn) = identity::nrf52(seed, board);
        Ficr {
            device_id,
            drawn,
            build_code,
        }
    }

    /// A word; erased where the PS names none.
    pub fn read(&self, offset: u32) -> u32 {
        match offset {
            0x010 => super::nvmc::PAGE,
            0x014 => super::FLASH_BYTES as u32 / super::nvmc::PAGE,
            0x060 | 0x064 => self.device_id[(offset as usize - 0x060) / 4],
            0x080..=0x09C => self.drawn[(offset as usize - 0x080) / 4],
            0x0A0 => 1, // a random static address
            0x0A4 | 0x0A8 => self.drawn[(offset as usize - 0x0A4) / 4 + 8],
            0x100 => 0x0005_2840,
            0x104 => u32::from_be_bytes(match self.build_code {
                BuildCode::D0 => *b"AAD0",
                BuildCode::F0 => *b"AAF0",
            }),
            0x108 => 0x2004, // QI, aQFN73
            0x10C => 256,
            0x110 => 1024,
            // What nrf52_erratas.h (nrfx 3.14.0) asks: the part, and its revision; from 5 on nrf52_configuration_249 says that
            // firmware has a part in the protection of the access port.
            0x130 => 8,
            0x134 => match self.build_code {
                BuildCode::D0 => 3,
                BuildCode::F0 => 5,
            },
            0x404..=0x444 => TEMP_TRIM[(offset as usize - 0x404) / 4],
            _ => u32::MAX,
        }
    }
}

/// Words of the ROM table at 0xF0000FE0 (RIOT cpu/nrf52/cpu.c and nrfx's system_nrf52840.c ask them for revisions of other
/// chips): those of an nRF52840, whose part number is 8.
pub fn rom_table(address: u32) -> u32 {
    match address {
        0xF000_0FE0 => 0x08,
        _ => 0,
    }
}

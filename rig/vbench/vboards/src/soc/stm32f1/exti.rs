//! The lines of EXTI, and AFIO that selects their ports (RM0008 chapters 9.4 and 10.3).

use crate::soc::stm32::exti::{PortSelection, Table};

/// Line of the RTC's alarm (10.2.5).
pub const RTC_ALARM: u32 = 17;

/// Interrupt numbers of lines 0 to 4, 9..5, 15..10, PVD, RTC alarm, USB wake-up (RM0008 table 63). The edge sets the
/// pending bit whatever IMR contains; IMR gates the way to the NVIC (10.2.5; unverified for a masked line, the description
/// of SWIER can be read the other way).
pub const LINES: Table = Table {
    banks: 1,
    lines: 0xF_FFFF,
    edges: 0xF_FFFF,
    masked_pends: true,
    irqs: &[
        (0x1, 6),
        (0x2, 7),
        (0x4, 8),
        (0x8, 9),
        (0x10, 10),
        (0x3E0, 23),
        (0xFC00, 40),
        (1 << 16, 1),
        (1 << RTC_ALARM, 41),
        (1 << 18, 42),
    ],
};

#[derive(Clone, Debug, Default)]
pub struct Afio {
    evcr: u32,
    mapr: u32,
    ports: PortSelection,
    mapr2: u32,
}

impl Afio {
    /// MAPR without its write-only debug bits.
    pub fn remaps(&self) -> u32 {
        self.mapr & 0x00FF_FFFF
    }

    /// Whether an EXTI line watches this pin.
    pub fn selects(&self, port: usize, bit: u16) -> bool {
        self.ports.field(bit) as usize == port
    }

    pub fn read(&self, offset: u32) -> Option<u32> {
        Some(match offset {
            0x00 => self.evcr,
            0x04 => self.remaps(),
            0x08..=0x14 => self.ports.read(offset),
            0x1C => self.mapr2,
            _ => return None,
        })
    }

    pub fn write(&mut self, offset: u32, value: u32) -> Option<()> {
        match offset {
            0x00 => self.evcr = value & 0xFF,
            0x04 => self.mapr = value,
            0x08..=0x14 => self.ports.write(offset, value),
            0x1C => self.mapr2 = value,
            _ => return None,
        }
        Some(())
    }
}

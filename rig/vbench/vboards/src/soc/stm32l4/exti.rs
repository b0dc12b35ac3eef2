//! The lines of EXTI, and SYSCFG that selects their ports (RM0351 chapters 9 and 14).

use crate::soc::stm32::exti::{PortSelection, Table};

/// Lines, those with edge detection among them, and interrupt numbers (RM0351 tables 56, 57). Direct lines reach the
/// NVIC as the interrupt of their device. A masked edge does not set its pending bit (14.3, figure 31: PR comes after
/// the mask).
pub const LINES: Table = Table {
    banks: 2,
    lines: 0x00FF_FFFF_FFFF,
    edges: 0x0000_0078_007D_FFFF,
    masked_pends: false,
    irqs: &[
        (0x1, 6),
        (0x2, 7),
        (0x4, 8),
        (0x8, 9),
        (0x10, 10),
        (0x3E0, 23),
        (0xFC00, 40),
        (1 << 16 | 0x78 << 32, 1),
        (1 << 18, 41),
        (1 << 19, 2),
        (1 << 20, 3),
        (3 << 21, 64),
    ],
};
/// IMR after reset: direct lines are enabled.
pub const IMR_RESET: u64 = 0x0000_0087_FF82_0000;

/// Lines of RTC alarms and its wake-up timer.
pub const RTC_ALARM: u32 = 18;
pub const RTC_WAKEUP: u32 = 20;
/// Direct lines: USART1 to 3, UART4, UART5, LPUART1; LPTIM1, LPTIM2.
pub const USART_LINE: u32 = 26;
pub const LPTIM_LINE: u32 = 32;

#[derive(Clone, Debug)]
pub struct Syscfg {
    memrmp: u32,
    cfgr1: u32,
    ports: PortSelection,
    scsr: u32,
    cfgr2: u32,
    swpr: u32,
}

impl Default for Syscfg {
    fn default() -> Syscfg {
        Syscfg {
            memrmp: 0,
            cfgr1: 0x7C00_0001,
            ports: PortSelection::default(),
            scsr: 0,
            cfgr2: 0,
            swpr: 0,
        }
    }
}

impl Syscfg {
    /// What is mapped at address 0; the model always shows the flash there.
    pub fn memory_map(&self) -> u32 {
        self.memrmp & 7
    }

    /// Whether an EXTI line watches this pin.
    pub fn selects(&self, port: usize, bit: u16) -> bool {
        (self.ports.field(bit) & 7) as usize == port
    }

    pub fn read(&self, offset: u32) -> Option<u32> {
        Some(match offset {
            0x00 => self.memrmp,
            0x04 => self.cfgr1,
            0x08..=0x14 => self.ports.read(offset),
            0x18 => self.scsr,
            0x1C => self.cfgr2,
            0x20 => self.swpr,
            0x24 => 0,
            _ => return None,
        })
    }

    pub fn write(&mut self, offset: u32, value: u32) -> Option<()> {
        match offset {
            0x00 => self.memrmp = value & 0x107,
            0x04 => self.cfgr1 = value & 0xFC7F_0101 | self.cfgr1 & 1,
            0x08..=0x14 => self.ports.write(offset, value),
            0x18 => self.scsr = value & 1,
            0x1C => self.cfgr2 |= value & 0xF,
            0x20 => self.swpr |= value,
            0x24 => {}
            _ => return None,
        }
        Some(())
    }
}

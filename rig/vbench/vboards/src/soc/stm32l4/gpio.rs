//! Configuration of ports A to H (RM0351 chapter 8).

use crate::soc::stm32::gpio::{self, unlocked, Configuration, Modes, Offsets};

/// Ports of the STM32L476.
pub const PORTS: usize = 8;

/// MODER, OSPEEDR and PUPDR after reset: debug pins PA13 to PA15, PB3, PB4 are alternate; all others are analog (8.5.1, 8.5.4).
const RESET: [(u32, u32, u32); PORTS] = [
    (0xABFF_FFFF, 0x0C00_0000, 0x6400_0000),
    (0xFFFF_FEBF, 0, 0x0000_0100),
    (0xFFFF_FFFF, 0, 0),
    (0xFFFF_FFFF, 0, 0),
    (0xFFFF_FFFF, 0, 0),
    (0xFFFF_FFFF, 0, 0),
    (0xFFFF_FFFF, 0, 0),
    (0x0000_000F, 0, 0),
];

pub type Port = gpio::Port<Registers>;

/// The registers of one port, number `index` (0 = A).
#[derive(Clone, Debug, Default)]
pub struct Registers {
    index: usize,
    moder: u32,
    otyper: u32,
    ospeedr: u32,
    pupdr: u32,
    afr: [u32; 2],
    ascr: u32,
}

/// The pins whose two-bit field of a register is `wanted`.
fn pins_with(register: u32, wanted: u32) -> u16 {
    (0..16).fold(0, |all, pin| {
        all | u16::from(register >> (2 * pin) & 3 == wanted) << pin
    })
}

impl Port {
    /// Port `index` (0 = A) after reset on a board whose resistors pull the pins of `rest` up.
    pub fn new(index: usize, rest: u16) -> Port {
        let registers = Registers {
            index,
            ..Registers::default()
        };
        Port::with_configuration(registers, rest)
    }

    /// Number of the alternate function that pin `bit` has, if it has one.
    pub fn function(&self, bit: u16) -> Option<u32> {
        let registers = &self.configuration;
        if registers.moder >> (2 * bit) & 3 != 2 {
            return None;
        }
        Some(registers.afr[usize::from(bit) / 8] >> (4 * (bit % 8)) & 15)
    }
}

impl Configuration for Registers {
    const OFFSETS: Offsets = Offsets {
        idr: 0x10,
        odr: 0x14,
        bsrr: 0x18,
        brr: 0x28,
        lckr: 0x1C,
    };
    const PULL_BY_ODR: bool = false;
    const FUNCTIONS: u16 = 0;

    fn reset(&mut self) {
        let (moder, ospeedr, pupdr) = RESET[self.index];
        *self = Registers {
            index: self.index,
            moder,
            ospeedr,
            pupdr,
            ..Registers::default()
        };
    }

    fn modes(&self) -> Modes {
        let pulled_up = pins_with(self.pupdr, 1);
        Modes {
            output: pins_with(self.moder, 1),
            alternate: pins_with(self.moder, 2),
            open_drain: self.otyper as u16,
            analog: pins_with(self.moder, 3),
            pulled: pulled_up | pins_with(self.pupdr, 2),
            pulled_up,
        }
    }

    fn read(&self, offset: u32) -> Option<u32> {
        Some(match offset {
            0x00 => self.moder,
            0x04 => self.otyper,
            0x08 => self.ospeedr,
            0x0C => self.pupdr,
            0x20 | 0x24 => self.afr[(offset as usize - 0x20) / 4],
            0x2C => self.ascr,
            _ => return None,
        })
    }

    fn write(&mut self, offset: u32, value: u32, locked: u16) -> Option<bool> {
        match offset {
            0x00 => self.moder = unlocked(self.moder, value, locked, 2, 0),
            0x04 => self.otyper = unlocked(self.otyper, value, locked, 1, 0) & 0xFFFF,
            0x08 => self.ospeedr = unlocked(self.ospeedr, value, locked, 2, 0),
            0x0C => self.pupdr = unlocked(self.pupdr, value, locked, 2, 0),
            0x20 => self.afr[0] = unlocked(self.afr[0], value, locked, 4, 0),
            0x24 => self.afr[1] = unlocked(self.afr[1], value, locked, 4, 8),
            0x2C => self.ascr = value & 0xFFFF,
            _ => return None,
        }
        Some(matches!(offset, 0x00 | 0x0C | 0x20 | 0x24))
    }
}

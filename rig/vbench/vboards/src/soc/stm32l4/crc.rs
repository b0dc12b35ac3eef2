//! CRC unit (RM0351 chapter 15): any polynomial of 7, 8, 16 or 32 bits, reversal of input and output.

use crate::bus::Width;

const CR_RESET: u32 = 1;
const CR_REV_OUT: u32 = 1 << 7;

#[derive(Clone, Debug)]
pub struct Crc {
    value: u32,
    idr: u32,
    cr: u32,
    init: u32,
    polynomial: u32,
}

impl Default for Crc {
    fn default() -> Crc {
        Crc {
            value: u32::MAX,
            idr: 0,
            cr: 0,
            init: u32::MAX,
            polynomial: 0x04C1_1DB7,
        }
    }
}

impl Crc {
    fn bits(&self) -> u32 {
        [32, 16, 8, 7][self.cr as usize >> 3 & 3]
    }

    /// Bit order of the input reversed by byte, half-word or word (CR.REV_IN).
    fn reversed(&self, value: u32, width: Width) -> u32 {
        let bytes = |value: u32| value.reverse_bits().swap_bytes();
        let halves = |value: u32| value.reverse_bits().rotate_left(16);
        match (self.cr >> 5 & 3, width) {
            (0, _) => value,
            (1, _) | (_, Width::Byte) => bytes(value),
            (2, _) | (_, Width::Half) => halves(value),
            _ => value.reverse_bits(),
        }
    }

    fn feed(&mut self, value: u32, width: Width) {
        let count = match width {
            Width::Byte => 8,
            Width::Half => 16,
            Width::Word => 32,
        };
        let (data, top) = (self.reversed(value, width), 1u32 << (self.bits() - 1));
        let mask = top | (top - 1);
        for bit in (0..count).rev() {
            let out = (self.value & top != 0) != (data >> bit & 1 == 1);
            self.value = self.value << 1 & mask;
            if out {
                self.value ^= self.polynomial & mask;
            }
        }
    }

    pub fn read(&self, offset: u32) -> Option<u32> {
        Some(match offset {
            0x00 if self.cr & CR_REV_OUT != 0 => self.value.reverse_bits() >> (32 - self.bits()),
            0x00 => self.value,
            0x04 => self.idr,
            0x08 => self.cr,
            0x10 => self.init,
            0x14 => self.polynomial,
            _ => return None,
        })
    }

    pub fn write(&mut self, offset: u32, width: Width, value: u32) -> Option<()> {
        match offset {
            0x00 => self.feed(value, width),
            0x04 => self.idr = value & 0xFF,
            0x08 => {
                self.cr = value & 0xF8;
                if value & CR_RESET != 0 {
                    self.value = self.init & (u32::MAX >> (32 - self.bits()));
                }
            }
            0x10 => {
                self.init = value;
                self.value = value;
            }
            0x14 => self.polynomial = value,
            _ => return None,
        }
        Some(())
    }
}

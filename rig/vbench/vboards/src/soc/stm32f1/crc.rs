//! CRC unit (RM0008 chapter 4): CRC-32 of whole words, 0x04C11DB7, most significant bit first.

const POLYNOMIAL: u32 = 0x04C1_1DB7;

/// The unit.
#[derive(Clone, Debug)]
pub struct Crc {
    dr: u32,
    idr: u32,
}

impl Default for Crc {
    fn default() -> Crc {
        Crc { dr: u32::MAX, idr: 0 }
    }
}

impl Crc {
    pub fn read(&self, offset: u32) -> Option<u32> {
        match offset {
            0x00 => Some(self.dr),
            0x04 => Some(self.idr),
            0x08 => Some(0),
            _ => None,
        }
    }

    pub fn write(&mut self, offset: u32, value: u32) -> Option<()> {
        match offset {
            0x00 => {
                self.dr = (0..32).fold(self.dr ^ value, |crc, _| {
                    if crc >> 31 == 1 {
                        crc << 1 ^ POLYNOMIAL
                    } else {
                        crc << 1
                    }
                })
            }
            0x04 => self.idr = value & 0xFF,
            0x08 if value & 1 != 0 => self.dr = u32::MAX,
            0x08 => {}
            _ => return None,
        }
        Some(())
    }
}

//! Configuration of ports A to G (RM0008 chapter 9).

use crate::soc::stm32::gpio::{self, unlocked, Configuration, Modes, Offsets};

/// Ports of the STM32F103xE.
pub const PORTS: usize = 7;

pub type Port = gpio::Port<Modal>;

/// CRL and CRH: four bits for each pin.
#[derive(Clone, Debug, Default)]
pub struct Modal {
    crl: u32,
    crh: u32,
}

impl Port {
    pub fn new(rest: u16) -> Port {
        Port::with_configuration(Modal::default(), rest)
    }
}

impl Configuration for Modal {
    const OFFSETS: Offsets = Offsets {
        idr: 0x08,
        odr: 0x0C,
        bsrr: 0x10,
        brr: 0x14,
        lckr: 0x18,
    };
    const PULL_BY_ODR: bool = true;
    const FUNCTIONS: u16 = 0xFFFF;

    /// All pins floating inputs.
    fn reset(&mut self) {
        (self.crl, self.crh) = (0x4444_4444, 0x4444_4444);
    }

    /// Table 20: MODE 0 is input with CNF analog, floating, pulled; else output with CNF bit 0 open drain, bit 1 alternate.
    fn modes(&self) -> Modes {
        let fields = u64::from(self.crh) << 32 | u64::from(self.crl);
        let mut modes = Modes::default();
        for pin in 0..16 {
            let field = fields >> (4 * pin) & 15;
            let mask = 1u16 << pin;
            match (field & 3, field >> 2) {
                (0, 0) => modes.analog |= mask,
                (0, 2) => modes.pulled |= mask,
                (0, _) => {}
                (_, configuration) => {
                    modes.open_drain |= if configuration & 1 != 0 { mask } else { 0 };
                    let alternate = configuration & 2 != 0;
                    *(if alternate {
                        &mut modes.alternate
                    } else {
                        &mut modes.output
                    }) |= mask;
                }
            }
        }
        modes
    }

    fn read(&self, offset: u32) -> Option<u32> {
        match offset {
            0x00 => Some(self.crl),
            0x04 => Some(self.crh),
            _ => None,
        }
    }

    fn write(&mut self, offset: u32, value: u32, locked: u16) -> Option<bool> {
        match offset {
            0x00 => self.crl = unlocked(self.crl, value, locked, 4, 0),
            0x04 => self.crh = unlocked(self.crh, value, locked, 4, 8),
            _ => return None,
        }
        Some(true)
    }
}

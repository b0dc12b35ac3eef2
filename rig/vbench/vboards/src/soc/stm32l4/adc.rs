//! ADC1 to ADC3 (RM0351 chapter 18) with nothing at their inputs: conversions end and read 0.

const ISR_ADRDY: u32 = 1 << 0;
const ISR_EOSMP: u32 = 1 << 1;
const ISR_EOC: u32 = 1 << 2;
const ISR_EOS: u32 = 1 << 3;
const CR_ADEN: u32 = 1 << 0;
const CR_ADDIS: u32 = 1 << 1;
const CR_ADSTART: u32 = 1 << 2;
const CR_ADSTP: u32 = 1 << 4;
const CR_ADCAL: u32 = 1 << 31;

/// One ADC. Its registers but ISR, CR and DR are storage.
#[derive(Clone, Debug)]
pub struct Adc {
    isr: u32,
    cr: u32,
    stored: [u32; 64],
}

impl Default for Adc {
    fn default() -> Adc {
        Adc {
            isr: 0,
            cr: 1 << 29, // DEEPPWD
            stored: [0; 64],
        }
    }
}

impl Adc {
    pub fn irq(&self) -> bool {
        self.isr & self.stored[1] != 0
    }

    /// `offset` within the ADC's 256 bytes.
    pub fn read(&mut self, offset: u32) -> Option<u32> {
        Some(match offset {
            0x00 => self.isr,
            0x08 => self.cr,
            0x40 => {
                self.isr &= !ISR_EOC;
                0
            }
            _ => self.stored[(offset as usize / 4) & 63],
        })
    }

    /// Calibration, enabling and a conversion take no time.
    pub fn write(&mut self, offset: u32, value: u32) -> Option<()> {
        match offset {
            0x00 => self.isr &= !value,
            0x08 => {
                let enabled = (self.cr | value) & CR_ADEN;
                self.cr = value & 0x7000_0000 | enabled;
                if value & (CR_ADDIS | CR_ADCAL) != 0 {
                    self.cr &= !CR_ADEN;
                }
                if value & CR_ADEN != 0 {
                    self.isr |= ISR_ADRDY;
                }
                if value & CR_ADSTART != 0 && self.cr & CR_ADEN != 0 && value & CR_ADSTP == 0 {
                    self.isr |= ISR_EOSMP | ISR_EOC | ISR_EOS;
                }
            }
            _ => self.stored[(offset as usize / 4) & 63] = value,
        }
        Some(())
    }
}

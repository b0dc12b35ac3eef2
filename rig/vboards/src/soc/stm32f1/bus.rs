//! The chip as its core sees it: access widths, bit-banding, bus delays.

use super::requests::FLASH;
use super::{Outside, Stm32f1};
use crate::bus::{Bus, BusError, Width};
use crate::soc::Chip;

/// Bit-band alias of the peripherals (Cortex-M3 TRM, 3.7).
const BIT_BAND: std::ops::Range<u32> = 0x4200_0000..0x4400_0000;

/// Word and bit that a bit-band address stands for.
fn bit_band(address: u32) -> (u32, u32) {
    let offset = address - BIT_BAND.start;
    let byte = 0x4000_0000 + (offset >> 5);
    (byte & !3, (byte & 3) * 8 + (offset >> 2 & 7))
}

impl<O: Outside> Bus for Stm32f1<O> {
    fn read(&mut self, address: u32, width: Width, cycle: u64, pc: u32) -> Result<u32, BusError> {
        self.advance(cycle);
        if BIT_BAND.contains(&address) {
            let (word, bit) = bit_band(address);
            return self.read_word(word, cycle, pc).map(|value| value >> bit & 1);
        }
        let value = self.read_word(address & !3, cycle, pc)?;
        Ok(value >> (8 * (address & 3)) & width.mask())
    }

    fn write(&mut self, address: u32, width: Width, value: u32, cycle: u64, pc: u32) -> Result<(), BusError> {
        self.advance(cycle);
        if FLASH.contains(&address) {
            let halfword = if width == Width::Half { Some(value as u16) } else { None };
            return if self.flash.program(address, halfword) {
                Ok(())
            } else {
                Err(BusError)
            };
        }
        if BIT_BAND.contains(&address) {
            let (word, bit) = bit_band(address);
            let old = self.read_word(word, cycle, pc)?;
            return self.write_word(word, old & !(1 << bit) | (value & 1) << bit, cycle, pc);
        }
        let value = match width {
            Width::Word => value,
            // RM0008 2.1: the APB bridges put a narrow write on all byte lanes; on the AHB the others keep theirs.
            Width::Byte if address < 0x4001_8000 => (value & 0xFF) * 0x0101_0101,
            Width::Half if address < 0x4001_8000 => (value & 0xFFFF) * 0x0001_0001,
            _ => {
                let shift = 8 * (address & 3);
                let old = self.read_word(address & !3, cycle, pc)?;
                old & !(width.mask() << shift) | (value & width.mask()) << shift
            }
        };
        self.write_word(address & !3, value, cycle, pc)
    }

    /// Bridge delays: estimates (2 cycles on APB2 at 72 MHz, 3 to 5 on APB1 at 36 MHz), not measured on silicon.
    fn wait_cycles(&self, address: u32) -> u32 {
        match address {
            0x4000_0000..=0x4000_FFFF => 2 + self.rcc.apb1_div() as u32,
            0x4001_0000..=0x4001_7FFF => 1 + self.rcc.apb2_div() as u32,
            _ => 0,
        }
    }

    fn irq_levels(&self) -> u128 {
        self.irqs
    }

    fn irq_changed(&mut self) -> bool {
        std::mem::take(&mut self.irq_changed)
    }

    fn flash_wait_states(&self) -> u32 {
        self.flash.latency()
    }

    fn horizon(&self) -> u64 {
        let work = self.restarted || self.flash.work.is_some();
        if work || self.fault.is_some() || self.outside.has_messages() {
            0
        } else {
            self.next_event.min(self.next_transfer)
        }
    }
}

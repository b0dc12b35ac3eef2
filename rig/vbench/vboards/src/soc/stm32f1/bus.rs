//! The chip as its core sees it.

use super::requests::FLASH;
use super::{Outside, Stm32f1};
use crate::bus::{Bus, BusError, Width};
use crate::soc::stm32::bus;
use crate::soc::Chip;

impl<O: Outside> Bus for Stm32f1<O> {
    fn read(&mut self, address: u32, width: Width, cycle: u64, pc: u32) -> Result<u32, BusError> {
        self.advance(cycle);
        bus::read(self, address, width, cycle, pc)
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
        bus::write(self, address, width, value, cycle, pc)
    }

    fn wait_cycles(&self, address: u32) -> u32 {
        bus::wait_cycles(address, self.rcc.apb1_div(), self.rcc.apb2_div())
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

    fn flash_prefetch(&self) -> bool {
        self.flash.prefetch()
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

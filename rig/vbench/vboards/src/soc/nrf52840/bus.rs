//! The chip as its core sees it, and what is not modelled.

use super::map::{self, Device};
use super::{info, Nrf52840};
use crate::bus::{Bus, BusError, Width};
use crate::log::Topic;
use crate::soc::stm32::bus::{self, Registers};
use crate::soc::watch::{Access, Lack};
use crate::soc::Chip;

/// What an access to a peripheral waits beyond its first cycle: "up to four clock cycles" from a write to its effect (PS
/// "Peripheral interface", interrupt clearing). That reads wait as long is an assumption, unverified. GPIO is on the AHB.
const APB_WAIT: u32 = 3;
/// Wait states of the flash with the cache off, and of a miss with it on (PS "CPU", electrical specification: WFLASH 0 to 2,
/// WFLASHCACHE 0 to 3; remembered, unverified).
const FLASH_WAIT: u32 = 2;
const CACHE_MISS_WAIT: u32 = 3;

impl Bus for Nrf52840 {
    fn read(&mut self, address: u32, width: Width, cycle: u64, pc: u32) -> Result<u32, BusError> {
        self.advance(cycle);
        bus::read(self, address, width, cycle, pc)
    }

    fn write(&mut self, address: u32, width: Width, value: u32, cycle: u64, pc: u32) -> Result<(), BusError> {
        self.advance(cycle);
        if map::is_flash(address) {
            return self.program(address, width, value, cycle);
        }
        bus::write(self, address, width, value, cycle, pc)
    }

    fn wait_cycles(&self, address: u32) -> u32 {
        if address >> 28 == 4 {
            APB_WAIT
        } else {
            0
        }
    }

    fn irq_levels(&self) -> u128 {
        self.irqs
    }

    fn irq_changed(&mut self) -> bool {
        std::mem::take(&mut self.irq_changed)
    }

    fn flash_wait_states(&self) -> u32 {
        if self.nvmc.cache_config() & 1 == 1 {
            CACHE_MISS_WAIT
        } else {
            FLASH_WAIT
        }
    }

    fn flash_prefetch(&self) -> bool {
        false
    }

    fn horizon(&self) -> u64 {
        use crate::soc::Outside;
        if self.fault.is_some() || self.radio.has_messages() || self.needs_core() {
            0
        } else {
            self.next_event
        }
    }
}

impl Nrf52840 {
    /// A write to flash or UICR. Narrow ones end in a hard fault (PS "NVMC", writing to flash).
    fn program(&mut self, address: u32, width: Width, value: u32, cycle: u64) -> Result<(), BusError> {
        if width != Width::Word || address & 3 != 0 {
            return Err(BusError);
        }
        let at = self.at(cycle);
        self.now_ps = self.now_ps.max(at.ps);
        self.nvmc.program(address, value, at);
        self.nvmc_remarks(address);
        self.reschedule();
        Ok(())
    }

    fn nvmc_remarks(&mut self, address: u32) {
        if let Some(text) = self.nvmc.refusal.take() {
            let t_ps = self.now_ps;
            self.log
                .once(t_ps, Topic::Device, address, || format!("NVMC: {}", text));
        }
    }

    fn unmapped(&mut self, address: u32, cycle: u64, pc: u32, what: &str) -> BusError {
        let t_ps = self.clock.ps(cycle);
        let fault = bus::unmapped(&mut self.log, self.config.board, Access { address, pc, t_ps }, what);
        if self.config.strict {
            self.fault = self.fault.take().or(fault);
        }
        BusError
    }

    /// A read that nothing answers with content: 0, and a remark; the end of the run if the firmware hangs there.
    fn lacking_read(&mut self, device: Device, address: u32, cycle: u64, pc: u32) -> u32 {
        let t_ps = self.clock.ps(cycle);
        let access = Access { address, pc, t_ps };
        let name = map::name(device);
        let hangs = self
            .watch
            .lacking_read(&mut self.log, name, Lack::Unmodelled, access, 0);
        if let Some(text) = hangs {
            let board = self.config.board;
            self.fault
                .get_or_insert(format!("board {}: {}, t = {} ps", board, text, t_ps));
        }
        0
    }

    fn read_device(&mut self, device: Device, offset: u32, cycle: u64) -> Option<u32> {
        match device {
            Device::Peripheral(number) => {
                let at = self.at(cycle);
                let peripheral = self.peripheral(number)?;
                let common = peripheral.interface().read(offset);
                let value = common.or_else(|| peripheral.read(offset, at));
                if map::UARTES.contains(&number) && common.is_none() {
                    self.follow(number, at); // a read of RXD brings the next byte
                    self.update_irqs();
                }
                value
            }
            Device::Gpio(port) => self.gpio.read(port, offset),
            Device::Ficr => Some(self.ficr.read(offset)),
            Device::Uicr => self.uicr.get(offset as usize / 4).copied(),
            Device::RomTable => Some(info::rom_table(0xF000_0000 | offset)),
            Device::Other(_) => None,
        }
    }

    fn write_peripheral(&mut self, number: usize, offset: u32, value: u32, cycle: u64) -> Option<()> {
        let at = self.at(cycle);
        self.now_ps = self.now_ps.max(at.ps);
        self.nvmc.keeps_uicr = !self.power.protection.is_open();
        let peripheral = self.peripheral(number)?;
        let written = if offset < 0x100 {
            match value & 1 {
                1 => peripheral.task(offset / 4, at),
                _ => Some(()),
            }
        } else {
            let common = peripheral.interface_mut().write(offset, value);
            common.or_else(|| peripheral.write(offset, value, at))
        };
        self.follow(number, at);
        if map::UARTES.contains(&number) {
            self.pins_changed(0, at);
        }
        self.nvmc_remarks(offset);
        self.reschedule();
        self.update_irqs();
        written
    }

    fn write_port(&mut self, port: usize, offset: u32, value: u32, cycle: u64) -> Option<()> {
        let touched = self.gpio.write(port, offset, value)?;
        let irqs = self.gpiote_busy();
        self.settle(touched, self.at(cycle));
        if irqs {
            self.reschedule();
            self.update_irqs();
        }
        Some(())
    }

    /// Whether a change of a pin may have consequences beyond the pin.
    fn gpiote_busy(&self) -> bool {
        self.gpiote.listens() || self.gpio.senses()
    }
}

impl Registers for Nrf52840 {
    fn read_word(&mut self, address: u32, _width: Width, cycle: u64, pc: u32) -> Result<u32, BusError> {
        self.log.set_pc(pc);
        let (device, offset) = match map::find(address) {
            Some(found) => found,
            None => return Err(self.unmapped(address, cycle, pc, "read of")),
        };
        let value = match self.read_device(device, offset, cycle) {
            Some(value) => value,
            None => return Ok(self.lacking_read(device, address, cycle, pc)),
        };
        if self.watch.repeats(address, pc, value, cycle) {
            let (t_ps, since_ps) = (self.clock.ps(cycle), self.clock.ps(self.watch.repeats_since()));
            let access = Access { address, pc, t_ps };
            self.watch.dull(&mut self.log, map::name(device), access, since_ps);
        }
        Ok(value)
    }

    fn write_word(&mut self, address: u32, _width: Width, value: u32, cycle: u64, pc: u32) -> Result<(), BusError> {
        self.log.set_pc(pc);
        let (device, offset) = match map::find(address) {
            Some(found) => found,
            None => return Err(self.unmapped(address, cycle, pc, "write to")),
        };
        let written = match device {
            Device::Peripheral(number) => self.write_peripheral(number, offset, value, cycle),
            Device::Gpio(port) => self.write_port(port, offset, value, cycle),
            _ => None,
        };
        if written.is_none() {
            let t_ps = self.clock.ps(cycle);
            let access = Access { address, pc, t_ps };
            self.watch
                .lacking_write(&mut self.log, map::name(device), Lack::Unmodelled, access, value);
        }
        Ok(())
    }
}

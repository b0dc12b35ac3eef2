//! The chip as its core sees it: clock gates, what is not modelled.

use super::map::{self, Device};
use super::{flash, Outside, Stm32l4};
use crate::bus::{Bus, BusError, Width};
use crate::soc::stm32::bus::{self, Registers};
use crate::soc::watch::{Access, Lack};
use crate::soc::Chip;

fn is_flash(address: u32) -> bool {
    (flash::BASE..flash::BASE + flash::BYTES).contains(&address)
}

/// Registers whose effect depends on the width of the access: data of SPI and CRC.
fn depends_on_width(device: Device, offset: u32) -> bool {
    match device {
        Device::Spi(_) => offset == 0x0C,
        Device::Crc => offset == 0,
        _ => false,
    }
}

impl<O: Outside> Bus for Stm32l4<O> {
    fn read(&mut self, address: u32, width: Width, cycle: u64, pc: u32) -> Result<u32, BusError> {
        self.advance(cycle);
        bus::read(self, address, width, cycle, pc)
    }

    fn write(&mut self, address: u32, width: Width, value: u32, cycle: u64, pc: u32) -> Result<(), BusError> {
        self.advance(cycle);
        if is_flash(address) {
            self.now_ps = self.clock.ps(cycle);
            self.flash.program(address, width, value, self.now_ps);
            self.reschedule();
            return Ok(());
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
        !self.stop.is_on() && std::mem::take(&mut self.irq_changed)
    }

    fn flash_wait_states(&self) -> u32 {
        self.flash.latency()
    }

    fn flash_prefetch(&self) -> bool {
        self.flash.acr() & 1 << 8 != 0 // PRFTEN
    }

    fn horizon(&self) -> u64 {
        if self.fault.is_some() || self.outside.has_messages() || self.needs_core() {
            0
        } else {
            self.next_transfer()
                .map_or(self.next_event, |at| at.min(self.next_event))
        }
    }
}

impl<O: Outside> Stm32l4<O> {
    fn unmapped(&mut self, address: u32, cycle: u64, pc: u32, what: &str) -> BusError {
        let t_ps = self.clock.ps(cycle);
        let fault = bus::unmapped(&mut self.log, self.config.board, Access { address, pc, t_ps }, what);
        if self.config.strict {
            self.fault = self.fault.take().or(fault);
        }
        BusError
    }

    /// A read that nothing answers with content: 0, and a remark; the end of the run if the firmware hangs there.
    fn lacking_read(&mut self, device: Device, lack: Lack, address: u32, cycle: u64, pc: u32) -> u32 {
        let t_ps = self.clock.ps(cycle);
        let access = Access { address, pc, t_ps };
        let hangs = self
            .watch
            .lacking_read(&mut self.log, &map::name(device), lack, access, 0);
        if let Some(text) = hangs {
            let board = self.config.board;
            self.fault
                .get_or_insert(format!("board {}: {}, t = {} ps", board, text, t_ps));
        }
        0
    }

    fn lacking_write(&mut self, device: Device, lack: Lack, at: (u32, u64, u32), value: u32) {
        let (address, cycle, pc) = at;
        let t_ps = self.clock.ps(cycle);
        let access = Access { address, pc, t_ps };
        self.watch
            .lacking_write(&mut self.log, &map::name(device), lack, access, value);
    }
}

impl<O: Outside> Registers for Stm32l4<O> {
    fn depends_on_width(&self, address: u32) -> bool {
        map::find(address).map_or(false, |(device, base)| depends_on_width(device, address - base))
    }

    fn read_word(&mut self, address: u32, width: Width, cycle: u64, pc: u32) -> Result<u32, BusError> {
        self.log.set_pc(pc);
        let (device, base) = match map::find(address) {
            Some(found) => found,
            None => return Err(self.unmapped(address, cycle, pc, "read of")),
        };
        if !self.rcc.enabled(map::gate(device)) {
            return Ok(self.lacking_read(device, Lack::ClockOff, address, cycle, pc));
        }
        let value = match self.read_device(device, address - base, width, cycle) {
            Some(value) => value,
            None => return Ok(self.lacking_read(device, Lack::Unmodelled, address, cycle, pc)),
        };
        if self.watch.repeats(address, pc, value, cycle) {
            let (t_ps, since_ps) = (self.clock.ps(cycle), self.clock.ps(self.watch.repeats_since()));
            let access = Access { address, pc, t_ps };
            self.watch.dull(&mut self.log, &map::name(device), access, since_ps);
        }
        Ok(value)
    }

    fn write_word(&mut self, address: u32, width: Width, value: u32, cycle: u64, pc: u32) -> Result<(), BusError> {
        self.log.set_pc(pc);
        let (device, base) = match map::find(address) {
            Some(found) => found,
            None => return Err(self.unmapped(address, cycle, pc, "write to")),
        };
        if !self.rcc.enabled(map::gate(device)) {
            self.lacking_write(device, Lack::ClockOff, (address, cycle, pc), value);
            return Ok(());
        }
        if let Device::Gpio(port) = device {
            if self.write_port(port, address - base, value, cycle) {
                return Ok(());
            }
        }
        self.now_ps = self.clock.ps(cycle);
        if self.write_device(device, address - base, width, value, cycle).is_none() {
            self.lacking_write(device, Lack::Unmodelled, (address, cycle, pc), value);
        }
        self.reschedule();
        self.update_requests();
        self.update_irqs();
        Ok(())
    }
}

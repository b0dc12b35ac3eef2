//! Register accesses: which device answers, clock gates, what is not modelled, what a write changes elsewhere.

use super::map::{self, Device};
use super::rcc::{Effect, Gate};
use super::remap::Pins;
use super::{flash, Group, Stm32f1};
use crate::bus::{BusError, Width};
use crate::log::Topic;
use crate::soc::stm32::bus::{self, Registers};
use crate::soc::watch::{Access, Lack};
use crate::soc::Outside;

/// STM32F103xE, revision Y (RM0008 31.6.1).
const IDCODE: u32 = 0x1003_0414;
/// Flash size register: 512 KiB (RM0008 30.1.1), and the reserved half above it.
const FLASH_KIB: u32 = 0xFFFF_0000 | 512;

/// The devices whose next event or interrupt an access may change.
fn group(device: Device) -> Group {
    match device {
        Device::Spi(_) => Group::Spis,
        Device::Usart(_) => Group::Usarts,
        Device::Timer(_) => Group::Timers,
        _ => Group::Rest,
    }
}

impl<O: Outside> Registers for Stm32f1<O> {
    fn read_word(&mut self, address: u32, _width: Width, cycle: u64, pc: u32) -> Result<u32, BusError> {
        self.log.set_pc(pc);
        let (device, base) = match map::find(address) {
            Some(found) => found,
            None => return Err(self.unmapped(address, cycle, pc, "read of")),
        };
        if !self.rcc.enabled(map::gate(device)) {
            return Ok(self.lacking_read(device, Lack::ClockOff, address, cycle, pc));
        }
        let offset = address - base;
        let value = match self.read_device(device, offset, cycle) {
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

    fn write_word(&mut self, address: u32, _width: Width, value: u32, cycle: u64, pc: u32) -> Result<(), BusError> {
        self.log.set_pc(pc);
        let (device, base) = match map::find(address) {
            Some(found) => found,
            None => return Err(self.unmapped(address, cycle, pc, "write to")),
        };
        if !self.rcc.enabled(map::gate(device)) {
            self.lacking_write(device, Lack::ClockOff, (address, cycle, pc), value);
            return Ok(());
        }
        let offset = address - base;
        if self.write_device(device, offset, value, cycle).is_none() {
            self.lacking_write(device, Lack::Unmodelled, (address, cycle, pc), value);
        }
        Ok(())
    }
}

impl<O: Outside> Stm32f1<O> {
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
        if let Some(text) = self
            .watch
            .lacking_read(&mut self.log, &map::name(device), lack, access, 0)
        {
            self.fault
                .get_or_insert(format!("board {}: {}, t = {} ps", self.config.board, text, t_ps));
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

    fn read_device(&mut self, device: Device, offset: u32, cycle: u64) -> Option<u32> {
        match device {
            Device::Gpio(port) => self.ports[port].read(offset),
            Device::Spi(index) => {
                let value = self.spis[index].read(offset);
                if offset == 0x0C {
                    self.changed(Group::Spis); // a read of DR clears RXNE; polling SR changes no line
                }
                value
            }
            Device::Usart(index) => {
                let value = self.usarts[index].read(offset);
                if offset == 0x04 {
                    self.changed(Group::Usarts);
                }
                value
            }
            Device::Timer(index) => {
                self.sync_timers(cycle);
                let value = self.timers[index].read(offset, cycle);
                if offset >= 0x34 {
                    self.changed(Group::Timers); // a read of a captured value clears its flag
                }
                value
            }
            Device::I2c(index) => self.i2cs[index].read(offset),
            Device::Adc(index) => {
                let value = self.adcs[index].read(offset);
                self.changed(Group::Rest);
                value
            }
            Device::Dma(index) => self.dmas[index].read(offset),
            Device::Exti => self.exti.read(offset),
            Device::Afio => self.afio.read(offset),
            Device::Rcc => self.rcc.read(offset, self.clock.ps(cycle)),
            Device::Flash => self.flash.read(offset, self.clock.ps(cycle)),
            Device::Rtc => {
                let t_ps = self.clock.ps(cycle);
                self.sync_rtc(cycle, t_ps);
                self.rtc.read(offset, t_ps)
            }
            Device::Bkp => self.rtc.read_backup(offset),
            Device::Pwr => self.power.read(offset),
            Device::Iwdg => self.iwdg.read(offset, self.clock.ps(cycle)),
            Device::Wwdg => self.wwdg.read(offset, cycle),
            Device::Crc => self.crc.read(offset),
            Device::Dbgmcu => Some(if offset == 0 { IDCODE } else { self.dbgmcu_cr }),
            Device::System => Some(match offset {
                0x00 => FLASH_KIB,
                0x08 | 0x0C | 0x10 => self.identity[(offset as usize - 8) / 4],
                _ => 0xFFFF_FFFF,
            }),
            Device::OptionBytes => Some(flash::OPTION_BYTES[offset as usize / 4]),
            Device::Other(_) => None,
        }
    }

    fn write_device(&mut self, device: Device, offset: u32, value: u32, cycle: u64) -> Option<()> {
        match device {
            Device::Gpio(port) => {
                let done = self.ports[port].write(offset, value);
                if offset < 8 {
                    self.timer_outputs(cycle, self.clock.ps(cycle)); // the mode decides what shows on the pin
                }
                self.settle_at(port, cycle);
                return done.map(|_| ());
            }
            Device::Spi(index) => {
                self.spis[index].write(offset, value, cycle, &mut self.spi_effects)?;
                let t_ps = self.clock.ps(cycle);
                self.spi_effects(index, cycle, t_ps);
            }
            Device::Usart(index) => self.usarts[index].write(offset, value, cycle)?,
            Device::Timer(index) => {
                self.sync_timers(cycle);
                self.timers[index].write(offset, value, cycle)?;
                self.sync_timers(cycle);
                self.inputs_changed();
                self.timer_outputs(cycle, self.clock.ps(cycle));
            }
            Device::I2c(index) => self.i2cs[index].write(offset, value, cycle)?,
            Device::Adc(index) => self.adcs[index].write(offset, value, cycle)?,
            Device::Dma(index) => self.dmas[index].write(offset, value)?,
            Device::Exti => self.exti.write(offset, value)?,
            Device::Afio => self.write_afio(offset, value, cycle)?,
            Device::Rcc => self.write_rcc(offset, value, cycle)?,
            Device::Flash => {
                self.flash.write(offset, value, self.clock.ps(cycle))?;
                self.complain_of_clocks(cycle);
            }
            Device::Rtc | Device::Bkp if !self.power.backup_writable() => self.protected(device, cycle),
            Device::Rtc => {
                let t_ps = self.clock.ps(cycle);
                self.sync_rtc(cycle, t_ps);
                self.rtc.write(offset, value, t_ps)?;
            }
            Device::Bkp => self.rtc.write_backup(offset, value)?,
            Device::Pwr => self.power.write(offset, value)?,
            Device::Iwdg => {
                let t_ps = self.clock.ps(cycle);
                if self.iwdg.write(offset, value, t_ps)? {
                    self.rcc.force_lsi(t_ps);
                    self.rtc_clock_changed(cycle);
                }
            }
            Device::Wwdg => {
                self.wwdg.write(offset, value, cycle)?;
                if self.wwdg.bites {
                    self.restart.get_or_insert((cycle, super::Cause::Wwdg));
                }
            }
            Device::Crc => self.crc.write(offset, value)?,
            Device::Dbgmcu => self.dbgmcu_cr = if offset == 4 { value } else { self.dbgmcu_cr },
            Device::System | Device::OptionBytes | Device::Other(_) => return None,
        }
        self.changed(group(device));
        Some(())
    }

    fn changed(&mut self, group: Group) {
        self.touch(group);
        self.look();
    }

    /// A write into the backup domain without PWR_CR.DBP (5.1.2).
    fn protected(&mut self, device: Device, cycle: u64) {
        let t_ps = self.clock.ps(cycle);
        self.log.once(t_ps, Topic::Device, 0x4000_7000, || {
            format!("{} is written while PWR_CR.DBP protects it: ignored", map::name(device))
        });
    }

    fn write_afio(&mut self, offset: u32, value: u32, cycle: u64) -> Option<()> {
        self.afio.write(offset, value)?;
        let pins = Pins::selected(self.afio.remaps());
        if pins != self.pins {
            self.pins = pins;
            self.idle_lines();
            self.trace_buses();
            self.inputs_changed();
            self.timer_outputs(cycle, self.clock.ps(cycle));
            for port in 0..self.ports.len() {
                self.settle_at(port, cycle);
            }
        }
        Some(())
    }

    fn write_rcc(&mut self, offset: u32, value: u32, cycle: u64) -> Option<()> {
        let now_ps = self.clock.ps(cycle);
        if offset == 0x20 && !self.power.backup_writable() {
            self.protected(Device::Rcc, cycle);
            return Some(());
        }
        match self.rcc.write(offset, value, now_ps)? {
            Effect::Nothing => {}
            Effect::Clocks => {
                self.clocks_changed(cycle);
                self.rtc_clock_changed(cycle); // HSE may be what the RTC counts
            }
            Effect::Backup => self.rtc_clock_changed(cycle),
            Effect::ResetBackup => {
                self.rtc = super::Rtc::default();
                self.rtc_clock_changed(cycle);
            }
            Effect::ResetApb1(bits) => {
                self.reset_devices(|gate| matches!(gate, Gate::Apb1(bit) if bits >> bit & 1 == 1), cycle)
            }
            Effect::ResetApb2(bits) => {
                self.reset_devices(|gate| matches!(gate, Gate::Apb2(bit) if bits >> bit & 1 == 1), cycle)
            }
        }
        Some(())
    }
}

//! The chip as its core sees it: address decoding, access widths, bit-banding, clock gates, what is not modelled.

use super::map::{self, Device};
use super::rcc::{Effect, Gate};
use super::{Outside, Stm32f1};
use crate::bus::{Bus, BusError, Width};
use crate::log::Topic;
use crate::soc::watch::{Access, Lack};
use crate::soc::Chip;

/// STM32F103xE, revision Y (RM0008 31.6.1).
const IDCODE: u32 = 0x1003_0414;
/// Flash size register: 512 KiB (RM0008 30.1.1), and the reserved half above it.
const FLASH_KIB: u32 = 0xFFFF_0000 | 512;
/// Bit-band alias of the peripherals (Cortex-M3 TRM, 3.7).
const BIT_BAND: std::ops::Range<u32> = 0x4200_0000..0x4400_0000;

fn mask(width: Width) -> u32 {
    match width {
        Width::Byte => 0xFF,
        Width::Half => 0xFFFF,
        Width::Word => 0xFFFF_FFFF,
    }
}

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
        Ok(value >> (8 * (address & 3)) & mask(width))
    }

    fn write(&mut self, address: u32, width: Width, value: u32, cycle: u64, pc: u32) -> Result<(), BusError> {
        self.advance(cycle);
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
                old & !(mask(width) << shift) | (value & mask(width)) << shift
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
        if self.fault.is_some() || self.outside.has_messages() {
            0
        } else {
            self.next_event
        }
    }
}

impl<O: Outside> Stm32f1<O> {
    fn unmapped(&mut self, address: u32, cycle: u64, pc: u32, what: &str) -> BusError {
        let t_ps = self.clock.ps(cycle);
        let board = self.config.board;
        let text = format!(
            "board {}: {} unmapped register 0x{:08x} at PC 0x{:08x}",
            board, what, address, pc
        );
        if self.config.strict && self.fault.is_none() {
            self.fault = Some(format!("{}, t = {} ps", text, t_ps));
        }
        self.log.once(t_ps, Topic::Read, address, || text);
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

    fn read_word(&mut self, address: u32, cycle: u64, pc: u32) -> Result<u32, BusError> {
        let (device, base) = match map::find(address) {
            Some(found) => found,
            None => return Err(self.unmapped(address, cycle, pc, "read of")),
        };
        if !self.rcc.enabled(map::gate(device)) {
            return Ok(self.lacking_read(device, Lack::ClockOff, address, cycle, pc));
        }
        let offset = address - base;
        let value = match device {
            Device::Gpio(port) => self.ports[port].read(offset),
            Device::Spi(index) => {
                let value = self.spis[index].read(offset);
                if offset == 0x0C {
                    self.update_irqs(); // a read of DR clears RXNE; polling SR changes no line
                }
                value
            }
            Device::Usart(index) => {
                let value = self.usarts[index].read(offset);
                if offset == 0x04 {
                    self.update_irqs();
                }
                value
            }
            Device::Timer(index) => {
                self.sync_timers(cycle);
                let value = self.timers[index].read(offset, cycle);
                if offset >= 0x34 {
                    self.update_irqs(); // a read of a captured value clears its flag
                }
                value
            }
            Device::Exti => self.exti.read(offset),
            Device::Afio => self.exti.read_afio(offset),
            Device::Rcc => self.rcc.read(offset, self.clock.ps(cycle)),
            Device::Flash => self.flash.read(offset),
            Device::Pwr => Some(if offset == 0 { self.pwr_cr } else { 0 }),
            Device::Dbgmcu => Some(if offset == 0 { IDCODE } else { self.dbgmcu_cr }),
            Device::System => Some(match offset {
                0x00 => FLASH_KIB,
                0x08 | 0x0C | 0x10 => self.identity[(offset as usize - 8) / 4],
                _ => 0xFFFF_FFFF,
            }),
            Device::Other(_) => None,
        };
        let value = match value {
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

    fn write_word(&mut self, address: u32, value: u32, cycle: u64, pc: u32) -> Result<(), BusError> {
        let (device, base) = match map::find(address) {
            Some(found) => found,
            None => return Err(self.unmapped(address, cycle, pc, "write to")),
        };
        if !self.rcc.enabled(map::gate(device)) {
            self.lacking_write(device, Lack::ClockOff, (address, cycle, pc), value);
            return Ok(());
        }
        let offset = address - base;
        let done = match device {
            Device::Gpio(port) => {
                let done = self.ports[port].write(offset, value);
                self.settle_at(port, cycle);
                if done.is_some() {
                    return Ok(());
                }
                done
            }
            Device::Spi(index) => {
                let done = self.spis[index].write(offset, value, cycle, &mut self.spi_effects);
                let t_ps = self.clock.ps(cycle);
                self.spi_effects(index, cycle, t_ps);
                done
            }
            Device::Usart(index) => self.usarts[index].write(offset, value, cycle),
            Device::Timer(index) => {
                self.sync_timers(cycle);
                let done = self.timers[index].write(offset, value, cycle);
                self.sync_timers(cycle);
                done
            }
            Device::Exti => self.exti.write(offset, value),
            Device::Afio => self.write_afio(offset, value, cycle),
            Device::Rcc => self.write_rcc(offset, value, cycle),
            Device::Flash => self.write_flash(offset, value, cycle),
            Device::Pwr => {
                self.pwr_cr = if offset == 0 { value & 0x1F3 } else { self.pwr_cr };
                Some(())
            }
            Device::Dbgmcu => {
                self.dbgmcu_cr = if offset == 4 { value } else { self.dbgmcu_cr };
                Some(())
            }
            Device::System | Device::Other(_) => None,
        };
        if done.is_none() {
            self.lacking_write(device, Lack::Unmodelled, (address, cycle, pc), value);
        }
        self.reschedule();
        self.update_irqs();
        Ok(())
    }

    fn write_afio(&mut self, offset: u32, value: u32, cycle: u64) -> Option<()> {
        let done = self.exti.write_afio(offset, value);
        let remaps = self.exti.remaps();
        if remaps != 0 {
            let t_ps = self.clock.ps(cycle);
            self.log.once(t_ps, Topic::Device, 0x4001_0004, || {
                format!(
                    "AFIO_MAPR = 0x{:08x}: remapped pins are not modelled, the default ones stay",
                    remaps
                )
            });
        }
        done
    }

    fn write_flash(&mut self, offset: u32, value: u32, cycle: u64) -> Option<()> {
        let done = self.flash.write(offset, value);
        let hclk_hz = self.rcc.sysclk_hz() / self.rcc.ahb_div();
        if let Some(text) = self.flash.complaint(hclk_hz) {
            let t_ps = self.clock.ps(cycle);
            self.log.once(t_ps, Topic::Device, hclk_hz as u32, || text);
        }
        done
    }

    fn write_rcc(&mut self, offset: u32, value: u32, cycle: u64) -> Option<()> {
        let now_ps = self.clock.ps(cycle);
        match self.rcc.write(offset, value, now_ps)? {
            Effect::Nothing => {}
            Effect::Clocks => self.clocks_changed(cycle),
            Effect::ResetApb1(bits) => {
                self.reset_devices(|gate| matches!(gate, Gate::Apb1(bit) if bits >> bit & 1 == 1), cycle)
            }
            Effect::ResetApb2(bits) => {
                self.reset_devices(|gate| matches!(gate, Gate::Apb2(bit) if bits >> bit & 1 == 1), cycle)
            }
        }
        Some(())
    }

    fn reset_devices(&mut self, chosen: impl Fn(Gate) -> bool, cycle: u64) {
        for index in 0..self.timers.len() {
            if chosen(map::gate(Device::Timer(index))) {
                self.timers[index].reset();
            }
        }
        for index in 0..self.usarts.len() {
            if chosen(map::gate(Device::Usart(index))) {
                self.usarts[index].reset();
            }
        }
        for index in 0..self.spis.len() {
            if chosen(map::gate(Device::Spi(index))) {
                self.spis[index].reset();
            }
        }
        for port in 0..self.ports.len() {
            if chosen(map::gate(Device::Gpio(port))) {
                self.ports[port].reset();
                self.settle_at(port, cycle);
            }
        }
        if chosen(map::gate(Device::Afio)) {
            self.exti.reset_afio();
        }
    }
}

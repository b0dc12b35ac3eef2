//! Registers of the devices: which device a read or write goes to, and what else it touches.

use super::map::{self, Device};
use super::rcc::Effect;
use super::{Outside, Stm32l4};
use crate::bus::Width;
use crate::log::Topic;

/// STM32L476, revision 4 (RM0351 48.6.1).
const IDCODE: u32 = 0x1007_6415;
/// Offsets within the system memory (RM0351 49): package, identity, flash size; calibration (DS10198 3.14.2, 3.14.3).
const PACKAGE: u32 = 0x500;
const IDENTITY: u32 = 0x590;
const TS_CAL1_VREFINT: u32 = 0x5A8;
const TS_CAL2: u32 = 0x5C8;
const FLASH_SIZE: u32 = 0x5E0;

impl<O: Outside> Stm32l4<O> {
    pub(super) fn read_device(&mut self, device: Device, offset: u32, width: Width, cycle: u64) -> Option<u32> {
        match device {
            Device::Gpio(port) => self.ports[port].read(offset),
            Device::Spi(index) => {
                let value = self.spis[index].read(offset, width);
                if offset == 0x0C {
                    self.update_requests();
                    self.update_irqs(); // a read of DR changes RXNE; polling SR changes no line
                }
                value
            }
            Device::Usart(index) => {
                let value = self.usarts[index].read(offset);
                if offset == 0x24 {
                    self.update_requests();
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
            Device::Syscfg => self.syscfg.read(offset),
            Device::Flash => self.flash.read(offset),
            Device::Crc => self.crc.read(offset),
            Device::I2c(index) => self.i2cs[index].read(offset),
            Device::Dma(index) => self.dmas[index].read(offset),
            Device::Adc => self.read_adc(offset),
            Device::Dbgmcu => match offset {
                0x00 => Some(IDCODE),
                0x04..=0x10 => Some(self.dbgmcu[offset as usize / 4 - 1]),
                _ => None,
            },
            Device::System => Some(self.read_system(offset)),
            Device::Other(_) => None,
            _ => {
                self.now_ps = self.clock.ps(cycle);
                self.read_timed(device, offset)
            }
        }
    }

    /// Devices whose registers depend on the time.
    fn read_timed(&mut self, device: Device, offset: u32) -> Option<u32> {
        let now_ps = self.now_ps;
        match device {
            Device::Rcc => self.rcc.read(offset, now_ps),
            Device::Pwr => self.pwr.read(offset, now_ps),
            Device::Lptim(index) => self.lptims[index].read(offset, now_ps),
            Device::Rtc => self.rtc.read(offset, now_ps),
            Device::Iwdg => self.iwdg.read(offset, now_ps),
            Device::Rng => {
                let clock = self.rcc.clk48(now_ps);
                let value = self.rng.read(offset, clock, now_ps);
                self.update_irqs();
                value
            }
            _ => None,
        }
    }

    /// Three ADCs of 256 bytes each, and common registers, of which CCR is storage.
    fn read_adc(&mut self, offset: u32) -> Option<u32> {
        let value = match self.adcs.get_mut(offset as usize >> 8) {
            Some(adc) => adc.read(offset & 0xFF),
            None => Some(self.adc_common),
        };
        self.update_irqs();
        value
    }

    fn write_adc(&mut self, offset: u32, value: u32) -> Option<()> {
        match self.adcs.get_mut(offset as usize >> 8) {
            Some(adc) => return adc.write(offset & 0xFF, value),
            None => self.adc_common = value,
        }
        Some(())
    }

    fn read_system(&self, offset: u32) -> u32 {
        match offset {
            PACKAGE => 0, // LQFP64
            FLASH_SIZE => 0xFFFF_0000 | 1024,
            0x590 | 0x594 | 0x598 => self.identity[(offset - IDENTITY) as usize / 4],
            TS_CAL1_VREFINT => 1655 << 16 | 1040, // plausible values of a made-up chip: 1.212 V and 0.76 V of 3.0 V
            TS_CAL2 => 1380 << 16 | 0xFFFF,
            _ => 0xFFFF_FFFF,
        }
    }

    /// A port is written: true if that is all there is to do.
    pub(super) fn write_port(&mut self, port: usize, offset: u32, value: u32, cycle: u64) -> bool {
        let modes = match self.ports[port].write(offset, value) {
            Some(modes) => modes,
            None => return false,
        };
        if modes {
            self.reroute(port);
        }
        self.settle_at(port, cycle);
        true
    }

    pub(super) fn write_device(
        &mut self,
        device: Device,
        offset: u32,
        width: Width,
        value: u32,
        cycle: u64,
    ) -> Option<()> {
        let now_ps = self.now_ps;
        let open = self.pwr.backup_writable();
        match device {
            Device::Spi(index) => {
                let done = self.spis[index].write(offset, width, value, cycle, &mut self.spi_effects);
                self.spi_effects(index, cycle, now_ps);
                done
            }
            Device::Usart(index) => self.usarts[index].write(offset, value, now_ps),
            Device::Timer(index) => {
                self.sync_timers(cycle);
                let done = self.timers[index].write(offset, value, cycle);
                self.sync_timers(cycle);
                done
            }
            Device::Exti => self.exti.write(offset, value),
            Device::Syscfg => self.write_syscfg(offset, value),
            Device::Rcc => self.write_rcc(offset, value, cycle),
            Device::Flash => {
                let done = self.flash.write(offset, value, now_ps);
                self.wants_reset |= if self.flash.reload { super::rcc::OBLRSTF } else { 0 };
                self.remark_on_clocks(now_ps);
                done
            }
            Device::Pwr => self.pwr.write(offset, value, now_ps),
            Device::Lptim(index) => self.lptims[index].write(offset, value, now_ps),
            Device::Rtc => self.rtc.write(offset, value, now_ps, open),
            Device::Iwdg => {
                let done = self.iwdg.write(offset, value, self.rcc.lsi(), now_ps);
                if self.iwdg.running() {
                    self.rcc.force_lsi(now_ps);
                }
                done
            }
            Device::Crc => self.crc.write(offset, width, value),
            Device::Rng => self.rng.write(offset, value, self.rcc.clk48(now_ps), now_ps),
            Device::I2c(index) => {
                let clock = self.rcc.sysclk().over(self.rcc.ahb_div() * self.rcc.apb1_div());
                self.i2cs[index].write(offset, value, clock, now_ps)
            }
            Device::Dma(index) => self.dmas[index].write(offset, value),
            Device::Adc => self.write_adc(offset, value),
            Device::Dbgmcu => {
                let index = (offset as usize / 4).checked_sub(1)?;
                *self.dbgmcu.get_mut(index)? = value;
                Some(())
            }
            Device::Gpio(_) | Device::System | Device::Other(_) => None,
        }
    }

    fn write_syscfg(&mut self, offset: u32, value: u32) -> Option<()> {
        let done = self.syscfg.write(offset, value);
        let map = self.syscfg.memory_map();
        if map != 0 {
            self.log.once(self.now_ps, Topic::Device, 0x4001_0000, || {
                format!("SYSCFG_MEMRMP.MEM_MODE = {}: the flash stays at address 0", map)
            });
        }
        done
    }

    fn write_rcc(&mut self, offset: u32, value: u32, cycle: u64) -> Option<()> {
        let open = self.pwr.backup_writable();
        match self.rcc.write(offset, value, self.now_ps, open)? {
            Effect::Nothing => {}
            Effect::Clocks | Effect::RtcClock => self.clocks_changed(cycle),
            Effect::BackupReset => {
                self.rtc.reset();
                self.clocks_changed(cycle);
            }
            Effect::Reset { bank, bits } => self.reset_devices(bank, bits, cycle),
        }
        Some(())
    }

    /// Resets the devices whose reset bits are among `bits` of reset register `bank`.
    pub(super) fn reset_devices(&mut self, bank: usize, bits: u32, cycle: u64) {
        let chosen = |device| map::gate(device).map_or(false, |(at, bit)| at == bank && bits >> bit & 1 == 1);
        let each = |count: usize, device: fn(usize) -> Device| (0..count).filter(move |&index| chosen(device(index)));
        each(self.timers.len(), Device::Timer).for_each(|index| self.timers[index].reset());
        each(self.usarts.len(), Device::Usart).for_each(|index| self.usarts[index].reset());
        each(self.spis.len(), Device::Spi).for_each(|index| self.spis[index].reset());
        each(self.i2cs.len(), Device::I2c).for_each(|index| self.i2cs[index] = Default::default());
        each(self.lptims.len(), Device::Lptim).for_each(|index| self.lptims[index].reset());
        each(self.dmas.len(), Device::Dma).for_each(|index| self.dmas[index].reset());
        for port in each(self.ports.len(), Device::Gpio) {
            self.ports[port].reset();
            self.reroute(port);
            self.settle_at(port, cycle);
        }
        if chosen(Device::Syscfg) {
            self.syscfg = super::Syscfg::default();
        }
        if chosen(Device::Crc) {
            self.crc = Default::default();
        }
        if chosen(Device::Rng) {
            self.rng.reset();
        }
        if chosen(Device::Adc) {
            self.adcs.iter_mut().for_each(|adc| *adc = Default::default());
        }
    }
}

//! Resets: of the complete chip, of devices by their RCC bits.

use super::gpio::PORTS;
use super::map::{self, Device};
use super::rcc::{Cause, Gate};
use super::watchdog::{Iwdg, Wwdg};
use super::{Afio, Exti, FlashInterface, Pins, Stm32f1};
use crate::log::Topic;
use crate::soc::Outside;

impl<O: Outside> Stm32f1<O> {
    /// Everything but the backup domain and what is outside.
    pub(super) fn system_reset(&mut self, cause: Cause, cycle: u64) {
        self.sync_rtc(cycle, self.clock.ps(cycle));
        self.restart = None;
        self.power.reset();
        self.rcc.reset(cause);
        self.flash = FlashInterface::default();
        self.exti = Exti::new(&super::exti::LINES, 0);
        self.afio = Afio::default();
        self.iwdg = Iwdg::new(self.config.clock.ppb);
        self.rtc.system_reset();
        self.dbgmcu_cr = 0;
        self.stalled_until = 0;
        self.reset_devices(|_| true, cycle);
        self.clocks_changed(cycle);
        self.rtc_clock_changed(cycle);
        self.look();
        self.irq_changed = true; // a core reset forgets the lines
    }

    pub(super) fn reset_devices(&mut self, chosen: impl Fn(Gate) -> bool, cycle: u64) {
        let of = |device: Device| chosen(map::gate(device));
        for (index, timer) in self.timers.iter_mut().enumerate() {
            if of(Device::Timer(index)) {
                timer.reset();
            }
        }
        for (index, usart) in self.usarts.iter_mut().enumerate() {
            if of(Device::Usart(index)) {
                usart.reset();
            }
        }
        for (index, spi) in self.spis.iter_mut().enumerate() {
            if of(Device::Spi(index)) {
                spi.reset();
            }
        }
        for (index, i2c) in self.i2cs.iter_mut().enumerate() {
            if of(Device::I2c(index)) {
                i2c.reset();
            }
        }
        for (index, adc) in self.adcs.iter_mut().enumerate() {
            if of(Device::Adc(index)) {
                adc.reset();
            }
        }
        for (index, dma) in self.dmas.iter_mut().enumerate() {
            if of(Device::Dma(index)) {
                dma.reset();
            }
        }
        if of(Device::Wwdg) {
            self.wwdg = Wwdg::new(self.rcc.apb1_div());
        }
        if of(Device::Afio) {
            self.afio = Afio::default();
            self.pins = Pins::selected(0);
            self.idle_lines();
        }
        let ports: Vec<usize> = (0..PORTS).filter(|&port| of(Device::Gpio(port))).collect();
        for port in ports {
            self.ports[port].reset();
            self.settle_at(port, cycle);
        }
        self.inputs_changed();
        self.touch_all();
    }

    /// RCC has another clock for the RTC.
    pub(super) fn rtc_clock_changed(&mut self, cycle: u64) {
        let now_ps = self.clock.ps(cycle);
        self.rtc.set_clock(self.rcc.rtc_clock(), self.config.clock.ppb, now_ps);
    }

    pub(super) fn complain_of_clocks(&mut self, cycle: u64) {
        let t_ps = self.clock.ps(cycle);
        let hclk_hz = self.rcc.sysclk_hz() / self.rcc.ahb_div();
        for text in [self.rcc.complaint(), self.flash.complaint(hclk_hz)].iter().flatten() {
            self.log.once(t_ps, Topic::Device, hclk_hz as u32, || text.clone());
        }
    }
}

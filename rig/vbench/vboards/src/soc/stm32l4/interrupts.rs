//! Interrupt lines of all devices into the core.

use super::map::{self, timer_irqs, ADC_IRQ, DMA_IRQ, I2C_IRQ, LPTIM_IRQ, SPI_IRQ, USART_IRQ};
use super::{exti, Outside, Stm32l4};

impl<O: Outside> Stm32l4<O> {
    pub(super) fn update_irqs(&mut self) {
        self.tell_exti();
        let mut irqs = self.exti.irqs();
        let mut line = |on: bool, irq: u32| irqs |= u128::from(on) << irq;
        for (index, timer) in self.timers.iter().enumerate() {
            let pending = timer.pending();
            for &(flags, irq) in timer_irqs(index) {
                line(pending & flags != 0, irq);
            }
        }
        self.usarts
            .iter()
            .zip(USART_IRQ)
            .for_each(|(usart, irq)| line(usart.irq(), irq));
        self.spis
            .iter()
            .zip(SPI_IRQ)
            .for_each(|(spi, irq)| line(spi.irq(), irq));
        self.i2cs
            .iter()
            .zip(I2C_IRQ)
            .for_each(|(i2c, irq)| line(i2c.irq(), irq));
        self.lptims
            .iter()
            .zip(LPTIM_IRQ)
            .for_each(|(lptim, irq)| line(lptim.irq(), irq));
        self.adcs
            .iter()
            .zip(ADC_IRQ)
            .for_each(|(adc, irq)| line(adc.irq(), irq));
        for (dma, numbers) in self.dmas.iter().zip(DMA_IRQ) {
            numbers
                .iter()
                .enumerate()
                .for_each(|(channel, &irq)| line(dma.irq(channel), irq));
        }
        line(self.flash.irq(), map::FLASH_IRQ);
        line(self.rcc.irq(), map::RCC_IRQ);
        line(self.rng.irq(self.rcc.clk48(self.now_ps), self.now_ps), map::RNG_IRQ);
        if irqs != self.irqs {
            self.irqs = irqs;
            self.irq_changed = true;
        }
        self.stop_may_end();
    }

    /// RTC alarms and its wake-up timer reach the NVIC through EXTI.
    fn tell_exti(&mut self) {
        let signals = self.rtc.signals();
        if signals != self.rtc_signals {
            if signals.0 != self.rtc_signals.0 {
                self.exti.edge(exti::RTC_ALARM, signals.0);
            }
            if signals.1 != self.rtc_signals.1 {
                self.exti.edge(exti::RTC_WAKEUP, signals.1);
            }
            self.rtc_signals = signals;
        }
    }
}

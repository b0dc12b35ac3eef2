//! What happens next, and which interrupt lines are up, kept by group: only a group that was touched is looked at again.

use super::map::{self, ADC_IRQ, ADVANCED_IRQ, I2C_IRQ, SPI_IRQ, TIM1, TIMER_IRQ, TIMER_TRIGGERS, USART_IRQ};
use super::{exti, Stm32f1};
use crate::soc::Outside;

/// Devices that are looked at together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    Spis,
    Usarts,
    Timers,
    Rest,
}

pub const GROUPS: usize = 4;
const ALL: [Group; GROUPS] = [Group::Spis, Group::Usarts, Group::Timers, Group::Rest];

/// Cycle of a group's next event, and its interrupt lines.
#[derive(Clone, Copy, Debug)]
pub struct Outlook {
    next: u64,
    irqs: u128,
}

impl Default for Outlook {
    fn default() -> Outlook {
        Outlook {
            next: u64::MAX,
            irqs: 0,
        }
    }
}

impl Outlook {
    fn event(&mut self, at: Option<u64>) {
        self.next = at.map_or(self.next, |at| self.next.min(at));
    }

    fn irq(&mut self, number: u32, up: bool) {
        if up {
            self.irqs |= 1 << number;
        }
    }
}

impl<O: Outside> Stm32f1<O> {
    pub(super) fn touch(&mut self, group: Group) {
        self.stale |= 1 << group as u8;
    }

    pub(super) fn touch_all(&mut self) {
        self.stale = (1 << GROUPS) - 1;
    }

    pub(super) fn due(&self, group: Group, at: u64) -> bool {
        self.outlooks[group as usize].next <= at
    }

    /// Works out the chip's next event and its interrupt lines.
    pub(super) fn look(&mut self) {
        if self.stale != 0 {
            for group in ALL {
                if self.stale >> group as u8 & 1 == 1 {
                    self.outlooks[group as usize] = self.outlook(group);
                }
            }
            self.stale = 0;
            self.request_dma();
        }
        let outside_ps = self.outside.next_event();
        if outside_ps != self.outside_next.0 {
            self.outside_next = (outside_ps, outside_ps.map_or(u64::MAX, |t_ps| self.clock.tick_at(t_ps)));
        }
        let own = if self.power.deep.is_some() {
            self.next_in_deep()
        } else {
            self.outlooks
                .iter()
                .fold(u64::MAX, |next, outlook| next.min(outlook.next))
        };
        let transfers = self.dmas.iter().filter_map(|dma| dma.next_event());
        self.next_transfer = transfers
            .min()
            .filter(|_| self.power.deep.is_none())
            .unwrap_or(u64::MAX);
        let restart = self.restart.map_or(u64::MAX, |(at, _)| at);
        self.next_event = own.min(self.outside_next.1).min(restart);
        let irqs = self
            .outlooks
            .iter()
            .fold(self.exti.irqs(), |irqs, outlook| irqs | outlook.irqs);
        if irqs != self.irqs {
            self.irqs = irqs;
            self.irq_changed = true;
        }
    }

    fn outlook(&self, group: Group) -> Outlook {
        let mut outlook = Outlook::default();
        match group {
            Group::Spis => {
                for (spi, irq) in self.spis.iter().zip(SPI_IRQ) {
                    outlook.event(spi.shifter.next_event());
                    outlook.irq(irq, spi.irq());
                }
            }
            Group::Usarts => {
                for (usart, irq) in self.usarts.iter().zip(USART_IRQ) {
                    outlook.event(usart.lines.next_event());
                    outlook.irq(irq, usart.irq());
                }
            }
            Group::Timers => self.outlook_of_timers(&mut outlook),
            Group::Rest => self.outlook_of_rest(&mut outlook),
        }
        outlook
    }

    fn outlook_of_timers(&self, outlook: &mut Outlook) {
        for (timer, triggers) in self.timers.iter().zip(TIMER_TRIGGERS) {
            outlook.event(timer.next_event());
            if timer.waits_for_trigger() {
                let master = timer.trigger_input().and_then(|input| triggers[input]);
                outlook.event(master.and_then(|index| self.timers[index].next_update()));
            }
        }
        for (timer, irq) in self.timers.iter().zip(TIMER_IRQ) {
            outlook.irq(irq, timer.irq());
        }
        for (timer, [of_break, update, trigger, compare]) in self.timers[TIM1..].iter().zip(ADVANCED_IRQ) {
            let pending = timer.pending();
            outlook.irq(of_break, pending & 0x80 != 0);
            outlook.irq(update, pending & 0x01 != 0);
            outlook.irq(trigger, pending & 0x60 != 0);
            outlook.irq(compare, pending & 0x1E != 0);
        }
    }

    fn outlook_of_rest(&self, outlook: &mut Outlook) {
        let instants = [
            self.rcc.switch_pending(),
            self.flash.next_event(),
            self.rtc.next_event(self.exti.wakes(exti::RTC_ALARM)),
            self.iwdg.next_event(),
        ];
        for t_ps in instants {
            outlook.event(t_ps.map(|t_ps| self.clock.tick_at(t_ps)));
        }
        outlook.event(self.wwdg.next_event());
        for (i2c, (event, error)) in self.i2cs.iter().zip(I2C_IRQ) {
            outlook.event(i2c.next_event());
            let irqs = i2c.irqs();
            outlook.irq(event, irqs.0);
            outlook.irq(error, irqs.1);
        }
        for (adc, irq) in self.adcs.iter().zip(ADC_IRQ) {
            outlook.event(adc.next_event());
            outlook.irq(irq, adc.irq());
        }
        let channels = [&map::DMA1_IRQ[..], &map::DMA2_IRQ[..]];
        for (dma, numbers) in self.dmas.iter().zip(channels) {
            for (channel, &number) in numbers.iter().enumerate() {
                outlook.irq(number, dma.irq(channel));
            }
        }
        outlook.irq(map::WWDG_IRQ, self.wwdg.irq());
        outlook.irq(map::RTC_IRQ, self.rtc.irq());
        outlook.irq(map::FLASH_IRQ, self.flash.irq());
    }
}

//! What happens when: the next event of all devices, and its execution.

use super::map::TIMER_TRIGGERS;
use super::{rcc, Outside, Stm32l4};
use crate::soc::stm32::absent;

impl<O: Outside> Stm32l4<O> {
    /// The earliest thing that is due by `at` happens; several of one cycle one after another.
    pub(super) fn fire(&mut self, at: u64) {
        let cycle_ps = self.clock.ps(at);
        let t_ps = self.next_timed.0.map_or(cycle_ps, |timed_ps| timed_ps.min(cycle_ps));
        self.now_ps = t_ps;
        if self.outside.next_event().map_or(false, |next| next <= t_ps) {
            self.outside.advance(t_ps);
            self.outside_changed(at);
        }
        for index in 0..self.usarts.len() {
            if self.usarts[index].lines.next_event().map_or(false, |next| next <= t_ps) {
                self.usarts[index].fire(t_ps, &mut self.usart_effects);
                self.usart_effects(index, at, t_ps);
            }
        }
        if self.rcc.settle(t_ps) {
            self.clocks_changed(at);
        }
        self.rtc.fire(t_ps);
        self.flash.fire(t_ps);
        for (index, i2c) in self.i2cs.iter_mut().enumerate() {
            if let Some(address) = i2c.fire(t_ps) {
                absent::i2c(&mut self.log, t_ps, index, address);
            }
        }
        for lptim in self.lptims.iter_mut() {
            lptim.sync(t_ps);
        }
        if self.iwdg.next_event().map_or(false, |next| next <= t_ps) {
            self.wants_reset |= rcc::IWDGRSTF;
        }
        if t_ps >= cycle_ps && !self.stop.is_on() {
            self.fire_synchronous(at, cycle_ps);
        }
        self.update_irqs();
    }

    /// What counts cycles of the core's clock.
    fn fire_synchronous(&mut self, at: u64, t_ps: u64) {
        for index in 0..self.spis.len() {
            if self.spis[index].shifter.next_event().map_or(false, |next| next <= at) {
                self.spis[index].fire(at, &mut self.spi_effects);
                self.spi_effects(index, at, t_ps);
            }
        }
        self.sync_timers(at);
    }

    /// Finds out what happens next. What counts cycles stands still in Stop mode.
    pub(super) fn reschedule(&mut self) {
        let now_ps = self.now_ps;
        let mut ps = self.outside.next_event();
        let mut consider = |candidate: Option<u64>| {
            if let Some(at) = candidate {
                ps = Some(ps.map_or(at, |least: u64| least.min(at)));
            }
        };
        self.usarts.iter().for_each(|usart| consider(usart.lines.next_event()));
        self.lptims.iter().for_each(|lptim| consider(lptim.next_event()));
        self.i2cs.iter().for_each(|i2c| consider(i2c.next_event()));
        consider(self.rtc.next_event());
        consider(self.flash.next_event());
        consider(self.iwdg.next_event().filter(|_| self.wants_reset == 0));
        consider(self.rcc.next_event(now_ps));
        consider(self.rng.next_event(now_ps));
        consider(self.stop.next_event());
        if ps != self.next_timed.0 {
            self.next_timed = (ps, ps.map_or(u64::MAX, |at_ps| self.clock.tick_at(at_ps)));
        }
        let synchronous = if self.stop.is_on() {
            u64::MAX
        } else {
            self.next_synchronous()
        };
        self.next_event = synchronous.min(self.next_timed.1);
    }

    fn next_synchronous(&self) -> u64 {
        let mut next = u64::MAX;
        for spi in self.spis.iter() {
            next = spi.shifter.next_event().map_or(next, |at| next.min(at));
        }
        for timer in self.timers.iter() {
            next = timer.next_event().map_or(next, |at| next.min(at));
        }
        for (slave, triggers) in self.timers.iter().zip(TIMER_TRIGGERS) {
            if slave.waits_for_trigger() {
                let master = slave.trigger_input().and_then(|input| triggers[input]);
                next = master
                    .and_then(|index| self.timers[index].next_update())
                    .map_or(next, |at| next.min(at));
            }
        }
        next
    }

    /// Brings the timers to `cycle`, those that count the updates of others last.
    pub(super) fn sync_timers(&mut self, cycle: u64) {
        if self.stop.is_on() {
            return;
        }
        for timer in self.timers.iter_mut() {
            timer.sync(cycle);
        }
        loop {
            let mut quiet = true;
            for master in 0..self.timers.len() {
                let count = self.timers[master].take_triggers();
                quiet &= count == 0;
                for (slave, triggers) in self.timers.iter_mut().zip(TIMER_TRIGGERS) {
                    let input = slave.trigger_input();
                    if count > 0 && input.map_or(false, |input| triggers[input] == Some(master)) {
                        slave.count_triggers(count, cycle);
                    }
                }
            }
            if quiet {
                return;
            }
        }
    }
}

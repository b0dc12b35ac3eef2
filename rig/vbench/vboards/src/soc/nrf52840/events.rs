//! What happens when, and what follows: events, shortcuts, PPI, interrupts.

use super::interface::{At, Peripheral};
use super::{map, power, Nrf52840};

/// Cycles of 64 MHz in a period of 16 MHz, on whose edges the PPI works.
const PERIOD: u64 = 4;

impl Nrf52840 {
    /// A peripheral by its number.
    pub(super) fn peripheral(&mut self, number: usize) -> Option<&mut dyn Peripheral> {
        let index = |numbers: &[usize]| numbers.iter().position(|&known| known == number);
        Some(match number {
            map::POWER => &mut self.power,
            map::RADIO => &mut self.radio,
            map::GPIOTE => &mut self.gpiote,
            map::TEMP => &mut self.temp,
            map::RNG => &mut self.rng,
            map::WDT => &mut self.wdt,
            map::NVMC => &mut self.nvmc,
            map::PPI => &mut self.ppi,
            _ => {
                if let Some(index) = index(&map::TIMERS) {
                    return Some(&mut self.timers[index]);
                } else if let Some(index) = index(&map::RTCS) {
                    return Some(&mut self.rtcs[index]);
                } else if let Some(index) = index(&map::UARTES) {
                    return Some(&mut self.uartes[index]);
                }
                &mut self.egus[index(&map::EGUS)?]
            }
        })
    }

    /// Those that do something by themselves, with their numbers.
    fn timed(&self) -> impl Iterator<Item = (usize, &dyn Peripheral)> {
        let single: [(usize, &dyn Peripheral); 5] = [
            (map::POWER, &self.power),
            (map::RADIO, &self.radio),
            (map::TEMP, &self.temp),
            (map::RNG, &self.rng),
            (map::WDT, &self.wdt),
        ];
        let rtcs = map::RTCS.iter().zip(&self.rtcs);
        let rtcs = rtcs.map(|(&number, rtc)| (number, rtc as &dyn Peripheral));
        single.into_iter().chain(rtcs)
    }

    /// The earliest thing that is due by `at` happens; several of one cycle one after another.
    pub(super) fn fire(&mut self, cycle: u64) {
        let cycle_ps = self.clock.ps(cycle);
        let t_ps = self.next_timed.0.map_or(cycle_ps, |timed_ps| timed_ps.min(cycle_ps));
        self.now_ps = self.now_ps.max(t_ps);
        let at = At { cycle, ps: t_ps };
        let due: Option<usize> = self
            .timed()
            .find(|(_, device)| device.next_ps().map_or(false, |ps| ps <= t_ps))
            .map(|(number, _)| number);
        if let Some(number) = due {
            if let Some(device) = self.peripheral(number) {
                device.fire(at);
            }
            self.follow(number, at);
            if self.wdt.has_expired(t_ps) {
                self.wants_reset |= power::DOG;
                self.wdt = super::Wdt::default();
            }
        }
        for index in 0..self.uartes.len() {
            if self.uartes[index].next_ps().map_or(false, |ps| ps <= t_ps) {
                self.uarte_fires(index, at);
            }
        }
        if t_ps >= cycle_ps {
            for index in 0..self.timers.len() {
                if self.timers[index].next_cycle().map_or(false, |due| due <= cycle) {
                    self.timers[index].fire(at);
                    self.follow(map::TIMERS[index], at);
                }
            }
            while self.tasks.front().map_or(false, |task| task.0 <= cycle) {
                if let Some((_, address)) = self.tasks.pop_front() {
                    self.carry_out(address, at);
                }
            }
        }
        self.update_irqs();
    }

    /// A task by its address, as the PPI triggers it.
    fn carry_out(&mut self, address: u32, at: At) {
        if let Some((map::Device::Peripheral(number), offset)) = map::find(address) {
            if let Some(device) = self.peripheral(number) {
                device.task(offset / 4, at);
            }
            self.follow(number, at);
        }
    }

    /// What follows from the events of a peripheral: its shortcuts at once, the PPI's tasks at the next edge of 16 MHz.
    pub(super) fn follow(&mut self, number: usize, at: At) {
        loop {
            let device = match self.peripheral(number) {
                Some(device) => device,
                None => return,
            };
            let event = match device.interface_mut().take_fresh() {
                Some(event) => event,
                None => break,
            };
            let shorts: Vec<u32> = device.interface().short_tasks(event).collect();
            for task in shorts {
                device.task(task, at);
            }
            self.ppi
                .tasks(map::base(number) + 0x100 + 4 * event, &mut self.found_tasks);
            let due = (at.cycle / PERIOD + 1) * PERIOD;
            let place = self.tasks.partition_point(|task| task.0 <= due);
            for (offset, task) in self.found_tasks.drain(..).enumerate() {
                self.tasks.insert(place + offset, (due, task));
            }
        }
        match number {
            map::GPIOTE => self.pins_changed(0, at),
            map::RADIO => self.radio_notes(at),
            map::POWER if std::mem::take(&mut self.power.changed) => self.clocks_changed(at),
            _ => {}
        }
    }

    /// Finds out what happens next.
    pub(super) fn reschedule(&mut self) {
        let uartes = self.uartes.iter().filter_map(Peripheral::next_ps);
        let busy = self.nvmc.busy_until(self.now_ps);
        let ps = self
            .timed()
            .filter_map(|(_, device)| device.next_ps())
            .chain(uartes)
            .chain(busy)
            .min();
        if ps != self.next_timed.0 {
            self.next_timed = (ps, ps.map_or(u64::MAX, |at_ps| self.clock.tick_at(at_ps)));
        }
        let timers = self.timers.iter().filter_map(Peripheral::next_cycle).min();
        let task = self.tasks.front().map(|task| task.0);
        self.next_event = [timers, task]
            .iter()
            .flatten()
            .fold(self.next_timed.1, |next, &cycle| next.min(cycle));
    }

    /// Levels of all interrupt lines.
    pub(super) fn update_irqs(&mut self) {
        let mut irqs = 0u128;
        let mut line = |number: usize, device: &dyn Peripheral| irqs |= u128::from(device.interface().irq()) << number;
        line(map::GPIOTE, &self.gpiote);
        self.timed().for_each(|(number, device)| line(number, device));
        let timers = map::TIMERS.iter().zip(&self.timers);
        timers.for_each(|(&number, device)| line(number, device));
        let uartes = map::UARTES.iter().zip(&self.uartes);
        uartes.for_each(|(&number, device)| line(number, device));
        let egus = map::EGUS.iter().zip(&self.egus);
        egus.for_each(|(&number, device)| line(number, device));
        if irqs != self.irqs {
            self.irqs = irqs;
            self.irq_changed = true;
        }
    }
}

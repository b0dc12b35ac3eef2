//! Stop and Standby (RM0351 5.3.6 to 5.3.10): what stands still, what wakes the chip, how long that takes.

use super::exti::{LPTIM_LINE, USART_LINE};
use super::pwr::DeepSleep;
use super::{rcc, Outside, Stm32l4};
use crate::log::Topic;

/// tWUSTOP from flash, typical, range 1 (DS10198 table "Low-power mode wakeup timings"): Stop 0, 1, 2 with MSI 48 MHz
/// or HSI16. From memory of rev 4, unverified; other MSI ranges take longer.
const WAKE_PS: [u64; 3] = [5_600_000, 6_600_000, 8_400_000];
/// tWUSTBY, the wake-up from Standby with MSI at 4 MHz (same table; unverified).
const STANDBY_WAKE_PS: u64 = 14_300_000;

/// Where the chip is with respect to Stop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stop {
    #[default]
    Running,
    /// Since a cycle, in a mode.
    Stopped { since: u64, mode: u32 },
    /// Woken; the core continues at an instant.
    Waking { since: u64, until_ps: u64 },
    /// Only a reset ends it.
    Standby,
    /// The reset that ends Standby comes at an instant.
    LeavingStandby { until_ps: u64 },
}

impl Stop {
    /// The core's clock stands.
    pub fn is_on(&self) -> bool {
        *self != Stop::Running
    }

    pub fn next_event(&self) -> Option<u64> {
        match *self {
            Stop::Waking { until_ps, .. } | Stop::LeavingStandby { until_ps } => Some(until_ps),
            _ => None,
        }
    }
}

impl<O: Outside> Stm32l4<O> {
    /// The core sleeps with SLEEPDEEP set.
    pub(super) fn enter_deep_sleep(&mut self, cycle: u64) {
        let t_ps = self.clock.ps(cycle);
        self.sync_timers(cycle);
        let mode = match self.pwr.deep_sleep() {
            DeepSleep::Stop(mode) => mode,
            DeepSleep::Standby => return self.stop = Stop::Standby,
            DeepSleep::Shutdown => {
                self.log.once(t_ps, Topic::Device, 0x4000_7000, || {
                    "Shutdown is entered; it is modelled as Standby".to_string()
                });
                return self.stop = Stop::Standby;
            }
        };
        self.rcc.stop(t_ps);
        for index in 0..self.usarts.len() {
            let allowed = mode < 2 || index == 5; // of all, LPUART1 alone works in Stop 2 (table 24)
            let runs = allowed && self.rcc.usart_runs_in_stop(index);
            self.usarts[index].stop(runs);
        }
        for index in 0..self.lptims.len() {
            let allowed = mode < 2 || index == 0;
            if !(allowed && self.rcc.lptim_runs_in_stop(index)) {
                self.lptims[index].set_kernel(None, t_ps);
            }
        }
        self.stop = Stop::Stopped { since: cycle, mode };
    }

    /// What can wake the chip does so if it is active.
    pub(super) fn stop_may_end(&mut self) {
        let now_ps = self.now_ps;
        match self.stop {
            Stop::Stopped { since, mode } if self.wake_request() => {
                let until_ps = now_ps + WAKE_PS[mode as usize];
                self.stop = Stop::Waking { since, until_ps };
            }
            Stop::Standby if self.rtc_signals.0 || self.rtc_signals.1 => {
                let until_ps = now_ps + STANDBY_WAKE_PS;
                self.stop = Stop::LeavingStandby { until_ps };
            }
            Stop::Waking { since, until_ps } if now_ps >= until_ps => self.leave_stop(since, until_ps),
            Stop::LeavingStandby { until_ps } if now_ps >= until_ps => {
                self.stop = Stop::Running;
                self.wants_reset |= rcc::STANDBY;
            }
            _ => {}
        }
    }

    fn wake_request(&self) -> bool {
        let usart = |index: usize| self.usarts[index].wakes() && self.exti.wakes(USART_LINE + index as u32);
        let lptim = |index: usize| self.lptims[index].irq() && self.exti.wakes(LPTIM_LINE + index as u32);
        self.exti.irqs() != 0
            || self.exti.event
            || (0..self.usarts.len()).any(usart)
            || (0..self.lptims.len()).any(lptim)
    }

    fn leave_stop(&mut self, since: u64, now_ps: u64) {
        let cycle = self.clock.tick_at(now_ps);
        let stood = cycle.saturating_sub(since);
        self.stop = Stop::Running;
        self.timers.iter_mut().for_each(|timer| timer.postpone(stood));
        self.spis.iter_mut().for_each(|spi| spi.shifter.postpone(stood));
        self.usarts.iter_mut().for_each(|usart| usart.woken());
        self.clocks_changed(cycle);
        self.irq_changed = true; // they were held back
    }
}

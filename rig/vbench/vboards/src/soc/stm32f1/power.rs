//! PWR (RM0008 chapter 5): Stop and Standby, and how the chip leaves them.

use super::exti::RTC_ALARM;
use super::gpio::PORTS;
use super::rcc::Cause;
use super::{Group, Stm32f1};
use crate::soc::Outside;

const CR_LPDS: u32 = 1 << 0;
const CR_PDDS: u32 = 1 << 1;
const CR_CWUF: u32 = 1 << 2;
const CR_CSBF: u32 = 1 << 3;
pub const CR_DBP: u32 = 1 << 8;
const CSR_WUF: u32 = 1 << 0;
const CSR_SBF: u32 = 1 << 1;
const CSR_EWUP: u32 = 1 << 8;

/// tWUSTOP with the regulator in run mode and in low-power mode, tWUSTDBY (DS5792 table 26).
const WAKE_RUN_PS: u64 = 3_600_000;
const WAKE_LOW_POWER_PS: u64 = 5_400_000;
const WAKE_STANDBY_PS: u64 = 50_000_000;

/// Port and bit of WKUP, PA0.
const WKUP: (usize, u16) = (0, 0);

/// A mode in which the chip's clocks stand still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deep {
    Stop,
    Standby,
}

/// PWR's registers, and the mode that the chip is in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Power {
    cr: u32,
    csr: u32,
    /// The mode, and since which cycle.
    pub deep: Option<(Deep, u64)>,
}

impl Power {
    pub fn backup_writable(&self) -> bool {
        self.cr & CR_DBP != 0
    }

    pub fn read(&self, offset: u32) -> Option<u32> {
        match offset {
            0x00 => Some(self.cr),
            0x04 => Some(self.csr),
            _ => None,
        }
    }

    pub fn write(&mut self, offset: u32, value: u32) -> Option<()> {
        match offset {
            0x00 => {
                self.cr = value & 0x1F3; // CWUF and CSBF read 0
                self.csr &= if value & CR_CWUF != 0 { !CSR_WUF } else { !0 };
                self.csr &= if value & CR_CSBF != 0 { !CSR_SBF } else { !0 };
            }
            0x04 => self.csr = self.csr & !CSR_EWUP | value & CSR_EWUP,
            _ => return None,
        }
        Some(())
    }

    /// A reset: the flags of CSR stay (5.4.2).
    pub fn reset(&mut self) {
        self.cr = 0;
        self.csr &= CSR_WUF | CSR_SBF;
        self.deep = None;
    }
}

impl<O: Outside> Stm32f1<O> {
    /// The core sleeps with SLEEPDEEP. False: a pending line keeps the chip awake (5.3.5).
    pub(super) fn enter_deep(&mut self, cycle: u64) -> bool {
        if self.exti.irqs() != 0 {
            return false;
        }
        self.sync_timers(cycle);
        self.wwdg.sync(cycle);
        let mode = if self.power.cr & CR_PDDS != 0 {
            Deep::Standby
        } else {
            Deep::Stop
        };
        self.power.deep = Some((mode, cycle));
        self.usarts.iter_mut().for_each(|usart| usart.stopped = true);
        if mode == Deep::Standby {
            // 5.3.6: everything but the backup domain loses its supply; the pins float.
            self.reset_devices(|_| true, cycle);
            for port in 0..PORTS {
                self.ports[port].reset();
                self.settle_at(port, cycle);
            }
        }
        self.touch(Group::Rest);
        self.look();
        true
    }

    /// Stop ends at `cycle`: HSI runs the chip. Returns when the core continues.
    pub(super) fn leave_stop(&mut self, cycle: u64) -> u64 {
        let since = match self.power.deep {
            Some((Deep::Stop, since)) => since,
            _ => return cycle,
        };
        self.power.deep = None;
        self.postpone(cycle - since);
        let now_ps = self.clock.ps(cycle);
        self.rcc.leave_stop(now_ps);
        self.clocks_changed(cycle);
        let low_power = self.power.cr & CR_LPDS != 0;
        let resume_ps = now_ps + if low_power { WAKE_LOW_POWER_PS } else { WAKE_RUN_PS };
        let resume = self.clock.tick_at(resume_ps);
        self.postpone(resume - cycle);
        self.usarts.iter_mut().for_each(|usart| usart.stopped = false);
        self.touch_all();
        self.look();
        resume
    }

    /// What counts the chip's clock has not moved for this number of cycles.
    fn postpone(&mut self, cycles: u64) {
        self.timers.iter_mut().for_each(|timer| timer.postpone(cycles));
        self.usarts.iter_mut().for_each(|usart| usart.lines.postpone(cycles));
        self.spis.iter_mut().for_each(|spi| spi.shifter.postpone(cycles));
        self.i2cs.iter_mut().for_each(|i2c| i2c.postpone(cycles));
        self.adcs.iter_mut().for_each(|adc| adc.postpone(cycles));
        self.wwdg.postpone(cycles);
    }

    /// Next event while the clocks stand still: the world, the RTC, the watchdog, edges on RX pins.
    pub(super) fn next_in_deep(&self) -> u64 {
        let (alarm, watchdog) = (
            self.rtc.next_event(self.exti.wakes(RTC_ALARM) || self.in_standby()),
            self.iwdg.next_event(),
        );
        let clocked = [alarm, watchdog]
            .into_iter()
            .flatten()
            .map(|t_ps| self.clock.tick_at(t_ps));
        let arrivals = self.usarts.iter().filter_map(|usart| usart.lines.next_arrival());
        clocked.chain(arrivals).min().unwrap_or(u64::MAX)
    }

    pub(super) fn in_standby(&self) -> bool {
        matches!(self.power.deep, Some((Deep::Standby, _)))
    }

    /// A rising edge on WKUP, or the RTC's alarm: Standby ends, and the chip starts like after a reset.
    pub(super) fn wake_from_standby(&mut self, cycle: u64) {
        if !self.in_standby() || self.restart.is_some() {
            return;
        }
        self.power.csr |= CSR_WUF | CSR_SBF;
        let at = self.clock.tick_at(self.clock.ps(cycle) + WAKE_STANDBY_PS);
        self.restart = Some((at, Cause::Standby));
    }

    /// A net has changed.
    pub(super) fn wakeup_pin(&mut self, port: usize, bit: u16, level: bool, cycle: u64) {
        if level && (port, bit) == WKUP && self.power.csr & CSR_EWUP != 0 {
            self.wake_from_standby(cycle);
        }
    }
}

//! Real-time clock (RM0351 chapter 38): calendar, alarms, wake-up timer, backup registers.
//!
//! Not modelled: tamper pins, time stamps, calibration, shift by SHIFTR, summer time, clock output.

mod calendar;
mod registers;

use crate::clock::Clock;
use crate::soc::stm32l4::rcc::Rate;
use calendar::Moment;

const CR_ALRAE: u32 = 1 << 8;
const CR_WUTE: u32 = 1 << 10;
const CR_WUTIE: u32 = 1 << 14;
const ISR_ALRAF: u32 = 1 << 8;
const ISR_WUTF: u32 = 1 << 10;
/// RTCCLK periods until INITF, and until a cleared RSF comes back (38.3.7, 38.3.8: about two).
const SYNC_CLOCKS: u64 = 2;

/// One alarm.
#[derive(Clone, Copy, Debug, Default)]
struct Alarm {
    fields: u32,
    subseconds: u32,
    at_ps: Option<u64>,
}

/// The RTC.
#[derive(Clone, Debug)]
pub struct Rtc {
    ppb: i64,
    source: Option<Rate>,
    cr: u32,
    /// Flags that stay: alarms, wake-up timer.
    flags: u32,
    prer: u32,
    wutr: u32,
    calr: u32,
    tampcr: u32,
    or: u32,
    alarms: [Alarm; 2],
    backup: [u32; 32],
    /// Steps of the write protection that are passed; 2: open.
    key: u32,
    init: bool,
    init_ready_ps: u64,
    synced_ps: u64,
    /// The calendar at tick 0 of `ticks`; the subsecond counter is at its top there.
    origin: Moment,
    /// Clock after the asynchronous prescaler; None: it stands.
    ticks: Option<Clock>,
    /// Subsecond ticks that had passed when the clock stopped.
    stopped_at: u64,
    /// TR and DR as they were when TR or SSR was read, until DR is read.
    frozen: Option<(u32, u32)>,
    wakeup_ps: Option<u64>,
}

impl Rtc {
    pub fn new(ppb: i64) -> Rtc {
        Rtc {
            ppb,
            source: None,
            cr: 0,
            flags: 0,
            prer: 0x007F_00FF,
            wutr: 0xFFFF,
            calr: 0,
            tampcr: 0,
            or: 0,
            alarms: [Alarm::default(); 2],
            backup: [0; 32],
            key: 0,
            init: false,
            init_ready_ps: 0,
            synced_ps: 0,
            origin: Moment::default(),
            ticks: None,
            stopped_at: 0,
            frozen: None,
            wakeup_ps: None,
        }
    }

    /// Reset of the backup domain.
    pub fn reset(&mut self) {
        *self = Rtc::new(self.ppb);
    }

    /// System reset: only what is not in the backup domain.
    pub fn system_reset(&mut self, now_ps: u64) {
        self.key = 0;
        self.frozen = None;
        self.synced_ps = now_ps + self.clocks_ps(SYNC_CLOCKS);
    }

    /// RTCCLK is this from `now_ps` on.
    pub fn set_source(&mut self, source: Option<Rate>, now_ps: u64) {
        if source != self.source {
            let passed = self.passed(now_ps);
            self.source = source;
            self.restart(passed, now_ps);
            self.plan_wakeup(now_ps);
        }
    }

    fn clocks_ps(&self, clocks: u64) -> u64 {
        self.source
            .map_or(0, |rate| Clock::new(rate.num, rate.den, self.ppb, 0).ps(clocks))
    }

    /// Subsecond ticks of a second.
    fn second(&self) -> u64 {
        u64::from(self.prer & 0x7FFF) + 1
    }

    /// The calendar continues `passed` ticks after its origin.
    fn restart(&mut self, passed: u64, now_ps: u64) {
        let divider = u64::from(self.prer >> 16 & 0x7F) + 1;
        self.stopped_at = passed;
        self.ticks = match self.source {
            Some(rate) if !self.init => {
                let clock = Clock::new(rate.num, rate.den * divider, self.ppb, 0);
                let lead_ps = clock.ps(passed);
                if lead_ps <= now_ps {
                    Some(clock.starting_at(now_ps - lead_ps))
                } else {
                    // Less time since power-on than the calendar has counted: move its origin up.
                    self.origin = self.origin.plus(passed / self.second());
                    self.stopped_at = 0;
                    Some(clock.starting_at(now_ps))
                }
            }
            _ => None,
        };
        self.plan_alarms(now_ps);
    }

    /// Subsecond ticks since the origin.
    fn passed(&self, now_ps: u64) -> u64 {
        match &self.ticks {
            Some(clock) if clock.ps(0) <= now_ps => clock.tick_at(now_ps + 1) - 1,
            Some(_) => 0,
            None => self.stopped_at,
        }
    }

    fn moment(&self, now_ps: u64) -> Moment {
        self.origin.plus(self.passed(now_ps) / self.second())
    }

    fn subsecond(&self, now_ps: u64) -> u32 {
        (self.second() - 1 - self.passed(now_ps) % self.second()) as u32
    }

    fn enabled(&self, alarm: usize) -> bool {
        self.cr & CR_ALRAE << alarm != 0
    }

    fn plan_alarms(&mut self, now_ps: u64) {
        for index in 0..2 {
            self.alarms[index].at_ps = self.next_alarm(index, now_ps);
        }
    }

    /// Instant after `now_ps` at which an alarm goes off next, within two months.
    fn next_alarm(&self, index: usize, now_ps: u64) -> Option<u64> {
        const HORIZON_S: u64 = 62 * 86_400;
        let clock = self.ticks.as_ref().filter(|_| self.enabled(index))?;
        let alarm = self.alarms[index];
        let (passed, second) = (self.passed(now_ps), self.second());
        let now_s = passed / second;
        let mut at_s = now_s;
        while at_s < now_s + HORIZON_S {
            let moment = self.origin.plus(at_s);
            if !moment.on_day(alarm.fields) {
                at_s += moment.to_midnight();
                continue;
            }
            if moment.at_time(alarm.fields) {
                let after = passed.saturating_sub(at_s * second);
                let first = if at_s == now_s { after + 1 } else { 0 };
                if let Some(tick) = self.subsecond_match(alarm.subseconds, first) {
                    return Some(clock.ps(at_s * second + tick));
                }
            }
            at_s += moment.to_second(alarm.fields);
        }
        None
    }

    /// First tick from `first` on within a second that ALRMxSSR accepts (38.6.17).
    fn subsecond_match(&self, register: u32, first: u64) -> Option<u64> {
        let mask = (1u32 << (register >> 24 & 15)) - 1;
        if mask == 0 {
            return if first == 0 { Some(0) } else { None };
        }
        (first..self.second()).find(|&tick| {
            let subsecond = (self.second() - 1 - tick) as u32;
            (subsecond ^ register) & mask & 0x7FFF == 0
        })
    }

    /// Time from one wake-up to the next (38.3.6); the clock is RTCCLK/16 to /2, or the seconds.
    fn wakeup_period_ps(&self) -> Option<u64> {
        let rate = self.source?;
        let (select, count) = (self.cr & 7, u64::from(self.wutr) + 1);
        let (clocks, count) = match select {
            0..=3 => (16 >> select, count),
            _ => {
                let divider = u64::from(self.prer >> 16 & 0x7F) + 1;
                (divider * self.second(), count + if select >= 6 { 0x1_0000 } else { 0 })
            }
        };
        Some(Clock::new(rate.num, rate.den * clocks, self.ppb, 0).ps(count))
    }

    fn plan_wakeup(&mut self, now_ps: u64) {
        let period_ps = self.wakeup_period_ps().filter(|_| self.cr & CR_WUTE != 0);
        self.wakeup_ps = period_ps.map(|period_ps| now_ps + period_ps);
    }

    pub fn next_event(&self) -> Option<u64> {
        [self.alarms[0].at_ps, self.alarms[1].at_ps, self.wakeup_ps]
            .iter()
            .flatten()
            .copied()
            .min()
    }

    /// Handles what is due by `now_ps`.
    pub fn fire(&mut self, now_ps: u64) {
        for index in 0..2 {
            if self.alarms[index].at_ps.map_or(false, |at| at <= now_ps) {
                self.flags |= ISR_ALRAF << index;
                self.alarms[index].at_ps = self.next_alarm(index, now_ps);
            }
        }
        if let Some(at_ps) = self.wakeup_ps.filter(|&at| at <= now_ps) {
            self.flags |= ISR_WUTF;
            self.wakeup_ps = self.wakeup_period_ps().map(|period_ps| at_ps + period_ps);
        }
    }

    /// Signals to EXTI: alarms, wake-up timer.
    pub fn signals(&self) -> (bool, bool) {
        (
            self.flags & self.cr >> 4 & 0x300 != 0,
            self.flags & ISR_WUTF != 0 && self.cr & CR_WUTIE != 0,
        )
    }
}

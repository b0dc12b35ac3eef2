//! SysTick: a 24-bit down counter. It is not stepped: its state follows from the cycle at which it next reaches zero.

const ENABLE: u32 = 1;
const TICKINT: u32 = 2;
const CLKSOURCE: u32 = 4;
const COUNTFLAG: u32 = 1 << 16;
/// With CLKSOURCE clear an STM32 counts HCLK / 8 (RM0008 section 7.2, PM0056 section 4.5).
const EXTERNAL_DIVIDER: u64 = 8;
const MAX_RELOAD: u32 = 0x00FF_FFFF;

pub(super) struct SysTick {
    control: u32,
    reload: u32,
    /// Count while disabled.
    stopped_at: u32,
    /// Cycle of the next zero; `u64::MAX` when the counter stands.
    zero_at: u64,
    /// Cycle of the last zero or of the last write to VAL; the count reads 0 for one tick after it.
    was_zero_at: u64,
}

impl SysTick {
    pub fn new() -> SysTick {
        SysTick {
            control: 0,
            reload: 0,
            stopped_at: 0,
            zero_at: u64::MAX,
            was_zero_at: 0,
        }
    }

    fn divider(&self) -> u64 {
        if self.control & CLKSOURCE != 0 {
            1
        } else {
            EXTERNAL_DIVIDER
        }
    }

    fn period(&self) -> u64 {
        (u64::from(self.reload) + 1) * self.divider()
    }

    /// Cycle of the next zero that pends the exception; `u64::MAX` for never.
    #[inline(always)]
    pub fn next_interrupt(&self) -> u64 {
        if self.control & TICKINT != 0 {
            self.zero_at
        } else {
            u64::MAX
        }
    }

    /// Lets time pass to `now`; true if the exception becomes pending.
    pub fn advance(&mut self, now: u64) -> bool {
        if now < self.zero_at {
            return false;
        }
        self.control |= COUNTFLAG;
        if self.reload == 0 {
            self.was_zero_at = self.zero_at;
            self.zero_at = u64::MAX;
            self.stopped_at = 0;
        } else {
            let more = (now - self.zero_at) / self.period();
            self.was_zero_at = self.zero_at + more * self.period();
            self.zero_at = self.was_zero_at + self.period();
        }
        self.control & TICKINT != 0
    }

    /// The clock stood still for `cycles`.
    pub fn postpone(&mut self, cycles: u64) {
        self.was_zero_at += cycles;
        if self.zero_at != u64::MAX {
            self.zero_at += cycles;
        }
    }

    fn count(&self, now: u64) -> u32 {
        if self.zero_at == u64::MAX {
            return self.stopped_at;
        }
        if now < self.was_zero_at + self.divider() {
            return 0;
        }
        ((self.zero_at - now + self.divider() - 1) / self.divider()) as u32 & MAX_RELOAD
    }

    fn start(&mut self, now: u64, count: u32) {
        if count != 0 {
            self.zero_at = now + u64::from(count) * self.divider();
        } else if self.reload != 0 {
            self.was_zero_at = now;
            self.zero_at = now + self.period();
        } else {
            self.stopped_at = 0;
            self.zero_at = u64::MAX;
        }
    }

    /// Register at `offset` from 0xE000E010; the caller has let time pass to `now`.
    pub fn read(&mut self, offset: u32, now: u64) -> u32 {
        match offset {
            0 => {
                let value = self.control;
                self.control &= !COUNTFLAG;
                value
            }
            4 => self.reload,
            8 => self.count(now),
            // CALIB: a 1 ms reload for HCLK/8 at 72 MHz, as ST builds it in (PM0056 section 4.5.4).
            _ => 9000,
        }
    }

    pub fn write(&mut self, offset: u32, value: u32, now: u64) {
        match offset {
            0 => {
                let count = self.count(now);
                let was_on = self.control & ENABLE != 0;
                let same_clock = (self.control ^ value) & CLKSOURCE == 0;
                self.control = self.control & COUNTFLAG | value & (ENABLE | TICKINT | CLKSOURCE);
                if value & ENABLE == 0 {
                    self.stopped_at = count;
                    self.zero_at = u64::MAX;
                } else if !was_on || !same_clock {
                    self.start(now, count);
                }
            }
            4 => {
                let was_standing = self.zero_at == u64::MAX;
                self.reload = value & MAX_RELOAD;
                if was_standing && self.control & ENABLE != 0 {
                    self.start(now, self.stopped_at);
                }
            }
            8 => {
                self.control &= !COUNTFLAG;
                self.stopped_at = 0;
                if self.control & ENABLE != 0 {
                    self.start(now, 0);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(reload: u32, control: u32, now: u64) -> SysTick {
        let mut tick = SysTick::new();
        tick.write(4, reload, now);
        tick.write(8, 0, now);
        tick.write(0, control, now);
        tick
    }

    #[test]
    fn period_is_reload_plus_one() {
        let mut tick = running(99, 7, 1000);
        assert_eq!(1100, tick.next_interrupt());
        assert!(!tick.advance(1099));
        assert_eq!(1, tick.read(8, 1099));
        assert!(tick.advance(1100));
        assert_eq!(0, tick.read(8, 1100));
        assert_eq!(99, tick.read(8, 1101));
        assert_eq!(1200, tick.next_interrupt());
        assert_eq!(COUNTFLAG | 7, tick.read(0, 1101));
        assert_eq!(7, tick.read(0, 1102));
    }

    #[test]
    fn many_periods_pass_at_once() {
        let mut tick = running(9, 7, 0);
        assert!(tick.advance(10_005));
        assert_eq!(10_010, tick.next_interrupt());
    }

    #[test]
    fn external_clock_is_an_eighth() {
        let mut tick = running(99, 3, 0);
        assert_eq!(800, tick.next_interrupt());
        assert_eq!(50, tick.read(8, 400));
    }

    #[test]
    fn without_tickint_nothing_pends_but_the_flag_is_set() {
        let mut tick = running(9, 5, 0);
        assert_eq!(u64::MAX, tick.next_interrupt());
        assert!(!tick.advance(25));
        assert_eq!(COUNTFLAG | 5, tick.read(0, 25));
    }

    #[test]
    fn a_stopped_clock_postpones() {
        let mut tick = running(9, 7, 0);
        tick.postpone(100);
        assert_eq!(110, tick.next_interrupt());
        assert_eq!(5, tick.read(8, 105));
    }
}

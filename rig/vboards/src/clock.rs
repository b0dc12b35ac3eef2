//! Exact integer conversion between a counted clock and the bench's picoseconds.
//!
//! A clock of `hz / divider` hertz that is off by `ppb` parts per billion has a period of
//! `divider * 10^21 / (hz * (10^9 + ppb))` ps. The ratio is kept reduced; nothing here is a float.

/// Picoseconds per second times parts per billion per unit.
const PS_TIMES_PPB: u128 = 1_000_000_000_000_000_000_000;

/// One piece of a clock's life between two changes of its frequency.
#[derive(Clone, Debug)]
pub struct Clock {
    base_tick: u64,
    base_ps: u64,
    /// Picoseconds of `den` ticks.
    num: u128,
    /// Ticks of `num` picoseconds.
    den: u128,
    ppb: i64,
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        let r = a % b;
        a = b;
        b = r;
    }
    a
}

impl Clock {
    /// A clock whose tick 0 falls on `start_ps`.
    ///
    /// `hz / divider` is its nominal frequency, `ppb` how much faster it really is.
    pub fn new(hz: u64, divider: u64, ppb: i64, start_ps: u64) -> Clock {
        let mut clock = Clock {
            base_tick: 0,
            base_ps: start_ps,
            num: 1,
            den: 1,
            ppb,
        };
        clock.set_ratio(hz, divider);
        clock
    }

    fn set_ratio(&mut self, hz: u64, divider: u64) {
        assert!(hz > 0 && divider > 0, "a clock needs a frequency above 0 Hz");
        assert!(
            self.ppb > -1_000_000_000,
            "a clock error of {} ppb stops the clock",
            self.ppb
        );
        let num = u128::from(divider) * PS_TIMES_PPB;
        let den = u128::from(hz) * ((1_000_000_000 + i128::from(self.ppb)) as u128);
        let common = gcd(num, den);
        self.num = num / common;
        self.den = den / common;
    }

    /// The same clock with its tick 0 on `start_ps`.
    pub fn starting_at(&self, start_ps: u64) -> Clock {
        Clock {
            base_tick: 0,
            base_ps: start_ps,
            ..self.clone()
        }
    }

    /// The instant of `tick`, rounded down to a picosecond. Ticks before the last retune count as the retune.
    pub fn ps(&self, tick: u64) -> u64 {
        let ticks = u128::from(tick.saturating_sub(self.base_tick));
        let ps = ticks.saturating_mul(self.num) / self.den;
        self.base_ps.saturating_add(u64::try_from(ps).unwrap_or(u64::MAX))
    }

    /// The first tick at or after the instant `ps`: `self.ps(tick) >= ps` and no earlier tick has it.
    pub fn tick_at(&self, ps: u64) -> u64 {
        let wait = u128::from(ps.saturating_sub(self.base_ps));
        let ticks = wait.saturating_mul(self.den).saturating_add(self.num - 1) / self.num;
        self.base_tick.saturating_add(u64::try_from(ticks).unwrap_or(u64::MAX))
    }

    /// Changes the frequency from `tick` on; loses less than one picosecond.
    pub fn retune(&mut self, tick: u64, hz: u64, divider: u64) {
        self.base_ps = self.ps(tick);
        self.base_tick = tick;
        self.set_ratio(hz, divider);
    }
}

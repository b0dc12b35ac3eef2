//! Exact integer conversion between a counted clock and the bench's picoseconds.
//!
//! A clock of `hz / divider` hertz that is off by `ppb` parts per billion has a period of
//! `divider * 10^21 / (hz * (10^9 + ppb))` ps. The ratio is kept reduced; nothing here is a float. Where the error
//! changes, a new segment begins at the first tick at or after that instant; each loses less than one picosecond.
//! Both conversions are pure: no chip has to know when its oscillator drifts.

mod spec;

pub use spec::{ClockSpec, ClockStep, Drift};

use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Picoseconds per second times parts per billion per unit.
const PS_TIMES_PPB: u128 = 1_000_000_000_000_000_000_000;

/// A segment of a clock's life with a constant frequency.
#[derive(Clone, Copy, Debug)]
struct Segment {
    tick: u64,
    ps: u64,
    /// Picoseconds of `den` ticks.
    num: u128,
    /// Ticks of `num` picoseconds.
    den: u128,
    /// The first tick that is no longer in it.
    end_tick: u64,
}

/// A clock: an oscillator, and what is made of its frequency.
#[derive(Clone, Debug)]
pub struct Clock {
    spec: Rc<ClockSpec>,
    hz: u64,
    divider: u64,
    first: Segment,
    /// Those after the first, as far as they were needed.
    later: RefCell<Vec<Segment>>,
    /// The last instant that was asked for, and its tick: a run asks for its end again and again.
    asked: Cell<(u64, u64)>,
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        let r = a % b;
        a = b;
        b = r;
    }
    a
}

/// `(count * times + more) / by` in 64 bits, which is faster; None if that does not fit.
#[inline]
fn scaled(count: u64, times: u128, by: u128, more: u128) -> Option<u64> {
    let (times, by) = (u64::try_from(times).ok()?, u64::try_from(by).ok()?);
    let (whole, rest) = (count / by, count % by);
    let rest = rest.checked_mul(times)?.checked_add(u64::try_from(more).ok()?)? / by;
    whole.checked_mul(times)?.checked_add(rest)
}

impl Segment {
    fn new(spec: &ClockSpec, hz: u64, divider: u64, tick: u64, ps: u64) -> Segment {
        assert!(hz > 0 && divider > 0, "a clock needs a frequency above 0 Hz");
        let ppb = spec.ppb_at(ps);
        assert!(ppb > -1_000_000_000, "a clock error of {} ppb stops the clock", ppb);
        let num = u128::from(divider) * PS_TIMES_PPB;
        let den = u128::from(hz) * ((1_000_000_000 + i128::from(ppb)) as u128);
        let common = gcd(num, den);
        let mut segment = Segment {
            tick,
            ps,
            num: num / common,
            den: den / common,
            end_tick: u64::MAX,
        };
        let change_ps = spec.next_change(ps);
        if change_ps < u64::MAX {
            segment.end_tick = segment.tick_at(change_ps);
        }
        segment
    }

    /// What follows it.
    fn next(&self, spec: &ClockSpec, hz: u64, divider: u64) -> Segment {
        let ps = self.ps(self.end_tick);
        let gap_ps = spec.gaps_ps(self.ps, ps);
        Segment::new(spec, hz, divider, self.end_tick, ps.saturating_add(gap_ps))
    }

    fn ps(&self, tick: u64) -> u64 {
        let ticks = tick.saturating_sub(self.tick);
        let ps = scaled(ticks, self.num, self.den, 0).unwrap_or_else(|| {
            u64::try_from(u128::from(ticks).saturating_mul(self.num) / self.den).unwrap_or(u64::MAX)
        });
        self.ps.saturating_add(ps)
    }

    fn tick_at(&self, ps: u64) -> u64 {
        let wait = ps.saturating_sub(self.ps);
        let ticks = scaled(wait, self.den, self.num, self.num - 1).unwrap_or_else(|| {
            let ticks = u128::from(wait).saturating_mul(self.den).saturating_add(self.num - 1) / self.num;
            u64::try_from(ticks).unwrap_or(u64::MAX)
        });
        self.tick.saturating_add(ticks).min(self.end_tick)
    }
}

impl Clock {
    /// A clock whose tick 0 falls on `start_ps`, without drift.
    ///
    /// `hz / divider` is its nominal frequency, `ppb` how much faster it really is.
    pub fn new(hz: u64, divider: u64, ppb: i64, start_ps: u64) -> Clock {
        let spec = ClockSpec {
            start_ps,
            ..ClockSpec::fast(ppb)
        };
        Clock::of(&spec, hz, divider)
    }

    /// A clock of `hz / divider` nominal hertz from an oscillator; tick 0 falls on the oscillator's start.
    pub fn of(spec: &ClockSpec, hz: u64, divider: u64) -> Clock {
        Clock {
            first: Segment::new(spec, hz, divider, 0, spec.start_ps),
            spec: Rc::new(spec.clone()),
            hz,
            divider,
            later: RefCell::default(),
            asked: Cell::new((u64::MAX, u64::MAX)),
        }
    }

    /// The first segment that is not past; makes those that are missing.
    fn segment(&self, is_past: impl Fn(&Segment) -> bool) -> Segment {
        if !is_past(&self.first) {
            return self.first;
        }
        let mut later = self.later.borrow_mut();
        let mut last = later.last().copied().unwrap_or(self.first);
        while is_past(&last) {
            last = last.next(&self.spec, self.hz, self.divider);
            later.push(last);
        }
        let index = later.partition_point(is_past);
        later.get(index).copied().unwrap_or(last)
    }

    fn even_ps(&self, tick: u64) -> u64 {
        self.segment(|segment| tick >= segment.end_tick && segment.end_tick < u64::MAX)
            .ps(tick)
    }

    fn jitter(&self, tick: u64) -> u64 {
        match self.spec.jitter_ps {
            0 => 0,
            _ => self
                .spec
                .jitter(tick, (self.first.num / self.first.den) as u64 * 8 / 10),
        }
    }

    /// The same clock with its tick 0 on `start_ps`.
    pub fn starting_at(&self, start_ps: u64) -> Clock {
        let spec = ClockSpec {
            start_ps,
            ..(*self.spec).clone()
        };
        Clock::of(&spec, self.hz, self.divider)
    }

    /// The instant of `tick`, rounded down to a picosecond. Ticks before the last retune count as the retune.
    pub fn ps(&self, tick: u64) -> u64 {
        self.even_ps(tick).saturating_add(self.jitter(tick))
    }

    /// The first tick at or after the instant `ps`: `self.ps(tick) >= ps` and no earlier tick has it.
    pub fn tick_at(&self, ps: u64) -> u64 {
        if self.asked.get().0 != ps || ps == u64::MAX {
            self.asked.set((ps, self.find_tick(ps)));
        }
        self.asked.get().1
    }

    fn find_tick(&self, ps: u64) -> u64 {
        let past = |segment: &Segment| segment.end_tick < u64::MAX && ps > segment.ps(segment.end_tick);
        let segment = self.segment(past);
        let tick = segment.tick_at(ps.max(segment.ps));
        match tick.checked_sub(1) {
            Some(before) if before >= self.first.tick && self.spec.jitter_ps > 0 && self.ps(before) >= ps => before,
            _ => tick,
        }
    }

    /// Changes the nominal frequency from `tick` on; loses less than one picosecond.
    pub fn retune(&mut self, tick: u64, hz: u64, divider: u64) {
        let ps = self.even_ps(tick);
        self.hz = hz;
        self.divider = divider;
        self.later.borrow_mut().clear();
        self.asked.set((u64::MAX, u64::MAX));
        self.first = Segment::new(&self.spec, hz, divider, tick, ps);
    }
}

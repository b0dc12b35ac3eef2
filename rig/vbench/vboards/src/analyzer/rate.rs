//! An analyzer's own clock: when each sample is taken. Its error may drift slowly.

use crate::clock::Clock;
use std::collections::VecDeque;

/// Steps of one period of the drift; within a step the error is constant.
const STEPS: u64 = 400;

/// A slow drift of the clock's error: up to `ppb` above, down to `ppb` below and back, in straight lines.
///
/// The shape stands for a room that warms and cools; it is an assumption, no model of an oscillator.
#[derive(Clone, Copy, Debug, Default)]
pub struct Drift {
    pub ppb: i64,
    pub period_ms: u64,
}

/// Samples `first..` at the frequency of one step.
struct Interval {
    first: u64,
    start_ps: u64,
    clock: Clock,
}

/// Sample number <-> instant.
pub struct SampleClock {
    rate: (u64, u64),
    ppb: i64,
    drift: Drift,
    /// Samples of one step; `u64::MAX` without drift.
    step: u64,
    intervals: VecDeque<Interval>,
}

impl SampleClock {
    /// A clock of `rate.0 / rate.1` samples per second that is `ppb` fast, whose sample 0 falls on `start_ps`.
    pub fn new(rate: (u64, u64), ppb: i64, start_ps: u64, drift: Drift) -> SampleClock {
        let period = u128::from(rate.0) * u128::from(drift.period_ms) / (u128::from(rate.1) * 1000);
        let step = match (drift.ppb, drift.period_ms) {
            (0, _) | (_, 0) => u64::MAX,
            _ => ((period / u128::from(STEPS)) as u64).max(1),
        };
        let mut made = SampleClock {
            rate,
            ppb,
            drift,
            step,
            intervals: VecDeque::new(),
        };
        made.push(0, start_ps);
        made
    }

    /// The error during step `number` of the drift: a triangle wave.
    fn error_ppb(&self, number: u64) -> i64 {
        let (at, steps) = ((number % STEPS) as i64, STEPS as i64);
        let quarters = match 4 * at / steps {
            0 => 4 * at,
            1 | 2 => 2 * steps - 4 * at,
            _ => 4 * at - 4 * steps,
        };
        self.ppb + self.drift.ppb * quarters / steps
    }

    fn push(&mut self, first: u64, start_ps: u64) {
        let error = self.error_ppb(if self.step == u64::MAX { 0 } else { first / self.step });
        self.intervals.push_back(Interval {
            first,
            start_ps,
            clock: Clock::new(self.rate.0, self.rate.1, error, start_ps),
        });
    }

    /// Makes intervals until one ends after `ps` and after sample `sample`.
    fn reach(&mut self, ps: u64, sample: u64) {
        while self.step < u64::MAX {
            let (first, end_ps) = match self.intervals.back() {
                Some(last) => (last.first.saturating_add(self.step), last.clock.ps(self.step)),
                None => return,
            };
            if end_ps > ps && first > sample {
                return;
            }
            self.push(first, end_ps);
        }
    }

    /// The first sample at or after `ps`.
    pub fn sample_at(&mut self, ps: u64) -> u64 {
        self.reach(ps, 0);
        let found = self.intervals.iter().rev().find(|interval| interval.start_ps <= ps);
        match found.or_else(|| self.intervals.front()) {
            Some(interval) => interval.first + interval.clock.tick_at(ps).min(self.step),
            None => 0,
        }
    }

    /// The instant of `sample`, rounded down to a picosecond.
    pub fn ps(&mut self, sample: u64) -> u64 {
        self.reach(0, sample);
        let found = self.intervals.iter().rev().find(|interval| interval.first <= sample);
        found.map_or(0, |interval| interval.clock.ps(sample - interval.first))
    }

    /// Forgets intervals that end before `sample`, but one.
    pub fn forget_before(&mut self, sample: u64) {
        while self.intervals.len() > 2 && self.intervals[2].first < sample {
            self.intervals.pop_front();
        }
    }
}

//! What is wrong with an oscillator: error, drift, steps, jitter. All of it is a pure function of the bench's time.

use crate::rng::{below, draw, Purpose};

/// Beyond 10 % it is not a clock.
pub const MAX_PPB: u64 = 100_000_000;
/// A drift is a staircase of a fixed number of steps per ramp or period.
const STEPS: u128 = 256;

/// A slow change of the frequency on top of the constant error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Drift {
    #[default]
    None,
    /// From 0 to `ppb` in `over_ps` from instant 0, then constant: warming up.
    Ramp { ppb: i64, over_ps: u64 },
    /// From 0 to `ppb` and back in `period_ps`, again and again: day and night.
    Triangle { ppb: i64, period_ps: u64 },
    /// Redrawn every `every_ps`, uniform between -`ppb` and `ppb`: an RC oscillator.
    Wander { ppb: i64, every_ps: u64 },
}

/// A fault of the oscillator at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClockStep {
    pub at_ps: u64,
    /// Its error changes by this, for good.
    pub ppb: i64,
    /// It stands still for this long: the node's time falls back.
    pub gap_ps: u64,
}

/// Shortest ramp, period or spell of a drift: what is quicker is jitter.
const MIN_SPAN_PS: u64 = 1_000_000_000;

/// An oscillator and its errors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClockSpec {
    pub seed: u64,
    /// Board that it is on; keeps the draws of boards apart.
    pub board: u16,
    /// The board gets its supply here, and its first tick is here.
    pub start_ps: u64,
    /// How much faster than nominal it is.
    pub ppb: i64,
    pub drift: Drift,
    pub steps: Vec<ClockStep>,
    /// Each tick comes later by a draw below this, at most by one ps less than a period.
    pub jitter_ps: u64,
}

impl ClockSpec {
    /// Constant error and nothing else.
    pub fn fast(ppb: i64) -> ClockSpec {
        ClockSpec {
            ppb,
            ..ClockSpec::default()
        }
    }

    /// Refuses what is not a clock.
    pub fn check(&self) -> Result<(), String> {
        let (drift_ppb, span_ps) = match self.drift {
            Drift::None => (0, u64::MAX),
            Drift::Ramp { ppb, over_ps } => (ppb, over_ps),
            Drift::Triangle { ppb, period_ps } => (ppb, period_ps),
            Drift::Wander { ppb, every_ps } => (ppb, every_ps),
        };
        if span_ps < MIN_SPAN_PS {
            return Err(format!("a drift over {} ps is too quick: 1 ms at least", span_ps));
        }
        let all = self.steps.iter().map(|step| step.ppb).chain([self.ppb, drift_ppb]);
        let sum: u128 = all.map(|ppb| u128::from(ppb.unsigned_abs())).sum();
        if sum <= u128::from(MAX_PPB) {
            Ok(())
        } else {
            Err(format!("a clock error of {} ppb is beyond 10 %", sum))
        }
    }

    /// Its error at an instant.
    pub fn ppb_at(&self, t_ps: u64) -> i64 {
        let stepped: i64 = self.steps.iter().filter(|s| s.at_ps <= t_ps).map(|s| s.ppb).sum();
        self.ppb + stepped + self.drift_at(t_ps)
    }

    fn drift_at(&self, t_ps: u64) -> i64 {
        // The middle of the stair, so that nothing adds up.
        let part = |t_ps: u64, over_ps: u64| (stair(t_ps, over_ps) * 2 + 1) as i128;
        let steps = STEPS as i128;
        match self.drift {
            Drift::None => 0,
            Drift::Ramp { ppb, over_ps } if t_ps >= over_ps => ppb,
            Drift::Ramp { ppb, over_ps } => (i128::from(ppb) * part(t_ps, over_ps) / (2 * steps)) as i64,
            Drift::Triangle { ppb, period_ps } => {
                let up = part(t_ps % period_ps, period_ps);
                (i128::from(ppb) * up.min(2 * steps - up) / steps) as i64
            }
            Drift::Wander { ppb, every_ps } => {
                let luck = draw(self.seed, Purpose::Clock, &[u64::from(self.board), 1], t_ps / every_ps);
                below(luck, 2 * ppb.unsigned_abs() + 1) as i64 - ppb.abs()
            }
        }
    }

    /// When its error changes next after an instant.
    pub fn next_change(&self, t_ps: u64) -> u64 {
        let drift_ps = match self.drift {
            Drift::None => u64::MAX,
            Drift::Ramp { over_ps, .. } if t_ps >= over_ps => u64::MAX,
            Drift::Ramp { over_ps, .. } => next_stair(t_ps, over_ps),
            Drift::Triangle { period_ps, .. } => t_ps - t_ps % period_ps + next_stair(t_ps % period_ps, period_ps),
            Drift::Wander { every_ps, .. } => (t_ps / every_ps + 1).saturating_mul(every_ps),
        };
        let steps = self.steps.iter().map(|step| step.at_ps).filter(|&at_ps| at_ps > t_ps);
        steps.fold(drift_ps, u64::min)
    }

    /// How long it stands still for faults in `from_ps + 1 ..= to_ps`.
    pub fn gaps_ps(&self, from_ps: u64, to_ps: u64) -> u64 {
        let steps = self.steps.iter().filter(|s| s.at_ps > from_ps && s.at_ps <= to_ps);
        steps.map(|step| step.gap_ps).sum()
    }

    /// How much later than its even grid a tick comes.
    pub fn jitter(&self, tick: u64, period_ps: u64) -> u64 {
        let span_ps = self.jitter_ps.min(period_ps.saturating_sub(1));
        let luck = draw(self.seed, Purpose::Clock, &[u64::from(self.board), 0], tick);
        below(luck, span_ps)
    }
}

fn stair(t_ps: u64, over_ps: u64) -> u128 {
    u128::from(t_ps) * STEPS / u128::from(over_ps)
}

/// Where the next stair begins.
fn next_stair(t_ps: u64, over_ps: u64) -> u64 {
    let over = u128::from(over_ps);
    (((stair(t_ps, over_ps) + 1) * over + STEPS - 1) / STEPS) as u64
}

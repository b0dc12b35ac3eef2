//! Sources of noise: bursts of energy that no receiver finds a frame in.

use super::{Message, Modulation, Signal, Waveform};
use crate::rng::{draw, Purpose};

/// Sources from here on are interferers, not boards.
pub const FIRST_SOURCE: u16 = 0x8000;

/// When bursts begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// One every `period_ps`.
    Periodic { period_ps: u64 },
    /// Silence of random length with this mean between two: a Poisson process while silent.
    Poisson { mean_ps: u64 },
    /// One every `period_ps` for `on_ps`, then nothing for `off_ps`.
    OnOff { period_ps: u64, on_ps: u64, off_ps: u64 },
}

/// A source of noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interferer {
    pub centre_khz: u32,
    pub width_khz: u32,
    /// Level at a board, all of the width, unless the board has its own.
    pub level_dbm: i32,
    pub burst_ps: u64,
    pub first_ps: u64,
    pub pattern: Pattern,
}

impl Interferer {
    /// Refuses what cannot be.
    pub fn check(&self) -> Result<(), String> {
        let (least_ps, what) = match self.pattern {
            Pattern::Periodic { period_ps } => (period_ps, "a period"),
            Pattern::OnOff { period_ps, on_ps, .. } => (period_ps.min(on_ps), "a period and an on time"),
            Pattern::Poisson { mean_ps } => (mean_ps.saturating_add(self.burst_ps), "a mean"),
        };
        if self.burst_ps == 0 || self.width_khz == 0 {
            return Err("an interferer needs a burst longer than 0 and a width above 0 kHz".to_string());
        }
        if least_ps < self.burst_ps || least_ps <= 1 {
            return Err(format!(
                "an interferer with bursts of {} ps needs {} of at least that",
                self.burst_ps, what
            ));
        }
        Ok(())
    }

    fn waveform(&self) -> Waveform {
        Waveform {
            modulation: Modulation::Noise,
            centre_khz: self.centre_khz,
            width_khz: self.width_khz,
            shr_ps: self.burst_ps,
            phr_ps: 0,
            byte_ps: 0,
        }
    }
}

/// An interferer at work.
pub struct Source {
    pub settings: Interferer,
    seed: u64,
    source: u16,
    frame: u32,
    /// Where the next burst begins.
    pub next_ps: u64,
}

impl Source {
    pub fn new(seed: u64, index: u16, settings: Interferer) -> Source {
        Source {
            settings,
            seed,
            source: FIRST_SOURCE | index,
            frame: 0,
            next_ps: settings.first_ps,
        }
    }

    /// The next burst, and on to the one after it.
    pub fn burst(&mut self) -> Message {
        let message = Message {
            source: self.source,
            frame: self.frame,
            signal: Signal::Start {
                start_ps: self.next_ps,
                waveform: self.settings.waveform(),
                ppb: 0,
                power_dbm: 0,
            },
        };
        self.frame = self.frame.wrapping_add(1);
        let step_ps = match self.settings.pattern {
            Pattern::Periodic { period_ps } => period_ps,
            Pattern::Poisson { mean_ps } => {
                let luck = draw(
                    self.seed,
                    Purpose::Interferer,
                    &[u64::from(self.source)],
                    self.frame.into(),
                );
                self.settings.burst_ps + exponential(luck, mean_ps)
            }
            Pattern::OnOff {
                period_ps,
                on_ps,
                off_ps,
            } => {
                let since_on = (self.next_ps - self.settings.first_ps) % (on_ps + off_ps) + period_ps;
                if since_on < on_ps {
                    period_ps
                } else {
                    on_ps + off_ps - (since_on - period_ps)
                }
            }
        };
        self.next_ps = self.next_ps.saturating_add(step_ps.max(1));
        message
    }
}

/// Exponentially distributed with a mean: -ln(luck / 2^64) * mean, by a binary logarithm with 16 bits of fraction.
pub fn exponential(luck: u64, mean: u64) -> u64 {
    const LN_2: u128 = 45_426; // ln(2) * 2^16
    let zeros = luck.max(1).leading_zeros();
    let mut mantissa = u128::from(luck.max(1) << zeros);
    let mut fraction = 0u128;
    for _ in 0..16 {
        mantissa = (mantissa * mantissa) >> 63;
        fraction <<= 1;
        if mantissa >> 64 != 0 {
            mantissa >>= 1;
            fraction |= 1;
        }
    }
    let log = (u128::from(zeros + 1) << 16) - fraction; // 64 - log2(luck), times 2^16
    ((log * LN_2 * u128::from(mean)) >> 32) as u64
}

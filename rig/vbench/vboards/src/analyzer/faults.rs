//! What goes wrong between a pin and the samples, on request, in the order of time.

use crate::rng::{below, draw, waiting, Purpose};
use std::collections::VecDeque;

/// When a fault is there.
#[derive(Clone, Copy, Debug)]
pub struct When {
    pub from_ps: u64,
    /// `u64::MAX`: to the end.
    pub for_ps: u64,
    /// For faults that are short: mean of the random time between two; 0: once, at `from_ps`.
    pub every_ps: u64,
}

/// A fault of an analyzer or its wiring.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// The level inverts for a random time between the two.
    Glitch { channel: u32, least_ps: u64, most_ps: u64 },
    /// The channel sees this level whatever the line does.
    Stuck { channel: u32, level: bool },
    /// Nothing drives the channel: it changes at random, on average `toggle_hz` times per second.
    Floating { channel: u32, toggle_hz: u64 },
    /// Two clips have been swapped.
    Swapped { channel: u32, other: u32 },
    /// Two lines touch: where they differ, both are at the level that wins.
    Joined { channel: u32, other: u32, wins: bool },
    /// A block of samples is lost; those that follow take their place.
    Dropped { samples: u64 },
    /// Nothing more comes.
    End,
}

/// What changes at one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Glitch {
        channel: usize,
        on: bool,
    },
    Stuck {
        channel: usize,
        level: Option<bool>,
    },
    Floating {
        channel: usize,
        level: Option<bool>,
    },
    Swap {
        channel: usize,
        other: usize,
    },
    Join {
        channel: usize,
        other: Option<(usize, bool)>,
    },
    Drop {
        samples: u64,
    },
    End,
}

struct Fault {
    kind: Kind,
    when: When,
    /// Random numbers drawn for it so far.
    drawn: u64,
}

impl Fault {
    fn end_ps(&self) -> u64 {
        self.when.from_ps.saturating_add(self.when.for_ps)
    }
}

enum Step {
    Change(Change),
    /// The fault of this number has its next random instant.
    Next(usize),
}

/// The changes that faults make, by instant.
pub struct Faults {
    seed: u64,
    /// Which analyzer it is, for the generator.
    key: u64,
    faults: Vec<Fault>,
    steps: VecDeque<(u64, Step)>,
}

impl Faults {
    pub fn new(seed: u64, key: u64) -> Faults {
        Faults {
            seed,
            key,
            faults: Vec::new(),
            steps: VecDeque::new(),
        }
    }

    /// Adds a fault; one of several times the same kind has its own random numbers.
    pub fn add(&mut self, kind: Kind, when: When) {
        let number = self.faults.len();
        let (from_ps, end_ps) = (when.from_ps, when.from_ps.saturating_add(when.for_ps));
        self.faults.push(Fault { kind, when, drawn: 0 });
        match kind {
            Kind::Stuck { channel, level } => {
                let channel = channel as usize;
                self.at(
                    from_ps,
                    Step::Change(Change::Stuck {
                        channel,
                        level: Some(level),
                    }),
                );
                self.at(end_ps, Step::Change(Change::Stuck { channel, level: None }));
            }
            Kind::Swapped { channel, other } => {
                let (channel, other) = (channel as usize, other as usize);
                self.at(from_ps, Step::Change(Change::Swap { channel, other }));
                self.at(end_ps, Step::Change(Change::Swap { channel, other }));
            }
            Kind::Joined { channel, other, wins } => {
                let (channel, other) = (channel as usize, other as usize);
                for (channel, other) in [(channel, other), (other, channel)] {
                    let joined = Some((other, wins));
                    self.at(from_ps, Step::Change(Change::Join { channel, other: joined }));
                    self.at(end_ps, Step::Change(Change::Join { channel, other: None }));
                }
            }
            Kind::End => self.at(from_ps, Step::Change(Change::End)),
            Kind::Glitch { .. } | Kind::Dropped { .. } if when.every_ps > 0 => {
                let first_ps = from_ps.saturating_add(self.pause(number, when.every_ps));
                self.at(first_ps, Step::Next(number));
            }
            Kind::Glitch { .. } | Kind::Dropped { .. } | Kind::Floating { .. } => self.at(from_ps, Step::Next(number)),
        }
    }

    /// The next change at or before `until_ps`, with its instant.
    pub fn next(&mut self, until_ps: u64) -> Option<(u64, Change)> {
        while self.steps.front().map_or(false, |step| step.0 <= until_ps) {
            match self.steps.pop_front() {
                Some((t_ps, Step::Change(change))) => return Some((t_ps, change)),
                Some((t_ps, Step::Next(number))) => {
                    if let Some(change) = self.happen(number, t_ps) {
                        return Some((t_ps, change));
                    }
                }
                None => {}
            }
        }
        None
    }

    /// Puts a step in its place; never means never.
    fn at(&mut self, t_ps: u64, step: Step) {
        if t_ps < u64::MAX {
            let place = self
                .steps
                .iter()
                .rposition(|known| known.0 <= t_ps)
                .map_or(0, |before| before + 1);
            self.steps.insert(place, (t_ps, step));
        }
    }

    fn draw(&mut self, number: usize) -> u64 {
        let fault = &mut self.faults[number];
        fault.drawn += 1;
        draw(
            self.seed,
            Purpose::AnalyzerFault,
            &[self.key, number as u64],
            fault.drawn,
        )
    }

    fn pause(&mut self, number: usize, mean_ps: u64) -> u64 {
        waiting(self.draw(number), mean_ps).max(1)
    }

    /// A random instant of a fault has come: what it changes, and the next one.
    fn happen(&mut self, number: usize, t_ps: u64) -> Option<Change> {
        let (kind, when, end_ps) = (
            self.faults[number].kind,
            self.faults[number].when,
            self.faults[number].end_ps(),
        );
        if t_ps >= end_ps {
            return match kind {
                Kind::Floating { channel, .. } => Some(Change::Floating {
                    channel: channel as usize,
                    level: None,
                }),
                _ => None,
            };
        }
        let mean_ps = match kind {
            Kind::Floating { toggle_hz, .. } => 1_000_000_000_000 / toggle_hz.max(1),
            _ => when.every_ps,
        };
        if mean_ps > 0 {
            let next_ps = t_ps.saturating_add(self.pause(number, mean_ps)).min(end_ps);
            self.at(next_ps, Step::Next(number));
        }
        match kind {
            Kind::Floating { channel, .. } => {
                let level = Some(self.faults[number].drawn % 2 == 0);
                Some(Change::Floating {
                    channel: channel as usize,
                    level,
                })
            }
            Kind::Dropped { samples } => Some(Change::Drop { samples }),
            Kind::Glitch {
                channel,
                least_ps,
                most_ps,
            } => {
                let channel = channel as usize;
                let width_ps = least_ps + below(self.draw(number), most_ps.saturating_sub(least_ps) + 1);
                self.at(
                    t_ps.saturating_add(width_ps.max(1)),
                    Step::Change(Change::Glitch { channel, on: false }),
                );
                Some(Change::Glitch { channel, on: true })
            }
            _ => None,
        }
    }
}

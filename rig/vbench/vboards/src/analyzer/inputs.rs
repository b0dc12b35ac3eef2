//! The inputs of an analyzer: what is clipped where, what goes wrong on the way, and which sample shows which edge.

use super::faults::{Change, Faults, Kind, When};
use super::rate::SampleClock;
use super::{Imperfections, Settings, MAX_CHANNELS, MAX_DELAY_PS};
use crate::rng::{draw, Purpose};
use crate::trace::{Edge, Pin};
use std::collections::VecDeque;

/// How late an input sees edges.
#[derive(Clone, Copy, Debug, Default)]
pub struct Threshold {
    pub rise_ps: u64,
    pub fall_ps: u64,
}

/// A line that a clip is on.
struct Wire {
    board: u16,
    pin: Pin,
    level: bool,
}

#[derive(Clone, Default)]
struct Channel {
    /// Number of its wire.
    wire: Option<usize>,
    threshold: Threshold,
    stuck: Option<bool>,
    /// The channel whose line touches its own, and the level that wins.
    joined: Option<(usize, bool)>,
    floating: Option<bool>,
    /// Glitches that are active.
    glitches: u32,
    /// Level at its input.
    input: bool,
    /// When its input saw the last edge, and the sample that shows it.
    seen_ps: u64,
    sample: u64,
    edges: u64,
}

/// A channel changes from a sample on.
#[derive(Clone, Copy)]
pub struct Shown {
    pub sample: u64,
    pub channel: usize,
    pub level: bool,
}

/// All inputs, with the clock that samples them.
pub struct Inputs {
    seed: u64,
    imperfections: Imperfections,
    start_ps: u64,
    pub clock: SampleClock,
    wires: Vec<Wire>,
    channels: Vec<Channel>,
    faults: Faults,
    /// Changes not yet written out, by sample.
    pub shown: VecDeque<Shown>,
    /// Blocks that will be lost: first sample and how many.
    pub dropped: VecDeque<(u64, u64)>,
    /// When nothing more comes.
    pub end_ps: u64,
}

impl Inputs {
    pub fn new(settings: &Settings, seed: u64, imperfections: Imperfections) -> Inputs {
        let rate = (settings.rate_num, settings.rate_den);
        Inputs {
            seed,
            imperfections,
            start_ps: settings.start_ps,
            clock: SampleClock::new(rate, settings.ppb, settings.start_ps, imperfections.drift),
            wires: Vec::new(),
            channels: vec![Channel::default(); 8 * settings.unitsize],
            faults: Faults::new(seed, imperfections.key),
            shown: VecDeque::new(),
            dropped: VecDeque::new(),
            end_ps: u64::MAX,
        }
    }

    /// Number of channels of its samples.
    fn check(&self, channel: u32) -> Result<usize, String> {
        let most = self.channels.len().min(MAX_CHANNELS);
        if channel as usize >= most {
            return Err(format!(
                "channel {} does not exist, this analyzer has 0 to {}",
                channel,
                most - 1
            ));
        }
        Ok(channel as usize)
    }

    /// How late a channel sees edges from now on.
    pub fn threshold(&mut self, channel: u32, threshold: Threshold) -> Result<(), String> {
        let channel = self.check(channel)?;
        let most_ps = threshold.rise_ps.max(threshold.fall_ps);
        if most_ps > MAX_DELAY_PS {
            return Err(format!("a delay of {} ps is beyond 1 ms", most_ps));
        }
        self.channels[channel].threshold = threshold;
        Ok(())
    }

    /// Clips `channel` to a pin whose level is `level` at `now_ps`.
    pub fn probe(&mut self, channel: u32, board: u16, pin: Pin, level: bool, now_ps: u64) -> Result<(), String> {
        let channel = self.check(channel)?;
        self.wires.push(Wire { board, pin, level });
        self.channels[channel].wire = Some(self.wires.len() - 1);
        self.channels[channel].input = self.input(channel);
        let (level, sample) = (self.channels[channel].input, self.clock.sample_at(now_ps));
        self.show(Shown { sample, channel, level });
        Ok(())
    }

    /// Adds a fault; its times are the bench's.
    pub fn fault(&mut self, kind: Kind, when: When) -> Result<(), String> {
        match kind {
            Kind::Glitch { channel, .. } | Kind::Stuck { channel, .. } | Kind::Floating { channel, .. } => {
                self.check(channel)?;
            }
            Kind::Swapped { channel, other } | Kind::Joined { channel, other, .. } => {
                self.check(channel)?;
                self.check(other)?;
            }
            Kind::Dropped { .. } | Kind::End => {}
        }
        self.faults.add(kind, when);
        Ok(())
    }

    /// Takes the clips off: nothing more is kept for it.
    pub fn clear(&mut self) {
        self.wires.clear();
        self.channels.fill(Channel::default());
        self.shown.clear();
        self.faults = Faults::new(0, 0);
    }

    /// Takes note of an edge; edges must come in the order of time.
    pub fn edge(&mut self, edge: &Edge) {
        for wire in 0..self.wires.len() {
            if self.wires[wire].pin == edge.pin && self.wires[wire].board == edge.board {
                self.go_wrong(edge.t_ps);
                self.wires[wire].level = edge.level;
                for channel in 0..self.channels.len() {
                    if self.sees(channel, wire) {
                        self.look(channel, edge.t_ps);
                    }
                }
            }
        }
    }

    /// What the faults do up to `until_ps`.
    pub fn go_wrong(&mut self, until_ps: u64) {
        while let Some((t_ps, change)) = self.faults.next(until_ps) {
            match change {
                Change::Glitch { channel, on } => {
                    let glitches = &mut self.channels[channel].glitches;
                    *glitches = if on { *glitches + 1 } else { glitches.saturating_sub(1) };
                    self.look(channel, t_ps);
                }
                Change::Stuck { channel, level } => {
                    self.channels[channel].stuck = level;
                    self.look(channel, t_ps);
                }
                Change::Floating { channel, level } => {
                    self.channels[channel].floating = level;
                    self.look(channel, t_ps);
                }
                Change::Swap { channel, other } => {
                    let wire = self.channels[channel].wire;
                    self.channels[channel].wire = self.channels[other].wire;
                    self.channels[other].wire = wire;
                    self.look(channel, t_ps);
                    self.look(other, t_ps);
                }
                Change::Join { channel, other } => {
                    self.channels[channel].joined = other;
                    self.look(channel, t_ps);
                }
                Change::Drop { samples } => {
                    if t_ps >= self.start_ps {
                        let first = self.clock.sample_at(t_ps);
                        self.dropped.push_back((first, samples));
                    }
                }
                Change::End => self.end_ps = self.end_ps.min(t_ps),
            }
        }
    }

    /// Whether an edge of a wire may change the input of a channel.
    fn sees(&self, channel: usize, wire: usize) -> bool {
        let other = self.channels[channel].joined.map(|(other, _)| other);
        self.channels[channel].wire == Some(wire)
            || other.map_or(false, |other| self.channels[other].wire == Some(wire))
    }

    /// The level of the line that a channel is on.
    fn line(&self, channel: usize) -> bool {
        let level = |channel: usize| self.channels[channel].wire.map_or(false, |wire| self.wires[wire].level);
        match self.channels[channel].joined {
            Some((other, wins)) if level(other) != level(channel) => wins,
            _ => level(channel),
        }
    }

    /// The level at the input of a channel.
    fn input(&self, channel: usize) -> bool {
        let state = &self.channels[channel];
        let wire = self.line(channel);
        let driven = state.stuck.unwrap_or(wire) ^ (state.glitches > 0);
        state.floating.unwrap_or(driven)
    }

    /// Looks at a channel's input at an instant: an edge, perhaps.
    fn look(&mut self, channel: usize, t_ps: u64) {
        let level = self.input(channel);
        let state = &mut self.channels[channel];
        if level == state.input {
            return;
        }
        state.input = level;
        let threshold = state.threshold;
        let t_ps = t_ps + if level { threshold.rise_ps } else { threshold.fall_ps };
        if state.edges > 0 && t_ps <= state.seen_ps {
            // The pulse is over before its beginning was seen.
            if let Some(last) = self.shown.iter().rposition(|shown| shown.channel == channel) {
                self.shown.remove(last);
            }
            return;
        }
        state.edges += 1;
        state.seen_ps = t_ps;
        let sample = self.nearby(channel, t_ps).max(self.channels[channel].sample);
        self.channels[channel].sample = sample;
        self.show(Shown { sample, channel, level });
    }

    /// The sample that first shows an edge: the next one, unless the edge is too near to a sampling instant to tell.
    fn nearby(&mut self, channel: usize, t_ps: u64) -> u64 {
        let next = self.clock.sample_at(t_ps);
        let window_ps = self.imperfections.window_ps;
        if window_ps == 0 {
            return next;
        }
        let keys = [self.imperfections.key, channel as u64];
        let other = draw(self.seed, Purpose::Metastability, &keys, self.channels[channel].edges) & 1;
        if self.clock.ps(next).saturating_sub(t_ps) < window_ps {
            return next + other;
        }
        match next.checked_sub(1) {
            Some(before) if t_ps.saturating_sub(self.clock.ps(before)) < window_ps => next - other,
            _ => next,
        }
    }

    fn show(&mut self, shown: Shown) {
        let before = self.shown.iter().rposition(|known| known.sample <= shown.sample);
        self.shown.insert(before.map_or(0, |place| place + 1), shown);
    }
}

//! A virtual logic analyzer: turns edges into samples at its own rate, clock error and phase.
//!
//! Sample k shows the level after every edge that its input saw at or before the sample's instant. An input may see
//! an edge late (its threshold), and an edge near a sampling instant may be seen by either of two samples.

mod faults;
mod rate;
mod samples;

pub use faults::{Kind, When};
pub use rate::Drift;

use crate::rng::{draw, Purpose};
use crate::trace::{Edge, Pin};
use faults::{Change, Faults};
use rate::SampleClock;
use samples::fill_run;
use std::collections::VecDeque;

/// Most channels of an analyzer (the 14 of a BeagleLogic).
pub const MOST_CHANNELS: usize = 14;
/// Highest samplerate: what the driver offers (libsigrok 0.5.2, src/hardware/beaglelogic/api.c, `samplerates`).
pub const MOST_HZ: u64 = 100_000_000;
/// Longest delay of an input and longest window around a sampling instant.
pub const MOST_DELAY_PS: u64 = 1_000_000_000;

/// How an analyzer samples.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Samples per second as a ratio.
    pub rate_num: u64,
    pub rate_den: u64,
    /// Bytes per sample, 1 or 2, little-endian.
    pub unitsize: usize,
    /// How much too fast its clock is.
    pub ppb: i64,
    /// Instant of sample 0.
    pub start_ps: u64,
}

/// What an ideal analyzer does not have.
#[derive(Clone, Copy, Debug, Default)]
pub struct Imperfections {
    /// Which analyzer it is, so that two differ in what is random.
    pub key: u64,
    pub drift: Drift,
    /// An edge that comes closer than this to a sampling instant, before or after, may be seen by the sample at that
    /// instant or by the next one, with even chance.
    pub window_ps: u64,
}

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
    floating: Option<bool>,
    /// Glitches that are going on.
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
struct Shown {
    sample: u64,
    channel: usize,
    level: bool,
}

/// One analyzer.
pub struct Analyzer {
    seed: u64,
    settings: Settings,
    imperfections: Imperfections,
    clock: SampleClock,
    wires: Vec<Wire>,
    channels: Vec<Channel>,
    faults: Faults,
    /// Changes not yet written out, by sample.
    shown: VecDeque<Shown>,
    /// Blocks that will be lost: first sample and how many.
    dropped: VecDeque<(u64, u64)>,
    end_ps: u64,
    /// Levels of the next sample to be written.
    level: u16,
    next_sample: u64,
}

impl Analyzer {
    pub fn new(settings: Settings) -> Result<Analyzer, String> {
        if settings.unitsize != 1 && settings.unitsize != 2 {
            return Err(format!(
                "a sample of {} bytes is not possible, use 1 or 2",
                settings.unitsize
            ));
        }
        let (num, den) = (settings.rate_num, settings.rate_den);
        if num == 0 || den == 0 {
            return Err(format!("{}/{} Hz is not a samplerate", num, den));
        }
        if u128::from(num) > u128::from(den) * u128::from(MOST_HZ) {
            return Err(format!("{}/{} Hz is beyond the analyzer's {} Hz", num, den, MOST_HZ));
        }
        if settings.ppb.unsigned_abs() > 100_000_000 {
            return Err(format!("a clock error of {} ppb is beyond 10 %", settings.ppb));
        }
        Ok(Analyzer {
            seed: 0,
            settings,
            imperfections: Imperfections::default(),
            clock: SampleClock::new((num, den), settings.ppb, settings.start_ps, Drift::default()),
            wires: Vec::new(),
            channels: vec![Channel::default(); 8 * settings.unitsize],
            faults: Faults::new(0, 0),
            shown: VecDeque::new(),
            dropped: VecDeque::new(),
            end_ps: u64::MAX,
            level: 0,
            next_sample: 0,
        })
    }

    /// Gives it the imperfections of a real one; before the first probe and fault.
    pub fn imperfect(&mut self, seed: u64, imperfections: Imperfections) -> Result<(), String> {
        let drift = imperfections.drift;
        if drift.ppb.unsigned_abs() > 100_000_000 {
            return Err(format!("a drift of {} ppb is beyond 10 %", drift.ppb));
        }
        if imperfections.window_ps > MOST_DELAY_PS {
            return Err(format!("a window of {} ps is beyond 1 ms", imperfections.window_ps));
        }
        let Settings {
            rate_num,
            rate_den,
            ppb,
            start_ps,
            ..
        } = self.settings;
        self.seed = seed;
        self.imperfections = imperfections;
        self.clock = SampleClock::new((rate_num, rate_den), ppb, start_ps, drift);
        self.faults = Faults::new(seed, imperfections.key);
        Ok(())
    }

    /// Number of channels of its samples.
    fn check(&self, channel: u32) -> Result<usize, String> {
        let most = self.channels.len().min(MOST_CHANNELS);
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
        if most_ps > MOST_DELAY_PS {
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
            Kind::Swapped { channel, other } => {
                self.check(channel)?;
                self.check(other)?;
            }
            Kind::Dropped { .. } | Kind::End => {}
        }
        self.faults.add(kind, when);
        Ok(())
    }

    /// Takes the clips off: nothing more is kept for it.
    pub fn stop(&mut self) {
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
                    if self.channels[channel].wire == Some(wire) {
                        self.look(channel, edge.t_ps);
                    }
                }
            }
        }
    }

    /// What the faults do up to `until_ps`.
    fn go_wrong(&mut self, until_ps: u64) {
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
                Change::Drop { samples } => {
                    if t_ps >= self.settings.start_ps {
                        let first = self.clock.sample_at(t_ps);
                        self.dropped.push_back((first, samples));
                    }
                }
                Change::End => self.end_ps = self.end_ps.min(t_ps),
            }
        }
    }

    /// The level at the input of a channel.
    fn input(&self, channel: usize) -> bool {
        let state = &self.channels[channel];
        let wire = state.wire.map_or(false, |wire| self.wires[wire].level);
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

    /// The first sample that is not known yet at `now_ps`.
    fn known(&mut self, now_ps: u64) -> u64 {
        self.go_wrong(now_ps.saturating_sub(1));
        let until_ps = now_ps.saturating_sub(self.imperfections.window_ps);
        self.clock.sample_at(until_ps.min(self.end_ps))
    }

    /// Whether a fault has ended it before `now_ps`, and every sample until then is written.
    pub fn ended(&mut self, now_ps: u64) -> bool {
        let known = self.known(now_ps);
        self.end_ps < now_ps.saturating_sub(self.imperfections.window_ps) && self.next_sample >= known
    }

    /// Writes the next samples before `now_ps` into `buffer`; returns the bytes written.
    pub fn fill(&mut self, buffer: &mut [u8], now_ps: u64) -> usize {
        let (known, unitsize) = (self.known(now_ps), self.settings.unitsize);
        let mut written = 0;
        loop {
            self.skip_dropped();
            while self
                .shown
                .front()
                .map_or(false, |shown| shown.sample <= self.next_sample)
            {
                if let Some(shown) = self.shown.pop_front() {
                    let mask = 1u16 << shown.channel;
                    self.level = if shown.level {
                        self.level | mask
                    } else {
                        self.level & !mask
                    };
                }
            }
            let room = (buffer.len() - written) / unitsize;
            let change = self.shown.front().map_or(known, |shown| shown.sample);
            let loss = self.dropped.front().map_or(known, |block| block.0);
            let until = known.min(change).min(loss).min(self.next_sample + room as u64);
            if until <= self.next_sample {
                self.clock.forget_before(self.next_sample);
                return written;
            }
            let bytes = (until - self.next_sample) as usize * unitsize;
            fill_run(&mut buffer[written..written + bytes], self.level, unitsize);
            written += bytes;
            self.next_sample = until;
        }
    }

    fn skip_dropped(&mut self) {
        while self.dropped.front().map_or(false, |block| block.0 <= self.next_sample) {
            if let Some((_, samples)) = self.dropped.pop_front() {
                self.next_sample += samples;
            }
        }
    }
}

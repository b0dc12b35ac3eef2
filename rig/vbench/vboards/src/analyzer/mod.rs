//! A virtual logic analyzer: turns edges into samples at its own rate, clock error and phase.
//!
//! Sample k shows the level after every edge that its input saw at or before the sample's instant. An input may see
//! an edge late (its threshold), and an edge near a sampling instant may be seen by either of two samples.

mod faults;
mod inputs;
mod rate;
mod samples;

pub use faults::{Kind, When};
pub use inputs::Threshold;
pub use rate::Drift;

use crate::trace::{Edge, Pin};
use inputs::{Inputs, Shown};
use samples::fill_run;

/// Most channels of an analyzer: the bits of a sample of two bytes.
pub const MAX_CHANNELS: usize = 16;
/// Highest samplerate: what the driver offers (libsigrok 0.5.2, src/hardware/beaglelogic/api.c, `samplerates`).
pub const MAX_HZ: u64 = 100_000_000;
/// Longest delay of an input and longest window around a sampling instant.
pub const MAX_DELAY_PS: u64 = 1_000_000_000;

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

/// One analyzer.
pub struct Analyzer {
    settings: Settings,
    imperfections: Imperfections,
    inputs: Inputs,
    /// Levels of the next sample to be written.
    level: u16,
    next_sample: u64,
    /// Samples written: those that were lost do not count.
    handed_out: u64,
    /// Levels of the last of them.
    given: Option<u16>,
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
        if u128::from(num) > u128::from(den) * u128::from(MAX_HZ) {
            return Err(format!("{}/{} Hz is beyond the analyzer's {} Hz", num, den, MAX_HZ));
        }
        if settings.ppb.unsigned_abs() > 100_000_000 {
            return Err(format!("a clock error of {} ppb is beyond 10 %", settings.ppb));
        }
        Ok(Analyzer {
            settings,
            imperfections: Imperfections::default(),
            inputs: Inputs::new(&settings, 0, Imperfections::default()),
            level: 0,
            next_sample: 0,
            handed_out: 0,
            given: None,
        })
    }

    /// Gives it the imperfections of a real one; before the first probe and fault.
    pub fn imperfect(&mut self, seed: u64, imperfections: Imperfections) -> Result<(), String> {
        let drift = imperfections.drift;
        if drift.ppb.unsigned_abs() > 100_000_000 {
            return Err(format!("a drift of {} ppb is beyond 10 %", drift.ppb));
        }
        if imperfections.window_ps > MAX_DELAY_PS {
            return Err(format!("a window of {} ps is beyond 1 ms", imperfections.window_ps));
        }
        self.imperfections = imperfections;
        self.inputs = Inputs::new(&self.settings, seed, imperfections);
        Ok(())
    }

    /// How late a channel sees edges from now on.
    pub fn threshold(&mut self, channel: u32, threshold: Threshold) -> Result<(), String> {
        self.inputs.threshold(channel, threshold)
    }

    /// Clips `channel` to a pin whose level is `level` at `now_ps`.
    pub fn probe(&mut self, channel: u32, board: u16, pin: Pin, level: bool, now_ps: u64) -> Result<(), String> {
        self.inputs.probe(channel, board, pin, level, now_ps)
    }

    /// Adds a fault; its times are the bench's.
    pub fn fault(&mut self, kind: Kind, when: When) -> Result<(), String> {
        self.inputs.fault(kind, when)
    }

    /// Takes note of an edge; edges must come in the order of time.
    pub fn edge(&mut self, edge: &Edge) {
        self.inputs.edge(edge);
    }

    /// Takes the clips off: nothing more is kept for it.
    pub fn stop(&mut self) {
        self.inputs.clear();
    }

    /// The first sample that is not known yet at `now_ps`.
    fn known(&mut self, now_ps: u64) -> u64 {
        self.inputs.go_wrong(now_ps.saturating_sub(1));
        let until_ps = now_ps.saturating_sub(self.imperfections.window_ps);
        self.inputs.clock.sample_at(until_ps.min(self.inputs.end_ps))
    }

    /// Whether a fault has ended it before `now_ps`, and every sample until then is written.
    pub fn ended(&mut self, now_ps: u64) -> bool {
        let known = self.known(now_ps);
        self.inputs.end_ps < now_ps.saturating_sub(self.imperfections.window_ps) && self.next_sample >= known
    }

    /// Writes the next samples before `now_ps` into `buffer`; returns the bytes written.
    pub fn fill(&mut self, buffer: &mut [u8], now_ps: u64) -> usize {
        let (known, unitsize) = (self.known(now_ps), self.settings.unitsize);
        let mut written = 0;
        loop {
            let room = (buffer.len() - written) / unitsize;
            let bytes = self.run(known, room as u64) as usize * unitsize;
            if bytes == 0 {
                return written;
            }
            fill_run(&mut buffer[written..written + bytes], self.level, unitsize);
            written += bytes;
        }
    }

    /// Writes the next edges before `now_ps`: what an edge extractor makes of the samples of `fill`, which hands out
    /// the same samples; use one of the two. Sample 0 counts as an edge. Returns how many; fewer than fit: all.
    pub fn edges(&mut self, samples: &mut [i64], levels: &mut [u64], now_ps: u64) -> usize {
        let known = self.known(now_ps);
        let (mut count, room) = (0, samples.len().min(levels.len()));
        while count < room {
            let (first, before) = (self.handed_out, self.given);
            if self.run(known, u64::MAX) == 0 {
                break;
            }
            if self.given != before {
                samples[count] = first as i64;
                levels[count] = u64::from(self.level);
                count += 1;
            }
        }
        count
    }

    /// How many samples were handed out.
    pub fn handed_out(&self) -> u64 {
        self.handed_out
    }

    /// Continues over the next samples before `known` that are equal, at most `most`; returns how many.
    fn run(&mut self, known: u64, most: u64) -> u64 {
        self.skip_dropped();
        self.take_changes();
        let change = self.inputs.shown.front().map_or(known, |shown| shown.sample);
        let loss = self.inputs.dropped.front().map_or(known, |block| block.0);
        let until = known.min(change).min(loss).min(self.next_sample.saturating_add(most));
        let count = until.saturating_sub(self.next_sample);
        if count > 0 {
            self.given = Some(self.level);
        }
        self.next_sample += count;
        self.handed_out += count;
        self.inputs.clock.forget_before(self.next_sample);
        count
    }

    fn skip_dropped(&mut self) {
        while let Some(&(first, samples)) = self.inputs.dropped.front() {
            if first > self.next_sample {
                return;
            }
            self.next_sample += samples;
            self.inputs.dropped.pop_front();
        }
    }

    /// The level of the next sample.
    fn take_changes(&mut self) {
        while let Some(&Shown { sample, channel, level }) = self.inputs.shown.front() {
            if sample > self.next_sample {
                return;
            }
            let mask = 1u16 << channel;
            self.level = if level { self.level | mask } else { self.level & !mask };
            self.inputs.shown.pop_front();
        }
    }
}

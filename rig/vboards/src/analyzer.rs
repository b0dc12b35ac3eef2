//! A virtual logic analyzer: turns edges into samples at its own rate, clock error and phase.
//!
//! Sample k shows the level after every edge at or before its instant; an edge exactly at the instant counts.

use crate::clock::Clock;
use crate::trace::{Edge, Pin};
use std::collections::VecDeque;

/// Most channels of an analyzer (the 14 of a BeagleLogic).
pub const MOST_CHANNELS: usize = 14;

/// Bytes of the block that long stretches are copied from.
const BLOCK: usize = 4096;

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

struct Probe {
    channel: u32,
    board: u16,
    pin: Pin,
}

/// One analyzer.
pub struct Analyzer {
    clock: Clock,
    unitsize: usize,
    probes: Vec<Probe>,
    /// Levels after each change not yet written out, by the first sample that shows them.
    changes: VecDeque<(u64, u16)>,
    /// Levels after the last queued change.
    newest: u16,
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
        if settings.rate_num == 0 || settings.rate_den == 0 {
            return Err(format!(
                "{}/{} Hz is not a samplerate",
                settings.rate_num, settings.rate_den
            ));
        }
        if settings.ppb.unsigned_abs() > 100_000_000 {
            return Err(format!("a clock error of {} ppb is beyond 10 %", settings.ppb));
        }
        Ok(Analyzer {
            clock: Clock::new(settings.rate_num, settings.rate_den, settings.ppb, settings.start_ps),
            unitsize: settings.unitsize,
            probes: Vec::new(),
            changes: VecDeque::new(),
            newest: 0,
            level: 0,
            next_sample: 0,
        })
    }

    /// Clips `channel` to a pin whose level is `level` at `now_ps`.
    pub fn probe(&mut self, channel: u32, board: u16, pin: Pin, level: bool, now_ps: u64) -> Result<(), String> {
        let most = if self.unitsize == 1 { 8 } else { MOST_CHANNELS as u32 };
        if channel >= most {
            return Err(format!(
                "channel {} does not exist, this analyzer has 0 to {}",
                channel,
                most - 1
            ));
        }
        self.probes.retain(|probe| probe.channel != channel);
        self.probes.push(Probe { channel, board, pin });
        self.set(channel, level, now_ps);
        Ok(())
    }

    /// Takes the clips off: nothing more is kept for it.
    pub fn stop(&mut self) {
        self.probes.clear();
        self.changes.clear();
    }

    /// Takes note of an edge; edges must come in the order of time.
    pub fn edge(&mut self, edge: &Edge) {
        for index in 0..self.probes.len() {
            let probe = &self.probes[index];
            if probe.pin == edge.pin && probe.board == edge.board {
                let channel = probe.channel;
                self.set(channel, edge.level, edge.t_ps);
            }
        }
    }

    fn set(&mut self, channel: u32, level: bool, t_ps: u64) {
        let mask = 1u16 << channel;
        let after = if level { self.newest | mask } else { self.newest & !mask };
        if after == self.newest {
            return;
        }
        self.newest = after;
        let sample = self.clock.tick_at(t_ps);
        match self.changes.back_mut() {
            Some(last) if last.0 == sample => last.1 = after,
            _ => self.changes.push_back((sample, after)),
        }
    }

    /// Samples that lie before `now_ps` and were not written yet.
    pub fn available(&self, now_ps: u64) -> u64 {
        self.clock.tick_at(now_ps).saturating_sub(self.next_sample)
    }

    /// Writes the next samples before `now_ps` into `buffer`; returns the bytes written.
    pub fn fill(&mut self, buffer: &mut [u8], now_ps: u64) -> usize {
        let room = (buffer.len() / self.unitsize) as u64;
        let end = self.next_sample + self.available(now_ps).min(room);
        let mut written = 0;
        while self.next_sample < end {
            while self
                .changes
                .front()
                .map_or(false, |change| change.0 <= self.next_sample)
            {
                self.level = self.changes.pop_front().map_or(self.level, |change| change.1);
            }
            let until = self.changes.front().map_or(end, |change| change.0.min(end));
            let bytes = (until - self.next_sample) as usize * self.unitsize;
            fill_run(&mut buffer[written..written + bytes], self.level, self.unitsize);
            written += bytes;
            self.next_sample = until;
        }
        written
    }
}

/// Writes one level over a whole slice at the speed of a memory copy.
fn fill_run(slice: &mut [u8], level: u16, unitsize: usize) {
    let [low, high] = level.to_le_bytes();
    if unitsize == 1 || low == high {
        slice.fill(low);
        return;
    }
    if slice.len() < 64 {
        for pair in slice.chunks_exact_mut(2) {
            pair[0] = low;
            pair[1] = high;
        }
        return;
    }
    let mut block = [0u8; BLOCK];
    let used = slice.len().min(BLOCK);
    for pair in block[..used].chunks_exact_mut(2) {
        pair[0] = low;
        pair[1] = high;
    }
    for piece in slice.chunks_mut(BLOCK) {
        let bytes = piece.len();
        piece.copy_from_slice(&block[..bytes]);
    }
}

//! Edge extraction: a stream of samples in, the sample numbers at which a used channel changed out.

use crate::scan::{value, Format, Sink, MAX_UNIT};

/// What has to survive between two calls. Owned by the caller; all zero but for `mask` and `unit` at the start.
#[repr(C)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// Number of the next sample.
    pub position: i64,
    /// Levels of the last sample, channels in use only.
    pub level: u64,
    /// Channels in use, bit i is channel i.
    pub mask: u64,
    /// Bytes per sample, 1 to 8.
    pub unit: u32,
    /// 1 once a sample was seen.
    pub started: u32,
    /// Bytes of an unfinished sample.
    pub tail_length: u32,
    pub reserved: u32,
    pub tail: [u8; MAX_UNIT],
}

impl State {
    pub fn new(unit: u32, mask: u64) -> Self {
        State {
            position: 0,
            level: 0,
            mask,
            unit,
            started: 0,
            tail_length: 0,
            reserved: 0,
            tail: [0; MAX_UNIT],
        }
    }

    pub fn is_valid(&self) -> bool {
        matches!(self.unit, 1..=8) && self.tail_length < self.unit && self.position >= 0
    }

    /// Read samples until `data` ends or the output is full; returns (edges written, bytes used).
    ///
    /// The very first sample always counts as an edge: it carries the initial levels. A sample that is cut by the end of
    /// `data` is stored and finished by the next call.
    pub fn feed(&mut self, data: &[u8], samples: &mut [i64], levels: &mut [u64]) -> (usize, usize) {
        let capacity = samples.len().min(levels.len());
        let mut sink = Sink {
            samples: &mut samples[..capacity],
            levels: &mut levels[..capacity],
            count: 0,
        };
        let used = self.feed_sink(data, &mut sink);
        (sink.count, used)
    }

    fn feed_sink(&mut self, data: &[u8], sink: &mut Sink<'_>) -> usize {
        let unit = self.unit as usize;
        let mut used = 0;
        if self.tail_length > 0 {
            let have = self.tail_length as usize;
            let take = (unit - have).min(data.len());
            if have + take == unit && sink.is_full() {
                return 0;
            }
            self.tail[have..have + take].copy_from_slice(&data[..take]);
            self.tail_length += take as u32;
            used = take;
            if self.tail_length as usize == unit {
                self.tail_length = 0;
                let tail = self.tail;
                self.step(value(&tail[..unit]), sink);
            }
        }
        used += self.complete_units(&data[used..], sink);
        let rest = &data[used..];
        if rest.len() < unit && self.tail_length == 0 {
            self.tail[..rest.len()].copy_from_slice(rest);
            self.tail_length = rest.len() as u32;
            used = data.len();
        }
        used
    }

    /// Handle all complete samples of `data`, or as many as the output has room for; returns bytes used.
    fn complete_units(&mut self, data: &[u8], sink: &mut Sink<'_>) -> usize {
        let unit = self.unit as usize;
        let complete = data.len() - data.len() % unit;
        if complete == 0 || sink.is_full() {
            return 0;
        }
        self.step(value(&data[..unit]), sink);
        let format = Format { unit, mask: self.mask };
        let end = format.scan(data, unit, complete, self.position, sink);
        self.level = value(&data[end - unit..end]) & self.mask;
        self.position += ((end - unit) / unit) as i64;
        end
    }

    fn step(&mut self, raw: u64, sink: &mut Sink<'_>) {
        let level = raw & self.mask;
        if level != self.level || self.started == 0 {
            sink.push(self.position, level);
            self.level = level;
            self.started = 1;
        }
        self.position += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The plain version: every sample is looked at, nothing is skipped.
    fn reference(data: &[u8], unit: usize, mask: u64) -> Vec<(i64, u64)> {
        let mut edges: Vec<(i64, u64)> = Vec::new();
        for (position, sample) in data.chunks_exact(unit).enumerate() {
            let level = value(sample) & mask;
            if edges.last().map_or(true, |last| last.1 != level) {
                edges.push((position as i64, level));
            }
        }
        edges
    }

    fn extract(data: &[u8], unit: u32, mask: u64, chunk: usize, capacity: usize) -> Vec<(i64, u64)> {
        let mut state = State::new(unit, mask);
        let (mut samples, mut levels) = (vec![0; capacity], vec![0; capacity]);
        let mut edges = Vec::new();
        for part in data.chunks(chunk) {
            let mut rest = part;
            while !rest.is_empty() {
                let (count, used) = state.feed(rest, &mut samples, &mut levels);
                edges.extend(samples[..count].iter().copied().zip(levels[..count].iter().copied()));
                rest = &rest[used..];
            }
        }
        assert_eq!((data.len() / unit as usize) as i64, state.position);
        edges
    }

    /// xorshift64*, so that the crate needs no dependency for its random tests.
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> u64 {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
        }
    }

    fn runs(random: &mut Random, unit: usize) -> Vec<u8> {
        let mut data = Vec::new();
        for _ in 0..random.next() % 40 {
            let level = random.next().to_le_bytes();
            for _ in 0..random.next() % 200 {
                data.extend_from_slice(&level[..unit]);
            }
        }
        data.truncate(data.len().saturating_sub((random.next() % 4) as usize));
        data
    }

    #[test]
    fn chunks_and_capacities_of_any_size_give_the_edges_of_the_plain_version() {
        let mut random = Random(1);
        for unit in 1..=8 {
            for _ in 0..200 {
                let data = runs(&mut random, unit);
                let mask = [u64::MAX, 0x3fff, 0x8001, 1][(random.next() % 4) as usize];
                let chunk = 1 + (random.next() % 300) as usize;
                let capacity = 1 + (random.next() % 5) as usize;

                let expected = reference(&data, unit, mask);
                let actual = extract(&data, unit as u32, mask, chunk, capacity);
                assert_eq!(expected, actual, "unit {} chunk {} capacity {}", unit, chunk, capacity);
            }
        }
    }

    #[test]
    fn an_unused_channel_makes_no_edge() {
        let data = [0x00, 0x80, 0x81, 0x01, 0x81];

        assert_eq!(vec![(0, 0), (2, 1)], extract(&data, 1, 0x01, 5, 8));
    }

    #[test]
    fn a_sample_cut_between_two_calls_is_put_together() {
        let mut state = State::new(2, u64::MAX);
        let (mut samples, mut levels) = ([0; 4], [0; 4]);
        state.feed(&[0x34], &mut samples, &mut levels);
        let (count, used) = state.feed(&[0x12, 0x34], &mut samples, &mut levels);

        assert_eq!((1, 2), (count, used));
        assert_eq!((0, 0x1234), (samples[0], levels[0]));
        assert_eq!(1, state.tail_length);
    }
}

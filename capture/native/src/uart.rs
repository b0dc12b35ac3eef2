//! Asynchronous serial characters from the edges of one line, sampled where sigrok's `uart` decoder samples.
//!
//! A character begins at a falling edge while none is open. Bit n of it (0 is the start bit) is read at sample
//! ceil(start + (bit - 1) / 2 + n * bit), `bit` being samples per bit as f64 (libsigrokdecode 0.5.3,
//! decoders/uart/pd.py, `get_sample_point` and `get_wait_cond`). A level that changes at the sample that is read counts
//! with its new value. The next character may begin at the first falling edge after the sample at which the stop bit, or a
//! false start bit, was read. A line that was low for a frame or longer was a break when it rises; it ends what is open.

/// The start bit was over before its middle: no character.
pub const FALSE_START: u8 = 1;
/// The stop bit was low.
pub const FRAMING: u8 = 2;
/// The parity bit is wrong.
pub const PARITY: u8 = 4;
/// No character: the line was low for a frame or longer.
pub const BREAK: u8 = 8;

/// Kinds of parity.
pub const PARITY_NONE: u32 = 0;
pub const PARITY_ODD: u32 = 1;
pub const PARITY_EVEN: u32 = 2;
pub const PARITY_SPACE: u32 = 3;
pub const PARITY_MARK: u32 = 4;
pub const PARITY_IGNORE: u32 = 5;

/// `low_since` of a line that is high, or was low from the start.
pub const NEVER: i64 = i64::MIN;

/// What has to survive between two calls. Owned by the caller, who fills in the description, sets `low_since` to
/// [`NEVER`] and leaves the rest zero.
#[repr(C)]
#[derive(Clone, Debug)]
pub struct State {
    /// Samples per bit.
    pub bit_samples: f64,
    /// Samples per frame: a line that is low for as long is a break.
    pub frame_samples: i64,
    /// Falling edge of the start bit of the last character.
    pub start: i64,
    /// Last falling edge, while the line is low.
    pub low_since: i64,
    /// Channel of the line.
    pub channel: u32,
    /// 1 when the line rests low.
    pub inverted: u32,
    /// 5 to 9.
    pub data_bits: u32,
    /// One of the kinds above.
    pub parity: u32,
    /// 1 when the most significant bit comes first.
    pub msb_first: u32,
    /// 1 once a level was seen.
    pub started: u32,
    /// Level in force, 1 at rest.
    pub level: u32,
    /// 1 while a character is open.
    pub open: u32,
    /// Next bit to read.
    pub bit: u32,
    /// Data bits read so far.
    pub value: u32,
    /// What is wrong with the open character.
    pub flags: u32,
}

/// Where characters go.
pub struct Sink<'a> {
    pub starts: &'a mut [i64],
    pub ends: &'a mut [i64],
    pub values: &'a mut [u16],
    pub flags: &'a mut [u8],
    pub count: usize,
}

impl Sink<'_> {
    fn push(&mut self, start: i64, end: i64, value: u32, flags: u8) {
        self.starts[self.count] = start;
        self.ends[self.count] = end;
        self.values[self.count] = value as u16;
        self.flags[self.count] = flags;
        self.count += 1;
    }
}

impl State {
    pub fn is_valid(&self) -> bool {
        self.bit_samples >= 1.0
            && self.bit_samples.is_finite()
            && self.frame_samples > 0
            && self.channel < 64
            && (5..=9).contains(&self.data_bits)
            && self.parity <= PARITY_IGNORE
    }

    /// Read the next edges; all samples before `end` are known with them. The sink needs room for edges + 1.
    pub fn feed(&mut self, samples: &[i64], levels: &[u64], end: i64, sink: &mut Sink<'_>) {
        for (&sample, &levels) in samples.iter().zip(levels) {
            let level = (levels >> self.channel) as u32 & 1 ^ self.inverted;
            if self.started == 0 {
                self.started = 1;
                self.level = level;
            } else if level != self.level {
                self.edge(sample, level, sink);
            }
        }
        self.read_before(end, sink);
    }

    /// Forget the open character and the level: samples are missing from here on.
    pub fn reset(&mut self) {
        self.started = 0;
        self.open = 0;
        self.low_since = NEVER;
    }

    fn edge(&mut self, sample: i64, level: u32, sink: &mut Sink<'_>) {
        self.read_before(sample, sink);
        self.level = level;
        if self.open == 1 {
            self.read_before(sample + 1, sink);
        } else if level == 0 {
            self.open = 1;
            self.start = sample;
            self.bit = 0;
            self.value = 0;
            self.flags = 0;
        }
        if level == 0 {
            self.low_since = sample;
        } else if self.low_since != NEVER {
            if sample - self.low_since >= self.frame_samples {
                sink.push(self.start, sample, 0, BREAK);
                self.open = 0;
            }
            self.low_since = NEVER;
        }
    }

    /// Read the bits of the open character whose samples are before `end`, with the level in force.
    fn read_before(&mut self, end: i64, sink: &mut Sink<'_>) {
        while self.open == 1 {
            let sample = self.sample_of(self.bit);
            if sample >= end {
                return;
            }
            self.read(sample, sink);
        }
    }

    fn sample_of(&self, bit: u32) -> i64 {
        let first = self.start as f64 + (self.bit_samples - 1.0) / 2.0;
        (first + f64::from(bit) * self.bit_samples).ceil() as i64
    }

    fn read(&mut self, sample: i64, sink: &mut Sink<'_>) {
        let end = sample + (self.bit_samples / 2.0).ceil() as i64;
        let parity_bit = if self.parity == PARITY_NONE {
            0
        } else {
            self.data_bits + 1
        };
        if self.bit == 0 {
            if self.level == 1 {
                sink.push(self.start, end, 0, FALSE_START);
                self.open = 0;
            }
        } else if self.bit <= self.data_bits {
            let place = if self.msb_first == 1 {
                self.data_bits - self.bit
            } else {
                self.bit - 1
            };
            self.value |= self.level << place;
        } else if self.bit == parity_bit {
            if !self.parity_holds() {
                self.flags |= u32::from(PARITY);
            }
        } else {
            if self.level == 0 {
                self.flags |= u32::from(FRAMING);
            }
            sink.push(self.start, end, self.value, self.flags as u8);
            self.open = 0;
        }
        self.bit += 1;
    }

    fn parity_holds(&self) -> bool {
        let ones = self.value.count_ones() + self.level;
        match self.parity {
            PARITY_ODD => ones % 2 == 1,
            PARITY_EVEN => ones % 2 == 0,
            PARITY_SPACE => self.level == 0,
            PARITY_MARK => self.level == 1,
            _ => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BIT: i64 = 10;

    fn state(parity: u32) -> State {
        State {
            bit_samples: BIT as f64,
            frame_samples: (10 + i64::from(parity != PARITY_NONE)) * BIT,
            start: 0,
            low_since: NEVER,
            channel: 3,
            inverted: 0,
            data_bits: 8,
            parity,
            msb_first: 0,
            started: 0,
            level: 0,
            open: 0,
            bit: 0,
            value: 0,
            flags: 0,
        }
    }

    /// Edges of a line with these levels, a bit each, from sample 0 on.
    fn edges(bits: &[u64]) -> (Vec<i64>, Vec<u64>) {
        let mut last = None;
        let mut edges = (vec![], vec![]);
        for (index, &bit) in bits.iter().enumerate() {
            if last != Some(bit) {
                edges.0.push(index as i64 * BIT);
                edges.1.push(bit << 3);
                last = Some(bit);
            }
        }
        edges
    }

    fn decode(mut state: State, bits: &[u64], step: usize) -> Vec<(i64, i64, u16, u8)> {
        let (samples, levels) = edges(bits);
        let end = bits.len() as i64 * BIT;
        let room = samples.len() + 1;
        let (mut starts, mut ends, mut values, mut flags) =
            (vec![0; room], vec![0; room], vec![0; room], vec![0; room]);
        let mut rows = vec![];
        for at in (0..samples.len()).step_by(step) {
            let to = samples.len().min(at + step);
            let known = if to == samples.len() { end } else { samples[to - 1] + 1 };
            let mut sink = Sink {
                starts: &mut starts,
                ends: &mut ends,
                values: &mut values,
                flags: &mut flags,
                count: 0,
            };
            state.feed(&samples[at..to], &levels[at..to], known, &mut sink);
            let count = sink.count;
            rows.extend((0..count).map(|row| (starts[row], ends[row], values[row], flags[row])));
        }
        rows
    }

    #[test]
    fn a_character_has_its_bits_and_its_instants() {
        let bits = [1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1];
        for step in 1..4 {
            assert_eq!(vec![(10, 110, 0x41, 0)], decode(state(PARITY_NONE), &bits, step));
        }
    }

    #[test]
    fn a_low_stop_bit_a_wrong_parity_and_a_break_are_flagged() {
        let low_stop = [1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 1, 1];
        assert_eq!(
            vec![(10, 110, 0x41, FRAMING)],
            decode(state(PARITY_NONE), &low_stop, 99)
        );

        let odd = [1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 1, 1];
        assert_eq!(vec![(10, 120, 0x41, 0)], decode(state(PARITY_ODD), &odd, 99));
        assert_eq!(vec![(10, 120, 0x41, PARITY)], decode(state(PARITY_EVEN), &odd, 99));

        let mut long = [0; 16];
        long[0] = 1;
        long[15] = 1;
        let expected = vec![(10, 110, 0, FRAMING), (10, 150, 0, BREAK)];
        assert_eq!(expected, decode(state(PARITY_NONE), &long, 1));
    }

    #[test]
    fn a_short_low_is_a_false_start() {
        let mut line = state(PARITY_NONE);
        let (mut starts, mut ends, mut values, mut flags) = ([0; 4], [0; 4], [0; 4], [0; 4]);
        let mut sink = Sink {
            starts: &mut starts,
            ends: &mut ends,
            values: &mut values,
            flags: &mut flags,
            count: 0,
        };
        line.feed(&[0, 100, 103], &[8, 0, 8], 1000, &mut sink);

        assert_eq!(1, sink.count);
        assert_eq!((100, 110, FALSE_START), (starts[0], ends[0], flags[0]));
    }
}

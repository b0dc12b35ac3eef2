//! The symbol bus of docs/reference/line-code.md: edges in, events and damaged frames out.
//!
//! A frame is what is between two gaps of the strobe. Data lines are read some samples after the strobe edge, or at the
//! next strobe edge if that comes first; the instant of the event is the strobe edge of its first symbol.

/// Widest bus.
const MAX_WIDTH: usize = 8;
/// Bits of a header, an id, a check; on eight lines the check is one symbol.
const HEADER_BITS: u64 = 8;
const ID_BITS: u64 = 16;
const CHECK_BITS: u64 = 4;
/// Start value of the check.
const CHECK_SEED: u8 = 9;
/// Header bit of a frame with an id.
const ID_FOLLOWS: u8 = 0x80;

/// What has to survive between two calls. Owned by the caller, who fills in the description and leaves the rest zero.
#[repr(C)]
#[derive(Clone, Debug)]
pub struct State {
    /// A strobe edge this many samples after the last one, or later, opens a frame.
    pub frame_gap: i64,
    /// Data lines are read this many samples after the strobe edge.
    pub settle: i64,
    /// Sample of the last strobe edge.
    pub last: i64,
    /// First sample that is known after a loss; until a frame gap later a frame may lack its first symbols.
    pub resumed: i64,
    /// Sample of the first strobe edge of the open frame.
    pub first: i64,
    /// Symbols of the open frame.
    pub symbols: i64,
    /// Bits of the open frame, the newest lowest.
    pub bits: u64,
    /// Levels in force.
    pub level: u64,
    /// Channel of the strobe.
    pub strobe: u32,
    /// Number of data lines: 1, 2, 4 or 8.
    pub width: u32,
    /// 1 once a level was seen.
    pub started: u32,
    /// 1 once samples were missing.
    pub lossy: u32,
    /// 1 while the data of the last strobe edge are still to be read.
    pub pending: u32,
    /// Channel of each data line, line 0 first.
    pub data: [u8; MAX_WIDTH],
    /// 1 for a header byte that the event table knows.
    pub known: [u8; 256],
}

/// Where events and damaged frames go.
pub struct Sink<'a> {
    pub samples: &'a mut [i64],
    pub codes: &'a mut [u8],
    pub ids: &'a mut [i32],
    pub damaged_samples: &'a mut [i64],
    pub damaged_symbols: &'a mut [i64],
    pub events: usize,
    pub damaged: usize,
}

impl State {
    pub fn new(strobe: u32, data: &[u8], frame_gap: i64, settle: i64, known: &[u8; 256]) -> Self {
        let mut lines = [0; MAX_WIDTH];
        lines[..data.len()].copy_from_slice(data);
        State {
            frame_gap,
            settle,
            last: 0,
            resumed: 0,
            first: 0,
            symbols: 0,
            bits: 0,
            level: 0,
            strobe,
            width: data.len() as u32,
            started: 0,
            lossy: 0,
            pending: 0,
            data: lines,
            known: *known,
        }
    }

    pub fn is_valid(&self) -> bool {
        matches!(self.width, 1 | 2 | 4 | 8)
            && self.strobe < 64
            && self.data.iter().all(|&line| line < 64)
            && self.frame_gap > 1
            && self.settle > 0
    }

    /// Decode edges. Each strobe edge ends at most one frame, so `sink` needs one place per edge and one more.
    pub fn feed(&mut self, samples: &[i64], levels: &[u64], sink: &mut Sink<'_>) {
        let (samples, levels) = (
            &samples[..samples.len().min(levels.len())],
            &levels[..samples.len().min(levels.len())],
        );
        let (first, last) = match (levels.first(), levels.last()) {
            (Some(&first), Some(&last)) => (first, last),
            _ => return,
        };
        let is_in_order = self.is_in_order();
        if self.started == 0 {
            self.resumed = samples[0];
        }
        if self.pending == 1 {
            if let Some(read) = self.settled(samples, levels, self.level) {
                self.take(read, is_in_order);
            }
        }
        let strobe = 1u64 << self.strobe;
        let mut level = if self.started == 1 { self.level } else { first };
        let mut at = 0;
        loop {
            at += match levels[at..].iter().position(|next| (next ^ level) & strobe != 0) {
                Some(quiet) => quiet,
                None => break,
            };
            let sample = samples[at];
            level = levels[at];
            if self.symbols > 0 && sample - self.last >= self.frame_gap {
                self.close(sink);
            }
            if self.symbols == 0 {
                self.first = sample;
            }
            self.symbols += 1;
            self.last = sample;
            at += 1;
            match self.settled(&samples[at..], &levels[at..], level) {
                Some(read) => self.take(read, is_in_order),
                None => self.pending = 1,
            }
        }
        self.level = last;
        self.started = 1;
    }

    /// Levels in force when the data of the last strobe edge are read, given those at that edge or in force since, and
    /// the rows after them; nothing where more rows must come to tell.
    fn settled(&self, samples: &[i64], levels: &[u64], mut level: u64) -> Option<u64> {
        let due = self.last + self.settle;
        let strobe = (level >> self.strobe) & 1;
        for (&sample, &next) in samples.iter().zip(levels) {
            if sample > due {
                return Some(level);
            }
            level = next;
            if sample == due || (level >> self.strobe) & 1 != strobe {
                return Some(level);
            }
        }
        None
    }

    /// Close the open frame: the capture ends, or samples are missing from here on. Levels are forgotten.
    pub fn finish(&mut self, sink: &mut Sink<'_>) {
        if self.pending == 1 {
            self.take(self.level, self.is_in_order());
        }
        if self.symbols > 0 {
            self.close(sink);
        }
        self.started = 0;
        self.lossy = 1;
    }

    /// Whether the data lines are channels that follow each other.
    fn is_in_order(&self) -> bool {
        let channels = self.data[..self.width as usize].iter();
        channels
            .zip(self.data[0]..)
            .all(|(&channel, expected)| channel == expected)
    }

    fn take(&mut self, level: u64, is_in_order: bool) {
        let symbol = if is_in_order {
            level >> self.data[0] & ((1 << self.width) - 1)
        } else {
            let lines = self.data[..self.width as usize].iter().enumerate();
            lines.map(|(line, &channel)| (level >> channel & 1) << line).sum()
        };
        self.bits = self.bits << self.width | symbol;
        self.pending = 0;
    }

    fn close(&mut self, sink: &mut Sink<'_>) {
        let may_lack = self.lossy == 1 && self.first - self.resumed < self.frame_gap;
        match self.event() {
            Some((code, id)) if !may_lack => {
                sink.samples[sink.events] = self.first;
                sink.codes[sink.events] = code;
                sink.ids[sink.events] = id;
                sink.events += 1;
            }
            _ => {
                sink.damaged_samples[sink.damaged] = self.first;
                sink.damaged_symbols[sink.damaged] = self.symbols;
                sink.damaged += 1;
            }
        }
        self.symbols = 0;
        self.bits = 0;
    }

    /// Code and id (-1: none) of the open frame, or nothing when it is damaged.
    fn event(&self) -> Option<(u8, i32)> {
        let width = u64::from(self.width);
        let check_bits = CHECK_BITS.max(if width == 8 { 8 } else { 0 });
        let bits = (self.symbols as u64).checked_mul(width)?;
        let payload_bits = bits.checked_sub(check_bits)?;
        if payload_bits != HEADER_BITS && payload_bits != HEADER_BITS + ID_BITS {
            return None;
        }
        let payload = (self.bits >> check_bits) as u32;
        let header = (payload >> (payload_bits - HEADER_BITS)) as u8;
        let has_id = header & ID_FOLLOWS != 0;
        let nibble = check(payload, payload_bits);
        let expected = if width == 8 {
            (!nibble & 0xf) << 4 | nibble
        } else {
            nibble
        };
        let received = (self.bits & ((1 << check_bits) - 1)) as u8;
        if has_id != (payload_bits > HEADER_BITS) || received != expected || self.known[header as usize] == 0 {
            return None;
        }
        Some((
            header & !ID_FOLLOWS,
            if has_id { (payload & 0xffff) as i32 } else { -1 },
        ))
    }
}

/// The check nibble of docs/reference/line-code.md over `bits` bits of header and id.
pub fn check(payload: u32, bits: u64) -> u8 {
    let mut sum = CHECK_SEED;
    for shift in (0..bits as u32).step_by(4).rev() {
        sum = ((sum << 1 | sum >> 3) & 0xf) ^ ((payload >> shift) as u8 & 0xf);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAP: i64 = 10;

    /// The symbols of one frame on a bus of `width` lines.
    fn symbols(code: u8, id: Option<u16>, width: usize) -> Vec<u64> {
        let (payload, bits) = match id {
            None => (u32::from(code), 8),
            Some(id) => (u32::from(code | ID_FOLLOWS) << 16 | u32::from(id), 24),
        };
        let nibble = u64::from(check(payload, bits));
        let (word, length) = if width == 8 {
            (
                u64::from(payload) << 8 | (!nibble & 0xf) << 4 | nibble,
                bits as usize + 8,
            )
        } else {
            (u64::from(payload) << 4 | nibble, bits as usize + 4)
        };
        (0..length)
            .step_by(width)
            .rev()
            .map(|shift| word >> shift & ((1 << width) - 1))
            .collect()
    }

    /// Edges of symbols three samples apart; the strobe is bit 0, data lines follow.
    fn edges(symbols: &[u64], at: i64, strobe: &mut u64) -> (Vec<i64>, Vec<u64>) {
        let samples = (0..symbols.len()).map(|index| at + 3 * index as i64).collect();
        let levels = symbols
            .iter()
            .map(|symbol| {
                *strobe ^= 1;
                symbol << 1 | *strobe
            })
            .collect();
        (samples, levels)
    }

    type Events = Vec<(i64, u8, i32)>;

    fn decode(width: usize, samples: &[i64], levels: &[u64], chunk: usize) -> (Events, Vec<(i64, i64)>) {
        decode_settled(1, width, samples, levels, chunk)
    }

    fn decode_settled(
        settle: i64,
        width: usize,
        samples: &[i64],
        levels: &[u64],
        chunk: usize,
    ) -> (Events, Vec<(i64, i64)>) {
        let lines: Vec<u8> = (1..=width as u8).collect();
        let mut known = [1; 256];
        known[0] = 0;
        known[0x80] = 0;
        known[77] = 0;
        let mut state = State::new(0, &lines, GAP, settle, &known);
        let (mut events, mut damaged) = (Vec::new(), Vec::new());
        let places = chunk + 1;
        let mut arrays = (
            vec![0; places],
            vec![0; places],
            vec![0; places],
            vec![0; places],
            vec![0; places],
        );
        let mut call = |state: &mut State, part: Option<(&[i64], &[u64])>| {
            let mut sink = Sink {
                samples: &mut arrays.0,
                codes: &mut arrays.1,
                ids: &mut arrays.2,
                damaged_samples: &mut arrays.3,
                damaged_symbols: &mut arrays.4,
                events: 0,
                damaged: 0,
            };
            match part {
                Some((samples, levels)) => state.feed(samples, levels, &mut sink),
                None => state.finish(&mut sink),
            }
            events.extend((0..sink.events).map(|i| (sink.samples[i], sink.codes[i], sink.ids[i])));
            damaged.extend((0..sink.damaged).map(|i| (sink.damaged_samples[i], sink.damaged_symbols[i])));
        };
        for (samples, levels) in samples.chunks(chunk).zip(levels.chunks(chunk)) {
            call(&mut state, Some((samples, levels)));
        }
        call(&mut state, None);
        (events, damaged)
    }

    fn train(width: usize, frames: &[Vec<u64>]) -> (Vec<i64>, Vec<u64>) {
        let (mut samples, mut levels, mut strobe) = (vec![0], vec![0], 0);
        for (index, frame) in frames.iter().enumerate() {
            let (more_samples, more_levels) = edges(frame, 100 + 200 * index as i64, &mut strobe);
            samples.extend(more_samples);
            levels.extend(more_levels);
        }
        assert!(width <= MAX_WIDTH);
        (samples, levels)
    }

    #[test]
    fn a_frame_has_the_symbols_of_the_document() {
        for (width, short, long) in [(1, 12, 28), (2, 6, 14), (4, 3, 7), (8, 2, 4)] {
            assert_eq!(
                (short, long),
                (symbols(5, None, width).len(), symbols(5, Some(7), width).len())
            );
        }
    }

    #[test]
    fn frames_come_back_on_every_width_and_in_every_cut() {
        for width in [1, 2, 4, 8] {
            let frames = [
                symbols(6, None, width),
                symbols(127, Some(0xffff), width),
                symbols(1, Some(0), width),
            ];
            let (samples, levels) = train(width, &frames);
            for chunk in 1..samples.len() {
                let (events, damaged) = decode(width, &samples, &levels, chunk);

                assert_eq!(vec![(100, 6, -1), (300, 127, 0xffff), (500, 1, 0)], events);
                assert!(damaged.is_empty());
            }
        }
    }

    #[test]
    fn a_lost_a_doubled_or_a_wrong_symbol_damages_its_frame_only() {
        for width in [1, 2, 4, 8] {
            let good = symbols(9, Some(0x1234), width);
            for place in 0..good.len() {
                let mut lost = good.clone();
                lost.remove(place);
                let mut doubled = good.clone();
                doubled.insert(place, good[place]);
                let mut wrong = good.clone();
                wrong[place] ^= 1;
                let sizes: Vec<i64> = [&lost, &doubled, &wrong]
                    .iter()
                    .map(|frame| frame.len() as i64)
                    .collect();
                let (samples, levels) = train(width, &[good.clone(), lost, doubled, wrong, good.clone()]);
                let (events, damaged) = decode(width, &samples, &levels, 7);

                assert_eq!(
                    vec![(100, 9, 0x1234), (900, 9, 0x1234)],
                    events,
                    "width {} symbol {}",
                    width,
                    place
                );
                assert_eq!(vec![(300, sizes[0]), (500, sizes[1]), (700, sizes[2])], damaged);
            }
        }
    }

    #[test]
    fn an_unknown_code_is_damage() {
        let (samples, levels) = train(2, &[symbols(77, None, 2)]);

        assert_eq!((vec![], vec![(100, 6)]), decode(2, &samples, &levels, 99));
    }

    #[test]
    fn data_that_settle_after_the_strobe_are_read_settled() {
        for late in 1..=4 {
            let (mut samples, mut levels) = (vec![0], vec![0]);
            let mut strobe = 0;
            for (index, symbol) in symbols(42, Some(99), 2).iter().enumerate() {
                strobe ^= 1;
                let (at, before) = (50 + 6 * index as i64, levels[levels.len() - 1] & !1);
                // Another channel has edges of its own.
                samples.extend([at, at + late, at + late + 1]);
                levels.extend([before | strobe, symbol << 1 | strobe, symbol << 1 | strobe | 1 << 9]);
            }
            for chunk in [1, 2, 3, 99] {
                for settle in late..=5 {
                    let read = decode_settled(settle, 2, &samples, &levels, chunk);
                    assert_eq!((vec![(50, 42, 99)], vec![]), read, "late {late} settle {settle}");
                }
                if late > 1 {
                    let (events, damaged) = decode_settled(late - 1, 2, &samples, &levels, chunk);
                    assert_eq!((vec![], vec![(50, 14)]), (events, damaged), "read before they settle");
                }
            }
        }
    }
}

//! Conditions of a wait(): terms on channels, and samples to skip.

/// Later than any sample.
pub const NEVER: i64 = 1 << 62;

/// What a condition looks for.
pub enum Search {
    /// A condition without terms: nothing.
    Empty,
    /// This sample.
    At(i64),
    /// Terms that hold together.
    Holds(Terms),
    /// Terms and skips that hold together.
    Counted(Counted),
}

/// Terms that must hold together, none of them a skip: masks of bits of the capture.
#[derive(Default)]
pub struct Terms {
    never: bool,
    level: u64,
    high: u64,
    rise: u64,
    fall: u64,
    edge: u64,
    stable: u64,
}

impl Terms {
    /// Add a term: the bits of all channels, the number of one, and the first letter of the type, if it has one.
    pub fn add(&mut self, bits: &[i32], channel: i64, kind: Option<u8>) {
        let bit = usize::try_from(channel).ok().and_then(|channel| bits.get(channel));
        let (bit, kind) = match (bit, kind) {
            (Some(&bit), Some(kind)) if b"hlrfen".contains(&kind) => (bit, kind),
            _ => return self.never = true,
        };
        if bit < 0 {
            self.never |= kind != b'l';
            return;
        }
        let mask = 1 << bit;
        match kind {
            b'r' => self.rise |= mask,
            b'f' => self.fall |= mask,
            b'e' => self.edge |= mask,
            b'n' => self.stable |= mask,
            _ => {
                let high = if kind == b'h' { mask } else { 0 };
                self.never |= self.level & mask != 0 && (self.high ^ high) & mask != 0; // two channels, one bit
                self.level |= mask;
                self.high |= high;
            }
        }
    }

    /// Whether they hold at a sample with these levels, after one with those.
    pub fn hold(&self, before: u64, now: u64) -> bool {
        let changed = before ^ now;
        !self.never
            && now & self.level == self.high
            && self.rise & !(changed & now) == 0
            && self.fall & !(changed & before) == 0
            && self.edge & !changed == 0
            && self.stable & changed == 0
    }

    /// Whether they can begin to hold at the second sample of constant levels.
    pub fn begins_at_second(&self) -> bool {
        !self.never && self.stable != 0 && self.rise | self.fall | self.edge == 0
    }
}

/// Terms and skips that must hold together; a skip counts the samples at which the terms before it hold.
pub struct Counted {
    parts: Vec<Part>,
    /// The sample at which it holds; NEVER: not in this chunk.
    pub at: i64,
}

/// One of them.
pub enum Part {
    /// A term.
    Term(Terms),
    /// Samples that are left to skip.
    Skip(i64),
}

impl Counted {
    /// In their order.
    pub fn new(parts: Vec<Part>) -> Self {
        Counted { parts, at: NEVER }
    }

    /// Count on over samples with the same levels before and at them; where it holds, or NEVER.
    pub fn count(&mut self, before: u64, now: u64, mut at: i64, end: i64) -> i64 {
        for part in &mut self.parts {
            match part {
                Part::Term(terms) if !terms.hold(before, now) => return NEVER,
                _ if at >= end => return NEVER,
                Part::Term(_) => (),
                Part::Skip(left) => {
                    let passed = (*left).min(end - at);
                    *left -= passed;
                    at += passed;
                }
            }
        }
        if at < end {
            at
        } else {
            NEVER
        }
    }
}

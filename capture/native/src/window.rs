//! The bytes an inflater has written last, and which of them repeat one sample.
//!
//! Bytes are appended until the buffer is full; then whoever reads them is done with them, and the last 32 KiB move to its
//! front. A run of equal samples that is longer than the history is written in part only: what is omitted is a number in
//! its [`Run`], and the history that it should have filled is written when a match looks back that far.

/// A match reaches back at most this far (RFC 1951, section 2).
pub const HISTORY: usize = 1 << 15;
/// Bytes appended before the buffer is full.
pub const ROOM: usize = 1 << 16;
/// Longest match (RFC 1951, section 3.2.5).
pub const LONGEST: usize = 258;
/// Bytes that a copy moves at once; it may write that many too many.
const WIDE: usize = 32;
/// Bytes of a long run that are written.
const SHOWN: usize = 512;
const SIZE: usize = HISTORY + ROOM + LONGEST + 2 * WIDE + SHOWN;
/// Every run is a match of the greatest length or more, but for one that was cut where the buffer was full.
const MAX_RUNS: usize = (SIZE - HISTORY) / LONGEST + 3;

/// Equal samples: from `start` to `end` every byte equals the one a sample before it.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Run {
    pub start: usize,
    pub end: usize,
    /// Bytes omitted at `end`, complete samples.
    pub hidden: u64,
}

/// Owned by the caller of the kernel; any content is safe, `new` gives one that makes sense.
#[repr(C)]
#[derive(Clone)]
pub struct Window {
    /// Bytes per sample.
    pub unit: usize,
    /// Where the next byte goes.
    pub end: usize,
    /// The reader needs no byte before this one any more.
    pub read: usize,
    /// The oldest byte that may be looked at.
    oldest: usize,
    /// 1 when the bytes before `oldest` repeat the sample there, back to where the history ends.
    endless: usize,
    run_count: usize,
    runs: [Run; MAX_RUNS],
    bytes: [u8; SIZE],
}

impl Window {
    pub fn new(unit: usize) -> Self {
        Window {
            unit,
            end: HISTORY,
            read: HISTORY,
            oldest: HISTORY,
            endless: 0,
            run_count: 0,
            runs: [Run::default(); MAX_RUNS],
            bytes: [0; SIZE],
        }
    }

    pub fn is_valid(&self) -> bool {
        matches!(self.unit, 1..=8)
            && (HISTORY..=SIZE).contains(&self.end)
            && self.oldest <= self.end
            && self.run_count <= MAX_RUNS
            && self.runs[..self.run_count]
                .iter()
                .all(|run| run.start <= run.end && run.end <= self.end)
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.end]
    }

    pub fn runs(&self) -> &[Run] {
        &self.runs[..self.run_count]
    }

    pub fn is_full(&self) -> bool {
        self.end >= HISTORY + ROOM
    }

    /// Forget the history: another stream begins.
    pub fn begin_stream(&mut self) {
        self.oldest = self.end;
        self.endless = 0;
    }

    /// Move the history to the front, once all is read; returns by how much.
    pub fn slide(&mut self) -> usize {
        let by = self.end - HISTORY;
        self.read = HISTORY;
        self.bytes.copy_within(by..self.end, 0);
        self.end = HISTORY;
        self.oldest = self.oldest.saturating_sub(by);
        self.run_count = 0;
        by
    }

    pub fn push(&mut self, byte: u8) {
        self.bytes[self.end] = byte;
        self.end += 1;
    }

    /// Append to the window by registers; `end` has to be set to the writer's afterwards.
    #[inline(always)]
    pub fn writer(&mut self) -> Writer<'_> {
        Writer {
            end: self.end,
            oldest: self.oldest,
            bytes: &mut self.bytes,
        }
    }

    /// Append bytes that are stored as they are; returns how many had room.
    pub fn extend(&mut self, data: &[u8]) -> usize {
        let count = data.len().min((HISTORY + ROOM).saturating_sub(self.end));
        self.bytes[self.end..self.end + count].copy_from_slice(&data[..count]);
        self.end += count;
        count
    }

    /// Append bytes from `distance` bytes back, `length` of them or as many as there is room for; returns those left. None:
    /// there are none so far back, or they are omitted.
    ///
    /// Meant for many repetitions of the longest match. Samples that are equal are recorded as a run.
    #[inline(always)]
    pub fn repeat_long(&mut self, distance: usize, length: u64) -> Option<u64> {
        if distance > self.end - self.oldest && !self.reaches(distance) {
            return None;
        }
        let start = self.end;
        let constant_from = self.constant_from(distance);
        if constant_from.is_some() && length > (HISTORY + SHOWN) as u64 && self.run_count < MAX_RUNS {
            let left_out = length - SHOWN as u64;
            let hidden = left_out - left_out % self.unit as u64;
            self.append(distance, (length - hidden) as usize);
            self.note_run(constant_from.unwrap_or(start), hidden);
            self.oldest = start;
            self.endless = 1;
            return Some(0);
        }
        let count = length.min((HISTORY + ROOM).saturating_sub(start) as u64) as usize;
        self.append(distance, count);
        if let Some(from) = constant_from {
            self.note_run(from, 0);
        }
        Some(length - count as u64)
    }

    #[inline(always)]
    fn append(&mut self, distance: usize, count: usize) {
        let mut writer = self.writer();
        writer.copy(distance, count);
        self.end = writer.end;
    }

    /// From where on bytes that repeat those `distance` bytes back also equal those a sample back.
    #[inline(always)]
    fn constant_from(&self, distance: usize) -> Option<usize> {
        if distance <= self.unit && self.unit % distance == 0 {
            return Some(self.end + self.unit - distance);
        }
        let first = self.end - distance;
        let equal = distance % self.unit == 0
            && distance < WIDE
            && (first + self.unit..self.end).all(|at| self.bytes[at] == self.bytes[at - self.unit]);
        equal.then_some(self.end)
    }

    /// Note that the samples from `start` to the end are equal, and `hidden` bytes after them.
    fn note_run(&mut self, start: usize, hidden: u64) {
        let end = self.end;
        if start >= end {
            return;
        }
        if let Some(run) = self.runs.get_mut(self.run_count) {
            *run = Run { start, end, hidden };
            self.run_count += 1;
        }
    }

    /// Whether bytes so far back were omitted, and will be there once the reader has read up to `end`.
    pub fn is_left_out(&self, distance: usize) -> bool {
        self.endless == 1 && distance <= HISTORY && self.read < self.oldest
    }

    /// Whether there are bytes so far back; writes them if they were omitted.
    #[cold]
    fn reaches(&mut self, distance: usize) -> bool {
        if self.endless == 0 || distance > HISTORY || self.read < self.oldest {
            return false;
        }
        for at in (self.end - HISTORY..self.oldest).rev() {
            self.bytes[at] = self.bytes[at + self.unit];
        }
        self.oldest = self.end - HISTORY;
        true
    }
}

/// The end of a window, while symbols are appended one after the other.
pub struct Writer<'a> {
    pub end: usize,
    oldest: usize,
    bytes: &'a mut [u8; SIZE],
}

impl Writer<'_> {
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        self.end >= HISTORY + ROOM
    }

    #[inline(always)]
    pub fn push(&mut self, byte: u8) {
        self.bytes[self.end] = byte;
        self.end += 1;
    }

    /// Append `length` bytes (3 to 258) from `distance` bytes back. False: there are none so far back, or they are omitted.
    #[inline(always)]
    pub fn repeat(&mut self, distance: usize, length: usize) -> bool {
        let is_there = distance <= self.end - self.oldest;
        if is_there {
            self.copy(distance, length);
        }
        is_there
    }

    /// Append `length` bytes from `distance` bytes back, which are there, and up to two wide copies more.
    #[inline(always)]
    fn copy(&mut self, distance: usize, length: usize) {
        let (from, end) = (self.end - distance, self.end + length);
        if distance >= WIDE {
            let mut at = self.end;
            self.copy_wide(from, at);
            while at + WIDE < end {
                at += WIDE;
                self.copy_wide(at - distance, at);
            }
        } else {
            // One load of all bytes would wait for the last ones, which were stored just now.
            let byte = |place: usize| u64::from(self.bytes[from + place]) << (8 * place);
            let pattern = if distance == 2 {
                (byte(0) | byte(1)) * 0x0001_0001_0001_0001
            } else if distance == 1 {
                byte(0) * 0x0101_0101_0101_0101
            } else {
                self.repeat_near(distance, end);
                return;
            };
            self.fill(pattern, end);
        }
        self.end = end;
    }

    #[inline(always)]
    fn copy_wide(&mut self, from: usize, to: usize) {
        let mut block = [0; WIDE];
        block.copy_from_slice(&self.bytes[from..from + WIDE]);
        self.bytes[to..to + WIDE].copy_from_slice(&block);
    }

    #[inline(always)]
    fn fill(&mut self, pattern: u64, end: usize) {
        let mut at = self.end;
        loop {
            for part in self.bytes[at..at + 2 * WIDE].chunks_exact_mut(8) {
                part.copy_from_slice(&pattern.to_le_bytes());
            }
            at += 2 * WIDE;
            if at >= end {
                break;
            }
        }
    }

    #[inline(never)]
    fn repeat_near(&mut self, distance: usize, end: usize) {
        let from = self.end - distance;
        if 8 % distance == 0 {
            let pattern = (0..8).map(|place| u64::from(self.bytes[from + place % distance]) << (8 * place));
            self.fill(pattern.sum(), end);
        } else {
            for at in self.end..end {
                self.bytes[at] = self.bytes[at - distance];
            }
        }
        self.end = end;
    }
}

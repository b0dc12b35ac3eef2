//! Samples of a zip file's member, deflated or stored, into edges; with the member's CRC.
//!
//! The members of a `.sr` file follow each other as one stream of samples: one that is cut by the end of a member continues
//! in the next.

use crate::crc;
use crate::inflate::{Inflater, Stop};
use crate::scan::{value, Format, Sink};
use crate::window::Window;

/// Compression methods (APPNOTE.TXT of zip, section 4.4.5).
const STORED: u32 = 0;
pub const DEFLATED: u32 = 8;
/// Runs that are shorter are cheaper byte by byte.
const WORTHY_RUN: u64 = 512;

/// Why [`Reader::feed`] returned.
pub const NEEDS_INPUT: u32 = 0;
pub const NEEDS_ROOM: u32 = 1;
pub const COMPLETE: u32 = 2;
pub const MALFORMED: u32 = 3;
pub const TOO_LONG: u32 = 4;

/// The part of a reader that its owner sees; sets before the first member: `mask`, `unit`, `position`.
#[repr(C)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// Number of the next sample.
    pub position: i64,
    /// Levels of the last sample, channels in use only.
    pub level: u64,
    /// Channels in use, bit i is channel i.
    pub mask: u64,
    /// Bytes of the member so far, and those it must have.
    pub bytes: u64,
    pub expected: u64,
    /// Bytes per sample, 1 to 8.
    pub unit: u32,
    /// 1 once a sample was seen.
    pub started: u32,
    /// CRC of the member so far.
    pub crc: u32,
    /// Why the last call returned.
    pub status: u32,
    pub method: u32,
    /// Of the members of [`Reader::feed_all`], those that are read; set it to 0 before other ones.
    pub done: u32,
}

/// A member that lies in memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Span {
    /// Where its data are.
    pub start: u64,
    pub end: u64,
    /// What its entry in the directory states.
    pub size: u64,
    pub crc: u32,
    pub method: u32,
}

#[repr(C)]
#[derive(Clone)]
pub struct Reader {
    pub head: Head,
    /// The next sample to be looked at begins here in the window.
    next: usize,
    /// The next run to come.
    run: usize,
    /// The CRC knows the bytes before this one, and this number of runs.
    digested: usize,
    digested_runs: usize,
    crc_state: u32,
    is_over: u32,
    /// How far the present member of [`Reader::feed_all`] is read; 0: it is not begun.
    used: u64,
    window: Window,
    inflater: Inflater,
}

impl Reader {
    pub fn new(unit: u32, mask: u64) -> Self {
        let window = Window::new(unit as usize);
        Reader {
            head: Head {
                position: 0,
                level: 0,
                mask,
                bytes: 0,
                expected: 0,
                unit,
                started: 0,
                crc: 0,
                status: COMPLETE,
                method: DEFLATED,
                done: 0,
            },
            next: window.end,
            run: 0,
            digested: window.end,
            digested_runs: 0,
            crc_state: crc::START,
            is_over: 1,
            used: 0,
            window,
            inflater: Inflater::new(),
        }
    }

    pub fn is_valid(&self) -> bool {
        self.head.unit as usize == self.window.unit
            && self.window.is_valid()
            && self.inflater.is_valid()
            && self.next <= self.window.end
            && self.next >= self.window.unit
            && self.digested <= self.window.end
            && self.run.max(self.digested_runs) <= self.window.runs().len()
    }

    /// Begin again: the next byte is the first of the sample with this number.
    pub fn restart(&mut self, position: i64) {
        self.head.position = position;
        self.head.started = 0;
        self.used = 0;
        self.next = self.window.end;
        self.run = self.window.runs().len();
    }

    /// Begin a member. False: its method is not known.
    pub fn begin(&mut self, method: u32, expected: u64) -> bool {
        self.head.method = method;
        self.head.expected = expected;
        self.head.bytes = 0;
        self.head.crc = !crc::START;
        self.head.status = NEEDS_INPUT;
        self.crc_state = crc::START;
        self.is_over = 0;
        self.window.begin_stream();
        self.inflater.begin();
        matches!(method, STORED | DEFLATED)
    }

    /// Read more of the member, until the input is used up, the output is full, or the member is over; returns (edges
    /// written, bytes used). Input that was not used has to come again, with more after it.
    pub fn feed(&mut self, input: &[u8], samples: &mut [i64], levels: &mut [u64]) -> (usize, usize) {
        let capacity = samples.len().min(levels.len());
        let mut sink = Sink {
            samples: &mut samples[..capacity],
            levels: &mut levels[..capacity],
            count: 0,
        };
        let mut used = 0;
        self.head.status = loop {
            if !self.scan(&mut sink) {
                break NEEDS_ROOM;
            }
            if self.is_over != 0 {
                break self.is_over;
            }
            if self.window.is_full() {
                self.next -= self.window.slide();
                self.digested = self.window.end;
                (self.run, self.digested_runs) = (0, 0);
            }
            let (stop, count) = self.more(&input[used..]);
            used += count;
            self.digest();
            match stop {
                Stop::Full => {}
                Stop::End => self.is_over = COMPLETE,
                Stop::Malformed => self.is_over = MALFORMED,
                Stop::Input => {
                    if self.scan(&mut sink) {
                        break NEEDS_INPUT;
                    }
                    break NEEDS_ROOM;
                }
            }
            if self.head.bytes > self.head.expected {
                self.is_over = TOO_LONG;
            }
        };
        self.head.crc = !self.crc_state;
        (sink.count, used)
    }

    /// Read members that are in memory as a whole, each as `feed` does, until one is damaged; returns the edges written.
    ///
    /// The head tells why it returned (`COMPLETE`: all are read), and how many members are read, the size and the CRC of
    /// each as stated.
    pub fn feed_all(&mut self, data: &[u8], spans: &[Span], samples: &mut [i64], levels: &mut [u64]) -> usize {
        let mut count = 0;
        self.head.status = COMPLETE;
        while let Some(span) = spans.get(self.head.done as usize) {
            let start = span.start.saturating_add(self.used).min(span.end) as usize;
            let is_begun = self.used > 0 || self.begin(span.method, span.size);
            let input = match data.get(start..span.end as usize) {
                Some(input) if is_begun => input,
                _ => {
                    self.head.status = MALFORMED;
                    break;
                }
            };
            let (edges, used) = self.feed(input, &mut samples[count..], &mut levels[count..]);
            count += edges;
            self.used += used as u64;
            let is_whole = self.head.bytes == span.size && self.head.crc == span.crc;
            if self.head.status != COMPLETE || !is_whole {
                break;
            }
            self.used = 0;
            self.head.done += 1;
        }
        count
    }

    fn more(&mut self, input: &[u8]) -> (Stop, usize) {
        if self.head.method == DEFLATED {
            return self.inflater.run(input, &mut self.window);
        }
        let left = self.head.expected - self.head.bytes;
        let count = self.window.extend(&input[..(left.min(input.len() as u64)) as usize]);
        let stop = if count as u64 == left {
            Stop::End
        } else if self.window.is_full() {
            Stop::Full
        } else {
            Stop::Input
        };
        (stop, count)
    }

    /// Deliver edges up to the window's end. False: the output is full before.
    fn scan(&mut self, sink: &mut Sink<'_>) -> bool {
        let (unit, bytes) = (self.window.unit, self.window.bytes());
        let head = &mut self.head;
        if head.started == 0 && bytes.len() - self.next >= unit {
            if sink.is_full() {
                return false;
            }
            head.level = value(&bytes[self.next..self.next + unit]) & head.mask;
            sink.push(head.position, head.level);
            head.started = 1;
            head.position += 1;
            self.next += unit;
        }
        if head.started == 1 {
            let format = Format { unit, mask: head.mask };
            let mut scan_to = |next: usize, to: usize, position: &mut i64| {
                let stopped = format.scan(bytes, next, to, *position, sink);
                *position += ((stopped - next) / unit) as i64;
                stopped
            };
            for run in &self.window.runs()[self.run..] {
                let ahead = run.start.saturating_sub(self.next);
                let inside = self.next + (ahead + unit - 1) / unit * unit;
                if inside <= run.end {
                    self.next = scan_to(self.next, inside, &mut head.position);
                    if self.next < inside {
                        return false;
                    }
                    let equal = (run.end - inside) / unit;
                    self.next += equal * unit;
                    head.position += equal as i64 + (run.hidden / unit as u64) as i64;
                }
                self.run += 1;
            }
            let complete = self.next + (bytes.len() - self.next) / unit * unit;
            self.next = scan_to(self.next, complete, &mut head.position);
            if self.next < complete {
                return false;
            }
            head.level = value(&bytes[self.next - unit..self.next]) & head.mask;
        }
        self.window.read = self.window.end;
        true
    }

    /// Count the new bytes, and put them into the CRC.
    fn digest(&mut self) {
        let (unit, bytes) = (self.window.unit, self.window.bytes());
        let mut at = self.digested;
        self.head.bytes += (bytes.len() - at) as u64;
        for run in &self.window.runs()[self.digested_runs..] {
            let start = run.start.max(at);
            let complete = (run.end - start) / unit * unit;
            let length = complete as u64 + run.hidden;
            self.head.bytes += run.hidden;
            if length >= WORTHY_RUN {
                self.crc_state = crc::update(self.crc_state, &bytes[at..start]);
                self.crc_state = crc::update_run(self.crc_state, &bytes[start..start + unit], length / unit as u64);
                at = start + complete;
            }
        }
        self.crc_state = crc::update(self.crc_state, &bytes[at..]);
        self.digested = bytes.len();
        self.digested_runs = self.window.runs().len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stored block, the simplest DEFLATE stream.
    fn stored(data: &[u8]) -> Vec<u8> {
        let mut stream = vec![1];
        stream.extend((data.len() as u16).to_le_bytes());
        stream.extend((!(data.len() as u16)).to_le_bytes());
        stream.extend(data);
        stream
    }

    #[test]
    fn members_follow_each_other_as_one_stream_of_samples() {
        let mut reader = Reader::new(2, u64::MAX);
        let (mut samples, mut levels) = ([0; 4], [0; 4]);
        assert!(reader.begin(DEFLATED, 3));
        let stream = stored(&[1, 0, 1]);
        assert_eq!((1, stream.len()), reader.feed(&stream, &mut samples, &mut levels));
        assert_eq!((COMPLETE, 3), (reader.head.status, reader.head.bytes));
        assert!(reader.begin(STORED, 3));
        assert_eq!((1, 3), reader.feed(&[0, 5, 0], &mut samples, &mut levels));

        assert_eq!((2, 5), (samples[0], levels[0]));
        assert_eq!(
            (3, 5, COMPLETE),
            (reader.head.position, reader.head.level, reader.head.status)
        );
    }

    #[test]
    fn a_full_output_stops_and_goes_on() {
        let mut reader = Reader::new(1, u64::MAX);
        let (mut samples, mut levels) = ([0; 2], [0; 2]);
        let stream = stored(&[0, 1, 2, 3, 3]);
        assert!(reader.begin(DEFLATED, 5));
        let mut rows = Vec::new();
        let mut used = 0;
        loop {
            let (count, more) = reader.feed(&stream[used..], &mut samples, &mut levels);
            rows.extend(samples[..count].iter().copied().zip(levels[..count].iter().copied()));
            used += more;
            if reader.head.status != NEEDS_ROOM {
                break;
            }
        }
        assert_eq!(vec![(0, 0), (1, 1), (2, 2), (3, 3)], rows);
    }

    #[test]
    fn more_bytes_than_expected_are_an_error() {
        let mut reader = Reader::new(1, u64::MAX);
        assert!(reader.begin(DEFLATED, 2));
        reader.feed(&stored(&[0; 3]), &mut [0; 4], &mut [0; 4]);

        assert_eq!(TOO_LONG, reader.head.status);
    }
}

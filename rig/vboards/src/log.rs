//! Remarks of a run: accesses that are not modelled, lost bytes, doubtful use.
//!
//! Each remark is made once. The text is for people; its lines stand in the order in which things happened.

use std::collections::BTreeSet;

/// Most lines a board keeps; what comes later is only counted.
const MAX_LINES: usize = 1000;

/// One line of a board's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub t_ps: u64,
    pub text: String,
}

/// The log of one board.
#[derive(Default)]
pub struct Log {
    logged: BTreeSet<(u8, u32)>,
    entries: Vec<Entry>,
    dropped: u64,
}

/// Why something is logged; with the address it decides what counts as logged already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topic {
    Read = 0,
    Write = 1,
    ClockOffRead = 2,
    ClockOffWrite = 3,
    Device = 4,
    Radio = 5,
    Serial = 6,
    /// A register that is polled and does not change.
    Spin = 7,
}

impl Log {
    /// Writes a line unless (`topic`, `key`) was logged before.
    pub fn once(&mut self, t_ps: u64, topic: Topic, key: u32, text: impl FnOnce() -> String) {
        if !self.logged.insert((topic as u8, key)) {
            return;
        }
        if self.entries.len() >= MAX_LINES {
            self.dropped += 1;
            return;
        }
        self.entries.push(Entry { t_ps, text: text() });
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Lines that did not fit.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}

//! Remarks of a run: accesses that are not modelled, lost bytes, doubtful use.
//!
//! A remark that repeats is counted. The text is for readers; the lines are in the order in which things happened first.

use std::collections::BTreeMap;

/// Most lines a board keeps; what comes later is only counted.
const MAX_LINES: usize = 1000;

/// One line of a board's log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// When it happened first.
    pub t_ps: u64,
    /// Where the core was then: its last register access.
    pub pc: u32,
    pub times: u64,
    pub text: String,
}

/// The log of one board.
#[derive(Default)]
pub struct Log {
    /// Index among the entries; beyond them: it did not fit.
    logged: BTreeMap<(u8, u32), usize>,
    entries: Vec<Entry>,
    dropped: u64,
    pc: u32,
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
    /// The core accesses a register: what follows is of this instruction, until the next access.
    #[inline]
    pub fn set_pc(&mut self, pc: u32) {
        self.pc = pc;
    }

    /// Writes a line, or counts it if (`topic`, `key`) has one.
    pub fn once(&mut self, t_ps: u64, topic: Topic, key: u32, text: impl FnOnce() -> String) {
        let next = self.entries.len();
        let index = *self.logged.entry((topic as u8, key)).or_insert(next);
        if let Some(entry) = self.entries.get_mut(index) {
            entry.times += 1;
        } else if index < MAX_LINES {
            self.entries.push(Entry {
                t_ps,
                pc: self.pc,
                times: 1,
                text: text(),
            });
        } else {
            self.dropped += 1;
        }
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Lines that did not fit.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }
}

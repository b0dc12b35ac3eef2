//! ART accelerator: the caches between the flash and the core (RM0351 3.3.4).
//!
//! An instruction cache of 32 lines and a data cache of 8 lines, each line 4 times 64 bits, replaced least recently
//! used first. That a miss fills only the 64 bits that were read, not the line, and that both caches are fully
//! associative, is how 3.3.4 reads: unverified.

use crate::core::v7m::timing::LineCache;

const INSTRUCTION_LINES: usize = 32;
const DATA_LINES: usize = 8;
/// 64-bit words of a line.
const WORDS: u32 = 4;
const ACR_ICEN: u32 = 1 << 9;
const ACR_DCEN: u32 = 1 << 10;
const ACR_ICRST: u32 = 1 << 11;
const ACR_DCRST: u32 = 1 << 12;

/// A fully associative cache.
#[derive(Clone, Debug)]
struct Cache {
    enabled: bool,
    /// Of each line: which 256 bits of the flash ([`EMPTY`]: none), which of its words are there, when it was used last.
    tags: Vec<u32>,
    words: Vec<u8>,
    used: Vec<u64>,
    uses: u64,
}

const EMPTY: u32 = u32::MAX;

impl Cache {
    fn new(lines: usize) -> Cache {
        Cache {
            enabled: true,
            tags: vec![EMPTY; lines],
            words: vec![0; lines],
            used: vec![0; lines],
            uses: 0,
        }
    }

    fn clear(&mut self) {
        self.tags.fill(EMPTY);
    }

    fn oldest(&self) -> usize {
        (0..self.used.len()).min_by_key(|&index| self.used[index]).unwrap_or(0)
    }

    /// Whether a word (byte address / 8) is there; it is from now on.
    fn look_up(&mut self, word: u32) -> bool {
        if !self.enabled {
            return false;
        }
        let (tag, bit) = (word / WORDS, 1 << (word % WORDS));
        let index = match self.tags.iter().position(|&known| known == tag) {
            Some(index) => index,
            None => {
                let index = self.oldest();
                (self.tags[index], self.words[index]) = (tag, 0);
                index
            }
        };
        self.uses += 1;
        self.used[index] = self.uses;
        let hit = self.words[index] & bit != 0;
        self.words[index] |= bit;
        hit
    }
}

/// Both caches.
#[derive(Clone, Debug)]
pub struct Art {
    instructions: Cache,
    data: Cache,
}

impl Default for Art {
    fn default() -> Art {
        Art {
            instructions: Cache::new(INSTRUCTION_LINES),
            data: Cache::new(DATA_LINES),
        }
    }
}

impl LineCache for Art {
    fn instruction(&mut self, line: u32) -> bool {
        self.instructions.look_up(line)
    }

    fn data(&mut self, line: u32) -> bool {
        self.data.look_up(line)
    }

    fn flush(&mut self) {
        self.instructions.clear();
        self.data.clear();
    }

    /// ACR: enables, resets.
    fn control(&mut self, acr: u32) {
        self.instructions.enabled = acr & ACR_ICEN != 0;
        self.data.enabled = acr & ACR_DCEN != 0;
        if acr & ACR_ICRST != 0 {
            self.instructions.clear();
        }
        if acr & ACR_DCRST != 0 {
            self.data.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was read once is there; the line used longest ago goes when there are too many.
    #[test]
    fn lines_are_kept_until_too_many() {
        let mut art = Art::default();
        assert!(!art.data(0));
        assert!(art.data(0));
        assert!(!art.data(1)); // the same line, another word
        for line in 1..DATA_LINES as u32 {
            assert!(!art.data(line * WORDS));
        }
        assert!(art.data(0)); // still there, and now the youngest
        assert!(!art.data(100));
        assert!(!art.data(WORDS)); // the oldest had to go
        assert!(art.data(0));
        assert!(!art.instruction(0));
    }

    #[test]
    fn a_cache_that_is_off_holds_nothing() {
        let mut art = Art::default();
        art.control(ACR_DCEN);
        assert!(!art.instruction(5));
        assert!(!art.instruction(5));
        art.control(ACR_ICEN | ACR_ICRST);
        assert!(!art.instruction(5));
        assert!(art.instruction(5));
    }
}

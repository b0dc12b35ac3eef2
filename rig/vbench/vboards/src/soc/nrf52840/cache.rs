//! The instruction cache between flash and core (PS "NVMC", instruction cache).
//!
//! 2 KiB, two ways, lines of 16 bytes, the way used last stays: the size is remembered, the rest is assumed, all of it
//! unverified. Data is not cached: the cache is on the I-code bus.

use crate::core::v7m::timing::LineCache;

const WAYS: usize = 2;
const SETS: usize = 64;
/// Lines of the core's fetch, 8 bytes, in one of the cache.
const PARTS: u32 = 2;
const EMPTY: u32 = u32::MAX;

/// The cache.
#[derive(Clone, Debug)]
pub struct Cache {
    enabled: bool,
    tags: [[u32; WAYS]; SETS],
    /// The way that was used last.
    recent: [usize; SETS],
}

impl Default for Cache {
    fn default() -> Cache {
        Cache {
            enabled: false,
            tags: [[EMPTY; WAYS]; SETS],
            recent: [0; SETS],
        }
    }
}

impl LineCache for Cache {
    fn instruction(&mut self, line: u32) -> bool {
        if !self.enabled {
            return false;
        }
        let tag = line / PARTS;
        let set = tag as usize % SETS;
        let hit = self.tags[set].iter().position(|&known| known == tag);
        let way = hit.unwrap_or(1 - self.recent[set]);
        self.tags[set][way] = tag;
        self.recent[set] = way;
        hit.is_some()
    }

    fn data(&mut self, _line: u32) -> bool {
        false
    }

    fn flush(&mut self) {
        self.tags = [[EMPTY; WAYS]; SETS];
    }

    /// ICACHECNF.
    fn control(&mut self, register: u32) {
        self.enabled = register & 1 == 1;
        if !self.enabled {
            self.flush();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of three lines of one set the one used longest ago goes.
    #[test]
    fn two_ways_of_a_set() {
        let mut cache = Cache::default();
        assert!(!cache.instruction(0) && !cache.instruction(0));
        cache.control(1);
        let line = |way: u32| way * SETS as u32 * PARTS;
        assert!(!cache.instruction(line(0)));
        assert!(cache.instruction(line(0) + 1)); // the other half
        assert!(!cache.instruction(line(1)));
        assert!(cache.instruction(line(0)));
        assert!(!cache.instruction(line(2)));
        assert!(cache.instruction(line(0)));
        assert!(!cache.instruction(line(1)));
    }
}

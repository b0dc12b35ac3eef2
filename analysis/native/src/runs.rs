//! The constant intervals of a chunk of samples, and the next sample in them at which a condition holds.
//!
//! What libsigrokdecode 0.5.3 does sample by sample (`find_match`, `sample_matches`): a wait() begins at the sample of
//! the last match, with the pins before it equal to those at it, so that a level holds there at once and an edge does
//! not; before the first sample the pins were what they are at it. A term on an optional channel that is not given
//! reads bit -1: there 'l' holds always, and nothing else ever does.
//!
//! The pins are constant between two edges of their own channels (a run), so a condition without a skip can begin to
//! hold only at the first sample of a run or at the second.

use crate::conditions::{Search, NEVER};

/// The runs of one chunk, for the channels of one decoder.
#[derive(Default)]
pub struct Runs {
    /// First sample of each run.
    at: Vec<i64>,
    /// Levels in it, of these channels only.
    levels: Vec<u64>,
    /// Levels in the sample before the first run.
    before: u64,
    /// One past the last sample.
    end: i64,
}

/// Where a decoder is.
#[derive(Clone, Copy, Default)]
pub struct Place {
    /// The sample.
    pub at: i64,
    /// The run that it is in.
    run: usize,
    /// The last match was at this sample; else a chunk begins with it.
    visited: bool,
}

impl Runs {
    /// Take the next chunk: its edges, of all channels; `carried` are the levels before it, where there is a chunk before.
    pub fn load(&mut self, samples: &[i64], levels: &[u64], end: i64, mask: u64, carried: Option<u64>) -> Place {
        self.at.clear();
        self.levels.clear();
        let mut now = levels[0] & mask;
        self.before = carried.unwrap_or(now);
        self.at.push(samples[0]);
        self.levels.push(now);
        for (&sample, &level) in samples.iter().zip(levels).skip(1) {
            if level & mask != now {
                now = level & mask;
                self.at.push(sample);
                self.levels.push(now);
            }
        }
        self.end = end;
        Place {
            at: samples[0],
            run: 0,
            visited: false,
        }
    }

    /// The levels at a place.
    pub fn levels(&self, place: Place) -> u64 {
        self.levels[place.run]
    }

    /// The levels at the end of the chunk.
    pub fn last_levels(&self) -> Option<u64> {
        self.levels.last().copied()
    }

    /// Go on to the next sample of this chunk at which one holds, and note in each whether it does; None: in none.
    pub fn search(&self, place: Place, searches: &mut [Search]) -> Option<Place> {
        let mut limit = NEVER;
        let (mut holds, mut second) = (false, false);
        for search in searches.iter() {
            match search {
                Search::At(sample) => limit = limit.min(*sample),
                Search::Holds(terms) => {
                    holds = true;
                    second |= terms.begins_at_second();
                }
                Search::Counted(_) | Search::Empty => (),
            }
        }
        for search in searches.iter_mut() {
            if let Search::Counted(counted) = search {
                counted.at = self.count(place, counted, limit);
                limit = limit.min(counted.at);
            }
        }
        if holds {
            self.scan(place, limit, second, searches)
        } else {
            self.skip(place, limit)
        }
    }

    /// Whether each search holds at a place that `search` gave, after the place before.
    pub fn matches<'a>(&'a self, from: Place, place: Place, searches: &'a [Search]) -> impl Iterator<Item = bool> + 'a {
        let levels = self.levels[place.run];
        let is_first = place.at == self.at[place.run] && !(from.visited && from.at == place.at);
        let before = if is_first {
            self.levels_before(place.run)
        } else {
            levels
        };
        searches.iter().map(move |search| match search {
            Search::At(sample) => *sample == place.at,
            Search::Holds(terms) => terms.hold(before, levels),
            Search::Counted(counted) => counted.at == place.at,
            Search::Empty => false,
        })
    }

    fn levels_before(&self, run: usize) -> u64 {
        if run == 0 {
            self.before
        } else {
            self.levels[run - 1]
        }
    }

    fn end_of(&self, run: usize) -> i64 {
        self.at.get(run + 1).copied().unwrap_or(self.end)
    }

    fn skip(&self, place: Place, sample: i64) -> Option<Place> {
        if sample >= self.end {
            return None;
        }
        let mut step = 1;
        let mut low = place.run;
        while low + step < self.at.len() && self.at[low + step] <= sample {
            low += step;
            step *= 2;
        }
        let high = self.at.len().min(low + step);
        let run = low + self.at[low..high].partition_point(|&at| at <= sample) - 1;
        Some(Place {
            at: sample,
            run,
            visited: true,
        })
    }

    /// The next sample, not after `limit`, at which terms hold, or `limit`.
    fn scan(&self, place: Place, limit: i64, second: bool, searches: &[Search]) -> Option<Place> {
        let any = |before: u64, now: u64| {
            searches
                .iter()
                .any(|search| matches!(search, Search::Holds(terms) if terms.hold(before, now)))
        };
        let mut run = place.run;
        let mut before = self.levels_before(run);
        if place.visited {
            let now = self.levels[run];
            if place.at >= limit || any(now, now) {
                return Some(place);
            }
            before = now;
            run += 1;
        }
        let mut found = None;
        for (index, (&at, &now)) in self.at.iter().zip(&self.levels).enumerate().skip(run) {
            if at > limit {
                break;
            }
            if at == limit || any(before, now) {
                found = Some(Place {
                    at,
                    run: index,
                    visited: true,
                });
                break;
            }
            if second && at + 1 < self.end_of(index) && at < limit && any(now, now) {
                found = Some(Place {
                    at: at + 1,
                    run: index,
                    visited: true,
                });
                break;
            }
            before = now;
        }
        found.or_else(|| self.skip(place, limit))
    }

    /// Count on in a condition with skips; the first sample, not after `limit`, at which it holds, or NEVER.
    fn count(&self, place: Place, counted: &mut crate::conditions::Counted, limit: i64) -> i64 {
        let mut at = place.at;
        let mut before = self.levels_before(place.run);
        let mut visited = place.visited;
        for run in place.run..self.at.len() {
            let (now, end) = (self.levels[run], self.end_of(run));
            if !visited {
                let sample = counted.count(before, now, at, at + 1);
                if sample != NEVER {
                    return sample;
                }
                at += 1;
            }
            let sample = counted.count(now, now, at, end);
            if sample != NEVER {
                return sample;
            }
            if end > limit {
                break;
            }
            (at, before, visited) = (end, now, false);
        }
        NEVER
    }
}

//! From changes of single channels to rows of all levels: puts together what happens in one instant, finds gaps.

/// What has to survive between two calls. Owned by the caller.
#[repr(C)]
#[derive(Clone, Debug)]
pub struct State {
    /// Levels now.
    pub levels: u64,
    /// Channels whose level is not known now.
    pub unknown: u64,
    /// Channels that are in use.
    pub used: u64,
    /// Levels of the last row.
    shown: u64,
    /// Levels at the end of the instant before.
    before: u64,
    /// Channels whose level was not known then.
    before_unknown: u64,
    /// The instant that is not complete yet.
    pub time: i64,
    /// Where the present gap began.
    gap_from: i64,
    /// Changes that were undone in the same instant, and so are in no row; complete at the end of an instant.
    pub undone: i64,
    /// Gaps in this call.
    pub gaps: i64,
    /// Index of a change before its predecessor, or -1.
    pub disorder: i64,
    /// 1: a gap is where no channel is known, and a single unknown one is low. 0: a gap is where any is unknown.
    pub gap_if_all: u32,
    /// 1 when `time` is valid.
    pub pending: u32,
    /// 1 once there was a row.
    pub started: u32,
    in_gap: u32,
    /// 1 when a channel changed at `time`.
    pub changed: u32,
    reserved: u32,
}

/// Changes: at `times[i]`, the channels in `masks[i]` take the levels `values[i]`, or become unknown.
pub struct Changes<'a> {
    pub times: &'a [i64],
    pub masks: &'a [u64],
    pub values: &'a [u64],
    pub unknown: &'a [u64],
}

/// Where rows and gaps go; one more of each than there are changes.
pub struct Rows<'a> {
    pub samples: &'a mut [i64],
    pub levels: &'a mut [u64],
    pub gaps: &'a mut [i64],
    pub count: usize,
}

impl State {
    /// Take changes in the order of time; returns the number of rows. Stops at one before its predecessor.
    pub fn feed(&mut self, changes: &Changes, rows: &mut Rows) -> usize {
        self.gaps = 0;
        self.disorder = -1;
        for (index, &time) in changes.times.iter().enumerate() {
            if self.pending == 1 && time != self.time {
                if time < self.time {
                    self.disorder = index as i64;
                    return rows.count;
                }
                self.commit(rows);
            }
            self.time = time;
            self.pending = 1;
            self.apply(changes.masks[index], changes.values[index], changes.unknown[index]);
        }
        rows.count
    }

    /// Complete the last instant; returns the number of rows.
    pub fn finish(&mut self, rows: &mut Rows) -> usize {
        self.gaps = 0;
        self.disorder = -1;
        if self.pending == 1 {
            self.commit(rows);
        }
        rows.count
    }

    fn apply(&mut self, mask: u64, value: u64, unknown: u64) {
        let mask = mask & self.used;
        if mask == 0 {
            return;
        }
        self.changed = 1;
        let known = mask & !unknown;
        let changed = ((self.levels ^ value) | self.unknown) & known;
        self.undone += i64::from(changed.count_ones());
        self.levels = (self.levels & !mask) | (value & known);
        self.unknown = (self.unknown & !mask) | (unknown & mask);
    }

    fn commit(&mut self, rows: &mut Rows) {
        let lost = if self.gap_if_all == 1 {
            self.used != 0 && self.unknown & self.used == self.used
        } else {
            self.unknown & self.used != 0
        };
        if lost {
            if self.started == 1 && self.in_gap == 0 {
                self.in_gap = 1;
                self.gap_from = self.time;
            }
        } else if self.started == 0 || self.in_gap == 1 || self.levels != self.shown {
            if self.in_gap == 1 {
                let at = 2 * self.gaps as usize;
                rows.gaps[at] = self.gap_from;
                rows.gaps[at + 1] = self.time;
                self.gaps += 1;
            }
            rows.samples[rows.count] = self.time;
            rows.levels[rows.count] = self.levels;
            rows.count += 1;
            self.started = 1;
            self.in_gap = 0;
            self.shown = self.levels;
        }
        let kept = ((self.levels ^ self.before) | self.before_unknown) & !self.unknown & self.used;
        self.undone -= i64::from(kept.count_ones());
        self.before = self.levels;
        self.before_unknown = self.unknown;
        self.changed = 0;
    }

    /// Whether the caller left the state as it was.
    pub fn is_valid(&self) -> bool {
        self.pending <= 1 && self.started <= 1 && self.in_gap <= 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(used: u64, gap_if_all: u32) -> State {
        State {
            levels: 0,
            unknown: 0,
            used,
            shown: 0,
            before: 0,
            before_unknown: 0,
            time: 0,
            gap_from: 0,
            undone: 0,
            gaps: 0,
            disorder: -1,
            gap_if_all,
            pending: 0,
            started: 0,
            in_gap: 0,
            changed: 0,
            reserved: 0,
        }
    }

    type Found = (Vec<(i64, u64)>, Vec<i64>);

    fn run(state: &mut State, changes: &[(i64, u64, u64, u64)]) -> Found {
        let pick = |of: fn(&(i64, u64, u64, u64)) -> u64| changes.iter().map(of).collect::<Vec<_>>();
        let times: Vec<i64> = changes.iter().map(|change| change.0).collect();
        let (masks, values, unknown) = (pick(|c| c.1), pick(|c| c.2), pick(|c| c.3));
        let room = changes.len() + 1;
        let (mut samples, mut levels, mut gaps) = (vec![0; room], vec![0; room], vec![0; 2 * room]);
        let mut rows = Rows {
            samples: &mut samples,
            levels: &mut levels,
            gaps: &mut gaps,
            count: 0,
        };
        let changes = Changes {
            times: &times,
            masks: &masks,
            values: &values,
            unknown: &unknown,
        };
        state.feed(&changes, &mut rows);
        let gaps_fed = state.gaps as usize;
        let count = rows.count;
        let rows = samples.into_iter().zip(levels).take(count).collect();
        gaps.truncate(2 * gaps_fed);
        (rows, gaps)
    }

    #[test]
    fn the_last_level_of_an_instant_counts_and_undone_changes_are_counted() {
        let mut s = state(1, 0);
        let levels = [(0, 0), (5, 1), (5, 0), (9, 0), (9, 1), (9, 0), (9, 1)];
        let mut changes = levels.map(|(time, level)| (time, 1, level, 0)).to_vec();
        changes.push((10, 0, 0, 0));
        let (rows, _) = run(&mut s, &changes);

        assert_eq!(vec![(0, 0), (9, 1)], rows);
        assert_eq!(4, s.undone); // both at 5, two of the three at 9
    }

    #[test]
    fn an_unknown_channel_is_a_gap_and_the_row_after_it_is_given() {
        let mut s = state(3, 0);
        let (rows, gaps) = run(&mut s, &[(0, 3, 1, 0), (4, 2, 0, 2), (7, 3, 1, 0), (8, 0, 0, 0)]);

        assert_eq!(vec![(0, 1), (7, 1)], rows);
        assert_eq!(vec![4, 7], gaps);
    }

    #[test]
    fn with_the_other_rule_one_unknown_channel_is_low() {
        let mut s = state(3, 1);
        let (rows, gaps) = run(&mut s, &[(0, 3, 3, 0), (4, 2, 2, 2), (7, 0, 0, 0)]);

        assert_eq!(vec![(0, 3), (4, 1)], rows);
        assert!(gaps.is_empty());
    }

    #[test]
    fn a_step_back_in_time_is_reported() {
        let mut s = state(1, 0);
        run(&mut s, &[(5, 1, 0, 0), (4, 1, 1, 0)]);

        assert_eq!(1, s.disorder);
    }
}

//! How long each occupant of a processor ran within the steps of packets: `gpiorig.analysis.processor.step_times` has
//! the rules.

use crate::search::less;
use crate::thread_times::in_threads;

/// What an occupant is, as bits.
pub const SCHEDULED: u8 = 1;
pub const INTERRUPT: u8 = 2;

/// Intervals that are added at once where a step is longer than that.
const BLOCK: usize = 64;

/// Events of a window.
pub struct Events<'a> {
    pub samples: &'a [i64],
    pub nodes: &'a [u16],
    pub codes: &'a [u8],
    /// Row of the packet, -1 none.
    pub packets: &'a [i32],
    /// Of every code, whether software that works on packets sends it.
    pub of_layers: &'a [u8; 256],
}

/// The intervals of one node.
pub struct Intervals<'a> {
    pub node: u16,
    pub positions: &'a [i64],
    pub starts: &'a [i64],
    pub end: i64,
    /// Places in `kinds`.
    pub occupants: &'a [i32],
    pub kinds: &'a [u8],
    pub packet_spans: &'a [i64],
}

/// Packets of a route.
pub struct Packets<'a> {
    /// Place of each packet among these, from the row `lowest` on, -1 for one that is not.
    pub places: &'a [i32],
    pub lowest: i64,
    /// Milestones of one packet after the other, increasing.
    pub instants: &'a [i64],
    /// Of each step its place among those of the node, -1 for one elsewhere.
    pub columns: &'a [i32],
    /// Steps of the node.
    pub width: usize,
}

/// Times by packet and step of the node, and over all packets by occupant and step.
pub struct Times<'a> {
    pub own: &'a mut [i64],
    pub busy: &'a mut [i64],
    pub sums: &'a mut [i64],
}

impl Packets<'_> {
    pub(crate) fn place(&self, row: i32) -> Option<usize> {
        let offset = usize::try_from(i64::from(row) - self.lowest).ok()?;
        usize::try_from(*self.places.get(offset)?).ok()
    }

    pub(crate) fn milestones(&self, packet: usize) -> Option<&[i64]> {
        let size = self.columns.len() + 1;
        self.instants.get(packet * size..(packet + 1) * size)
    }

    pub(crate) fn column(&self, step: usize) -> Option<usize> {
        usize::try_from(*self.columns.get(step)?).ok()
    }
}

/// The intervals, with what each is: of which packet, and whether something ran that hinders the other ones.
pub(crate) struct Labelled<'a> {
    pub(crate) intervals: Intervals<'a>,
    pub(crate) packets: Vec<i32>,
    busy: Vec<bool>,
}

impl Labelled<'_> {
    pub(crate) fn occupant(&self, at: usize) -> usize {
        self.intervals.occupants[at] as usize
    }

    pub(crate) fn end(&self, at: usize) -> i64 {
        *self.intervals.starts.get(at + 1).unwrap_or(&self.intervals.end)
    }

    /// Thread or task of an interval that is of no packet.
    pub(crate) fn is_bare(&self, at: usize) -> bool {
        self.packets[at] < 0 && self.intervals.kinds[self.occupant(at)] & SCHEDULED != 0
    }

    /// The interval of an instant, sought around another interval; the first one for what is before it.
    fn interval(&self, instant: i64, near: usize) -> usize {
        less(self.intervals.starts, instant + 1, near).saturating_sub(1)
    }
}

/// Sums over blocks of intervals: time by occupant, and last that in which something ran.
struct Blocks {
    size: usize,
    width: usize,
    before: Vec<i64>,
}

impl Blocks {
    fn new(labelled: &Labelled) -> Self {
        let count = labelled.busy.len();
        let (width, occupants) = (labelled.intervals.kinds.len() + 1, labelled.intervals.kinds.len());
        let size = BLOCK.max(width); // no more of these sums than intervals
        let mut before = Vec::with_capacity((count / size + 1) * width);
        let mut sums = vec![0; width];
        for at in 0..count {
            if at % size == 0 {
                before.extend_from_slice(&sums);
            }
            let took = labelled.end(at) - labelled.intervals.starts[at];
            sums[labelled.occupant(at)] += took;
            if labelled.busy[at] {
                sums[occupants] += took;
            }
        }
        before.extend_from_slice(&sums);
        Blocks { size, width, before }
    }

    fn sums(&self, block: usize) -> &[i64] {
        &self.before[block * self.width..(block + 1) * self.width]
    }
}

/// Add up the times of a node; nothing where an array does not fit the others.
pub fn step_times(events: Events, intervals: Intervals, packets: &Packets, out: &mut Times) -> Option<()> {
    let (labels, busy) = labels(&events, &intervals)?;
    let labelled = Labelled {
        intervals,
        packets: labels,
        busy,
    };
    let count = packets.instants.len() / (packets.columns.len() + 1);
    let fits = out.own.len() == count * packets.width
        && out.busy.len() == out.own.len()
        && out.sums.len() == labelled.intervals.kinds.len() * packets.width
        && packets.columns.iter().all(|&column| column < packets.width as i32)
        && packets.places.iter().all(|&place| place < count as i32);
    if !fits || labelled.intervals.starts.is_empty() {
        return None;
    }
    occupied(&labelled, packets, count, out)?;
    in_spans(&labelled, packets, out.own)?;
    in_threads(&events, &labelled, packets, out.own)
}

/// Of every interval the packet of its span, and whether a packet's span, a thread, a task or an interrupt ran.
fn labels(events: &Events, intervals: &Intervals) -> Option<(Vec<i32>, Vec<bool>)> {
    let count = intervals.occupants.len();
    let (mut labels, mut busy) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for (&span, &occupant) in intervals.packet_spans.iter().zip(intervals.occupants) {
        let label = match usize::try_from(span) {
            Ok(span) => *events.packets.get(span)?,
            Err(_) => -1,
        };
        let kind = *intervals.kinds.get(usize::try_from(occupant).ok()?)?;
        labels.push(label);
        busy.push(label >= 0 || kind & (SCHEDULED | INTERRUPT) != 0);
    }
    Some((labels, busy))
}

/// What ran within each step.
fn occupied(labelled: &Labelled, packets: &Packets, count: usize, out: &mut Times) -> Option<()> {
    let starts = labelled.intervals.starts;
    let blocks = Blocks::new(labelled);
    let mut first = 0;
    for packet in 0..count {
        let milestones = packets.milestones(packet)?;
        first = labelled.interval(milestones[0], first);
        let mut near = first;
        for step in 0..packets.columns.len() {
            let column = match packets.column(step) {
                Some(column) => column,
                None => continue,
            };
            let (from, until) = (milestones[step].max(starts[0]), milestones[step + 1]);
            near = labelled.interval(from, near);
            let mut busy = 0;
            let (mut at, mut since) = (near, from);
            while since < until {
                if at % blocks.size == 0 && since == starts[at] {
                    let block = at / blocks.size;
                    let after = (block + 1) * blocks.size;
                    if after < starts.len() && starts[after] <= until {
                        let sums = blocks.sums(block).iter().zip(blocks.sums(block + 1));
                        let mut took = sums.map(|(before, after)| after - before);
                        for occupant in 0..blocks.width - 1 {
                            out.sums[occupant * packets.width + column] += took.next()?;
                        }
                        busy += took.next()?;
                        (at, since) = (after, starts[after]);
                        continue;
                    }
                }
                let end = if at + 1 < starts.len() {
                    starts[at + 1].min(until)
                } else {
                    until
                };
                let took = end - since;
                out.sums[labelled.occupant(at) * packets.width + column] += took;
                busy += if labelled.busy[at] { took } else { 0 };
                (at, since) = (at + 1, end);
            }
            near = at.min(starts.len() - 1);
            out.busy[packet * packets.width + column] = busy;
        }
    }
    Some(())
}

/// The packet's own time in its spans.
fn in_spans(labelled: &Labelled, packets: &Packets, own: &mut [i64]) -> Option<()> {
    for (at, &label) in labelled.packets.iter().enumerate() {
        let packet = match packets.place(label) {
            Some(packet) => packet,
            None => continue,
        };
        let milestones = packets.milestones(packet)?;
        let (start, end) = (labelled.intervals.starts[at], labelled.end(at));
        let after = milestones.partition_point(|&instant| instant <= start);
        for step in after.saturating_sub(1)..packets.columns.len() {
            if milestones[step] >= end {
                break;
            }
            if let Some(column) = packets.column(step) {
                let took = milestones[step + 1].min(end) - milestones[step].max(start);
                own[packet * packets.width + column] += took.max(0);
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread of 10, 7 of a packet's span in it, an interrupt of 3, again and again; steps of 5 to 45 samples.
    #[test]
    fn blocks_of_intervals_are_their_sums() {
        const ROUNDS: i64 = 200;
        let starts: Vec<i64> = (0..ROUNDS)
            .flat_map(|round| [20 * round, 20 * round + 10, 20 * round + 17])
            .collect();
        let count = starts.len();
        let occupants: Vec<i32> = (0..count).map(|at| i32::from(at % 3 == 2)).collect();
        let packet_spans: Vec<i64> = (0..count).map(|at| if at % 3 == 1 { 0 } else { -1 }).collect();
        let positions: Vec<i64> = (0..count as i64).collect();
        let events = Events {
            samples: &[0],
            nodes: &[0],
            codes: &[0],
            packets: &[5],
            of_layers: &[0; 256],
        };
        let intervals = Intervals {
            node: 0,
            positions: &positions,
            starts: &starts,
            end: 20 * ROUNDS,
            occupants: &occupants,
            kinds: &[SCHEDULED, INTERRUPT],
            packet_spans: &packet_spans,
        };
        let packets = Packets {
            places: &[0],
            lowest: 5,
            instants: &[3, 15, 3900, 3999],
            columns: &[0, 1, -1],
            width: 2,
        };
        let (mut own, mut busy, mut sums) = ([0; 2], [0; 2], [0; 4]);
        let mut out = Times {
            own: &mut own,
            busy: &mut busy,
            sums: &mut sums,
        };

        assert_eq!(Some(()), step_times(events, intervals, &packets, &mut out));

        // From 15 to 3900: 2 and 194 times 7 in spans of the packet, 195 interrupts of 3.
        assert_eq!([5, 2 + 194 * 7], own);
        assert_eq!([12, 3885], busy);
        assert_eq!([12, 3885 - 195 * 3, 0, 195 * 3], sums);
    }
}

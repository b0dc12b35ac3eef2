//! How long each occupant of a processor ran within the steps of packets: `gpiorig.analysis.processor.step_times` has
//! the rules.

use crate::search::less;

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
    fn place(&self, row: i32) -> Option<usize> {
        let offset = usize::try_from(i64::from(row) - self.lowest).ok()?;
        usize::try_from(*self.places.get(offset)?).ok()
    }

    fn milestones(&self, packet: usize) -> Option<&[i64]> {
        let size = self.columns.len() + 1;
        self.instants.get(packet * size..(packet + 1) * size)
    }

    fn column(&self, step: usize) -> Option<usize> {
        usize::try_from(*self.columns.get(step)?).ok()
    }
}

/// The intervals, with what each is: of which packet, and whether something ran that may be in the way of another one.
struct Labelled<'a> {
    intervals: Intervals<'a>,
    packets: Vec<i32>,
    busy: Vec<bool>,
}

impl Labelled<'_> {
    fn occupant(&self, at: usize) -> usize {
        self.intervals.occupants[at] as usize
    }

    fn end(&self, at: usize) -> i64 {
        *self.intervals.starts.get(at + 1).unwrap_or(&self.intervals.end)
    }

    /// Thread or task of an interval that is of no packet.
    fn is_bare(&self, at: usize) -> bool {
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

/// The packet's own time in threads and tasks in which it has an event within the step, outside of spans of packets.
fn in_threads(events: &Events, labelled: &Labelled, packets: &Packets, own: &mut [i64]) -> Option<()> {
    let bare: Vec<usize> = (0..labelled.packets.len()).filter(|&at| labelled.is_bare(at)).collect();
    if bare.is_empty() {
        return Some(());
    }
    let runs = Runs::new(labelled, &bare);
    for (packet, step, occupant) in threads_of_packets(events, labelled, packets)? {
        let milestones = packets.milestones(packet)?;
        let column = packets.column(step)?;
        let before = [milestones[step], milestones[step + 1]].map(|instant| runs.before(labelled, occupant, instant));
        own[packet * packets.width + column] += before[1] - before[0];
    }
    Some(())
}

/// Packets, their steps and the occupants in which the packet has an event, each once.
fn threads_of_packets(events: &Events, labelled: &Labelled, packets: &Packets) -> Option<Vec<(usize, usize, usize)>> {
    let (positions, kinds) = (labelled.intervals.positions, labelled.intervals.kinds);
    let (mut at, mut cells) = (0, Vec::new());
    for (position, &sample) in events.samples.iter().enumerate() {
        if events.nodes[position] != labelled.intervals.node
            || events.of_layers[usize::from(events.codes[position])] == 0
        {
            continue;
        }
        while at + 1 < positions.len() && positions[at + 1] <= position as i64 {
            at += 1;
        }
        let occupant = labelled.occupant(at);
        let packet = match packets.place(events.packets[position]) {
            Some(packet) if kinds[occupant] & SCHEDULED != 0 => packet,
            _ => continue,
        };
        let milestones = packets.milestones(packet)?;
        // An event on a milestone is of both its steps.
        let before = milestones.partition_point(|&instant| instant < sample);
        let until = milestones.partition_point(|&instant| instant <= sample);
        if until == 0 || before == milestones.len() {
            continue; // before the first milestone, or after the last
        }
        for after in [before, until] {
            match after.checked_sub(1) {
                Some(step) if packets.column(step).is_some() => cells.push((packet, step, occupant)),
                _ => {}
            }
        }
    }
    cells.sort_unstable();
    cells.dedup();
    Some(cells)
}

/// By occupant the intervals in which it ran bare, with the time before each.
struct Runs {
    bounds: Vec<usize>,
    intervals: Vec<usize>,
    before: Vec<i64>,
}

impl Runs {
    fn new(labelled: &Labelled, bare: &[usize]) -> Self {
        let mut bounds = vec![0; labelled.intervals.kinds.len() + 1];
        for &at in bare {
            bounds[labelled.occupant(at) + 1] += 1;
        }
        for occupant in 1..bounds.len() {
            bounds[occupant] += bounds[occupant - 1];
        }
        let (mut free, mut sums) = (bounds.clone(), vec![0; bounds.len()]);
        let (mut intervals, mut before) = (vec![0; bare.len()], vec![0; bare.len()]);
        for &at in bare {
            let occupant = labelled.occupant(at);
            intervals[free[occupant]] = at;
            before[free[occupant]] = sums[occupant];
            free[occupant] += 1;
            sums[occupant] += labelled.end(at) - labelled.intervals.starts[at];
        }
        Runs {
            bounds,
            intervals,
            before,
        }
    }

    /// For how long an occupant ran bare before an instant.
    fn before(&self, labelled: &Labelled, occupant: usize, instant: i64) -> i64 {
        let (first, end) = (self.bounds[occupant], self.bounds[occupant + 1]);
        let starts = labelled.intervals.starts;
        let begun = self.intervals[first..end].partition_point(|&at| starts[at] <= instant);
        match begun {
            0 => 0,
            _ => {
                let at = self.intervals[first + begun - 1];
                self.before[first + begun - 1] + (instant.min(labelled.end(at)) - starts[at])
            }
        }
    }
}

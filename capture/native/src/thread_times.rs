//! How long threads and tasks worked on packets without a span of one: a part of [`crate::step_times`].

use crate::step_times::{Events, Labelled, Packets, SCHEDULED};

/// The packet's own time in threads and tasks in which it has an event within the step, outside of spans of packets.
pub(crate) fn in_threads(events: &Events, labelled: &Labelled, packets: &Packets, own: &mut [i64]) -> Option<()> {
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

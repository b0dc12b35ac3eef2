//! How many events a node sent between two instants: `gpiorig.analysis.delays.sent_events` has the rules.

use crate::search::less;

/// Events of a recording.
pub struct Events<'a> {
    pub samples: &'a [i64],
    pub nodes: &'a [u16],
    pub codes: &'a [u8],
    pub ids: &'a [i32],
    /// The highest code that a node sends.
    pub last_code: u8,
}

/// Cumulative numbers of sent events before every `size` events: by block and node, with an id and without.
pub struct Blocks<'a> {
    pub size: usize,
    pub nodes: usize,
    pub before: &'a [i64],
}

/// What is counted of every packet: events of a node from one of its instants to another.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Range {
    pub node: u32,
    pub from: u32,
    pub until: u32,
}

impl Events<'_> {
    /// Place in a row of with and without id, where the node sent it.
    fn place(&self, position: usize, node: usize) -> Option<usize> {
        let is_sent = usize::from(self.nodes[position]) == node && self.codes[position] <= self.last_code;
        is_sent.then(|| usize::from(self.ids[position] < 0))
    }
}

/// Write the cumulative numbers of the blocks that begin within some events, from those of the first one on.
///
/// `out` has the numbers before the first of these events, and room for those after each block.
pub fn add_blocks(events: &Events, size: usize, nodes: usize, out: &mut [i64]) -> Option<()> {
    let mut sums = out.get(..2 * nodes)?.to_vec();
    let mut rows = out.get_mut(2 * nodes..)?.chunks_mut(2 * nodes);
    for position in 0..events.nodes.len() {
        let node = usize::from(events.nodes[position]);
        if let Some(place) = events.place(position, node) {
            *sums.get_mut(2 * node + place)? += 1;
        }
        if (position + 1) % size == 0 || position + 1 == events.nodes.len() {
            rows.next()?.copy_from_slice(&sums);
        }
    }
    Some(())
}

/// Count what the nodes sent within the ranges of some packets, `width` instants each.
///
/// `out` has for every range a row of numbers of events with id, one of each packet, and a row of those without.
pub fn count(
    events: &Events,
    blocks: &Blocks,
    instants: &[i64],
    width: usize,
    ranges: &[Range],
    out: &mut [f64],
) -> Option<()> {
    let packets = instants.len().checked_div(width)?;
    if out.len() != 2 * ranges.len() * packets {
        return None;
    }
    let mut positions = vec![0; width];
    for packet in 0..packets {
        let mut near = positions[0];
        for (position, &instant) in positions.iter_mut().zip(&instants[packet * width..]) {
            near = less(events.samples, instant, near);
            *position = near;
        }
        for (number, range) in ranges.iter().enumerate() {
            let (from, until) = (
                *positions.get(range.from as usize)?,
                *positions.get(range.until as usize)?,
            );
            let sent = blocks.sent(events, range.node as usize, from.min(until), from.max(until))?;
            for (place, &events) in sent.iter().enumerate() {
                let sign = if from <= until { 1.0 } else { -1.0 };
                out[(2 * number + place) * packets + packet] = sign * events as f64;
            }
        }
    }
    Some(())
}

impl Blocks<'_> {
    /// What a node sent from one position to before another one, with an id and without.
    fn sent(&self, events: &Events, node: usize, from: usize, until: usize) -> Option<[i64; 2]> {
        let mut sent = [0; 2];
        let mut add = |part: std::ops::Range<usize>| {
            for position in part {
                if let Some(place) = events.place(position, node) {
                    sent[place] += 1;
                }
            }
        };
        let (first, last) = ((from + self.size - 1) / self.size, until / self.size);
        if first >= last {
            add(from..until);
            return Some(sent);
        }
        add(from..first * self.size);
        add(last * self.size..until);
        for (place, sum) in sent.iter_mut().enumerate() {
            let at = |block: usize| self.before.get(2 * (block * self.nodes + node) + place);
            *sum += at(last)? - at(first)?;
        }
        Some(sent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: [i64; 8] = [5, 5, 7, 9, 20, 20, 21, 30];

    fn events<'a>() -> Events<'a> {
        Events {
            samples: &SAMPLES,
            nodes: &[0, 1, 0, 1, 0, 0, 0, 1],
            codes: &[1, 1, 200, 1, 1, 1, 1, 1],
            ids: &[-1, 3, -1, 3, 7, -1, 8, 9],
            last_code: 127,
        }
    }

    #[test]
    fn blocks_change_nothing() {
        let ranges: Vec<Range> = (0..2)
            .flat_map(|node| [(0, 1), (1, 2), (0, 3), (3, 1)].map(|(from, until)| Range { node, from, until }))
            .collect();
        let instants = [5, 6, 20, 31, 0, 7, 9, 21];
        let mut of_sizes = Vec::new();
        for size in [1, 2, 3, 100] {
            let mut before = vec![0; 4 * (SAMPLES.len() / size + 2)];
            add_blocks(&events(), size, 2, &mut before).unwrap();
            let blocks = Blocks {
                size,
                nodes: 2,
                before: &before,
            };
            let mut out = vec![0.0; 2 * ranges.len() * 2];
            count(&events(), &blocks, &instants, 4, &ranges, &mut out).unwrap();
            of_sizes.push(out);
        }
        assert!(of_sizes.iter().all(|out| *out == of_sizes[0]));
        // From 5 to 6: node 0 one without id; the code 200 is not sent. From 31 back to 6: the negative of 6 to 31.
        assert_eq!([0.0, 0.0, 1.0, 1.0], of_sizes[0][..4]);
        assert_eq!([-2.0, -1.0, -1.0, -1.0], of_sizes[0][12..16]);
    }
}

//! Where packets begin and end among the events, and when their legs begin: `gpiorig.analysis.processor.extents` has
//! the rules.

use crate::search::less;

const NONE: i64 = -1;

/// By packet: position of its first event, one past its last, and how many it has.
pub struct Extents<'a> {
    pub first: &'a mut [i64],
    pub stop: &'a mut [i64],
    pub counts: &'a mut [i64],
}

impl Extents<'_> {
    /// Add some events, from a position on: the row of the packet of each, -1 none.
    pub fn add(&mut self, packets: &[i32], base: i64) -> Option<()> {
        for (position, &row) in (base..).zip(packets) {
            if let Ok(row) = usize::try_from(row) {
                let first = self.first.get_mut(row)?;
                *first = position.min(*first);
                *self.stop.get_mut(row)? = position + 1;
                *self.counts.get_mut(row)? += 1;
            }
        }
        Some(())
    }

    /// Widen those of some packets to all events between two instants, both included.
    pub fn widen(&mut self, samples: &[i64], rows: &[i64], starts: &[i64], ends: &[i64]) -> Option<()> {
        let (mut begin, mut end) = (0, 0);
        for ((&row, &starts), &ends) in rows.iter().zip(starts).zip(ends) {
            let row = usize::try_from(row).ok()?;
            begin = less(samples, starts, begin);
            end = less(samples, ends.checked_add(1)?, end.max(begin));
            let (first, stop) = (self.first.get_mut(row)?, self.stop.get_mut(row)?);
            *first = (*first).min(begin as i64);
            *stop = (*stop).max(end as i64);
        }
        Some(())
    }
}

/// Events of which the packets of a route are some.
pub struct Events<'a> {
    pub samples: &'a [i64],
    pub nodes: &'a [u16],
    pub codes: &'a [u8],
    /// Row of the packet, -1 none.
    pub packets: &'a [i32],
    /// What the node does with the packet, -1 nothing.
    pub ways: &'a [i8],
}

/// The packets of a route, and what counts of them.
pub struct Route<'a> {
    /// By node whether it is on the way.
    pub passed: &'a [u8],
    /// Of every code its layer, -1 none.
    pub layers: &'a [i8; 256],
    pub ways_count: usize,
    pub layers_count: usize,
    /// Place of each packet among those of the route, from the row `lowest` on, -1 for one that is not.
    pub places: &'a [i32],
    pub lowest: i64,
}

/// Note the first sample of each packet of a route, and of each of its legs, nodes and ways; and which layers each leg
/// has.
///
/// `begins` has a place for every packet, -1 until it is noted; `legs` those of each leg, or nothing for one that was
/// not met. Returns nothing where an array does not fit, else the first such leg and one, or 0; then call again with it.
pub fn note_legs(
    events: &Events,
    route: &Route,
    begins: &mut [i64],
    legs: &mut [Option<&mut [i64]>],
    seen: &mut [u8],
) -> Option<usize> {
    for (position, &sample) in events.samples.iter().enumerate() {
        let offset = usize::try_from(i64::from(events.packets[position]) - route.lowest).ok();
        let place = match offset.and_then(|offset| route.places.get(offset)) {
            Some(&place) if place >= 0 => place as usize,
            _ => continue,
        };
        let (node, way) = (usize::from(events.nodes[position]), events.ways[position]);
        let layer = route.layers[usize::from(events.codes[position])];
        if way < 0 || layer < 0 || *route.passed.get(node)? == 0 {
            continue;
        }
        let leg = node * route.ways_count + way as usize;
        let firsts = match legs.get_mut(leg)? {
            Some(firsts) => firsts,
            None => return Some(leg + 1),
        };
        *seen.get_mut(leg * route.layers_count + layer as usize)? = 1;
        for firsts in [&mut *begins, &mut **firsts] {
            let first = firsts.get_mut(place)?;
            if *first == NONE {
                *first = sample;
            }
        }
    }
    Some(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extents_are_of_the_events_of_packets_and_of_their_instants() {
        let (mut first, mut stop, mut counts) = ([9; 2], [0; 2], [0; 2]);
        let mut extents = Extents {
            first: &mut first,
            stop: &mut stop,
            counts: &mut counts,
        };
        assert_eq!(Some(()), extents.add(&[-1, 1, 0, 1], 2));
        assert_eq!(
            Some(()),
            extents.widen(&[0, 5, 5, 7, 9, 9, 9], &[1, 0], &[5, 8], &[5, 9])
        );
        assert_eq!(None, extents.add(&[2], 6));
        assert_eq!(([4, 1], [7, 6], [1, 2]), (first, stop, counts));
    }

    #[test]
    fn a_leg_without_an_array_is_asked_for() {
        let events = Events {
            samples: &[10, 20, 30],
            nodes: &[0, 1, 1],
            codes: &[3; 3],
            packets: &[4; 3],
            ways: &[0, -1, 0],
        };
        let mut layers = [-1; 256];
        layers[3] = 1;
        let route = Route {
            passed: &[1, 1],
            layers: &layers,
            ways_count: 1,
            layers_count: 2,
            places: &[0],
            lowest: 4,
        };
        let (mut begins, mut of_sender, mut of_receiver, mut seen) = ([NONE], [NONE], [NONE], [0; 4]);
        let mut legs = [Some(&mut of_sender[..]), None];
        assert_eq!(Some(2), note_legs(&events, &route, &mut begins, &mut legs, &mut seen));
        legs[1] = Some(&mut of_receiver[..]);
        assert_eq!(Some(0), note_legs(&events, &route, &mut begins, &mut legs, &mut seen));
        assert_eq!(([10], [10], [30]), (begins, of_sender, of_receiver));
        assert_eq!([0, 1, 0, 1], seen);
    }
}

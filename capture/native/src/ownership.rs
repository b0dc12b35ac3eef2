//! Who has a node's processor, interval by interval: `gpiorig.analysis.processor.ownership` has the rules.

use std::collections::HashMap;

/// What a code is, as bits of a table of 256.
pub const INTERRUPT: u8 = 1;
pub const TASK: u8 = 2;
pub const LAYER: u8 = 4;
pub const SWITCH: u8 = 8;
pub const SLEEP: u8 = 16;
pub const WAKE: u8 = 32;
pub const BOOT: u8 = 64;
const REPORTS: u8 = SWITCH | SLEEP | WAKE | BOOT;

/// Kinds of occupants.
const UNSEEN: i64 = 0;
const ASLEEP: i64 = 1;
const LAYERS: i64 = 2;
const IN_INTERRUPT: i64 = 3;
const IN_TASK: i64 = 4;
const IN_THREAD: i64 = 5;
/// Numbers of one kind: ids of 16 bits, and -1 as the last.
const NUMBERS: i64 = (1 << 16) + 1;

const NONE: i64 = -1;
const UNKNOWN: i64 = 0;
const INTERRUPTS: i64 = 1;
const FIRST_THREAD: i64 = 2;
const IDLE: i64 = 0;

/// Events of a recording, or of a window of it.
pub struct Events<'a> {
    pub samples: &'a [i64],
    pub nodes: &'a [u16],
    pub codes: &'a [u8],
    pub ids: &'a [i32],
    /// Row of the packet, -1 none.
    pub packets: &'a [i32],
    /// Ends of the gaps, increasing.
    pub gaps: &'a [i64],
    /// Of every code, what it is.
    pub kinds: &'a [u8; 256],
}

/// Where the intervals are written: each array has a place for every boundary and one more.
pub struct Intervals<'a> {
    pub positions: &'a mut [i64],
    /// Sample of each, of the first one the least number.
    pub starts: &'a mut [i64],
    /// Places in `keys`.
    pub occupants: &'a mut [i32],
    pub spans: &'a mut [i64],
    pub packet_spans: &'a mut [i64],
    /// Kind times `NUMBERS` plus number of every occupant, increasing; the first ones are written.
    pub keys: &'a mut [i64],
}

/// An event of the scheduler, and the number of gaps before it.
#[derive(Clone, Copy)]
struct Report {
    position: i64,
    gaps: usize,
}

/// A span that is open in a context: position of its enter, and whether it is of a packet.
struct Open {
    context: i64,
    enter: i64,
    of_packet: bool,
}

/// The state of a node after an event.
struct Node<'a> {
    events: Events<'a>,
    /// Enters of open spans, the latest on top.
    tasks: Vec<i64>,
    interrupts: Vec<i64>,
    /// Of all contexts: few are open at once.
    layers: Vec<Open>,
    switched: Option<Report>,
    slept: Option<Report>,
    woke: Option<Report>,
    gaps: usize,
    depth: i64,
}

impl Node<'_> {
    /// The latest report of its kind still holds: it has this code, and no samples were lost since.
    fn holds(&self, report: Option<Report>, kind: u8) -> bool {
        report.map_or(false, |report| {
            let code = self.events.codes[report.position as usize];
            self.events.kinds[usize::from(code)] & kind != 0 && report.gaps == self.gaps
        })
    }

    fn thread(&self) -> i64 {
        match self.switched {
            Some(report) if self.holds(self.switched, SWITCH) => i64::from(self.events.ids[report.position as usize]),
            _ => NONE,
        }
    }

    fn running(&self) -> i64 {
        let runs = self.thread().max(top(&self.tasks));
        if runs >= 0 {
            runs + FIRST_THREAD
        } else {
            UNKNOWN
        }
    }

    fn report(&mut self, position: usize, kind: u8) {
        let report = Some(Report {
            position: position as i64,
            gaps: self.gaps,
        });
        if kind & (SWITCH | BOOT) != 0 {
            self.switched = report;
        }
        if kind & (SLEEP | BOOT) != 0 {
            self.slept = report;
        }
        if kind & (WAKE | BOOT) != 0 {
            self.woke = report;
        }
    }

    fn enter(&mut self, position: usize, exit: usize) {
        let (at, kind) = (position as i64, self.kind(position));
        if kind & TASK != 0 {
            self.tasks.push(at);
        }
        if kind & INTERRUPT != 0 {
            self.depth += 1;
            self.interrupts.push(at);
        }
        let context = if self.depth > 0 { INTERRUPTS } else { self.running() };
        if kind & (LAYER | INTERRUPT) != 0 {
            self.layers.push(Open {
                context,
                enter: at,
                of_packet: self.events.packets[position].max(self.events.packets[exit]) >= 0,
            });
        }
    }

    fn exit(&mut self, enter: usize) {
        let (at, kind) = (enter as i64, self.kind(enter));
        if kind & TASK != 0 {
            remove(&mut self.tasks, |&open| open == at);
        }
        if kind & INTERRUPT != 0 {
            self.depth -= 1;
            remove(&mut self.interrupts, |&open| open == at);
        }
        if kind & (LAYER | INTERRUPT) != 0 {
            remove(&mut self.layers, |open| open.enter == at);
        }
    }

    fn kind(&self, position: usize) -> u8 {
        self.events.kinds[usize::from(self.events.codes[position])]
    }

    /// The occupant as kind times `NUMBERS` plus number, the innermost span, and the innermost of a packet.
    fn occupant(&self) -> (i64, i64, i64) {
        let (interrupt, task, thread) = (top(&self.interrupts), top(&self.tasks), self.thread());
        let now = if interrupt >= 0 { INTERRUPTS } else { self.running() };
        let mut open = self.layers.iter().rev().filter(|open| open.context == now);
        let span = open.clone().next().map_or(NONE, |open| open.enter);
        let place = |report: Option<Report>| report.map_or(NONE, |report| report.position);
        let asleep = thread == IDLE || (place(self.slept) > place(self.woke) && self.holds(self.slept, SLEEP));
        let (kind, number) = if interrupt >= 0 {
            (IN_INTERRUPT, i64::from(self.events.codes[interrupt as usize]))
        } else if asleep {
            (ASLEEP, 0)
        } else if thread >= 0 {
            (IN_THREAD, thread)
        } else if task >= 0 {
            let id = i64::from(self.events.ids[task as usize]);
            (IN_TASK, id.rem_euclid(NUMBERS))
        } else if span >= 0 {
            (LAYERS, 0)
        } else {
            (UNSEEN, 0)
        };
        let key = kind * NUMBERS + number;
        if kind == ASLEEP || span < 0 {
            return (key, NONE, NONE);
        }
        (
            key,
            span,
            open.find(|open| open.of_packet).map_or(NONE, |open| open.enter),
        )
    }
}

fn top(stack: &[i64]) -> i64 {
    stack.last().copied().unwrap_or(NONE)
}

fn remove<T>(stack: &mut Vec<T>, is_it: impl Fn(&T) -> bool) {
    if let Some(place) = stack.iter().rposition(is_it) {
        stack.remove(place);
    }
}

/// What an event is to the spans of the node: nothing, or with the number of its span an enter or an exit.
const NOTHING: u32 = 0;

/// Write the intervals of a node; returns their number and that of the occupants, or nothing for positions that are
/// beyond the events.
///
/// `enters` and `exits` are the ends of the spans.
pub fn intervals(
    events: Events,
    number: u16,
    enters: &[i64],
    exits: &[i64],
    out: &mut Intervals,
) -> Option<(usize, usize)> {
    let count = events.samples.len();
    let mut roles = vec![NOTHING; count];
    for (span, (&enter, &exit)) in enters.iter().zip(exits).enumerate() {
        let role = 2 * (u32::try_from(span).ok()? + 1);
        *roles.get_mut(usize::try_from(enter).ok()?)? = role;
        *roles.get_mut(usize::try_from(exit).ok()?)? = role + 1;
    }
    let mut node = Node {
        events,
        tasks: Vec::new(),
        interrupts: Vec::new(),
        layers: Vec::new(),
        switched: None,
        slept: None,
        woke: None,
        gaps: 0,
        depth: 0,
    };
    let mut occupants = Occupants::default();
    let mut written = 0;
    let mut write = |position: i64, sample: i64, node: &Node| -> Option<()> {
        let (key, span, packet_span) = node.occupant();
        *out.positions.get_mut(written)? = position;
        out.starts[written] = sample;
        out.occupants[written] = occupants.place(key);
        out.spans[written] = span;
        out.packet_spans[written] = packet_span;
        written += 1;
        Some(())
    };
    write(NONE, i64::MIN, &node)?;
    for (position, &role) in roles.iter().enumerate() {
        if role == NOTHING && (node.events.nodes[position] != number || node.kind(position) & REPORTS == 0) {
            continue;
        }
        let sample = node.events.samples[position];
        while node.gaps < node.events.gaps.len() && node.events.gaps[node.gaps] <= sample {
            node.gaps += 1;
        }
        if role == NOTHING {
            node.report(position, node.kind(position));
        } else {
            let span = (role / 2 - 1) as usize;
            if role % 2 == 0 {
                node.enter(position, exits[span] as usize);
            } else {
                node.exit(enters[span] as usize);
            }
        }
        write(position as i64, sample, &node)?;
    }
    let order = occupants.in_order(out.keys)?;
    for occupant in &mut out.occupants[..written] {
        *occupant = order[*occupant as usize];
    }
    Some((written, order.len()))
}

const LATEST: usize = 32;

/// The occupants in the order in which they were met.
#[derive(Default)]
struct Occupants {
    keys: Vec<i64>,
    places: HashMap<i64, i32>,
    /// Those that were met last, by the last bits of their keys.
    latest: [Option<(i64, i32)>; LATEST],
}

impl Occupants {
    fn place(&mut self, key: i64) -> i32 {
        let latest = key as usize % LATEST;
        match self.latest[latest] {
            Some((same, place)) if same == key => place,
            _ => {
                let place = *self.places.entry(key).or_insert(self.keys.len() as i32);
                if place as usize == self.keys.len() {
                    self.keys.push(key);
                }
                self.latest[latest] = Some((key, place));
                place
            }
        }
    }

    /// Write the keys in increasing order; returns the place of each in that order.
    fn in_order(&self, out: &mut [i64]) -> Option<Vec<i32>> {
        let mut sorted: Vec<usize> = (0..self.keys.len()).collect();
        sorted.sort_unstable_by_key(|&place| self.keys[place]);
        let mut order = vec![0; sorted.len()];
        for (place, &before) in sorted.iter().enumerate() {
            *out.get_mut(place)? = self.keys[before];
            order[before] = place as i32;
        }
        Some(order)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OTHER: u8 = 0;
    const UDP: u8 = 1;
    const ISR: u8 = 2;
    const SWITCHED: u8 = 3;

    fn kinds() -> [u8; 256] {
        let mut kinds = [0; 256];
        kinds[usize::from(UDP)] = LAYER;
        kinds[usize::from(ISR)] = INTERRUPT;
        kinds[usize::from(SWITCHED)] = SWITCH;
        kinds
    }

    #[test]
    fn an_interrupt_stands_before_the_thread_whose_span_it_is_in() {
        let (kinds, samples) = (kinds(), [10, 20, 30, 40, 50]);
        let events = Events {
            samples: &samples,
            nodes: &[4; 5],
            codes: &[SWITCHED, UDP, ISR, OTHER, OTHER],
            ids: &[7, 1, -1, -1, 1],
            packets: &[-1, 3, -1, -1, 3],
            gaps: &[],
            kinds: &kinds,
        };
        let (mut positions, mut starts, mut spans, mut packets, mut keys) = ([0; 6], [0; 6], [0; 6], [0; 6], [0; 6]);
        let mut occupants = [0; 6];
        let mut out = Intervals {
            positions: &mut positions,
            starts: &mut starts,
            occupants: &mut occupants,
            spans: &mut spans,
            packet_spans: &mut packets,
            keys: &mut keys,
        };

        let counts = intervals(events, 4, &[1, 2], &[4, 3], &mut out);

        let thread = IN_THREAD * NUMBERS + 7;
        let interrupt = IN_INTERRUPT * NUMBERS + i64::from(ISR);
        assert_eq!(Some((6, 3)), counts);
        assert_eq!([0, interrupt, thread], keys[..3]);
        assert_eq!([NONE, 0, 1, 2, 3, 4], positions);
        assert_eq!([i64::MIN, 10, 20, 30, 40, 50], starts);
        assert_eq!([0, 2, 2, 1, 2, 2], occupants);
        assert_eq!([NONE, NONE, 1, 2, 1, NONE], spans);
        assert_eq!([NONE, NONE, 1, NONE, 1, NONE], packets);
    }

    #[test]
    fn a_position_beyond_the_events_is_refused() {
        let kinds = kinds();
        let events = Events {
            samples: &[],
            nodes: &[],
            codes: &[],
            ids: &[],
            packets: &[],
            gaps: &[],
            kinds: &kinds,
        };
        let mut out = Intervals {
            positions: &mut [0; 3],
            starts: &mut [0; 3],
            occupants: &mut [0; 3],
            spans: &mut [0; 3],
            packet_spans: &mut [0; 3],
            keys: &mut [0; 3],
        };
        assert_eq!(None, intervals(events, 0, &[0], &[1], &mut out));
    }
}

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
    pub keys: &'a mut [i64],
    pub spans: &'a mut [i64],
    pub packet_spans: &'a mut [i64],
}

/// An event of the scheduler, and the number of gaps before it.
#[derive(Clone, Copy)]
struct Report {
    position: i64,
    gaps: usize,
}

/// The open spans of each context, the latest on top: positions of their enters.
#[derive(Default)]
struct Stacks {
    of: HashMap<i64, Vec<i64>>,
}

impl Stacks {
    fn push(&mut self, context: i64, enter: i64) {
        self.of.entry(context).or_default().push(enter);
    }

    fn remove(&mut self, context: i64, enter: i64) {
        if let Some(open) = self.of.get_mut(&context) {
            if let Some(place) = open.iter().rposition(|&other| other == enter) {
                open.remove(place);
            }
            if open.is_empty() {
                self.of.remove(&context); // each run of a task is a context of its own
            }
        }
    }

    fn top(&self, context: i64) -> i64 {
        if self.of.is_empty() {
            return NONE;
        }
        self.of
            .get(&context)
            .and_then(|open| open.last().copied())
            .unwrap_or(NONE)
    }
}

/// The state of a node after an event.
struct Node<'a> {
    events: Events<'a>,
    tasks: Stacks,
    interrupts: Stacks,
    layers: Stacks,
    of_packets: Stacks,
    /// By span, the context that entered it.
    contexts: Vec<i64>,
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
        let runs = self.thread().max(self.tasks.top(UNKNOWN));
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

    fn enter(&mut self, span: usize, position: usize, exit: usize) {
        let (at, kind) = (position as i64, self.kind(position));
        if kind & TASK != 0 {
            self.tasks.push(UNKNOWN, at);
        }
        if kind & INTERRUPT != 0 {
            self.depth += 1;
            self.interrupts.push(INTERRUPTS, at);
        }
        let context = if self.depth > 0 { INTERRUPTS } else { self.running() };
        self.contexts[span] = context;
        if kind & (LAYER | INTERRUPT) != 0 {
            self.layers.push(context, at);
            if self.events.packets[position].max(self.events.packets[exit]) >= 0 {
                self.of_packets.push(context, at);
            }
        }
    }

    fn exit(&mut self, span: usize, enter: usize) {
        let (at, kind, context) = (enter as i64, self.kind(enter), self.contexts[span]);
        if kind & TASK != 0 {
            self.tasks.remove(UNKNOWN, at);
        }
        if kind & INTERRUPT != 0 {
            self.depth -= 1;
            self.interrupts.remove(INTERRUPTS, at);
        }
        if kind & (LAYER | INTERRUPT) != 0 {
            self.layers.remove(context, at);
            self.of_packets.remove(context, at);
        }
    }

    fn kind(&self, position: usize) -> u8 {
        self.events.kinds[usize::from(self.events.codes[position])]
    }

    /// The occupant as kind times `NUMBERS` plus number, the innermost span, and the innermost of a packet.
    fn occupant(&self) -> (i64, i64, i64) {
        let (interrupt, task, thread) = (self.interrupts.top(INTERRUPTS), self.tasks.top(UNKNOWN), self.thread());
        let now = if interrupt >= 0 { INTERRUPTS } else { self.running() };
        let span = self.layers.top(now);
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
        (key, span, self.of_packets.top(now))
    }
}

/// What an event is to the node: nothing, a report, or with the number of its span an enter or an exit.
const NOTHING: u32 = 0;
const REPORT: u32 = 1;

/// Write the intervals of a node; returns their number, or nothing for positions that are beyond the events.
///
/// `enters` and `exits` are the ends of the spans, `reports` the events of the scheduler.
pub fn intervals(events: Events, enters: &[i64], exits: &[i64], reports: &[i64], out: &mut Intervals) -> Option<usize> {
    let count = events.samples.len();
    let mut roles = vec![NOTHING; count];
    for &position in reports {
        *roles.get_mut(usize::try_from(position).ok()?)? = REPORT;
    }
    for (span, (&enter, &exit)) in enters.iter().zip(exits).enumerate() {
        let number = 2 * (u32::try_from(span).ok()? + 1);
        *roles.get_mut(usize::try_from(enter).ok()?)? = number;
        *roles.get_mut(usize::try_from(exit).ok()?)? = number + 1;
    }
    let mut node = Node {
        events,
        tasks: Stacks::default(),
        interrupts: Stacks::default(),
        layers: Stacks::default(),
        of_packets: Stacks::default(),
        contexts: vec![UNKNOWN; enters.len()],
        switched: None,
        slept: None,
        woke: None,
        gaps: 0,
        depth: 0,
    };
    let mut written = 0;
    let mut write = |position: i64, node: &Node| {
        let (key, span, packet_span) = node.occupant();
        out.positions[written] = position;
        out.keys[written] = key;
        out.spans[written] = span;
        out.packet_spans[written] = packet_span;
        written += 1;
    };
    write(NONE, &node);
    for (position, &role) in roles.iter().enumerate() {
        if role == NOTHING {
            continue;
        }
        let sample = node.events.samples[position];
        while node.gaps < node.events.gaps.len() && node.events.gaps[node.gaps] <= sample {
            node.gaps += 1;
        }
        match role {
            REPORT => {
                let kind = node.kind(position);
                node.report(position, kind);
            }
            number => {
                let span = (number / 2 - 1) as usize;
                if number % 2 == 0 {
                    node.enter(span, position, exits[span] as usize);
                } else {
                    node.exit(span, enters[span] as usize);
                }
            }
        }
        write(position as i64, &node);
    }
    Some(written)
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
            codes: &[SWITCHED, UDP, ISR, OTHER, OTHER],
            ids: &[7, 1, -1, -1, 1],
            packets: &[-1, 3, -1, -1, 3],
            gaps: &[],
            kinds: &kinds,
        };
        let (mut positions, mut keys, mut spans, mut packets) = ([0; 6], [0; 6], [0; 6], [0; 6]);
        let mut out = Intervals {
            positions: &mut positions,
            keys: &mut keys,
            spans: &mut spans,
            packet_spans: &mut packets,
        };

        let count = intervals(events, &[1, 2], &[4, 3], &[0], &mut out);

        let thread = IN_THREAD * NUMBERS + 7;
        let interrupt = IN_INTERRUPT * NUMBERS + i64::from(ISR);
        assert_eq!(Some(6), count);
        assert_eq!([NONE, 0, 1, 2, 3, 4], positions);
        assert_eq!([0, thread, thread, interrupt, thread, thread], keys);
        assert_eq!([NONE, NONE, 1, 2, 1, NONE], spans);
        assert_eq!([NONE, NONE, 1, NONE, 1, NONE], packets);
    }

    #[test]
    fn a_position_beyond_the_events_is_refused() {
        let kinds = kinds();
        let events = Events {
            samples: &[],
            codes: &[],
            ids: &[],
            packets: &[],
            gaps: &[],
            kinds: &kinds,
        };
        let mut out = Intervals {
            positions: &mut [0; 3],
            keys: &mut [0; 3],
            spans: &mut [0; 3],
            packet_spans: &mut [0; 3],
        };
        assert_eq!(None, intervals(events, &[0], &[1], &[], &mut out));
    }
}

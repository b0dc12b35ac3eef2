//! Positions in the events at which nothing is under way: `gpiorig.analysis.packets.pauses` has the rules.

/// What a code is, as bits of a table of 256.
pub const OF_RADIO: u8 = 1;
pub const CARRIES_ID: u8 = 2;
pub const CALL: u8 = 4;
pub const NUMBER: u8 = 8;

/// In place of a span: a command to the radio whose end nothing tells.
pub const COMMAND: i8 = i8::MAX;

const NUMBERS: usize = 1 << 8;
const LONG_AGO: i64 = i64::MIN / 2;
const IDS: usize = 1 << 16;
const CODES: usize = 256;

/// Events of a recording.
pub struct Events<'a> {
    pub samples: &'a [i64],
    pub nodes: &'a [u16],
    pub codes: &'a [u8],
    pub ids: &'a [i32],
}

/// What events mean, and how long nothing has to happen.
pub struct Rules<'a> {
    /// Of every code, what it is.
    pub kinds: &'a [u8; CODES],
    /// By node and code: k enters the span k - 1 of the node, -k leaves it, 0 does neither; or [`COMMAND`].
    pub spans: &'a [i8],
    /// Samples: without any event of stack and radio, since a command, and between two uses of a number.
    pub pause: i64,
    pub since_command: i64,
    pub same_number: i64,
    /// Events between two positions at the least.
    pub apart: usize,
    /// Calls after which an id is of another packet.
    pub round: i64,
}

#[derive(Clone, Copy)]
struct Use {
    position: i64,
    /// The number of calls until then, or the sample.
    when: i64,
}

/// The positions so far, without those after the last use of what is used again.
fn kept(found: &[i64], mut count: usize, used: i64) -> usize {
    while count > 0 && found[count - 1] > used {
        count -= 1;
    }
    count
}

/// Write the positions; gives their number, or none if an event or the room is out of range.
pub fn pauses(events: &Events, rules: &Rules, found: &mut [i64]) -> Option<usize> {
    let mut uses = vec![Use { position: -1, when: LONG_AGO }; IDS];
    let mut numbers = [Use { position: -1, when: LONG_AGO }; NUMBERS];
    let mut commanded = LONG_AGO;
    let mut open = vec![0u64; rules.spans.len() / CODES];
    let mut told = vec![false; open.len()];
    let (mut busy, mut calls, mut count) = (0usize, 0i64, 0usize);
    let mut before: Option<i64> = None;
    for (position, &sample) in events.samples.iter().enumerate() {
        let code = events.codes[position] as usize;
        let kind = rules.kinds[code];
        if kind & OF_RADIO == 0 {
            continue;
        }
        let last = if count > 0 { found[count - 1] as usize } else { 0 };
        let quiet = before.map_or(false, |before| sample - before >= rules.pause)
            && sample - commanded >= rules.since_command;
        if quiet && busy == 0 && position - last >= rules.apart {
            *found.get_mut(count)? = position as i64;
            count += 1;
        }
        before = Some(sample);
        let id = events.ids[position];
        if kind & CARRIES_ID != 0 && id > 0 {
            let used = uses.get_mut(id as usize)?;
            if calls - used.when < rules.round {
                count = kept(found, count, used.position);
            }
            *used = Use { position: position as i64, when: calls };
            calls += i64::from(kind & CALL != 0);
        }
        if kind & NUMBER != 0 {
            let used = &mut numbers[id as usize % NUMBERS];
            if sample - used.when <= rules.same_number {
                count = kept(found, count, used.position);
            }
            *used = Use { position: position as i64, when: sample };
        }
        let node = events.nodes[position] as usize;
        let was = *open.get(node)? != 0 || told[node];
        match rules.spans[node * CODES + code] {
            0 => {}
            COMMAND => commanded = sample,
            span if span > 0 => open[node] |= 1 << (span - 1),
            span => open[node] &= !(1 << (-span - 1)),
        }
        told[node] = kind & NUMBER != 0;
        let is = open[node] != 0 || told[node];
        busy = busy + usize::from(is) - usize::from(was);
    }
    Some(count)
}

//! Positions in the events at which nothing is under way: `gpiorig.analysis.packets.pauses` has the rules.

/// What a code is, as bits of a table of 256.
pub const OF_RADIO: u8 = 1;
pub const CARRIES_ID: u8 = 2;
pub const CALL: u8 = 4;
pub const NUMBER: u8 = 8;

/// In place of a span: a command to the radio whose end nothing tells.
pub const COMMAND: i8 = i8::MAX;

const CODES: usize = 256;
const IDS: usize = 1 << 16;
const NUMBERS: usize = 1 << 8;

/// Places of the state before those of ids, numbers and nodes, which have two each.
const BUSY: usize = 0; // nodes in a span
const CALLS: usize = 1;
const COUNT: usize = 2; // positions so far
const BEFORE: usize = 3; // sample of the last event of stack and radio, and 1
const COMMANDED: usize = 4; // sample of the last such command, and 1
const USES: usize = 5;
const OF_NUMBERS: usize = USES + 2 * IDS;
const OF_NODES: usize = OF_NUMBERS + 2 * NUMBERS;

/// Length of the state for a number of nodes; at first all is 0.
pub const fn state_length(nodes: usize) -> usize {
    OF_NODES + 2 * nodes
}

/// Events of a recording that follow those before.
pub struct Events<'a> {
    pub samples: &'a [i64],
    pub nodes: &'a [u16],
    pub codes: &'a [u8],
    pub ids: &'a [i32],
    /// Position of the first one.
    pub start: i64,
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
    pub apart: i64,
    /// Calls after which an id is of another packet.
    pub round: i64,
}

/// Take the positions after the last use of something that is used again back, unless it is another by now.
fn use_again(state: &mut [i64], found: &[i64], place: usize, position: i64, when: i64, until: i64) {
    let used = state[place] - 1;
    if used >= 0 && when - state[place + 1] < until {
        while state[COUNT] > 0 && found[state[COUNT] as usize - 1] > used {
            state[COUNT] -= 1;
        }
    }
    (state[place], state[place + 1]) = (position + 1, when);
}

/// Write the positions; gives the number of all so far, or none if an event or the room is out of range.
pub fn pauses(events: &Events, rules: &Rules, state: &mut [i64], found: &mut [i64]) -> Option<usize> {
    for (offset, &sample) in events.samples.iter().enumerate() {
        let code = events.codes[offset] as usize;
        let kind = rules.kinds[code];
        if kind & OF_RADIO == 0 {
            continue;
        }
        let position = events.start + offset as i64;
        let count = state[COUNT] as usize;
        let last = if count > 0 { found[count - 1] } else { 0 };
        let quiet = state[BEFORE] > 0 && sample + 1 - state[BEFORE] >= rules.pause;
        let answered = state[COMMANDED] == 0 || sample + 1 - state[COMMANDED] >= rules.since_command;
        if quiet && answered && state[BUSY] == 0 && position - last >= rules.apart {
            *found.get_mut(count)? = position;
            state[COUNT] += 1;
        }
        state[BEFORE] = sample + 1;
        let id = events.ids[offset];
        if kind & CARRIES_ID != 0 && id > 0 {
            let calls = state[CALLS];
            use_again(
                state,
                found,
                USES + 2 * (id as usize % IDS),
                position,
                calls,
                rules.round,
            );
            state[CALLS] += i64::from(kind & CALL != 0);
        }
        if kind & NUMBER != 0 {
            let place = OF_NUMBERS + 2 * (id as usize % NUMBERS);
            use_again(state, found, place, position, sample, rules.same_number);
        }
        let node = events.nodes[offset] as usize;
        let span = *rules.spans.get(node * CODES + code)?;
        let (open, told) = (OF_NODES + 2 * node, OF_NODES + 2 * node + 1);
        let was = state[open] != 0 || state[told] != 0;
        match span {
            0 => {}
            COMMAND => state[COMMANDED] = sample + 1,
            _ if span > 0 => state[open] |= 1 << (span - 1),
            _ => state[open] &= !(1 << (-span - 1)),
        }
        state[told] = i64::from(kind & NUMBER != 0);
        state[BUSY] += i64::from(state[open] != 0 || state[told] != 0) - i64::from(was);
    }
    Some(state[COUNT] as usize)
}

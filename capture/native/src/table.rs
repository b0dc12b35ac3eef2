//! Rows of a text table (CSV) to changes of channels: a time, and either a column for each channel, or a channel and
//! its level in columns.

use std::collections::HashMap;

use crate::decimal::{is_date, Decimal, Fault, Scale};

/// What a column holds: a bit number, or one of these.
pub const IGNORED: i32 = -1;
pub const TIME: i32 = -2;
pub const LEVEL: i32 = -3;
pub const KEY: i32 = -4;
/// The levels of all channels in one field, such as "0011 0101": the last digit is bit 0 of `bits`.
pub const PORT: i32 = -5;
/// An integer that all rows of an interval share.
pub const GROUP: i32 = -6;

/// Names of channels that a table may have.
pub const MAX_KEYS: usize = 4096;
const BAD_NAME: i64 = 6;
const TOO_MANY_NAMES: i64 = 7;
const BAD_PORT: i64 = 8;
const BAD_GROUP: i64 = 9;
const MORE_FIELDS: i64 = 10;
const OTHER_TIME: i64 = 11;

/// What has to survive between two calls, and how a table is read. Owned by the caller.
#[repr(C)]
#[derive(Clone, Debug)]
pub struct State {
    /// Unit of the time column, as a power of ten of it: times are read times 10^digits.
    pub digits: i32,
    /// Between columns; blanks around it are dropped.
    pub separator: u32,
    /// Lines that begin with this byte are skipped; 0: none.
    pub comment: u32,
    /// Bit 0: keys may be new, and `masks` gets the number of the key. Bit 0 or 1: times may have more digits, which are
    /// dropped.
    pub scanning: u32,
    /// Columns: a row may not have more fields, but for empty ones; 0: as many as it likes.
    pub columns: u32,
    /// What the times of the rows so far are: 0 none, 1 numbers, 2 dates.
    pub times: u32,
    pub base_high: i64,
    pub base_low: u64,
    pub numerator: i64,
    pub denominator: i64,
    /// Lines so far.
    pub line: i64,
    /// Rows so far: the time of a row, in a table without times.
    pub rows: i64,
    /// Most digits after the point so far.
    pub finest: i64,
    /// Times between samples.
    pub off_grid: i64,
    /// Bytes used in this call.
    pub consumed: i64,
    /// What is wrong in line `line`: 1 no time, 2 more digits than `digits`, 3 too large, 4 no level, 5 too few columns,
    /// 6 no name, 7 too many names, 8 not the bits of the port, 9 no number of a group, 10 more fields, 11 a date among numbers or the other way round; or 0.
    pub fault: i64,
}

impl From<Fault> for i64 {
    fn from(fault: Fault) -> i64 {
        match fault {
            Fault::NoNumber => 1,
            Fault::TooFine => 2,
            Fault::TooLarge => 3,
        }
    }
}

/// The channels that rows name.
#[derive(Default)]
pub struct Keys {
    pub names: Vec<Vec<u8>>,
    places: HashMap<Vec<u8>, usize>,
    last: usize,
    /// Bytes of all names, each with its newline, and how many may be.
    length: usize,
    capacity: usize,
}

impl Keys {
    /// From names, each ended by a newline; new ones are added as long as all of them have room in `capacity` bytes.
    pub fn new(text: &[u8], capacity: usize) -> Self {
        let mut keys = Keys {
            capacity,
            ..Keys::default()
        };
        for name in text.split_inclusive(|&byte| byte == b'\n') {
            keys.push(name.strip_suffix(b"\n").unwrap_or(name));
        }
        keys
    }

    fn push(&mut self, name: &[u8]) -> usize {
        self.length += name.len() + 1;
        self.names.push(name.to_vec());
        *self.places.entry(name.to_vec()).or_insert(self.names.len() - 1)
    }

    fn find(&mut self, name: &[u8]) -> Option<usize> {
        if self.names.get(self.last).map_or(true, |last| last != name) {
            self.last = *self.places.get(name)?;
        }
        Some(self.last)
    }

    /// The number of a name, which may be new.
    fn add(&mut self, name: &[u8]) -> Result<usize, i64> {
        if let Some(known) = self.find(name) {
            return Ok(known);
        }
        let text = std::str::from_utf8(name).map_err(|_| BAD_NAME)?;
        if text.chars().any(char::is_control) {
            return Err(BAD_NAME);
        }
        if self.names.len() >= MAX_KEYS || self.length + name.len() >= self.capacity {
            return Err(TOO_MANY_NAMES);
        }
        Ok(self.push(name))
    }
}

/// Where changes go.
pub struct Changes<'a> {
    pub times: &'a mut [i64],
    pub masks: &'a mut [u64],
    pub values: &'a mut [u64],
    pub unknown: &'a mut [u64],
    /// Offset of the row in the data.
    pub offsets: &'a mut [i64],
    /// Number of the group of the row; empty for a table without.
    pub groups: &'a mut [i64],
}

#[derive(Default)]
struct Row {
    mask: u64,
    value: u64,
    unknown: u64,
    group: i64,
}

impl State {
    /// Read complete lines, as many as there is room for; returns the number of changes.
    pub fn feed(&mut self, data: &[u8], roles: &[i32], bits: &[i32], keys: &mut Keys, out: &mut Changes) -> usize {
        let scale = Scale {
            base: (i128::from(self.base_high) << 64) | i128::from(self.base_low),
            numerator: i128::from(self.numerator),
            denominator: i128::from(self.denominator),
        };
        let mut count = 0;
        let mut at = 0;
        self.fault = 0;
        while count < out.times.len() {
            let length = match line_length(&data[at..]) {
                Some(length) => length,
                None => break,
            };
            let mut line = &data[at..at + length];
            if let Some((b'\r', rest)) = line.split_last() {
                line = rest;
            }
            self.line += 1;
            let skipped = line.is_empty() || (self.comment != 0 && u32::from(line[0]) == self.comment);
            if !skipped {
                match self.row(line, roles, bits, keys, &scale) {
                    Ok((time, row)) => {
                        out.times[count] = time;
                        out.masks[count] = row.mask;
                        out.values[count] = row.value;
                        out.unknown[count] = row.unknown;
                        out.offsets[count] = at as i64;
                        if let Some(group) = out.groups.get_mut(count) {
                            *group = row.group;
                        }
                        count += 1;
                    }
                    Err(fault) => {
                        self.fault = fault;
                        break;
                    }
                }
            }
            at += length + 1;
        }
        self.consumed = at as i64;
        count
    }

    fn row(
        &mut self,
        line: &[u8],
        roles: &[i32],
        bits: &[i32],
        keys: &mut Keys,
        scale: &Scale,
    ) -> Result<(i64, Row), i64> {
        let mut row = Row::default();
        let mut time = None;
        let mut level = None;
        let mut key: Vec<u8> = Vec::new();
        let mut has_key = false;
        let mut fields = Fields {
            rest: Some(line),
            separator: self.separator as u8,
        };
        for &role in roles {
            if role >= 0 {
                if let Some(high) = fields.plain_level() {
                    row.mask |= 1 << role;
                    row.value |= u64::from(high) << role;
                    continue;
                }
            }
            let field = fields.next().ok_or(5)?;
            match role {
                IGNORED => {}
                TIME => {
                    let decimal = Decimal::parse(field)?;
                    let kind = 1 + u32::from(is_date(field));
                    if self.times != 0 && self.times != kind {
                        return Err(OTHER_TIME);
                    }
                    self.times = kind;
                    self.finest = self.finest.max(i64::from(decimal.digits));
                    let value = decimal.scaled(self.digits, self.scanning != 0)?;
                    let (sample, exact) = scale.sample(value)?;
                    self.off_grid += i64::from(!exact);
                    time = Some(sample);
                }
                LEVEL => level = Some(parse_level(field)?),
                KEY => {
                    if field.is_empty() {
                        return Err(BAD_NAME);
                    }
                    if has_key {
                        key.push(b'.');
                    }
                    key.extend_from_slice(field);
                    has_key = true;
                }
                GROUP => {
                    let number = Decimal::parse(field).and_then(|number| number.scaled(0, false));
                    row.group = number
                        .ok()
                        .and_then(|number| i64::try_from(number).ok())
                        .ok_or(BAD_GROUP)?;
                }
                PORT => parse_port(field, bits, &mut row)?,
                bit => match parse_level(field)? {
                    Level::Same => {}
                    Level::Known(value) => {
                        row.mask |= 1 << bit;
                        row.value |= u64::from(value) << bit;
                    }
                    Level::Unknown => {
                        row.mask |= 1 << bit;
                        row.unknown |= 1 << bit;
                    }
                },
            }
        }
        let ignored = (self.columns as usize).saturating_sub(roles.len());
        if self.columns > 0 && fields.skip(ignored).any(|field| !field.is_empty()) {
            return Err(MORE_FIELDS);
        }
        if let (true, Some(level)) = (has_key, level) {
            self.name(&key, level, bits, keys, &mut row)?;
        }
        self.rows += 1;
        Ok((time.unwrap_or(self.rows - 1), row))
    }

    fn name(&self, key: &[u8], level: Level, bits: &[i32], keys: &mut Keys, row: &mut Row) -> Result<(), i64> {
        if self.scanning & 1 == 1 {
            row.mask = keys.add(key)? as u64;
            row.value = u64::from(level == Level::Known(true));
            return Ok(());
        }
        let bit = keys.find(key).and_then(|index| bits.get(index).copied());
        if let Some(bit @ 0..=63) = bit {
            row.mask = u64::from(level != Level::Same) << bit;
            row.value = u64::from(level == Level::Known(true)) << bit;
            row.unknown = u64::from(level == Level::Unknown) << bit;
        }
        Ok(())
    }
}

fn line_length(data: &[u8]) -> Option<usize> {
    data.iter().position(|&byte| byte == b'\n')
}

struct Fields<'a> {
    rest: Option<&'a [u8]>,
    separator: u8,
}

impl Fields<'_> {
    /// Take the next field if it is a lone 0 or 1, which most are.
    fn plain_level(&mut self) -> Option<bool> {
        let (level, rest) = match self.rest? {
            [level @ (b'0' | b'1')] => (*level, None),
            [level @ (b'0' | b'1'), after, rest @ ..] if *after == self.separator => (*level, Some(rest)),
            _ => return None,
        };
        self.rest = rest;
        Some(level == b'1')
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest?;
        let quoted = rest.first() == Some(&b'"');
        let from = if quoted {
            rest.iter()
                .skip(1)
                .position(|&byte| byte == b'"')
                .map_or(rest.len(), |end| end + 2)
        } else {
            0
        };
        let end = rest[from..]
            .iter()
            .position(|&byte| byte == self.separator)
            .map(|end| from + end);
        let field = &rest[..end.unwrap_or(rest.len())];
        self.rest = end.map(|end| &rest[end + 1..]);
        let field = trim(field);
        Some(match field {
            [b'"', inner @ .., b'"'] => trim(inner),
            _ => field,
        })
    }
}

fn trim(mut field: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] = field {
        field = rest;
    }
    while let [rest @ .., b' ' | b'\t'] = field {
        field = rest;
    }
    field
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Same,
    Known(bool),
    Unknown,
}

fn parse_level(field: &[u8]) -> Result<Level, i64> {
    match field {
        [] => Ok(Level::Same),
        [b'0' | b'l' | b'L'] => Ok(Level::Known(false)),
        [b'1' | b'h' | b'H'] => Ok(Level::Known(true)),
        [b'x' | b'X' | b'z' | b'Z'] => Ok(Level::Unknown),
        _ if field.eq_ignore_ascii_case(b"low") || field.eq_ignore_ascii_case(b"false") => Ok(Level::Known(false)),
        _ if field.eq_ignore_ascii_case(b"high") || field.eq_ignore_ascii_case(b"true") => Ok(Level::Known(true)),
        _ => Err(4),
    }
}

/// The bits of a port, the highest first; blanks between them are dropped.
fn parse_port(field: &[u8], bits: &[i32], row: &mut Row) -> Result<(), i64> {
    let mut digits = field.iter().rev().filter(|&&byte| byte != b' ');
    for &bit in bits {
        let digit = digits.next().ok_or(BAD_PORT)?;
        let high = match digit {
            b'0' => false,
            b'1' => true,
            _ => return Err(BAD_PORT),
        };
        if let 0..=63 = bit {
            row.mask |= 1 << bit;
            row.value |= u64::from(high) << bit;
        }
    }
    match digits.next() {
        None => Ok(()),
        Some(_) => Err(BAD_PORT),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(digits: i32) -> State {
        State {
            digits,
            separator: u32::from(b','),
            comment: u32::from(b';'),
            scanning: 0,
            columns: 0,
            times: 0,
            base_high: 0,
            base_low: 0,
            numerator: 1,
            denominator: 1,
            line: 0,
            rows: 0,
            finest: 0,
            off_grid: 0,
            consumed: 0,
            fault: 0,
        }
    }

    type Rows = Vec<(i64, u64, u64, u64)>;

    fn run(state: &mut State, text: &str, roles: &[i32], bits: &[i32], keys: &mut Keys) -> Rows {
        let (mut times, mut offsets) = (vec![0; 16], vec![0; 16]);
        let (mut masks, mut values, mut unknown) = (vec![0; 16], vec![0; 16], vec![0; 16]);
        let mut out = Changes {
            times: &mut times,
            masks: &mut masks,
            values: &mut values,
            unknown: &mut unknown,
            offsets: &mut offsets,
            groups: &mut [],
        };
        let count = state.feed(text.as_bytes(), roles, bits, keys, &mut out);
        (0..count)
            .map(|i| (times[i], masks[i], values[i], unknown[i]))
            .collect()
    }

    #[test]
    fn a_column_for_each_channel() {
        let mut s = state(3);
        let rows = run(
            &mut s,
            "; note\n0.5, 1,X\r\n\n\"0.625\",0,1\n0.7",
            &[TIME, 0, 1],
            &[],
            &mut Keys::new(b"", 64),
        );

        assert_eq!(vec![(500, 3, 1, 2), (625, 3, 2, 0)], rows);
        assert_eq!((4, 0), (s.line, s.fault));
        assert_eq!(30, s.consumed);
    }

    #[test]
    fn a_channel_and_its_level() {
        let mut s = state(0);
        let mut keys = Keys::new(b"7.LED1\n7.nRST\n", 64);
        let rows = run(
            &mut s,
            "1,7,nRST,0\n2,7,LED1,1\n2,9,LED1,1\n",
            &[TIME, KEY, KEY, LEVEL],
            &[0, 1],
            &mut keys,
        );

        assert_eq!(vec![(1, 2, 0, 0), (2, 1, 1, 0), (2, 0, 0, 0)], rows);
    }

    #[test]
    fn a_fault_stops_at_its_line() {
        for (text, fault) in [
            ("0,1\n0.15,1\n", 2),
            ("0,1\nx,1\n", 1),
            ("0,1\n1,7\n", 4),
            ("0,1\n1\n", 5),
        ] {
            let mut s = state(1);
            let rows = run(&mut s, text, &[TIME, 0], &[], &mut Keys::new(b"", 64));

            assert_eq!((1, fault, 2), (rows.len(), s.fault, s.line), "{text}");
        }
    }

    #[test]
    fn names_are_found_by_their_number() {
        let mut keys = Keys::new(b"a\n\nb\n", 64);

        assert_eq!(
            (Some(0), Some(1), Some(2)),
            (keys.find(b"a"), keys.find(b""), keys.find(b"b"))
        );
        assert_eq!(Ok(3), keys.add(b"c"));
        assert_eq!(Err(BAD_NAME), keys.add(b"\xff"));
        assert_eq!(Err(BAD_NAME), keys.add(b"a\0"));
        assert_eq!(Err(TOO_MANY_NAMES), keys.add(&[b'x'; 64]));
    }

    #[test]
    fn the_bits_of_a_port() {
        let mut s = state(0);
        let rows = run(
            &mut s,
            "5,1,1000 01\n6,1,100 001 \n",
            &[TIME, IGNORED, PORT],
            &[0, -1, 1, 2, 3, 4],
            &mut Keys::default(),
        );

        assert_eq!(vec![(5, 31, 17, 0), (6, 31, 17, 0)], rows);
        for text in ["5,1,10001\n", "5,1,1000011\n", "5,1,10000x\n"] {
            let mut s = state(0);
            run(
                &mut s,
                text,
                &[TIME, IGNORED, PORT],
                &[0, -1, 1, 2, 3, 4],
                &mut Keys::default(),
            );
            assert_eq!(BAD_PORT, s.fault, "{text}");
        }
    }

    #[test]
    fn the_number_of_a_group() {
        let (mut masks, mut values, mut unknown) = ([0; 2], [0; 2], [0; 2]);
        let (mut times, mut offsets, mut groups) = ([0; 2], [0; 2], [0; 2]);
        let mut out = Changes {
            times: &mut times,
            masks: &mut masks,
            values: &mut values,
            unknown: &mut unknown,
            offsets: &mut offsets,
            groups: &mut groups,
        };
        let mut s = state(0);
        let roles = [0, GROUP, TIME];
        s.feed(b"x,-3,5\n1,4,0\n", &roles, &[], &mut Keys::default(), &mut out);

        assert_eq!(([-3, 4], [1, 0]), (groups, unknown));
        run(&mut s, "1,x,5\n", &roles, &[], &mut Keys::default());
        assert_eq!(BAD_GROUP, s.fault);
    }
}

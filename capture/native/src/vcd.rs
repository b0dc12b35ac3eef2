//! Value changes of a VCD file (IEEE 1364-2005, 18.2) to changes of channels.

use crate::decimal::Scale;
use crate::table::Changes;

/// Longest value of a vector that is stored.
const MAX_WIDTH: u32 = 64;

/// What has to survive between two calls, and how times are read. Owned by the caller.
#[repr(C)]
#[derive(Clone, Debug)]
pub struct State {
    pub numerator: i64,
    pub denominator: i64,
    /// Time of the last `#`, in samples.
    pub time: i64,
    /// Times between samples.
    pub off_grid: i64,
    /// Newlines so far.
    pub line: i64,
    /// Bytes used in this call.
    pub consumed: i64,
    /// 1: what follows `consumed` is not a value change; 2: its time does not fit; 3: it is of a variable
    /// that is not declared; 0: none.
    pub fault: i64,
    /// Value of a vector whose identifier comes next.
    vector: u64,
    vector_unknown: u64,
    /// 0: a value change comes next; 1: the identifier of a vector; 2: one that is ignored; 3: a comment, to its $end.
    mode: u32,
    reserved: u32,
}

/// A variable: its identifier, packed into 8 bytes, and the bits it drives; none where it is not read.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    pub code: u64,
    pub first: u32,
    pub width: u32,
}

const VALUE: u32 = 0;
const VECTOR_CODE: u32 = 1;
const IGNORED_CODE: u32 = 2;
const COMMENT: u32 = 3;
const UNDECLARED: i64 = 3;

fn pack(code: &[u8]) -> Option<u64> {
    let mut bytes = [0; 8];
    bytes.get_mut(..code.len())?.copy_from_slice(code);
    Some(u64::from_le_bytes(bytes))
}

/// The variable that a change names; nothing for one that is declared and not read, an error for one that is not declared.
fn find(variables: &[Variable], code: &[u8]) -> Result<Option<Variable>, i64> {
    let at = pack(code).and_then(|code| variables.binary_search_by_key(&code, |variable| variable.code).ok());
    let variable = variables[at.ok_or(UNDECLARED)?];
    Ok(Some(variable).filter(|variable| variable.width > 0))
}

impl State {
    /// Read complete words, as many as there is room for; returns the number of changes.
    ///
    /// `variables` are sorted by code. A time without changes is given as a change of no channel.
    pub fn feed(&mut self, data: &[u8], variables: &[Variable], out: &mut Changes) -> usize {
        let scale = Scale {
            base: 0,
            numerator: i128::from(self.numerator),
            denominator: i128::from(self.denominator),
        };
        let mut count = 0;
        let mut at = 0;
        self.fault = 0;
        self.consumed = 0;
        while count < out.times.len() {
            while let Some(blank) = data.get(at).filter(|byte| byte.is_ascii_whitespace()) {
                self.line += i64::from(*blank == b'\n');
                at += 1;
            }
            self.consumed = at as i64;
            let length = match data[at..].iter().position(u8::is_ascii_whitespace) {
                Some(length) => length,
                None => break,
            };
            let word = &data[at..at + length];
            match self.word(word, variables, &scale) {
                Ok(None) => {}
                Ok(Some((mask, value, unknown))) => {
                    out.times[count] = self.time;
                    out.masks[count] = mask;
                    out.values[count] = value;
                    out.unknown[count] = unknown;
                    out.offsets[count] = at as i64;
                    count += 1;
                }
                Err(fault) => {
                    self.fault = fault;
                    break;
                }
            }
            at += length;
            self.consumed = at as i64;
        }
        count
    }

    fn word(&mut self, word: &[u8], variables: &[Variable], scale: &Scale) -> Result<Option<(u64, u64, u64)>, i64> {
        match self.mode {
            COMMENT => {
                if word == b"$end" {
                    self.mode = VALUE;
                }
                return Ok(None);
            }
            IGNORED_CODE => {
                self.mode = VALUE;
                return Ok(None);
            }
            VECTOR_CODE => {
                self.mode = VALUE;
                return Ok(find(variables, word)?.map(|variable| {
                    let width = if variable.width >= MAX_WIDTH {
                        u64::MAX
                    } else {
                        (1 << variable.width) - 1
                    };
                    let place = |bits: u64| (bits & width) << variable.first;
                    (place(u64::MAX), place(self.vector), place(self.vector_unknown))
                }));
            }
            _ => {}
        }
        let (&kind, code) = word.split_first().ok_or(1)?;
        match kind {
            b'#' => {
                let text = std::str::from_utf8(code).map_err(|_| 1)?;
                if code.is_empty()
                    || !code
                        .iter()
                        .enumerate()
                        .all(|(i, b)| b.is_ascii_digit() || (i == 0 && *b == b'-'))
                {
                    return Err(1);
                }
                let value: i128 = text.parse().map_err(|_| 2)?;
                let (time, exact) = scale.sample(value).map_err(|_| 2)?;
                self.off_grid += i64::from(!exact);
                self.time = time;
                Ok(Some((0, 0, 0)))
            }
            b'0' | b'1' | b'x' | b'X' | b'z' | b'Z' => {
                if code.is_empty() {
                    return Err(1);
                }
                Ok(find(variables, code)?.map(|variable| {
                    let mask = 1 << variable.first;
                    match kind {
                        b'0' => (mask, 0, 0),
                        b'1' => (mask, mask, 0),
                        _ => (mask, 0, mask),
                    }
                }))
            }
            b'b' | b'B' => {
                self.read_vector(code)?;
                self.mode = VECTOR_CODE;
                Ok(None)
            }
            b'r' | b'R' | b's' | b'S' => {
                self.mode = IGNORED_CODE;
                Ok(None)
            }
            b'$' => {
                match word {
                    b"$comment" => self.mode = COMMENT,
                    b"$dumpvars" | b"$dumpall" | b"$dumpon" | b"$dumpoff" | b"$end" => {}
                    _ => return Err(1),
                }
                Ok(None)
            }
            _ => Err(1),
        }
    }

    /// The lowest 64 bits of a vector; what is omitted at its left is 0, or x or z where that is first.
    fn read_vector(&mut self, digits: &[u8]) -> Result<(), i64> {
        self.vector = 0;
        self.vector_unknown = match digits.first() {
            Some(b'x' | b'X' | b'z' | b'Z') => u64::MAX,
            Some(_) => 0,
            None => return Err(1),
        };
        for digit in digits {
            self.vector <<= 1;
            self.vector_unknown <<= 1;
            match digit {
                b'0' => {}
                b'1' => self.vector |= 1,
                b'x' | b'X' | b'z' | b'Z' => self.vector_unknown |= 1,
                _ => return Err(1),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(parts: &[&str]) -> (Vec<(i64, u64, u64, u64)>, State) {
        let mut state = State {
            numerator: 1,
            denominator: 1,
            time: 0,
            off_grid: 0,
            line: 0,
            consumed: 0,
            fault: 0,
            vector: 0,
            vector_unknown: 0,
            mode: 0,
            reserved: 0,
        };
        let mut variables = [
            Variable {
                code: pack(b"!").unwrap(),
                first: 0,
                width: 1,
            },
            Variable {
                code: pack(b"ab").unwrap(),
                first: 1,
                width: 4,
            },
            Variable {
                code: pack(b"?").unwrap(),
                first: 0,
                width: 0,
            },
        ];
        variables.sort_by_key(|variable| variable.code);
        let mut changes = Vec::new();
        let mut rest = String::new();
        for part in parts {
            rest.push_str(part);
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
            let count = state.feed(rest.as_bytes(), &variables, &mut out);
            changes.extend((0..count).map(|i| (times[i], masks[i], values[i], unknown[i])));
            rest.drain(..state.consumed as usize);
        }
        (changes, state)
    }

    #[test]
    fn scalars_vectors_and_unknown_ones() {
        let (changes, state) = run(&[
            "#0 $dumpvars 1! bx1 ab $end\n#5 0! 1? b10",
            "10 ab z!\n$comment 0! $end #7\n",
        ]);

        let expected = vec![
            (0, 0, 0, 0),
            (0, 1, 1, 0),
            (0, 30, 2, 28),
            (5, 0, 0, 0),
            (5, 1, 0, 0),
            (5, 30, 20, 0),
            (5, 1, 0, 1),
            (7, 0, 0, 0),
        ];
        assert_eq!(expected, changes);
        assert_eq!((0, 3), (state.fault, state.line));
    }

    #[test]
    fn a_variable_that_is_not_declared_is_a_fault() {
        for text in ["#5 1& ", "#5 b10 & ", "1!!!!!!!!! "] {
            let (_, state) = run(&[text]);

            assert_eq!(UNDECLARED, state.fault, "{text}");
        }
    }

    #[test]
    fn what_is_not_a_value_change_is_a_fault() {
        for text in ["hello ", "#1x ", "# ", "0 ", "b12 ! ", "$var "] {
            let (_, state) = run(&[text]);

            assert_eq!(1, state.fault, "{text}");
        }
    }
}

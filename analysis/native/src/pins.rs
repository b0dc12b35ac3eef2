//! wait(): from one sample at which a condition holds to the next.

use std::ptr;

use crate::arrays::Array;
use crate::conditions::{Counted, Part, Search, Terms, NEVER};
use crate::python::*;
use crate::runs::{Place, Runs};
use crate::tuples::Tuples;

const UNMAPPED_PIN: i64 = 0xff; // what libsigrokdecode gives for an optional channel that is not given
const MAX_BITS: i64 = 64;

/// The pins of one decoder, from the first sample of an interval to the last.
pub struct Pins {
    bits: Vec<i32>,
    mask: u64,
    next_chunk: Object,
    runs: Runs,
    place: Place,
    start: i64,
    waited: bool,
    ended: bool,
    searches: Vec<Search>,
    levels_tuples: Tuples,
    match_tuples: Tuples,
}

/// What a wait() ends with: the levels of the pins, the sample, and which conditions hold.
pub struct Found {
    pub pins: Object,
    pub sample: Object,
    pub matched: Object,
}

impl Pins {
    /// Begin at the first chunk that `next_chunk` gives.
    ///
    /// # Safety
    /// The objects are some.
    pub unsafe fn new(bits: *mut PyObject, next_chunk: *mut PyObject) -> Result<Pins> {
        let mut numbers = Vec::new();
        for index in 0..unsafe { PyList_Size(bits) } {
            let bit = unsafe { PyLong_AsLongLong(PyList_GetItem(bits, index)) };
            if bit >= MAX_BITS {
                return unsafe { raise(PyExc_ValueError, b"more channels than a sample has bits\0") };
            }
            numbers.push(bit.max(-1) as i32);
        }
        if unsafe { !PyErr_Occurred().is_null() } {
            return Err(Raised);
        }
        let mut pins = Pins {
            mask: numbers
                .iter()
                .filter(|&&bit| bit >= 0)
                .fold(0, |mask, &bit| mask | 1 << bit),
            bits: numbers,
            next_chunk: unsafe { Object::of(next_chunk) },
            runs: Runs::default(),
            place: Place::default(),
            start: 0,
            waited: false,
            ended: false,
            searches: Vec::new(),
            levels_tuples: Tuples::default(),
            match_tuples: Tuples::default(),
        };
        if !unsafe { pins.advance()? } {
            return unsafe { raise(PyExc_ValueError, b"an interval without samples\0") };
        }
        pins.start = pins.place.at;
        Ok(pins)
    }

    /// Where the last wait() ended; at first the first sample.
    pub fn sample(&self) -> i64 {
        self.place.at
    }

    /// Whether a wait() came to the end.
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Go on to the next sample at which a condition holds.
    ///
    /// # Safety
    /// `conditions` is an object.
    pub unsafe fn wait(&mut self, conditions: *mut PyObject) -> Result<Found> {
        unsafe { self.parse(conditions)? };
        if self.ended {
            return unsafe { at_end() };
        }
        self.waited = true;
        if self.searches.iter().all(|search| matches!(search, Search::Empty)) {
            return unsafe { self.found(Object::of(none())) };
        }
        loop {
            let from = self.place;
            if let Some(place) = self.runs.search(from, &mut self.searches) {
                self.place = place;
                let matched = unsafe { self.matched(from)? };
                return unsafe { self.found(matched) };
            }
            if !unsafe { self.advance()? } {
                self.ended = true;
                return unsafe { at_end() };
            }
        }
    }

    unsafe fn found(&mut self, matched: Object) -> Result<Found> {
        let (levels, bits) = (self.runs.levels(self.place), &self.bits);
        let pin = |index: usize| match bits[index] {
            bit if bit < 0 => unsafe { PyLong_FromLongLong(UNMAPPED_PIN) },
            bit => unsafe { PyLong_FromLongLong((levels >> bit & 1) as i64) },
        };
        let pins = unsafe { self.levels_tuples.get(levels, bits.len(), pin)? };
        let sample = unsafe { Object::new(PyLong_FromLongLong(self.place.at))? };
        Ok(Found { pins, sample, matched })
    }

    unsafe fn matched(&mut self, from: Place) -> Result<Object> {
        let count = self.searches.len();
        let mut bits = 0;
        if count <= 32 {
            for (index, holds) in self.runs.matches(from, self.place, &self.searches).enumerate() {
                bits |= u64::from(holds) << index;
            }
            let flag = |index: usize| unsafe { PyBool_FromLong((bits >> index & 1) as _) };
            return unsafe { self.match_tuples.get(bits | (count as u64) << 32, count, flag) };
        }
        let flags: Vec<bool> = self.runs.matches(from, self.place, &self.searches).collect();
        unsafe { crate::tuples::tuple(count, |index| PyBool_FromLong(flags[index] as _)) }
    }

    /// Load the next chunk; false: there is none.
    unsafe fn advance(&mut self) -> Result<bool> {
        unsafe {
            let chunk = PyObject_CallFunctionObjArgs(self.next_chunk.as_ptr(), ptr::null_mut::<PyObject>());
            let chunk = Object::new(chunk)?;
            if chunk.as_ptr() == none() {
                return Ok(false);
            }
            let end = Object::new(PyObject_GetAttrString(chunk.as_ptr(), b"end\0".as_ptr().cast()))?;
            let samples = Array::<i64>::new(&chunk, b"samples\0")?;
            let levels = Array::<u64>::new(&chunk, b"levels\0")?;
            if samples.items().is_empty() || samples.items().len() != levels.items().len() {
                return raise(
                    PyExc_ValueError,
                    b"a chunk without samples, or not with as many levels\0",
                );
            }
            let end = PyLong_AsLongLong(end.as_ptr());
            let carried = self.runs.last_levels();
            self.place = self.runs.load(samples.items(), levels.items(), end, self.mask, carried);
        }
        Ok(true)
    }

    unsafe fn parse(&mut self, conditions: *mut PyObject) -> Result<()> {
        self.searches.clear();
        unsafe {
            let (several, single) = (is_list(conditions), is_dict(conditions));
            if conditions != none() && !several && !single {
                return refused(b"Condition list is neither a list nor a dict.\0");
            }
            if single && PyDict_Size(conditions) > 0 {
                let search = self.condition(conditions)?;
                self.searches.push(search);
            } else if several && PyList_Size(conditions) > 0 {
                for index in 0..PyList_Size(conditions) {
                    let condition = PyList_GetItem(conditions, index);
                    if !is_dict(condition) {
                        return refused(b"Condition is not a dict.\0");
                    }
                    let search = self.condition(condition)?;
                    self.searches.push(search);
                }
            } else {
                // The next sample; for the very first wait() the first one.
                let skip = i64::from(self.waited || self.place.at != self.start);
                self.searches.push(Search::At(self.place.at + skip));
            }
        }
        Ok(())
    }

    /// Understand a dict of terms: channel and type, or a text and samples to skip.
    unsafe fn condition(&self, dict: *mut PyObject) -> Result<Search> {
        let (mut at, mut key, mut value) = (0, ptr::null_mut(), ptr::null_mut());
        let mut terms = Terms::default();
        let mut skips = None;
        let mut count = 0;
        unsafe {
            while PyDict_Next(dict, &mut at, &mut key, &mut value) != 0 {
                count += 1;
                if is_int(key) && is_text(value) {
                    terms.add(&self.bits, int(key).unwrap_or(-1), letter(value));
                } else if is_text(key) && is_int(value) {
                    skips = Some(samples(value));
                } else {
                    return refused(b"A term is neither a channel and a type nor a number of samples.\0");
                }
            }
            match (count, skips) {
                (0, _) => Ok(Search::Empty),
                (_, None) => Ok(Search::Holds(terms)),
                (1, Some(skip)) => Ok(Search::At(self.place.at.saturating_add(skip).min(NEVER))),
                _ => Ok(Search::Counted(self.counted(dict))),
            }
        }
    }

    /// The same, of checked terms that have skips among them.
    unsafe fn counted(&self, dict: *mut PyObject) -> Counted {
        let (mut at, mut key, mut value) = (0, ptr::null_mut(), ptr::null_mut());
        let mut parts = Vec::new();
        unsafe {
            while PyDict_Next(dict, &mut at, &mut key, &mut value) != 0 {
                if is_int(key) {
                    let mut terms = Terms::default();
                    terms.add(&self.bits, int(key).unwrap_or(-1), letter(value));
                    parts.push(Part::Term(terms));
                } else {
                    parts.push(Part::Skip(samples(value)));
                }
            }
        }
        Counted::new(parts)
    }
}

/// Samples to skip; a negative number is never reached.
unsafe fn samples(number: *mut PyObject) -> i64 {
    match unsafe { int(number) } {
        Some(samples) if (0..NEVER).contains(&samples) => samples,
        _ => NEVER,
    }
}

/// The first byte of a text, which has one if it is a type of a term.
unsafe fn letter(text: *mut PyObject) -> Option<u8> {
    unsafe { utf8(text) }?.first().copied()
}

unsafe fn at_end<T>() -> Result<T> {
    unsafe { raise_own(b"EndOfSamples\0", b"the capture has ended\0") }
}

/// Raise what libsigrokdecode answers with NULL.
pub unsafe fn refused<T>(text: &[u8]) -> Result<T> {
    unsafe { raise_own(b"Refused\0", text) }
}

unsafe fn raise_own<T>(name: &[u8], text: &[u8]) -> Result<T> {
    unsafe {
        let errors = PyImport_ImportModule(b"gpiorig.analysis.decoderhost.errors\0".as_ptr().cast());
        let errors = Object::new(errors)?;
        let kind = Object::new(PyObject_GetAttrString(errors.as_ptr(), name.as_ptr().cast()))?;
        raise(kind.as_ptr(), text)
    }
}

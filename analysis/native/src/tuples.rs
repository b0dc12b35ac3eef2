//! Tuples of pins and of matches, made once and handed out again: most waits give one of a few.

use crate::python::*;

const PLACES: usize = 1 << PLACE_BITS;
const PLACE_BITS: u32 = 8;

/// Tuples by a number; of several whose place is the same, the one that was asked for last.
#[derive(Default)]
pub struct Tuples {
    places: Vec<Option<(u64, Object)>>,
}

impl Tuples {
    /// The tuple of a number; it has `count` items, which `item` makes.
    ///
    /// # Safety
    /// `item` returns references that are owned, or null and an exception.
    pub unsafe fn get(&mut self, number: u64, count: usize, item: impl Fn(usize) -> *mut PyObject) -> Result<Object> {
        if self.places.is_empty() {
            self.places.resize_with(PLACES, || None);
        }
        // Fibonacci hashing (Knuth, The Art of Computer Programming 3, 6.4): 2^64 divided by the golden ratio.
        let place = (number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - PLACE_BITS)) as usize;
        match &self.places[place] {
            Some((of, object)) if *of == number => Ok(object.again()),
            _ => {
                let object = unsafe { tuple(count, item)? };
                self.places[place] = Some((number, object.again()));
                Ok(object)
            }
        }
    }
}

/// A new tuple.
///
/// # Safety
/// As of `Tuples::get`.
pub unsafe fn tuple(count: usize, item: impl Fn(usize) -> *mut PyObject) -> Result<Object> {
    let made = unsafe { Object::new(PyTuple_New(count as isize))? };
    for index in 0..count {
        let object = unsafe { Object::new(item(index))? };
        if unsafe { PyTuple_SetItem(made.as_ptr(), index as isize, object.into_ptr()) } != 0 {
            return Err(Raised);
        }
    }
    Ok(made)
}

//! The functions that a host calls: it binds a decoder to itself, and gives it pins and outputs.

use crate::decoder::{unbind, work_of, Decoder, Output, Printed, Work};
use crate::pins::Pins;
use crate::python::*;

/// The functions of the module that a host calls.
pub static FUNCTIONS: Static<[Method; 8]> = Static([
    method(b"bind\0", bind, b"Bind a decoder to its host.\0"),
    method(b"release\0", release, b"Undo it.\0"),
    method(b"stack\0", stack, b"Put another decoder on top.\0"),
    method(b"feed\0", feed, b"Give a decoder its pins.\0"),
    method(b"output\0", output, b"Make an output known.\0"),
    method(
        b"sample\0",
        sample,
        b"Where the last wait() ended; at first the first sample.\0",
    ),
    method(
        b"has_ended\0",
        has_ended,
        b"Whether a wait() came to the end of the samples.\0",
    ),
    END,
]);

/// The same of an argument, which may be anything.
unsafe fn work_of_argument(decoder: *mut PyObject) -> Result<*mut Work> {
    unsafe {
        if PyType_IsSubtype((*decoder).kind, crate::names().decoder.as_ptr()) == 0 {
            return raise(PyExc_TypeError, b"not a sigrokdecode.Decoder\0");
        }
        work_of(decoder)
    }
}

unsafe extern "C" fn bind(_: *mut PyObject, args: *const *mut PyObject, count: isize) -> *mut PyObject {
    guarded(|| unsafe {
        let [decoder, host] = arguments::<2>(args, count)?;
        let kind = crate::names().decoder.as_ptr();
        if PyType_IsSubtype((*decoder).kind, kind) == 0 {
            return raise(PyExc_TypeError, b"not a sigrokdecode.Decoder\0");
        }
        let mut is_hidden = false;
        for name in [&b"samplenum\0"[..], &b"matched\0"[..]] {
            let attribute = Object::new(PyObject_GetAttrString((*decoder).kind, name.as_ptr().cast()))?;
            let field = Object::new(PyObject_GetAttrString(kind, name.as_ptr().cast()))?;
            is_hidden |= attribute.as_ptr() != field.as_ptr();
        }
        let decoder = decoder.cast::<Decoder>();
        unbind(decoder);
        let work = Work {
            host: Object::of(host),
            pins: None,
            above: None,
            outputs: Vec::new(),
            is_hidden,
        };
        (*decoder).work = Box::into_raw(Box::new(work));
        Ok(Object::of(none()))
    })
}

unsafe extern "C" fn release(_: *mut PyObject, args: *const *mut PyObject, count: isize) -> *mut PyObject {
    guarded(|| unsafe {
        let [decoder] = arguments::<1>(args, count)?;
        work_of_argument(decoder)?;
        unbind(decoder.cast());
        Ok(Object::of(none()))
    })
}

unsafe extern "C" fn stack(_: *mut PyObject, args: *const *mut PyObject, count: isize) -> *mut PyObject {
    guarded(|| unsafe {
        let [decoder, above] = arguments::<2>(args, count)?;
        (*work_of_argument(decoder)?).above = Some(Object::of(above));
        Ok(Object::of(none()))
    })
}

unsafe extern "C" fn feed(_: *mut PyObject, args: *const *mut PyObject, count: isize) -> *mut PyObject {
    guarded(|| unsafe {
        let [decoder, bits, next_chunk] = arguments::<3>(args, count)?;
        let work = work_of_argument(decoder)?;
        if !is_list(bits) {
            return raise(PyExc_TypeError, b"bits are a list\0");
        }
        (*work).pins = Some(Pins::new(bits, next_chunk)?);
        Ok(Object::of(none()))
    })
}

unsafe extern "C" fn output(_: *mut PyObject, args: *const *mut PyObject, count: isize) -> *mut PyObject {
    guarded(|| unsafe {
        let [decoder, kind, classes, wanted, lines, head, shift] = arguments::<7>(args, count)?;
        let work = work_of_argument(decoder)?;
        let wanted = if wanted == none() { None } else { Some(numbers(wanted)?) };
        let printed = match utf8(head) {
            Some(head) if crate::is_lines(lines) => {
                let shift = if shift == none() {
                    None
                } else {
                    Some(PyLong_AsUnsignedLongLongMask(shift))
                };
                Some(Printed {
                    lines: Object::of(lines),
                    head: head.to_vec(),
                    shift,
                })
            }
            _ => None,
        };
        let (kind, classes) = (PyLong_AsLongLong(kind), PyLong_AsLongLong(classes));
        if !PyErr_Occurred().is_null() {
            return Err(Raised);
        }
        (*work).add_output(Output {
            kind,
            classes,
            wanted,
            printed,
        });
        Ok(Object::of(none()))
    })
}

unsafe fn numbers(list: *mut PyObject) -> Result<Vec<i64>> {
    unsafe {
        if !is_list(list) {
            return raise(PyExc_TypeError, b"classes are a list\0");
        }
        Ok((0..PyList_Size(list))
            .filter_map(|index| int(PyList_GetItem(list, index)))
            .collect())
    }
}

unsafe extern "C" fn sample(_: *mut PyObject, args: *const *mut PyObject, count: isize) -> *mut PyObject {
    guarded(|| unsafe {
        let [decoder] = arguments::<1>(args, count)?;
        let sample = (*work_of_argument(decoder)?).pins.as_ref().map_or(0, Pins::sample);
        Object::new(PyLong_FromLongLong(sample))
    })
}

unsafe extern "C" fn has_ended(_: *mut PyObject, args: *const *mut PyObject, count: isize) -> *mut PyObject {
    guarded(|| unsafe {
        let [decoder] = arguments::<1>(args, count)?;
        let has_ended = (*work_of_argument(decoder)?)
            .pins
            .as_ref()
            .map_or(false, Pins::has_ended);
        Object::new(PyBool_FromLong(has_ended as _))
    })
}

//! The base class of decoders: wait() and put(), as libsigrokdecode 0.5.3 has them (`type_decoder.c`).
//!
//! What is frequent is done here: waits, objects for the decoder above, classes that are not wanted, lines of
//! annotations. All else, what is malformed among it, goes to `host`, the object of Python that a decoder is bound to.

use std::ffi::c_void;
use std::os::raw::c_int;
use std::ptr;

use crate::lines;
use crate::pins::{refused, Pins};
use crate::python::*;

/// The object of Python; `samplenum` and `matched` are fields of it, so that a wait() sets them and a decoder reads them
/// without a search.
#[repr(C)]
pub struct Decoder {
    head: PyObject,
    samplenum: *mut PyObject,
    matched: *mut PyObject,
    work: *mut Work,
}

/// A decoder that is bound to its host.
struct Work {
    host: Object,
    pins: Option<Pins>,
    above: Option<Object>,
    outputs: Vec<Output>,
    /// The class has attributes of the names of the fields.
    is_hidden: bool,
}

impl Work {
    fn output(&self, index: usize) -> Option<&Output> {
        self.outputs.get(index)
    }

    fn add_output(&mut self, output: Output) {
        self.outputs.push(output);
    }
}

/// A registered output.
struct Output {
    kind: i64,
    /// How many classes there are, and which of them are wanted; None: all.
    classes: i64,
    wanted: Option<Vec<i64>>,
    /// Where lines of annotations go, with the name before them.
    printed: Option<Printed>,
}

struct Printed {
    lines: Object,
    head: Vec<u8>,
    /// With sample numbers, which are those of the decoder less this.
    shift: Option<u64>,
}

const ANNOTATION: i64 = 0; // libsigrokdecode.h, enum srd_output_type
const PYTHON: i64 = 1;

/// Its type.
///
/// # Safety
/// Python's lock is held.
pub unsafe fn kind() -> Result<Object> {
    let slots = [
        Slot {
            slot: SLOT_DEALLOC,
            value: dealloc as *const c_void,
        },
        Slot {
            slot: SLOT_METHODS,
            value: METHODS.0.as_ptr().cast(),
        },
        Slot {
            slot: SLOT_MEMBERS,
            value: MEMBERS.0.as_ptr().cast(),
        },
        Slot {
            slot: SLOT_DOC,
            value: b"Base class of all decoders.\0".as_ptr().cast(),
        },
        Slot {
            slot: 0,
            value: ptr::null(),
        },
    ];
    let spec = Spec {
        name: b"gpiorig.analysis.decoderhost.native.Decoder\0".as_ptr().cast(),
        bytes: std::mem::size_of::<Decoder>() as c_int,
        item_bytes: 0,
        flags: TP_BASETYPE,
        slots: slots.as_ptr(),
    };
    unsafe { Object::new(PyType_FromSpec(&spec)) }
}

static METHODS: Static<[Method; 5]> = Static([
    method(
        b"wait\0",
        wait,
        b"Continue to the next sample at which a condition holds; returns the pins there.\0",
    ),
    method(
        b"put\0",
        put,
        b"Give out an annotation, bytes, a value, or an object for the decoder above.\0",
    ),
    Method {
        name: b"register\0".as_ptr().cast(),
        call: register as *const c_void,
        flags: METH_VARARGS | METH_KEYWORDS,
        doc: b"Make an output known; returns its number for `put`.\0".as_ptr().cast(),
    },
    method(
        b"has_channel\0",
        has_channel,
        b"Whether a channel of the capture was given to the decoder's channel.\0",
    ),
    END,
]);

const fn member(name: &'static [u8], index: usize) -> Member {
    let offset = std::mem::size_of::<PyObject>() + index * std::mem::size_of::<*mut PyObject>();
    Member {
        name: name.as_ptr().cast(),
        kind: T_OBJECT_EX,
        offset: offset as isize,
        flags: 0,
        doc: ptr::null(),
    }
}

static MEMBERS: Static<[Member; 3]> = Static([
    member(b"samplenum\0", 0),
    member(b"matched\0", 1),
    Member {
        name: ptr::null(),
        kind: 0,
        offset: 0,
        flags: 0,
        doc: ptr::null(),
    },
]);

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

unsafe extern "C" fn dealloc(this: *mut PyObject) {
    let decoder = this.cast::<Decoder>();
    unsafe {
        unbind(decoder);
        for field in [(*decoder).samplenum, (*decoder).matched] {
            drop(Object::new(field));
        }
        free(this);
    }
}

unsafe fn unbind(decoder: *mut Decoder) {
    unsafe {
        let work = std::mem::replace(&mut (*decoder).work, ptr::null_mut());
        if !work.is_null() {
            drop(Box::from_raw(work));
        }
    }
}

/// What a decoder is bound to.
///
/// Python may call back into the decoder wherever it is called, so nothing that is borrowed from here is held then.
unsafe fn work_of(this: *mut PyObject) -> Result<*mut Work> {
    let work = unsafe { (*this.cast::<Decoder>()).work };
    if work.is_null() {
        // As in libsigrokdecode, in a decoder's __init__.
        return unsafe { raise(PyExc_Exception, b"decoder instance not found\0") };
    }
    Ok(work)
}

/// The same of an argument, which may be anything.
unsafe fn work_of_argument(decoder: *mut PyObject) -> Result<*mut Work> {
    unsafe {
        if PyType_IsSubtype((*decoder).kind, crate::names().decoder.as_ptr()) == 0 {
            return raise(PyExc_TypeError, b"not a sigrokdecode.Decoder\0");
        }
        work_of(decoder)
    }
}

unsafe extern "C" fn wait(this: *mut PyObject, args: *const *mut PyObject, count: isize) -> *mut PyObject {
    guarded(|| unsafe {
        let conditions = if count == 0 {
            none()
        } else {
            arguments::<1>(args, count)?[0]
        };
        let work = work_of(this)?;
        let pins = match &mut (*work).pins {
            Some(pins) => pins,
            None => return refused(b"wait() in a decoder that has no pins\0"),
        };
        let found = pins.wait(conditions)?;
        if (*work).is_hidden {
            for (name, value) in [
                (&b"samplenum\0"[..], &found.sample),
                (&b"matched\0"[..], &found.matched),
            ] {
                if PyObject_SetAttrString(this, name.as_ptr().cast(), value.as_ptr()) != 0 {
                    return Err(Raised);
                }
            }
            return Ok(found.pins);
        }
        let decoder = this.cast::<Decoder>();
        let samplenum = std::mem::replace(&mut (*decoder).samplenum, found.sample.into_ptr());
        let matched = std::mem::replace(&mut (*decoder).matched, found.matched.into_ptr());
        drop((Object::new(samplenum), Object::new(matched)));
        Ok(found.pins)
    })
}

unsafe extern "C" fn put(this: *mut PyObject, args: *const *mut PyObject, count: isize) -> *mut PyObject {
    guarded(|| unsafe {
        let [start, end, number, data] = arguments::<4>(args, count)?;
        let work = work_of(this)?;
        let (start, end) = (unsigned(start)?, unsigned(end)?);
        let number = PyLong_AsLongLong(number);
        if number == -1 && !PyErr_Occurred().is_null() {
            return Err(Raised);
        }
        let index = usize::try_from(number).unwrap_or(usize::MAX);
        let kind = (*work).output(index).map_or(-1, |output| output.kind);
        if kind == PYTHON {
            give_above(work, &start, &end, data)?;
        }
        if let Some(output) = (*work).output(index) {
            if matches!(&output.wanted, Some(wanted) if wanted.is_empty()) {
                return Ok(Object::of(none()));
            }
            if kind == ANNOTATION && put_annotation(output, &start, &end, data)? {
                return Ok(Object::of(none()));
            }
        }
        let (host, number) = ((*work).host.again(), Object::new(PyLong_FromLongLong(number))?);
        Object::new(PyObject_CallMethodObjArgs(
            host.as_ptr(),
            crate::names().put.as_ptr(),
            start.as_ptr(),
            end.as_ptr(),
            number.as_ptr(),
            data,
            ptr::null_mut::<PyObject>(),
        ))
    })
}

/// A sample number as libsigrokdecode takes it: modulo 2^64.
unsafe fn unsigned(number: *mut PyObject) -> Result<Object> {
    unsafe {
        if is_int(number) && int(number).map_or(false, |value| value >= 0) {
            return Ok(Object::of(number));
        }
        let value = PyLong_AsUnsignedLongLongMask(number);
        if value == u64::MAX && !PyErr_Occurred().is_null() {
            return Err(Raised);
        }
        Object::new(PyLong_FromUnsignedLongLong(value))
    }
}

/// Call decode() of the decoder above; what it raises costs one of its inputs.
unsafe fn give_above(work: *mut Work, start: &Object, end: &Object, data: *mut PyObject) -> Result<()> {
    unsafe {
        let above = match &(*work).above {
            Some(above) => above.again(),
            None => return Ok(()),
        };
        let host = (*work).host.again();
        let done = Object::new(PyObject_CallMethodObjArgs(
            above.as_ptr(),
            crate::names().decode.as_ptr(),
            start.as_ptr(),
            end.as_ptr(),
            data,
            ptr::null_mut::<PyObject>(),
        ));
        if done.is_err() {
            let error = caught().ok_or(Raised)?;
            let name = crate::names().above_failed.as_ptr();
            let (host, error) = (host.as_ptr(), error.as_ptr());
            Object::new(PyObject_CallMethodObjArgs(
                host,
                name,
                error,
                ptr::null_mut::<PyObject>(),
            ))?;
        }
    }
    Ok(())
}

/// Append an annotation to the lines; false: it is not wanted there, or there is something wrong with it.
unsafe fn put_annotation(output: &Output, start: &Object, end: &Object, data: *mut PyObject) -> Result<bool> {
    unsafe {
        if !is_a(data, TP_LIST) || PyList_Size(data) != 2 {
            return Ok(false);
        }
        let (class, texts) = (PyList_GetItem(data, 0), PyList_GetItem(data, 1));
        if !is_a(class, TP_LONG) || !is_a(texts, TP_LIST) {
            return Ok(false);
        }
        let class = int(class).unwrap_or(-1);
        if !(0..output.classes).contains(&class) {
            return Ok(false);
        }
        if matches!(&output.wanted, Some(wanted) if !wanted.contains(&class)) {
            return Ok(true);
        }
        let printed = match &output.printed {
            Some(printed) => printed,
            None => return Ok(false),
        };
        let mut text = &b"(null)"[..];
        for index in (0..PyList_Size(texts)).rev() {
            text = match utf8(PyList_GetItem(texts, index)) {
                Some(text) => text,
                None => return Ok(false),
            };
        }
        if let Some(null) = text.iter().position(|&byte| byte == 0) {
            text = &text[..null]; // a C string ends there
        }
        let span = printed
            .shift
            .map(|shift| [start, end].map(|number| modulo(number).wrapping_sub(shift)));
        let lines = printed.lines.again();
        lines::append(lines.as_ptr(), |line| {
            if let Some([start, end]) = span {
                decimal(line, start);
                line.push(b'-');
                decimal(line, end);
                line.push(b' ');
            }
            line.extend_from_slice(&printed.head);
            line.extend_from_slice(text);
            line.push(b'\n');
        })?;
        Ok(true)
    }
}

unsafe fn modulo(number: &Object) -> u64 {
    unsafe { PyLong_AsUnsignedLongLongMask(number.as_ptr()) }
}

fn decimal(line: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    line.extend_from_slice(&digits[at..]);
}

unsafe extern "C" fn register(this: *mut PyObject, args: *mut PyObject, keywords: *mut PyObject) -> *mut PyObject {
    guarded(|| unsafe {
        let host = (*work_of(this)?).host.again();
        let call = Object::new(PyObject_GetAttrString(host.as_ptr(), b"register\0".as_ptr().cast()))?;
        Object::new(PyObject_Call(call.as_ptr(), args, keywords))
    })
}

unsafe extern "C" fn has_channel(this: *mut PyObject, args: *const *mut PyObject, count: isize) -> *mut PyObject {
    guarded(|| unsafe {
        let [index] = arguments::<1>(args, count)?;
        let host = (*work_of(this)?).host.again();
        let name = crate::names().has_channel.as_ptr();
        Object::new(PyObject_CallMethodObjArgs(
            host.as_ptr(),
            name,
            index,
            ptr::null_mut::<PyObject>(),
        ))
    })
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
        if !is_a(bits, TP_LIST) {
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
        if !is_a(list, TP_LIST) {
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

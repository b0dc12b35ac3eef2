//! The base class of decoders: wait() and put(), as libsigrokdecode 0.5.3 has them (`type_decoder.c`).
//!
//! What is frequent is done here: waits, objects for the decoder above, classes that are not wanted, lines of
//! annotations. All else, what is malformed among it, goes to `host`, the object of Python that a decoder is bound to.

use std::ffi::c_void;
use std::ptr;

use crate::pins::{refused, Pins};
use crate::put::put;
use crate::python::*;

/// The object of Python; `samplenum` and `matched` are fields of it, so that a wait() sets them and a decoder reads them
/// without a search.
#[repr(C)]
pub struct Decoder {
    head: PyObject,
    samplenum: *mut PyObject,
    matched: *mut PyObject,
    pub work: *mut Work,
}

/// A decoder that is bound to its host.
pub struct Work {
    pub host: Object,
    pub pins: Option<Pins>,
    pub above: Option<Object>,
    pub outputs: Vec<Output>,
    /// The class has attributes of the names of the fields.
    pub is_hidden: bool,
}

impl Work {
    pub fn output(&self, index: usize) -> Option<&Output> {
        self.outputs.get(index)
    }

    pub fn add_output(&mut self, output: Output) {
        self.outputs.push(output);
    }
}

/// A registered output.
pub struct Output {
    pub kind: i64,
    /// How many classes there are, and which of them are wanted; None: all.
    pub classes: i64,
    pub wanted: Option<Vec<i64>>,
    /// Where lines of annotations go, with the name before them.
    pub printed: Option<Printed>,
}

pub struct Printed {
    pub lines: Object,
    pub head: Vec<u8>,
    /// With sample numbers, which are those of the decoder less this.
    pub shift: Option<u64>,
}

/// Its type.
///
/// # Safety
/// Python's lock is held.
pub unsafe fn kind() -> Result<Object> {
    let slots = [
        (SLOT_DEALLOC, dealloc as *const c_void),
        (SLOT_METHODS, METHODS.0.as_ptr().cast()),
        (SLOT_MEMBERS, MEMBERS.0.as_ptr().cast()),
        (SLOT_DOC, b"Base class of all decoders.\0".as_ptr().cast()),
    ];
    unsafe { new_type::<Decoder>(b"gpiorig.analysis.decoderhost.native.Decoder\0", TP_BASETYPE, &slots) }
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

/// Undo the binding to a host.
///
/// # Safety
/// It is a decoder.
pub unsafe fn unbind(decoder: *mut Decoder) {
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
///
/// # Safety
/// It is a decoder.
pub unsafe fn work_of(this: *mut PyObject) -> Result<*mut Work> {
    let work = unsafe { (*this.cast::<Decoder>()).work };
    if work.is_null() {
        // As in libsigrokdecode, in a decoder's __init__.
        return unsafe { raise(PyExc_Exception, b"decoder instance not found\0") };
    }
    Ok(work)
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

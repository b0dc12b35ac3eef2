//! Lines of annotations on their way out: collected as UTF-8, and handed to Python many at a time.

use std::ffi::c_void;
use std::os::raw::c_int;
use std::ptr;

use crate::python::*;

/// The object of Python.
#[repr(C)]
pub struct Lines {
    head: PyObject,
    inner: *mut Inner,
}

struct Inner {
    bytes: Vec<u8>,
    write: Object,
    limit: usize,
}

/// Its type.
///
/// # Safety
/// Python's lock is held.
pub unsafe fn kind() -> Result<Object> {
    let slots = [
        (SLOT_INIT, init as *const c_void),
        (SLOT_DEALLOC, dealloc as *const c_void),
        (SLOT_METHODS, METHODS.0.as_ptr().cast()),
        (
            SLOT_DOC,
            b"Collects lines, and hands them to `write` as bytes.\0".as_ptr().cast(),
        ),
    ];
    unsafe { new_type::<Lines>(b"gpiorig.analysis.decoderhost.native.Lines\0", 0, &slots) }
}

static METHODS: Static<[Method; 3]> = Static([
    method(b"add\0", add, b"Add text as it is.\0"),
    method(b"flush\0", flush, b"Write what has come together.\0"),
    END,
]);

unsafe extern "C" fn init(this: *mut PyObject, args: *mut PyObject, _keywords: *mut PyObject) -> c_int {
    let lines = this.cast::<Lines>();
    unsafe {
        if PyTuple_Size(args) != 2 || !(*lines).inner.is_null() {
            let _: Result<()> = raise(PyExc_TypeError, b"Lines(write, limit)\0");
            return -1;
        }
        let limit = PyLong_AsLongLong(PyTuple_GetItem(args, 1));
        if limit < 0 {
            return -1;
        }
        let write = Object::of(PyTuple_GetItem(args, 0));
        (*lines).inner = Box::into_raw(Box::new(Inner {
            bytes: Vec::new(),
            write,
            limit: limit as usize,
        }));
    }
    0
}

unsafe extern "C" fn dealloc(this: *mut PyObject) {
    unsafe {
        let inner = (*this.cast::<Lines>()).inner;
        if !inner.is_null() {
            drop(Box::from_raw(inner));
        }
        free(this);
    }
}

unsafe extern "C" fn add(this: *mut PyObject, args: *const *mut PyObject, count: isize) -> *mut PyObject {
    guarded(|| unsafe {
        let [text] = arguments::<1>(args, count)?;
        match utf8(text) {
            Some(bytes) => append(this, |line| line.extend_from_slice(bytes))?,
            None => raise(PyExc_ValueError, b"not a text, or one that is not UTF-8\0")?,
        }
        Ok(Object::of(none()))
    })
}

unsafe extern "C" fn flush(this: *mut PyObject, args: *const *mut PyObject, count: isize) -> *mut PyObject {
    guarded(|| unsafe {
        let [] = arguments::<0>(args, count)?;
        write_out(this)?;
        Ok(Object::of(none()))
    })
}

/// Append to what is written next, and write it if it is long enough.
///
/// # Safety
/// `this` is a `Lines`.
pub unsafe fn append(this: *mut PyObject, fill: impl FnOnce(&mut Vec<u8>)) -> Result<()> {
    unsafe {
        let inner = (*this.cast::<Lines>()).inner;
        if inner.is_null() {
            return raise(PyExc_ValueError, b"lines without a way to write them\0");
        }
        fill(&mut (*inner).bytes);
        if (*inner).bytes.len() > (*inner).limit {
            write_out(this)?;
        }
    }
    Ok(())
}

unsafe fn write_out(this: *mut PyObject) -> Result<()> {
    unsafe {
        let inner = (*this.cast::<Lines>()).inner;
        if inner.is_null() || (*inner).bytes.is_empty() {
            return Ok(());
        }
        let bytes = PyBytes_FromStringAndSize((*inner).bytes.as_ptr().cast(), (*inner).bytes.len() as isize);
        let bytes = Object::new(bytes)?;
        (*inner).bytes.clear();
        let write = (*inner).write.again();
        Object::new(PyObject_CallFunctionObjArgs(
            write.as_ptr(),
            bytes.as_ptr(),
            ptr::null_mut::<PyObject>(),
        ))?;
    }
    Ok(())
}

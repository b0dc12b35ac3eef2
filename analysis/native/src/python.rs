//! Python's objects, exceptions and calls, in Rust: a reference that gives itself back, and what uses it.

use std::ffi::c_void;
use std::os::raw::{c_int, c_uint, c_ulong};
use std::ptr;

pub use crate::abi::*;

/// A Python exception is set.
pub struct Raised;
pub type Result<T> = std::result::Result<T, Raised>;

/// A reference that is given back when it is dropped.
pub struct Object(*mut PyObject);

impl Object {
    /// Own what a function of Python returned; null is an exception.
    ///
    /// # Safety
    /// `object` is null or a reference that the caller owns.
    pub unsafe fn new(object: *mut PyObject) -> Result<Object> {
        if object.is_null() {
            Err(Raised)
        } else {
            Ok(Object(object))
        }
    }

    /// Own a further reference to an object.
    ///
    /// # Safety
    /// `object` is one.
    pub unsafe fn of(object: *mut PyObject) -> Object {
        unsafe { Py_IncRef(object) };
        Object(object)
    }

    pub fn as_ptr(&self) -> *mut PyObject {
        self.0
    }

    /// Hand the reference on.
    pub fn into_ptr(self) -> *mut PyObject {
        let object = self.0;
        std::mem::forget(self);
        object
    }

    /// Another reference to it.
    pub fn again(&self) -> Object {
        // SAFETY: it is an object, as it is owned.
        unsafe { Object::of(self.0) }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: the reference is owned.
        unsafe { Py_DecRef(self.0) };
    }
}

#[allow(unused_unsafe)] // needed by rustc before 1.77
pub fn none() -> *mut PyObject {
    // SAFETY: only its address is taken.
    unsafe { ptr::addr_of_mut!(_Py_NoneStruct) }
}

/// Whether an object is of a type or of one below it: by its address, or else by the flag that types below it have, too.
unsafe fn is_of(object: *mut PyObject, kind: *mut PyObject, flag: c_ulong) -> bool {
    unsafe { (*object).kind == kind || PyType_GetFlags((*object).kind) & flag != 0 }
}

/// Whether it is an int.
///
/// # Safety
/// `object` is one.
pub unsafe fn is_int(object: *mut PyObject) -> bool {
    unsafe { is_of(object, ptr::addr_of_mut!(PyLong_Type), TP_LONG) }
}

/// Whether it is an int, and not of a type below it.
///
/// # Safety
/// `object` is one.
pub unsafe fn is_just_int(object: *mut PyObject) -> bool {
    unsafe { (*object).kind == ptr::addr_of_mut!(PyLong_Type) }
}

/// Whether it is a list.
///
/// # Safety
/// `object` is one.
pub unsafe fn is_list(object: *mut PyObject) -> bool {
    unsafe { is_of(object, ptr::addr_of_mut!(PyList_Type), TP_LIST) }
}

/// Whether it is a text.
///
/// # Safety
/// `object` is one.
pub unsafe fn is_text(object: *mut PyObject) -> bool {
    unsafe { is_of(object, ptr::addr_of_mut!(PyUnicode_Type), TP_UNICODE) }
}

/// Whether it is a dict.
///
/// # Safety
/// `object` is one.
pub unsafe fn is_dict(object: *mut PyObject) -> bool {
    unsafe { is_of(object, ptr::addr_of_mut!(PyDict_Type), TP_DICT) }
}

/// The value of an int; None: it is beyond 64 bits.
///
/// # Safety
/// `object` is an int.
pub unsafe fn int(object: *mut PyObject) -> Option<i64> {
    let value = unsafe { PyLong_AsLongLong(object) };
    if value == -1 && unsafe { !PyErr_Occurred().is_null() } {
        unsafe { PyErr_Clear() };
        return None;
    }
    Some(value)
}

/// Raise an exception of Python; `text` ends in a null.
///
/// # Safety
/// `kind` is a class of exceptions.
pub unsafe fn raise<T>(kind: *mut PyObject, text: &[u8]) -> Result<T> {
    debug_assert_eq!(text.last(), Some(&0));
    unsafe { PyErr_SetString(kind, text.as_ptr().cast()) };
    Err(Raised)
}

/// The exception that is set, which then is not any more; None: it is one that a program must not keep to itself.
///
/// # Safety
/// An exception is set.
pub unsafe fn caught() -> Option<Object> {
    if unsafe { PyErr_ExceptionMatches(PyExc_Exception) } == 0 {
        return None;
    }
    let (mut kind, mut value, mut trace) = (ptr::null_mut(), ptr::null_mut(), ptr::null_mut());
    unsafe {
        PyErr_Fetch(&mut kind, &mut value, &mut trace);
        PyErr_NormalizeException(&mut kind, &mut value, &mut trace);
        if !trace.is_null() {
            PyException_SetTraceback(value, trace);
            Py_DecRef(trace);
        }
        Py_DecRef(kind);
        Object::new(value).ok()
    }
}

/// The bytes of a text, which live as long as it does; None: it is not a text, or has half a pair of surrogates.
///
/// # Safety
/// `text` is an object that outlives the bytes.
pub unsafe fn utf8<'a>(text: *mut PyObject) -> Option<&'a [u8]> {
    unsafe {
        if !is_text(text) {
            return None;
        }
        let mut length = 0;
        let bytes = PyUnicode_AsUTF8AndSize(text, &mut length);
        if bytes.is_null() {
            PyErr_Clear();
            return None;
        }
        Some(std::slice::from_raw_parts(bytes.cast(), length as usize))
    }
}

/// A type of objects that are a `T`, with the name of its module before its own.
///
/// # Safety
/// Python's lock is held; `slots` are those of such a type, and what they point to is static; `name` ends with a zero.
pub unsafe fn new_type<T>(name: &'static [u8], flags: c_uint, slots: &[(c_int, *const c_void)]) -> Result<Object> {
    let end = (0, ptr::null());
    let slots: Vec<Slot> = slots
        .iter()
        .chain([&end])
        .map(|&(slot, value)| Slot { slot, value })
        .collect();
    let spec = Spec {
        name: name.as_ptr().cast(),
        bytes: std::mem::size_of::<T>() as c_int,
        item_bytes: 0,
        flags,
        slots: slots.as_ptr(),
    };
    unsafe { Object::new(PyType_FromSpec(&spec)) }
}

/// A method that takes positional arguments.
pub type Call = unsafe extern "C" fn(*mut PyObject, *const *mut PyObject, isize) -> *mut PyObject;

/// What Python reads only, though it has pointers in it.
#[repr(transparent)]
pub struct Static<T>(pub T);
// SAFETY: it is never written to, and its pointers are to other statics.
unsafe impl<T> Sync for Static<T> {}

/// The end of a table of methods.
pub const END: Method = Method {
    name: ptr::null(),
    call: ptr::null(),
    flags: 0,
    doc: ptr::null(),
};

/// An entry of such a table; the texts end in a null.
pub const fn method(name: &'static [u8], call: Call, doc: &'static [u8]) -> Method {
    Method {
        name: name.as_ptr().cast(),
        call: call as *const c_void,
        flags: METH_FASTCALL,
        doc: doc.as_ptr().cast(),
    }
}

/// The arguments of a call, borrowed; a TypeError if there are more or less of them.
///
/// # Safety
/// They are those that Python gave.
pub unsafe fn arguments<const N: usize>(args: *const *mut PyObject, count: isize) -> Result<[*mut PyObject; N]> {
    if count != N as isize {
        return unsafe { raise(PyExc_TypeError, b"wrong number of arguments\0") };
    }
    let mut given = [ptr::null_mut(); N];
    for (index, argument) in given.iter_mut().enumerate() {
        *argument = unsafe { *args.add(index) };
    }
    Ok(given)
}

/// Do the work of a call from Python; a panic, which is a fault of this crate, does not cross the boundary.
pub fn guarded(work: impl FnOnce() -> Result<Object>) -> *mut PyObject {
    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)) {
        Ok(Ok(object)) => object.into_ptr(),
        Ok(Err(Raised)) => ptr::null_mut(),
        Err(_) => {
            // SAFETY: a call from Python holds its lock.
            let _: Result<()> = unsafe { raise(PyExc_SystemError, b"a fault in gpiorig's decoder host\0") };
            ptr::null_mut()
        }
    }
}

/// Free the memory of an object of one of our types; the last step of its end.
///
/// # Safety
/// Nothing refers to it.
pub unsafe fn free(this: *mut PyObject) {
    unsafe {
        let kind = (*this).kind;
        let release: unsafe extern "C" fn(*mut PyObject) = std::mem::transmute(PyType_GetSlot(kind, SLOT_FREE));
        release(this);
        Py_DecRef(kind);
    }
}

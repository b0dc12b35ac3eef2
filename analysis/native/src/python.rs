//! CPython's stable ABI of 3.11, as far as it is used here, and a reference that gives itself back.
//!
//! Declared by hand: the ABI is frozen for all later versions (docs.python.org, "C API Stability"), and a build needs
//! neither Python's headers nor a crate. References are counted by functions, for the fields are not part of it.

#![allow(non_upper_case_globals, non_snake_case)]

use std::ffi::c_void;
use std::os::raw::{c_char, c_int, c_long, c_longlong, c_uint, c_ulong, c_ulonglong};
use std::ptr;

/// The head of every object; only the type is read.
#[repr(C)]
pub struct PyObject {
    _references: isize,
    pub kind: *mut PyObject,
}

#[repr(C)]
pub struct Buffer {
    pub data: *mut c_void,
    object: *mut PyObject,
    pub bytes: isize,
    item_bytes: isize,
    is_readonly: c_int,
    dimensions: c_int,
    format: *mut c_char,
    shape: *mut isize,
    strides: *mut isize,
    suboffsets: *mut isize,
    internal: *mut c_void,
}

#[repr(C)]
pub struct Method {
    pub name: *const c_char,
    pub call: *const c_void,
    pub flags: c_int,
    pub doc: *const c_char,
}

#[repr(C)]
pub struct Member {
    pub name: *const c_char,
    pub kind: c_int,
    pub offset: isize,
    pub flags: c_int,
    pub doc: *const c_char,
}

#[repr(C)]
pub struct Slot {
    pub slot: c_int,
    pub value: *const c_void,
}

#[repr(C)]
pub struct Spec {
    pub name: *const c_char,
    pub bytes: c_int,
    pub item_bytes: c_int,
    pub flags: c_uint,
    pub slots: *const Slot,
}

#[repr(C)]
pub struct ModuleDef {
    pub head: [usize; 5],
    pub name: *const c_char,
    pub doc: *const c_char,
    pub bytes: isize,
    pub methods: *const Method,
    pub rest: [usize; 4],
}

pub const MODULE_HEAD: [usize; 5] = [1, 0, 0, 0, 0]; // PyModuleDef_HEAD_INIT
pub const ABI_VERSION: c_int = 3; // PYTHON_ABI_VERSION
pub const METH_VARARGS: c_int = 1;
pub const METH_KEYWORDS: c_int = 2;
pub const METH_FASTCALL: c_int = 0x80;
pub const T_OBJECT_EX: c_int = 16;
pub const TP_BASETYPE: c_uint = 1 << 10;
pub const TP_LONG: c_ulong = 1 << 24;
pub const TP_LIST: c_ulong = 1 << 25;
pub const TP_UNICODE: c_ulong = 1 << 28;
pub const TP_DICT: c_ulong = 1 << 29;
pub const SLOT_DEALLOC: c_int = 52;
pub const SLOT_DOC: c_int = 56;
pub const SLOT_INIT: c_int = 60;
pub const SLOT_METHODS: c_int = 64;
pub const SLOT_MEMBERS: c_int = 72;
pub const SLOT_FREE: c_int = 74;

extern "C" {
    pub static mut _Py_NoneStruct: PyObject;
    pub static mut PyLong_Type: PyObject;
    pub static PyExc_Exception: *mut PyObject;
    pub static PyExc_SystemError: *mut PyObject;
    pub static PyExc_TypeError: *mut PyObject;
    pub static PyExc_ValueError: *mut PyObject;

    pub fn Py_IncRef(object: *mut PyObject);
    pub fn Py_DecRef(object: *mut PyObject);
    pub fn PyModule_Create2(definition: *mut ModuleDef, version: c_int) -> *mut PyObject;
    pub fn PyImport_ImportModule(name: *const c_char) -> *mut PyObject;
    pub fn PyType_FromSpec(spec: *const Spec) -> *mut PyObject;
    pub fn PyType_GetSlot(kind: *mut PyObject, slot: c_int) -> *mut c_void;
    pub fn PyType_GetFlags(kind: *mut PyObject) -> c_ulong;
    pub fn PyType_IsSubtype(kind: *mut PyObject, base: *mut PyObject) -> c_int;
    pub fn PyErr_SetString(kind: *mut PyObject, text: *const c_char);
    pub fn PyErr_ExceptionMatches(kind: *mut PyObject) -> c_int;
    pub fn PyErr_Fetch(kind: *mut *mut PyObject, value: *mut *mut PyObject, trace: *mut *mut PyObject);
    pub fn PyErr_NormalizeException(kind: *mut *mut PyObject, value: *mut *mut PyObject, trace: *mut *mut PyObject);
    pub fn PyErr_Clear();
    pub fn PyErr_Occurred() -> *mut PyObject;
    pub fn PyException_SetTraceback(error: *mut PyObject, trace: *mut PyObject) -> c_int;
    pub fn PyLong_AsLongLong(object: *mut PyObject) -> c_longlong;
    pub fn PyLong_AsUnsignedLongLongMask(object: *mut PyObject) -> c_ulonglong;
    pub fn PyLong_FromLongLong(value: c_longlong) -> *mut PyObject;
    pub fn PyLong_FromUnsignedLongLong(value: c_ulonglong) -> *mut PyObject;
    pub fn PyBool_FromLong(value: c_long) -> *mut PyObject;
    pub fn PyDict_Next(
        dict: *mut PyObject,
        at: *mut isize,
        key: *mut *mut PyObject,
        value: *mut *mut PyObject,
    ) -> c_int;
    pub fn PyDict_Size(dict: *mut PyObject) -> isize;
    pub fn PyList_Size(list: *mut PyObject) -> isize;
    pub fn PyList_GetItem(list: *mut PyObject, index: isize) -> *mut PyObject;
    pub fn PyTuple_New(size: isize) -> *mut PyObject;
    pub fn PyTuple_Size(tuple: *mut PyObject) -> isize;
    pub fn PyTuple_GetItem(tuple: *mut PyObject, index: isize) -> *mut PyObject;
    pub fn PyTuple_SetItem(tuple: *mut PyObject, index: isize, item: *mut PyObject) -> c_int;
    pub fn PyUnicode_InternFromString(text: *const c_char) -> *mut PyObject;
    pub fn PyUnicode_GetLength(text: *mut PyObject) -> isize;
    pub fn PyUnicode_ReadChar(text: *mut PyObject, index: isize) -> u32;
    pub fn PyUnicode_AsUTF8AndSize(text: *mut PyObject, bytes: *mut isize) -> *const c_char;
    pub fn PyBytes_FromStringAndSize(data: *const c_char, bytes: isize) -> *mut PyObject;
    pub fn PyObject_Call(call: *mut PyObject, args: *mut PyObject, keywords: *mut PyObject) -> *mut PyObject;
    pub fn PyObject_CallFunctionObjArgs(call: *mut PyObject, ...) -> *mut PyObject;
    pub fn PyObject_CallMethodObjArgs(object: *mut PyObject, name: *mut PyObject, ...) -> *mut PyObject;
    pub fn PyObject_GetAttrString(object: *mut PyObject, name: *const c_char) -> *mut PyObject;
    pub fn PyObject_SetAttrString(object: *mut PyObject, name: *const c_char, value: *mut PyObject) -> c_int;
    pub fn PyObject_GetBuffer(object: *mut PyObject, buffer: *mut Buffer, flags: c_int) -> c_int;
    pub fn PyBuffer_Release(buffer: *mut Buffer);
}

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

/// Whether an object is of a type or of one below it, by the type's flag.
///
/// # Safety
/// `object` is one.
pub unsafe fn is_a(object: *mut PyObject, flag: c_ulong) -> bool {
    unsafe { PyType_GetFlags((*object).kind) & flag != 0 }
}

/// Whether it is exactly an int.
///
/// # Safety
/// `object` is one.
pub unsafe fn is_int(object: *mut PyObject) -> bool {
    unsafe { (*object).kind == ptr::addr_of_mut!(PyLong_Type) }
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
        if !is_a(text, TP_UNICODE) {
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

//! CPython's stable ABI of 3.11, as far as it is used here.
//!
//! Declared by hand: the ABI is frozen for all later versions (docs.python.org, "C API Stability"), and a build needs
//! neither Python's headers nor a crate. References are counted by functions, for the fields are not part of it.

#![allow(non_upper_case_globals, non_snake_case)]

use std::ffi::c_void;
use std::os::raw::{c_char, c_int, c_long, c_longlong, c_uint, c_ulong, c_ulonglong};

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
    pub static mut PyList_Type: PyObject;
    pub static mut PyUnicode_Type: PyObject;
    pub static mut PyDict_Type: PyObject;
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

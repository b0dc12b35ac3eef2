//! wait() and put() of sigrok protocol decoders, as an extension module of CPython (`analysis.decoderhost.native`).
//!
//! It keeps to the stable ABI of CPython 3.11, so one library serves every later version. Why not by ctypes, as the kernels
//! of capture/native: a decoder calls wait() and put() once per bit, and a call by ctypes takes longer than all that they do.
//! [`runs`] and [`conditions`] know nothing of Python.

#![deny(unsafe_op_in_unsafe_fn)]

mod abi;
mod arrays;
mod conditions;
mod decoder;
mod host;
mod lines;
mod pins;
mod put;
mod python;
mod runs;
mod tuples;

use std::os::raw::c_char;
use std::ptr;

use crate::python::*;

/// What is looked up often: our types, and the names of methods.
struct Names {
    decoder: Object,
    lines: Object,
    put: Object,
    decode: Object,
    above_failed: Object,
    has_channel: Object,
}

static mut NAMES: Option<Names> = None;

fn names() -> &'static Names {
    // SAFETY: set once, by the import, before any method can be called; Python's lock orders the two.
    unsafe { (*ptr::addr_of!(NAMES)).as_ref() }.expect("the module is imported")
}

/// Whether an object collects lines.
///
/// # Safety
/// `object` is one.
unsafe fn is_lines(object: *mut PyObject) -> bool {
    unsafe { (*object).kind == names().lines.as_ptr() }
}

static mut MODULE: ModuleDef = ModuleDef {
    head: MODULE_HEAD,
    name: b"gpiorig.analysis.decoderhost.native\0".as_ptr().cast(),
    doc: b"wait() and put() of decoders.\0".as_ptr().cast(),
    bytes: -1,
    methods: host::FUNCTIONS.0.as_ptr(),
    rest: [0; 4],
};

/// What Python calls to import the module.
///
/// # Safety
/// Called by Python's import.
#[no_mangle]
pub unsafe extern "C" fn PyInit_native() -> *mut PyObject {
    guarded(|| unsafe {
        let module = Object::new(PyModule_Create2(ptr::addr_of_mut!(MODULE), ABI_VERSION))?;
        let text = |name: &'static [u8]| Object::new(PyUnicode_InternFromString(name.as_ptr().cast::<c_char>()));
        let names = Names {
            decoder: decoder::kind()?,
            lines: lines::kind()?,
            put: text(b"put\0")?,
            decode: text(b"decode\0")?,
            above_failed: text(b"above_failed\0")?,
            has_channel: text(b"has_channel\0")?,
        };
        for (name, kind) in [(&b"Decoder\0"[..], &names.decoder), (&b"Lines\0"[..], &names.lines)] {
            if PyObject_SetAttrString(module.as_ptr(), name.as_ptr().cast(), kind.as_ptr()) != 0 {
                return Err(Raised);
            }
        }
        *ptr::addr_of_mut!(NAMES) = Some(names);
        Ok(module)
    })
}

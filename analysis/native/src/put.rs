//! put(): to the decoder above, and to the lines that are printed; all else goes to the host.

use std::ptr;

use crate::decoder::{work_of, Output, Work};
use crate::lines;
use crate::python::*;

const ANNOTATION: i64 = 0; // libsigrokdecode.h, enum srd_output_type
const PYTHON: i64 = 1;

/// The method: give out an annotation, bytes, a value, or an object for the decoder above.
///
/// # Safety
/// Called by Python, on a decoder.
pub unsafe extern "C" fn put(this: *mut PyObject, args: *const *mut PyObject, count: isize) -> *mut PyObject {
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
        if is_just_int(number) && int(number).map_or(false, |value| value >= 0) {
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
        if !is_list(data) || PyList_Size(data) != 2 {
            return Ok(false);
        }
        let (class, texts) = (PyList_GetItem(data, 0), PyList_GetItem(data, 1));
        if !is_int(class) || !is_list(texts) {
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

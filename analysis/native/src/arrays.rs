//! Arrays of numpy, by the buffer protocol.

use crate::python::*;

/// An array of a chunk, while it is read.
pub struct Array<T> {
    buffer: Buffer,
    _of: std::marker::PhantomData<T>,
}

impl<T> Array<T> {
    /// The array that an attribute of an object is; its name ends in a null.
    ///
    /// # Safety
    /// Its items are of this type.
    pub unsafe fn new(chunk: &Object, name: &[u8]) -> Result<Self> {
        unsafe {
            let array = Object::new(PyObject_GetAttrString(chunk.as_ptr(), name.as_ptr().cast()))?;
            let mut buffer = std::mem::zeroed::<Buffer>();
            if PyObject_GetBuffer(array.as_ptr(), &mut buffer, 0) != 0 {
                return Err(Raised);
            }
            Ok(Array {
                buffer,
                _of: std::marker::PhantomData,
            })
        }
    }

    /// Its items.
    pub fn items(&self) -> &[T] {
        if self.buffer.bytes == 0 {
            return &[];
        }
        // SAFETY: numpy aligns its arrays, and Python keeps the memory as long as the buffer is not given back.
        unsafe {
            std::slice::from_raw_parts(
                self.buffer.data.cast(),
                self.buffer.bytes as usize / std::mem::size_of::<T>(),
            )
        }
    }
}

impl<T> Drop for Array<T> {
    fn drop(&mut self) {
        // SAFETY: it was taken once.
        unsafe { PyBuffer_Release(&mut self.buffer) };
    }
}

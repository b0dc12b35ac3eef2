"""The native kernels: finds and checks libgpiorig_native.so. The module that calls a kernel declares it."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable
from ctypes import c_int64, c_uint32
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.errors import CaptureError, NativeError

ABI = 5  # capture/native/src/ffi/mod.rs
LIBRARY = "libgpiorig_native.so"
OVERRIDE = "GPIORIG_NATIVE"


@functools.cache
def library() -> ctypes.CDLL:
    """Load the native library, once.

    Raises
    ------
    NativeError
        It is absent, or was built from other sources than this package.
    """
    path = Path(os.environ.get(OVERRIDE) or Path(__file__).with_name(LIBRARY))
    if not path.is_file():
        raise NativeError(
            "the native library is missing",
            where=path,
            remedy=f"run `make native` in the gpiorig checkout, or set {OVERRIDE} to its path",
        )
    try:
        loaded = ctypes.CDLL(str(path))
        loaded.gpiorig_abi.restype = c_uint32
        loaded.gpiorig_abi.argtypes = ()
        abi = loaded.gpiorig_abi()
    except (OSError, AttributeError) as error:
        raise NativeError(f"not a usable library: {error}", where=path, remedy="run `make native`") from error
    if abi != ABI:
        raise NativeError(f"has interface {abi}, this package needs {ABI}", where=path, remedy="run `make native`")
    return loaded


def kernel(name: str, *argument_types: Any) -> Callable[..., int]:
    """Return a kernel of the library, which takes these types and returns an int64: a result, or an error number.

    Parameters
    ----------
    name
        The C function.
    argument_types
        ctypes types of its parameters.
    """
    function = library()[name]
    function.restype, function.argtypes = c_int64, argument_types
    return function


def checked(result: int) -> int:
    """Return a kernel's result, or raise when it is an error number."""
    if result >= 0:
        return result
    what = "panicked" if result == -1 else "refused its arguments"
    raise NativeError(f"a native kernel {what}", remedy="this is a fault of gpiorig: please report it")


def column(values: Any, dtype: type[np.generic], *, name: str, count: int | None = None) -> NDArray[Any]:
    """Return an array that a kernel may read: of this type, of one dimension, without holes.

    A kernel gets an address and a length. Each array that comes from outside passes through here first, so that one
    that is shorter than another, or holds something else, is an error and no fault of memory.

    Parameters
    ----------
    values
        The array; a copy is made only of one with holes, such as every second row of another.
    dtype
        What its elements are; nothing is converted.
    name
        What it holds, as text.
    count
        Elements that it must have; None: any number.

    Raises
    ------
    CaptureError
        It is another one.
    """
    expected = np.dtype(dtype)
    length = "n" if count is None else count
    remedy = f"give an array of {expected.name} of shape ({length},)"
    if not isinstance(values, np.ndarray):
        raise CaptureError(f"{name} are of type {type(values).__name__}", remedy=remedy)
    if values.dtype != expected or values.ndim != 1 or count not in (None, values.size):
        raise CaptureError(f"{name} are {values.dtype.name} of shape {values.shape}", remedy=remedy)
    return np.ascontiguousarray(values)


def number(value: int, *, name: str, low: int, high: int) -> int:
    """Return an integer that a kernel may take; ctypes would cut off what does not fit.

    Parameters
    ----------
    value
        The number.
    name
        What it is, as text.
    low, high
        The least and the greatest one.

    Raises
    ------
    CaptureError
        It is beyond them.
    """
    if not low <= value <= high:
        raise CaptureError(f"{name} {value} is out of range", remedy=f"give {low} to {high}")
    return value


class Buffer:
    """Memory that a kernel reads or writes again and again: its address is taken once.

    Parameters
    ----------
    dtype
        What its elements are.
    size
        How many it has.

    Attributes
    ----------
    array
        The elements.
    size
        How many.
    width
        Bytes of each.
    """

    def __init__(self, dtype: type[np.generic], size: int) -> None:
        self.array: NDArray[Any] = np.empty(size, dtype=dtype)
        self.size, self.width, self._address = size, self.array.itemsize, self.array.ctypes.data

    def address(self, start: int, count: int) -> int:
        """Return the address of `count` elements from `start` on.

        Raises
        ------
        CaptureError
            Not all of them are in the buffer.
        """
        if start < 0 or count < 0 or start + count > self.size:
            raise CaptureError(f"elements {start} to {start + count} of a buffer of {self.size}")
        return self._address + start * self.width

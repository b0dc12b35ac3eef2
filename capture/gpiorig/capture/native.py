"""The native kernels: finds, checks and declares libgpiorig_native.so. The public functions are elsewhere."""

from __future__ import annotations

import ctypes
import functools
import os
from ctypes import POINTER, c_int64, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from pathlib import Path

from gpiorig.capture.errors import NativeError

ABI = 1  # capture/native/src/lib.rs
LIBRARY = "libgpiorig_native.so"
OVERRIDE = "GPIORIG_NATIVE"


class EdgeState(ctypes.Structure):
    """`edges::State` of the crate."""

    _fields_ = (
        ("position", c_int64),
        ("level", c_uint64),
        ("mask", c_uint64),
        ("unit", c_uint32),
        ("started", c_uint32),
        ("tail_length", c_uint32),
        ("reserved", c_uint32),
        ("tail", c_uint8 * 8),
    )


class BusState(ctypes.Structure):
    """`bus::State` of the crate."""

    _fields_ = (
        ("frame_gap", c_int64),
        ("last", c_int64),
        ("first", c_int64),
        ("symbols", c_int64),
        ("bits", c_uint64),
        ("level", c_uint64),
        ("strobe", c_uint32),
        ("width", c_uint32),
        ("started", c_uint32),
        ("pending", c_uint32),
        ("data", c_uint8 * 8),
        ("known", c_uint8 * 256),
    )


class BusOutput(ctypes.Structure):
    """`BusOutput` of the crate."""

    _fields_ = (
        ("samples", c_void_p),
        ("codes", c_void_p),
        ("ids", c_void_p),
        ("damaged_samples", c_void_p),
        ("damaged_symbols", c_void_p),
        ("capacity", c_size_t),
        ("events", c_size_t),
        ("damaged", c_size_t),
    )


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
    loaded.gpiorig_edges_feed.restype = c_int64
    loaded.gpiorig_edges_feed.argtypes = (
        POINTER(EdgeState),
        c_void_p,
        c_size_t,
        c_void_p,
        c_void_p,
        c_size_t,
        POINTER(c_size_t),
    )
    loaded.gpiorig_bus_feed.restype = c_int64
    loaded.gpiorig_bus_feed.argtypes = (POINTER(BusState), c_void_p, c_void_p, c_size_t, POINTER(BusOutput))
    loaded.gpiorig_bus_finish.restype = c_int64
    loaded.gpiorig_bus_finish.argtypes = (POINTER(BusState), POINTER(BusOutput))
    return loaded


def checked(result: int) -> int:
    """Return a kernel's result, or raise when it is an error number."""
    if result >= 0:
        return result
    what = "panicked" if result == -1 else "refused its arguments"
    raise NativeError(f"a native kernel {what}", remedy="this is a fault of gpiorig: please report it")

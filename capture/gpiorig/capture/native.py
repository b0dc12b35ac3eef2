"""The native kernels: finds and checks libgpiorig_native.so. The module that calls a kernel declares it."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Callable
from ctypes import c_int64, c_uint32
from pathlib import Path
from typing import Any

from gpiorig.capture.errors import NativeError

ABI = 2  # capture/native/src/ffi/mod.rs
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

"""Large arrays in files without a name, mapped: the system can have their memory back, and reads them again.

An array is an array, whatever its size: those of short recordings are in memory, and nothing else differs. The files
are where ``TMPDIR`` says, else in ``/var/tmp``, which is on a disk where ``/tmp`` is in memory; they vanish with the
arrays, however the process ends. Where there is no room for one, the array is in memory.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import mmap
import os
import tempfile
import threading
import time
import weakref
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Item = TypeVar("Item", bound=np.generic)
Stage = TypeVar("Stage")

LARGE = 4 << 20  # bytes from which an array is mapped
RESIDENT = 64 << 20  # bytes of mapped files in memory beyond which `relieve` gives them back
_FOLDER = "/var/tmp"  # for large and longer-lived temporary files: Filesystem Hierarchy Standard 3.0, 5.15
_LOOK_S = 0.01  # in which a loop touches some tens of MB
_PIECE = 16 << 20  # bytes that are copied at once
_STATM, _STATM_BYTES = Path("/proc/self/statm"), 256  # proc(5): its third number is the pages of files in memory


class _Maps:
    """All mapped files, and how much of files was in memory when they were given back last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._maps: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()
        self._least = 0
        self._looked_s = 0.0

    def add(self, area: mmap.mmap) -> None:
        with self._lock:
            self._maps.add(area)

    def relieve_now_and_then(self) -> None:
        now_s = time.monotonic()
        if now_s - self._looked_s >= _LOOK_S:
            self._looked_s = now_s
            self.relieve(RESIDENT)

    def relieve(self, beyond: int) -> None:
        with self._lock:
            if not self._maps or _resident() <= self._least + beyond:
                return
            for area in self._maps:
                area.madvise(mmap.MADV_DONTNEED)  # of a shared file: what was written stays in it
            self._least = _resident()


_MAPS = _Maps()


def zeros(shape: int | tuple[int, ...], dtype: type[Item]) -> NDArray[Item]:
    """An array of zeros, as `numpy.zeros`."""
    size = math.prod(np.atleast_1d(shape).tolist()) * np.dtype(dtype).itemsize
    if size >= LARGE:
        with contextlib.suppress(OSError), tempfile.TemporaryFile(dir=_folder()) as file:
            os.posix_fallocate(file.fileno(), 0, size)  # else writing to the array would end the process on a full disk
            area = mmap.mmap(file.fileno(), size)
            _MAPS.add(area)
            return np.frombuffer(area, dtype).reshape(shape)
    return np.zeros(shape, dtype)


def full(shape: int | tuple[int, ...], value: int, dtype: type[Item]) -> NDArray[Item]:
    """An array of one value, as `numpy.full`."""
    values = zeros(shape, dtype)
    values[...] = value
    return values


def stored(values: NDArray[Item]) -> NDArray[Item]:
    """The same array, mapped if it is large and has memory of its own."""
    if values.nbytes < LARGE or not values.flags.c_contiguous or _is_mapped(values):
        return values
    copy = zeros(values.shape, values.dtype.type)
    _copy(copy, values)
    return copy


def settled(stage: Stage) -> Stage:
    """The same dataclass with its arrays `stored`, those in tuples, too."""
    assert dataclasses.is_dataclass(stage)
    fields = {field.name: getattr(stage, field.name) for field in dataclasses.fields(stage)}
    changed: dict[str, Any] = {name: stored(value) for name, value in fields.items() if isinstance(value, np.ndarray)}
    for name, value in fields.items():
        if isinstance(value, tuple) and value and all(isinstance(item, np.ndarray) for item in value):
            changed[name] = tuple(map(stored, value))
    return dataclasses.replace(stage, **changed)  # type: ignore[type-var, unused-ignore]


class Growing(Generic[Item]):
    """A column that grows by its parts."""

    def __init__(self, dtype: type[Item]) -> None:
        self._dtype = dtype
        self._values, self._count = zeros(0, dtype), 0

    def append(self, part: NDArray[Item]) -> None:
        """Put a part behind all others."""
        count = self._count + len(part)
        if count > len(self._values):
            before, self._values = self._values[: self._count], zeros(max(count, 2 * len(self._values)), self._dtype)
            _copy(self._values, before)
        self._values[self._count : count] = part
        self._count = count

    def take(self) -> NDArray[Item]:
        """All parts, which are released."""
        values = self._values[: self._count]
        self._values, self._count = zeros(0, self._dtype), 0
        return values


def relieve(*, beyond: int = RESIDENT) -> None:
    """Give the pages of all mapped arrays back to the system where they are more than `beyond` bytes."""
    _MAPS.relieve(beyond)


def relieve_now_and_then() -> None:
    """The same, if some time has passed: for loops over small slices, in which to look takes a tenth of the time."""
    _MAPS.relieve_now_and_then()


def _copy(to: NDArray[Item], values: NDArray[Item]) -> None:
    """Copy piece by piece, so that neither array is in memory as a whole."""
    rows = max(1, len(values) * _PIECE // max(1, values.nbytes))
    for start in range(0, len(values), rows):
        piece = values[start : start + rows]
        to[start : start + len(piece)] = piece
        relieve()


def _is_mapped(values: NDArray[Any]) -> bool:
    base: Any = values
    while isinstance(base, np.ndarray):
        base = base.base
    return isinstance(base, memoryview) and isinstance(base.obj, mmap.mmap)


def _folder() -> str | None:
    return None if "TMPDIR" in os.environ or not os.access(_FOLDER, os.W_OK) else _FOLDER


def _resident() -> int:
    """Bytes of files that are in memory, libraries included."""
    try:
        with _STATM.open("rb", buffering=0) as file:
            return int(file.read(_STATM_BYTES).split()[2]) * mmap.PAGESIZE
    except OSError:
        return 0

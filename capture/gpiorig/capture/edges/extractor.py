"""From a stream of samples to edges."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_int64, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture import native
from gpiorig.capture.errors import CaptureError

ALL_CHANNELS = 2**64 - 1
MAX_CAPACITY = 1 << 32


class EdgeState(ctypes.Structure):
    """`edges::State` of the native crate."""

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


class EdgeExtractor:
    """Turns samples, in blocks of any size, into edges; keeps cut samples and the last levels between blocks.

    Parameters
    ----------
    unitsize
        Bytes per sample, 1 to 8, little endian, bit i is channel i.
    used
        Mask of the channels in use: bit i for channel i. Other channels make no edges and read 0.
    capacity
        Edges per kernel call; a block with more takes several calls.
    """

    def __init__(self, *, unitsize: int, used: int = ALL_CHANNELS, capacity: int = 1 << 16) -> None:
        if not 1 <= unitsize <= 8:
            raise CaptureError(f"samples of {unitsize} bytes are not supported", remedy="1 to 8 bytes are")
        if not 0 <= used <= ALL_CHANNELS:
            raise CaptureError(f"{used:#x} is not a mask of at most 64 channels")
        native.number(capacity, name="a capacity of", low=1, high=MAX_CAPACITY)
        self._feed = native.kernel(
            "gpiorig_edges_feed",
            *(POINTER(EdgeState), c_void_p, c_size_t, c_void_p, c_void_p, c_size_t, POINTER(c_size_t)),
        )
        self._state = EdgeState(mask=used, unit=unitsize)
        self._samples = np.empty(capacity, dtype=np.int64)
        self._levels = np.empty(capacity, dtype=np.uint64)

    @property
    def samples_seen(self) -> int:
        """Complete samples read so far; also the number of the next one."""
        return int(self._state.position)

    @property
    def tail_bytes(self) -> int:
        """Bytes of a sample that is not complete yet."""
        return int(self._state.tail_length)

    def lose(self, samples: int) -> None:
        """Count this number of samples that are not there; the one after them counts as an edge."""
        self._state.position += samples
        self._state.started = 0

    def feed(self, data: bytes | bytearray | memoryview) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """Read the next block of the stream.

        Parameters
        ----------
        data
            Samples, as bytes; need not end at a sample's end.

        Returns
        -------
        samples
            int64, shape (n,): sample numbers of the edges in this block. The very first sample counts as one,
            and that after lost ones.
        levels
            uint64, shape (n,): levels from that sample on, channels in use only.
        """
        if memoryview(data).itemsize != 1:
            what = f"samples in elements of {memoryview(data).itemsize} bytes"
            raise CaptureError(what, remedy="give them as bytes: `array.tobytes()`")
        raw = np.frombuffer(data, dtype=np.uint8)
        parts: list[tuple[NDArray[np.int64], NDArray[np.uint64]]] = []
        consumed = ctypes.c_size_t()
        at = 0
        while at < raw.size or not parts:
            count = native.checked(
                self._feed(
                    ctypes.byref(self._state),
                    raw.ctypes.data + at,
                    raw.size - at,
                    self._samples.ctypes.data,
                    self._levels.ctypes.data,
                    self._samples.size,
                    ctypes.byref(consumed),
                )
            )
            parts.append((self._samples[:count].copy(), self._levels[:count].copy()))
            at += consumed.value
        if len(parts) == 1:
            return parts[0]
        return np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts])

"""The symbol bus of docs/reference/line-code.md, decoded from edges."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from ctypes import POINTER, c_int64, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture import native
from gpiorig.capture.edges.edges import MAX_CHANNELS
from gpiorig.capture.errors import CaptureError

WIDTHS = (1, 2, 4, 8)
CODES = range(1, 128)
ID_FOLLOWS = 0x80
BLOCK = 1 << 15  # edges per kernel call: the arrays it writes to stay in cache


class BusState(ctypes.Structure):
    """`bus::State` of the native crate."""

    _fields_ = (
        ("frame_gap", c_int64),
        ("settle", c_int64),
        ("last", c_int64),
        ("resumed", c_int64),
        ("first", c_int64),
        ("symbols", c_int64),
        ("bits", c_uint64),
        ("level", c_uint64),
        ("strobe", c_uint32),
        ("width", c_uint32),
        ("started", c_uint32),
        ("lossy", c_uint32),
        ("pending", c_uint32),
        ("data", c_uint8 * 8),
        ("known", c_uint8 * 256),
    )


class BusOutput(ctypes.Structure):
    """`BusOutput` of the native crate."""

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


@dataclass(frozen=True, slots=True)
class BusLines:
    """Channels of a symbol bus.

    Attributes
    ----------
    strobe
        Channel number of the strobe.
    data
        Channel numbers of the data lines, line 0 (the least significant) first; 1, 2, 4 or 8 of them.
    frame_gap_samples
        A strobe edge this many samples after the last one, or later, opens a frame.
    settle_samples
        Data lines are read this many samples after a strobe edge, or at the next one if that comes first: as many as
        one sample of the analyzer that saw them takes, so that a skew of one of its samples does no harm.
    """

    strobe: int
    data: tuple[int, ...]
    frame_gap_samples: int
    settle_samples: int = 1

    def __post_init__(self) -> None:
        """Refuse a bus that cannot be."""
        lines = (self.strobe, *self.data)
        if len(self.data) not in WIDTHS:
            raise CaptureError(f"a symbol bus of {len(self.data)} data lines", remedy="use 1, 2, 4 or 8")
        if len(set(lines)) != len(lines) or not all(0 <= line < MAX_CHANNELS for line in lines):
            raise CaptureError(f"the channels {lines} are not different numbers below {MAX_CHANNELS}")
        if self.frame_gap_samples < 2:
            raise CaptureError(
                f"a frame gap of {self.frame_gap_samples} samples", remedy="capture at a higher samplerate"
            )
        if self.settle_samples < 1:
            raise CaptureError(
                f"data lines read {self.settle_samples} samples after the strobe", remedy="use 1 or more"
            )


@dataclass(frozen=True, slots=True, eq=False)
class BusFrames:
    """Frames of one symbol bus.

    Attributes
    ----------
    samples
        int64, shape (n,), increasing: strobe edge of the first symbol of each event.
    codes
        uint8, shape (n,): event code, 1 to 127.
    ids
        int32, shape (n,): 16-bit id, or -1 for an event without.
    damaged_samples
        int64, shape (m,), increasing: first strobe edge of each damaged frame.
    damaged_symbols
        int64, shape (m,): symbols in it.
    """

    samples: NDArray[np.int64]
    codes: NDArray[np.uint8]
    ids: NDArray[np.int32]
    damaged_samples: NDArray[np.int64]
    damaged_symbols: NDArray[np.int64]


class BusDecoder:
    """Decodes one bus from blocks of edges; a frame may span blocks.

    Parameters
    ----------
    lines
        The channels of the bus and its frame gap.
    codes
        Known event codes; a frame with another one is damaged. None: every code from 1 to 127.
    """

    def __init__(self, lines: BusLines, *, codes: Iterable[int] | None = None) -> None:
        native.number(lines.frame_gap_samples, name="a frame gap of", low=2, high=2**63 - 1)
        self._feed = native.kernel(
            "gpiorig_bus_feed", POINTER(BusState), c_void_p, c_void_p, c_size_t, POINTER(BusOutput)
        )
        self._finish = native.kernel("gpiorig_bus_finish", POINTER(BusState), POINTER(BusOutput))
        self._output = _Output(BLOCK + 1)
        self._state = BusState(
            frame_gap=lines.frame_gap_samples,
            settle=lines.settle_samples,
            strobe=lines.strobe,
            width=len(lines.data),
        )
        for line, channel in enumerate(lines.data):
            self._state.data[line] = channel
        for code in CODES if codes is None else codes:
            if code not in CODES:
                raise CaptureError(
                    f"{code} is not an event code", remedy="codes are 1 to 127 (docs/reference/line-code.md)"
                )
            self._state.known[code] = self._state.known[code | ID_FOLLOWS] = 1

    def feed(self, samples: NDArray[np.int64], levels: NDArray[np.uint64]) -> BusFrames:
        """Decode the next edges; the frame still open at their end comes with a later call.

        Parameters
        ----------
        samples
            int64, shape (n,): sample numbers, increasing from call to call.
        levels
            uint64, shape (n,): levels from there on. The very first row gives the levels at rest.
        """
        samples = native.column(samples, np.int64, name="samples")
        levels = native.column(levels, np.uint64, name="levels", count=samples.size)
        parts = []
        for at in range(0, samples.size, BLOCK):
            count = min(BLOCK, samples.size - at)
            native.checked(
                self._feed(
                    ctypes.byref(self._state),
                    samples.ctypes.data + 8 * at,
                    levels.ctypes.data + 8 * at,
                    count,
                    ctypes.byref(self._output.header),
                )
            )
            parts.append(self._output.frames())
        return parts[0] if len(parts) == 1 else joined(parts)

    @property
    def open_since(self) -> int | None:
        """First strobe edge of the frame that is still open, None if there is none."""
        return self._state.first if self._state.symbols else None

    def settle(self, end: int) -> BusFrames:
        """Decode the frame that is still open if it is over: all edges before sample `end` were fed."""
        if not self._state.symbols or end - self._state.last < self._state.frame_gap:
            return joined([])
        frames = self.finish()
        self._state.started = 1  # nothing is missing: the levels stay in force
        return frames

    def finish(self) -> BusFrames:
        """Decode the frame that is still open: the capture ends, or samples are missing from here on.

        Afterwards the decoder can be fed again, beginning with the levels after the missing samples.
        """
        native.checked(self._finish(ctypes.byref(self._state), ctypes.byref(self._output.header)))
        return self._output.frames()


def joined(parts: list[BusFrames]) -> BusFrames:
    """Put the frames of consecutive blocks together."""
    if not parts:
        return _Output(0).frames()
    names = [field.name for field in fields(BusFrames)]
    return BusFrames(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


class _Output:
    """Arrays that the kernel writes to, and the structure that points to them."""

    def __init__(self, capacity: int) -> None:
        events = (np.empty(capacity, dtype=kind) for kind in (np.int64, np.uint8, np.int32))
        self._arrays = [*events, *np.empty((2, capacity), dtype=np.int64)]
        self.header = BusOutput(*(array.ctypes.data for array in self._arrays), capacity)

    def frames(self) -> BusFrames:
        counts = [self.header.events] * 3 + [self.header.damaged] * 2
        return BusFrames(*(array[:count].copy() for array, count in zip(self._arrays, counts, strict=True)))

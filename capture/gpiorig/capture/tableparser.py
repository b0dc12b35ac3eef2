"""The rows of a text table, line by line: where its columns are, and what its rows say.

A row has a time, and either a column for each channel or a channel and its level.
"""

from __future__ import annotations

import ctypes
from collections.abc import Generator, Iterator
from ctypes import POINTER, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture import native
from gpiorig.capture.changes import Changes
from gpiorig.capture.errors import FormatError

IGNORED, TIME, LEVEL, KEY = -1, -2, -3, -4  # roles of columns beside bit numbers: capture/native/src/table.rs
PIECE_BYTES = 1 << 20
LONGEST_LINE = 1 << 20  # a file without line ends is no table
KEYS_BYTES = 1 << 20  # room for the names of channels
FAULTS = {
    1: ("a time is no number and no date", "correct the line, or name the time's column with --columns time=NAME"),
    2: ("a time has more digits than the file had before", "was it changed while it was read?"),
    3: (
        "a time does not fit into 64 bits at the resolution of the file",
        "give the --samplerate of the capture, and times are put on its samples",
    ),
    4: ("a level is not 0, 1, x, z, low or high", "correct the line, or name the columns with --columns or --channels"),
    5: ("columns are missing", "the file was cut short, or --columns does not fit"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where things are in a table.

    Attributes
    ----------
    roles
        What each column holds: the bit of a channel, IGNORED, TIME, LEVEL or KEY (two KEYs are a node and its pin).
    channels
        Name of each channel; found in the rows where there are KEYs.
    first_byte, first_line
        Where the rows begin.
    unit
        Units of time per second, as a power of ten; times without a TIME column are numbers of rows.
    separator, comment
        Between columns; at the begin of a line that is skipped, "" for none.
    samplerate_hz
        Of the rows, or of times that count samples; 0 for times in units of time.
    offset
        What a time must be at sample 0, in units of `per_sample`.
    per_sample
        Units of time per sample, for times that count samples.
    written_hz
        Rate on whose samples the times were, where the file says so.
    epoch
        Wall-clock time of time 0, where the file says so.
    levels_from_first
        A channel was at the level of its first row before that row, too; otherwise it was low.
    """

    roles: tuple[int, ...]
    channels: tuple[str, ...] = ()
    first_byte: int = 0
    first_line: int = 0
    unit: int = 0
    separator: str = ","
    comment: str = ""
    samplerate_hz: Fraction = Fraction(0)
    offset: int = 0
    per_sample: int = 1
    written_hz: Fraction | None = None
    epoch: str = ""
    levels_from_first: bool = False


class _State(ctypes.Structure):
    """`table::State` of the native crate."""

    _fields_ = (
        ("digits", c_int32),
        *((name, c_uint32) for name in ("separator", "comment", "scanning")),
        ("base_high", c_int64),
        ("base_low", c_uint64),
        *((name, c_int64) for name in ("numerator", "denominator", "line", "rows", "finest", "off_grid")),
        *((name, c_int64) for name in ("consumed", "fault")),
    )


class TableParser:
    """One reading of a table, or of a part of it."""

    def __init__(self, path: Path, layout: Layout, *, scanning: bool, digits: int, piece_bytes: int = PIECE_BYTES):
        kernel_types = (c_void_p, c_size_t) * 4  # data, roles, bits, keys
        self._feed = native.kernel(
            "gpiorig_table_feed", POINTER(_State), *kernel_types, POINTER(c_size_t), *(c_void_p,) * 5, c_size_t
        )
        self.path, self.layout, self.piece_bytes = path, layout, piece_bytes
        self.state = _State(
            digits=digits,
            separator=ord(layout.separator),
            comment=ord(layout.comment or "\0"),
            scanning=scanning,
            numerator=1,
            denominator=1,
            line=layout.first_line,
        )
        self.bits = np.empty(0, dtype=np.int32)
        self._roles = np.array(layout.roles, dtype=np.int32)
        self._keys = ctypes.create_string_buffer(KEYS_BYTES)
        self._keys_length = c_size_t(0)

    @property
    def keys(self) -> tuple[str, ...]:
        """Names of the channels in the rows so far."""
        text = self._keys.raw[: self._keys_length.value].decode(errors="replace")
        return tuple(text.split("\n")[:-1])

    def know(self, keys: tuple[str, ...], bits: list[int]) -> None:
        """Set the channels that the rows name, and their bits; -1 for one that is left out."""
        text = "".join(f"{key}\n" for key in keys).encode()
        ctypes.memmove(self._keys, text, len(text))
        self._keys_length.value = len(text)
        self.bits = np.array(bits, dtype=np.int32)

    def pieces(self, start: int, end: int) -> Iterator[tuple[Changes, NDArray[np.int64]]]:
        """Yield what the lines of a part of the file say, and the offsets of those lines."""
        with self.path.open("rb") as file:
            file.seek(start)
            at, rest = start, b""
            while data := _more(file, end, self.piece_bytes):
                text = rest + data
                used = yield from self._lines(text, at)
                at, rest = at + used, text[used:]
                if len(rest) > LONGEST_LINE:
                    raise FormatError(
                        f"has a line of more than {LONGEST_LINE} bytes", where=self._where(), remedy="is it a table?"
                    )
            if rest:
                yield from self._lines(rest + b"\n", at)

    def _lines(self, text: bytes, at: int) -> Generator[tuple[Changes, NDArray[np.int64]], None, int]:
        used = 0
        raw = np.frombuffer(text, dtype=np.uint8)
        capacity = max(len(text) // 4, 1)
        while used < len(text):
            times, offsets = np.empty(capacity, dtype=np.int64), np.empty(capacity, dtype=np.int64)
            masks, values, unknown = (np.empty(capacity, dtype=np.uint64) for _ in range(3))
            count = native.checked(
                self._feed(
                    ctypes.byref(self.state),
                    *(raw.ctypes.data + used, raw.size - used),
                    *(self._roles.ctypes.data, self._roles.size),
                    *(self.bits.ctypes.data, self.bits.size),
                    *(ctypes.addressof(self._keys), KEYS_BYTES, ctypes.byref(self._keys_length)),
                    *(array.ctypes.data for array in (times, masks, values, unknown, offsets)),
                    capacity,
                )
            )
            if count:
                yield (
                    Changes(times[:count], masks[:count], values[:count], unknown[:count]),
                    offsets[:count] + at + used,
                )
            if self.state.fault:
                what, remedy = FAULTS[self.state.fault]
                raise FormatError(what, where=self._where(), remedy=remedy)
            if not self.state.consumed:
                break
            used += self.state.consumed
        return used

    def _where(self) -> str:
        return f"{self.path}, line {self.state.line}"


def _more(file: BinaryIO, end: int, size: int) -> bytes:
    return file.read(min(size, max(end - file.tell(), 0)))

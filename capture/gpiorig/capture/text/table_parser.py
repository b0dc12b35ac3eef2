"""The rows of a text table, line by line: where its columns are, and the changes in its rows.

A row has a time, and either a column for each channel, or a channel and its level, or all levels in one field.
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Generator, Iterator
from ctypes import POINTER, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture import native
from gpiorig.capture.edges.changes import Changes
from gpiorig.capture.errors import FormatError

# Roles of columns other than bit numbers: capture/native/src/table.rs.
IGNORED, TIME, LEVEL, KEY, PORT, GROUP = -1, -2, -3, -4, -5, -6
NEW_KEYS, DROP_DIGITS = 1, 2  # bits of its State.scanning
BLOCK_BYTES = 1 << 20
MAX_LINE_BYTES = 1 << 20  # a file without line ends is not a table
KEYS_BYTES = 1 << 20  # room for the names of channels
MAX_DIGITS = 18  # after the point of seconds; those beyond are dropped (a float64 that Python prints may have 21)
TOO_LARGE = 3  # of FAULTS
CLOSING_BYTES = 4096  # longest end of a file that may be something else than a row
FAULTS = {
    1: ("a time is neither a number nor a date", "correct the line, or name the column with --columns time=NAME"),
    2: ("a time has more digits than the file had before", "was it changed while it was read?"),
    3: (
        "a time does not fit into 64 bits at the resolution of the file",
        "give the rate of the capture, for instance --samplerate 24MHz, and times are put on its samples",
    ),
    4: ("a level is not 0, 1, x, z, low or high", "correct the line, or name the columns with --columns or --channels"),
    5: ("columns are missing", "the file was cut short, or --columns does not fit"),
    6: (
        "the name of a channel is empty, not UTF-8, or has control characters",
        "correct the line, or name the columns",
    ),
    7: (
        f"there are more than 4096 names of channels, or more than {KEYS_BYTES} bytes of them",
        "is it the column of the channels? name it, such as --columns channel=pin,level=state",
    ),
    8: ("the levels of a port are not the bits of the first row", "correct the line, or cut the file before it"),
    9: ("the number of a group is not an integer", "correct the line, or name its column: --columns group=NAME"),
    10: ("there are more fields than columns", "correct the line: a separator too many, or two lines in one"),
    11: ("a time is a date where those before are numbers, or a number among dates", "correct the line"),
}
# What programs and people put after the last row: empty fields, a word alone, the Ctrl-Z of CP/M and DOS.
CLOSING = re.compile(r'[\s,;|"\x1a]*([A-Za-z]{2}[A-Za-z ]*)?[\s,;|"\x1a]*')


class Before(Enum):
    """Level of a channel before its first row."""

    LOW = "low"
    FIRST = "that of the row"
    OPPOSITE = "the other one: the row is an edge"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where things are in a table.

    Attributes
    ----------
    roles
        What each column holds: the bit of a channel, IGNORED, TIME, LEVEL, KEY (two KEYs are a node and its pin), PORT
        (all channels, the last digit is bit 0) or GROUP (a number that all rows of an interval share: each has times of
        its own, and nothing is known between two of them).
    channels
        Name of each channel; found in the rows where there are KEYs.
    first_byte, first_line
        Where the rows begin.
    unit
        Units of time per second, as a power of ten; times without a TIME column are numbers of rows.
    separator, comment
        Between columns; at the start of a line that is skipped, "" for none.
    samplerate_hz
        Of the rows, or of times that count samples; 0 for times in units of time.
    offset
        What a time must be at sample 0, in units of `per_sample`.
    per_sample
        Units of time per sample, for times that count samples.
    written_hz
        Rate on whose samples the times were, where the file states so.
    epoch
        Wall-clock time of time 0, where the file states so.
    virtual
        As of Waveform.
    before
        Level of a channel before its first row.
    open_ended
        As of Waveform.
    columns
        How many fields a row has at most, but for empty ones; 0: any number.
    remarks
        What was assumed to find all this, as text.
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
    virtual: bool | None = None
    before: Before = Before.LOW
    open_ended: bool = False
    columns: int = 0
    remarks: tuple[str, ...] = ()


class _State(ctypes.Structure):
    """`table::State` of the native crate."""

    _fields_ = (
        ("digits", c_int32),
        *((name, c_uint32) for name in ("separator", "comment", "scanning", "columns", "times")),
        ("base_high", c_int64),
        ("base_low", c_uint64),
        *((name, c_int64) for name in ("numerator", "denominator", "line", "rows", "finest", "off_grid")),
        *((name, c_int64) for name in ("consumed", "fault")),
    )


class Slice(NamedTuple):
    """Some rows of a table.

    Attributes
    ----------
    changes
        A change for each row.
    offsets
        int64, shape (n,): where each row begins in the file.
    groups
        int64, shape (n,): the group of each row; empty where the table has none.
    """

    changes: Changes
    offsets: NDArray[np.int64]
    groups: NDArray[np.int64]


class TableParser:
    """One reading of a table, or of a part of it."""

    def __init__(self, path: Path, layout: Layout, *, scanning: int, digits: int, block_bytes: int = BLOCK_BYTES):
        kernel_types = (c_void_p, c_size_t) * 4  # data, roles, bits, keys
        self._feed = native.kernel(
            "gpiorig_table_feed",
            *(POINTER(_State), *kernel_types, POINTER(c_size_t), *(c_void_p,) * 5, c_size_t, c_void_p, c_size_t),
        )
        self.path, self.layout, self.block_bytes = path, layout, block_bytes
        self.end, self.closing = 0, ""  # where the rows end, and what is after them
        self.state = _State(
            digits=digits,
            separator=ord(layout.separator),
            comment=ord(layout.comment or "\0"),
            scanning=scanning,
            columns=layout.columns,
            numerator=1,
            denominator=1,
            line=layout.first_line,
        )
        self.bits = np.empty(0, dtype=np.int32)
        self._roles = np.array(layout.roles, dtype=np.int32)
        self._keys = ctypes.create_string_buffer(KEYS_BYTES if scanning & NEW_KEYS else 1)
        self._keys_length = c_size_t(0)

    @property
    def keys(self) -> tuple[str, ...]:
        """Names of the channels in the rows so far."""
        return tuple(self._keys.raw[: self._keys_length.value].decode().split("\n")[:-1])

    def know(self, keys: tuple[str, ...], bits: list[int]) -> None:
        """Set the channels that the rows name, and their bits; -1 for one that is omitted."""
        text = "".join(f"{key}\n" for key in keys).encode()
        if len(text) > KEYS_BYTES:
            raise FormatError(FAULTS[7][0], where=self.path, remedy=FAULTS[7][1])
        self._keys = ctypes.create_string_buffer(text)
        self._keys_length.value = len(text)
        self.bits = np.array(bits, dtype=np.int32)

    def slices(self, start: int, end: int) -> Iterator[Slice]:
        """Yield the changes of the lines of a part of the file, with the offsets and the groups of those lines."""
        self.end = end
        with self.path.open("rb") as file:
            file.seek(start)
            at, rest = start, b""
            while data := _more(file, end, self.block_bytes):
                text = rest + data
                used = yield from self._lines(text, at)
                if self.end < end:
                    return
                at, rest = at + used, text[used:]
                if len(rest) > MAX_LINE_BYTES:
                    raise FormatError(
                        f"has a line of more than {MAX_LINE_BYTES} bytes", where=self._where(), remedy="is it a table?"
                    )
            if rest:
                yield from self._lines(rest + b"\n", at)

    def _lines(self, text: bytes, at: int) -> Generator[Slice, None, int]:
        used = 0
        raw = np.frombuffer(text, dtype=np.uint8)
        capacity = max(len(text) // 4, 1)
        in_groups = GROUP in self.layout.roles
        while used < len(text):
            times, offsets = np.empty(capacity, dtype=np.int64), np.empty(capacity, dtype=np.int64)
            masks, values, unknown = (np.empty(capacity, dtype=np.uint64) for _ in range(3))
            groups = np.empty(capacity if in_groups else 0, dtype=np.int64)
            count = native.checked(
                self._feed(
                    ctypes.byref(self.state),
                    *(raw.ctypes.data + used, raw.size - used),
                    *(self._roles.ctypes.data, self._roles.size),
                    *(self.bits.ctypes.data, self.bits.size),
                    *(ctypes.addressof(self._keys), len(self._keys), ctypes.byref(self._keys_length)),
                    *(array.ctypes.data for array in (times, masks, values, unknown, offsets)),
                    *(capacity, groups.ctypes.data, groups.size),
                )
            )
            if count:
                changes = Changes(times[:count], masks[:count], values[:count], unknown[:count])
                yield Slice(changes, offsets[:count] + at + used, groups[:count])
            if self.state.fault:
                if self._is_closing(at + used + self.state.consumed):
                    return len(text)
                what, remedy = FAULTS[self.state.fault]
                if self.state.fault == TOO_LARGE:
                    remedy = self._unit_remedy(text[used + self.state.consumed :]) or remedy
                raise FormatError(what, where=self._where(), remedy=remedy)
            if not self.state.consumed:
                break
            used += self.state.consumed
        return used

    def _unit_remedy(self, text: bytes) -> str:
        """The unit in which the time of a line is a date, where it is none in seconds; "" for a time that can be."""
        fields = text.partition(b"\n")[0].decode(errors="replace").split(self.layout.separator)
        digits = len(fields[self.layout.roles.index(TIME)].strip(' "').partition(".")[0])
        unit = {13: "ms", 16: "us", 19: "ns"}.get(digits, "") if not self.layout.unit else ""
        return f"if they are since 1970, they are in {unit}: add unit={unit} to --columns" if unit else ""

    def _is_closing(self, at: int) -> bool:
        """Whether the rest from an offset on is not rows but what files end with; sets `end` and `closing`."""
        with self.path.open("rb") as file:
            file.seek(at)
            rest = file.read(CLOSING_BYTES + 1)
        lines = rest.decode(errors="replace").split("\n")
        if len(rest) > CLOSING_BYTES or not all(CLOSING.fullmatch(line) for line in lines):
            return False
        self.end = at
        words = re.sub(r'[\s,;|"\x1a]+', " ", rest.decode()).strip()
        self.closing = f"line {self.state.line} and what follows are not rows, but the end: {words or 'empty fields'}"
        return True

    def _where(self) -> str:
        return f"{self.path}, line {self.state.line}"


def _more(file: BinaryIO, end: int, size: int) -> bytes:
    return file.read(min(size, max(end - file.tell(), 0)))

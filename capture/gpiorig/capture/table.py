"""Text tables of edges: where their columns are, and how their rows become a waveform.

A row has a time, and either a column for each channel or a channel and its level. Times are read as integers of the
finest digit that the file has, so nothing is rounded; a file is read twice, since that digit may be in its last row.
"""

from __future__ import annotations

import ctypes
import datetime
import itertools
from collections.abc import Generator, Iterator
from ctypes import POINTER, c_int32, c_int64, c_size_t, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture import native
from gpiorig.capture.changes import Assembler, Changes, assembled, merged
from gpiorig.capture.errors import FormatError
from gpiorig.capture.waveform import Block, Waveform

IGNORED, TIME, LEVEL, KEY = -1, -2, -3, -4  # roles of columns beside bit numbers: capture/native/src/table.rs
PIECE_BYTES = 1 << 20
LONGEST_LINE = 1 << 20  # a file without line ends is no table
KEYS_BYTES = 1 << 20  # room for the names of channels
MOST_RUNS = 256  # pieces, each in the order of time, that a file out of order may consist of
WALL_CLOCK_S = 10**8  # times beyond are seconds since 1970: no capture takes three years
SCAN_DIGITS = 9  # times are compared to the ns in the first reading
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scan:
    """What the first reading of a table found.

    Attributes
    ----------
    keys
        Names of the channels in the rows.
    first_levels
        Level in the first row of each of them.
    known
        Mask of the channels, where they are columns, that have a level somewhere.
    digits
        Most digits behind the point.
    first_ns
        Time of the first row, in ns.
    runs
        Offsets at which rows begin that lie before their predecessor.
    rows
        Number of rows.
    """

    keys: tuple[str, ...]
    first_levels: tuple[int, ...]
    known: int
    digits: int
    first_ns: int
    runs: tuple[int, ...]
    rows: int


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


class _Parser:
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


def scan(path: Path, layout: Layout) -> Scan:
    """Read a table for the first time.

    Raises
    ------
    FormatError
        A line cannot be understood.
    """
    counted = layout.samplerate_hz > 0
    parser = _Parser(path, layout, scanning=True, digits=0 if counted else SCAN_DIGITS - layout.unit)
    has_keys = KEY in layout.roles
    firsts: dict[int, int] = {}
    runs = [layout.first_byte]
    known, rows, first_ns, last = 0, 0, 0, -(2**63)
    for found, offsets in parser.pieces(layout.first_byte, path.stat().st_size):
        if not rows:
            first_ns = int(found.times[0])
        back = (
            np.flatnonzero(np.diff(found.times, prepend=last) < 0)
            if rows
            else np.flatnonzero(np.diff(found.times) < 0) + 1
        )
        runs += [int(offset) for offset in offsets[back]]
        if len(runs) > MOST_RUNS:
            raise FormatError(
                f"goes back in time more than {MOST_RUNS} times",
                where=path,
                remedy="sort its lines by time, for instance `sort -t, -s -k1,1g`",
            )
        if has_keys:
            for key, index in zip(*np.unique(found.masks, return_index=True), strict=True):
                firsts.setdefault(int(key), int(found.values[index]))
        else:
            known |= int(np.bitwise_or.reduce(found.masks & ~found.unknown))
        rows, last = rows + found.times.size, int(found.times[-1])
    return Scan(
        keys=parser.keys,
        first_levels=tuple(firsts[index] for index in sorted(firsts)),
        known=known,
        digits=max(int(parser.state.finest), 0),
        first_ns=first_ns,
        runs=tuple(runs),
        rows=rows,
    )


def waveform(
    path: Path, layout: Layout, found: Scan, *, samplerate_hz: Fraction | None, channels: tuple[str, ...], source: str
) -> Waveform:
    """Return a table as a waveform.

    Parameters
    ----------
    path
        The file.
    layout
        Where things are in it.
    found
        What the first reading found.
    samplerate_hz
        Put times on the nearest sample of this rate; None for the resolution of the times.
    channels
        Which channels, of `layout.channels` or of the keys.
    source
        As of Waveform.
    """
    counted = layout.samplerate_hz > 0
    resolution = layout.samplerate_hz if counted else Fraction(10) ** (layout.unit + found.digits)
    rate = resolution if counted else samplerate_hz or resolution
    wall = not counted and abs(found.first_ns) >= WALL_CLOCK_S * 10**9
    second = found.first_ns // 10**9 if wall else 0
    if counted:
        base, scale = layout.offset, Fraction(1, layout.per_sample)
    else:
        base, scale = second * int(resolution), rate / resolution
    remarks: list[str] = []
    names = found.keys or layout.channels
    bits = [channels.index(name) if name in channels else -1 for name in names]
    levels = 0
    if layout.levels_from_first:
        levels = sum(level << bit for level, bit in zip(found.first_levels, bits, strict=True) if bit >= 0)

    def read() -> Iterator[Block]:
        remarks.clear()
        if not found.rows:
            return
        roles = layout.roles
        if not found.keys:
            roles = tuple(bits[role] if role >= 0 else role for role in roles)
        parsers = []
        bounds = (*found.runs, path.stat().st_size)
        for start, end in itertools.pairwise(bounds):
            parser = _Parser(
                path,
                replace(layout, roles=roles),
                scanning=False,
                digits=0 if counted else found.digits,
                piece_bytes=max(PIECE_BYTES // len(found.runs), 1 << 14),
            )
            parser.know(found.keys, bits)
            state = parser.state
            state.base_high, state.base_low = base >> 64, base & (2**64 - 1)
            state.numerator, state.denominator = scale.numerator, scale.denominator
            parsers.append((parser, start, end))
        sources = [(piece for piece, _ in parser.pieces(start, end)) for parser, start, end in parsers]
        assembler = Assembler(used=(1 << len(channels)) - 1, levels=levels)
        try:
            yield from assembled(merged(sources), assembler, remarks=remarks)
        except FormatError as error:
            if error.where:
                raise
            raise FormatError(error.what, where=path, remedy="was it changed while it was read?") from error
        off = sum(parser.state.off_grid for parser, _, _ in parsers)
        if off:
            remarks.append(f"{off} times are more than their last digit off the samples of {float(rate):.12g} Hz")

    if len(found.runs) > 1:
        source += f"; {len(found.runs)} pieces, put in the order of time"
    return Waveform(
        samplerate_hz=rate,
        channels=channels,
        read=read,
        epoch=iso(second) if wall else layout.epoch,
        source=source,
        remarks=remarks,
    )


def iso(second: int) -> str:
    """Return a whole second since 1970 as ISO 8601, in UTC."""
    try:
        return datetime.datetime.fromtimestamp(second, datetime.UTC).isoformat()
    except (ValueError, OverflowError) as error:
        raise FormatError(
            f"a time of {second} s since 1970 is no date", remedy="name its unit with --columns"
        ) from error

"""Text tables of edges as waveforms.

Times are read as integers of the finest digit that the file has, so nothing is rounded; a file is read twice, since
that digit may be in its last row.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from gpiorig.capture.changes import Assembler, assembled, merged
from gpiorig.capture.errors import FormatError
from gpiorig.capture.tableparser import KEY, PIECE_BYTES, Layout, TableParser
from gpiorig.capture.waveform import Block, Waveform

MOST_RUNS = 256  # pieces, each in the order of time, that a file out of order may consist of
WALL_CLOCK_S = 10**8  # times beyond are seconds since 1970: no capture takes three years
SCAN_DIGITS = 9  # times are compared to the ns in the first reading


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


def scan(path: Path, layout: Layout) -> Scan:
    """Read a table for the first time.

    Raises
    ------
    FormatError
        A line cannot be understood.
    """
    counted = layout.samplerate_hz > 0
    parser = TableParser(path, layout, scanning=True, digits=0 if counted else SCAN_DIGITS - layout.unit)
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
            parser = TableParser(
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

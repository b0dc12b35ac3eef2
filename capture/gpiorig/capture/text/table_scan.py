"""The first reading of a text table: the finest digit, the channels, and the order of its rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import numpy as np

from gpiorig.capture.edges.changes import Changes
from gpiorig.capture.edges.sample_grid import lowest_usual_hz
from gpiorig.capture.errors import FormatError
from gpiorig.capture.text.table_order import in_order
from gpiorig.capture.text.table_parser import GROUP, KEY, NEW_KEYS, Layout, TableParser

MAX_RUNS = 256  # slices, each in the order of time, that a file out of order may consist of
SCAN_DIGITS = 9  # times are compared to the ns in the first reading
GRID_DIGITS = ((9_000, 15), (9_000_000, 12))  # times up to this many s fit into 64 bits with this many digits


@dataclass(slots=True, kw_only=True, eq=False)
class Scan:
    """Contents of a table after its first reading.

    Attributes
    ----------
    keys
        Names of the channels in the rows.
    first_levels
        Level in the earliest row of each of them.
    last_rows
        Of each of them the time of the last rows, in ns, and their number.
    known
        Mask of the channels, where they are columns, that have a level somewhere.
    digits
        Most digits after the point.
    first_ns, last_ns
        Earliest and latest time; where times count samples, these.
    runs
        Offsets at which rows begin that are before their predecessor; in a table with groups only the first.
    groups
        Number of groups; 0 in a table without.
    rows
        Number of rows.
    end, closing
        Where the rows end, and what is after them, as text.
    ends_unknown
        A channel is not known after the last row, which is how tables mark the end of the capture.
    """

    keys: tuple[str, ...] = ()
    first_levels: tuple[int, ...] = ()
    last_rows: tuple[tuple[int, int], ...] = ()
    known: int = 0
    digits: int = 0
    first_ns: int = 0
    last_ns: int = 0
    runs: list[int] = field(default_factory=list)
    groups: int = 0
    rows: int = 0
    end: int = 0
    closing: str = ""
    ends_unknown: bool = False


def scan(path: Path, layout: Layout) -> Scan:
    """Read a table for the first time.

    Raises
    ------
    FormatError
        A line cannot be understood.
    """
    counted = layout.samplerate_hz > 0
    parser = TableParser(path, layout, scanning=NEW_KEYS, digits=0 if counted else SCAN_DIGITS - layout.unit)
    parser.bits = np.arange(len(layout.channels), dtype=np.int32)
    contents = Scan(runs=[layout.first_byte], end=path.stat().st_size)
    in_groups, has_keys = GROUP in layout.roles, KEY in layout.roles
    channels = _KeyedRows()
    last, group = 0, 0
    for rows, offsets, groups in parser.slices(layout.first_byte, contents.end):
        back = np.diff(rows.times, prepend=last if contents.rows else rows.times[0]) < 0
        if in_groups:
            new = np.diff(groups, prepend=group if contents.rows else groups[0]) != 0
            if np.any(back & ~new):
                raise FormatError("goes back in time within a group", where=path, remedy=in_order(path, layout))
            contents.groups += int(np.count_nonzero(new)) + (not contents.rows)
            group = int(groups[-1])
        else:
            contents.runs += offsets[back].tolist()
        if len(contents.runs) > MAX_RUNS:
            what = f"goes back in time more than {MAX_RUNS} times"
            raise FormatError(what, where=path, remedy=in_order(path, layout))
        if has_keys:
            channels.add(rows)
        else:
            contents.known |= int(np.bitwise_or.reduce(rows.masks & ~rows.unknown))
        earliest, latest, last = int(rows.times.min()), int(rows.times.max()), int(rows.times[-1])
        contents.first_ns = min(contents.first_ns, earliest) if contents.rows else earliest
        contents.last_ns = max(contents.last_ns, latest) if contents.rows else latest
        contents.rows += rows.times.size
        contents.ends_unknown = bool(rows.unknown[-1])
    contents.keys, contents.digits = parser.keys, max(int(parser.state.finest), 0)
    contents.first_levels = tuple(channels.first[key][1] for key in sorted(channels.first))
    contents.last_rows = tuple(channels.last[key] for key in sorted(channels.last))
    contents.end, contents.closing = parser.end, parser.closing
    return contents


class _KeyedRows:
    """The earliest and the last rows of each channel that the rows name."""

    def __init__(self) -> None:
        self.first: dict[int, tuple[int, int]] = {}  # time and level
        self.last: dict[int, tuple[int, int]] = {}  # time and number of rows

    def add(self, rows: Changes) -> None:
        rows = rows[np.argsort(rows.times, kind="stable")]
        keys, firsts = np.unique(rows.masks, return_index=True)
        for key, index in zip(keys.tolist(), firsts.tolist(), strict=True):
            time, level = int(rows.times[index]), int(rows.values[index])
            if key not in self.first or time < self.first[key][0]:
                self.first[key] = (time, level)
            times = rows.times[rows.masks == key]
            latest = int(times[-1])
            count = times.size - int(np.searchsorted(times, latest))
            before, known = self.last.get(key, (latest, 0))
            if latest >= before:
                self.last[key] = (latest, count + (known if latest == before else 0))


def derived_hz(path: Path, layout: Layout, contents: Scan) -> Fraction | None:
    """Return the lowest usual rate on whose samples all times of a table fall, if there is one."""
    farthest_s = max(abs(contents.first_ns), abs(contents.last_ns)) // 10**9
    most = next((digits for limit_s, digits in GRID_DIGITS if farthest_s < limit_s), 0)
    digits = min(contents.digits + layout.unit, most)
    if contents.first_ns == contents.last_ns or digits <= SCAN_DIGITS:
        return None
    parser = TableParser(path, layout, scanning=NEW_KEYS, digits=digits - layout.unit)
    parser.bits = np.arange(len(layout.channels), dtype=np.int32)
    return lowest_usual_hz((rows.times for rows, *_ in parser.slices(layout.first_byte, contents.end)), digits)

"""What can be done with a table whose rows are not in the order of time."""

from __future__ import annotations

import itertools
import shlex
from collections.abc import Sequence
from pathlib import Path

from gpiorig.capture.numbers import integer
from gpiorig.capture.text.table_head import NUMBER, fields_of, lines_of
from gpiorig.capture.text.table_parser import GROUP, IGNORED, TIME, Layout

SAMPLE_BYTES = 1 << 20  # in which a column of groups shows itself


def in_order(path: Path, layout: Layout) -> str:
    """Return the remedy: the column whose number changes wherever times begin again, or how to sort the rows."""
    rows = _rows(path, layout)
    column = groups_of(path, layout, rows)
    if column is not None:
        return f"its times begin again in each group of column {column + 1}: add group={column + 1} to --columns"
    return f"sort its rows: {_sorting(path, layout, rows)}"


def groups_of(path: Path, layout: Layout, rows: list[list[str]] | None = None) -> int | None:
    """Return the column, of those that are not in use, that seems to hold the number of a group; None without one."""
    if TIME not in layout.roles or GROUP in layout.roles:
        return None
    rows = _rows(path, layout) if rows is None else rows
    width = max(layout.columns, len(layout.roles), *map(len, rows), 0)
    free = [place for place in range(width) if place >= len(layout.roles) or layout.roles[place] == IGNORED]
    return group_column(rows, layout.roles.index(TIME), free)


def group_column(rows: list[list[str]], time: int, places: Sequence[int]) -> int | None:
    """Return the first of these columns that has integers and changes wherever times go back, if they do."""
    back = [_before(late[time], early[time]) for early, late in itertools.pairwise(rows)]
    for place in places if any(back) else ():
        if all(place < len(row) and integer(row[place].removeprefix("-")) is not None for row in rows):
            changes = [early[place] != late[place] for early, late in itertools.pairwise(rows)]
            if all(change for change, is_back in zip(changes, back, strict=True) if is_back):
                return place
    return None


def _rows(path: Path, layout: Layout) -> list[list[str]]:
    """Fields of the rows in the first part of the file."""
    with path.open("rb") as file:
        file.seek(layout.first_byte)
        head = file.read(SAMPLE_BYTES)
    lines = [text for _, text in lines_of(head[: head.rfind(b"\n") + 1], path)]
    rows = [fields_of(line, layout.separator) for line in lines if line and line[:1] != (layout.comment or None)]
    return [row for row in rows if len(row) >= len(layout.roles)]


def _before(late: str, early: str) -> bool:
    """Whether the time of a row is before that of the row above it."""
    try:
        return float(late) < float(early)
    except ValueError:  # dates, which sort as text
        return late < early


def _sorting(path: Path, layout: Layout, rows: list[list[str]]) -> str:
    """A command of the shell that puts the rows in the order of time, and leaves the header where it is."""
    time = layout.roles.index(TIME)
    is_number = all(NUMBER.match(row[time]) and ":" not in row[time] for row in rows[:1] if time < len(row))
    group = [f"-k{place + 1},{place + 1}n" for place, role in enumerate(layout.roles) if role == GROUP]
    keys = " ".join([*group, f"-k{time + 1},{time + 1}{'g' if is_number else ''}"])
    separator = "$'\\t'" if layout.separator == "\t" else shlex.quote(layout.separator)
    sort, name = f"LC_ALL=C sort -s -t{separator} {keys}", shlex.quote(str(path))
    if not layout.first_line:
        return f"`{sort} {name} > sorted.csv`"
    lines = layout.first_line
    return f"`(head -n {lines} {name}; tail -n +{lines + 1} {name} | {sort}) > sorted.csv`"

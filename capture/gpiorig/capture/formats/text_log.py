"""Logs whose lines begin with their time, or hold it in a field: what consoles, loggers and scripts write.

The kinds of times are in `text/line_times.py`. A line without a timestamp is counted.
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.errors import FormatError
from gpiorig.capture.text.line_times import DATED, INTEGERS, SECONDS, layout_of, lines_of
from gpiorig.capture.text.node_lines import BlockBuilder, NodeLines, read_blocks
from gpiorig.capture.text.table_head import table_head

SUMMARY = "log whose lines begin with their time"
SUFFIXES = (".log", ".txt")
LATE = 10
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a]")
CONTROL_SHARE = 20  # of this many bytes of text, at most one is a control code: noise of a serial line


def recognises(path: Path, head: bytes) -> bool:
    """Whether most of the first lines have a time; also where it is not clear what it means, which `read` refuses."""
    lines = lines_of(head)
    if not lines or CONTROL_SHARE * len(CONTROL.findall(head)) > len(head):
        return False
    try:
        return layout_of(path, lines, {}) is not None
    except FormatError:
        return True


def read(path: Path, options: ReadOptions) -> NodeLines:
    """Read a log; nodes are named where `options.columns` states their field."""
    lines = lines_of(table_head(path))
    layout = layout_of(path, lines, options.columns) if lines else None
    if layout is None:
        raise FormatError("has no lines that begin with a time", where=path, remedy="name its field: --columns time=2")

    def take(line: str, builder: BlockBuilder) -> None:
        parts = layout.split(line)
        if parts is None:
            builder.note("line without a timestamp" if line.strip() else "empty line")
        else:
            builder.append(*parts)

    unit = f" of {options.columns.get('unit', 's')}" if layout.kind in (SECONDS, INTEGERS) else ""
    unit = ", UTC where no zone is stated" if layout.kind is DATED else unit
    place = f"times in field {layout.place}" if layout.place > 1 else "times"
    return NodeLines(
        read=partial(read_blocks, path, take),
        resolution_ns=layout.resolution_ns,
        source=f"{path}: log with {place}: {layout.kind.name}{unit}",
    )

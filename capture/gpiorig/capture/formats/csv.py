"""State changes as a text table: what scripts and other tools write.

A header names the columns; without one, the first column is the time. A table has a column for each channel, a column
that names the channel and one with its level, or one with the levels of all. `options.columns` names what is not clear
alone.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from gpiorig.capture.edges.read_options import ReadOptions, chosen
from gpiorig.capture.edges.waveform import VIRTUAL_MARK, Waveform
from gpiorig.capture.errors import FormatError
from gpiorig.capture.printable import one_line
from gpiorig.capture.text import table
from gpiorig.capture.text.cells import guarded
from gpiorig.capture.text.table_columns import layout_of
from gpiorig.capture.text.table_head import table_head
from gpiorig.capture.text.table_parser import KEY, Layout
from gpiorig.capture.text.table_scan import Scan, scan
from gpiorig.capture.text.writer import GAP, decimal, digits_for, rows, scaler, text_file

SUMMARY = "state changes as a text table"
SUFFIXES = (".csv", ".tsv", ".txt")
LATE = 9


def recognises(path: Path, head: bytes) -> bool:
    """Whether a file is a text table with levels in it."""
    try:
        layout_of(path, head, ReadOptions(samplerate_hz=Fraction(1)))
    except FormatError:
        return False
    return bool(head)


def read(path: Path, options: ReadOptions) -> Waveform:
    """Read a table as a waveform; the resolution of its times is the samplerate, unless one is given or derived."""
    head = table_head(path)
    layout = layout_of(path, head, options)
    return read_table(path, layout, options, source=f"table {path.name}")


def read_table(
    path: Path,
    layout: Layout,
    options: ReadOptions,
    *,
    source: str,
    ends: Callable[[Scan], tuple[dict[str, int], list[str]]] = lambda _: ({}, []),
) -> Waveform:
    """Read a table whose layout is known.

    Parameters
    ----------
    path, layout, options, source
        As of `table.waveform`.
    ends
        Finds, in what the first reading found, when channels end (as of `table.waveform`), with remarks on that.
    """
    contents = scan(path, layout)
    known = contents.keys or layout.channels
    if KEY not in layout.roles and contents.rows:
        known = tuple(
            name for bit, name in enumerate(known) if contents.known >> bit & 1
        )  # not those that are x throughout
    named = bool(options.channels) and set(layout.channels) == set(options.channels)
    channels = chosen(known, () if named else options.channels, path)
    ended, remarks = ends(contents)
    return table.waveform(
        path,
        replace(layout, remarks=(*layout.remarks, *remarks)),
        contents,
        samplerate_hz=options.samplerate_hz or layout.written_hz,
        channels=channels,
        source=source,
        ends=ended,
    )


def write(path: Path, waveform: Waveform) -> str:
    """Write a row for each instant at which a channel changed, X in gaps and, in the last row, at the end.

    Times are seconds from sample 0, exact or rounded to at least a hundredth of a sample; a first line that begins with
    "#" holds the exact samplerate and the epoch, so that they are read back exactly.
    """
    digits, exact = digits_for(waveform.samplerate_hz)
    used = [bit for bit, name in enumerate(waveform.channels) if name]
    names = [guarded(waveform.channels[bit]) for bit in used]
    one_line(names, path)
    quoted = ['"' + name.replace('"', '""') + '"' if re.search('[",]', name) else name for name in names]
    rate = waveform.samplerate_hz
    time = scaler(10**digits / rate)
    with text_file(path) as file:
        mark = f"; {VIRTUAL_MARK}" if waveform.virtual else ""
        file.write(f"# gpiorig: samplerate {rate.numerator}/{rate.denominator} Hz, epoch {waveform.epoch}{mark}\n")
        file.write(",".join(["Time [s]", *quoted]) + "\n")

        @functools.lru_cache(maxsize=1 << 16)
        def fields(levels: int) -> str:
            return ",".join(["X"] * len(used) if levels == GAP else [str(levels >> bit & 1) for bit in used])

        for sample, levels, _ in rows(waveform):
            file.write(f"{decimal(time(sample), digits)},{fields(levels)}\n")
    return "" if exact else f"times are rounded to {decimal(1, digits)} s; the samples are read back exactly"

"""Saleae Logic's digital CSV export, of Logic 1 and of Logic 2.

A row for each instant at which a channel changed; X where a channel was off or the capture has a gap, and in the last
row, which is the end (Saleae, "Binary and CSV Export Formats - 2025 Update"). Times are seconds, or ISO 8601.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.errors import FormatError
from gpiorig.capture.formats.csv import read_table
from gpiorig.capture.text.table_columns import layout_of
from gpiorig.capture.text.table_head import table_head

SUMMARY = "Saleae Logic digital CSV export"
RECORDER = "saleae"
SUFFIXES = (".csv",)
HEADER = re.compile(rb'^(\xef\xbb\xbf)?"?(Time ?\[s\]|start_time)"?\s*,')
TRIGGER = re.compile(rb"^Trigger \[s\],")


def recognises(path: Path, head: bytes) -> bool:
    """Whether a file is one of Saleae's."""
    return HEADER.match(head) is not None or TRIGGER.match(head) is not None


def read(path: Path, options: ReadOptions) -> Waveform:
    """Read the export as a waveform; where a channel is X, there is a gap, unless it is X throughout."""
    head = table_head(path)
    if TRIGGER.match(head):
        raise FormatError("holds voltages", where=path, remedy="export the digital channels")
    layout = replace(layout_of(path, head, options), open_ended=False)
    table = read_table(path, layout, options, source=f"Saleae CSV export {path.name}; X is a gap")
    return replace(table, recorder=RECORDER)

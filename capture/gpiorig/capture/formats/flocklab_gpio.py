"""FlockLab's `gpiotracing.csv`: the pins of all observers of a test.

    timestamp,observer_id,node_id,pin_name,value

Times are seconds since 1970 with 7 digits; a sixth column without a name holds monotonic time. In version 2 the first
sample of an observer lists all its pins, and the last one nRST, so that a pin's first row is its level before as well.
Version 1, whose header begins with "# ", lists changes only: each row is an edge. As an observer stops, it may write a
burst of rows with one time, in which pins go back and forth: that is the end of its trace.
"""

from __future__ import annotations

import re
from collections import defaultdict
from fractions import Fraction
from pathlib import Path

from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.edges.waveform import Waveform
from gpiorig.capture.errors import CaptureError, FormatError
from gpiorig.capture.formats.csv import read_table
from gpiorig.capture.printable import one_line
from gpiorig.capture.text.cells import guarded
from gpiorig.capture.text.table_head import lines_of, table_head
from gpiorig.capture.text.table_parser import IGNORED, KEY, LEVEL, TIME, Before, Layout
from gpiorig.capture.text.table_scan import Scan
from gpiorig.capture.text.writer import GAP, decimal, epoch_fraction, rows, scaler, text_file

SUMMARY = "FlockLab GPIO trace"
SUFFIXES = (".csv",)
HEADER = re.compile(rb"^(# ?)?timestamp,(observer_id,)?node_id,pin_name,value\s*(,|$)", re.I | re.M)
ROLES = {"timestamp": TIME, "node_id": KEY, "pin_name": KEY, "value": LEVEL}
DIGITS = 7  # 100 ns: fl_logic.c of FlockLab2-Observer prints "%u.%07u"


def read(path: Path, options: ReadOptions) -> Waveform:
    """Read the trace; a channel is named NODE.PIN."""
    layout = pins_layout(
        path, HEADER, ROLES, remedy='its first line should be "timestamp,observer_id,node_id,pin_name,value"'
    )
    version = 1 if layout.before is Before.OPPOSITE else 2
    return read_table(path, layout, options, source=f"FlockLab GPIO trace {path.name}, version {version}", ends=bursts)


def pins_layout(path: Path, header: re.Pattern[bytes], roles: dict[str, int], *, remedy: str) -> Layout:
    """Find out where things are in a table of pins, by its first line: "# " at its start means that rows are edges."""
    head = table_head(path)
    if header.match(head) is None:
        raise FormatError("has no header of FlockLab's", where=path, remedy=remedy)
    end, line = lines_of(head, path)[0]
    names = [name.strip().lower() for name in line.lstrip("# ").split(",")]
    return Layout(
        roles=tuple(roles.get(name, IGNORED) for name in names[: names.index("value") + 1]),
        first_byte=end,
        first_line=1,
        comment="#",
        before=Before.OPPOSITE if head.startswith(b"#") else Before.FIRST,
        open_ended=True,
    )


def bursts(contents: Scan) -> tuple[dict[str, int], list[str]]:
    """Return from which time on the rows of each channel are the burst at the end of its observer, and remarks."""
    by_node = defaultdict(list)
    for name, last in zip(contents.keys, contents.last_rows, strict=True):
        by_node[name.partition(".")[0]].append((name, last))
    ends: dict[str, int] = {}
    remarks = []
    for node, channels in sorted(by_node.items()):
        end = max(time for _, (time, _) in channels)
        if all(count < 2 for _, (time, count) in channels if time == end):
            continue
        ends |= {name: end for name, _ in channels}
        rows_left_out = sum(count for _, (time, count) in channels if time == end)
        remarks.append(f"node {node} ends with {rows_left_out} rows of one time, back and forth: its end, omitted")
    return ends, remarks


def write(path: Path, waveform: Waveform) -> str:
    """Write a waveform as FlockLab does; times are cut to 100 ns, as FlockLab cuts them.

    A channel NODE.PIN is written as pin PIN of node NODE, one without a point as a pin of node 0.
    """
    one_line(waveform.channels, path)
    places = [name.rpartition(".") for name in waveform.channels]
    cells = (cell for node, _, pin in places for cell in (node, pin))
    if unfit := next((cell for cell in cells if "," in cell or guarded(cell) != cell), None):
        raise CaptureError(
            f"a pin or a node is named {unfit!r}, which this format cannot quote", where=path, remedy="write CSV"
        )
    pins = [f"{node or 0},{node or 0},{pin}" for node, _, pin in places]
    used = [bit for bit, name in enumerate(waveform.channels) if name]
    scale = 10**DIGITS / waveform.samplerate_hz
    base = epoch_fraction(waveform.epoch) * 10**DIGITS
    units = scaler(scale, base - Fraction(1, 2))  # half a unit less: cut, not rounded
    end: int | None = None
    with text_file(path) as file:
        file.write("timestamp,observer_id,node_id,pin_name,value\n")
        for sample, levels, changed in rows(waveform):
            if end is not None:
                raise CaptureError(
                    f"samples {end} to {sample} are not known, which this format cannot express",
                    where=path,
                    remedy=f"export a window before the gap, --to {end}sa, or another format",
                )
            end = sample if levels == GAP else None
            stamp = decimal(units(sample), DIGITS)
            file.write("".join(f"{stamp},{pins[bit]},{levels >> bit & 1}\n" for bit in used if changed >> bit & 1))
    remarks = [] if scale.denominator == base.denominator == 1 else ["times are cut to 100 ns"]
    if not waveform.epoch:
        remarks.append("sample 0 is written as 1970-01-01T00:00:00")
    return "; ".join(remarks)

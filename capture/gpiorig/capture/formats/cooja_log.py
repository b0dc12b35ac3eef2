"""Logs of Cooja, Contiki's simulator: what its window of mote output saves, and what test scripts write.

Mote output (`java/org/contikios/cooja/plugins/LogListener.java`, contiki-ng/cooja 28af0ada): time, tab, ``ID:n``, tab,
text; the time is ``mm:ss.fff``, ``h:mm:ss.fff`` from the first hour on, or ms. A file that it appends to begins with
``-- Log Listener [``. Scripts write `time`, which is in us, and `id` as they like into `COOJA.testlog`: ``us id text``
(contiki-ng 9f80681d, examples/benchmarks/result-visualization/coojalogger.js), ``us node-id text``, ``us:id:text``, and
``id|us|text``, of which the field that grows is the time.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.errors import FormatError
from gpiorig.capture.text.clock_text import clock_ns
from gpiorig.capture.text.line_times import lines_of
from gpiorig.capture.text.node_lines import BlockBuilder, NodeLines, read_blocks
from gpiorig.capture.text.table_head import table_head
from gpiorig.capture.units import TIME_NS

SUMMARY = "log of Cooja: mote output (time, ID:n, text), or a test script's (COOJA.testlog)"
SUFFIXES = (".log", ".txt", ".testlog")
LATE = 4
OUTPUT = re.compile(r"(?:(?:(\d{1,9}):)?(\d{1,9}):(\d\d)\.(\d{3})|(\d{1,15}))\tID:(\d{1,9})\t(.*)", re.S | re.A)
SCRIPT = re.compile(r"(\d{1,15})(?:[ :\t])(?:node-)?(\d{1,9})[ :\t](.*)", re.S | re.A)
FIELDS = re.compile(r"(\d{1,15})\|(\d{1,15})\|(.*)", re.S | re.A)
WORD = re.compile(r"[^\W\d_]{2}")  # a log has text, a table may not
STARTED = "-- Log Listener ["
# A script's own lines, and Cooja's, which prints them where a test ends.
SAYINGS = re.compile(
    r"Starting COOJA logger|Script timed out\.|TEST (?:OK|FAILED)|Test ended at simulation time|Random seed: ?\d+"
)


def recognises(path: Path, head: bytes) -> bool:
    """Whether most lines are mote output, or a script's: ``us id text`` in a file that Cooja wrote by name or lines."""
    lines = lines_of(head)
    counted = [line for line in lines if not _is_own(line)]
    is_cooja = path.suffix == ".testlog" or any(SAYINGS.match(line) for line in lines)
    matches = {
        form: [match for line in counted if (match := form.fullmatch(line))]
        for form in (OUTPUT, FIELDS, *[SCRIPT] * is_cooja)
    }
    counts = [
        sum(form is OUTPUT or WORD.search(match[3]) is not None for match in some) for form, some in matches.items()
    ]
    return 2 * max(counts) > len(counted)


def read(path: Path, options: ReadOptions) -> NodeLines:
    """Read a log; nodes are the ids of the motes."""
    lines = [line for line in lines_of(table_head(path)) if not _is_own(line)]
    output = any(OUTPUT.fullmatch(line) for line in lines)
    fields = None if output else _fields(path, lines, options.columns)

    def take(line: str, builder: BlockBuilder) -> None:
        if match := OUTPUT.fullmatch(line):
            hours, minutes, seconds, fraction, ms, node, text = match.groups(default="")
            at_ns = int(ms) * TIME_NS["ms"] if ms else clock_ns(hours, minutes, seconds, fraction)
            builder.append(at_ns, node, text)
        elif fields and (match := FIELDS.fullmatch(line)):
            builder.append(int(match[fields[0]]) * TIME_NS["us"], match[fields[1]], match[3])
        elif not (output or fields) and (match := SCRIPT.fullmatch(line)):
            builder.append(int(match[1]) * TIME_NS["us"], match[2], match[3])
        elif not _is_own(line):
            builder.note("line without a timestamp" if line.strip() else "empty line")

    form = "mote output" if output else "a script's log, of us"
    step_ns = TIME_NS["ms" if output else "us"]
    return NodeLines(read=partial(read_blocks, path, take), resolution_ns=step_ns, source=f"{path}: Cooja, {form}")


def _is_own(line: str) -> bool:
    """Whether a line is Cooja's or its script's, not a mote's."""
    return line.startswith(STARTED) or SAYINGS.match(line) is not None


def _fields(path: Path, lines: Sequence[str], columns: dict[str, str]) -> tuple[int, int] | None:
    """Numbers of the fields of time and node in ``1|2|text``; None if the lines are not of that form.

    Raises
    ------
    FormatError
        Both could be the time.
    """
    rows = [(int(match[1]), int(match[2])) for line in lines if (match := FIELDS.fullmatch(line))]
    if 2 * len(rows) <= len(lines):
        return None
    if "time" in columns:
        place = int(columns["time"]) if columns["time"] in ("1", "2") else 0
    else:
        grows = [column[0] < column[-1] and sorted(column) == list(column) for column in zip(*rows, strict=True)]
        place = grows.index(True) + 1 if sum(grows) == 1 else 0
    if not place:
        raise FormatError(
            "has two numbers before its text, of which either may be the time",
            where=path,
            remedy="name its field: --columns time=2 for node|us|text, time=1 for us|node|text",
        )
    return place, 3 - place

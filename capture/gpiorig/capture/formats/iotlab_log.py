"""Logs of IoT-LAB's `serial_aggregator`: `<epoch.6 digits>;<node>;<text>`, a line of a node each.

The program prints nodes' lines on stdout and notices about itself and its connections on stderr, both with
logging's `%(created)f;%(message)s` (iot-lab/aggregation-tools, iotlabaggregator/__init__.py and serial.py); people
join the two in one file. The text may contain `;`. With `--color` it puts an ANSI colour before the node and a reset
after the text. It prints complete lines only, but its own output is cut where it was killed, and two programs that
write to one file break each other's lines.
"""

from __future__ import annotations

import re
from functools import partial
from itertools import pairwise
from pathlib import Path

from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.text.clock_text import stamp_ns
from gpiorig.capture.text.node_lines import BlockBuilder, LineKind, NodeLines, read_blocks

SUMMARY = "log of IoT-LAB's serial_aggregator (epoch;node;text)"
LATE = 5
SUFFIXES = (".log", ".txt")
RESOLUTION_NS = 1000
SECONDS_DIGITS = 10  # since 2001

COLOUR = r"(?:\x1b\[[0-9;]*m)*"
# Nodes as IoT-LAB names them: m3-101, wsn430-4, node-a8-1, arduino-zero-3; with a site when it is another one.
NODE = r"[A-Za-z][\w.]*(?:-[\w.]+)*"
STAMP = r"(\d{1,10})\.(\d{1,9});"
ONLY_COLOUR = re.compile(COLOUR)
AT_START = re.compile(STAMP)
LINE = re.compile(rf"{COLOUR}{STAMP}{COLOUR}({NODE});(.*)", re.DOTALL)
NOTICE = re.compile(rf"{COLOUR}{STAMP}([^;]*)", re.DOTALL)
# A complete line inside another's text: 10 digits of seconds are 2001 to 2286, and a node's name ends in its number.
INSIDE = re.compile(rf"\d{{10}}\.\d{{6}};{COLOUR}[A-Za-z][\w.]*(?:-[\w.]+)*-\d+(?:\.[\w.-]+)?;")
# Indented lines, then the exception; and what Python prints between two of them (Lib/traceback.py).
TRACEBACK = re.compile(
    r"^Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(?:(?!\d+\.\d+;)\S.*\n)?"
    r"|^(?:During handling of the above exception|The above exception was the direct cause).*\n",
    re.MULTILINE,
)
RESET = re.compile(rf"{COLOUR}\Z")
# The program's own messages about a node: connections.py, `handle_close` and `handle_error`.
CLOSED = "Connection closed"
FAILED = re.compile(r"\(<class '\w*(?:Error|Exception|Refused|gaierror|timeout)\b.*")


def recognises(path: Path, head: bytes) -> bool:
    """Whether most of the first lines look like the aggregator's, one at least with a node, since 2001.

    Lines of Python's tracebacks, which the program prints as it fails, do not count.
    """
    text = TRACEBACK.sub("", head.decode(errors="replace").rpartition("\n")[0] + "\n")
    lines = [line for line in text.split("\n") if line.strip()]
    matches = [LINE.match(line) or NOTICE.fullmatch(line) for line in lines]
    stamped = [match for match in matches if match and len(match[1]) >= SECONDS_DIGITS]
    return 2 * len(stamped) > len(lines) and any(match.re is LINE for match in stamped)


def read(path: Path, options: ReadOptions) -> NodeLines:
    """Read a log; a broken line is counted by what is wrong with it, never guessed."""
    return NodeLines(read=partial(read_blocks, path, _take), resolution_ns=RESOLUTION_NS, source=f"{path}: {SUMMARY}")


def _take(line: str, builder: BlockBuilder) -> None:
    inside = [match.start() for match in INSIDE.finditer(line)] if line.count(";") > 1 else []
    cuts = [start for start in inside if not ONLY_COLOUR.fullmatch(line, 0, start)]
    for _ in cuts:
        builder.note("line broken by another")
    if not cuts or LINE.match(line, 0, cuts[0]):
        _take_one(line[: cuts[0]] if cuts else line, builder)
    for start, end in pairwise([*cuts, len(line)]):
        _take_one(line[start:end], builder)


def _take_one(line: str, builder: BlockBuilder) -> None:
    if match := LINE.match(line):
        seconds, fraction, node, text = match.groups()
        if "\x1b" in line[: match.start(4)]:
            text = RESET.sub("", text)
        kind = LineKind.NOTICE if text == CLOSED or FAILED.match(text) else LineKind.RECEIVED
        builder.append(stamp_ns(seconds, fraction), node, text, kind)
    elif match := NOTICE.fullmatch(line):
        seconds, fraction, text = match.groups()
        builder.append(stamp_ns(seconds, fraction), "", text, LineKind.NOTICE)
    elif not line.strip():
        builder.note("empty line")
    else:
        builder.note("line without a node" if AT_START.match(line) else "line without a timestamp")

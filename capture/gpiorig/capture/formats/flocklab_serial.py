"""FlockLab's `serial.csv`: what observers received from and sent to the nodes' serial ports.

Header `timestamp,observer_id,node_id,direction,output`, with `# ` before it in FlockLab 1's files; the timestamp is
seconds since 1970 with up to 7 digits, direction `r` was read from the node and `w` written to it, and `output` is the
rest of the line, commas included (flocklab_fetcher.py).
"""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path

from gpiorig.capture.edges.read_options import ReadOptions
from gpiorig.capture.text.clock_text import stamp_ns
from gpiorig.capture.text.node_lines import BlockBuilder, LineKind, NodeLines, read_blocks

SUMMARY = "FlockLab serial.csv (timestamp,observer_id,node_id,direction,output)"
SUFFIXES = (".csv",)
RESOLUTION_NS = 100
HEADER = re.compile(r"(?:# ?)?timestamp,observer_id,node_id,direction,output\s*")
LINE = re.compile(r"(\d+)(?:\.(\d+))?,(\w+),(\w+),([rw]),(.*)", re.DOTALL)


def recognises(path: Path, head: bytes) -> bool:
    """Whether the header is in the first lines."""
    return any(HEADER.fullmatch(line) for line in head.decode(errors="replace").split("\n")[:8])


def read(path: Path, options: ReadOptions) -> NodeLines:
    """Read a file; a node is named by its node_id, and a broken line is counted."""
    return NodeLines(read=partial(read_blocks, path, _take), resolution_ns=RESOLUTION_NS, source=f"{path}: {SUMMARY}")


def _take(line: str, builder: BlockBuilder) -> None:
    if match := LINE.fullmatch(line):
        seconds, fraction, _, node, direction, text = match.groups()
        kind = LineKind.SENT if direction == "w" else LineKind.RECEIVED
        builder.append(stamp_ns(seconds, fraction or ""), node, text, kind)
    elif HEADER.fullmatch(line) or line.startswith("#"):
        pass
    else:
        builder.note("line that is not a row" if line.strip() else "empty line")

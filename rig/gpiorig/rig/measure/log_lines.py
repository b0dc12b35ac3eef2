"""Lines with a time, out of a recording, a log of a known format, or any text whose lines carry their own time."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from gpiorig.capture.errors import FormatError
from gpiorig.capture.recording.recording import DESCRIPTION, Recording
from gpiorig.capture.text.node_lines import LineKind, NodeLines
from gpiorig.rig.errors import RigError
from gpiorig.rig.recordings import inputs

TIME = "time"  # named group that holds a line's own time


class Line(NamedTuple):
    """One line of a log.

    `stamp_ns` is -1 where the log gives none; `text` is the text of the node, `raw` the unchanged line of the log.
    """

    stamp_ns: int
    node: str
    text: str
    raw: str


def match(pattern: re.Pattern[str], line: Line) -> re.Match[str] | None:
    """Where a pattern is in the text of a node, else in the unchanged line of the log."""
    return pattern.search(line.text) or pattern.search(line.raw)


def matches(pattern: re.Pattern[str], line: Line) -> list[re.Match[str]]:
    """Every match in the text of a node, else in the unchanged line of the log; of the empty ones only a first."""
    hits = [*pattern.finditer(line.text)] or [*pattern.finditer(line.raw)]
    return [hit for number, hit in enumerate(hits) if hit[0] or not number]


def read(path: Path, options: argparse.Namespace, *, own_time: bool) -> tuple[Iterator[Line], float, str]:
    """Lines, in the order of the log.

    Parameters
    ----------
    path
        A recording, or a file.
    options
        Of `inputs.add_arguments`.
    own_time
        Whether the patterns find the time in the line; then any text will do.

    Returns
    -------
    lines
        Received from nodes; lines that the host sent or recorded are omitted.
    resolution_ns
        Step of the stamps, 0 if unknown.
    source
        What they were read from, as text.
    """
    if path.is_dir() and (path / DESCRIPTION).exists():
        recording = Recording.open(path)
        return _recorded(recording), 0.0, f"{path}: serial record, {recording.info.serial_clock} clock"
    if own_time:
        return texts(path), 0.0, str(path)
    if unit := getattr(options, "time_unit", None):
        options = argparse.Namespace(
            **{**vars(options), "columns": ",".join(filter(None, [options.columns, f"unit={unit}"]))}
        )
    try:
        name, content = inputs.open_file(path, options)
    except FormatError as error:
        raise RigError(
            f"{str(error).removesuffix('.')}. If its lines carry their time, put that in a group (?P<{TIME}>…)."
        ) from error
    if not isinstance(content, NodeLines):
        raise RigError(
            f"{path}: {name} is not a log of lines; give a log, a recording, or patterns with (?P<{TIME}>…)."
        )
    return _from_format(content), float(content.resolution_ns), content.source


def texts(path: Path) -> Iterator[Line]:
    """Lines of a recording's nodes, or of any text; those of a text have no timestamp."""
    if path.is_dir() and (path / DESCRIPTION).exists():
        yield from _recorded(Recording.open(path))
        return
    with path.open(encoding="utf-8", errors="replace") as file:
        for text in file:
            yield Line(-1, "", text.rstrip("\r\n"), "")


def _recorded(recording: Recording) -> Iterator[Line]:
    lines = {node: recording.serial(node).lines() for node in recording.nodes}
    stamped = [
        (int(stamp), node, text)
        for node, record in lines.items()
        for stamp, text in zip(record.stamps_ns.tolist(), record.texts, strict=True)
    ]
    for stamp, node, text in sorted(stamped, key=lambda line: line[0]):
        yield Line(stamp, node, text, f"{node};{text}")


def _from_format(content: NodeLines) -> Iterator[Line]:
    for block in content.read():
        rows = zip(block.stamps_ns.tolist(), block.nodes, block.texts, block.kinds.tolist(), strict=True)
        for stamp, node, text, kind in rows:
            if kind == LineKind.RECEIVED:
                yield Line(stamp, node, text, f"{stamp // 10**9}.{stamp % 10**9:09};{node};{text}")

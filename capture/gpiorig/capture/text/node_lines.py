"""Text lines of nodes with their timestamps, read block by block: what readers of serial logs give."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.time_step import MAX_TIMESTAMPS, TimestampStep, timestamp_step
from gpiorig.capture.errors import FormatError

BLOCK_LINES = 1 << 12
MAX_LINE_BYTES = 1 << 16  # of a log; a longer one is cut there, so that a log without newlines does not fill the memory
REPLACEMENT = "\ufffd".encode()
WALL_CLOCK_S = 10**8  # times beyond are seconds since 1970: no experiment takes three years
NOT_UTF8 = re.compile("[\udc80-\udcff]")  # bytes, as Python's `surrogateescape` decodes them (PEP 383)
MAX_NODE_CHARACTERS = 64  # of a node's name, which becomes a file's


class LineKind(IntEnum):
    """Kind of a line."""

    RECEIVED = 0  # the node sent it
    SENT = 1  # the host sent it
    NOTICE = 2  # a message of the logging program about itself or the node


@dataclass(frozen=True, slots=True, eq=False)
class LineBlock:
    """The next lines of a log, in the order of the log.

    Attributes
    ----------
    stamps_ns
        int64, shape (n,): ns since 1970, or since the zero of the log's own clock; every digit of the log. They need
        not increase.
    nodes
        Name of the node of each line; "" for a notice about none, and in a log that names no nodes.
    texts
        The lines, without their end; bytes that are not UTF-8 are U+FFFD (and there may be some in the log itself).
    kinds
        uint8, shape (n,): `LineKind` of each line.
    dirt
        Number of irregularities met in this block of the log, by what they are.
    """

    stamps_ns: NDArray[np.int64]
    nodes: tuple[str, ...]
    texts: tuple[str, ...]
    kinds: NDArray[np.uint8]
    dirt: Mapping[str, int]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class NodeLines:
    """A log as a stream of blocks of lines.

    Attributes
    ----------
    read
        Begins to read, at the first line, each time it is called.
    resolution_ns
        Step of the timestamps as the format prints them.
    source
        What the log was read from, and how, as text.
    """

    read: Callable[[], Iterator[LineBlock]]
    resolution_ns: int
    source: str = ""

    def all(self) -> LineBlock:
        """Read all of it into memory."""
        blocks = list(self.read())
        dirt: Counter[str] = Counter()
        for block in blocks:
            dirt.update(block.dirt)
        return LineBlock(
            np.concatenate([np.empty(0, np.int64), *(block.stamps_ns for block in blocks)]),
            tuple(node for block in blocks for node in block.nodes),
            tuple(text for block in blocks for text in block.texts),
            np.concatenate([np.empty(0, np.uint8), *(block.kinds for block in blocks)]),
            dict(dirt),
        )

    def summary(self) -> LinesSummary:
        """Read all of it once and count."""
        counts: dict[str, list[int]] = {}
        dirt: Counter[str] = Counter()
        earliest_ns: int | None = None
        latest_ns = 0
        timestamps_ns = np.empty(0, dtype=np.int64)
        for block in self.read():
            if timestamps_ns.size < MAX_TIMESTAMPS:
                timestamps_ns = np.append(timestamps_ns, block.stamps_ns)[:MAX_TIMESTAMPS]
            dirt.update(block.dirt)
            for (node, kind), count in Counter(zip(block.nodes, block.kinds.tolist(), strict=True)).items():
                counts.setdefault(node, [0] * len(LineKind))[kind] += count
            if block.stamps_ns.size:
                low, high = int(block.stamps_ns.min()), int(block.stamps_ns.max())
                earliest_ns, latest_ns = (
                    (low, high) if earliest_ns is None else (min(earliest_ns, low), max(latest_ns, high))
                )
        nodes = {node: tuple(kinds) for node, kinds in sorted(counts.items())}
        last_ns = latest_ns if earliest_ns is not None else None
        step = timestamp_step(timestamps_ns, format_ns=float(self.resolution_ns))
        return LinesSummary(nodes, dict(sorted(dirt.items())), earliest_ns, last_ns, step)


@dataclass(frozen=True, slots=True)
class LinesSummary:
    """Summary of a log.

    Attributes
    ----------
    nodes
        Number of lines of each kind (index: `LineKind`), by node; "" for notices about none.
    dirt
        Number of irregularities, by what they are.
    first_ns, last_ns
        Earliest and latest timestamp, in ns since 1970; None when there is no line.
    step
        Of the timestamps, by the first of them.
    """

    nodes: dict[str, tuple[int, ...]]
    dirt: dict[str, int]
    first_ns: int | None
    last_ns: int | None
    step: TimestampStep

    def as_json(self) -> dict[str, Any]:
        """Return it in JSON's types."""
        kinds = [kind.name.lower() for kind in LineKind]
        return {
            "lines": sum(map(sum, self.nodes.values())),
            "first_ns": self.first_ns,
            "last_ns": self.last_ns,
            "nodes": [{"name": node, **dict(zip(kinds, counts, strict=True))} for node, counts in self.nodes.items()],
            "irregularities": self.dirt,
        }

    def for_people(self) -> list[str]:
        """Return it as lines of text."""
        if self.first_ns is None or self.last_ns is None:
            parts = ["no lines"]
        else:
            lines, span_ns = sum(map(sum, self.nodes.values())), self.last_ns - self.first_ns
            since = datetime.fromtimestamp(self.first_ns // 10**9, UTC).isoformat()
            if self.first_ns < WALL_CLOCK_S * 10**9:
                since = f"{self.first_ns // 10**9}.{self.first_ns // 1000 % 10**6:06} s of the log's own clock"
            parts = [f"{lines} lines in {span_ns // 10**9}.{span_ns // 1000 % 10**6:06} s from {since}"]
        for node, (received, sent, notices) in self.nodes.items():
            words = [f"{received} received"] if received else []
            words += [f"{sent} sent"] if sent else []
            words += [f"{notices} notices"] if notices else []
            parts.append(f"  {node or '(no node)'}: {', '.join(words)}")
        return parts + [f"  {text}" for text in irregularities(self.dirt)]


def irregularities(dirt: Mapping[str, int]) -> list[str]:
    """Irregularities of a log, as text."""
    return [f"irregular: {what}: {count}" for what, count in sorted(dirt.items())]


class BlockBuilder:
    """Collects lines until there are enough for a block."""

    def __init__(self) -> None:
        self._latest_ns: int | None = None
        self._dirt: Counter[str] = Counter()
        self._clear()

    def _clear(self) -> None:
        self._stamps: list[int] = []
        self._nodes: list[str] = []
        self._texts: list[str] = []
        self._kinds: list[int] = []
        self._dirt = Counter()

    @property
    def is_full(self) -> bool:
        """True when a block should be taken."""
        return len(self._stamps) >= BLOCK_LINES

    def append(self, stamp_ns: int | None, node: str, text: str, kind: LineKind = LineKind.RECEIVED) -> None:
        """Add a line; one without a timestamp that fits, or with a name that is too long, is only counted."""
        if stamp_ns is None:
            self.note("line whose timestamp is not a time")
            return
        if len(node) > MAX_NODE_CHARACTERS:
            self.note(f"line of a node whose name is longer than {MAX_NODE_CHARACTERS} characters")
            return
        if self._latest_ns is not None and stamp_ns < self._latest_ns:
            self.note("timestamp before the one above it")
        self._latest_ns = stamp_ns
        self._stamps.append(stamp_ns)
        self._nodes.append(node)
        self._texts.append(text)
        self._kinds.append(kind)

    def note(self, what: str, count: int = 1) -> None:
        """Count irregularities of a kind."""
        self._dirt[what] += count

    def take(self) -> LineBlock:
        """Return the block and begin another."""
        block = LineBlock(
            np.array(self._stamps, dtype=np.int64),
            tuple(self._nodes),
            tuple(self._texts),
            np.array(self._kinds, dtype=np.uint8),
            dict(self._dirt),
        )
        self._clear()
        return block


def read_blocks(path: Path, take: Callable[[str, BlockBuilder], None]) -> Iterator[LineBlock]:
    """Give a log's lines, cut at newlines only, to a format's parser and yield what it makes of them.

    Parameters
    ----------
    path
        The file.
    take
        Gets each line without its newline and one carriage return before it, and puts what it holds into the builder.
    """
    builder = BlockBuilder()
    try:
        with path.open("rb") as file:
            cut = False
            while raw := file.readline(MAX_LINE_BYTES):
                is_complete, was_cut = raw.endswith(b"\n"), cut
                cut = not is_complete and len(raw) == MAX_LINE_BYTES
                if was_cut:
                    continue  # the rest of a line that was too long
                if not is_complete:
                    builder.note("line too long, cut" if cut else "last line without an end")
                data = raw.removesuffix(b"\n").removesuffix(b"\r")
                if replaced := data.count(REPLACEMENT):
                    builder.note("characters replaced before they were logged (U+FFFD)", replaced)
                try:
                    text = data.decode()
                except UnicodeDecodeError:
                    text = data.decode(errors="replace")
                    builder.note(
                        "bytes that are not UTF-8", len(NOT_UTF8.findall(data.decode(errors="surrogateescape")))
                    )
                take(text, builder)
                if builder.is_full:
                    yield builder.take()
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", where=path, remedy="check the name") from error
    yield builder.take()

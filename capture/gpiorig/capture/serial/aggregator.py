"""IoT-LAB's `serial_aggregator`: its line format, its addressing of nodes, and a stub with the same timestamps.

The original (iot-lab/aggregation-tools, iotlabaggregator/connections.py and serial.py) has one thread for all nodes. It
waits until sockets are readable, then for each of them in turn receives at most 8192 bytes, decodes these bytes by
themselves as UTF-8, cuts the text with `str.splitlines`, and logs each part that ends in a newline; the logger takes
the time then (`%(created)f`), and writes and flushes the line before the next. So the timestamp of a line is when its
turn came to be printed: after all lines before it in the same read, and after all nodes before it in the same round.

What follows from that for the text is reproduced too: a character that two reads cut becomes U+FFFD twice, and of the
parts that end in another line boundary (CR, VT, FF, U+0085, …) only the last one of a read survives, to be put in
front of the next read.
"""

from __future__ import annotations

import io
import logging
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.serial.record import Entry, Kind

READ_BYTES = 8192  # connections.py, `handle_read`
TRIAL_LINES = 2000

Order = Literal["epoll", "poll"]


@dataclass(frozen=True, slots=True)
class Costs:
    """How long the aggregator's thread is busy, in ns.

    Attributes
    ----------
    wake_ns
        From a socket that becomes readable to the first receive.
    read_ns
        For each receive.
    line_ns
        For each line: the log record, its text, write and flush.
    """

    wake_ns: int
    read_ns: int
    line_ns: int


@dataclass(frozen=True, slots=True)
class Printed:
    """A line as the aggregator prints it.

    Attributes
    ----------
    stamp_ns
        Its timestamp, in ns.
    read_ns
        When our recorder had read the bytes that complete it, on the same clock.
    node, text
        Whose line it is.
    """

    stamp_ns: int
    read_ns: int
    node: str
    text: str

    def __str__(self) -> str:
        return log_line(self.stamp_ns, self.node, self.text)


def log_line(stamp_ns: int, node: str, text: str) -> str:
    """Return a line in the aggregator's format, its timestamp rounded to the nearest microsecond."""
    seconds, microseconds = divmod((stamp_ns + 500) // 1000, 10**6)
    return f"{seconds}.{microseconds:06};{node};{text}"


def addressed(line: str, nodes: Iterable[str]) -> tuple[tuple[str, ...], str]:
    """Return for whom a line of input is, and what to send, by the aggregator's rules.

    `text` and `-;text` are for all nodes, `m3-1;text` for one, `m3,1-3+5;text` for several. What has another form is
    sent to all as it stands, also when it has a semicolon. An empty line is sent to no node.

    Parameters
    ----------
    line
        The input, without its end.
    nodes
        The nodes that there are.
    """
    everyone = tuple(nodes)
    if not line:
        return (), ""
    target, _, text = line.partition(";")
    if line.count(";") != 1:
        return everyone, line
    if target == "-":
        return everyone, text
    if target in everyone:
        return (target,), text
    kind, _, numbers = target.lower().partition(",") if "," in target else target.lower().rpartition("-")
    kind = "node-a8" if kind == "a8" else kind
    names: list[str] = []
    for part in numbers.split("+"):
        lowest, _, highest = part.partition("-")
        if not kind or not lowest.isdecimal() or not (highest or lowest).isdecimal():
            return everyone, line
        names += [f"{kind}-{number}" for number in range(int(lowest), int(highest or lowest) + 1)]
    return tuple(names), text


class AggregatorText:
    """The text of one node as the aggregator cuts it."""

    def __init__(self) -> None:
        self._rest = ""

    def feed(self, data: bytes) -> list[str]:
        """Return the lines that it prints after it received these bytes at once."""
        parts = (self._rest + data.decode(errors="replace")).splitlines(keepends=True)
        unfinished = [part for part in parts if not part.endswith("\n")]
        self._rest = unfinished[-1] if unfinished else ""
        return [part[:-1] for part in parts if part.endswith("\n")]


def replay(
    records: Mapping[str, Iterable[Entry]], costs: Costs, *, order: Order = "epoll", virtual_epoch_ns: int | None = None
) -> Iterator[Printed]:
    """Yield what the aggregator would have printed, had the bytes of a recording come to its sockets.

    Parameters
    ----------
    records
        Entries of each node's record, by its name.
    costs
        How long its thread is busy.
    order
        In which order it serves nodes that wait at the same time: as they became readable (epoll, its `selectors`), or
        always in the order of `records` (poll, its former asyncore).
    virtual_epoch_ns
        For records with virtual timestamps: when they began, in ns since 1970. None: the entries' wall clock is used.
    """
    line = _Sockets(records, virtual_epoch_ns)
    texts = {node: AggregatorText() for node in records}
    now_ns = 0
    while (next_ns := line.next_ns(now_ns)) is not None:
        now_ns = max(now_ns, next_ns) + costs.wake_ns
        for node in line.readable(now_ns, order):
            data, read_ns = line.receive(node, now_ns)
            now_ns += costs.read_ns
            for text in texts[node].feed(data):
                yield Printed(now_ns, read_ns, node, text)
                now_ns += costs.line_ns


class _Sockets:
    """The bytes of a recording as they would wait in the sockets of the aggregator."""

    def __init__(self, records: Mapping[str, Iterable[Entry]], virtual_epoch_ns: int | None) -> None:
        self._nodes = tuple(records)
        self._epoch_ns = virtual_epoch_ns
        self._coming = {node: self._arrivals(entries) for node, entries in records.items()}
        self._next = {node: next(coming, None) for node, coming in self._coming.items()}
        self._waiting: dict[str, deque[tuple[int, bytes]]] = {node: deque() for node in records}
        self._ready: dict[str, None] = {}  # an ordered set: nodes with waiting bytes, as they became so

    def _arrivals(self, entries: Iterable[Entry]) -> Iterator[tuple[int, bytes]]:
        for entry in entries:
            if entry.kind is Kind.RECEIVED:
                yield (entry.wall_ns if self._epoch_ns is None else self._epoch_ns + entry.stamp_ns), entry.data

    def next_ns(self, now_ns: int) -> int | None:
        """When something can be received; None at the end."""
        if self._ready:
            return now_ns
        return min((arrival[0] for arrival in self._next.values() if arrival is not None), default=None)

    def readable(self, now_ns: int, order: Order) -> tuple[str, ...]:
        self._deliver(now_ns)
        return tuple(self._ready) if order == "epoll" else tuple(node for node in self._nodes if node in self._ready)

    def receive(self, node: str, now_ns: int) -> tuple[bytes, int]:
        """Take bytes of a node, and when the last of them had come."""
        self._deliver(now_ns)
        waiting, data, last_ns = self._waiting[node], b"", now_ns
        while waiting and len(data) < READ_BYTES:
            last_ns, part = waiting.popleft()
            room = READ_BYTES - len(data)
            data += part[:room]
            if part[room:]:
                waiting.appendleft((last_ns, part[room:]))
        del self._ready[node]
        if waiting:
            self._ready[node] = None
        return data, last_ns

    def _deliver(self, now_ns: int) -> None:
        arrived: list[tuple[int, str]] = []
        for node in self._nodes:
            while (arrival := self._next[node]) is not None and arrival[0] <= now_ns:
                if not self._waiting[node]:
                    arrived.append((arrival[0], node))
                self._waiting[node].append(arrival)
                self._next[node] = next(self._coming[node], None)
        for _, node in sorted(arrived):
            self._ready[node] = None


def errors_ns(printed: Iterable[Printed]) -> NDArray[np.int64]:
    """Return how long after our recorder's timestamp each line was timestamped, in ns: int64, shape (n,)."""
    return np.array([line.stamp_ns - line.read_ns for line in printed], dtype=np.int64)


def measure_line_ns() -> int:
    """Return what a printed line costs on this machine without a terminal: the median over logged lines, in ns."""
    handler = logging.StreamHandler(io.StringIO())
    handler.setFormatter(logging.Formatter("%(created)f;%(message)s"))
    logger = logging.Logger("gpiorig.aggregator", logging.INFO)
    logger.addHandler(handler)
    instants = []
    for _ in range(TRIAL_LINES):
        logger.info("%s;%s", "m3-101", "a line of ordinary length, as nodes print them")
        instants.append(time.perf_counter_ns())
    return int(np.median([after - before for before, after in pairwise(instants)]))

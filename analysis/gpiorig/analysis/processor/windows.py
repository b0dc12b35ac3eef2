"""Windows: a recording in intervals of time, one for the packets of some rows each, for bounded memory.

The processor occupancy during a packet depends on the events of that time only, and on the occupant just before.
So a window gives the results of the complete recording, wherever it ends: it is widened until no
span of a node reaches over its ends, and the events that determine the occupant at its start precede its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events, slices
from gpiorig.analysis.events.index import Index, position_type
from gpiorig.analysis.packets import spans
from gpiorig.analysis.packets.event_packets import EventPackets
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.processor import ownership
from gpiorig.analysis.processor.ownership import Ownership
from gpiorig.capture import mapped, native

Positions = NDArray[np.int64]
EVENTS = 1 << 17  # of a window, about: what the caches of a processor hold
APART = 1 << 10  # of places where no span is open, one in this number of events is recorded
MAX_REPEATED = (
    4  # times the events, in all windows: with packets that are under way all the time a single one costs less
)
NONE = -1


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """The packets of some rows, and the time they were under way.

    Parameters
    ----------
    rows
        From this row to before that.
    events
        Those of the time, after those that determine the occupant before.
    packet_of
        int32[n], as in the complete recording.
    ways
        int8[n], as in the complete recording.
    owned
        By node: the occupants of its processor.
    """

    rows: tuple[int, int]
    events: Events
    packet_of: NDArray[np.int32]
    ways: NDArray[np.int8]
    owned: dict[str, Ownership]

    @property
    def addresses(self) -> tuple[int, ...]:
        """Of what kernels read of every event: its sample, node, code and packet."""
        events = self.events
        columns = (
            native.column(events.samples, np.int64, name="samples"),
            native.column(events.nodes, np.uint16, name="nodes", count=len(events)),
            native.column(events.codes, np.uint8, name="codes", count=len(events)),
            native.column(self.packet_of, np.int32, name="packets", count=len(events)),
        )
        return tuple(column.ctypes.data for column in columns)


class Windows:
    """The windows of a recording; `windows[i]` makes one.

    Parameters
    ----------
    events
        Of the complete recording.
    packet_of
        int32[n]: of every event the row of its packet, -1 none.
    ways
        int8[n]: of every event what its node does with the packet.
    routes
        Of these packets: a window holds all of the steps of its packets.
    size
        Events of a window, about.
    """

    def __init__(
        self,
        events: Events,
        packet_of: NDArray[np.int32] | EventPackets,
        ways: NDArray[np.int8],
        *,
        routes: Sequence[Route],
        size: int = EVENTS,
    ) -> None:
        self._events, self._packet_of, self._ways = events, packet_of, ways
        index = Index(events)
        self._nodes = [_Node(events, index, node) for node in range(len(events.node_names))]
        del index  # 160 MiB for a million round trips
        self._rows, first, stop = _extents(events, packet_of, routes, size=size)
        # int64[nodes, w]: of each node from where to where its spans are needed
        self._first = np.array([node.before(first) for node in self._nodes]).reshape(len(self._nodes), len(first))
        self._stop = np.array([node.after(stop) for node in self._nodes]).reshape(len(self._nodes), len(first))
        lengths = self._stop.max(axis=0, initial=0) - self._first.min(axis=0, initial=len(events))
        if lengths.sum() > MAX_REPEATED * (len(events) + size):
            self._rows = self._rows[[0, -1]]
            self._first, self._stop = np.zeros_like(self._first[:, :1]), np.full_like(self._stop[:, :1], len(events))

    def __len__(self) -> int:
        return len(self._rows) - 1

    def scheduled(self, node: str) -> bool:
        """Whether a node shows its running thread or task: ``sched.switch`` or ``task.run``."""
        return node in self._events.node_names and self._nodes[self._events.node(node)].scheduled

    def __getitem__(self, number: int) -> Window:
        first, stop = int(self._first[:, number].min()), int(self._stop[:, number].max())
        before = np.unique(np.concatenate([node.latest(first) for node in self._nodes]))

        def part(values: NDArray[Any] | EventPackets) -> NDArray[Any]:
            return np.concatenate([values[before], values[first:stop]])

        recorded = self._events
        samples = part(recorded.samples)
        events = dataclasses.replace(
            recorded,
            samples=samples,
            nodes=part(recorded.nodes),
            codes=part(recorded.codes),
            ids=part(recorded.ids),
            start=int(samples[0]) if first and len(samples) else recorded.start,
            end=int(recorded.samples[stop]) if stop < len(recorded) else recorded.end,
        )
        packet_of = part(self._packet_of)
        return Window(
            rows=(int(self._rows[number]), int(self._rows[number + 1])),
            events=events,
            packet_of=packet_of,
            ways=part(self._ways),
            owned={
                recorded.node_names[at]: ownership.build(
                    events,
                    at,
                    spans=node.spans(self._first[at, number], self._stop[at, number], shift=len(before) - first),
                    packet_of=packet_of,
                    threads=node.threads,
                )
                for at, node in enumerate(self._nodes)
                if node.shown
            },
        )


class _Node:
    """The events that determine the owner of one node's processor: spans, and the latest report of its scheduler."""

    def __init__(self, events: Events, index: Index, node: int) -> None:
        reports = ("sched.switch", "sched.sleep.enter", "sched.sleep.exit", "rig.boot")
        self._reports = [index.positions(name, node=node) for name in reports]
        self.threads = bool(len(self._reports[0]))
        kind = position_type(len(events))
        names = ownership.enters(threads=self.threads)
        pairs = [spans.pairs_of(name, events, index, node=node).astype(kind) for name in names]
        tasks = names.index("task.run.enter") if "task.run.enter" in names else None
        self.scheduled = self.threads or (tasks is not None and bool(len(pairs[tasks])))
        both = np.concatenate(pairs)
        del pairs
        order = np.argsort(both[:, 0], kind="stable")
        self._enters, self._exits = (mapped.stored(both[:, side][order]) for side in (0, 1))
        self.shown = bool(len(both)) or any(map(len, self._reports[:-1]))
        # Just before these events no span is open.
        until = np.maximum.accumulate(self._exits)
        clean = np.flatnonzero(self._enters[1:] > until[:-1]) + 1
        begins = self._enters[clean]
        apart = np.diff(begins // APART, prepend=NONE) != 0
        last = [until[-1] + 1] if len(until) else []
        self._clean = np.concatenate([[0], begins[apart], last, [len(events)]]).astype(np.int64)

    def before(self, positions: Positions) -> Positions:
        """The latest place up to each at which no span is open."""
        return self._clean[np.searchsorted(self._clean, positions, side="right") - 1]

    def after(self, positions: Positions) -> Positions:
        """The first place from each on at which no span is open."""
        return self._clean[np.searchsorted(self._clean, positions, side="left")]

    def latest(self, position: int) -> Positions:
        """Events before a position that give the thread that runs from there on, and whether the processor sleeps."""
        return np.concatenate([report[: np.searchsorted(report, position)][-1:] for report in self._reports])

    def spans(self, first: int, stop: int, *, shift: int) -> tuple[Positions, Positions]:
        """Enters and exits of the spans that begin from one position to before another."""
        bounds = np.array([first, stop], dtype=self._enters.dtype)  # with another type all enters would be converted
        part = slice(*np.searchsorted(self._enters, bounds).tolist())
        return self._enters[part].astype(np.int64) + shift, self._exits[part].astype(np.int64) + shift


def _extents(
    events: Events, packet_of: NDArray[np.int32] | EventPackets, routes: Sequence[Route], *, size: int
) -> tuple[NDArray[np.int64], Positions, Positions]:
    """int64[w + 1], rows at which windows begin and the last ends; int64[w], positions of first events, and of ends."""
    highest = [int(packet_of[part].max(initial=NONE)) for part in slices(len(events))]
    packets = 1 + max([*highest, *(int(route.steps.rows.max(initial=NONE)) for route in routes)], default=NONE)
    first = np.full(packets + 1, len(events), dtype=np.int64)  # the last for events of no packet
    stop, counts = np.zeros(packets + 1, dtype=np.int64), np.zeros(packets, dtype=np.int64)
    for part in slices(len(events)):
        rows = packet_of[part]
        positions = np.arange(part.start, part.start + len(rows))
        # Of equal rows the one written last stays.
        stop[rows] = positions + 1
        new = np.flatnonzero(first[rows] == len(events))[::-1]
        first[rows[new]] = positions[new]
        counts += np.bincount(rows[rows >= 0], minlength=packets)
    for route in routes:
        of_route = route.steps.rows
        first[of_route] = np.minimum(first[of_route], np.searchsorted(events.samples, route.starts))
        ends = np.searchsorted(events.samples, route.starts + route.totals, side="right")
        stop[of_route] = np.maximum(stop[of_route], ends)
    if not packets:
        return np.zeros(1, dtype=np.int64), first[:0], stop[:0]
    begins = np.flatnonzero(np.diff(np.cumsum(counts) // size, prepend=NONE))
    first, stop = np.minimum.reduceat(first[:-1], begins), np.maximum.reduceat(stop[:-1], begins)
    return np.append(begins, packets), np.minimum(first, stop), stop

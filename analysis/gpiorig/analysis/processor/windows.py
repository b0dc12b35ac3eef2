"""Windows: a recording in intervals of time, one for the packets of some rows each, for bounded memory.

The processor occupancy during a packet depends on the events of that time only, and on the occupant just before.
So a window gives the results of the complete recording, wherever it ends: it is widened until no
span of a node reaches over its ends, and the events that determine the occupant at its start precede its own.
"""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events, slices
from gpiorig.analysis.events.span_ends import SpanEnds, occurrences
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.ordered_pool import in_order
from gpiorig.analysis.packets.event_packets import EventPackets
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.processor import ownership
from gpiorig.analysis.processor.extents import Column, Extents
from gpiorig.analysis.processor.ownership import REPORTS, TASK, Ownership
from gpiorig.capture import native

Positions = NDArray[np.int64]
EVENTS = 1 << 17  # of a window, about: what the caches of a processor hold
APART = 1 << 10  # of places where no span is open, one in this number of events is recorded
MAX_REPEATED = (
    4  # times the events, in all windows: with packets that are under way all the time a single one costs less
)
NONE = -1
_REPORT = np.full(256, NONE, dtype=np.int8)
_REPORT[[BY_NAME[name].code for name in REPORTS]] = np.arange(len(REPORTS))


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

    Attributes
    ----------
    columns
        Of each route, as of `Extents`.
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
        self._reports = Reports(events)
        counts = self._reports.counts
        self._nodes = [_Node(counts[node]) for node in range(len(events.node_names))]

        def ends() -> SpanEnds:
            return SpanEnds(events, [node.enters for node in self._nodes], counts)

        def extents() -> Extents:
            return Extents(events, packet_of, ways, routes)

        found: list[Any] = list(in_order(lambda pass_: pass_(), (ends, extents)))
        self._spans: SpanEnds = found[0]
        self.columns: tuple[tuple[Column, ...], ...] = found[1].columns
        self._rows, first, stop = found[1].windows(size)
        closed = self._spans.closed(apart=APART)
        # int64[nodes, w]: of each node from where to where its spans are needed
        self._first, self._stop = (np.zeros((len(closed), len(first)), dtype=np.int64) for _ in range(2))
        for node, places in enumerate(closed):
            # The latest place up to each position at which no span is open, and the first one from it on.
            self._first[node] = places[np.searchsorted(places, first, side="right") - 1]
            self._stop[node] = places[np.searchsorted(places, stop, side="left")]
        lengths = self._stop.max(axis=0, initial=0) - self._first.min(axis=0, initial=len(events))
        if lengths.sum() > MAX_REPEATED * (len(events) + size):
            self._rows = self._rows[[0, -1]]
            self._first, self._stop = np.zeros_like(self._first[:, :1]), np.full_like(self._stop[:, :1], len(events))

    def __len__(self) -> int:
        return len(self._rows) - 1

    def scheduled(self, node: str) -> bool:
        """Whether a node shows its running thread or task: ``sched.switch`` or ``task.run``."""
        if node not in self._events.node_names:
            return False
        at = self._events.node(node)
        return self._nodes[at].threads or self._spans.has(TASK, node=at)

    def _shown(self, node: int) -> bool:
        return self._nodes[node].reports or any(self._spans.has(name, node=node) for name in self._nodes[node].enters)

    def __getitem__(self, number: int) -> Window:
        first, stop = int(self._first[:, number].min()), int(self._stop[:, number].max())
        before = self._reports.latest(first)

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
        exits = self._spans.exits[first:stop]
        enters = np.flatnonzero(exits >= 0)
        nodes, shift = recorded.nodes[first:stop][enters], len(before) - first

        def owned(at: int, node: _Node) -> Ownership:
            bounds = np.searchsorted(enters, [self._first[at, number] - first, self._stop[at, number] - first])
            of_node = slice(*bounds.tolist())
            begin = enters[of_node][nodes[of_node] == at]
            spans = begin + len(before), exits[begin].astype(np.int64) + shift
            return ownership.build(events, at, spans=spans, packet_of=packet_of, threads=node.threads)

        return Window(
            rows=(int(self._rows[number]), int(self._rows[number + 1])),
            events=events,
            packet_of=packet_of,
            ways=part(self._ways),
            owned={recorded.node_names[at]: owned(at, node) for at, node in enumerate(self._nodes) if self._shown(at)},
        )


class _Node:
    """What a node shows of its processor, by how often each of its codes occurs, int64[256, 2]."""

    def __init__(self, counts: NDArray[np.int64]) -> None:
        reports = [bool(counts[BY_NAME[name].code].any()) for name in REPORTS[:-1]]
        self.threads, self.reports = reports[0], any(reports)
        self.enters = ownership.enters(threads=self.threads)


class Reports:
    """The latest reports of the schedulers before any event, and how often each event occurs."""

    def __init__(self, events: Events) -> None:
        self._events = events
        self.counts = occurrences(events)
        latest = np.full(len(events.node_names) * len(REPORTS), NONE, dtype=np.int64)
        self._starts, self._latest = [], [latest.copy()]  # of slices of events, and before each
        for part in slices(len(events)):
            self._starts.append(part.start)
            self._note(latest, part)
            self._latest.append(latest.copy())

    def _note(self, latest: Positions, part: slice) -> None:
        kinds = _REPORT[self._events.codes[part]]
        here = np.flatnonzero(kinds != NONE)
        keys = self._events.nodes[part][here].astype(np.int64) * len(REPORTS) + kinds[here]
        latest[keys] = here + part.start  # of equal keys the one written last stays

    def latest(self, position: int) -> Positions:
        """Events before a position that give the thread that runs from there on, and whether the processor sleeps."""
        number = bisect.bisect_right(self._starts, position) - 1
        latest = self._latest[max(0, number)].copy()
        if number >= 0:
            self._note(latest, slice(self._starts[number], position))
        return np.unique(latest[latest != NONE])

"""Extents: where packets begin and end among the events, and the layers on their way, from one pass over the events."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from ctypes import c_int64, c_size_t, c_void_p
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events, slices
from gpiorig.analysis.events.layers import DOWN, INTERRUPT, WAYS
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.packets.event_packets import EventPackets
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.statistics.medians import median
from gpiorig.capture import mapped, native

Positions = NDArray[np.int64]
PacketOf = NDArray[np.int32] | EventPackets
Column = tuple[int, str, int]  # index of the node, layer, way
NONE = -1
SENT, RECEIVED = 0, 1
ORDER = (*DOWN, INTERRUPT)
LAYERS = np.full(256, NONE, dtype=np.int8)
for _code, _event in BY_CODE.items():
    if _event.layer in ORDER and _code < 128:
        LAYERS[_code] = ORDER.index(_event.layer)
_ARRAY, _NUMBER = c_void_p, c_size_t


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Of every packet its place among those of a route, or of the part of it that is in a window.

    Parameters
    ----------
    lowest
        The first row.
    places
        int32[r], of the rows from there on: place of each, -1 for one that is not among them.
    """

    lowest: int
    places: NDArray[np.int32]

    @classmethod
    def of(cls, rows: NDArray[np.int64]) -> Places:
        """Of packets of these rows, int64[k], in this order."""
        if not len(rows):
            return cls(0, np.zeros(0, dtype=np.int32))
        lowest = int(rows.min())
        places = mapped.full(int(rows.max()) - lowest + 1, NONE, np.int32)
        for part in slices(len(rows)):
            places[rows[part] - lowest] = np.arange(part.start, part.stop)
        return cls(lowest, places)


class PacketsByRow:
    """Packets of a route by their rows, int64[k]."""

    def __init__(self, rows: NDArray[np.int64]) -> None:
        self._rows, self._order = rows, None
        if any((np.diff(rows[max(0, part.start - 1) : part.stop]) <= 0).any() for part in slices(len(rows))):
            self._order = mapped.stored(np.argsort(rows, kind="stable"))
            self._rows = mapped.stored(rows[self._order])

    def within(self, begin: int, stop: int) -> Positions | slice:
        """The packets whose rows are from one on to before another, in the order of the route."""
        part = slice(*np.searchsorted(self._rows, [begin, stop]).tolist())
        return part if self._order is None else np.sort(self._order[part])


class Extents:
    """Where the packets of a recording begin and end.

    Parameters
    ----------
    events
        Of the complete recording.
    packet_of
        int32[n]: of every event the row of its packet, -1 none.
    ways
        int8[n]: of every event what its node does with the packet.
    routes
        Of these packets.

    Attributes
    ----------
    columns
        Of every route node, layer and way of every layer on the way, in the order in which its packets come by. Those
        of a node and way are together.
    """

    def __init__(self, events: Events, packet_of: PacketOf, ways: NDArray[np.int8], routes: Sequence[Route]) -> None:
        self._packets = 1 + max([_highest(packet_of), *(int(route.steps.rows.max(initial=NONE)) for route in routes)])
        self._first = mapped.full(self._packets, len(events), np.int64)
        self._stop, self._counts = (mapped.zeros(self._packets, np.int64) for _ in range(2))
        extents = (self._first.ctypes.data, self._stop.ctypes.data, self._counts.ctypes.data, self._packets)
        legs = [_Legs(events, route) for route in routes]
        for part in slices(len(events)):
            count = part.stop - part.start
            packets = native.column(packet_of[part], np.int32, name="packets", count=count)
            columns = (
                native.column(events.samples[part], np.int64, name="samples"),
                native.column(events.nodes[part], np.uint16, name="nodes", count=count),
                native.column(events.codes[part], np.uint8, name="codes", count=count),
                packets,
                native.column(ways[part], np.int8, name="ways", count=count),
            )
            native.checked(_add()(packets.ctypes.data, len(packets), part.start, *extents))
            for of_route in legs:
                of_route.note(columns)
        for route in routes:
            self._widen(events, route)
        self.columns = tuple(of_route.columns() for of_route in legs)

    def _widen(self, events: Events, route: Route) -> None:
        samples = native.column(events.samples, np.int64, name="samples")
        for part in slices(len(route)):
            starts = np.ascontiguousarray(route.starts[part])
            rows = np.ascontiguousarray(route.steps.rows[part])
            ends = starts + route.steps.samples[part].sum(axis=1)
            arrays = (rows.ctypes.data, starts.ctypes.data, ends.ctypes.data, len(rows))
            extents = (self._first.ctypes.data, self._stop.ctypes.data, self._packets)
            native.checked(_widen()(samples.ctypes.data, len(samples), *arrays, *extents))

    def windows(self, size: int) -> tuple[NDArray[np.int64], Positions, Positions]:
        """Windows in which the packets have about `size` events each.

        Returns
        -------
        rows, starts, stops
            int64[w + 1], rows at which windows begin and the last ends; int64[w], positions of first events, and ends.
        """
        begins = np.concatenate([np.zeros(0, dtype=np.int64), *self._begins(size)])
        bounds = np.append(begins, self._packets)
        starts, stops = np.zeros((2, len(begins)), dtype=np.int64)
        for window, part in enumerate(map(slice, bounds[:-1], bounds[1:])):
            starts[window], stops[window] = self._first[part].min(), self._stop[part].max()
            mapped.relieve()
        return bounds, np.minimum(starts, stops), stops

    def _begins(self, size: int) -> Iterator[NDArray[np.int64]]:
        count, number = 0, NONE
        for part in slices(self._packets):
            counts = count + np.cumsum(self._counts[part])
            numbers = counts // size
            yield part.start + np.flatnonzero(np.diff(numbers, prepend=number))
            count, number = int(counts[-1]), int(numbers[-1])


class _Legs:
    """When the packets of a route, and each of their legs, begin: nodes and ways."""

    def __init__(self, events: Events, route: Route) -> None:
        # A broadcast is on other nodes too, which are other routes.
        passed = {name for step in route.steps.steps for name in step.nodes}
        self._passed = np.array([name in passed for name in events.node_names], dtype=np.uint8)
        self._places = Places.of(route.steps.rows)
        self._begins = mapped.full(len(route), NONE, np.int64)
        self._firsts: dict[int, NDArray[np.int64]] = {}
        legs = len(self._passed) * len(WAYS)
        self._addresses = np.zeros(legs, dtype=np.uintp)
        self._seen = np.zeros((legs, len(ORDER)), dtype=np.uint8)

    def note(self, columns: Sequence[NDArray[Any]]) -> None:
        """Note what begins in the next events: samples, nodes, codes, packets, ways."""
        while missing := native.checked(
            _note_legs()(
                *(column.ctypes.data for column in columns),
                len(columns[0]),
                self._passed.ctypes.data,
                len(self._passed),
                LAYERS.ctypes.data,
                len(WAYS),
                len(ORDER),
                self._places.places.ctypes.data,
                len(self._places.places),
                self._places.lowest,
                self._begins.ctypes.data,
                len(self._begins),
                self._addresses.ctypes.data,
                self._seen.ctypes.data,
            )
        ):
            firsts = self._firsts[missing - 1] = mapped.full(len(self._begins), NONE, np.int64)
            self._addresses[missing - 1] = firsts.ctypes.data

    def columns(self) -> tuple[Column, ...]:
        """By the medians over the packets of their first event of a leg since their first one at all."""
        since = {leg: self._since(firsts) for leg, firsts in self._firsts.items()}
        columns: list[Column] = []
        for leg in sorted(sorted(since), key=lambda leg: since[leg]):
            node, way = divmod(leg, len(WAYS))
            up = (INTERRUPT, *reversed(DOWN))
            seen = self._seen[leg]
            columns += [(node, layer, way) for layer in (ORDER if way == SENT else up) if seen[ORDER.index(layer)]]
        return tuple(columns)

    def _since(self, firsts: NDArray[np.int64]) -> float:
        times = mapped.full(len(firsts), NONE, np.int64)
        for part in slices(len(firsts)):
            times[part] = np.where(firsts[part] != NONE, firsts[part] - self._begins[part], NONE)
        return median(times, chosen=lambda part: part[part != NONE])


def _highest(packet_of: PacketOf) -> int:
    if isinstance(packet_of, EventPackets):
        return packet_of.highest
    return max((int(packet_of[part].max()) for part in slices(len(packet_of))), default=NONE)


@functools.cache
def _add() -> Callable[..., int]:
    return native.kernel("gpiorig_extents_add", _ARRAY, _NUMBER, c_int64, *[_ARRAY] * 3, _NUMBER)


@functools.cache
def _widen() -> Callable[..., int]:
    return native.kernel("gpiorig_extents_widen", _ARRAY, _NUMBER, *[_ARRAY] * 3, _NUMBER, *[_ARRAY] * 2, _NUMBER)


@functools.cache
def _note_legs() -> Callable[..., int]:
    route = (_ARRAY, _NUMBER, _ARRAY, *[_NUMBER] * 2, _ARRAY, _NUMBER, c_int64)
    return native.kernel("gpiorig_extents_legs", *[_ARRAY] * 5, _NUMBER, *route, _ARRAY, _NUMBER, *[_ARRAY] * 2)

"""Layers on the way of a route: which of them each event of its packets is of, in the order of the path."""

from __future__ import annotations

import functools
from collections.abc import Callable
from ctypes import c_int64, c_size_t, c_void_p
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events, slices
from gpiorig.analysis.events.layers import DOWN, INTERRUPT, WAYS
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.packets.event_packets import EventPackets
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.processor.windows import Window
from gpiorig.capture import native

Positions = NDArray[np.int64]
Column = tuple[int, str, int]  # index of the node, layer, way
NONE = -1
SENT, RECEIVED = 0, 1
_ORDER = (*DOWN, INTERRUPT)
_LAYER = np.full(256, NONE, dtype=np.int8)
for _code, _event in BY_CODE.items():
    if _event.layer in _ORDER and _code < 128:
        _LAYER[_code] = _ORDER.index(_event.layer)


def rows_of(rows: NDArray[np.int64], packet_of: NDArray[np.int32]) -> NDArray[np.int64]:
    """int64[n]: of every event the place of its packet in `rows`, -1 if it is of none of them."""
    if not len(rows):
        return np.full(len(packet_of), NONE, dtype=np.int64)
    low, high = int(rows.min()), int(rows.max())
    places = np.full(high - low + 2, NONE, dtype=np.int64)  # the last for those that are outside
    places[rows - low] = np.arange(len(rows))
    return places[np.where((packet_of >= low) & (packet_of <= high), packet_of - low, NONE)]


def columns_of(
    events: Events, route: Route, *, packet_of: NDArray[np.int32] | EventPackets, ways: NDArray[np.int8]
) -> tuple[Column, ...]:
    """Node, layer and way of every layer on the way of a route, in the order in which its packets come by.

    Those of a node and way are together. Parameters as of `gpiorig.analysis.processor.occupancy.for_routes`.
    """
    # A broadcast is on other nodes too, which are other routes.
    passed = {name for step in route.steps.steps for name in step.nodes}
    on_the_way = np.array([name in passed for name in events.node_names], dtype=bool)
    seen = np.zeros(len(_ORDER) * len(WAYS) * len(events.node_names), dtype=np.int64)
    begins = np.full(len(route), NONE, dtype=np.int64)
    firsts: dict[int, NDArray[np.int64]] = {}
    for part in slices(len(events)):
        labelled = _Part(events.nodes[part], events.codes[part], ways[part], on_the_way)
        of_route = rows_of(route.steps.rows, packet_of[part])
        own = labelled.in_layers(of_route)
        rows, samples, keys = of_route[own], events.samples[part][own], labelled.keys(own, own)
        seen += np.bincount(keys, minlength=len(seen))
        _note_first(begins, rows, samples)
        for leg in np.flatnonzero(np.bincount(keys // len(_ORDER))).tolist():
            of_leg = keys // len(_ORDER) == leg
            _note_first(firsts.setdefault(leg, np.full_like(begins, NONE)), rows[of_leg], samples[of_leg])
    # Median over the packets of their first event of a leg, since each packet's first event at all.
    since = {leg: float(np.median((first - begins)[first != NONE])) for leg, first in firsts.items()}
    columns = []
    for leg in sorted(since, key=lambda label: since[label]):
        node, way = divmod(leg, len(WAYS))
        up = (INTERRUPT, *reversed(DOWN))
        columns += [
            (node, layer, way)
            for layer in (_ORDER if way == SENT else up)
            if seen[leg * len(_ORDER) + _ORDER.index(layer)]
        ]
    return tuple(columns)


def _note_first(firsts: NDArray[np.int64], rows: NDArray[np.int64], samples: NDArray[np.int64]) -> None:
    """Note the first sample of every row that has none yet; samples increase."""
    new = np.flatnonzero(firsts[rows] == NONE)[::-1]
    firsts[rows[new]] = samples[new]  # of equal rows the one written last stays


class _Part:
    """The columns of some events from which their layer follows."""

    def __init__(
        self,
        nodes: NDArray[np.uint16],
        codes: NDArray[np.uint8],
        ways: NDArray[np.int8],
        on_the_way: NDArray[np.bool_],
    ) -> None:
        self._nodes, self.ways, self.layers = nodes, np.where(on_the_way[nodes], ways, NONE), _LAYER[codes]

    def in_layers(self, of_route: NDArray[np.int64]) -> Positions:
        """Positions of the events of packets of the route, in transit, in a layer."""
        return np.flatnonzero((of_route >= 0) & (self.ways >= 0) & (self.layers >= 0))

    def keys(self, layers: Positions, packets: Positions) -> NDArray[np.int64]:
        """int64[q]: layer of the events in `layers`, node and way of those in `packets`, as a number."""
        leg = self._nodes[packets].astype(np.int64) * len(WAYS) + self.ways[packets]
        return leg * len(_ORDER) + self.layers[layers]


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Of every packet its place among those of a route in a window.

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
        lowest = int(rows.min(initial=0 if not len(rows) else int(rows[0])))
        places = np.full(int(rows.max(initial=lowest - 1)) - lowest + 1, NONE, dtype=np.int32)
        places[rows - lowest] = np.arange(len(rows))
        return cls(lowest, places)


class LayerTimes:
    """Times of packets in layers, in a window.

    Parameters
    ----------
    window
        Of a recording.
    places
        Of the packets of the route in this window.
    packets
        How many these are.
    columns
        From `columns_of`.
    """

    def __init__(self, window: Window, places: Places, packets: int, columns: tuple[Column, ...]) -> None:
        self._window, self._places, self._columns = window, places, columns
        self._shape = (packets, len(columns))
        names = window.events.node_names
        self._table = np.full(len(_ORDER) * len(WAYS) * len(names), NONE, dtype=np.int32)
        for at, (node, layer, way) in enumerate(columns):
            self._table[(node * len(WAYS) + way) * len(_ORDER) + _ORDER.index(layer)] = at
        self._ways = native.column(window.ways, np.int8, name="ways", count=len(window.events))
        self._cells = (
            *window.addresses,
            self._ways.ctypes.data,
            len(window.events),
            _LAYER.ctypes.data,
            self._table.ctypes.data,
            len(names),
            len(WAYS),
            len(_ORDER),
            places.places.ctypes.data,
            len(places.places),
            places.lowest,
            len(columns),
        )

    def self_times(self) -> NDArray[np.int64]:
        """int64[k, l]: how long the innermost span of the packet was of the layer."""
        times = np.zeros(self._shape, dtype=np.int64)
        for owned in self._window.owned.values():
            rows = (owned.durations, owned.spans, owned.packet_spans)
            intervals = (*(row.ctypes.data for row in rows), len(owned.durations))
            native.checked(_self_times()(*self._cells, *intervals, times.ctypes.data, times.size))
        return times

    def residence(self) -> NDArray[np.int64]:
        """int64[k, l]: from the first event of a layer to the first of the next one of the node, or to its own last."""
        times, last = np.empty((2, *self._shape), dtype=np.int64)
        followers = self._followers()
        arrays = (array.ctypes.data for array in (followers, times, last))
        native.checked(_residence()(*self._cells, *arrays, times.size))
        return times

    def _followers(self) -> NDArray[np.int32]:
        """For each column the one that takes the packet over on the same node; interrupts take over from no column."""
        followers = np.full(len(self._columns), NONE, dtype=np.int32)
        for at, (node, layer, _) in enumerate(self._columns[:-1]):
            after_node, after, way = self._columns[at + 1]
            if (
                node == after_node
                and not (after == INTERRUPT and way == SENT)
                and not (layer == INTERRUPT and way == SENT)
            ):
                followers[at] = at + 1
        return followers


_ARRAY, _NUMBER = c_void_p, c_size_t
_CELLS = (*[_ARRAY] * 5, _NUMBER, *[_ARRAY] * 2, *[_NUMBER] * 3, _ARRAY, _NUMBER, c_int64, _NUMBER)


@functools.cache
def _self_times() -> Callable[..., int]:
    return native.kernel("gpiorig_self_times", *_CELLS, *[_ARRAY] * 3, _NUMBER, _ARRAY, _NUMBER)


@functools.cache
def _residence() -> Callable[..., int]:
    return native.kernel("gpiorig_residence", *_CELLS, *[_ARRAY] * 3, _NUMBER)

"""Layers on the way of a route: which of them each event of its packets is of, in the order of the path."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events, slices
from gpiorig.analysis.events.layers import DOWN, INTERRUPT, WAYS
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.packets.event_packets import EventPackets
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.processor.windows import Window

Positions = NDArray[np.int64]
Column = tuple[int, str, int]  # index of the node, layer, way
NONE = -1
SENT, RECEIVED = 0, 1
_ORDER = (*DOWN, INTERRUPT)
_LAYER = np.full(256, NONE, dtype=np.int64)
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


class LayerLabels:
    """The cell of a table of layers that an event belongs to.

    Parameters
    ----------
    window
        Of a recording.
    rows
        int64[k], rows of the packets of the route in this window.
    columns
        From `columns_of`.
    """

    def __init__(self, window: Window, rows: NDArray[np.int64], columns: tuple[Column, ...]) -> None:
        events = window.events
        on_the_way = np.isin(np.arange(len(events.node_names)), [node for node, *_ in columns])
        self._of_route = rows_of(rows, window.packet_of)
        self._part = _Part(events.nodes, events.codes, window.ways, on_the_way)
        self._samples, self.packets, self.columns = events.samples, len(rows), columns
        self._own = self._part.in_layers(self._of_route)
        self._column = np.full(len(_ORDER) * len(WAYS) * len(events.node_names), NONE, dtype=np.int64)
        for at, (node, layer, way) in enumerate(columns):
            self._column[(node * len(WAYS) + way) * len(_ORDER) + _ORDER.index(layer)] = at

    def cells(self, spans: Positions, packets: Positions) -> NDArray[np.int64]:
        """int64[q], row times columns plus column: layer of the event in `spans`, the rest of that in `packets`."""
        row = self._of_route[packets]
        known = (row >= 0) & (self._part.ways[packets] >= 0) & (self._part.layers[spans] >= 0)
        column = np.where(known, self._column[np.where(known, self._part.keys(spans, packets), 0)], NONE)
        return np.where(column >= 0, row * len(self.columns) + column, NONE)

    def residence(self) -> NDArray[np.int64]:
        """int64[k, l]: from the first event of a layer to the first of the next one of the node, or to its own last."""
        cells = self.cells(self._own, self._own)
        samples = self._samples[self._own]
        first = np.full((self.packets, len(self.columns)), NONE, dtype=np.int64)
        last = first.copy()
        # Where a cell occurs more than once, the value written last stays.
        first.reshape(-1)[cells[::-1]] = samples[::-1]
        last.reshape(-1)[cells] = samples
        end = last.copy()
        for at, after in self._followers().items():
            later = first[:, after] >= first[:, at]
            end[:, at] = np.where(later & (first[:, at] >= 0), first[:, after], last[:, at])
        return end - first

    def _followers(self) -> dict[int, int]:
        """For each column the one that takes the packet over on the same node; interrupts take over from no column."""
        followers = {}
        for at, (node, layer, _) in enumerate(self.columns[:-1]):
            after_node, after, way = self.columns[at + 1]
            if (
                node == after_node
                and not (after == INTERRUPT and way == SENT)
                and not (layer == INTERRUPT and way == SENT)
            ):
                followers[at] = at + 1
        return followers

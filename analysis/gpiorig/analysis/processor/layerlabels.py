"""Layers on the way of a route: which of them each event of its packets is of, in the order of the path."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.event_table import BY_CODE
from gpiorig.analysis.events import Events
from gpiorig.analysis.routes import Route

Positions = NDArray[np.int64]
NONE = -1
SENT, RECEIVED = 0, 1
WAYS = ("tx", "rx")
DOWN = ("app", "sock", "udp", "ipv6", "sixlowpan", "mac", "driver")
INTERRUPT = "isr"
_ORDER = (*DOWN, INTERRUPT)
_LAYER = np.full(256, NONE, dtype=np.int64)
for _code, _event in BY_CODE.items():
    if _event.layer in _ORDER and _code < 128:
        _LAYER[_code] = _ORDER.index(_event.layer)


def rows_of(route: Route, packet_of: NDArray[np.int32]) -> NDArray[np.int64]:
    """int64[n]: of every event the row of its packet in the route, -1 if it is of none of them."""
    size = int(max(packet_of.max(initial=NONE), route.steps.rows.max(initial=NONE))) + 1
    rows = np.full(size + 1, NONE, dtype=np.int64)  # the last is that of -1
    rows[route.steps.rows] = np.arange(len(route))
    found: NDArray[np.int64] = rows[packet_of]
    return found


def nodes_of(route: Route) -> set[str]:
    """Names of the nodes on the way."""
    return {name for step in route.steps.steps for name in step.node.split(" > ")}


class LayerLabels:
    """The columns of a table of layers, and the cell of it that an event belongs to.

    Parameters
    ----------
    events
        Of the whole recording.
    of_route
        From `rows_of`.
    packets
        Number of packets of the route.
    ways
        int8[n]: of every event `SENT` or `RECEIVED`, -1 none.
    """

    def __init__(self, events: Events, of_route: NDArray[np.int64], ways: NDArray[np.int8], *, packets: int) -> None:
        self._events, self._of_route, self._ways = events, of_route, ways
        mine = np.flatnonzero((of_route >= 0) & (ways >= 0) & (_LAYER[events.codes] >= 0))
        self._packets = packets
        keys = self._keys(mine, mine)
        self._mine, present = mine, np.unique(keys)
        self.columns = self._in_order(present, keys)
        self._column = np.full(len(_ORDER) * 2 * len(events.node_names), NONE, dtype=np.int64)
        for at, (node, layer, way) in enumerate(self.columns):
            self._column[(node * 2 + way) * len(_ORDER) + _ORDER.index(layer)] = at

    def cells(self, spans: Positions, packets: Positions) -> NDArray[np.int64]:
        """int64[q], row times columns plus column: layer of the event in `spans`, the rest of that in `packets`."""
        row = self._of_route[packets]
        known = (row >= 0) & (self._ways[packets] >= 0) & (_LAYER[self._events.codes[spans]] >= 0)
        column = np.where(known, self._column[np.where(known, self._keys(spans, packets), 0)], NONE)
        return np.where(column >= 0, row * len(self.columns) + column, NONE)

    def residence(self) -> NDArray[np.int64]:
        """int64[k, l]: from the first event of a layer to the first of the next one of the node, or to its own last."""
        cells = self.cells(self._mine, self._mine)
        samples = self._events.samples[self._mine]
        first = np.full((self._packets, len(self.columns)), NONE, dtype=np.int64)
        last = first.copy()
        # Where a cell occurs more than once, the value written last stays.
        first.reshape(-1)[cells[::-1]] = samples[::-1]
        last.reshape(-1)[cells] = samples
        end = last.copy()
        for at, after in self._followers().items():
            later = first[:, after] >= first[:, at]
            end[:, at] = np.where(later & (first[:, at] >= 0), first[:, after], last[:, at])
        return end - first

    def _keys(self, layers: Positions, packets: Positions) -> NDArray[np.int64]:
        node, way = self._events.nodes[packets].astype(np.int64), self._ways[packets].astype(np.int64)
        keys: NDArray[np.int64] = (node * 2 + way) * len(_ORDER) + _LAYER[self._events.codes[layers]]
        return keys

    def _in_order(self, present: NDArray[np.int64], keys: NDArray[np.int64]) -> tuple[tuple[int, str, int], ...]:
        """(node, layer, way), those of one node and way together, in the order in which a packet comes by."""
        legs = keys // len(_ORDER)
        samples = self._events.samples[self._mine]
        begun = {int(leg): self._median_first(samples[legs == leg], self._mine[legs == leg]) for leg in np.unique(legs)}
        columns = []
        for leg in sorted(begun, key=lambda each: begun[each]):
            node, way = divmod(leg, 2)
            up = (INTERRUPT, *reversed(DOWN))
            for layer in _ORDER if way == SENT else up:
                if leg * len(_ORDER) + _ORDER.index(layer) in present:
                    columns.append((node, layer, way))
        return tuple(columns)

    def _median_first(self, samples: NDArray[np.int64], positions: Positions) -> float:
        """Median over the packets of their first event of a leg, since each packet's first event at all."""
        rows = self._of_route[positions]
        first = np.full(self._packets, NONE, dtype=np.int64)
        first[rows[::-1]] = samples[::-1]
        begin = np.full(self._packets, NONE, dtype=np.int64)
        begin[self._of_route[self._mine][::-1]] = self._events.samples[self._mine][::-1]
        return float(np.median((first - begin)[first >= 0]))

    def _followers(self) -> dict[int, int]:
        """Of each column the one that takes the packet over on the same node; interrupts take over from nobody."""
        found = {}
        for at, (node, layer, _) in enumerate(self.columns[:-1]):
            after_node, after, way = self.columns[at + 1]
            if (
                node == after_node
                and not (after == INTERRUPT and way == SENT)
                and not (layer == INTERRUPT and way == SENT)
            ):
                found[at] = at + 1
        return found

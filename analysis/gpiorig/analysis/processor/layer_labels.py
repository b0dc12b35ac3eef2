"""Layers on the way of a route: how long they worked on each packet, and how long it was in them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from ctypes import c_int64, c_size_t, c_void_p

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.layers import INTERRUPT, WAYS
from gpiorig.analysis.processor.extents import LAYERS, ORDER, Column, Places
from gpiorig.analysis.processor.extents import RECEIVED as RECEIVED
from gpiorig.analysis.processor.extents import SENT as SENT
from gpiorig.analysis.processor.windows import Window
from gpiorig.capture import native

NONE = -1


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
        Of the route, as of `Extents`.
    """

    def __init__(self, window: Window, places: Places, packets: int, columns: tuple[Column, ...]) -> None:
        self._window, self._places, self._columns = window, places, columns
        self._shape = (packets, len(columns))
        names = window.events.node_names
        self._table = np.full(len(ORDER) * len(WAYS) * len(names), NONE, dtype=np.int32)
        for at, (node, layer, way) in enumerate(columns):
            self._table[(node * len(WAYS) + way) * len(ORDER) + ORDER.index(layer)] = at
        self._ways = native.column(window.ways, np.int8, name="ways", count=len(window.events))
        self._cells = (
            *window.addresses,
            self._ways.ctypes.data,
            len(window.events),
            LAYERS.ctypes.data,
            self._table.ctypes.data,
            len(names),
            len(WAYS),
            len(ORDER),
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

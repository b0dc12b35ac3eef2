"""Events that nodes sent on their buses between instants of packets, counted without a list of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from ctypes import c_size_t, c_uint8, c_void_p

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.delays.calibration import LAST_BUS_CODE
from gpiorig.analysis.events.events import Events
from gpiorig.capture import mapped, native

_BLOCK = 1 << 10  # events between two cumulative numbers
_TOGETHER = 1 << 7  # blocks
_ARRAY, _NUMBER = c_void_p, c_size_t


class SentEvents:
    """Numbers of the events with an id and of those without that each node sent."""

    def __init__(self, events: Events) -> None:
        count = len(events)
        self._columns = (
            native.column(events.samples, np.int64, name="samples"),
            native.column(events.nodes, np.uint16, name="nodes", count=count),
            native.column(events.codes, np.uint8, name="codes", count=count),
            native.column(events.ids, np.int32, name="ids", count=count),
        )
        self._nodes = len(events.node_names)
        # int64[b, nodes, 2]: before each block
        self._before = np.zeros((-(-count // _BLOCK) + 1, self._nodes, 2), dtype=np.int64)
        for start in range(0, count, _TOGETHER * _BLOCK):
            parts = [column[start : start + _TOGETHER * _BLOCK] for column in self._columns[1:]]
            sums = self._before[start // _BLOCK :]
            sizes = (len(parts[0]), LAST_BUS_CODE, _BLOCK, self._nodes)
            native.checked(_add_blocks()(*(part.ctypes.data for part in parts), *sizes, sums.ctypes.data, sums.size))
            mapped.relieve()

    def within(self, instants: NDArray[np.int64], ranges: Sequence[tuple[int, int, int]]) -> NDArray[np.float64]:
        """float64[r, 2, k]: events with and without id that a node sent from an instant of each packet to another.

        Parameters
        ----------
        instants
            int64[k, m], samples.
        ranges
            Index of a node, columns of the two instants. Where the second is the earlier one, the number is negative.
        """
        table = np.array(ranges, dtype=np.uint32).reshape(-1, 3)
        if table.size and (table[:, 0].max() >= self._nodes or table[:, 1:].max() >= instants.shape[1]):
            raise IndexError("a range of another node or instant")
        instants = np.ascontiguousarray(instants, dtype=np.int64)
        counts = np.empty((len(table), 2, len(instants)))
        native.checked(
            _count()(
                *(column.ctypes.data for column in self._columns),
                len(self._columns[0]),
                LAST_BUS_CODE,
                _BLOCK,
                self._nodes,
                self._before.ctypes.data,
                self._before.size,
                instants.ctypes.data,
                *instants.shape,
                table.ctypes.data,
                len(table),
                counts.ctypes.data,
            )
        )
        return counts


@functools.cache
def _add_blocks() -> Callable[..., int]:
    sizes = (c_uint8, _NUMBER, _NUMBER)
    return native.kernel("gpiorig_sent_blocks", *[_ARRAY] * 3, _NUMBER, *sizes, _ARRAY, _NUMBER)


@functools.cache
def _count() -> Callable[..., int]:
    events = (*[_ARRAY] * 4, _NUMBER, c_uint8, _NUMBER, _NUMBER, _ARRAY, _NUMBER)
    return native.kernel("gpiorig_sent_events", *events, _ARRAY, *[_NUMBER] * 2, _ARRAY, _NUMBER, _ARRAY)

"""Ends of spans: the exit of every enter of a recording, found in one pass over the events of all nodes.

An exit ends the latest open enter of its point and node with the same id, else the latest without an id: spans of
several packets may be open at once. An exit without an id ends the latest enter, if none without an id is open. Where
no enter of a point has an id, or no exit of enters that all have one, ids do not count. A span in which samples were
lost is none.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from ctypes import POINTER, byref, c_int64, c_size_t, c_void_p
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events, slices
from gpiorig.analysis.events.index import position_type
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.capture import mapped, native

Positions = NDArray[np.int64]
NONE = -1
CODES = 256
WITHOUT_ID, WITH_ID = 0, 1
_ARRAY, _NUMBER = c_void_p, c_size_t


def occurrences(events: Events) -> NDArray[np.int64]:
    """int64[nodes, 256, 2]: how often each code occurs on each node, without an id and with one."""
    size = len(events.node_names) * CODES * 2
    counts = np.zeros(size, dtype=np.int64)
    for part in slices(len(events)):
        keys = events.nodes[part].astype(np.int32) * CODES
        keys += events.codes[part]
        keys *= 2
        keys += events.ids[part] >= 0
        counts += np.bincount(keys, minlength=size)
    return counts.reshape(-1, CODES, 2)


class SpanEnds:
    """The exit of every enter.

    Parameters
    ----------
    events
        Of the complete recording.
    enters
        By node the events that begin the spans, such as ``udp.tx.enter``.
    counts
        From `occurrences`.

    Attributes
    ----------
    exits
        int32[n] (int64 from 2^31 events on), of every enter the position of its exit, -1 for none and for other events.
    """

    def __init__(self, events: Events, enters: Sequence[Sequence[str]], counts: NDArray[np.int64]) -> None:
        finder = _Finder(events, enters, counts)
        self._events = events
        self._has = np.zeros((len(events.node_names), CODES), dtype=bool)
        self.exits = mapped.full(len(events), NONE, position_type(len(events)))
        for part in slices(len(events)):
            positions = np.arange(part.start, part.stop)
            enter, exit_ = finder.pairs(positions, *(column[part] for column in finder.columns))
            self.exits[enter] = exit_
            self._has[events.nodes[enter], events.codes[enter]] = True

    def has(self, enter: str, *, node: int) -> bool:
        """Whether a node has a span that begins with an event, one of those that are sought."""
        return bool(self._has[node, BY_NAME[enter].code])

    def closed(self, *, apart: int) -> list[Positions]:
        """By node increasing positions just before which none of its spans is open: one in `apart` events, and ends."""
        events, count = self._events, len(self._events.node_names)
        until, latest = np.full((2, count), NONE, dtype=np.int64)
        places: list[list[Positions]] = [[np.zeros(1, dtype=np.int64)] for _ in range(count)]
        for part in slices(len(events)):
            nodes, exits = events.nodes[part], self.exits[part].astype(np.int64)
            of_places, positions = np.empty(len(exits), dtype=np.uint16), np.empty(len(exits), dtype=np.int64)
            arrays = (until.ctypes.data, latest.ctypes.data, count, of_places.ctypes.data, positions.ctypes.data)
            pair = (nodes.ctypes.data, exits.ctypes.data, len(exits))
            written = native.checked(_closed()(*pair, part.start, apart, *arrays))
            of_places, positions = of_places[:written], positions[:written]
            for node in np.unique(of_places).tolist():
                places[node].append(positions[of_places == node])
        ends = [[until[node] + 1] if until[node] >= 0 else [] for node in range(count)]
        return [
            np.concatenate([*of_node, end, [len(events)]]).astype(np.int64)
            for of_node, end in zip(places, ends, strict=True)
        ]


class _Finder:
    """The points whose spans are sought, and their enters that wait for an exit."""

    def __init__(self, events: Events, enters: Sequence[Sequence[str]], counts: NDArray[np.int64]) -> None:
        self._ends = np.full((len(events.node_names), CODES), NONE, dtype=np.int32)
        by_id: list[bool] = []
        for node, names in enumerate(enters):
            for name in names:
                enter, exit_ = (BY_NAME[f"{name.removesuffix('enter')}{end}"].code for end in ("enter", "exit"))
                entered, left = counts[node, enter], counts[node, exit_]
                if not entered.any() or not left.any():
                    continue
                self._ends[node, [enter, exit_]] = 2 * len(by_id), 2 * len(by_id) + 1
                by_id.append(entered[WITH_ID] > 0 and (left[WITH_ID] > 0 or entered[WITHOUT_ID] > 0))
        self._by_id = np.array(by_id, dtype=np.uint8)
        self._gaps = np.ascontiguousarray(events.gaps[:, 1])
        count = len(events)
        self.columns = (
            native.column(events.samples, np.int64, name="samples"),
            native.column(events.nodes, np.uint16, name="nodes", count=count),
            native.column(events.codes, np.uint8, name="codes", count=count),
            native.column(events.ids, np.int32, name="ids", count=count),
        )
        self._waiting: tuple[NDArray[Any], ...] = tuple(
            np.zeros(0, dtype=kind) for kind in (np.int32, np.int64, np.int32, np.int64)
        )

    def pairs(self, positions: Positions, *columns: NDArray[Any]) -> tuple[Positions, Positions]:
        """Enters and exits of the spans that end in the next events."""
        before, count = len(self._waiting[0]), len(positions)
        waiting = tuple(np.concatenate([side, np.empty(count, side.dtype)]) for side in self._waiting)
        waits = c_size_t(before)
        enters, exits = np.empty((2, count), dtype=np.int64)
        pairs = native.checked(
            _pairs()(
                positions.ctypes.data,
                *(column.ctypes.data for column in columns),
                count,
                self._gaps.ctypes.data,
                len(self._gaps),
                self._ends.ctypes.data,
                self._ends.size,
                self._by_id.ctypes.data,
                len(self._by_id),
                *(side.ctypes.data for side in waiting),
                before + count,
                byref(waits),
                enters.ctypes.data,
                exits.ctypes.data,
            )
        )
        self._waiting = tuple(side[: waits.value].copy() for side in waiting)
        return enters[:pairs], exits[:pairs]


@functools.cache
def _pairs() -> Callable[..., int]:
    events = (*[_ARRAY] * 5, _NUMBER, _ARRAY, _NUMBER)
    waiting = (*[_ARRAY] * 4, _NUMBER, POINTER(_NUMBER))
    return native.kernel("gpiorig_span_ends", *events, *[_ARRAY, _NUMBER] * 2, *waiting, *[_ARRAY] * 2)


@functools.cache
def _closed() -> Callable[..., int]:
    events = (*[_ARRAY] * 2, _NUMBER, c_int64, c_int64)
    return native.kernel("gpiorig_spans_closed", *events, *[_ARRAY] * 2, _NUMBER, *[_ARRAY] * 2)

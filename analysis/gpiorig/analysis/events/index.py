"""Positions in the events of every code on every node, and which of them occur in the whole recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events import polled
from gpiorig.analysis.events.events import Events, slices
from gpiorig.analysis.events.layers import PACKET_LAYERS
from gpiorig.analysis.events.table import BY_NAME, EVENT_TYPES
from gpiorig.capture import mapped

Positions = NDArray[np.int64]
Kept = NDArray[np.signedinteger[Any]]

CODES = 256
NEVER = np.iinfo(np.int64).max
HANDLER = "driver.isr.enter"
EXEC = ("driver.exec.enter", "driver.exec.exit")
# What the probe libraries send for a frame that is too short to have an id, and what the last two bytes of many control
# frames are, so that it distinguishes nothing.
NO_ID = 0
SEQUENCE = "mac.sequence"  # its id is a number of its frame
OF_PACKETS = np.zeros(CODES, dtype=bool)
OF_PACKETS[[e.code for e in EVENT_TYPES if e.layer in PACKET_LAYERS and e.name != SEQUENCE]] = True


def position_type(count: int) -> type[np.signedinteger[Any]]:
    """The smaller type of positions that are kept for every event: half the memory below 2^31 events."""
    return np.int32 if count < 1 << 31 else np.int64


@dataclass(frozen=True, slots=True, eq=False)
class Presence:
    """What occurs on which node, at whatever time: what a node shows decides how it is analysed.

    Parameters
    ----------
    since
        int64[nodes * 256], by node and code, position of the first such event, `NEVER` without one.
    with_id
        bool[nodes * 256], one of them has an id, of a packet's layer one other than 0.
    waits
        bool[nodes], the start commands of the node wait until their frame is out (`polled`).
    """

    since: Positions
    with_id: NDArray[np.bool_]
    waits: NDArray[np.bool_]

    def occurs(self, event: str, *, node: int) -> bool:
        """Whether the node ever shows this event."""
        return bool(self.since[node * CODES + BY_NAME[event].code] != NEVER)

    def highest(self, names: Sequence[str], *, node: int) -> str:
        """The first of some events that the node shows; without one the first."""
        return next((name for name in names if self.occurs(name, node=node)), names[0])

    def highest_with_id(self, names: Sequence[str]) -> str:
        """The first of some events that any node shows with an id; without one the first."""
        with_id = np.logical_or.reduce(self.with_id.reshape(-1, CODES))
        return next((name for name in names if with_id[BY_NAME[name].code]), names[0])

    @classmethod
    def of(cls, events: Events) -> Presence:
        """Read all events once, and the start commands of nodes without a handler again."""
        keys = CODES * len(events.node_names)
        since = np.full(keys, NEVER, dtype=np.int64)
        with_id = np.zeros(keys, dtype=bool)
        for part in slices(len(events)):
            key = keys_of(events, part)
            new = np.flatnonzero((np.bincount(key, minlength=keys) > 0) & (since == NEVER))
            for number in new.tolist():
                since[number] = part.start + int(np.argmax(key == number))
            ids = events.ids[part]
            has_id = (ids > NO_ID) | ((ids == NO_ID) & ~OF_PACKETS[events.codes[part]])
            with_id |= np.bincount(key[has_id], minlength=keys) > 0
        handles = since.reshape(-1, CODES)[:, BY_NAME[HANDLER].code] != NEVER
        return cls(since, with_id, _waiting(events, np.flatnonzero(~handles)))


def _waiting(events: Events, nodes: Positions) -> NDArray[np.bool_]:
    waits = np.zeros(len(events.node_names), dtype=bool)
    at = events.positions(*EXEC) if len(nodes) else nodes
    at = at[np.isin(events.nodes[at], nodes)]
    for node in np.unique(events.nodes[at]).tolist():
        here = at[events.nodes[at] == node]
        by_name = {name: here[events.codes[here] == BY_NAME[name].code] for name in EXEC}
        waits[node] = polled.waits(events, by_name.__getitem__)
    return waits


class Index:
    """Positions in the events of every code on every node, in time order.

    Parameters
    ----------
    events
        All events of a recording, or a part of them.
    presence
        What occurs in all of them; without it these are all.
    start
        Position in all events at which a part begins.
    """

    def __init__(self, events: Events, presence: Presence | None = None, *, start: int = 0) -> None:
        self._events, self._given, self._start = events, presence, start
        keys = CODES * len(events.node_names)
        counts = np.zeros(keys, dtype=np.int64)
        for part in slices(len(events)):
            counts += np.bincount(keys_of(events, part), minlength=keys)
        self._bounds = np.concatenate([[0], np.cumsum(counts)])
        self._order = mapped.zeros(len(events), position_type(len(events)))
        free = self._bounds[:-1].copy()
        for part in slices(len(events)):
            key = keys_of(events, part)
            order = np.argsort(key, kind="stable")
            here = np.bincount(key, minlength=keys)
            before = np.cumsum(here) - here
            self._order[np.repeat(free - before, here) + np.arange(len(order))] = order + part.start
            free += here

    @cached_property
    def _presence(self) -> Presence:
        return self._given or Presence.of(self._events)  # most who want positions do not ask for it

    def positions(self, event: str, *, node: int) -> Positions:
        """Positions of one event on one node: int64, increasing."""
        mapped.relieve_now_and_then()
        key = node * CODES + BY_NAME[event].code
        return self._order[self._bounds[key] : self._bounds[key + 1]].astype(np.int64)

    def highest(self, names: Sequence[str], *, node: int) -> str:
        """The first of some events that the node ever shows; without one the first."""
        return self._presence.highest(names, node=node)

    def highest_with_id(self, names: Sequence[str]) -> str:
        """The first of some events that any node ever shows with an id; without one the first."""
        return self._presence.highest_with_id(names)

    def occurs(self, event: str, *, node: int) -> bool:
        """Whether the node ever shows this event, be it in another part of the recording."""
        return self._presence.occurs(event, node=node)

    def occurs_with_id(self, event: str, *, node: int) -> bool:
        """Whether one of them has an id."""
        return bool(self._presence.with_id[node * CODES + BY_NAME[event].code])

    def occurred(self, event: str, *, node: int) -> bool:
        """Whether there is one before this part of the recording."""
        return bool(self._presence.since[node * CODES + BY_NAME[event].code] < self._start)

    def waits(self, node: int) -> bool:
        """Whether the start commands of the node wait until their frame is out."""
        return bool(self._presence.waits[node])


def keys_of(events: Events, part: slice) -> NDArray[Any]:
    """Node and code as one number; of 16 bits where that is enough, which sorts quickest."""
    kind: type[np.integer[Any]] = np.uint16 if len(events.node_names) <= 256 else np.int64
    keys: NDArray[Any] = events.nodes[part].astype(kind)
    keys *= CODES
    keys += events.codes[part]
    return keys

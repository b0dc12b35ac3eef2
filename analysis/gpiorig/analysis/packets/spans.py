"""Spans, from the enter of a point to its exit: those of one packet for drawing, those of a recording for traces."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.index import Index
from gpiorig.analysis.events.table import BY_CODE, EVENT_TYPES
from gpiorig.analysis.packets.round_trips import RoundTrips

ENTERS = tuple(event.name for event in EVENT_TYPES if event.kind == "enter")


@dataclass(frozen=True, slots=True)
class Span:
    """One span of one packet on one node.

    Parameters
    ----------
    point
        Its point, such as ``udp.tx``.
    layer
        The layer of the point.
    node
        Name of the node.
    direction
        path.REQUEST or path.REPLY.
    start, end
        Samples of enter and exit.
    """

    point: str
    layer: str
    node: str
    direction: int
    start: int
    end: int


def for_round_trip(trips: RoundTrips, row: int) -> list[Span]:
    """All spans of a round trip whose enter and exit were both seen, in the order of their enters."""
    events, hops = trips.events, trips.hops
    packets = np.flatnonzero(trips.request_of == trips.requests[row])
    visits = np.flatnonzero(np.isin(hops.visits.packets, packets))
    open_at: dict[tuple[int, str, int], list[int]] = {}
    spans = []
    for position in np.flatnonzero(np.isin(hops.visit_of, visits)).tolist():
        event = BY_CODE[int(events.codes[position])]
        point = event.name.rpartition(".")[0]
        node, direction = (
            int(events.nodes[position]),
            int(trips.directions[hops.visits.packets[hops.visit_of[position]]]),
        )
        key = (node, point, direction)
        if event.kind == "enter":
            open_at.setdefault(key, []).append(int(events.samples[position]))
        elif event.kind == "exit" and open_at.get(key):
            start = open_at[key].pop()
            name = events.node_names[node]
            spans.append(Span(point, event.layer, name, direction, start, int(events.samples[position])))
    return sorted(spans, key=lambda span: (span.start, -span.end))


def pairs(events: Events) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Enter and exit of every span of a recording whose ends were both seen, without lost samples between them.

    An exit ends the latest open enter of its point and node with the same id, else the latest without an id: spans of
    several packets may be open at once.

    Parameters
    ----------
    events
        Of the complete recording.

    Returns
    -------
    enters, exits
        int64[s], positions in the events, in the order of the exits.
    """
    index = Index(events)
    pairs_by_point = [np.zeros((0, 2), dtype=np.int64)]
    for node in range(len(events.node_names)):
        pairs_by_point += [pairs_of(name, events, index, node=node) for name in ENTERS]
    both = np.concatenate(pairs_by_point)
    both = both[np.argsort(both[:, 1], kind="stable")]
    return both[:, 0], both[:, 1]


def pairs_of(enter: str, events: Events, index: Index, *, node: int) -> NDArray[np.int64]:
    """int64[s, 2]: as `pairs`, of the point of one node that begins with the event `enter`; in no order."""
    ends = [index.positions(f"{enter.removesuffix('enter')}{end}", node=node) for end in ("enter", "exit")]
    if not all(map(len, ends)):
        return np.zeros((0, 2), dtype=np.int64)
    both = _paired(events, *ends)
    interval = np.searchsorted(events.gaps[:, 1], events.samples[both], side="right")
    unbroken: NDArray[np.int64] = both[interval[:, 0] == interval[:, 1]]
    return unbroken


def _paired(events: Events, enters: NDArray[np.int64], exits: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[s, 2], pairs of one point on one node.

    An exit right after an enter with its id ends that one. Without the two, all others find the same as before: so
    such pairs are taken out, round after round, and only what is left is walked through one by one.
    """
    positions = np.concatenate([enters, exits])
    order = np.argsort(positions, kind="stable")  # of two runs in order: ten times as quick
    positions, is_exit = positions[order], order >= len(enters)
    ids = events.ids[positions]
    if (ids[~is_exit] < 0).all() or ((ids[is_exit] < 0).all() and (ids[~is_exit] >= 0).all()):
        ids = np.full_like(ids, -1)  # one side has no id: an exit ends the latest
    matched = [np.zeros((0, 2), dtype=np.int64)]
    while True:
        exited = np.flatnonzero(is_exit[1:] & ~is_exit[:-1] & (ids[1:] == ids[:-1]))
        matched.append(np.stack([positions[exited], positions[exited + 1]], axis=1))
        left = np.ones(len(positions), dtype=bool)
        left[exited] = left[exited + 1] = False
        positions, is_exit, ids = positions[left], is_exit[left], ids[left]
        if 16 * len(exited) <= len(positions):
            break
    rest = _one_by_one(positions.tolist(), is_exit.tolist(), ids.tolist())
    return np.concatenate([*matched, np.array(rest, dtype=np.int64).reshape(-1, 2)])


def _one_by_one(positions: list[int], is_exit: list[bool], ids: list[int]) -> list[tuple[int, int]]:
    matched, waiting = [], []
    for position, leaves, identity in zip(positions, is_exit, ids, strict=True):
        if not leaves:
            waiting.append((position, identity))
        elif (place := _matching([known for _, known in waiting], identity)) >= 0:
            matched.append((waiting.pop(place)[0], position))
    return matched


def _matching(waiting: list[int], identity: int) -> int:
    """Place of the latest enter that an exit with an id (-1 none) ends, -1 if there is none."""
    for wanted in (identity, -1):
        if wanted in waiting:
            return len(waiting) - 1 - waiting[::-1].index(wanted)
    return len(waiting) - 1 if identity < 0 else -1

"""Milestones: which event each of them is of every packet, found column by column."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.completions import Kept, position_type
from gpiorig.analysis.packets import path
from gpiorig.analysis.packets.association import Packets
from gpiorig.analysis.packets.path import Milestone, Source

Samples = NDArray[np.int64]
NONE = -1
LATE = np.iinfo(np.int64).max


class Columns:
    """The event of each milestone of every packet; instants are made column by column, for memory's sake."""

    def __init__(self, packets: Packets, wanted: tuple[Milestone, ...], header: tuple[int, ...]) -> None:
        self.wanted = wanted
        self._packets, self._header = packets, header
        self._kind = position_type(len(packets.events))
        self._positions: dict[int, Kept] = {}  # of the columns that any packet has
        bound = np.full(len(packets), len(packets.events), dtype=np.int64)
        for leg in (3, 2, 1, 0):
            bound = np.minimum(bound, self._find(leg, bound))

    def instants(self, column: int) -> Samples:
        """int64[p], -1 missing."""
        if column not in self._positions:
            return np.full(len(self._packets), NONE, dtype=np.int64)
        positions, milestone = self._positions[column], self.wanted[column]
        at = self._packets.events.samples[positions]
        if milestone.source is Source.AIR:
            at -= self._header[milestone.direction]
        known: NDArray[np.bool_] = positions >= 0
        return np.where(known, at, NONE)

    def _find(self, leg: int, bound: Samples) -> Samples:
        """Find the events of a leg; returns the first of each packet, `LATE` where it has none."""
        columns = [i for i, milestone in enumerate(self.wanted) if milestone.leg == leg]
        if leg == 3:
            arrived = _occurrence(self._packets, self.wanted[columns[-1]], bound, first=True)
            bound = np.where(arrived >= 0, arrived + 1, bound)
        soonest = np.full(len(bound), LATE)
        ends = np.full(len(bound), NONE, dtype=np.int64)
        for i in (i for i in columns if self.wanted[i].source is Source.ID):
            found = _occurrence(self._packets, self.wanted[i], bound)
            if self.wanted[i].event == path.RECEPTION_END:
                ends = found
            self._keep(i, found, soonest)
        for i in (i for i in columns if self.wanted[i].source is not Source.ID):
            self._keep(i, _of_reception(self._packets, self.wanted[i], ends), soonest)
        return soonest

    def _keep(self, column: int, found: Samples, soonest: Samples) -> None:
        known = found >= 0
        if known.any():
            self._positions[column] = found.astype(self._kind)
            np.minimum(soonest, found, out=soonest, where=known)


def _candidates(packets: Packets, milestone: Milestone) -> Samples:
    if packets.index is None:
        raise ValueError("packets without their workings have no milestones")
    node = packets.initiator if milestone.at_initiator else packets.responder
    positions = packets.index.of(milestone.event, node=packets.events.node(node))
    candidates: Samples = positions[packets.direction_of[positions] == milestone.direction]
    return candidates


def _occurrence(packets: Packets, milestone: Milestone, bound: Samples, *, first: bool = False) -> Samples:
    """Position of the packet's latest (or first) event before `bound`; its first one if none is before it."""
    positions = _candidates(packets, milestone)
    if not len(positions):
        return np.full(len(packets), NONE, dtype=np.int64)
    n = len(packets.events) + 1
    keys = packets.packet_of[positions].astype(np.int64) * n + positions
    keys.sort()
    base = np.arange(len(packets), dtype=np.int64) * n
    start = np.searchsorted(keys, base)
    place = start if first else np.maximum(np.searchsorted(keys, base + bound) - 1, start)
    key = keys[np.minimum(place, len(keys) - 1)]
    return np.where((place < len(keys)) & (key // n == np.arange(len(packets))), key % n, NONE)


def _of_reception(packets: Packets, milestone: Milestone, ends: Samples) -> Samples:
    """Position of the event that belongs to the reception that ended at `ends`; the latest, should there be several."""
    positions = _candidates(packets, milestone)
    if not len(positions):
        return np.full(len(ends), NONE, dtype=np.int64)
    of = packets.completion_of[positions]
    order = np.argsort(of, kind="stable")
    of = of[order].astype(np.int64)
    place = np.searchsorted(of, ends, side="right") - 1
    found = (ends >= 0) & (place >= 0) & (of[place] == ends)
    return np.where(found, positions[order[place]], NONE)

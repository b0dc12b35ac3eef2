"""Occurrences: the latest event of a kind before another one, for many at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events, slices
from gpiorig.analysis.events.index import Index, Kept, position_type
from gpiorig.capture import mapped

Positions = NDArray[np.int64]

ID_BITS = 16
POSITION_BITS = 34
NONE = -1
RESET = "rig.boot"  # with it a node has forgotten all that it had in hand


def owner(nodes: NDArray[np.integer[Any]] | int, ids: NDArray[np.int32]) -> Positions:
    """int64[k], one number for a node and an id; -1 without an id."""
    return np.where(ids >= 0, (np.asarray(nodes, dtype=np.int64) << ID_BITS) + ids, NONE)


@dataclass(frozen=True, slots=True, eq=False)
class Latest:
    """Things that have an owner and a position in the events, sorted so that the latest of an owner is found at once.

    Parameters
    ----------
    keys
        int64[k], increasing: owner, then position.
    rows
        int32[k] (int64 from 2^31 things on), row of each in the arrays it was made from.
    """

    keys: Positions
    rows: Kept

    @classmethod
    def of(cls, owners: Positions, positions: Positions) -> Latest:
        """Of k things: their owners, such as a node and an id together, below 2^29, and their positions, below 2^34."""
        keys = (owners << POSITION_BITS) + positions
        order = np.argsort(keys, kind="stable")
        return cls(keys[order], order.astype(position_type(len(keys))))

    def before(self, owners: Positions, positions: Positions, *, included: bool = False) -> Positions:
        """int64[q], row of the latest thing of each owner before a position (or at it), -1 for none."""
        if not len(self.keys):
            return np.full(len(owners), NONE, dtype=np.int64)
        place = (
            np.searchsorted(self.keys, (owners << POSITION_BITS) + positions, side="right" if included else "left") - 1
        )
        return self._owned(place, owners)

    def after(self, owners: Positions, positions: Positions) -> Positions:
        """int64[q], row of the first thing of each owner after a position, -1 for none."""
        if not len(self.keys):
            return np.full(len(owners), NONE, dtype=np.int64)
        place = np.searchsorted(self.keys, (owners << POSITION_BITS) + positions, side="right")
        return self._owned(np.where(place < len(self.keys), place, NONE), owners)

    def _owned(self, place: Positions, owners: Positions) -> Positions:
        held = np.maximum(place, 0)
        good = (place >= 0) & (owners >= 0) & (self.keys.take(held) >> POSITION_BITS == owners)
        return np.where(good, self.rows.take(held), np.int64(NONE))


def values_at(values: NDArray[Any], rows: NDArray[np.integer[Any]]) -> Positions:
    """int64[q], values of rows; -1 where the row is negative."""
    if not len(values):
        return np.full(len(rows), NONE, dtype=np.int64)
    values_there = np.empty(rows.shape, dtype=np.int64)
    for part in slices(len(rows)):
        values_there[part] = values.take(np.maximum(rows[part], 0))
        values_there[part][rows[part] < 0] = NONE
    return values_there


def owned(keys: Positions, place: Positions, owners: Positions) -> Positions:
    """Positions at some places of sorted keys, owner and position, -1 where there is none or it is another owner's."""
    inside = (place >= 0) & (place < len(keys))
    key = values_at(keys, np.where(inside, place, NONE))
    return np.where(inside & (key >> POSITION_BITS == owners), key & (1 << POSITION_BITS) - 1, NONE)


def first_between(keys: Positions, owners: Positions, since: Positions, until: Positions) -> Positions:
    """int64[q], the first position of each owner after one and before another, -1 for none; keys as of `owned`."""
    following = owned(keys, np.searchsorted(keys, (owners << POSITION_BITS) + since, side="right"), owners)
    return np.where(following < until, following, NONE)


def gathered(
    values: NDArray[Any], rows: NDArray[np.integer[Any]], kind: type[np.generic] | None = None
) -> NDArray[Any]:
    """[q], as `values_at`, of the values' type or another, made in slices into a mapped array."""
    chosen = mapped.zeros(len(rows), kind or values.dtype.type)
    for part in slices(len(rows)):
        chosen[part] = values_at(values, rows[part])
    return chosen


def occurring(events: Events, index: Index, names: tuple[str, ...]) -> tuple[str, Positions]:
    """The first of the events that occurs with ids on any node, and its positions, increasing."""
    name = index.highest_with_id(names)
    nodes = range(len(events.node_names))
    at = np.sort(np.concatenate([index.positions(name, node=node) for node in nodes]), kind="stable")
    return name, at[events.ids[at] >= 0]


def latest_of(effects: Positions, causes: Positions, *, of: Positions) -> Positions:
    """int64[k], the latest cause of each effect, -1 for none; `of` is the effect that each cause belongs to."""
    if not len(causes):
        return np.full(len(effects), NONE, dtype=np.int64)
    order = np.argsort(of, kind="stable")
    place = np.maximum(np.searchsorted(of[order], effects, side="right") - 1, 0)
    return np.where((effects >= 0) & (of[order][place] == effects), causes[order[place]], NONE)

"""Matching of two lists of lines, by their texts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from itertools import pairwise
from operator import eq

import numpy as np
from numpy.typing import NDArray

NONE = -1


def same_text(entries: Sequence[Hashable], counterparts: Sequence[Hashable]) -> NDArray[np.int64]:
    """The place in `counterparts` of each of `entries`, both in the same order, some missing or garbled on either side.

    Entries that occur once on both sides are anchors; of these the longest increasing run remains, as in the patience
    diff of B. Cohen. From the anchors, the beginning and the end, equal entries are followed in both directions. What
    is ambiguous stays without a partner.

    Returns
    -------
    numpy.ndarray
        int64[len(entries)], increasing where it is not -1.
    """
    if len(entries) == len(counterparts) and all(map(eq, entries, counterparts)):
        return np.arange(len(entries))
    down = np.full(len(entries), NONE, dtype=np.int64)
    up = down.copy()
    anchors = [(NONE, NONE), *_anchors(entries, counterparts), (len(entries), len(counterparts))]
    for (before, before_place), (after, after_place) in pairwise(anchors):
        i, j = before, before_place
        if i >= 0:
            down[i] = up[i] = j
        while i + 1 < after and j + 1 < after_place and entries[i + 1] == counterparts[j + 1]:
            i, j = i + 1, j + 1
            down[i] = j
        i, j = after, after_place
        while i - 1 > before and j - 1 > before_place and entries[i - 1] == counterparts[j - 1]:
            i, j = i - 1, j - 1
            up[i] = j
    # Two answers for one entry, on either side: of several equal ones some are missing, and which is unknown.
    rows = np.concatenate([np.flatnonzero(down != NONE), np.flatnonzero((up != NONE) & (up != down))])
    places = np.concatenate([down[down != NONE], up[(up != NONE) & (up != down)]])
    sole = (np.bincount(rows, minlength=1)[rows] == 1) & (np.bincount(places, minlength=1)[places] == 1)
    partners = np.full(len(entries), NONE, dtype=np.int64)
    partners[rows[sole]] = places[sole]
    return partners


def _anchors(entries: Sequence[Hashable], counterparts: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Places of entries that are unique on both sides, both increasing, as many as possible."""
    places, counterpart_places = _once(entries), _once(counterparts)
    pairs = [(i, counterpart_places[entry]) for entry, i in places.items() if entry in counterpart_places]
    # Longest increasing subsequence: `tails[k]` is the smallest end of an increasing run of k + 1.
    tails: list[int] = []
    ends: list[int] = []
    before = [NONE] * len(pairs)
    for at, (_, j) in enumerate(pairs):
        k = bisect_left(tails, j)
        before[at] = ends[k - 1] if k else NONE
        if k == len(tails):
            tails.append(j)
            ends.append(at)
        else:
            tails[k], ends[k] = j, at
    run = []
    at = ends[-1] if ends else NONE
    while at != NONE:
        run.append(pairs[at])
        at = before[at]
    return run[::-1]


def _once(entries: Sequence[Hashable]) -> dict[Hashable, int]:
    """Place of each entry that occurs once, in order."""
    places: dict[Hashable, int] = {}
    for place, entry in enumerate(entries):
        places[entry] = NONE if entry in places else place
    return {entry: place for entry, place in places.items() if place != NONE}

"""Matching of two lists: lines by their texts, packets by their 16-bit numbers."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Sequence
from itertools import pairwise
from operator import eq

import numpy as np
from numpy.typing import NDArray

NONE = -1
ID_ROUND = 1 << 16


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


def same_packet(logged: NDArray[np.int32], seen: NDArray[np.int32]) -> NDArray[np.int64]:
    """The place in `seen` of each packet number of `logged`; both may lack some, and be out of order by some.

    Numbers are unwrapped from their 16 bits, each to the nearest of the one before, so that equal numbers of different
    rounds are different packets. The first of both lie within half a round. Of several equal ones the first belongs to
    the first.

    Returns
    -------
    numpy.ndarray
        int64[len(logged)], -1 for none.
    """
    if not len(logged) or not len(seen):
        return np.full(len(logged), NONE, dtype=np.int64)
    numbers, seen_numbers = _unwrapped(logged), _unwrapped(seen)
    seen_numbers += numbers[0] + _nearest(seen_numbers[0] - numbers[0]) - seen_numbers[0]
    low, high = min(numbers.min(), seen_numbers.min()), max(numbers.max(), seen_numbers.max())
    span = high - low + 1
    numbers, seen_numbers = (
        numbers - low + span * _occurrence(numbers),
        seen_numbers - low + span * _occurrence(seen_numbers),
    )
    order = np.argsort(seen_numbers)
    at = np.minimum(np.searchsorted(seen_numbers[order], numbers), len(seen_numbers) - 1)
    return np.where(seen_numbers[order][at] == numbers, order[at], NONE)


def _nearest(steps: NDArray[np.int64]) -> NDArray[np.int64]:
    """Steps modulo a round of packet numbers, from -32768 to 32767."""
    half = ID_ROUND // 2
    return (steps + half) % ID_ROUND - half


def _unwrapped(ids: NDArray[np.int32]) -> NDArray[np.int64]:
    wide = ids.astype(np.int64)
    return np.concatenate((wide[:1], wide[:1] + np.cumsum(_nearest(np.diff(wide)))))


def _occurrence(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[n]: how many equal values come before each."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    group_starts = np.searchsorted(ordered, ordered)
    occurrence = np.empty(len(values), dtype=np.int64)
    occurrence[order] = np.arange(len(values)) - group_starts
    return occurrence

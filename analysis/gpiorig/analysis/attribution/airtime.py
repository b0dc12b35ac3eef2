"""Intervals of time on the air: unions, and the cover of windows. All are int64 samples, ends exclusive."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Intervals(NamedTuple):
    """First sample of each interval, and one past its last: int64[n] each."""

    starts: Samples
    ends: Samples

    def rows(self, rows: Samples | Flags) -> Intervals:
        """Some of the intervals."""
        return Intervals(self.starts[rows], self.ends[rows])


NONE = Intervals(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64))


def union(*parts: Intervals) -> Intervals:
    """The time that any interval covers: in order, without overlap."""
    starts = np.concatenate([part.starts for part in parts])
    ends = np.concatenate([part.ends for part in parts])
    order = np.argsort(starts, kind="stable")
    starts, ends = starts[order], np.maximum.accumulate(ends[order])
    first = np.append(True, starts[1:] > ends[:-1])[: len(starts)]
    return Intervals(starts[first], ends[np.append(first[1:], True)[: len(ends)]])


def without(intervals: Intervals, others: Intervals, *, tolerance: float) -> Intervals:
    """The intervals that are not also one of `others`, to a tolerance at either end."""
    if not len(others.starts):
        return intervals
    others = others.rows(np.argsort(others.starts))
    place = np.clip(np.searchsorted(others.starts, intervals.starts + tolerance, side="right") - 1, 0, None)
    same = np.abs(others.starts[place] - intervals.starts) <= tolerance
    same &= np.abs(others.ends[place] - intervals.ends) <= tolerance
    return intervals.rows(~same)


def covered(merged: Intervals, begins: Samples, ends: Samples) -> Samples:
    """int64[k], samples of each window that intervals from `union` cover."""
    before = np.concatenate([[0], np.cumsum(merged.ends - merged.starts)])

    def up_to(instants: Samples) -> Samples:
        place = np.searchsorted(merged.starts, instants, side="right")
        beyond = np.maximum(np.append(0, merged.ends)[place] - instants, 0)
        return before[place] - np.where(place > 0, beyond, 0)

    return up_to(ends) - up_to(begins)


def count_within(merged: Intervals, begins: Samples, ends: Samples) -> Samples:
    """int64[k], intervals from `union` that share time with each window."""
    first = np.searchsorted(merged.ends, begins, side="right")
    last = np.searchsorted(merged.starts, ends)
    count: Samples = np.maximum(last - first, 0)
    return count


def window_of(instants: Samples, begins: Samples, ends: Samples) -> Samples:
    """int64[n], the window (begin <= instant < end) of each instant, -1 outside all; windows do not overlap."""
    if not len(begins):
        return np.full(len(instants), -1, dtype=np.int64)
    order = np.argsort(begins, kind="stable")
    place = np.searchsorted(begins[order], instants, side="right") - 1
    window = order[np.maximum(place, 0)]
    return np.where((place >= 0) & (instants < ends[window]), window, -1)


def nearest(instants: Samples, sorted_instants: Samples, *, tolerance: float) -> Samples:
    """int64[n], place of the nearest of some sorted instants, -1 where none is within the tolerance."""
    if not len(sorted_instants):
        return np.full(len(instants), -1, dtype=np.int64)
    after = np.minimum(np.searchsorted(sorted_instants, instants), len(sorted_instants) - 1)
    before = np.maximum(after - 1, 0)
    closer = np.abs(sorted_instants[before] - instants) < np.abs(sorted_instants[after] - instants)
    place = np.where(closer, before, after)
    return np.where(np.abs(sorted_instants[place] - instants) <= tolerance, place, -1)

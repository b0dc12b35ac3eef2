"""Groups of a text table, whose times begin again in each: laid one after the other in time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.changes import Changes
from gpiorig.capture.text.table_parser import Slice

BETWEEN = 1  # samples, the gap between two groups


def one_after_the_other(slices: Iterable[Slice], used: int) -> Iterator[Changes]:
    """Yield the rows of all groups in the order of time, in memory that does not grow with their number.

    A channel that a group does not name in its first instant is low, as at the start of a table.

    Parameters
    ----------
    slices
        The rows; times do not decrease within a group.
    used
        Mask of the channels, of which nothing is known in a gap.
    """
    group, shift = 0, 0  # of the row before, and what was added to its time
    end: int | None = None  # the sample of that row
    for rows, _, groups in slices:
        starts = np.flatnonzero(np.diff(groups, prepend=groups[0] if end is None else group) != 0)
        times = rows.times + _shifts(rows.times, starts, shift=shift, end=end)
        masks = _complete(times, rows.masks, starts, used) if starts.size else rows.masks
        yield Changes(
            np.insert(times, starts, times[starts] - BETWEEN),
            np.insert(masks, starts, np.uint64(used)),
            np.insert(rows.values, starts, np.uint64(0)),
            np.insert(rows.unknown, starts, np.uint64(used)),
        )
        group, shift, end = int(groups[-1]), int(times[-1] - rows.times[-1]), int(times[-1])


def _shifts(
    times: NDArray[np.int64], starts: NDArray[np.intp], *, shift: int, end: int | None
) -> NDArray[np.int64] | int:
    """What is added to the time of each row; a group begins a gap after the last sample of the one before."""
    if not starts.size:
        return shift
    lasts = times[np.append(starts[1:], times.size) - 1]
    before = int(times[starts[0] - 1]) + shift if starts[0] else end or 0
    ends = before + np.cumsum(1 + BETWEEN + lasts - times[starts])
    lengths = np.diff(starts, prepend=0, append=times.size)
    return np.repeat(np.concatenate([[shift], ends - lasts]), lengths)


def _complete(
    times: NDArray[np.int64], masks: NDArray[np.uint64], starts: NDArray[np.intp], used: int
) -> NDArray[np.uint64]:
    """Masks whose first row of a group has the channels, too, that no row of its first instant names."""
    of_row = np.searchsorted(starts, np.arange(times.size), side="right") - 1
    named = np.bitwise_or.reduceat(np.where(times == times[starts][of_row], masks, np.uint64(0)), starts)
    complete = masks.copy()
    complete[starts] |= np.uint64(used) & ~named
    return complete

"""A window of a capture in as much detail as a picture of it can show: every change, or the extremes of each bin."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.edges.edges import no_gaps
from gpiorig.capture.edges.waveform import NO_LEVELS, NO_SAMPLES, Block

Levels = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Changes:
    """All changes of a window.

    Attributes
    ----------
    samples
        int64, shape (n,): sample numbers, increasing.
    levels
        uint64, shape (n,): bit i is the level of channel i from that sample on.
    gaps
        int64, shape (k, 2): lost ranges of samples.
    """

    samples: NDArray[np.int64]
    levels: Levels
    gaps: NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """The extremes of a window in bins of equal length.

    Attributes
    ----------
    lowest, highest
        uint64, shape (bins,): bit i is the lowest, the highest level of channel i in the bin. Both are 0 before the
        first known level.
    changes
        Number of rows of edges in the window.
    gaps
        int64, shape (k, 2): lost ranges of samples.
    """

    lowest: Levels
    highest: Levels
    changes: int
    gaps: NDArray[np.int64]


def of(blocks: Iterable[Block], *, start: int, end: int, bins: int, most: int) -> Changes | Bins:
    """Look at a window, in memory that does not grow with it.

    Parameters
    ----------
    blocks
        The content of the window, as `select.window` reads it.
    start, end
        The window, in samples: [start, end).
    bins
        Number of bins, if there are more changes than `most`.
    most
        Number of changes up to which all are returned.
    """
    few: list[Block] = []
    parts: list[Reduced] = []
    gaps, rows = [no_gaps()], 0
    for block in blocks:
        gaps.append(block.gaps)
        rows += block.samples.size
        if rows <= most:
            few.append(block)
            continue
        parts += [reduced(part, start, end, bins) for part in (*few, block) if part.samples.size]
        few = []
    lost = np.concatenate(gaps)
    if rows > most:
        return binned(parts, bins, rows, lost)
    samples = np.concatenate([NO_SAMPLES, *(block.samples for block in few)])
    return Changes(samples, np.concatenate([NO_LEVELS, *(block.levels for block in few)]), lost)


@dataclass(frozen=True, slots=True, eq=False)
class Reduced:
    """Of the bins in which rows are: their numbers, the extremes of the rows, the levels of the last, how many."""

    bins: NDArray[np.int64]
    lowest: Levels
    highest: Levels
    last: Levels
    rows: NDArray[np.int64]


def reduced(block: Block, start: int, end: int, bins: int) -> Reduced:
    """The rows of a block in a window, by bin."""
    numbers = (block.samples - start) * bins // (end - start)
    return merged(numbers, block.levels, block.levels, block.levels, np.ones(len(numbers), dtype=np.int64))


def merged(
    numbers: NDArray[np.int64], lowest: Levels, highest: Levels, last: Levels, rows: NDArray[np.int64]
) -> Reduced:
    """One entry for each of the numbers, which do not decrease."""
    firsts = np.flatnonzero(np.diff(numbers, prepend=-1))
    ends = np.append(firsts[1:], len(numbers)) - 1
    return Reduced(
        numbers[firsts],
        np.bitwise_and.reduceat(lowest, firsts),
        np.bitwise_or.reduceat(highest, firsts),
        last[ends],
        np.add.reduceat(rows, firsts),
    )


def binned(parts: list[Reduced], bins: int, rows: int, gaps: NDArray[np.int64]) -> Bins:
    """All bins; what a channel had before a bin holds until its first change in it."""
    one = merged(*(np.concatenate([getattr(part, name) for part in parts]) for name in Reduced.__slots__))
    held = np.searchsorted(one.bins, np.arange(bins)) - 1  # the entry before each bin
    before = np.where(held >= 0, one.last[np.maximum(held, 0)], np.uint64(0))
    lowest, highest = before.copy(), before.copy()
    lowest[one.bins] = one.lowest
    highest[one.bins] = one.highest
    known = one.bins[held[one.bins] >= 0]
    lowest[known] &= before[known]
    highest[known] |= before[known]
    return Bins(lowest, highest, rows, gaps)

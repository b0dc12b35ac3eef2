"""Ranks and Kendall's S, which every report needs, without `scipy.stats`, whose import takes half a second."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def mid_ranks(values: NDArray[Any]) -> NDArray[np.float64]:
    """float64[n]: ranks from 1; equal values share the mean of theirs."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    means: NDArray[np.float64] = np.cumsum(counts) - (counts - 1) / 2
    return means[inverse]


def kendall_s(values: NDArray[Any]) -> int:
    """Pairs in increasing order minus pairs in decreasing order: Kendall's S of values with their places."""
    distinct, ranks, counts = np.unique(values, return_inverse=True, return_counts=True)
    n = len(values)
    pairs = (n * (n - 1) - int(np.sum(counts * (counts - 1)))) // 2
    return pairs - 2 * _inversions(ranks, len(distinct).bit_length())


def _inversions(keys: NDArray[np.int64], bits: int) -> int:
    """Pairs with the larger key first: sorted by one bit after the other, the highest first.

    Two keys differ first in one bit; there the one with a 1 is before the one with a 0, within their common group.
    """
    total, groups = 0, np.zeros(len(keys), dtype=np.int64)
    for bit in reversed(range(bits)):
        ones = (keys >> bit) & 1
        before = np.cumsum(ones) - ones
        starts = np.flatnonzero(np.diff(groups, prepend=-1))
        within = before - np.repeat(before[starts], np.diff(starts, append=len(keys)))
        total += int(within[ones == 0].sum())
        order = np.argsort(2 * groups + ones, kind="stable")
        keys, groups = keys[order], (2 * groups + ones)[order]
    return total

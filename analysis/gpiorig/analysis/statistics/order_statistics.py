"""Statements about any distribution from the order statistics of independent values; ranks and Kendall's S.

Every report needs ranks: they are here without `scipy.stats`, whose import takes half a second.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95  # of every interval


def ranks(n: int, p: float) -> tuple[int, int]:
    """Ranks, from 1, of the order statistics around a quantile; 0 or n + 1 where there is none so far out."""
    outside = (1 - CONFIDENCE) / 2
    return _binomial_quantile(outside, n, p), _binomial_quantile(1 - outside, n, p) + 1


def _binomial_quantile(share: float, n: int, p: float) -> int:
    """The least count whose binomial distribution function is at least the share."""
    from scipy.special import bdtr, bdtrik

    count = math.ceil(float(bdtrik(share, n, p)))
    return count - 1 if count > 0 and float(bdtr(count - 1, n, p)) >= share else count


def needed_for(p: float) -> int:
    """Independent values from which on `intervals.for_quantile` has both ends."""
    return math.ceil(math.log((1 - CONFIDENCE) / 2) / math.log(max(p, 1 - p)))


def covered(n: float, ends: int) -> float:
    """Share of a distribution between n values' extremes (2 `ends`), or beyond none of one (1), by Wilks 1941."""
    from scipy.special import betaincinv

    return float(betaincinv(n + 1 - ends, ends, 1 - CONFIDENCE)) if n > ends - 1 else 0.0


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

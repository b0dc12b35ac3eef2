"""Statements about any distribution from the order statistics of independent values."""

from __future__ import annotations

import math

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

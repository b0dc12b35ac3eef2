"""Shares of the variance that parts of the packets make, with their intervals: together they are all of it.

The sum of squares about the mean of a set of packets never falls when packets join it. So packets that join set by set
divide the sum of squares of all, and no share is below zero.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.statistics.estimators import Estimator, Replicates
from gpiorig.analysis.statistics.intervals import Interval, bootstrapped
from gpiorig.analysis.statistics.resampling import Resampling

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
# Shares of resamples, float64[r], from the sums over each resample: float64[r, c] of the c columns.
Ratio = Callable[[Floats], Floats]


def within(delays: Floats, own: Flags, levels: Floats, *, worth: float = 1.0) -> Interval:
    """Share of the levels of some packets in the sum of squares of all: that of the packets minus that about levels.

    Parameters
    ----------
    delays
        float64[n].
    own
        bool[n], packets that are on a level.
    levels
        float64[n], where their levels are.
    worth
        Factor of the result.
    """
    x, off = delays - delays.mean(), own * (delays - levels)
    columns = np.stack([np.ones(len(x)), x, x * x, own, own * x, own * x * x, own, off, off * off], axis=1)

    def ratio(sums: Floats) -> Floats:
        between = np.maximum(_squares(sums[:, 3:6]) - _squares(sums[:, 6:9]), 0)
        return worth * _over(between, _squares(sums[:, 0:3]))

    return _interval(columns, ratio)


def joining(delays: Floats, groups: NDArray[np.int64], count: int) -> list[Interval]:
    """Share of each group in the sum of squares of all, when the groups 0, 1, ... join one after the other.

    Parameters
    ----------
    delays
        float64[n].
    groups
        int64[n], group of each packet, below `count`.
    """
    x = delays - delays.mean()
    moments = np.stack([np.ones(len(x)), x, x * x], axis=1)
    columns = np.concatenate([moments * (groups <= last)[:, None] for last in range(count)], axis=1)

    def ratio(last: int) -> Ratio:
        def share(sums: Floats) -> Floats:
            here = _squares(sums[:, 3 * last : 3 * last + 3])
            before = _squares(sums[:, 3 * last - 3 : 3 * last]) if last else 0.0
            return _over(here - before, _squares(sums[:, -3:]))

        return share

    return [_interval(columns, ratio(last)) for last in range(count)]


def _squares(sums: Floats) -> Floats:
    """Sum of squares about the mean, from count, sum and sum of squares."""
    n, first, second = sums.T
    squares: Floats = np.maximum(second - first * first / np.maximum(n, 1), 0)
    return squares


def _over(part: Floats, total: Floats) -> Floats:
    return np.where(total > 0, part / np.where(total > 0, total, 1.0), 0.0)


def _interval(columns: Floats, ratio: Ratio) -> Interval:
    def replicates(plan: Resampling) -> Replicates:
        cells = plan.sums(columns)
        return lambda weights: ratio(weights @ cells)

    value = float(ratio(columns.sum(axis=0)[None, :])[0])
    return bootstrapped(Estimator(value, (columns[:, 2],), replicates))

"""Means of independent repeats, and the difference of two of them, with intervals."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.statistics.intervals import CONFIDENCE, NAN, Interval

MIN_REPEATS = 3  # for an interval of their mean
ROUNDING = 1e-12  # of the mean: equal values in floating point have a smaller standard deviation, not one of 0


def half_width(values: NDArray[np.float64]) -> float:
    """Half of the interval of the mean of independent repeats, by Student's t; NaN for fewer than `MIN_REPEATS`."""
    from scipy.special import stdtrit

    count = len(values)
    if count < MIN_REPEATS:
        return NAN
    return float(stdtrit(count - 1, (1 + CONFIDENCE) / 2) * values.std(ddof=1) / math.sqrt(count))


def difference(base: NDArray[np.float64], new: NDArray[np.float64]) -> Interval:
    """The mean of new minus that of base, with the interval of B. L. Welch (Biometrika 34, 1947).

    Parameters
    ----------
    base, new
        float64[n], [m], a value of each repeat. Fewer than `MIN_REPEATS`, or repeats without a spread, give no
        interval.
    """
    if not len(base) or not len(new):
        return Interval(NAN, NAN, NAN, "none", "no repeat has a value")
    value = float(new.mean() - base.mean())
    if min(len(base), len(new)) < MIN_REPEATS:
        return Interval(value, NAN, NAN, "none", f"fewer than {MIN_REPEATS} repeats of each")
    count = np.array([len(base), len(new)])
    variance = np.array([base.var(ddof=1), new.var(ddof=1)]) / count
    error = math.sqrt(variance.sum())
    if error <= ROUNDING * abs(base.mean()):
        return Interval(value, NAN, NAN, "none", "the repeats do not differ")
    from scipy.special import stdtrit

    freedom = error**4 / float((variance**2 / (count - 1)).sum())
    half = float(stdtrit(freedom, (1 + CONFIDENCE) / 2)) * error
    return Interval(value, value - half, value + half, "Welch's t")

"""The difference and the ratio of two estimates: of independent ones from their intervals, or of pairs of repeats."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.statistics import repeats
from gpiorig.analysis.statistics.intervals import NAN, Interval

METHOD = "from both intervals (Zou and Donner 2008)"


def difference(base: Interval, new: Interval) -> Interval:
    """New minus base.

    The ends lie sqrt((new - new.low)^2 + (base.high - base)^2) below and accordingly above: G. Y. Zou and A. Donner,
    "Construction of confidence limits about effect measures: A general approach", Statistics in Medicine 27, 2008,
    pp. 1693-1702. Any intervals will do, also those that are not symmetric. Without an end, NaN.
    """
    value = new.value - base.value
    low = value - math.hypot(new.value - new.low, base.high - base.value)
    high = value + math.hypot(new.high - new.value, base.value - base.low)
    return _of(value, low, high)


def ratio(base: Interval, new: Interval) -> Interval:
    """New over base, both positive: the difference of the logarithms; an end at 0 or infinity where one of theirs is.

    NaN where one is not positive; 1 where both are 0 without a doubt.
    """
    if base.low == base.high == new.low == new.high == 0:
        return Interval(1.0, 1.0, 1.0, METHOD, "both are 0")
    if not (base.value > 0 and new.value > 0):
        return Interval(NAN, NAN, NAN, "none", "a ratio needs two positive values")
    logs = difference(_logarithm(base), _logarithm(new))
    return _of(new.value / base.value, math.exp(logs.low), math.exp(min(logs.high, 700)))


def paired_difference(base: NDArray[np.float64], new: NDArray[np.float64]) -> Interval:
    """The mean of new minus base over repeats float64[n] of which each pair has what both share, such as a seed."""
    return repeats.mean(new - base)


def paired_ratio(base: NDArray[np.float64], new: NDArray[np.float64]) -> Interval:
    """The mean of new over that of base, of repeats as in `paired_difference`.

    The ratio estimator of W. G. Cochran, Sampling Techniques, 3rd ed., Wiley 1977, section 6.3: its standard error is
    that of the mean of new - ratio * base, over the mean of base. The interval is symmetric on the scale of the
    logarithm, with Student's t, n - 1. NaN where a mean is not positive; 1 where all values are 0.
    """
    if not base.any() and not new.any():
        return Interval(1.0, 1.0, 1.0, "none needed", "both are 0")
    if not (base.mean() > 0 and new.mean() > 0):
        return Interval(NAN, NAN, NAN, "none", "a ratio needs two positive values")
    value = float(new.mean() / base.mean())
    rest = repeats.mean(new - value * base)
    half = (rest.high - rest.low) / 2 / float(new.mean())
    return Interval(value, value * math.exp(-half), value * math.exp(min(half, 700)), "Student's t of pairs")


def _of(value: float, low: float, high: float) -> Interval:
    is_bounded = not (math.isnan(low) or math.isnan(high))
    return Interval(value, low, high, METHOD if is_bounded else "none", "" if is_bounded else "an interval is missing")


def _logarithm(interval: Interval) -> Interval:
    low, high = (math.log(end) if end > 0 else -math.inf if end <= 0 else NAN for end in (interval.low, interval.high))
    return Interval(math.log(interval.value), low, high, interval.method)

"""The difference and the ratio of two independent estimates, from their intervals."""

from __future__ import annotations

import math

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


def _of(value: float, low: float, high: float) -> Interval:
    is_bounded = not (math.isnan(low) or math.isnan(high))
    return Interval(value, low, high, METHOD if is_bounded else "none", "" if is_bounded else "an interval is missing")


def _logarithm(interval: Interval) -> Interval:
    low, high = (math.log(end) if end > 0 else -math.inf if end <= 0 else NAN for end in (interval.low, interval.high))
    return Interval(math.log(interval.value), low, high, interval.method)

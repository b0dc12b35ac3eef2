"""Means of independent repeats, and the difference of two of them, with intervals."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.statistics.intervals import CONFIDENCE, NAN, Interval

MIN_REPEATS = 3  # for an interval of their mean
ROUNDING = 1e-12  # of the mean: equal values in floating point have a smaller standard deviation, not one of 0


def mean(values: NDArray[np.float64], *, least: float = -math.inf, most: float = math.inf) -> Interval:
    """The mean of independent repeats, with an interval that stays within what the quantity can be.

    Student's t where it has no ends. Of what cannot be negative the mean is taken for log-normal: from mean / C to
    mean * C, C = exp(t * sqrt(log(1 + (s / mean)^2))), s the standard error (S. T. Buckland et al., Introduction to
    Distance Sampling, Oxford University Press 2001, section 3.6.1, with t in place of z); of a share the logit of the
    mean has the standard error s / (mean * (1 - mean)), by the delta method. All three are one for a small s. A
    bootstrap of 3 repeats cannot leave their range, which has the mean in 3 of 4 cases only.

    Parameters
    ----------
    values
        float64[n], a value of each repeat. Fewer than `MIN_REPEATS` give no interval.
    least, most
        0 and 1 of a share, 0 and infinity of what cannot be negative. A value outside of them: Student's t.
    """
    count = len(values)
    if not count:
        return Interval(NAN, NAN, NAN, "none", "no repeat has a value")
    value = float(values.mean())
    if count < MIN_REPEATS:
        return Interval(value, NAN, NAN, "none", f"fewer than {MIN_REPEATS} repeats")
    error = float(values.std(ddof=1)) / math.sqrt(count)
    if error * math.sqrt(count) <= ROUNDING * abs(value):
        return Interval(value, value, value, "none needed", "the repeats do not differ")
    from scipy.special import stdtrit

    t = float(stdtrit(count - 1, (1 + CONFIDENCE) / 2))
    if least != 0 or values.min() < 0 or values.max() > most:
        return Interval(value, value - t * error, value + t * error, "Student's t")
    if most == 1:
        logit, half = math.log(value / (1 - value)), t * error / (value * (1 - value))
        return Interval(value, _logistic(logit - half), _logistic(logit + half), "Student's t of the logit")
    factor = math.exp(t * math.sqrt(math.log1p((error / value) ** 2)))
    return Interval(value, value / factor, value * factor, "log-normal mean, Student's t")


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > 0 else math.exp(x) / (1 + math.exp(x))


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

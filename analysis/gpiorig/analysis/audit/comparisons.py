"""A quantity by another clock against the same by the pins: errors, skew, added jitter."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.audit.quantities import Quantity
from gpiorig.analysis.audit.results import Comparison
from gpiorig.analysis.statistics import intervals
from gpiorig.analysis.statistics import summary as statistics
from gpiorig.analysis.statistics.estimators import Estimator, Replicates
from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.analysis.statistics.resampling import Resampling
from gpiorig.analysis.statistics.summary import NAN, Summary

Values = NDArray[np.float64]
PS_PER_NS = 1000
MIN_VALUES = 3  # values of which a range can be resampled


def compare(quantity: Quantity) -> Iterator[Comparison]:
    """One comparison for each clock that measures the quantity."""
    for clock, values in quantity.clocks.items():
        known = np.isfinite(values)
        if not known.any():
            continue
        pins_ns, other_ns = quantity.pins_ns[known], values[known]
        errors_ns = other_ns - pins_ns
        yield Comparison(
            quantity=quantity.name,
            clock=clock,
            n=len(pins_ns),
            unmatched=len(values) - len(pins_ns) + quantity.missing,
            pins=summary(pins_ns),
            other=summary(other_ns),
            error=summary(errors_ns),
            skew_ns=intervals.for_quantile(errors_ns, 0.5),
            added_jitter_ns=added_jitter(pins_ns, other_ns),
            errors_ns=errors_ns,
        )


def summary(values_ns: Values) -> Summary:
    """Statistics of values in ns, rounded to 1 ps: the exact ones of integers."""
    samples = np.rint(values_ns * PS_PER_NS).astype(np.int64)
    return statistics.summarize(samples, samplerate_hz=Fraction(10**9 * PS_PER_NS))


def added_jitter(pins_ns: Values, other_ns: Values) -> Interval:
    """Peak-to-peak of the other minus peak-to-peak of the pins, with a block bootstrap of the packets, both together.

    The bootstrap is known to fail for extremes: a value beyond those seen is in no resample (P. J. Bickel and D. A.
    Freedman, "Some Asymptotic Theory for the Bootstrap", Annals of Statistics 9 (6), 1981, section 6). The interval
    shows how much the difference depends on few packets, not how much larger it may become in a longer run; the note
    states this. The seed is fixed: equal values give equal intervals.

    Parameters
    ----------
    pins_ns, other_ns
        float64[n], the same packets.
    """
    n = len(pins_ns)
    if n < MIN_VALUES:
        value = float(np.ptp(other_ns) - np.ptp(pins_ns)) if n else NAN
        return Interval(value, NAN, NAN, "none", "too few values for an interval")
    both = np.stack([pins_ns, other_ns], axis=1)

    def replicates(plan: Resampling) -> Replicates:
        starts = plan.edges[:-1]
        lows, highs = np.minimum.reduceat(both, starts), np.maximum.reduceat(both, starts)

        def ranges(weights: NDArray[np.float64]) -> NDArray[np.float64]:
            drawn = weights > 0
            pins, other = (
                np.where(drawn, high, -np.inf).max(axis=1) - np.where(drawn, low, np.inf).min(axis=1)
                for low, high in zip(lows.T, highs.T, strict=True)
            )
            added: NDArray[np.float64] = other - pins
            return added

        return ranges

    return intervals.bootstrapped(
        Estimator(float(np.ptp(other_ns) - np.ptp(pins_ns)), (pins_ns, other_ns), replicates),
        note=f"of {n} packets: extremes beyond those seen are in no resample",
    )

"""Statistics of a delay as resampling needs them: the value, what it depends on, and the value of resamples."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.statistics import dependence, resampling, summary
from gpiorig.analysis.statistics.dependence import Derived
from gpiorig.analysis.statistics.dependence import Series as Influence
from gpiorig.analysis.statistics.resampling import Resampling
from gpiorig.analysis.statistics.statistic_names import probability
from gpiorig.analysis.statistics.tally import Ordered, Tally
from gpiorig.analysis.statistics.value_series import ValueSeries, series_of

Values = NDArray[Any]
# A statistic of resamples: float64[r] for weights float64[r, c].
Replicates = Callable[[NDArray[np.float64]], NDArray[np.float64]]


@dataclass(frozen=True, slots=True, eq=False)
class Estimator:
    """One statistic of one series.

    Parameters
    ----------
    value
        The estimate.
    influence
        Series, in the order of time, whose means it depends on; their autocorrelation sets the blocks.
    replicates
        Given a plan of resamples, the function that computes the statistic of each.
    """

    value: float
    influence: tuple[Influence, ...]
    replicates: Callable[[Resampling], Replicates]


def mean(values: Values) -> Estimator:
    """The arithmetic mean."""
    origin = int(values[0])
    centred = Derived(values, lambda part: (part - origin).astype(np.float64))

    def replicates(plan: Resampling) -> Replicates:
        def resampled(weights: NDArray[np.float64]) -> NDArray[np.float64]:
            return origin + resampling.means(centred, plan, weights)

        return resampled

    return Estimator(origin + dependence.mean(centred), (centred,), replicates)


def std(values: Values) -> Estimator:
    """The sample standard deviation (n - 1), of two values or more."""
    n, origin = len(values), int(values[0])
    centre = dependence.mean(Derived(values, lambda part: part - origin))
    centred = Derived(values, lambda part: (part - origin) - centre)
    squares = Derived(values, lambda part: np.square(centred.of(part)))
    rest = dependence.mean(centred)  # what rounding leaves
    spread = dependence.total(Derived(values, lambda part: np.square(centred.of(part) - rest)))

    def replicates(plan: Resampling) -> Replicates:
        sums = np.stack([plan.sums(centred), plan.sums(squares)], axis=1)

        def resampled(weights: NDArray[np.float64]) -> NDArray[np.float64]:
            first, second = (weights @ sums / (weights @ plan.sizes)[:, None]).T
            result: NDArray[np.float64] = np.sqrt(np.maximum(0, second - first * first) * (n / (n - 1)))
            return result

        return resampled

    return Estimator(math.sqrt(spread / (n - 1)), (squares,), replicates)


def quantile(values: Values | ValueSeries, p: float) -> Estimator:
    """A quantile."""
    series = series_of(values)
    value = quantile_of(series.ordered, p)

    def replicates(plan: Resampling) -> Replicates:
        return lambda weights: series.cells(plan).quantiles(p, weights)

    return Estimator(value, (series.until(value),), replicates)


def spread(values: Values | ValueSeries, low: float, high: float) -> Estimator:
    """The distance of two quantiles."""
    series = series_of(values)
    bottom, top = quantile_of(series.ordered, low), quantile_of(series.ordered, high)

    def replicates(plan: Resampling) -> Replicates:
        cells = series.cells(plan)
        return lambda weights: cells.quantiles(high, weights) - cells.quantiles(low, weights)

    return Estimator(top - bottom, (series.until(bottom), series.until(top)), replicates)


# Those of `statistic_names.STATISTICS` that are neither extremes nor quantiles.
NAMED: Mapping[str, Callable[[Values], Estimator]] = {
    "mean": mean,
    "std": std,
    "iqr": partial(spread, low=0.25, high=0.75),
}


def named(values: Values, name: str) -> Estimator:
    """A statistic by name, `statistic_names.STATISTICS` but for `EXTREMES`, or any percentile such as ``p99.9``.

    Raises
    ------
    QuantityError
        There is no such statistic.
    """
    if name in NAMED:
        return NAMED[name](values)
    return quantile(values, probability(name))


def extreme(values: Values, name: str) -> float:
    """One of `statistic_names.EXTREMES`."""
    least, most = float(values.min()), float(values.max())
    return {"min": least, "max": most, "p2p": most - least}[name]


def quantile_of(ordered: Ordered, p: float, *, origin: int = 0) -> float:
    """`summary.quantile` minus an origin, exact on integers; numpy's, which is the same, on other numbers."""
    if isinstance(ordered, Tally) or np.issubdtype(ordered.dtype, np.integer):
        return float(summary.quantile(ordered, Fraction(p).limit_denominator(1_000_000)) - origin)
    return float(np.quantile(ordered, p)) - origin

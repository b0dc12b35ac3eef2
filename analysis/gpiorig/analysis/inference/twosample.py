"""Two-sample tests that know that packets of one run depend on each other, and a correction for many of them.

A test for independent values takes the dependence within a run for a difference between runs. So each variance here is
the long-run variance: the ordinary one times n / effective n (`dependence.measure`). Where no dependence is found they
are the ordinary tests.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.inference import dependence

Values = NDArray[Any]
_PLACES = (0.1, 0.25, 0.5, 0.75, 0.9)
_FEW = 10  # values from which on Brunner and Munzel 2000 take the approximation for good (not checked in the paper)


def brunner_munzel(base: Values, new: Values) -> float:
    """Two-sided p-value of P(base < new) + P(base = new) / 2 = 1/2: neither run tends to larger values.

    E. Brunner and U. Munzel, "The Nonparametric Behrens-Fisher Problem: Asymptotic Theory and a Small-Sample
    Approximation", Biometrical Journal 42 (1), 2000, pp. 17-25: the mean placement of each run's values among those
    of the other, over its standard error, against Student's t. Spreads may differ. Where the runs do not overlap at
    all the standard error is 0; then it is the probability of that order among all orders of as many independent
    values. With fewer than ten independent values on a side it is the Mann-Whitney test.

    Parameters
    ----------
    base, new
        int64 or float64[n], [m], in the order of time; 2 values each at least.
    """
    from scipy.special import gammaln
    from scipy.stats import mannwhitneyu, t

    sides = [(_placements(base, new), len(base)), (_placements(new, base), len(new))]
    effective = [dependence.measure(placed).effective for placed, _ in sides]
    if min(effective) < _FEW:
        return float(mannwhitneyu(base, new).pvalue)
    errors = [float(np.var(placed, ddof=1)) / n for (placed, _), n in zip(sides, effective, strict=True)]
    shift = float(sides[1][0].mean()) - 0.5
    if sum(errors) <= 0:
        if abs(shift) < 0.25:
            return 1.0
        a, b = effective
        return min(1.0, 2 * math.exp(gammaln(a + 1) + gammaln(b + 1) - gammaln(a + b + 1)))
    freedom = sum(errors) ** 2 / sum(error**2 / max(1.0, n - 1) for error, n in zip(errors, effective, strict=True))
    return float(2 * t.sf(abs(shift) / math.sqrt(sum(errors)), freedom))


def kolmogorov_smirnov(base: Values, new: Values) -> float:
    """Two-sided p-value of equal distributions, from the largest distance of the two shares at or below a value.

    N. Smirnov, "Table for Estimating the Goodness of Fit of Empirical Distributions", Annals of Mathematical
    Statistics 19 (2), 1948, pp. 279-281, with the effective numbers in place of n and m: the smallest found for being
    at or below the place of the largest distance, or below one of five quantiles. Conservative where values are equal.

    Parameters
    ----------
    base, new
        As of `brunner_munzel`.
    """
    from scipy.stats import kstwo

    ordered = [np.sort(values) for values in (base, new)]
    places = np.concatenate(ordered)
    shares = [np.searchsorted(values, places, side="right") / len(values) for values in ordered]
    distances = np.abs(shares[0] - shares[1])
    worst = int(np.argmax(distances))
    cuts = [places[worst], *np.quantile(places, _PLACES, method="lower")]
    a, b = (min(dependence.measure(values <= cut).effective for cut in cuts) for values in (base, new))
    return float(np.clip(kstwo.sf(distances[worst], max(1, round(a * b / (a + b)))), 0, 1))


def holm(p_values: Sequence[float]) -> list[float]:
    """P-values corrected for their number: a true hypothesis has one below a level with that probability at most.

    S. Holm, "A Simple Sequentially Rejective Multiple Test Procedure", Scandinavian Journal of Statistics 6 (2), 1979,
    pp. 65-70.
    """
    order = np.argsort(p_values, kind="stable")
    factors = np.arange(len(p_values), 0, -1)
    corrected = np.maximum.accumulate(np.asarray(p_values, dtype=np.float64)[order] * factors)
    result = np.empty(len(p_values))
    result[order] = np.minimum(1, corrected)
    return [float(p) for p in result]


def _placements(values: Values, others: Values) -> NDArray[np.float64]:
    """float64[n]: for each value the share of the others below it, those equal to it half."""
    ordered, order = np.sort(others), np.argsort(values)
    sought = values[order]  # a search for sorted values is much faster
    below = np.searchsorted(ordered, sought, side="left") + np.searchsorted(ordered, sought, side="right")
    placed = np.empty(len(values))
    placed[order] = below / (2 * len(others))
    return placed

"""Two-sample tests for runs whose packets depend on each other, and a correction for many of them.

A test for independent values takes the dependence within a run for a difference between runs. So each variance here is
the long-run variance (`_worth`), and a p-value allows for how badly that is known. Where no dependence is found they
are tests for independent values.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.statistics import dependence

Values = NDArray[Any]
_PLACES = (0.1, 0.25, 0.5, 0.75, 0.9)
_TAIL = 0.95
_EXACT = 100  # values on a side up to which the exact distribution of Smirnov's distance is quick to compute
_PER_FREQUENCY = 5  # independent values for each frequency of the long-run variance: where the spectrum is still flat


def brunner_munzel(base: Values, new: Values) -> float:
    """Two-sided p-value of P(base < new) + P(base = new) / 2 = 1/2: neither run tends to larger values.

    E. Brunner and U. Munzel, "The Nonparametric Behrens-Fisher Problem: Asymptotic Theory and a Small-Sample
    Approximation", Biometrical Journal 42 (1), 2000, pp. 17-25: the mean placement of each run's values among those
    of the other, over its standard error, against Student's t. Spreads may differ. The error is at least that
    for equal runs, from the ranks of both together (Mann and Whitney's): that error ignores values that are too
    rare in one run for the other to show any, and is next to 0 for few values. Where the runs do not overlap at all
    it is the probability of that order among all orders of as many independent values.

    Parameters
    ----------
    base, new
        int64 or float64[n], [m], in the order of time; 2 values each at least.
    """
    from scipy.special import gammaln
    from scipy.stats import t

    placed = _placements(base, new), _placements(new, base)
    shift = float(placed[1].mean()) - 0.5
    if not shift:
        return 1.0
    if abs(shift) == 0.5:
        a, b = (_worth(values)[0] for values in (base, new))
        return min(1.0, 2 * math.exp(gammaln(a + 1) + gammaln(b + 1) - gammaln(a + b + 1)))
    both = np.concatenate([base, new])
    equal = float(np.var(_placements(both, both), ddof=1))
    worth = [_worth(sample) for sample in placed]
    errors = max(
        [float(np.var(sample, ddof=1)) / n for sample, (n, _) in zip(placed, worth, strict=True)],
        [equal / n for n, _ in worth],
        key=sum,
    )
    freedom = _welch(errors, [min(known, max(1.0, n - 1)) for n, known in worth])
    return float(2 * t.sf(abs(shift) / math.sqrt(sum(errors)), freedom))


def kolmogorov_smirnov(base: Values, new: Values) -> float:
    """Two-sided p-value of equal distributions, from the largest distance of the two shares at or below a value.

    N. Smirnov, "Table for Estimating the Goodness of Fit of Empirical Distributions", Annals of Mathematical
    Statistics 19 (2), 1948, pp. 279-281, with the effective numbers in place of n and m: the smallest found for being
    at or below the place of the largest distance, or below one of five quantiles. Conservative where values are equal.
    Of dependent values the deviate of the normal distribution that has the p-value is held against Student's t; of few
    independent ones the distribution of the distance is exact.

    Parameters
    ----------
    base, new
        As of `brunner_munzel`.
    """
    from scipy.stats import ks_2samp, kstwo, norm, t

    ordered = [np.sort(values) for values in (base, new)]
    places = np.concatenate(ordered)
    shares = [np.searchsorted(values, places, side="right") / len(values) for values in ordered]
    distances = np.abs(shares[0] - shares[1])
    worst = int(np.argmax(distances))
    cuts = [places[worst], *np.quantile(places, _PLACES, method="lower")]
    worth = [np.min([_worth(values <= cut) for cut in cuts], axis=0) for values in (base, new)]
    (a, _), (b, _) = worth
    freedom = _welch([1 / a, 1 / b], [known for _, known in worth])
    if math.isinf(freedom) and max(a, b) <= _EXACT:
        with warnings.catch_warnings():
            # Where the exact count does not succeed, scipy reports it and uses the asymptotic one.
            warnings.simplefilter("ignore", RuntimeWarning)
            return float(ks_2samp(base, new, method="exact").pvalue)
    p = float(np.clip(kstwo.sf(distances[worst], max(1, round(a * b / (a + b)))), 0, 1))
    return p if math.isinf(freedom) else float(2 * t.sf(norm.isf(p / 2), freedom))


def upper_tail(base: Values, new: Values) -> float:
    """Two-sided p-value of equal shares above p95 of both runs together, by `brunner_munzel`.

    Ranks and shares hardly move when few packets become very late; this test shows it.

    Parameters
    ----------
    base, new
        As of `brunner_munzel`.
    """
    cut = np.quantile(np.concatenate([base, new]), _TAIL, method="lower")
    return brunner_munzel(base > cut, new > cut)


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


def _worth(series: Values) -> tuple[float, float]:
    """How many independent values know a mean as well, and the degrees of freedom with which that is known.

    Values that look independent (`dependence.measure`): their number, infinite. Others: the smaller of the number from
    `measure`, which for strong dependence is too much, and n var / the mean of the first v squared type II cosine
    transforms. That mean is the long-run variance with v degrees of freedom (U. K. Mueller, "HAC Corrections for
    Strongly Autocorrelated Time Series", Journal of Business & Economic Statistics 32 (3), 2014, pp. 311-322). v is
    0.4 n^(2/3) (E. Lazarus, D. J. Lewis, J. H. Stock and M. W. Watson, "HAR Inference: Recommendations for Practice",
    ibid. 36 (4), 2018, pp. 541-559), and less where dependence is strong.
    """
    from scipy.fft import dct

    n, measured = len(series), dependence.measure(series)
    if measured.independent:
        return measured.effective, math.inf
    frequencies = max(1, int(min(0.4 * n ** (2 / 3), measured.effective / _PER_FREQUENCY)))
    centred = np.asarray(series, dtype=np.float64) - float(np.mean(series))
    long_run = float(np.mean(dct(centred, norm="ortho")[1 : frequencies + 1] ** 2))
    effective = n * float(np.var(centred)) / long_run if long_run > 0 else float(n)
    return max(1.0, min(measured.effective, effective)), float(frequencies)


def _welch(errors: Sequence[float], freedoms: Sequence[float]) -> float:
    """Degrees of freedom of a sum of squared errors, by Welch and Satterthwaite; infinite of known ones."""
    unknown = sum(error**2 / freedom for error, freedom in zip(errors, freedoms, strict=True))
    return sum(errors) ** 2 / unknown if unknown else math.inf

"""Trend and change: growth of a step over the run, and jumps."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import kolmogorov, ndtr, ndtri

from gpiorig.analysis.attribution.findings import Finding
from gpiorig.analysis.attribution.series import autoregression, grouped_share, impulse_response, inflation
from gpiorig.analysis.number_text import count_text, share_text, time_text
from gpiorig.analysis.statistics.intervals import CONFIDENCE, Interval
from gpiorig.analysis.statistics.order_statistics import kendall_s, mid_ranks

Floats = NDArray[np.float64]

MIN_PACKETS = 30
MIN_EFFECTIVE = 20  # packets that autocorrelation leaves: with fewer a wandering series has trends and jumps
MIN_SEGMENT = 10  # packets between changes
MAX_CHANGES = 8
_PAIRS = 1000  # packets whose pairs give the slope


def mann_kendall(values: Floats) -> tuple[float, float, float]:
    """Kendall's tau of values with their order, its two-sided p-value, and the effective number of values.

    Mann (Econometrica 13, 1945), Kendall (Rank Correlation Methods, 1975) with ties. The variance of S is multiplied by
    1 + 2/(n (n - 1)(n - 2)) sum_k (n - k)(n - k - 1)(n - k - 2) r_k, r_k the autocorrelation of the ranks of what a
    straight line leaves (Hamed and Rao, Journal of Hydrology 204, 1998), here that of a fitted autoregression.
    """
    n = len(values)
    _, ties = np.unique(values, return_counts=True)
    if len(ties) < 2:
        return 0.0, 1.0, float(n)
    ties = ties.astype(np.float64)
    base = (n * (n - 1) * (2 * n + 5) - float(np.sum(ties * (ties - 1) * (2 * ties + 5)))) / 18
    pairs = n * (n - 1) / 2
    s = kendall_s(values)
    tau = float(s / np.sqrt(pairs * (pairs - float(np.sum(ties * (ties - 1) / 2)))))
    factor = _hamed_rao(_ranked_residual(values), n)
    z = (s - np.sign(s)) / np.sqrt(base * factor)
    return tau, float(2 * ndtr(-abs(z))), n / factor


def _ranked_residual(values: Floats) -> Floats:
    slope, base = np.polyfit(np.arange(len(values)), values, 1)
    return mid_ranks(values - base - slope * np.arange(len(values)))


def _hamed_rao(ranks: Floats, n: int) -> float:
    r = correlations(autoregression(ranks), min(n - 3, 1000))
    k = np.arange(1, len(r) + 1)
    weight = (n - k) * (n - k - 1.0) * (n - k - 2.0)
    return max(1.0, 1 + 2 / (n * (n - 1.0) * (n - 2.0)) * float(weight @ r))


def correlations(model: Floats, lags: int) -> Floats:
    """Autocorrelation of an autoregressive series at the lags from 1 on, from the response to one impulse."""
    if not len(model):
        return np.zeros(lags)
    response = impulse_response(model, 4 * lags)
    power = np.fft.irfft(np.abs(np.fft.rfft(response, 2 * len(response))) ** 2)
    values: Floats = power[1 : lags + 1] / power[0]
    return values


def trend(delays: NDArray[np.int64], starts: NDArray[np.int64], *, period_ns: float) -> Finding | None:
    """Test delays for a trend over the run; None for few packets, or few that are independent.

    Parameters
    ----------
    delays, starts
        int64[n], samples, in the order of sending.
    period_ns
        Nanoseconds per sample.
    """
    if len(delays) < MIN_PACKETS:
        return None
    values, seconds = delays.astype(np.float64), (starts - starts[0]) * period_ns * 1e-9
    tau, p, effective = mann_kendall(values)
    if effective < MIN_EFFECTIVE:
        return None
    numbers: dict[str, Interval | float | int | str] = {"tau": tau, "effective_n": effective, "packets": len(values)}
    at = np.linspace(0, len(values) - 1, min(_PAIRS, len(values))).astype(np.int64)
    if p > 0.05:  # no other test of the step makes it a finding: the slope is not worth its time
        return Finding(kind="trend", sentence="The step has no trend.", p_value=p, share=0.0, numbers=numbers)
    slope = _theil_sen(values[at] * period_ns, seconds[at], len(values) / effective)
    fitted = slope.value * (seconds - seconds.mean())
    y = (values - values.mean()) * period_ns
    share = max(0.0, 1 - float(np.sum((y - fitted) ** 2)) / max(float(y @ y), 1e-300))
    word = "grows" if slope.value > 0 else "shrinks"
    half = (slope.high - slope.low) / 2
    return Finding(
        kind="trend",
        sentence=(
            f"The step {word} by {time_text(abs(slope.value))} ± {time_text(half, digits=2)} a second over the run"
            f" ({count_text(len(values), 'packet')}, tau {tau:.2f}), which makes {share_text(share)} of the variance."
        ),
        p_value=p,
        share=share,
        numbers=numbers | {"slope_ns_per_s": slope},
    )


def _theil_sen(ns: Floats, seconds: Floats, factor: float) -> Interval:
    """Median slope of all pairs (Sen, JASA 63, 1968), its interval widened for autocorrelation."""
    if not np.ptp(seconds):
        return Interval(0.0, 0.0, 0.0, method="Theil-Sen", note="no time passes")
    rises, runs = ns[:, np.newaxis] - ns, seconds[:, np.newaxis] - seconds
    later = runs > 0
    slopes = np.sort(rises[later] / runs[later])
    value, wider = float(np.median(slopes)), float(np.sqrt(factor))
    # Equation 2.6: the ranks of the ends among the slopes, by the variance of Kendall's S with ties.
    tied = sum(_variance_terms(np.unique(numbers, return_counts=True)[1]) for numbers in (ns, seconds))
    variance = (_variance_terms(np.array([len(ns)])) - tied) / 18
    if variance < 0:
        return Interval(value, math.nan, math.nan, method="Theil-Sen", note="nearly all values are equal")
    half = -float(ndtri((1 - CONFIDENCE) / 2)) * math.sqrt(variance)
    places = max(round((len(slopes) - half) / 2) - 1, 0), min(round((len(slopes) + half) / 2), len(slopes) - 1)
    low, high = (value + wider * (float(slopes[place]) - value) for place in places)
    return Interval(value, low, high, method="Theil-Sen")


def _variance_terms(counts: NDArray[np.int64]) -> int:
    """18 times the variance of Kendall's S of that many values, summed."""
    return int((counts * (counts - 1) * (2 * counts + 5)).sum())


def change_in(values: Floats) -> tuple[int, float]:
    """The likeliest jump of a series (the first value after it), and the p-value of a series without a jump.

    The p-value is NaN where autocorrelation leaves too few values.

    Pettitt's statistic (Applied Statistics 28, 1979): the largest |cumulative sum| of the centred ranks, over their
    long-run standard deviation and sqrt(n), against Kolmogorov's distribution, the supremum of a Brownian bridge. The
    long-run variance is that of an autoregression fitted on either side of the jump.
    """
    n = len(values)
    ranks = mid_ranks(values) - (n + 1) / 2
    sums = np.cumsum(ranks)[:-1]
    at = int(np.argmax(np.abs(sums))) + 1
    left = ranks.copy()
    left[:at] -= ranks[:at].mean()
    left[at:] -= ranks[at:].mean()
    factor = inflation(autoregression(left))
    if n / factor < MIN_EFFECTIVE:
        return at, float("nan")
    variance = float(ranks @ ranks) / n * factor
    if variance <= 0:
        return at, 1.0
    return at, float(kolmogorov(float(np.abs(sums).max()) / np.sqrt(n * variance)))


def changes_in(values: Floats, *, level: float) -> tuple[list[int], float]:
    """Changes by binary segmentation (Vostrikova, Soviet Mathematics Doklady 24, 1981) and the first one's p-value.

    A part is cut again where its own test is below `level`, Bonferroni over the parts.
    """
    at, p = change_in(values)
    changes: list[int] = []
    todo = [(0, len(values), at, p)]
    while todo and len(changes) < MAX_CHANGES:
        low, high, cut, chance = todo.pop(0)
        if not chance <= level / (len(changes) + 1) or not MIN_SEGMENT <= cut <= high - low - MIN_SEGMENT:
            continue
        changes.append(low + cut)
        for a, b in ((low, low + cut), (low + cut, high)):
            if b - a >= 2 * MIN_SEGMENT:
                todo.append((a, b, *change_in(values[a:b])))
    return sorted(changes), p


def change(delays: NDArray[np.int64], starts: NDArray[np.int64], *, period_ns: float, level: float) -> Finding | None:
    """Test delays for jumps over the run; parameters as for `trend`, `level` for the second jump and further ones."""
    if len(delays) < MIN_PACKETS:
        return None
    values = delays.astype(np.float64)
    cuts, p = changes_in(values, level=level)
    if np.isnan(p):
        return None
    numbers: dict[str, Interval | float | int | str] = {"changes": len(cuts), "packets": len(values)}
    if not cuts:
        return Finding(
            kind="change", sentence="The step does not jump.", p_value=max(p, level), share=0.0, numbers=numbers
        )
    labels = np.searchsorted(np.array(cuts), np.arange(len(values)), side="right")
    medians = [float(np.median(values[labels == i])) * period_ns for i in range(len(cuts) + 1)]
    texts = []
    for i, cut in enumerate(cuts, 1):
        at_s = float(starts[cut] - starts[0]) * period_ns * 1e-9
        numbers |= {f"at_{i}_s": at_s, f"before_{i}_ns": medians[i - 1], f"after_{i}_ns": medians[i]}
        digits = _digits(medians[i], spread_ns=abs(medians[i] - medians[i - 1]), resolution_ns=period_ns)
        before, after = (time_text(jump, digits=digits) for jump in medians[i - 1 : i + 1])
        texts.append(f"at {time_text(at_s * 1e9)} from {before} to {after}")
    share = grouped_share(values, labels)
    return Finding(
        kind="change",
        sentence=(
            f"The median jumps {'; '.join(texts)} ({count_text(len(values), 'packet')}),"
            f" which makes {share_text(share)} of the variance."
        ),
        p_value=p,
        share=share,
        numbers=numbers,
    )


def _digits(ns: float, *, spread_ns: float, resolution_ns: float) -> int:
    """Significant digits of `ns` that show a jump with two of its own: 3 at least, none below the resolution."""
    if not spread_ns > 0 or not abs(ns) > 0:
        return 3
    exponent = math.floor(math.log10(abs(ns)))
    showing = exponent - math.floor(math.log10(spread_ns)) + 2
    resolved = exponent - math.floor(math.log10(resolution_ns)) + 1
    return max(3, min(showing, resolved))

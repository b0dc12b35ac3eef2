"""Dependence of a step on a covariate: time pre-empted, packets queued, retries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from gpiorig.analysis.attribution.findings import Finding
from gpiorig.analysis.attribution.series import effective_n, explained_by, grouped_share, groups
from gpiorig.analysis.number_text import count_text, share_text, time_text
from gpiorig.analysis.statistics.intervals import CONFIDENCE, Interval
from gpiorig.analysis.statistics.order_statistics import mid_ranks

Floats = NDArray[np.float64]

MIN_PACKETS = 30
FEW_VALUES = 8  # a covariate with at most this number of values makes groups


def test(delays: NDArray[np.int64], covariate: Floats, *, name: str, period_ns: float) -> Finding | None:
    """Test delays for a dependence on a covariate; None where it does not vary or is not known.

    Ranks against ranks (Spearman's rho), or ranks between groups (Kruskal and Wallis) for a covariate of few values.
    The autocorrelation of the delays is removed first (`series.explained_by`), so that two series that both wander do
    not depend on each other; without any, the test is about rho^2 or H/(n - 1).

    Parameters
    ----------
    delays
        int64[n], samples, in the order of sending.
    covariate
        float64[n], NaN where unknown.
    name
        Name of the covariate, with its unit if it has one, such as ``pre-empted time, µs``.
    period_ns
        Nanoseconds per sample.
    """
    known = np.isfinite(covariate)
    x, c = delays[known].astype(np.float64), covariate[known]
    values, labels, counts = np.unique(c, return_inverse=True, return_counts=True)
    if len(x) < MIN_PACKETS or len(values) < 2 or len(x) - int(counts.max()) < 3:
        return None
    grouped = len(values) <= FEW_VALUES
    ranks = mid_ranks(x)
    design = groups(labels) if grouped else mid_ranks(c)[:, None]
    p, _ = explained_by(ranks, design)
    linear, slope = _line(x, c, period_ns)
    share = max(grouped_share(x, labels), linear) if grouped else max(linear, _isotonic_share(x, c))
    numbers: dict[str, Interval | float | int | str] = {
        "on": name,
        "method": "Kruskal-Wallis" if grouped else "Spearman",
        "slope": slope,
        "effective_n": effective_n(x),
        "packets": len(x),
    }
    sign = "longer" if slope.value > 0 else "shorter"
    return Finding(
        kind="dependence",
        sentence=(
            f"The step depends on {name}: {_slope_text(slope)} {sign} for one more"
            f" ({count_text(len(x), 'packet')}), which makes {share_text(share)} of the variance."
        ),
        p_value=p,
        share=share,
        numbers=numbers,
    )


def _line(x: Floats, c: Floats, period_ns: float) -> tuple[float, Interval]:
    """Adjusted share of a line, and its slope in ns per unit with White's errors (Econometrica 48, 1980), HC1."""
    n = len(x)
    y, d = x - x.mean(), c - c.mean()
    square = float(d @ d)
    slope = float(d @ y) / square
    residual = y - slope * d
    share = max(0.0, 1 - float(residual @ residual) / max(float(y @ y), 1e-300) * (n - 1) / (n - 2))
    error = np.sqrt(n / (n - 2) * float(np.sum((d * residual) ** 2))) / square
    half = float(stdtrit(n - 2, 0.5 + CONFIDENCE / 2)) * error
    low, high = (slope - half) * period_ns, (slope + half) * period_ns
    return share, Interval(slope * period_ns, low, high, method="least squares, errors HC1")


def _isotonic_share(x: Floats, c: Floats) -> float:
    """Adjusted share of the better monotone regression, a parameter for each of its levels."""
    from scipy.optimize import isotonic_regression

    order = np.argsort(c, kind="stable")
    y, n = x[order] - x.mean(), len(x)
    # Equal covariates must get equal values.
    _, inverse, counts = np.unique(c[order], return_inverse=True, return_counts=True)
    means = np.bincount(inverse, weights=y) / counts
    total, best = float(y @ y), 0.0
    for increasing in (True, False):
        fitted = isotonic_regression(means, weights=counts, increasing=increasing).x
        levels = len(np.unique(fitted))
        within = float(np.sum((y - fitted[inverse]) ** 2))
        if n > levels and total > 0:
            best = max(best, 1 - within / total * (n - 1) / (n - levels))
    return best


def _slope_text(slope: Interval) -> str:
    half = (slope.high - slope.low) / 2
    return f"{time_text(abs(slope.value))} ± {time_text(half, digits=2)}"

"""Delays as a series: autocorrelation, the residuals without it, and explanations by chance alone."""

from __future__ import annotations

from operator import mul

import numpy as np
from numpy.typing import NDArray
from scipy.special import fdtrc, gammaincc

from gpiorig.analysis.statistics.order_statistics import mid_ranks

Floats = NDArray[np.float64]

SEED = 20_240_601  # of every permutation and subset: equal data give equal results
PERMUTATIONS = 500
SCREEN = 0.05  # p-values of F above it are not worth a permutation
MAX_ORDER = 5
_TINY = 1e-300  # no p-value is 0


def autoregression(values: Floats) -> Floats:
    """Coefficients a of the model x[i] = a1 x[i-1] + ... + e[i] of centred values; the order, 0 to 5, by BIC.

    Yule-Walker equations by Levinson's recursion (Brockwell and Davis, Time Series, 2nd ed. 1991, 8.1 and 8.2). The
    coefficient of order 1 is corrected for its bias of -(1 + 3 a)/n (Marriott and Pope, Biometrika 41, 1954).
    """
    n = len(values)
    centred = values - values.mean()
    variance = float(centred @ centred) / n
    none = np.zeros(0)
    orders = min(MAX_ORDER, n // 10)
    if variance <= 0 or not orders:
        return none
    r = np.array([float(centred[: n - lag] @ centred[lag:]) / n for lag in range(orders + 1)]) / variance
    best, least = none, 0.0
    a, error = none, 1.0
    for order in range(1, orders + 1):
        reflection = (r[order] - float(a @ r[order - 1 : 0 : -1])) / error
        a = np.append(a - reflection * a[::-1], reflection)
        error *= 1 - reflection * reflection
        if error <= 0:
            break
        score = n * np.log(error) + order * np.log(n)
        if score < least:
            best, least = a, score
    if len(best) == 1:
        return np.clip(best + (1 + 3 * best) / n, -0.99, 0.99)
    return best


def whitened(columns: Floats, model: Floats) -> Floats:
    """Columns without the autocorrelation of a model: x[i] - a1 x[i-1] - ...; without the first ones.

    Parameters
    ----------
    columns
        float64[n] or float64[n, c].
    """
    if not len(model):
        return columns
    order, n = len(model), len(columns)
    filtered: Floats = columns[order:] - sum(
        weight * columns[order - lag : n - lag] for lag, weight in enumerate(model.tolist(), start=1)
    )
    return filtered


def impulse_response(model: Floats, count: int) -> Floats:
    """float64[count + 1]: values of an autoregressive series after one impulse of 1, which is the first."""
    weights = model.tolist()
    response = [0.0] * (len(weights) - 1) + [1.0]
    for _ in range(count):
        response.append(sum(map(mul, weights, reversed(response[-len(weights) :]))))
    return np.array(response[len(weights) - 1 :])


def effective_n(values: Floats) -> float:
    """Number of independent values with an equally certain mean, at most n: by an autoregression of their ranks."""
    model = autoregression(mid_ranks(values))
    return len(values) / inflation(model)


def inflation(model: Floats) -> float:
    """Variance of the mean of an autoregressive series over that of as many independent values; 1 at least."""
    if not len(model):
        return 1.0
    response = impulse_response(model, 2000)
    gain = float(response.sum())
    return max(1.0, gain * gain / float(response @ response))


def explained_by(delays: Floats, design: Floats) -> tuple[float, float]:
    """p-value and F of a linear model, without the autocorrelation of the delays.

    The model is fitted, an autoregression to what it leaves (Cochrane and Orcutt, JASA 44, 1949); both sides are
    filtered with it and the model is fitted again. Its F is compared with that of permuted residuals (`tail`).

    Parameters
    ----------
    delays
        float64[n].
    design
        float64[n, c], without the constant.
    """
    centred = design - design.mean(axis=0)
    basis = _basis(centred)
    y = delays - delays.mean()
    model = autoregression(y - basis @ (basis.T @ y))
    e = whitened(y, model)
    e = e - e.mean()
    filtered = whitened(centred, model)
    q = _basis(filtered - filtered.mean(axis=0))
    n, rank = q.shape
    total = float(e @ e)
    if not rank or n - rank - 1 < 1 or total <= 0:
        return 1.0, 0.0
    share = min(float(np.sum((q.T @ e) ** 2)) / total, 1 - 1e-15)
    f = share / rank / ((1 - share) / (n - rank - 1))
    p = float(fdtrc(rank, n - rank - 1, f))
    if p > SCREEN:
        return p, f
    rng = np.random.default_rng(SEED)
    drawn = rng.permuted(np.broadcast_to(e, (PERMUTATIONS, n)), axis=1)
    null = np.sum((drawn @ q) ** 2, axis=1) / total
    return tail(share, null), f


def tail(value: float, null: Floats) -> float:
    """Probability that a statistic is at least `value`, from draws of it without the structure.

    The draws themselves where at least ten reach it, else a gamma distribution with their mean, variance and skewness
    (Pearson's type III; Winkler et al., "Faster permutation inference in brain imaging", NeuroImage 141, 2016).
    """
    reached = int(np.count_nonzero(null >= value))
    if reached >= 10:
        return (reached + 1) / (len(null) + 1)
    spread = float(null.std())
    if spread <= 0:
        return 1.0 if value <= float(null[0]) else 1 / (len(null) + 1)
    standard = (null - null.mean()) / spread
    shape = 4 / max(float(np.mean(standard**3)), 0.01) ** 2
    at = shape + np.sqrt(shape) * (value - float(null.mean())) / spread
    return max(float(gammaincc(shape, max(at, 0.0))), _TINY)


def _basis(columns: Floats) -> Floats:
    """Orthonormal columns with the same span."""
    scale = np.abs(columns).max(axis=0, initial=0.0)
    columns = columns[:, scale > 0] / scale[scale > 0]
    if not columns.shape[1]:
        return columns
    # From the products of the columns, which are few.
    values, vectors = np.linalg.eigh(columns.T @ columns)
    good = values > 1e-10 * values[-1]
    basis: Floats = columns @ (vectors[:, good] / np.sqrt(values[good]))
    return basis


def groups(labels: NDArray[np.int64]) -> Floats:
    """float64[n, g - 1]: one column for each group but the first."""
    numbers = np.unique(labels)
    columns: Floats = (labels[:, None] == numbers[None, 1:]).astype(np.float64)
    return columns


def grouped_share(delays: Floats, labels: NDArray[np.int64]) -> float:
    """Share of the variance between groups, adjusted for their number: 1 - (1 - eta^2) (n - 1)/(n - g), 0 at least.

    `labels` are numbers of groups, from 0 on; there may be groups without a delay.
    """
    counts = np.bincount(labels)
    n, g = len(delays), int(np.count_nonzero(counts))
    y = delays - delays.mean()
    total = float(y @ y)
    if total <= 0 or n <= g:
        return 0.0
    means = np.bincount(labels, weights=y) / np.maximum(counts, 1)
    within = float(np.sum((y - means[labels]) ** 2))
    return max(0.0, 1 - within / total * (n - 1) / (n - g))

"""Uncertainty of a slope whose residuals are autocorrelated and quantised, as those of clocks are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

BLOCKS = 128
SHARE = 0.1  # minimum bandwidth of the autocovariances, as a share of all blocks
LONGEST_SHARE = 0.5  # and that for residuals that wander
WANDERS = 1 / 3  # lag-1 autocorrelation above which a series is differenced (Riley and Greenhall: r1 / (1 + r1) >= 1/4)
# By how much the interval has to be wider than that of a stationary residual for 95 % of intervals to hold the mean
# rate, simulated with 30 to 5000 timestamps (tests/clocks/test_fit.py tests the coverage): for residuals that wander
# like the phase of a clock with white frequency noise, and like that of one with a random walk of the frequency.
WIDER = (1.0, 1.6, 1.3)
EXTREMES = 256
HALVINGS = 40
NORMAL_975 = 1.959964


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """Covariance of (offset, rate, bend): twice the root of a variance is half a 95 % interval; how it was found."""

    covariance: Floats
    method: str


def covariance(
    x: Floats,
    residuals: Floats,
    *,
    quanta: tuple[float, float],
    bent: bool = False,
    centred: Floats | None = None,
) -> Spread:
    """Covariance of a least-squares fit.

    The sandwich A^-1 Omega A^-1 with A = X'X and Omega the long-run covariance of the scores x_i r_i, summed over up to
    128 blocks of successive points, by Bartlett's kernel (W. K. Newey and K. D. West, Econometrica 55, 1987, 703-708).
    Bandwidth by D. W. K. Andrews (Econometrica 59, 1991, 817-858) from the blocks' first autocorrelation, at least a
    tenth of the blocks; critical value for a bandwidth that is a share b of the data, 1.9600 + 2.9694 b + 0.4160 b^2 -
    0.5324 b^3 (N. M. Kiefer and T. J. Vogelsang, Econometric Theory 21, 2005, 1130-1164; the polynomial is quoted from
    memory and was checked by simulation only), times t(n - p) / 1.96. It is never less than that of ordinary least
    squares.

    Residuals whose blocks are correlated by more than a third wander: they are distinguished by the number of
    differences it takes to end that (W. J. Riley and C. A. Greenhall, "Power law noise identification using the lag 1
    autocorrelation", 18th European Frequency and Time Forum, 2004, 576-580), and the interval is `WIDER`. Its aim then
    is the mean rate over the span, not a rate that would last.

    Timestamps that are quantised and not dithered may fit a wrong line to the last digit; the interval therefore holds
    every slope that `admitted` allows.

    Parameters
    ----------
    x, residuals
        float64[n], ns, x sorted.
    quanta
        Steps of the clock's and the reference's timestamps, ns.
    bent
        Whether a parabola was fitted.
    centred
        float64[n], x minus the part that offsets of bands take from it: `bands.Bands.centred`; None: x.
    """
    from scipy.special import stdtrit

    span = float(np.ptp(x))
    count = 3 if bent else 2
    seen = x if centred is None else centred
    powers = np.stack([np.ones(len(x)), seen / span, (seen / span) ** 2][:count], axis=1)
    freedom = len(x) - count
    scale = np.diag([1.0, 1 / span, 1 / span**2])
    if freedom < 1:
        return Spread(np.diag([np.inf] * 3), "too few timestamps")
    blocks = min(BLOCKS, len(x))
    at = np.arange(len(x)) * blocks // len(x)
    scores: Floats = np.stack(
        [np.bincount(at, column * residuals, blocks).astype(np.float64) for column in powers.T], axis=1
    )
    differences, correlation = wandering(np.bincount(at, residuals, blocks) / np.bincount(at, minlength=blocks))
    if differences:
        bandwidth = LONGEST_SHARE * blocks
    else:
        correlation = min(max(correlation, 0.0), 0.5)
        peak = 4 * correlation**2 / ((1 - correlation) ** 2 * (1 + correlation) ** 2)
        bandwidth = max(1.1447 * (peak * blocks) ** (1 / 3), SHARE * blocks, 1.0)
    share = bandwidth / blocks
    critical = 1.96 + 2.9694 * share + 0.4160 * share**2 - 0.5324 * share**3
    critical *= float(stdtrit(freedom, 0.975)) / NORMAL_975 * WIDER[differences]
    inverse = np.linalg.inv(powers.T @ powers)
    sandwich = inverse @ _long_run(scores, bandwidth) @ inverse * len(x) / freedom
    plain = inverse * float(residuals @ residuals) / freedom
    if sandwich[1, 1] < plain[1, 1]:
        sandwich = plain
    scaled = np.zeros((3, 3))
    scaled[:count, :count] = sandwich * (critical / 2) ** 2
    scaled = scale @ scaled @ scale
    turn = admitted(x, residuals, sum(quanta)) if sum(quanta) else 0.0
    open_ = np.array([max(sum(quanta) - float(np.ptp(residuals)), 0.0) / 2, turn, 0.0]) / 2
    deviations = np.sqrt(np.diag(scaled))
    with np.errstate(divide="ignore", invalid="ignore"):
        grow = np.where(deviations > 0, np.maximum(open_ / deviations, 1.0), 1.0)
    scaled = scaled * np.outer(grow, grow)
    scaled[np.diag_indices(3)] = np.maximum(np.diag(scaled), open_**2)
    kinds = (
        "",
        ", residuals wander as by white frequency noise",
        ", residuals wander as by a random walk of frequency",
    )
    return Spread(scaled, f"autocorrelation over {bandwidth:.0f} of {blocks} blocks{kinds[differences]}")


def wandering(means: Floats) -> tuple[int, float]:
    """Number of differences, at most two, until a series is not correlated any more; and its own correlation."""
    first = _correlation(means)
    if first <= WANDERS:
        return 0, first
    return (2 if _correlation(np.diff(means)) > WANDERS else 1), first


def _correlation(values: Floats) -> float:
    """Correlation of neighbours; plus the loss by a fitted line, about (2 + 4 r) / n (M. G. Kendall, 1954)."""
    centred = values - values.mean()
    power = float(centred @ centred)
    if len(values) < 3 or not power > 0:
        return 0.0
    correlation = float(centred[1:] @ centred[:-1]) / power
    return correlation + (2 + 4 * correlation) / len(values)


def _long_run(scores: Floats, bandwidth: float) -> Floats:
    spectrum: Floats = scores.T @ scores
    for lag in range(1, int(np.ceil(bandwidth))):
        product = scores[lag:].T @ scores[:-lag]
        spectrum += (1 - lag / bandwidth) * (product + product.T)
    return spectrum


def admitted(x: Floats, residuals: Floats, width: float) -> float:
    """The largest turn of a line that still passes all points within a band, as quantised timestamps allow.

    The timestamps of two exact clocks lie within the sum of their quanta of the true line. The width of the
    band that a line needs is a convex function of its slope, so that the slopes which need no more are an interval. Of
    each of 256 blocks the extremes represent all points.

    Parameters
    ----------
    x, residuals
        float64[n], x sorted and not all equal.
    width
        Of the band, in units of the residuals.

    Returns
    -------
    float
        Largest difference of slope, of either sign; 0 where no line passes all points within the band.
    """
    edges = np.linspace(0, len(x), min(EXTREMES, len(x)) + 1).astype(np.int64)[:-1]
    chosen = np.concatenate([_extremes(residuals, edges), _extremes(-residuals, edges)])
    x, residuals = x[chosen], residuals[chosen]

    def needs(turn: float) -> float:
        return float(np.ptp(residuals - turn * x))

    low, high = -2 * width / float(np.ptp(x)), 2 * width / float(np.ptp(x))
    for _ in range(HALVINGS):
        first, second = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, second) if needs(first) < needs(second) else (first, high)
    best = (low + high) / 2
    if needs(best) > width:
        return 0.0
    ends = []
    for sign in (-1, 1):
        inside, outside = best, best + sign * 2 * width / float(np.ptp(x))
        for _ in range(HALVINGS):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if needs(middle) <= width else (inside, middle)
        ends.append(abs(inside))
    return max(ends)


def _extremes(values: Floats, edges: NDArray[np.int64]) -> NDArray[np.int64]:
    """Place of the largest value of each block."""
    most = np.repeat(np.maximum.reduceat(values, edges), np.diff(np.append(edges, len(values))))
    at = np.flatnonzero(values == most)
    return at[np.searchsorted(at, edges)]

"""A line, or a parabola, through the differences of two clocks, in spite of outliers and of quantised timestamps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.clocks import bands, slope
from gpiorig.analysis.clocks.bands import Bands

Floats = NDArray[np.float64]

BLOCKS = 100  # whose medians give the first guess: its cost is their square, for any number of timestamps
OUTLIER_SCALES = 5.0
PASSES = 20
MAD_OF_NORMAL = 1.4826  # 1 / (the third quartile of the normal distribution)
CENTRAL_80_OF_NORMAL = 1.2816  # half the width of its central 80 %, in standard deviations


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """offset + rate x + bend x^2.

    Parameters
    ----------
    offset, rate, bend
        In ns, ns per ns and ns per ns^2, x in ns; `bend` is 0 for a straight line.
    inliers
        bool[n], False for outliers.
    residuals
        float64[n], of all points, ns.
    covariance
        float64[3, 3] of the three; of a straight line the last row and column are 0. Twice the root of a variance is
        the half width of a 95 % interval, whatever the autocorrelation: see `slope`.
    method
        Method of the interval.
    bands
        Where the residuals lie in several; the line is that of the largest, and `residuals` are those of each timestamp
        from the line of its band.
    """

    offset: float
    rate: float
    bend: float
    inliers: NDArray[np.bool_]
    residuals: Floats
    covariance: Floats
    method: str
    bands: Bands | None


def fit(x: Floats, y: Floats, *, quanta: tuple[float, float] = (0.0, 0.0), bent: bool = False) -> Line:
    """Fit robustly: medians first, then least squares without points more than 5 scales away, until nothing changes.

    The first guess is the repeated median (A. F. Siegel, "Robust regression using repeated medians", Biometrika 69,
    1982, 242-244; half of the points may be anything) of at most 100 medians of successive points.
    The scale is the median absolute deviation, of data that are equal by more than half the central 80 %, and at least
    what the quanta of the timestamps spread, so that quantised clocks have no outliers for being quantised.
    Where residuals lie in bands each has an offset of its own (`bands.find`), and timestamps in none are excluded.

    Parameters
    ----------
    x, y
        float64[n], n >= 3, ns; x sorted and not all equal, best near 0 in the middle.
    quanta
        Steps of the timestamps of clock and reference, ns; y is the difference of these.
    bent
        Whether to fit a parabola.
    """
    rate = _repeated_median(x, y)
    levels = bands.find(x, y, quanta=quanta, first=rate)
    inside = np.ones(len(x), dtype=bool)
    if levels is not None:
        inside, y = levels.band >= 0, y - levels.shift_ns
        rate = _repeated_median(x[inside], y[inside])
    coefficients = np.array([float(np.median(y[inside] - rate * x[inside])), rate, 0.0])
    span = float(np.ptp(x))
    powers = np.stack([np.ones(len(x)), x / span, (x / span) ** 2][: 3 if bent else 2], axis=1)
    floor = float(np.hypot(*quanta)) / np.sqrt(12)
    inliers = inside
    for turn in range(PASSES):
        residuals = y - coefficients[0] - coefficients[1] * x - coefficients[2] * x * x
        away = np.abs(residuals - np.median(residuals[inside]))
        chosen = inside & (away <= OUTLIER_SCALES * max(_scale(away[inside]), floor) + sum(quanta))
        if (turn and (chosen == inliers).all()) or not np.ptp(x[chosen]) > 0:
            break
        inliers = chosen
        solved = np.linalg.lstsq(powers[inliers], y[inliers], rcond=None)[0]
        coefficients = np.array([solved[0], solved[1] / span, solved[2] / span**2 if bent else 0.0])
    residuals = y - coefficients[0] - coefficients[1] * x - coefficients[2] * x * x
    centred = None if levels is None else levels.centred(x, inliers)
    spread = slope.covariance(x[inliers], residuals[inliers], quanta=quanta, bent=bent, centred=centred)
    offset, rate, bend = map(float, coefficients)
    return Line(offset, rate, bend, inliers, residuals, spread.covariance, spread.method, levels)


def _scale(away: Floats) -> float:
    scale = MAD_OF_NORMAL * float(np.median(away))
    return scale if scale > 0 else float(np.quantile(away, 0.8)) / CENTRAL_80_OF_NORMAL


def _repeated_median(x: Floats, y: Floats) -> float:
    """Slope of the first guess; the second turn corrects what the slope itself spreads within a block."""
    bounds = np.linspace(0, len(x), min(BLOCKS, len(x)) + 1).astype(np.int64)
    middle = _medians(x, bounds)
    rate = 0.0
    for _ in range(2 if len(x) > BLOCKS else 1):
        rate += _slope_of_medians(middle, _medians(y - rate * x, bounds))
    return rate


def _medians(values: Floats, bounds: NDArray[np.int64]) -> Floats:
    if len(bounds) == len(values) + 1:
        return values
    medians, lengths = np.empty(len(bounds) - 1), np.diff(bounds)
    for length in np.unique(lengths):  # two, one apart: all blocks of a length at once
        starts = bounds[:-1][lengths == length]
        medians[lengths == length] = np.median(values[starts[:, None] + np.arange(length)], axis=1)
    return medians


def _slope_of_medians(x: Floats, y: Floats) -> float:
    run = x[:, None] - x[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        slopes = np.sort(np.where(run != 0, (y[:, None] - y[None, :]) / run, np.inf), axis=1)
    some = (run != 0).sum(axis=1)
    slopes, some = slopes[some > 0], some[some > 0]
    rows = np.arange(len(some))
    return float(np.median((slopes[rows, (some - 1) // 2] + slopes[rows, some // 2]) / 2))

"""Thinning: the points to draw of a million values, so that a figure looks the same and stays small."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.figures import style

Floats = NDArray[np.float64]
ECDF_POINTS, NARROW_POINTS = 300, 100  # the latter on a narrow screen
FEWER = f"{ECDF_POINTS} ({NARROW_POINTS} on a narrow screen)"
SERIES_BINS = 600


def ecdf(values: NDArray[Any], *, most: int = 0) -> tuple[Floats, Floats]:
    """Points of the empirical distribution function, for drawing as steps (`where="post"`).

    Parameters
    ----------
    values
        [n], any order.
    most
        Number of order statistics to draw of more values than this: evenly spaced in probability, the first and the
        last among them; `ECDF_POINTS`, or `NARROW_POINTS` on a narrow screen, unless given.

    Returns
    -------
    x, share
        float64 each: a value, and the share of the values that are at or below it.
    """
    most = most or (NARROW_POINTS if style.is_narrow() else ECDF_POINTS)
    ordered = np.sort(values)
    n = len(ordered)
    at = np.arange(n) if n <= most else np.unique(np.linspace(0, n - 1, most).round().astype(np.int64))
    x = ordered[at]
    return x.astype(np.float64), np.searchsorted(ordered, x, side="right") / max(1, n)


def bands(x: NDArray[Any], y: NDArray[Any], *, bins: int = SERIES_BINS) -> tuple[Floats, Floats, Floats, Floats]:
    """Least, median and largest value of `y` in each of `bins` equal bins of `x`; bins without a value are omitted.

    Parameters
    ----------
    x, y
        [n], x increasing.

    Returns
    -------
    centres, least, middle, largest
        float64 each.
    """
    if not len(x):
        empty = np.zeros(0)
        return empty, empty, empty, empty
    edges = np.linspace(x[0], x[-1], bins + 1)
    cuts = np.concatenate([[0], np.searchsorted(x, edges[1:-1], side="left"), [len(x)]])
    filled = np.flatnonzero(np.diff(cuts))
    starts = cuts[:-1][filled]
    values = np.asarray(y, dtype=np.float64)
    middle = np.array([np.median(values[cuts[i] : cuts[i + 1]]) for i in filled])
    centres = ((edges[:-1] + edges[1:]) / 2)[filled]
    return centres, np.minimum.reduceat(values, starts), middle, np.maximum.reduceat(values, starts)

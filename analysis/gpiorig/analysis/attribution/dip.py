"""The dip test of unimodality.

The dip is the largest distance between the empirical distribution function and the unimodal one nearest to it; among
unimodal distributions the uniform one has the largest dips. J. A. Hartigan and P. M. Hartigan, "The Dip Test of
Unimodality", Annals of Statistics 13 (1), 1985, pp. 70-84; computed after P. M. Hartigan, "Algorithm AS 217", Applied
Statistics 34 (3), 1985, pp. 320-325.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Knots = NDArray[np.int64]

# Quantiles of sqrt(n) dip of uniform samples and the probability to reach them: `simulate(1000, 20000)`. Smaller n have
# smaller ones, so that their p-values are on the safe side.
_REACHED = (0.5, 0.1, 0.05, 0.01, 0.002)
_QUANTILES = (0.371, 0.494, 0.533, 0.618, 0.686)


def dip(values: Floats) -> float:
    """The dip of distinct values, sorted: 1/(2 n) at least, 1/4 at most."""
    n = len(values)
    if n < 2 or values[0] == values[-1]:
        return 0.5 / max(n, 1)
    low, high, largest = 0, n - 1, 1.0
    while True:
        minorant, majorant = _hull(values, low, high, sign=1.0), _hull(values, low, high, sign=-1.0)
        at_minorant = np.interp(values[minorant], values[majorant], majorant) - minorant
        at_majorant = majorant - np.interp(values[majorant], values[minorant], minorant)
        if at_minorant.max() >= at_majorant.max():
            new_low = int(minorant[np.argmax(at_minorant)])
            new_high = int(majorant[np.searchsorted(majorant, new_low)])
        else:
            new_high = int(majorant[np.argmax(at_majorant)])
            new_low = int(minorant[np.searchsorted(minorant, new_high, side="right") - 1])
        if max(at_minorant.max(), at_majorant.max()) + 1 <= largest:
            break
        left, right = np.arange(low, new_low + 1), np.arange(new_high, high + 1)
        above = left - np.interp(values[left], values[minorant], minorant) + 1
        below = np.interp(values[right], values[majorant], majorant) - right + 1
        largest = max(largest, float(above.max(initial=0)), float(below.max(initial=0)))
        if (new_low, new_high) == (low, high):
            break
        low, high = new_low, new_high
    return largest / (2 * n)


def _hull(values: Floats, low: int, high: int, *, sign: float) -> Knots:
    """Knots of the greatest convex minorant (sign 1) or the least concave majorant (-1) of (value, index)."""
    x = values[low : high + 1].tolist()
    hull: list[int] = []
    for i in range(len(x)):
        while len(hull) > 1:
            b, a = hull[-1], hull[-2]
            if sign * ((b - a) * (x[i] - x[b]) - (i - b) * (x[b] - x[a])) >= 0:
                hull.pop()
            else:
                break
        hull.append(i)
    return np.array(hull, dtype=np.int64) + low


def p_value(dip: float, n: float) -> float:
    """Probability of such a dip, or a larger one, of n uniform values; interpolated in the logarithm.

    Beyond the last quantile the logarithm continues with the square of the dip, as the
    tail of a Brownian bridge's supremum.
    """
    scaled = dip * np.sqrt(n)
    squares, logs = np.square(_QUANTILES), np.log(_REACHED)
    if scaled <= _QUANTILES[0]:
        return 1.0
    if scaled <= _QUANTILES[-1]:
        return float(np.exp(np.interp(scaled**2, squares, logs)))
    slope = (logs[-1] - logs[-3]) / (squares[-1] - squares[-3])
    return float(max(np.exp(logs[-1] + slope * (scaled**2 - squares[-1])), 1e-300))


def simulate(n: int, samples: int) -> Floats:
    """sqrt(n) dip of uniform samples, sorted: the source of `_QUANTILES`."""
    rng = np.random.default_rng(1985)
    dips: Floats = np.sort([dip(np.sort(rng.random(n))) for _ in range(samples)]) * np.sqrt(n)
    return dips

"""A line through delays against another number, such as the length of the frame: intercept, slope, and their ±.

Ordinary least squares. The ± from the residuals takes them as independent: standard errors times Student's t for the
coverage of k = 2 (JCGM 100:2008, G.3). The ± from quantisation is that of timestamps which were all taken to the step
below or above: delays of one abscissa may be rounded alike, since sender and clock can be in phase, so the error of an
abscissa does not become less with its number of delays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

COVERAGE = 0.9545  # of k = 2


@dataclass(frozen=True, slots=True)
class LineFit:
    """delay = intercept + slope * abscissa; all ± are expanded (k = 2).

    Attributes
    ----------
    n
        Delays.
    least, largest
        Ends of the abscissa.
    intercept_ns, slope_ns
        Delay at the abscissa 0, and per unit of it.
    intercept_scatter_ns, slope_scatter_ns
        ± from the residuals.
    intercept_step_ns, slope_step_ns
        ± from the quantisation of the timestamps; 0 where their step is not known.
    step_ns
        That step.
    residual_std_ns
        Standard deviation of the residuals, n - 2.
    """

    n: int
    least: float
    largest: float
    intercept_ns: float
    slope_ns: float
    intercept_scatter_ns: float
    slope_scatter_ns: float
    intercept_step_ns: float
    slope_step_ns: float
    step_ns: float
    residual_std_ns: float

    @property
    def intercept_uncertainty_ns(self) -> float:
        """Both parts of the intercept's ±, as of independent ones."""
        return math.hypot(self.intercept_scatter_ns, self.intercept_step_ns)

    @property
    def slope_uncertainty_ns(self) -> float:
        """Both parts of the slope's ±, as of independent ones."""
        return math.hypot(self.slope_scatter_ns, self.slope_step_ns)


def fit(abscissa: NDArray[np.float64], delays_ns: NDArray[np.int64], *, step_ns: float) -> LineFit | None:
    """Fit a line; None of fewer than three delays, or of one abscissa.

    Parameters
    ----------
    abscissa, delays_ns
        [n]; those without an abscissa (NaN) are omitted.
    step_ns
        Of the timestamps at both ends of each delay; 0: not known.
    """
    from scipy.special import stdtrit  # takes longer to import than a log of 10 000 lines to read

    usable = np.isfinite(abscissa)
    x, y = abscissa[usable], delays_ns[usable].astype(np.float64)
    if len(x) < 3 or x.min() == x.max():
        return None
    middle = float(x.mean())
    offset = x - middle
    spread = float(offset @ offset)
    slope = float(offset @ y) / spread
    intercept = float(y.mean()) - slope * middle
    residual = y - intercept - slope * x
    n = len(x)
    std = math.sqrt(float(residual @ residual) / (n - 2))
    factor = float(stdtrit(n - 2, 0.5 + COVERAGE / 2))
    _, place, count = np.unique(x, return_inverse=True, return_counts=True)
    distance = np.bincount(place.ravel(), weights=offset)
    slope_weights, intercept_weights = distance / spread, count / n - middle * distance / spread
    quantum = 2 * step_ns / math.sqrt(6)  # a difference of two rounded instants: triangular, GUM 4.3.9
    return LineFit(
        n=n,
        least=float(x.min()),
        largest=float(x.max()),
        intercept_ns=intercept,
        slope_ns=slope,
        intercept_scatter_ns=factor * std * math.sqrt(1 / n + middle**2 / spread),
        slope_scatter_ns=factor * std / math.sqrt(spread),
        intercept_step_ns=quantum * float(np.linalg.norm(intercept_weights)),
        slope_step_ns=quantum * float(np.linalg.norm(slope_weights)),
        step_ns=step_ns,
        residual_std_ns=std,
    )

"""The mean of periods against their nominal value, in ppm, with its ±.

Periods that follow each other share their ends, so that the mean of a run is known to its two outer ends. How much the
mean varies is seen from the means of batches (Law and Kelton, "Simulation Modeling and Analysis", batch means), which
hold dependent periods, too: jitter of single edges, which cancels in a sum, and wander, which does not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

COVERAGE = 0.9545  # of k = 2
BATCHES = 32
PPM = 1e6


@dataclass(frozen=True, slots=True)
class Deviation:
    """The mean of periods against a nominal one; all ± are expanded (k = 2).

    Attributes
    ----------
    nominal_ns
        What it was compared with.
    ppm
        How much longer the mean is.
    ends_ppm
        ± from the ends of the runs of periods.
    scatter_ppm
        ± from how the mean varies over the record; NaN of fewer than two periods.
    clock_ppm
        ± from the limit of the clock that the times are of; NaN where that has none.
    runs
        Runs of periods that follow each other.
    """

    nominal_ns: float
    ppm: float
    ends_ppm: float
    scatter_ppm: float
    clock_ppm: float
    runs: int

    @property
    def uncertainty_ppm(self) -> float:
        """All parts that there are; the clock's is added, since it is the same in all periods."""
        return math.hypot(self.ends_ppm, np.nan_to_num(self.scatter_ppm)) + float(np.nan_to_num(self.clock_ppm))


def deviation(
    starts: NDArray[np.int64] | None,
    periods: NDArray[np.int64],
    *,
    unit_ns: float,
    nominal_ns: float,
    ends_ns: float,
    clock_ppm: float = math.nan,
) -> Deviation | None:
    """Compare; None without a period.

    Parameters
    ----------
    starts, periods
        int64[n], in `unit_ns`, in the order of time; without starts each period counts as a run of its own.
    nominal_ns
        The period that was meant.
    ends_ns
        Expanded uncertainty of one period by its two ends.
    clock_ppm
        Half width of the error of the clock that took the times.
    """
    from scipy.special import stdtrit  # as in line_fit.py

    n = len(periods)
    if not n:
        return None
    runs = n if starts is None else 1 + int(np.count_nonzero(starts[1:] != starts[:-1] + periods[:-1]))
    size = max(1, n // BATCHES)
    batches = periods[: n // size * size].reshape(-1, size).mean(axis=1)
    count = len(batches)
    scatter = math.nan
    if count > 1:
        scatter = float(stdtrit(count - 1, 0.5 + COVERAGE / 2) * np.std(batches, ddof=1)) / math.sqrt(count)
    return Deviation(
        nominal_ns=nominal_ns,
        ppm=(float(periods.mean()) * unit_ns / nominal_ns - 1) * PPM,
        ends_ppm=ends_ns * runs / n / nominal_ns * PPM,
        scatter_ppm=scatter * unit_ns / nominal_ns * PPM,
        clock_ppm=2 * clock_ppm / math.sqrt(3),
        runs=runs,
    )

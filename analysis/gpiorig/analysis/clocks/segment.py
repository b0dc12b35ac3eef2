"""A segment: an interval over which one clock runs evenly against another."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.statistics.intervals import Interval

Instants = NDArray[np.int64]
Floats = NDArray[np.float64]

PPM = 1e6
NS_PER_S = 10**9


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """An interval over which a clock runs evenly against its reference.

    clock - origin_clock_ns = offset_ns + (1 + ppm 1e-6) (t - centre_ns) + drift / 2 (t - centre_ns)^2, t the reference.

    Parameters
    ----------
    start_ns, end_ns
        First and last instant, on the reference.
    centre_ns, origin_clock_ns
        Anchor of the line: reference and clock, integer ns, so that float64 represents the rest.
    n, outliers
        Pairs of timestamps it was fitted to, and those excluded as outliers.
    offset_ns
        Distance of the clock from `origin_clock_ns` at the centre.
    ppm
        Skew: rate of the clock minus that of the reference, in parts per million.
    drift_ppm_per_s
        Change of the skew; None for a straight line.
    covariance
        float64[2, 2] of offset (ns) and skew (ns per ns).
    residual_std_ns
        Standard deviation of the residuals; where timestamps lie in bands, within these.
    bands_ns
        By how much each band of timestamps lies above the largest, whose line this is; that itself is 0.
    """

    start_ns: float
    end_ns: float
    centre_ns: int
    origin_clock_ns: int
    n: int
    outliers: int
    offset_ns: Interval
    ppm: Interval
    drift_ppm_per_s: Interval | None
    covariance: NDArray[np.float64]
    residual_std_ns: float
    bands_ns: tuple[float, ...] = (0.0,)

    @property
    def ahead_ns(self) -> Interval:
        """Clock minus reference at the centre; where they share no zero, of the size of an epoch."""
        gain, offset = self.origin_clock_ns - self.centre_ns, self.offset_ns
        return replace(offset, value=gain + offset.value, low=gain + offset.low, high=gain + offset.high)

    def at(self, instants_ns: Instants) -> tuple[Instants, Floats]:
        """Offset of the clock from the reference (clock - reference) at instants of the reference.

        Returns
        -------
        offset_ns
            int64[k], to the nearest ns.
        uncertainty_ns
            float64[k], standard uncertainty by the covariance of the fit; a single timestamp also has its quantisation.
            Infinite where there were too few timestamps.
        """
        x = (instants_ns - self.centre_ns).astype(np.float64)
        bend, bend_variance = self._bend()
        gain = np.rint(self.offset_ns.value + x * (self.ppm.value / PPM + x * bend)).astype(np.int64)
        (offset_variance, both), (_, rate_variance) = self.covariance
        if np.isfinite(self.covariance).all():
            variance = offset_variance + x * (2 * both + x * (rate_variance + x * x * bend_variance))
        else:
            variance = np.full(len(x), np.inf)
        return gain + (self.origin_clock_ns - self.centre_ns), np.sqrt(np.maximum(variance, 0))

    def to_reference(self, clock_ns: Instants) -> tuple[Instants, Floats]:
        """Instants on the reference at which the clock showed `clock_ns`, to the nearest ns, and their uncertainty."""
        passed = clock_ns - self.origin_clock_ns
        y = passed.astype(np.float64) - self.offset_ns.value
        rate, (bend, _) = self.ppm.value / PPM, self._bend()
        gain = y * rate / (1 + rate)
        for _ in range(2 if bend else 0):
            gain = (y - gain) * (rate + (y - gain) * bend)
        instants = self.centre_ns + passed - np.rint(self.offset_ns.value + gain).astype(np.int64)
        return instants, self.at(instants)[1]

    def _bend(self) -> tuple[float, float]:
        """Coefficient of the square, ns per ns^2, and its variance."""
        if self.drift_ppm_per_s is None:
            return 0.0, 0.0
        scale = 0.5 / PPM / NS_PER_S
        half = (self.drift_ppm_per_s.high - self.drift_ppm_per_s.low) / 2
        return self.drift_ppm_per_s.value * scale, (half / 2 * scale) ** 2

"""The usual rates of analyzers, and the lowest of them on whose samples all times of a file fall."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

# Rates that sigrok's drivers list are such a number times a power of ten, Saleae's are the others and their halves
# (recalled, unverified): a rate that is not here only means that the resolution of the times is kept.
MANTISSAS = (1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 25, 32, 48)
HALVED_KHZ = (500_000, 100_000, 40_000, 24_000, 16_000, 200)
FASTEST_HZ = 10**9
SALEAE_HZ = tuple(sorted({Fraction(rate * 1000, 2**step) for rate in HALVED_KHZ for step in range(10)}))
USUAL_HZ = tuple(
    sorted({Fraction(mantissa * 10**power) for mantissa in MANTISSAS for power in range(3, 10)} | {*SALEAE_HZ})
)
CHANCE = Fraction(1, 50)  # share of a sample's length that is so near to samples that a time falls there by accident


def lowest_usual_hz(blocks: Iterable[NDArray[np.int64]], digits: int) -> Fraction | None:
    """Return the lowest usual rate on whose samples all times fall, within their last digit and float64's; or None.

    Parameters
    ----------
    blocks
        int64: times in 10^-digits s.
    digits
        Digits after the point of seconds.
    """
    unit_s = Fraction(1, 10**digits)
    fitting = [rate for rate in USUAL_HZ if rate <= FASTEST_HZ and 2 * unit_s * rate <= CHANCE]
    for times in blocks:
        times_s = times / 10**digits
        fitting = [rate for rate in fitting if fits(times_s, rate, tolerance_s=float(unit_s))]
        if not fitting:
            return None
    return fitting[0] if fitting else None


def fits(times_s: NDArray[np.float64], rate: Fraction, *, tolerance_s: float) -> bool:
    """Whether all times fall on samples of a rate, within a tolerance and the rounding of float64."""
    hertz = float(rate)
    off_s = np.abs(times_s - np.rint(times_s * hertz) / hertz)
    return bool(np.all(off_s <= tolerance_s + 4 * np.finfo(np.float64).eps * np.abs(times_s)))

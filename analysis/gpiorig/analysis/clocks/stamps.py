"""What stamps say of themselves: their step, and whether a line can be fitted to them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Instants = NDArray[np.int64]

LEAST_STAMPS = 3


def quantum(stamps_ns: Instants) -> float:
    """Step of stamps, found from themselves.

    The greatest common divisor of their differences. Stamps that are evenly spaced do not show it; of
    them, the largest power of ten ns up to 1 ms that divides the spacing is taken. 0 for stamps that are all equal.
    """
    steps = np.abs(np.diff(stamps_ns))
    steps = steps[steps != 0]
    if not len(steps):
        return 0.0
    found = int(np.gcd.reduce(steps))
    if int(steps.min()) < int(steps.max()):
        return float(found)
    return float(next(10**power for power in range(6, -1, -1) if found % 10**power == 0))


def impossible(clock_ns: Instants, reference_ns: Instants) -> str:
    """Why no line can be fitted; empty if one can."""
    if len(clock_ns) < LEAST_STAMPS:
        return f"fewer than {LEAST_STAMPS} stamps"
    if int(np.ptp(reference_ns)) == 0:
        return "all stamps of the reference are equal"
    if int(np.ptp(clock_ns)) == 0:
        return "the clock does not move"
    return ""

"""What stamps say of themselves: their step, and whether a line can be fitted to them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Instants = NDArray[np.int64]

LEAST_STAMPS = 3
REPEATED = 0.25  # of the stamps: more than lines that were logged twice


def shown_step(stamps: Instants) -> int:
    """The greatest common divisor of their differences; 0 where these do not show a step, being all equal.

    Stamps of which a quarter repeat the one before show it even if all others are one step apart.
    """
    steps = np.abs(np.diff(stamps))
    moved = steps[steps != 0]
    if not len(moved) or (int(moved.min()) == int(moved.max()) and len(steps) - len(moved) < REPEATED * len(steps)):
        return 0
    return int(np.gcd.reduce(moved))


def quantum(stamps_ns: Instants) -> float:
    """Step of stamps, found from themselves.

    That of `shown_step`. Stamps that are evenly spaced do not show it; of them, the largest power of ten ns up to 1 ms
    that divides the spacing is taken. 0 for stamps that are all equal.
    """
    step = shown_step(stamps_ns)
    if step or not np.ptp(stamps_ns if len(stamps_ns) else 0):
        return float(step)
    spacing = int(np.abs(np.diff(stamps_ns)).max())
    return float(next(10**power for power in range(6, -1, -1) if spacing % 10**power == 0))


def impossible(clock_ns: Instants, reference_ns: Instants) -> str:
    """Why no line can be fitted; empty if one can."""
    if len(clock_ns) < LEAST_STAMPS:
        return f"fewer than {LEAST_STAMPS} stamps"
    if int(np.ptp(reference_ns)) == 0:
        return "all stamps of the reference are equal"
    if int(np.ptp(clock_ns)) == 0:
        return "the clock does not move"
    return ""

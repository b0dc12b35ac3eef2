"""Resolution of timestamps: their step, and whether a line can be fitted to them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Instants = NDArray[np.int64]

MIN_TIMESTAMPS = 3
REPEATED = 0.25  # of the timestamps: more than lines that were logged twice


def shown_step(timestamps: Instants) -> int:
    """The greatest common divisor of their differences; 0 where all differences are equal and show no step.

    Timestamps of which a quarter repeat the one before show it even if all others are one step apart.
    """
    steps = np.abs(np.diff(timestamps))
    moved = steps[steps != 0]
    if not len(moved) or (int(moved.min()) == int(moved.max()) and len(steps) - len(moved) < REPEATED * len(steps)):
        return 0
    return int(np.gcd.reduce(moved))


def quantum(timestamps_ns: Instants) -> float:
    """Step of timestamps, from their own numbers.

    That of `shown_step`. Timestamps that are evenly spaced do not show it; of them, it is the largest power of ten ns
    up to 1 ms that divides the spacing. 0 for timestamps that are all equal.
    """
    step = shown_step(timestamps_ns)
    if step or not np.ptp(timestamps_ns if len(timestamps_ns) else 0):
        return float(step)
    spacing = int(np.abs(np.diff(timestamps_ns)).max())
    return float(next(10**power for power in range(6, -1, -1) if spacing % 10**power == 0))


def impossible(clock_ns: Instants, reference_ns: Instants) -> str:
    """The reason why no line can be fitted; empty if one can."""
    if len(clock_ns) < MIN_TIMESTAMPS:
        return f"fewer than {MIN_TIMESTAMPS} timestamps"
    if int(np.ptp(reference_ns)) == 0:
        return "all timestamps of the reference are equal"
    if int(np.ptp(clock_ns)) == 0:
        return "the clock does not move"
    return ""

"""Resolution of timestamps: their step, and whether a line can be fitted to them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.number_text import NS_PER_S, round_time_text, time_text

Instants = NDArray[np.int64]
Floats = NDArray[np.float64]

MIN_TIMESTAMPS = 3
DITHERED = 1 / 8  # of a step; instants that are independent of a clock's ticks are off by (1 - sqrt(1/2)) of it
SLOWEST_HZ = 100  # of operating systems' ticks: CLOCK_SECOND of Contiki-NG is 100 or 128, ZTIMER_MSEC of RIOT 1000
FEW = 64  # timestamps that refute most rates
WATCH_HZ = 32_768
CHANCE = 1e-6  # that instants of a finer clock look like those of a watch crystal
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


def quanta(clock_ns: Instants, reference_ns: Instants) -> tuple[float, float]:
    """Steps of two clocks, ns, by timestamps of the same instants: `counted_step` of each against the other."""
    return (
        counted_step(clock_ns, (reference_ns - reference_ns[:1]).astype(np.float64), NS_PER_S),
        counted_step(reference_ns, (clock_ns - clock_ns[:1]).astype(np.float64), NS_PER_S),
    )


def counted_step(ticks: Instants, reference: Floats, per_s: int) -> float:
    """Step in which a clock counts, apart from the times at which it was read.

    A node that prints every 170 ms has timestamps whose differences are multiples of 170 ms; its clock counts in ms. A
    clock of 32 768 Hz that is printed in µs has differences of 30 and 31. So there are three cases:

    - The timestamps are off the reference by a part of the greatest common divisor of their differences, as those of a
      clock with this step are if nothing ties the instants to its ticks: it is the step.
    - They are the ticks of a watch crystal, or of a power of two of them per second, rounded to the unit: `_binary_hz`.
    - Else it is the largest step that divides all timestamps and the tick of an operating system. Where the instants
      are tied to the ticks nothing shows more, and a clock that counts from 0 has timestamps that its step divides.

    Parameters
    ----------
    ticks
        int64[n], not wrapped.
    reference
        float64[n], the same instants on the reference, in ticks.
    per_s
        Ticks per second.

    Returns
    -------
    float
        In ticks, 1 at least.
    """
    spacing = int(np.gcd.reduce(np.diff(ticks))) if len(ticks) > 1 else 0
    if not spacing:
        return 1.0
    away = np.abs(np.diff(ticks) - np.diff(reference))
    if float(np.median(away)) >= DITHERED * spacing:
        step = float(spacing)
    else:
        longest = per_s // SLOWEST_HZ if per_s % SLOWEST_HZ == 0 else per_s
        step = float(np.gcd.reduce(np.append(ticks, longest)))
    binary_hz = _binary_hz(ticks, per_s, spacing)
    return max(step, per_s / binary_hz if binary_hz else 1.0)


def _binary_hz(ticks: Instants, per_s: int, spacing: int) -> int:
    """The least power of two per second whose ticks all timestamps are, rounded to their unit; 0 for none.

    Rounded in whatever way, the n-th tick times the rate is n seconds and at most a rate more, or less: the remainders
    lie within less than a rate. That those of k instants do by chance has the probability k (rate / per_s)^(k - 1) on a
    circle (W. L. Stevens, Annals of Eugenics 9, 1939, 315-320). Instants of equal remainders count once where a number
    of units divides all distances: a program that waits for such a number makes them. One that waits for ticks slower
    than those of a watch crystal reads it at one phase of them: of such a rate the remainders are near 0, too.
    """
    rates = [1 << power for power in range(per_s.bit_length()) if 4 << power <= per_s and per_s << power < 1 << 63]
    different = np.unique(ticks) % per_s
    for rate in rates:
        start = different[:0] if rate >= WATCH_HZ else np.zeros(1, dtype=np.int64)
        if any(_width(np.append(start, part * rate % per_s), per_s) >= rate for part in (different[:FEW], different)):
            continue
        count = len(different) if spacing == 1 else len(np.unique(different * rate % per_s))
        if len(rates) * count * (rate / per_s) ** (count - 1) < CHANCE:
            return rate
    return 0


def _width(places: Instants, circle: int) -> int:
    """Length of the shortest arc of a circle that holds all places."""
    places = np.unique(places)
    return circle - int(np.diff(places, append=places[:1] + circle).max())


def residual_text(residual_ns: float, step_ns: float) -> str:
    """A residual; below the step of the timestamps nothing more is known, since instants may be tied to ticks."""
    return f"below {round_time_text(step_ns)}" if residual_ns < step_ns else time_text(residual_ns)


def impossible(clock_ns: Instants, reference_ns: Instants) -> str:
    """The reason why no line can be fitted; empty if one can."""
    if len(clock_ns) < MIN_TIMESTAMPS:
        return f"fewer than {MIN_TIMESTAMPS} timestamps"
    if int(np.ptp(reference_ns)) == 0:
        return "all timestamps of the reference are equal"
    if int(np.ptp(clock_ns)) == 0:
        return "the clock does not move"
    return ""

"""Guesses of the data that a log lacks on its nodes' timers: their rate, their bits, the order of the timestamps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.number_text import NS_PER_S

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]

MODULI = (1 << 16, 1 << 24, 1 << 32)
NEARLY_FULL = 0.9  # a timer that was seen above this part of its range, and then near its start, may have wrapped
# How fast nodes count: s, ms, us, ns, and the 32768 Hz of a watch crystal.
USUAL_HZ = tuple(Fraction(rate) for rate in (1, 1000, 32768, 10**6, 10**9))
USUAL_WITHIN = 0.05
PARTS = 9
LAGS = (2, 4, 8)


def nominal_hz(ticks: Integers, reference_ns: Integers, scale: int = 1) -> tuple[float, Fraction | None]:
    """Ticks per second of the reference, and the usual rate within 5 % of that; None if no usual rate is near.

    Over the steps forward, so that a wrap or a reset takes only its own step. Where the rate over all of them is no
    usual one, as when the reference was stepped or is late at the ends, it is the median of those over `PARTS` parts of
    them, or of those between timestamps that are half, a quarter or an eighth of the log apart.

    Parameters
    ----------
    ticks, reference_ns
        int64[n] each.
    scale
        Ticks per printed unit: usual rates are those of that unit.
    """
    steps, passed = _forward(ticks, reference_ns, 1)
    rates = [_rates(steps.sum(keepdims=True), passed.sum(keepdims=True))]
    parts = [np.array([part.sum() for part in np.array_split(values, PARTS)]) for values in (steps, passed)]
    rates.append(_rates(parts[0], parts[1]))
    rates += [_rates(*_forward(ticks, reference_ns, max(len(ticks) // lag, 1))) for lag in LAGS]
    medians = [float(np.median(rate)) for rate in rates if len(rate)]
    for rate in medians:
        for usual in USUAL_HZ:
            if abs(rate / float(usual * scale) - 1) <= USUAL_WITHIN:
                return rate, usual * scale
    return (medians or [math.nan])[0], None


def _forward(ticks: Integers, reference_ns: Integers, lag: int) -> tuple[Floats, Floats]:
    """Ticks and ns between timestamps `lag` apart between which the timer went forward."""
    steps, passed = ticks[lag:] - ticks[:-lag], reference_ns[lag:] - reference_ns[:-lag]
    return steps[steps > 0].astype(np.float64), passed[steps > 0].astype(np.float64)


def _rates(steps: Floats, passed_ns: Floats) -> Floats:
    """Ticks per second, where the reference went forward."""
    on = passed_ns > 0
    return np.asarray(steps[on] / passed_ns[on] * NS_PER_S)


def likely_modulus(ticks: Integers) -> int | None:
    """The least usual modulus that holds all timestamps, if one of them nearly reached it and the next is far below.

    Timestamps below 0 are those of a timer that was printed with a sign: it is full at half of the modulus.
    """
    least, most = int(ticks.min(initial=0)), int(ticks.max(initial=0))
    for modulus in MODULI:
        bottom = -modulus // 2 if least < 0 else 0
        if bottom <= least and most < bottom + modulus:
            full = ticks - bottom
            falls = (full[:-1] > NEARLY_FULL * modulus) & (full[1:] < modulus // 2)
            return modulus if falls.any() else None
    return None


def no_clock(ticks: Integers, scale: int = 1) -> str:
    """Note on numbers that go back all the time, with the bits they would have if they fill them.

    Parameters
    ----------
    ticks
        int64[n], n >= 1.
    scale
        Ticks per printed unit.
    """
    least, most = int(ticks.min()) / scale, int(ticks.max()) / scale
    bits = int(most).bit_length()
    full = least >= 0 and most >= NEARLY_FULL * 2**bits
    hint = f"try --bits {bits}" if full else "check the pattern, and give --bits"
    return f"no clock, or one of fewer bits: values {least:g} to {most:g}; {hint}"


def order(ticks: Integers, reference_ns: Integers) -> Integers:
    """Places of the timestamps in the order of their events.

    This is the order of the log. Where the reference falls, it is that of the reference, and of the node's time at
    equal ones, if the node's time falls less often then: the lines of a log that is not in order are distinguished from
    a reference that was set back.
    """
    as_logged = np.arange(len(ticks))
    if not (np.diff(reference_ns) < 0).any():
        return as_logged
    by_reference = np.lexsort((ticks, reference_ns))
    falls = [int((np.diff(series) < 0).sum()) for series in (ticks, ticks[by_reference])]
    return by_reference if falls[1] < falls[0] else as_logged


def moved(boots: Sequence[int], places: Integers) -> list[int]:
    """Places of the first timestamps after boots once the timestamps are in another order."""
    where = np.argsort(places)
    return [int(where[at]) for at in boots]

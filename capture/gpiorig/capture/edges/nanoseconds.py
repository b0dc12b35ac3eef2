"""Samples in nanoseconds: the one rounding that formats without a samplerate need."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture.errors import CaptureError

NS_PER_S = 10**9
_INT64_MAX = 2**63 - 1


class TimeRangeError(CaptureError, OverflowError):
    """An instant that 64-bit ns cannot hold."""


def nearest_ns(samples: NDArray[np.int64], samplerate_hz: Fraction) -> NDArray[np.int64]:
    """Return instants in ns, to the nearest, halves up; the order of instants stays.

    Parameters
    ----------
    samples
        int64, shape (n,): sample numbers.
    samplerate_hz
        Samples per second, exact.

    Returns
    -------
    numpy.ndarray
        int64, shape (n,).

    Raises
    ------
    TimeRangeError
        An instant is more than 292 years from sample 0.
    """
    rate, scale = samplerate_hz.numerator, samplerate_hz.denominator
    largest = max(abs(int(samples.min())), abs(int(samples.max()))) if samples.size else 0
    if (largest * scale * NS_PER_S) // rate >= _INT64_MAX:
        raise TimeRangeError(
            f"sample {largest} at {float(samplerate_hz):g} Hz is more than 292 years from sample 0",
            remedy="such times do not fit into 64-bit ns: is the samplerate right, or a loss too long?",
        )
    if largest * scale > _INT64_MAX or 2 * rate * NS_PER_S + rate > _INT64_MAX:
        exact = [(2 * sample * scale * NS_PER_S + rate) // (2 * rate) for sample in samples.tolist()]
        return np.array(exact, dtype=np.int64)
    seconds, rest = np.divmod(samples * scale, rate)
    nanoseconds: NDArray[np.int64] = seconds * NS_PER_S + (2 * rest * NS_PER_S + rate) // (2 * rate)
    return nanoseconds


def rounding_text(samplerate_hz: Fraction) -> str:
    """Rounding by `nearest_ns` of samples of a rate, as text."""
    period = Fraction(NS_PER_S) / samplerate_hz
    if period.denominator == 1:
        return f"times in ns are exact (a sample is {period} ns)"
    if period <= 1:
        return "times are rounded to the nearest ns, which is coarser than the samples"
    return f"times are rounded to the nearest ns (a sample is {float(period):.3f} ns): round(ns * rate) is the sample"

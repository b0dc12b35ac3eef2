"""Samples in ns against exact arithmetic, up to the last one that 64 bits hold."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from gpiorig.capture.edges.nanoseconds import TimeRangeError, nearest_ns, rounding_text

RATES = [
    Fraction(1),
    Fraction(24_000_000),
    Fraction(10**9),
    Fraction(10**8, 3),
    Fraction(4 * 10**9 + 1, 10**6),  # samples times its denominator are beyond 64 bits
    Fraction(4_611_686_017),  # twice this many times 10^9 is just within 64 bits
    Fraction(4_611_686_018),
    Fraction(10**15 + 1, 10**6),
]


@pytest.mark.parametrize("rate", RATES)
def test_the_nearest_ns_of_any_sample(rate: Fraction) -> None:
    """Halves up; of the last sample within 292 years, not of the one after it."""
    last = int((2**63 - 1) * rate / 10**9)
    last -= int(last * 10**9 / rate) >= 2**63 - 1
    inside = [last, last - 1, -last, 10**13, int(rate) - 1, int(rate), int(rate) // 2, 1, 0, -1, -3]
    samples = [sample for sample in inside if abs(sample) <= min(last, 2**63 - 1)]
    expected = [int((sample * 10**9 / rate + Fraction(1, 2)) // 1) for sample in samples]

    assert len(samples) > 7
    assert expected == nearest_ns(np.array(samples), rate).tolist()
    for sample, ns in zip(samples, expected, strict=True):
        assert [ns] == nearest_ns(np.array([sample]), rate).tolist()
    if last + 2 < 2**63:
        with pytest.raises(TimeRangeError, match=f"sample {last + 2} at .* is more than 292 years"):
            nearest_ns(np.array([0, last + 2]), rate)
    assert [] == nearest_ns(np.empty(0, dtype=np.int64), rate).tolist()


@pytest.mark.parametrize(
    ("rate", "text"),
    [
        (10**9, "exact (a sample is 1 ns)"),
        (10**9 + 1, "which is coarser than the samples"),
        (10**9 - 1, "(a sample is 1.000 ns): round(ns * rate)"),
        (24_000_000, "(a sample is 41.667 ns): round(ns * rate)"),
        (8_000_000, "exact (a sample is 125 ns)"),
    ],
)
def test_what_is_rounded_is_stated(rate: int, text: str) -> None:
    assert text in rounding_text(Fraction(rate))

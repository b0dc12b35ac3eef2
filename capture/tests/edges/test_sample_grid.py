"""The lowest usual rate on whose samples times fall: which rates a number of digits can show."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from gpiorig.capture.edges.sample_grid import USUAL_HZ, fits, lowest_usual_hz

SAMPLES = np.array([0, 1, 7, 1001, 123_457])


def times(rate: int, digits: int) -> np.ndarray:
    """Times of samples, in units of their last digit."""
    return np.array([round(Fraction(int(sample) * 10**digits, rate)) for sample in SAMPLES])


@pytest.mark.parametrize(
    ("rate", "digits", "is_found"),
    [
        (100_000_000, 10, True),  # the last digit is a hundredth of a sample
        (120_000_000, 10, False),
        (1_000_000_000, 11, True),
        (1_000_000_000, 10, False),
        (1_000_000_000, 15, True),
        (2_000_000_000, 15, False),  # no analyzer is as fast
        (24_000_000, 12, True),
        (12_500_000, 12, True),
        (7_654_321, 15, False),
    ],
)
def test_rates_that_digits_can_show(rate: int, digits: int, is_found: bool) -> None:
    expected = Fraction(rate) if is_found else None
    assert expected == lowest_usual_hz([times(rate, digits)], digits)
    assert expected == lowest_usual_hz([times(rate, digits)[:2], times(rate, digits)[2:]], digits)


def test_the_lowest_rate_is_found() -> None:
    """Also of times on samples that several rates have; of no times the lowest of all."""
    assert Fraction(1_000_000) == lowest_usual_hz([2 * times(2_000_000, 12)], 12)
    assert USUAL_HZ[0] == lowest_usual_hz([], 12)
    assert None is lowest_usual_hz([], 2)
    assert sorted(set(USUAL_HZ)) == list(USUAL_HZ)


def test_a_time_of_zero_is_on_every_grid() -> None:
    """Without any tolerance; one that is off by more than the tolerance is on none."""
    assert fits(np.zeros(1), Fraction(24_000_000), tolerance_s=0.0)
    assert fits(np.array([0.0, 1.25]), Fraction(2), tolerance_s=0.25)
    assert not fits(np.array([0.0, 1.26]), Fraction(1), tolerance_s=0.25)

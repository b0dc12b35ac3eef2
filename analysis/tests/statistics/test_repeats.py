"""Means of repeats and their differences: against scipy, in any unit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from gpiorig.analysis.statistics import effects, repeats

BASE, NEW = np.array([10.0, 11.0, 9.5, 10.2]), np.array([12.0, 12.7, 11.1])


@pytest.mark.parametrize("scale", [1e-14, 1.0, 1e14])
def test_the_interval_is_that_of_welch(scale: float) -> None:
    """In seconds as in nanoseconds: the unit decides nothing."""
    expected = stats.ttest_ind(NEW * scale, BASE * scale, equal_var=False).confidence_interval(0.95)
    interval = repeats.difference(BASE * scale, NEW * scale)
    assert (expected.low, expected.high) == pytest.approx((interval.low, interval.high))
    assert (expected.low + expected.high) / 2 == pytest.approx(interval.value)


@pytest.mark.parametrize("scale", [1e-14, 1.0, 1e14])
def test_repeats_that_differ_by_rounding_only_have_no_interval(scale: float) -> None:
    equal = np.array([1.0, 1.0 + 2**-52, 1.0]) * scale
    interval = repeats.difference(equal, 3 * equal)
    assert 2 * scale == pytest.approx(interval.value)
    assert np.isnan([interval.low, interval.high]).all()


def test_a_ratio_of_pairs_by_hand() -> None:
    """Means 20 and 22: 1.1. new - 1.1 base is 1, -1, 0, whose mean has ± 4.3027 / √3 (t of 2), over 22."""
    base = np.array([10.0, 20.0, 30.0])
    interval = effects.paired_ratio(base, 1.1 * base + np.array([1.0, -1.0, 0.0]))
    half = 4.3027 / np.sqrt(3) / 22
    assert (1.1, 1.1 * np.exp(-half), 1.1 * np.exp(half)) == pytest.approx(
        (interval.value, interval.low, interval.high), rel=1e-5
    )
    assert (1.0, 1.0, 1.0) == (lambda one: (one.value, one.low, one.high))(effects.paired_ratio(0 * base, 0 * base))
    assert np.isnan(effects.paired_ratio(0 * base, base).value)

"""Means of repeats and their differences: against scipy, in any unit."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from gpiorig.analysis.statistics import repeats

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

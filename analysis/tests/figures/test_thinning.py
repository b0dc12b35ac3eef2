"""Thinning: the drawn points are true of all values."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from gpiorig.analysis.figures import thinning

values = arrays(np.int64, st.integers(1, 200), elements=st.integers(-(2**40), 2**40))


@given(values, st.integers(2, 50))
def test_every_drawn_point_of_a_distribution_function_is_on_it(samples, most):
    """Against the definition: the share of values at or below; the least and the largest are drawn."""
    x, share = thinning.ecdf(samples, most=most)
    assert share.tolist() == [np.count_nonzero(samples <= value) / len(samples) for value in x]
    assert (samples.min(), samples.max()) == (x[0], x[-1])
    assert 1.0 == share[-1]
    assert len(x) <= max(most, min(len(samples), most))


@given(values, st.integers(1, 40))
def test_bands_hold_every_value(samples, bins):
    """Each band's ends are the extremes of its bin, so no spike is lost; the median lies within."""
    x = np.arange(len(samples))
    centres, least, middle, largest = thinning.bands(x, samples, bins=bins)
    assert len(centres) <= bins
    assert (samples.min(), samples.max()) == (least.min(), largest.max())
    assert np.all((least <= middle) & (middle <= largest))


def test_without_values_nothing_is_drawn():
    nothing = np.zeros(0, dtype=np.int64)
    assert [0, 0] == [len(part) for part in thinning.ecdf(nothing)]
    assert [0] * 4 == [len(part) for part in thinning.bands(nothing, nothing)]

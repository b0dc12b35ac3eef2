"""Dependence within a series: against a second program, a plain version, and series of known dependence."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.signal import lfilter

from gpiorig.analysis.statistics import dependence

# Autoregressive series x[i] = phi x[i-1] + noise, noise = default_rng(seed).normal(size=n) (`ar`), and the length for
# the circular block bootstrap by optimal_block_length(x)["circular"] of arch 8.0.0, rounded up.
BY_ARCH = [
    (0.3, 400, 1, 3),
    (0.5, 1000, 2, 11),
    (0.8, 2000, 3, 30),
    (0.9, 5000, 4, 67),
    (-0.5, 1500, 5, 14),
    (0.6, 60, 6, 5),
]


def ar(phi: float, n: int, seed: int) -> np.ndarray:
    return lfilter([1], [1, -phi], np.random.default_rng(seed).normal(size=n))


@pytest.mark.parametrize(("phi", "n", "seed", "block"), BY_ARCH)
def test_block_length_as_a_second_program_has_it(phi, n, seed, block):
    assert block == dependence.measure(ar(phi, n, seed)).block


def test_independent_values_count_as_what_they_are():
    """One series of white noise in 20 is taken for dependent; 180 or more of 200 are not, but once in 1000 times."""
    measured = [dependence.measure(ar(0, 500, seed)) for seed in range(200)]
    independent = [one for one in measured if one.independent]
    assert len(independent) >= 180
    assert {(1, 500.0)} == {(one.block, one.effective) for one in independent}


def test_what_must_depend_is_not_said_to_be_independent():
    """A series in which chance hides it: its first autocorrelation counts as measured, and blocks hold neighbours."""
    x = ar(0, 500, 3)
    assert dependence.measure(x).independent
    dependent = dependence.measure(x, lags=1)
    centred = x - x.mean()
    r = float(centred[1:] @ centred[:-1]) / float(centred @ centred)
    assert (1, False) == (dependent.lags, dependent.independent)
    assert math.isclose(min(500, 500 / (1 + 2 * r)), dependent.effective)
    assert dependence.block_for(x, lags=1)[0] >= 4


def test_effective_number_of_an_autoregressive_series():
    """Long-run variance over variance is (1 + phi) / (1 - phi): 3 for phi = 0.5, so that 30 000 count as 10 000."""
    effective = [dependence.measure(ar(0.5, 30_000, seed)).effective for seed in range(20)]
    # The estimate's standard error from the 20 themselves.
    error = np.std(effective, ddof=1) / math.sqrt(20)
    assert abs(np.mean(effective) - 10_000) < 4 * error
    assert error < 150


@pytest.mark.parametrize("n", [9, 100, 65_536, 150_000])
def test_autocovariance_in_pieces_is_the_plain_one(n):
    x = ar(0.9, n, 1)
    last = min(40, n - 1)
    plain = [float(x[: n - k] @ x[k:]) / n for k in range(last + 1)]
    np.testing.assert_allclose(plain, dependence._autocovariance(x, 0.0, last), rtol=1e-9, atol=1e-9)


def test_shift_and_scale_change_nothing():
    x = ar(0.7, 2000, 3)
    before, after = dependence.measure(x), dependence.measure(4 * x + 1024)
    assert (before.lags, before.block) == (after.lags, after.block)
    assert math.isclose(before.effective, after.effective, rel_tol=1e-9)


def test_a_beat_does_not_die_out():
    assert not dependence.measure(np.sin(np.arange(5000) / 3)).dies_out


@pytest.mark.parametrize("series", [[], [1], [1, 2], [5] * 100, [0, 1] * 3])
def test_few_or_equal_values(series):
    dependent = dependence.measure(np.array(series, dtype=np.int64))
    assert (0, float(len(series)), 1) == (dependent.lags, dependent.effective, dependent.block)

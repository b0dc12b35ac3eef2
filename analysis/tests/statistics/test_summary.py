"""Statistics three ways: published values, plain slow versions, properties on random input."""

from __future__ import annotations

import math
import statistics as plain
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpiorig.analysis.statistics import estimators, intervals
from gpiorig.analysis.statistics.statistic_names import EXTREMES
from gpiorig.analysis.statistics.summary import LISTED, Statistic, ipdv, quantile, resolved, summarize, variance

RATE = Fraction(24_000_000)
delays = st.lists(st.integers(0, 1 << 40), min_size=2, max_size=60)


def array(values):
    return np.array(values, dtype=np.int64)


def test_quantiles_of_the_published_example():
    """R 4, ?quantile and numpy: quantile(c(1, 3, 4, 8, 11), type = 7) gives 1, 3, 4, 8, 11 and p10 = 1.8, p90 = 9.8."""
    x = array([1, 3, 4, 8, 11])
    assert [1, 3, 4, 8, 11] == [quantile(x, Fraction(p, 4)) for p in range(5)]
    assert Fraction(18, 10) == quantile(x, Fraction(1, 10))
    assert Fraction(98, 10) == quantile(x, Fraction(9, 10))


def test_standard_deviation_of_the_published_example():
    """NIST StRD, univariate, dataset NumAcc1: 10000001, 10000003, 10000002 have mean 10000002 and std 1 exactly."""
    summary = summarize(array([10000001, 10000003, 10000002]), samplerate_hz=Fraction(1_000_000_000))
    assert (10000002.0, 1.0) == (summary.mean_ns, summary.std_ns)


def test_standard_deviation_where_floats_cancel():
    """NIST StRD NumAcc4 scaled to integers: 10000000.2 and 500 pairs of 10000000.1 and .3 have std 0.1."""
    values = [100000002] + [100000001, 100000003] * 500
    summary = summarize(array(values), samplerate_hz=Fraction(1_000_000_000))
    assert 1.0 == summary.std_ns
    assert 100000002.0 == summary.mean_ns


@given(delays)
def test_equal_to_the_plain_version(values):
    summary = summarize(array(values), samplerate_hz=RATE)
    ns = Fraction(1_000_000_000) / RATE
    exact = [Fraction(value) for value in values]
    assert float(plain.mean(exact) * ns) == summary.mean_ns
    assert float(plain.median(exact) * ns) == summary.median_ns
    assert plain.variance(exact) == variance(array(values))
    assert math.isclose(math.sqrt(plain.variance(exact)) * float(ns), summary.std_ns, rel_tol=1e-12)
    for p in (5, 25, 75, 95, 99):
        expected = float(np.quantile(array(values).astype(np.longdouble), p / 100))
        assert math.isclose(
            expected, float(quantile(np.sort(array(values)), Fraction(p, 100))), rel_tol=1e-9, abs_tol=1e-6
        )


@given(delays, st.integers(0, 1 << 41))
def test_shifting_all_delays_shifts_places_and_keeps_spreads(values, shift):
    before = summarize(array(values), samplerate_hz=Fraction(1_000_000_000))
    after = summarize(array(values) + shift, samplerate_hz=Fraction(1_000_000_000))
    assert before.min_ns + shift == after.min_ns
    assert before.std_ns == after.std_ns
    assert before.peak_to_peak_ns == after.peak_to_peak_ns
    assert before.iqr_ns == after.iqr_ns


def test_variance_of_huge_values_is_exact():
    values = [0, (1 << 62) - 1, 5]
    assert plain.variance([Fraction(v) for v in values]) == variance(array(values))


def test_few_delays():
    none, one = summarize(array([]), samplerate_hz=RATE, lost=3), summarize(array([24]), samplerate_hz=RATE)
    assert (0, 3) == (none.n, none.lost)
    assert math.isnan(none.median_ns)
    assert (1000.0, 1000.0, 0.0) == (one.median_ns, one.p99_ns, one.iqr_ns)
    assert math.isnan(one.std_ns)


def test_ipdv_takes_neighbours_only():
    assert [5, -3] == ipdv(array([10, 15, -1, 20, 17])).tolist()


def test_what_quantisation_makes_is_not_resolved():
    """A constant delay sampled at any phase varies by one sample; that is not a measurement of jitter."""
    starts = np.linspace(0, 1000, 997)
    delays = np.floor(starts + 123.4).astype(np.int64) - np.floor(starts).astype(np.int64)
    assert 1 == np.ptp(delays)
    assert not resolved(delays)
    assert not resolved(array([5]))
    assert resolved(array([5, 8]))


def test_a_million_delays():
    values = np.random.default_rng(3).integers(0, 1 << 30, 1_000_000)
    summary = summarize(values, samplerate_hz=RATE)
    assert math.isclose(float(np.std(values, ddof=1)) * 1e3 / 24, summary.std_ns, rel_tol=1e-9)


@pytest.mark.parametrize("statistic", LISTED, ids=lambda statistic: statistic.name)
def test_a_listed_statistic_has_the_same_value_wherever_it_is(statistic: Statistic) -> None:
    """In a summary, as an interval of a limit, and as the side of a comparison."""
    values = np.random.default_rng(5).integers(1_000, 9_000, 400)
    summarized = getattr(summarize(values, samplerate_hz=Fraction(10**9)), statistic.field)
    assert summarized == pytest.approx(intervals.for_statistic(values, statistic.name).value, rel=1e-12)
    if statistic.name not in EXTREMES:
        assert summarized == pytest.approx(estimators.named(values, statistic.name).value, rel=1e-12)

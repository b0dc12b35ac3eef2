"""Jitter by each definition, against the RFCs' own formulas and numbers."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import attributioncases as cases
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpiorig.analysis.delays import jitter
from gpiorig.analysis.statistics.summary import ipdv

NS = Fraction(1_000_000_000)  # a sample is a nanosecond
delays = st.lists(st.integers(0, 1 << 30), min_size=0, max_size=60)


def array(of):
    return np.array(of, dtype=np.int64)


def by_name(of, **options):
    return {measure.name: measure.ns for measure in jitter.measures(array(of), samplerate_hz=NS, **options)}


def same(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-6) or (math.isnan(a) and math.isnan(b))


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(delays)
def test_interarrival_jitter_as_the_code_of_rfc_3550_appendix_a8(of):
    """Line by line: transit, d, and the estimate, floating-point and as the integer of 16 times its size.

    That one rounds by 1/2 at each packet, of which 15/16 are left at the next, 8 in all or half a unit, and is cut.
    """
    transit, estimate, scaled, running = None, 0.0, 0, []
    for delay in of:
        if transit is not None:
            d = abs(delay - transit)
            estimate += (1.0 / 16.0) * (d - estimate)
            scaled += d - ((scaled + 8) >> 4)
            running.append(estimate)
            assert abs((scaled >> 4) - estimate) <= 1.5
        transit = delay
    np.testing.assert_allclose(running, jitter.interarrival(ipdv(array(of))), rtol=1e-9, atol=1e-6)
    last = by_name(of)["interarrival jitter J, last"]
    assert same(running[-1] if running else math.nan, last.value)
    assert "no interval" in last.note


def test_the_delays_of_rfc_5481():
    """The sample of its section 4.4: IPDV of -10, 10, 5, -5 and PDV of 10, 0, 10, 15, 10 (ms).

    The RFC was not at hand; the numbers are as they are commonly quoted from it.
    """
    sample = [20, 10, 20, 25, 20]
    assert [-10, 10, 5, -5] == ipdv(array(sample)).tolist()
    jitter_by_name = by_name(sample)
    assert 10 == jitter_by_name["PDV, median"].value
    assert 7.5 == jitter_by_name["IPDV, median of magnitudes"].value
    assert 20 == jitter_by_name["IPDV, peak-to-peak"].value
    assert 15 == jitter_by_name["peak-to-peak"].value


def test_the_mean_of_the_running_jitter_tends_to_that_of_the_differences():
    of = np.random.default_rng(1).integers(0, 1000, 20_000)
    running = jitter.interarrival(ipdv(of))
    mean = by_name(of)["interarrival jitter J, mean"]
    assert mean.low < running[200:].mean() < mean.high
    assert same(np.abs(np.diff(of)).mean(), mean.value)


def test_a_lost_packet_breaks_the_pairs_it_is_in():
    assert same(5, by_name([10, 15, -1, 100, 105])["IPDV, median of magnitudes"].value)
    assert same(95, by_name([10, 15, -1, 100, 105])["peak-to-peak"].value)


def test_packets_missing_in_their_numbers_break_pairs_as_lost_ones_do():
    """Of six sent the third and the fourth are lost; the numbers come in the order of `delays`, whatever that is."""
    full = by_name([10, 15, -1, -1, 100, 105])
    assert repr(full) == repr(by_name([10, 15, 100, 105], places=array([0, 1, 4, 5])))
    assert repr(full) == repr(by_name([105, 15, 100, 10], places=array([5, 1, 4, 0]), starts=array([9, 3, 7, 2])))
    assert 0 == full["IPDV, peak-to-peak"].value
    assert 80 == by_name([10, 15, 100, 105])["IPDV, peak-to-peak"].value


@pytest.mark.parametrize(("places", "widest"), [(array([0, 1, 2, 7, 8, 9]), 5), (None, 89)])
def test_packets_lost_of_a_run_break_the_pairs_of_round_trips(places, widest):
    """Delays of 10, 15, 11 samples, then 100, 101, 101 after some were lost: differences of -4 to 5, or to 89."""
    route = cases.route(array([[10], [15], [11], [100], [101], [101]]), np.arange(6, dtype=np.int64) * 1000)
    measures = jitter.for_route(dataclasses.replace(route, places=places))
    ranges = [measure.ns.value for measure in measures if measure.name == "IPDV, peak-to-peak"]
    assert [pytest.approx((widest + 4) * cases.UNIT_NS)] == ranges


def test_packets_are_taken_in_the_order_of_sending():
    assert repr(by_name([20, 10, 25], starts=array([2, 1, 3]))) == repr(by_name([10, 20, 25]))


def test_every_measure_has_a_name_of_its_own_and_a_source():
    jitters = jitter.measures(np.arange(100), samplerate_hz=NS)
    assert len(jitters) == len({one.name for one in jitters})
    assert all(one.source for one in jitters)


def test_peak_to_peak_has_no_interval_but_says_what_share_it_holds():
    """Wilks 1941: 93 independent packets hold 95 % with 95 % confidence."""
    jitter_by_name = by_name(np.random.default_rng(3).permutation(93))["peak-to-peak"]
    assert math.isnan(jitter_by_name.low)
    assert math.isnan(jitter_by_name.high)
    assert "no interval; with 95 % confidence at least 95 %" in jitter_by_name.note


@settings(max_examples=50, deadline=None)
@given(delays)
def test_nothing_raises_and_nothing_is_undefined_without_a_word(of):
    for jitter_by_name in by_name(of).values():
        for number in (jitter_by_name.value, jitter_by_name.low, jitter_by_name.high):
            assert not math.isnan(number) or jitter_by_name.note


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 1 << 32), st.integers(0, 1 << 30), st.integers(2, 1000))
def test_jitter_does_not_know_of_a_shift_and_scales(seed, shift, scale):
    of = np.random.default_rng(seed).integers(0, 10_000, 200)
    before, after = by_name(of), by_name(of * scale + shift)
    for name in before:
        assert same(before[name].value * scale, after[name].value), name


def test_table():
    table = jitter.as_table(jitter.measures(np.arange(100), samplerate_hz=Fraction(24_000_000)))
    assert ["measure", "source", "value_ns", "low_ns", "high_ns", "confidence", "method", "note"] == table.column_names
    assert table["value_ns"][0].as_py() == 99 * 1000 / 24


def test_the_running_estimate_is_that_of_all_packets():
    """J forgets: of a run of 40 000 packets the last 16 384 give the same number, to its last bit."""
    delays = np.random.default_rng(3).integers(1, 1 << 20, 40_000)
    last = next(m for m in jitter.measures(delays, samplerate_hz=Fraction(10**9)) if m.name.endswith("J, last"))
    assert jitter.interarrival(ipdv(delays))[-1] == last.ns.value

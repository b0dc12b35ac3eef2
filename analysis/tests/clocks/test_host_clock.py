"""Timestamps that can only be late, and nodes' clocks against them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
import pytest
from depth import by_depth, fewest
from scipy.optimize import linprog

from gpiorig.analysis.clocks import host_clock, node_clock, node_json, slope, timer_guesses
from gpiorig.analysis.clocks.clock_fit import ClockFit, fit
from gpiorig.analysis.clocks.host_clock import minimum_delay
from gpiorig.analysis.errors import EventError

NS_PER_S = 10**9
EPOCH_NS = 1_763_000_000 * NS_PER_S
SPAN_NS = 60 * NS_PER_S


def late(random: np.random.Generator, at: np.ndarray, *, ppm: float = 20.0, mean_ns: float = 1e6) -> np.ndarray:
    """A host that is `ppm` fast and reads 50 µs late at least, exponentially later mostly, and stalls at times."""
    n = len(at)
    stalls = (random.random(n) < 0.02) * random.integers(0, 10**8, n)
    delay = 50_000 + random.exponential(mean_ns, n).astype(np.int64) + stalls
    return np.asarray(EPOCH_NS + at + np.rint(at * ppm * 1e-6).astype(np.int64) + delay)


def instants(random: np.random.Generator, n: int = 1000) -> np.ndarray:
    return np.sort(random.integers(0, SPAN_NS, n))


def both(host_ns: np.ndarray, at: np.ndarray) -> tuple[ClockFit, ClockFit]:
    """The line below all timestamps, and that through their middle."""
    return (
        minimum_delay(host_ns, at, host="host", reference="analyzer"),
        fit(host_ns, at, clock="host", reference="analyzer"),
    )


def test_the_line_is_that_of_the_linear_program() -> None:
    """Rate and offset as scipy's solver finds them for the program of Moon, Skelly and Towsley."""
    random = np.random.default_rng(1)
    at = instants(random, 300)
    host = late(random, at)
    (one,) = minimum_delay(host, at, host="host", reference="analyzer", piecewise=False).segments
    x, y = (at - one.centre_ns) / NS_PER_S, (host - EPOCH_NS - at) / 1e3
    solved = linprog([-len(x), -x.sum()], A_ub=np.stack([np.ones(len(x)), x], axis=1), b_ub=y, bounds=(None, None))
    offset_us = (one.origin_clock_ns - EPOCH_NS - one.centre_ns + one.offset_ns.value) / 1e3
    assert (offset_us, one.ppm.value) == pytest.approx(tuple(solved.x), rel=1e-6)


def test_minimum_delay_and_median() -> None:
    """The line below is within 30 µs of the smallest delays; that through the middle is most of a ms later."""
    random = np.random.default_rng(2)
    at = instants(random)
    host = late(random, at)
    minimum, median = both(host, at)
    truth = EPOCH_NS + np.rint(at * 20e-6).astype(np.int64) + 50_000
    least, middle = (fitted.at(at)[0] - truth for fitted in (minimum, median))
    assert np.abs(least).max() < 30_000
    assert 400_000 < middle.mean() < 1_100_000
    assert abs(minimum.segments[0].ppm.value - 20) < abs(median.segments[0].ppm.value - 20)


@pytest.mark.slow
def test_coverage() -> None:
    """Intervals contain the true rate as often as promised."""
    random = np.random.default_rng(3)
    runs, held = by_depth(30, 100), 0
    for _ in range(runs):
        at = instants(random, 500)
        (one,) = minimum_delay(late(random, at), at, host="host", reference="analyzer", piecewise=False).segments
        held += one.ppm.low <= 20 <= one.ppm.high
    assert held >= fewest(runs, 0.95, risk=0.005)


@pytest.mark.slow
def test_timestamps_that_nothing_dithers() -> None:
    """Integer seconds of a host, integer ms of a node that prints every 100 ms: the smallest delays are all equal."""
    at = np.arange(0, 300 * NS_PER_S, 100_000_000)
    for ppm in (-40.0, 3.0, 25.0):
        node = np.rint(at * (1 + ppm * 1e-6)).astype(np.int64) // 10**6 * 10**6
        host = EPOCH_NS + at // NS_PER_S * NS_PER_S
        (one,) = minimum_delay(host, node, host="host", reference="node", piecewise=False).segments
        assert one.ppm.low < -ppm < one.ppm.high


@pytest.mark.parametrize("span_s", [20, 60, 200])
def test_delays_that_repeat_widen_the_interval(span_s: int) -> None:
    """An adapter that hands bytes on every 16 ms, and a node that sends every 20 ms: the beat hides 10 ppm."""
    at = np.arange(0, span_s * NS_PER_S, 20_000_000)
    sent = at + np.rint(at * -10e-6).astype(np.int64)  # of a node that is 10 ppm fast
    host = -(-(sent + 1) // 16_000_000) * 16_000_000 + np.random.default_rng(4).integers(0, 50_000, len(at))
    (one,) = minimum_delay(host, at, host="host", reference="node", piecewise=False).segments
    level_us = float(one.ppm.method.partition("delays that repeat within ")[2].removesuffix(" µs"))
    assert one.ppm.low < -10 < one.ppm.high
    # A quantisation by the level turns a line by 1.5 times that over its span, at worst.
    half_ppm = (one.ppm.high - one.ppm.low) / 2
    assert half_ppm >= 0.99 * 1.5 * level_us / (one.end_ns - one.start_ns) * 1e9
    assert 2 * np.sqrt(one.covariance[1, 1]) * 1e6 == pytest.approx(half_ppm)
    assert 2 * np.sqrt(one.covariance[0, 0]) == pytest.approx((one.offset_ns.high - one.offset_ns.low) / 2)


@pytest.mark.slow
def test_step_of_the_host() -> None:
    """NTP sets the host back by 20 ms: two lines, neither turned by the other's timestamps."""
    random = np.random.default_rng(5)
    at = instants(random, 3000)
    host = late(random, at) - np.where(at > 25 * NS_PER_S, 20_000_000, 0)
    minimum, median = both(host, at)
    assert [len(fitted.segments) for fitted in (minimum, median)] == [2, 2]
    assert [segment.ppm.value for segment in minimum.segments] == pytest.approx([20, 20], abs=2)


def test_a_small_step_of_a_fast_host() -> None:
    """A clock that is 0.5 % fast steps by less than the mean delay: the least of its delays show it."""
    random = np.random.default_rng(6)
    at = instants(random)
    host = late(random, at, ppm=5000.0) + np.where(at > 30 * NS_PER_S, 400_000, 0)
    before, after = minimum_delay(host, at, host="host", reference="analyzer").segments
    assert before.end_ns < 30 * NS_PER_S < after.start_ns
    assert [before.ppm.value, after.ppm.value] == pytest.approx([5000, 5000], abs=5)


@pytest.mark.parametrize(("host", "note"), [([], "fewer than 3 timestamps"), ([7, 7, 7], "the clock does not move")])
def test_impossible(host: list[int], note: str) -> None:
    for fitted in both(np.array(host, dtype=np.int64), np.arange(len(host))):
        assert (fitted.segments, fitted.note) == ((), note)


@pytest.mark.parametrize("n", [3, 4, 5, 6, 9])
def test_few_timestamps_are_all_used(n: int) -> None:
    """Also those that fill no block; three blocks of two timestamps show a spread."""
    at = np.arange(n, dtype=np.int64) * NS_PER_S
    (one,) = minimum_delay(at + EPOCH_NS, at, host="host", reference="analyzer").segments
    assert one.n == n
    assert (n < 6) == np.isnan(one.ppm.low) == ("too few timestamps" in one.ppm.note)


@pytest.mark.parametrize(("step_ms", "is_still"), [(1, True), (0, False)])
def test_the_smallest_delays_of_a_host_that_counts_coarsely(step_ms: int, is_still: bool) -> None:
    """Of a node that prints every 100 ms they are all equal to the step: it, over the span, is open."""
    at = np.arange(0, 60 * NS_PER_S, 100_000_000)
    node = np.rint(at * (1 + 3e-6)).astype(np.int64)
    late_ns = np.random.default_rng(8).integers(1000, 200_000, len(at))
    host = EPOCH_NS + (at // (step_ms * 10**6) * step_ms * 10**6 if step_ms else at + late_ns)
    (one,) = minimum_delay(host, node, host="host", reference="node", piecewise=False).segments
    assert is_still == ("timestamps that nothing dithers" in one.ppm.method)
    assert one.ppm.low < -3 < one.ppm.high


@pytest.mark.parametrize(("gap", "level"), [(14.0, 0.0), (15.0, 15.0)])
def test_a_gap_of_the_delays_is_longer_than_random_ones_have(gap: float, level: float) -> None:
    """Of 40 delays the lower half has 20 distances, 19 of them 1 and one longer than ln 40 + 5 = 8.69 of their mean."""
    assert (level > 0) == (gap > (np.log(40) + 5) * (19 + gap) / 20)
    delays = np.concatenate([np.arange(10.0), 9 + gap + np.arange(30.0)])
    assert level == host_clock._levels(1000 + np.random.default_rng(3).permutation(delays))


def test_a_line_is_as_open_as_the_smallest_delays_leave_it() -> None:
    """Of 40 blocks; at one instant it has no slope."""
    rng = np.random.default_rng(5)
    x, delays = np.arange(200.0), rng.uniform(0, 9, 200)
    least = [5 * block + int(np.argmin(delays[5 * block : 5 * block + 5])) for block in range(40)]
    width = float(np.ptp(delays[least])) + 2.0
    assert 0 < slope.admitted(x[least], delays[least], width) == host_clock._open(x, delays, width)
    assert 0.0 == host_clock._open(np.zeros(200), delays, width)


def test_unequal_lengths() -> None:
    with pytest.raises(EventError, match="host: 3 timestamps, analyzer: 2"):
        minimum_delay(np.arange(3), np.arange(2), host="host", reference="analyzer")


@pytest.mark.slow
def test_node_against_a_host() -> None:
    """15 ppm, a wrap of 32 bits, a reset: determined from ticks and late timestamps alone."""
    random = np.random.default_rng(6)
    at = instants(random, 2000)
    node_us = (at * (1 + 15e-6) / 1000).astype(np.int64) + 2**32 - 20 * 10**6
    node_us[1500:] -= node_us[1500] - 100
    ticks = node_us % 2**32
    host = late(random, at, ppm=0.0)
    assert timer_guesses.nominal_hz(ticks, host)[1] == 10**6
    assert timer_guesses.likely_modulus(ticks) == 2**32
    clock = node_clock.node_clock("m3", ticks, host, reference="host", tick_hz=Fraction(10**6), modulus=2**32)
    result = msgspec.to_builtins(node_json.of_clock(clock))
    assert (result["n"], result["resets"], result["wraps"], result["backsteps"]) == (2000, 1, 1, 0)
    assert result["quantisation_s"] == 1e-6
    first, second = result["boot_periods"]
    assert (first["n"], second["n"]) == (1500, 500)
    for period in (first, second):
        assert period["ppm_interval"][0] < 15 < period["ppm_interval"][1]
        low, high = period["minimum_delay"]["ppm_interval"]
        assert low < 15 < high
        assert period["rate"] == 1 + period["ppm"] / 1e6
    lost_s = at[1500] / 1e9
    assert second["offset_s"] - first["offset_s"] == pytest.approx(-lost_s - (2**32 / 1e6 - 20), abs=0.01)


def test_a_node_that_jumped_ahead_once() -> None:
    """One timestamp of the node 3 s ahead would be the earliest of all; it does not turn the line below."""
    random = np.random.default_rng(7)
    at = instants(random)
    ticks = (at * (1 + 15e-6) / 1000).astype(np.int64)
    ticks[500] += 3_000_000
    clock = node_clock.node_clock("m3", ticks, late(random, at, ppm=0.0), reference="host", tick_hz=Fraction(10**6))
    (period,) = msgspec.to_builtins(node_json.of_clock(clock))["boot_periods"]
    low, high = period["minimum_delay"]["ppm_interval"]
    assert low < 15 < high
    assert high - low < 10


def test_a_reset_is_not_a_modulus() -> None:
    """A timer that never came near the end of its range has no wrap to guess."""
    assert timer_guesses.likely_modulus(np.array([10**9, 2 * 10**9, 5, 100])) is None
    assert timer_guesses.likely_modulus(np.array([65_000, 65_500, 300])) == 2**16


def test_no_usual_rate() -> None:
    """Ticks of 12 345 Hz have no usual unit; their rate is returned."""
    at = np.arange(100) * NS_PER_S
    rate, usual = timer_guesses.nominal_hz(np.arange(100) * 12_345, at)
    assert (rate, usual) == (12_345, None)


def as_json(ticks: np.ndarray, host: np.ndarray) -> dict[str, Any]:
    clock = node_clock.node_clock("m3", ticks, host, reference="host", tick_hz=Fraction(10**6))
    return dict(msgspec.to_builtins(node_json.of_clock(clock)))


@pytest.mark.parametrize("step_ns", [-20 * NS_PER_S, -NS_PER_S // 5, 5 * NS_PER_S])
def test_a_host_that_is_set(step_ns: int) -> None:
    """NTP sets the host: no reset; the rate is the mean of the segments, in which the step is not a rate."""
    random = np.random.default_rng(8)
    at = instants(random, 2000)
    host = np.maximum.accumulate(late(random, at, ppm=0.0)) + np.where(at > 25 * NS_PER_S, step_ns, 0)
    result = as_json((at * (1 + 15e-6) / 1000).astype(np.int64), host)
    assert (result["resets"], result["backsteps"], result["reference_backsteps"]) == (0, 0, int(step_ns < 0))
    (period,) = result["boot_periods"]
    assert len(period["segments"]) == 2
    assert period["residual_std_s"] < 0.01
    for line in (period, period["minimum_delay"]):
        assert line["ppm_interval"][0] < 15 < line["ppm_interval"][1]
        assert line["ppm_interval"][1] - line["ppm_interval"][0] < 40


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.05, 0.2])
def test_late_timestamps_of_a_host_that_reads_out_of_order(share: float) -> None:
    """A host that goes back after each late timestamp was not set: one line, or at most a false break."""
    random = np.random.default_rng(10)
    one = 0
    for _ in range(5):
        at = instants(random, 600)
        delay = random.exponential(1e5, 600) + (random.random(600) < share) * random.exponential(2e8, 600)
        (period,) = as_json((at * (1 + 15e-6) / 1000).astype(np.int64), at + delay.astype(np.int64))["boot_periods"]
        one += not period["segments"]
        assert period["ppm_interval"][0] < 15 < period["ppm_interval"][1]
        assert period["ppm_interval"][1] - period["ppm_interval"][0] < 20
    assert one >= 4


def test_a_log_that_is_not_in_order() -> None:
    """Lines up to three places from their places: no step back, and the fit of the log in order."""
    random = np.random.default_rng(9)
    at = instants(random)
    host = np.maximum.accumulate(late(random, at, ppm=0.0)) // 10**6 * 10**6
    ticks = np.unique(at // 1000)
    mixed = np.argsort(np.arange(len(at)) + random.uniform(0, 3, len(at)))
    assert as_json(ticks[mixed], host[mixed]) == as_json(ticks, host)
    places = timer_guesses.order(ticks[mixed], host[mixed])
    assert mixed[places].tolist() == list(range(len(at)))
    assert mixed[places][timer_guesses.moved([7], places)].tolist() == [mixed[7]]


def test_most_timestamps_at_one_instant() -> None:
    """A host that stalls for most of the log: what is on time is not left as the outliers of one instant."""
    at = np.arange(100, dtype=np.int64) * 10_000_000
    host = np.where(at < 800_000_000, np.maximum(at, 800_000_000), at) + EPOCH_NS
    (period,) = as_json(at // 1000, host)["boot_periods"]
    assert period["n"] == 100


def test_rate_of_a_log_with_a_late_end() -> None:
    """Six seconds of lines, the last of which 1 s late: still 1 µs."""
    at = np.arange(0, 6 * NS_PER_S, 10_000_000)
    host = at.copy()
    host[-1] += NS_PER_S
    assert timer_guesses.nominal_hz(at // 1000, host)[1] == 10**6


def test_a_modulus_of_signed_timestamps() -> None:
    """A timer of 32 bits that is printed with a sign is full at 2^31."""
    assert timer_guesses.likely_modulus(np.array([2**31 - 1000, 2**31 - 1, -(2**31), 5])) == 2**32
    assert timer_guesses.likely_modulus(np.array([-5, -4, -3])) is None

"""Clocks exactly at the limits that decide about them, just below and just above."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gpiorig.analysis.clocks import (
    bands,
    break_causes,
    breaks,
    clock_fit,
    host_clock,
    line,
    node_clock,
    node_json,
    pairing,
    resolution,
    slope,
    stability,
    timer_guesses,
)
from gpiorig.analysis.clocks.timer_breaks import Break, Timer
from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.capture.edges.bounds import Bound


def banded(count: int, *, bend: float = 0.0, height: float = 1000.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Instants, phases of two bands on a line or a parabola, the upper one less often later, and the band of each."""
    rng = np.random.default_rng(count)
    x, band = np.arange(count) * 1e6, (rng.random(count) < np.linspace(0.7, 0.3, count)).astype(int)
    return x, height * band + bend * (x / x[-1]) ** 2 + rng.uniform(-3, 3, count), band


@pytest.mark.parametrize(("count", "found"), [(59, False), (60, True), (61, True)])
def test_bands_need_sixty_timestamps_that_move(count: int, found: bool) -> None:
    x, y, band = banded(count)
    levels = bands.find(x, y, quanta=(1.0, 1.0), first=0.0)
    assert found == (levels is not None)
    if levels is not None:
        assert abs(np.ptp(levels.levels_ns) - 1000) < 3
        assert 1 < levels.spread_ns < 2.5  # 6 / sqrt 12 = 1.7
        assert np.ptp(levels.shift_ns - 1000 * band) < 3
    assert bands.find(np.full(count, 5.0), y, quanta=(1.0, 1.0), first=0.0) is None


@pytest.mark.parametrize(("count", "found"), [(119, False), (120, True), (300, True), (960, True)])
def test_bands_of_windows_need_two_of_sixty(count: int, found: bool) -> None:
    """The bands of all windows are above each other by what they truly are, while the rate changes."""
    x, y, band = banded(count, bend=0.7 * count)
    shift = bands.local(x, y, quanta=(1.0, 1.0), first=0.0)
    assert found == (shift is not None)
    if shift is not None:
        assert np.std(shift - 1000 * band) < 2
    half = np.where(np.arange(count) < count * 0.55, y, y - 1000 * band)  # fewer than half of the windows have bands
    assert bands.local(x, half * (np.arange(count) > count * 0.3), quanta=(1.0, 1.0), first=0.0) is None


@pytest.mark.parametrize(
    ("other", "common"),
    [
        (Break("b", 20, 30, step_ns=130.0, uncertainty_ns=10.0), False),  # begins where the other ends
        (Break("b", 19, 30, step_ns=130.0, uncertainty_ns=10.0), True),
        (Break("b", 0, 10, step_ns=130.0, uncertainty_ns=10.0), False),
        (Break("b", 0, 11, step_ns=130.0, uncertainty_ns=10.0), True),
        (Break("b", 10, 20, step_ns=140.0, uncertainty_ns=10.0), False),  # off by the sum of the uncertainties
        (Break("b", 10, 20, step_ns=139.0, uncertainty_ns=10.0), True),
        (Break("a", 10, 20, step_ns=130.0, uncertainty_ns=10.0), False),
        (Break("b", 10, 20, rate_ppm=20.0), False),
    ],
)
def test_a_step_is_common_to_two_nodes(other: Break, common: bool) -> None:
    step = Break("a", 10, 20, step_ns=100.0, uncertainty_ns=30.0)
    assert common == break_causes._is_common(step, other) == break_causes._is_common(other, step)


def test_a_rate_is_common_within_what_crystals_differ_by() -> None:
    for ppm, common in ((149.0, True), (150.0, False), (51.0, True), (50.0, False)):
        other = Break("b", 10, 20, rate_ppm=ppm)
        assert common == break_causes._is_common(Break("a", 10, 20, rate_ppm=100.0), other)


def test_breaks_beside_gaps_and_bounds() -> None:
    """One that ends where a gap begins, or begins where it ends, is not in it; nor is it within such a bound."""
    step = Break("a", 10, 20, step_ns=61.0, uncertainty_ns=30.0)
    for start, end, inside in ((0, 10, False), (0, 11, True), (20, 30, False), (19, 30, True), (12, 13, True)):
        assert inside == break_causes._is_in_gap(step, SimpleNamespace(gaps=np.array([[start, end]])))  # type: ignore[arg-type]
        bound = Bound(start=start, end=end, limit_samples=1, found_by="a counter")
        assert [bound] * inside == break_causes._within([bound], step)
    assert break_causes._is_certain(step)
    assert not break_causes._is_certain(Break("a", 10, 20, step_ns=60.0, uncertainty_ns=30.0))
    assert break_causes._is_certain(Break("a", 10, 20, rate_ppm=-1.0))


def test_a_witness_has_half_the_step_as_its_limit_at_most() -> None:
    """From its first interval to its last."""
    witness = Timer("b", np.array([10, 20, 30]), np.zeros(2), np.array([50.0, 50.0]), ())
    for start, end, step_ns, lacks in (
        (10, 20, 101.0, True),
        (10, 20, 100.0, False),
        (9, 20, 101.0, False),
        (20, 30, 101.0, True),
        (20, 31, 101.0, False),
    ):
        assert lacks == witness.lacks(Break("a", start, end, step_ns=step_ns), ns_per_sample=1.0), (start, end, step_ns)
    at_limit = Timer("b", np.array([10, 20, 30]), np.array([50.0, 0.0]), np.array([50.0, 50.0]), ())
    assert not at_limit.lacks(Break("a", 10, 20, step_ns=101.0), ns_per_sample=1.0)


def test_blocks_are_of_five_timestamps() -> None:
    """Seven of them at least; of points on a line there is no break."""
    rng = np.random.default_rng(1)
    for count, made in ((34, 0), (35, 7), (39, 7), (40, 8)):
        blocks = breaks._Blocks.from_points(np.arange(count) * 1.0, rng.uniform(size=count), (0.0, 0.0))
        assert made == (0 if blocks is None else len(blocks.x))
    assert 0 == breaks._break(np.arange(9.0), np.zeros(9), rng)
    assert [0, 9] == breaks.bounds(np.arange(9.0), np.zeros(9), quanta=(0.0, 0.0))


@pytest.mark.parametrize(
    ("change", "note"),
    [
        ({}, ""),
        ({"ppm": Interval(6e4, 50_000.0, 7e4, "")}, ""),
        ({"ppm": Interval(6e4, 50_001.0, 7e4, "")}, "does not follow"),
        ({"ppm": Interval(-6e4, -7e4, -50_000.0, "")}, ""),
        ({"ppm": Interval(-6e4, -7e4, -50_001.0, "")}, "does not follow"),
        ({"residual_std_ns": 50.0}, ""),
        ({"residual_std_ns": 51.0}, "does not follow"),
        ({"outliers": 20}, ""),
        ({"outliers": 21}, "more than a fifth"),
    ],
)
def test_timestamps_that_do_not_belong_together(change: dict[str, Any], note: str) -> None:
    """Rates 5 % off, residuals of a twentieth of the span, a fifth of outliers are still believed; one more is not."""
    segment = SimpleNamespace(
        ppm=Interval(0.0, -1.0, 1.0, ""), residual_std_ns=1.0, start_ns=7000, end_ns=8000, n=80, outliers=0
    )
    vars(segment).update(change)
    notes = clock_fit._strange([segment])  # type: ignore[list-item]
    assert notes == [] if not note else note in notes[0]


def test_an_exact_line_has_no_outlier() -> None:
    """Its scale is 0, and so is what its points are away from it."""
    fitted = line.fit(np.arange(9.0), np.zeros(9))
    assert fitted.inliers.all()
    assert (0.0, 0.0, 0.0) == (fitted.offset, fitted.rate, fitted.bend)


def test_rates_without_width_are_weighted_by_duration() -> None:
    segments: Any = [SimpleNamespace(start_ns=0, end_ns=10), SimpleNamespace(start_ns=10, end_ns=40)]
    assert (7.0, (7.0, 7.0)) == node_json._mean([(4.0, (4.0, 4.0)), (8.0, (8.0, 8.0))], segments)
    ppm, interval = node_json._mean([(4.0, (3.0, 5.0)), (7.0, (5.0, 9.0))], segments)
    assert (4.6, pytest.approx(np.sqrt(0.8))) == (pytest.approx(ppm), (interval[1] - interval[0]) / 2)  # type: ignore[index]
    assert "0.0" == str(node_json._inverse_ppm(0.0))  # not -0.0
    apart, _ = node_json._mean([(4.0, (3.0, 5.0)), (8.0, (7.0, 9.0))], segments)  # mean 6: 2 off, more than 1.5
    assert pytest.approx(7.0) == apart


def test_delays_lie_on_levels_where_their_lower_half_has_ten() -> None:
    """A gap of the lower half, as wide as random delays do not have one; of nine it is not looked for."""
    for count, level in ((16, 0.0), (18, 1000.0)):
        delays = np.where(np.arange(count) % 2, 1000.0, 0.0)
        assert level == host_clock._levels(delays)


def test_equal_timestamps_of_a_host_are_no_step_back() -> None:
    host = np.array([0, 5, 5, 4, 20], dtype=np.int64) * 1000
    fitted = host_clock.minimum_delay(host, np.arange(5, dtype=np.int64) * 5000, host="h", reference="n")
    assert (1, 0) == (fitted.backsteps, fitted.skipped)


def test_a_host_is_set_back_by_half_of_what_ntpd_sets() -> None:
    """The median of the timestamps after the fall is behind that of those before it by 64 ms or more."""
    for late_ms, parts in ((63, []), (64, [20]), (128, [20])):
        node = np.arange(40, dtype=np.int64) * 200_000_000
        host = node.copy()
        host[20:] -= late_ms * 1_000_000
        host[19] += 400_000_000
        assert parts == node_clock._set_back(node, host), late_ms


def test_a_signed_timer_begins_at_half_its_modulus() -> None:
    """-32768 is a timestamp of 16 bits with a sign; one less is of a wider timer."""
    for least, message in ((-32_768, ""), (-32_769, "outside 0 to 65536")):
        ticks = np.array([least, -20_000, 0, 20_000, 32_000])
        options: dict[str, Any] = {"reference": "host", "tick_hz": 10**6, "modulus": 2**16, "late": False}
        try:
            clock = node_clock.node_clock("n", ticks, (ticks + 40_000) * 1000, **options)
            assert (5, 0, "") == (clock.n, clock.resets, message)
        except node_clock.EventError as error:
            assert message and message in str(error)


def test_a_range_needs_one_point_more_than_its_window() -> None:
    phase = np.array([0.0, 3.0, 1.0, 7.0])
    expected = [6.0, 6.0, 7.0, np.nan, np.nan]
    assert np.array_equal(expected, stability.mtie(phase, 1.0, np.arange(1, 6)), equal_nan=True)


@pytest.mark.parametrize(("count", "more"), [(5, []), (6, ["1 more breaks of clocks."])])
def test_five_breaks_are_stated(count: int, more: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    found = [break_causes.Cause("a", at, at + 1, f"break {at}") for at in range(count)]
    monkeypatch.setattr(break_causes, "causes", lambda *_, **__: found)
    events: Any = None
    assert [*(f"break {at}" for at in range(5)), *more] == break_causes.problems(events, {})


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_three_blocks_are_the_fewest_that_are_correlated(n: int) -> None:
    """Kendall 1954: r + (2 + 4 r) / n."""
    values = np.array([0.0, 1.0, 4.0, 5.0, 9.0])[:n]
    centred = values - values.mean()
    r = np.sum(centred[1:] * centred[:-1]) / np.sum(centred**2)
    assert (r + (2 + 4 * r) / n if n > 2 else 0.0) == pytest.approx(slope.wandering(values)[1])


@pytest.mark.parametrize(("count", "is_known"), [(6, False), (7, True)])
def test_instants_that_show_a_watch_crystal(count: int, is_known: bool) -> None:
    """Of 18 rates up to a quarter of 1 MHz, k instants lie within a step by chance with k (rate / 1 MHz)^(k - 1).

    With 32768 Hz that is 4e-6 of six, and 2e-7 of seven.
    """
    ticks = np.array([3, 10_001, 20_002, 28_888, 41_117, 57_000, 69_999])[:count]
    chance = 18 * count * (32_768 / 1e6) ** (count - 1)
    assert is_known == (chance < 1e-6)
    stamps = np.rint(ticks * 1e6 / 32_768).astype(np.int64)
    assert 1 == np.gcd.reduce(np.diff(stamps))
    step = resolution.counted_step(stamps, stamps.astype(float), 10**6)
    assert (1e6 / 32_768 if is_known else 1.0) == pytest.approx(step)


def test_the_step_of_a_clock_does_not_depend_on_when_the_other_one_began() -> None:
    """Timestamps of 1 µs tied to a reference in ns, which counts from 1970."""
    clock = np.cumsum(np.random.default_rng(1).integers(1, 5000, 200)) * 1000
    epoch = 1_763_000_000 * 10**9
    for shift in (0, 1000, epoch, epoch + 1000):
        assert (1000.0, 1.0) == resolution.quanta(clock, clock + 1 + shift)


def test_records_are_searched_near_where_the_log_was() -> None:
    """Of two places that agree the one nearer to the shift so far, within 4096; anywhere at first."""
    pins = np.zeros(10_000, dtype=np.int64)
    pins[[100, 300, 9000]] = 7
    records, steps = np.array([7]), np.array([0])
    for shift, number, place in ((0, 180, 100), (0, 220, 300), (50, 200, 300), (-50, 200, 100), (0, 5000, 9000)):
        assert place == pairing._search(records, steps, pins, shift, number), (shift, number)
    assert pairing._search(records, steps, pins, 0, 9000 + 4096) == 9000
    assert pairing._search(records, steps, pins, 0, 9000 + 4097) is None
    assert pairing._search(records, steps, pins, 0, 9000 - 4096) is None
    assert pairing._search(records, steps, pins, 0, 9000 - 4095) == 9000
    assert pairing._search(records, steps, pins[:101], None, 5000) == 100
    assert pairing._search(np.array([0, 7]), np.array([0, 1]), pins[:100], None, 0) is None


@pytest.mark.parametrize(
    ("most", "hint"),
    [(65_535, "try --bits 16"), (58_983, "try --bits 16"), (58_982, "check the pattern"), (40_000, "check")],
)
def test_numbers_that_fill_their_bits(most: int, hint: str) -> None:
    """To nine tenths; numbers below 0 do not."""
    assert hint in timer_guesses.no_clock(np.array([0, most]))
    assert "check the pattern" in timer_guesses.no_clock(np.array([-1, most]))

"""Levels of a timer around a step against plain second versions, over timestamps drawn at random."""

from __future__ import annotations

import numpy as np
import pytest

from gpiorig.analysis.clocks import levels
from gpiorig.analysis.clocks.resolution import _width


@pytest.mark.parametrize("seed", range(6))
def test_levels_are_what_a_timer_is_ahead_of_its_reference(seed: int) -> None:
    """From the timestamp before a step on and back, summed step by step at the mean rate."""
    rng = np.random.default_rng(seed)
    expected = rng.uniform(50, 150, 60)
    deltas = np.rint(1.01 * expected + rng.normal(size=60)).astype(np.int64)
    deltas[30] += 5000
    found = levels.Levels(deltas, expected, np.abs(deltas - expected) < 10, slack=20.0)
    rates = [d.sum() / e.sum() for d, e in zip(np.array_split(deltas, 9), np.array_split(expected, 9), strict=True)]
    rate = float(np.median(rates))
    after = [float(np.sum(deltas[30:k] - rate * expected[30:k])) for k in range(31, 61)]
    before = [float(np.sum(rate * expected[k:30] - deltas[k:30])) for k in range(30, -1, -1)]
    assert after == pytest.approx(found._after(30, 1e9).tolist())
    assert before == pytest.approx(found._before(30, 1e9).tolist())
    assert after[:9] == pytest.approx(found._after(30, 0.0).tolist())
    reach = abs(deltas[30] - rate * expected[30]) + expected[30] + 20
    assert found.shift(30, 0, 59) == pytest.approx(max(after) - max(before))
    assert found.shift(30, 23, 59) is not None and found.shift(30, 24, 59) is None
    assert found.shift(30, 0, 38) is not None and found.shift(30, 0, 37) is None
    assert reach > found.near


def at_rate_one(deltas: list[int], *, slack: float = 0.0) -> levels.Levels:
    """A timer against a reference of 100 ticks a step, whose own steps mostly are 100 or 101."""
    expected = np.full(len(deltas), 100.0)
    steps = np.array(deltas)
    return levels.Levels(steps, expected, np.abs(steps - expected) <= 5, slack=slack)


def test_a_late_reference_is_no_reset() -> None:
    """The timer makes an ordinary step, of half to twice the median, or is where it should be later on."""
    usual = [100] * 60
    for step, late in ((49, False), (50, True), (200, True), (0, False), (-1, False)):
        timer = at_rate_one([*usual, step, *usual])
        assert late == timer.late(60, -150.0 if step > 100 else 10.0), step
    assert at_rate_one([*usual, 0, 200, *usual]).late(60, 10.0)
    assert not at_rate_one([*usual, -1, 201, *usual]).late(60, 10.0)
    for missing, late in ((60.0, True), (60.5, False)):
        assert late == at_rate_one([*usual, 40, 160, *usual]).late(60, missing)


def test_a_timer_that_wraps_visibly_goes_on_over_a_step() -> None:
    """It went forward and its level stays; one that is full within the slack must show its reset."""
    usual = [100] * 60
    for step, after, even in ((100, 100, True), (0, 200, True), (-1, 201, False), (400, 100, False)):
        assert even == at_rate_one([*usual, step, after, *usual]).even(60, 1 << 16), step
    for modulus, even in ((1000, True), (1001, False)):
        late = at_rate_one([*usual, -10, *usual[:6], 5000, *usual], slack=500.0)
        assert late.shift(60, 0, 127)
        assert even == late.even(60, modulus), modulus
    assert not at_rate_one([*usual, 5000, *usual], slack=500.0).even(60, 1000)


@pytest.mark.parametrize("seed", range(10))
def test_the_shortest_arc_that_holds_all_places(seed: int) -> None:
    places = np.random.default_rng(seed).integers(0, 40, 5)
    arcs = [max((p - start) % 40 for p in places.tolist()) for start in places.tolist()]
    assert min(arcs) == _width(places, 40)

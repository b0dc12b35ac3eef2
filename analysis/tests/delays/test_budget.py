"""The jitter budget: shares that add up, against plain versions, and what must not change them."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from depth import by_depth, fewest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpiorig.analysis.delays import budget
from gpiorig.analysis.delays import numbers as routenumbers
from gpiorig.analysis.packets import path
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.packets.steps import Steps, between

RATE = Fraction(24_000_000)
NAMES = ("app.tx", "udp.tx", "ipv6.tx", "sixlowpan.tx", "mac.tx", "driver.prepare", "driver.load", "driver.exec")


def steps_of(samples) -> Steps:
    """Durations under the first steps of the path."""
    samples = np.array(samples, dtype=np.int64)
    milestones = {milestone.name: milestone for milestone in path.MILESTONES}
    ends = [milestones[f"request.{name}"] for name in NAMES[: samples.shape[1] + 1]]
    steps = [between(a, b, nodes=("one", "two", "one"), ways=path.DIRECTIONS, turn=1) for a, b in pairwise(ends)]
    return Steps(tuple(steps), np.arange(len(samples)), samples, RATE)


def random_steps(seed: int, packets: int = 300) -> np.ndarray:
    """Five steps that share something, one of which is by far the largest."""
    rng = np.random.default_rng(seed)
    return (
        rng.integers(0, 1000, (packets, 5))
        + rng.integers(0, 300, (packets, 1))
        + rng.integers(0, 8, packets)[:, None] * np.array([0, 0, 7680, 0, 10])
    )


def values(shares) -> np.ndarray:
    return np.array([share.value for share in shares])


@settings(max_examples=50, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 100_000)] * 4), min_size=0, max_size=40))
def test_shares_add_up_to_one_or_say_why_not(rows):
    shares_of_all = budget.budget(steps_of(np.array(rows, dtype=np.int64).reshape(-1, 4)))
    for shares in (shares_of_all.time, shares_of_all.variance, shares_of_all.tail):
        if all(math.isfinite(share.value) for share in shares):
            assert math.isclose(1.0, values(shares).sum(), rel_tol=1e-9)
        else:
            assert all(math.isnan(share.value) and share.note for share in shares)


def test_plain_versions():
    """Covariances as numpy has them; the slowest by sorting."""
    samples = random_steps(1, 2000)
    total = samples.sum(axis=1)
    shares = budget.budget(steps_of(samples))
    plain = [np.cov(samples[:, i], total)[0, 1] / np.var(total, ddof=1) for i in range(5)]
    np.testing.assert_allclose(plain, values(shares.variance), rtol=1e-9)
    slow = total >= np.sort(total)[-20]
    excess = samples[slow].mean(axis=0) - samples.mean(axis=0)
    np.testing.assert_allclose(excess / excess.sum(), values(shares.tail), rtol=1e-9)
    assert (int(slow.sum()), 2000) == (shares.tail_packets, shares.packets)


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1 << 32), st.integers(0, 1 << 30), st.integers(2, 50))
def test_shift_scale_and_order_change_no_share(seed, shift, scale):
    samples = random_steps(seed)
    expected = budget.budget(steps_of(samples))
    changed = samples * scale + np.array([0, shift, 0, 7, 0])
    shuffled = samples[np.random.default_rng(seed).permutation(len(samples))]
    for shares in (budget.budget(steps_of(changed)), budget.budget(steps_of(shuffled))):
        np.testing.assert_allclose(values(expected.variance), values(shares.variance), rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(values(expected.tail), values(shares.tail), rtol=1e-6, atol=1e-9)


def test_steps_taken_together_add_their_shares():
    samples = random_steps(2)
    apart = budget.budget(steps_of(samples))
    together = budget.budget(steps_of(np.concatenate([samples[:, :1] + samples[:, 1:2], samples[:, 2:]], axis=1)))
    for of in ("variance", "tail"):
        first, second, *others = values(getattr(apart, of))
        np.testing.assert_allclose([first + second, *others], values(getattr(together, of)), rtol=1e-9)


def test_groups_are_sums_with_intervals_of_their_own():
    shares = budget.budget(steps_of(random_steps(3)))
    assert ["stack software", "MAC: queue, slot, hand-over"] == [group.name for group in shares.by_kind]
    assert [0, 1, 2, 3, 4] == sorted(step for group in shares.by_kind for step in group.steps)
    assert math.isclose(1, sum(group.variance.value for group in shares.by_kind), rel_tol=1e-9)
    (shares_of_all,) = shares.by_node
    assert ("one", (0, 1, 2, 3, 4)) == (shares_of_all.name, shares_of_all.steps)
    assert math.isclose(1, shares_of_all.variance.value, rel_tol=1e-9)
    assert math.isclose(1, shares_of_all.variance.low, rel_tol=1e-9)
    assert math.isclose(1, shares_of_all.tail.high, rel_tol=1e-9)


def test_starts_give_the_order():
    samples = random_steps(4)
    order = np.random.default_rng(4).permutation(len(samples))
    starts = np.arange(len(samples)) * 1000
    assert budget.budget(steps_of(samples)) == budget.budget(steps_of(samples[order]), starts=starts[order])


def test_few_packets_make_a_larger_tail_and_it_says_so():
    shares = budget.budget(steps_of(random_steps(5, 200)))
    assert 10 == shares.tail_packets
    assert "the slowest packets are 5 % of all, not 1 %" == shares.note
    few = budget.budget(steps_of(random_steps(5, 20)))
    assert np.isnan(values(few.tail)).all()
    assert "are not a tail" in few.note
    assert math.isclose(1, values(few.variance).sum())


@pytest.mark.parametrize("samples", [np.zeros((0, 3)), np.ones((1, 3)), np.ones((50, 3)), np.eye(3)])
def test_a_delay_that_does_not_vary_has_no_budget(samples):
    """Nor one that varies by no more than the sampling makes."""
    shares = budget.budget(steps_of(samples))
    assert "varies by no more than the analyzer resolves" in shares.note
    assert np.isnan(values(shares.variance)).all()
    assert 0 == shares.tail_packets


@pytest.mark.slow
def test_intervals_of_shares_hold_the_truth():
    """Independent normal steps of 1, 2 and 3 times a standard deviation: shares 1/14, 4/14, 9/14.

    The tail, here of ten packets, is shared as the variance is.
    """
    runs, held = by_depth(50, 200), np.zeros((2, 3))
    true = np.array([1, 4, 9]) / 14
    for seed in range(runs):
        noise = np.random.default_rng(seed).normal(size=(400, 3)) * np.array([1, 2, 3]) * 10_000 + 1_000_000
        shares_of_all = budget.budget(steps_of(noise.astype(np.int64)))
        for of, shares in enumerate((shares_of_all.variance, shares_of_all.tail)):
            held[of] += [share.low <= at <= share.high for share, at in zip(shares, true, strict=True)]
    assert held.min() >= fewest(runs, 0.95)


def test_slow_packets_in_few_bunches_have_no_interval():
    """All in two bursts: that is two events, not twenty."""
    samples = random_steps(8, 2000)
    samples[300:310, 0] += 200_000
    samples[1500:1510, 0] += 200_000
    shares = budget.budget(steps_of(samples))
    assert all(math.isnan(share.low) and share.note for share in shares.tail)
    assert not any(math.isnan(share.value) for share in shares.tail)


def test_packets_of_a_single_block_have_shares_without_an_interval():
    """Eight packets that depend on each other: nothing is left without their one block."""
    rows = [[9, 13, 29, 28], [8, 28, 6, 23], [10, 20, 19, 25], [11, 28, 26, 0]]
    rows += [[2, 3, 19, 10], [4, 2, 27, 17], [1, 7, 19, 7], [22, 8, 18, 2]]
    shares = budget.budget(steps_of(rows))
    assert math.isclose(1, values(shares.variance).sum())
    assert {"too few different packets for an interval"} == {share.note for share in shares.variance}
    assert all(math.isnan(share.low) for share in shares.variance)


@pytest.mark.slow
def test_a_million_packets_give_the_same_as_few_of_each_kind():
    """Ten thousand times the same hundred packets, in turn."""
    pattern = random_steps(6, 100)
    many = np.tile(pattern, (10_000, 1))
    shares = budget.budget(steps_of(many))
    np.testing.assert_allclose(values(budget.budget(steps_of(pattern)).variance), values(shares.variance), rtol=1e-9)
    assert 10_000 <= shares.tail_packets
    assert all(share.low <= share.value + 1e-12 for share in shares.variance)


def test_table():
    shares = budget.as_table(budget.budget(steps_of(random_steps(7))))
    assert ["step"] * 5 + ["kind", "kind", "node"] == shares["of"].to_pylist()
    assert math.isclose(1, sum(shares["variance_share"].to_pylist()[:5]), rel_tol=1e-9)


def test_a_long_delay_hides_no_variance():
    """A constant of half a day, 10^10 times the spread of the delays, changes no share of their variance."""
    samples = random_steps(4, 100)
    samples[:, 2] = 0
    expected, late = (budget.budget(steps_of(samples + np.array([0, at, 0, 0, 0]))) for at in (0, 1 << 40))
    np.testing.assert_allclose(values(expected.variance), values(late.variance), rtol=1e-6)


def test_a_step_within_two_samples_does_not_vary():
    """At 24 MHz a sample is not an integer number of ns; three samples are more than the resolution."""
    for range_samples, text in ((2, "No step varies by more than the resolution"), (3, "Widest ranges: ")):
        samples = np.full((40, 3), 1000)
        samples[::2, 1] += range_samples
        route = Route("one > two", steps_of(samples), np.arange(40, dtype=np.int32), 10_000 * np.arange(40), 0, 0)
        numbers = routenumbers.numbers(route, budget.budget(route.steps))
        assert routenumbers.steps_conclusion(numbers).startswith(text)

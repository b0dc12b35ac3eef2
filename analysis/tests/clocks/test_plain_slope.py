"""Slopes, lines and segments of clocks against plain second versions, over timestamps drawn at random."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from scipy import optimize, stats

from gpiorig.analysis.clocks import line, slope
from gpiorig.analysis.clocks.segment import Segment
from gpiorig.analysis.statistics.intervals import Interval


def plain_correlation(values: np.ndarray) -> float:
    centred = values - np.mean(values)
    if len(values) < 3 or not centred.any():
        return 0.0
    r = np.sum(centred[1:] * centred[:-1]) / np.sum(centred**2)
    return float(r + (2 + 4 * r) / len(values))


@pytest.mark.parametrize("n", [2, 3, 4, 90, 128, 300])
@pytest.mark.parametrize("walk", [0, 1, 2])
@pytest.mark.parametrize("bent", [False, True])
def test_the_covariance_of_a_slope_is_newey_and_wests(n: int, walk: int, bent: bool) -> None:
    """Sums over blocks and lags written out, after the docstring; what wanders has half of the blocks."""
    rng = np.random.default_rng([n, walk])
    x = np.sort(rng.uniform(-500, 500, n))
    powers = np.vander(x, 3 if bent else 2, increasing=True)
    y = rng.normal(size=n)
    for _ in range(walk):
        y = np.cumsum(y)
    r = y - powers @ np.linalg.lstsq(powers, y, rcond=None)[0]
    found = slope.covariance(x, r, quanta=(0.0, 0.0), bent=bent)
    p = powers.shape[1]
    if n <= p:
        assert np.isinf(np.diag(found.covariance)).all()
        return
    if n < 5:
        assert np.isfinite(found.covariance).all()
        return
    blocks = min(128, n)
    block = [i * blocks // n for i in range(n)]
    scores, sums, counts = np.zeros((blocks, p)), np.zeros(blocks), np.zeros(blocks)
    for i, b in enumerate(block):
        scores[b] += powers[i] * r[i]
        sums[b] += r[i]
        counts[b] += 1
    means = sums / counts
    first = plain_correlation(means)
    kind = 0 if first <= 1 / 3 else 2 if plain_correlation(np.diff(means)) > 1 / 3 else 1
    assert (kind, pytest.approx(first)) == slope.wandering(means)
    a = min(max(first, 0.0), 0.5)
    peak = 4 * a**2 / (1 - a**2) ** 2
    bandwidth = blocks / 2 if kind else max(1.1447 * (peak * blocks) ** (1 / 3), blocks / 10, 1.0)
    omega = np.zeros((p, p))
    for i in range(blocks):
        for j in range(blocks):
            omega += max(0.0, 1 - abs(i - j) / bandwidth) * np.outer(scores[i], scores[j])
    inverse = np.linalg.inv(powers.T @ powers)
    sandwich = inverse @ omega @ inverse * n / (n - p)
    plain = inverse * np.sum(r**2) / (n - p)
    b = bandwidth / blocks
    critical = 1.96 + 2.9694 * b + 0.4160 * b**2 - 0.5324 * b**3
    critical *= stats.t.ppf(0.975, n - p) / stats.norm.ppf(0.975) * (1.0, 1.6, 1.3)[kind]
    expected = (sandwich if sandwich[1, 1] >= plain[1, 1] else plain) * (critical / 2) ** 2
    assert expected == pytest.approx(found.covariance[:p, :p], rel=1e-5, abs=1e-12 * abs(expected).max())
    assert f"over {bandwidth:.0f} of {blocks} blocks" in found.method


@pytest.mark.parametrize("seed", range(6))
def test_the_largest_turn_of_a_line_within_a_band(seed: int) -> None:
    """Linear programs: the least and the largest slope with all points within the width."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(-100, 300, 60))
    residuals = rng.uniform(-1, 1, 60) + 0.001 * x
    for width in (1.5, 2.2, 3.0):
        rows = np.concatenate([np.stack([x, np.ones(60)], axis=1), -np.stack([x, np.ones(60)], axis=1)])
        ends = np.concatenate([residuals, width - residuals])
        solved = [optimize.linprog([sign, 0], A_ub=rows, b_ub=ends, bounds=[(None, None)] * 2) for sign in (1.0, -1.0)]
        expected = max(abs(result.x[0]) for result in solved) if all(result.success for result in solved) else 0.0
        assert expected == pytest.approx(slope.admitted(x, residuals, width), rel=1e-4, abs=1e-9)
    edges = np.array([0, 7, 20, 41])
    most = [a + int(np.argmax(residuals[a:b])) for a, b in zip(edges, [7, 20, 41, 60], strict=True)]
    assert most == slope._extremes(residuals, edges).tolist()


def test_an_interval_is_as_wide_as_quantised_timestamps_leave_it_open() -> None:
    """Half of what the quanta leave, or more: residuals of 0 allow every turn within their sum."""
    x = np.linspace(-50, 50, 40)
    found = slope.covariance(x, np.zeros(40), quanta=(3.0, 1.0)).covariance
    assert (4 / 2 / 2) ** 2 == pytest.approx(found[0, 0])
    assert (4 / 100 / 2) ** 2 == pytest.approx(found[1, 1], rel=1e-6)


@pytest.mark.parametrize("n", [3, 4, 50, 100, 101, 350])
def test_the_first_guess_is_siegels_repeated_median(n: int) -> None:
    """That of scipy; of more than 100 points that of their blocks' medians, once more for what it leaves."""
    rng = np.random.default_rng(n)
    x = np.sort(np.rint(rng.uniform(0, 400, n))) if n > 4 else np.arange(n) * 3.0
    y = 0.7 * x + rng.standard_cauchy(n)
    bounds = [len(x) * i // min(100, n) for i in range(min(100, n) + 1)]
    cells = list(pairwise(bounds))

    def guess(values: np.ndarray) -> float:
        medians = [np.array([np.median(part[a:b]) for a, b in cells]) for part in (values, x)]
        return float(stats.siegelslopes(*medians).slope)

    rate = guess(y)
    if n > 100:
        rate += guess(y - rate * x)
    assert rate == pytest.approx(line._repeated_median(x, y))


@pytest.mark.parametrize("bent", [False, True])
@pytest.mark.parametrize("quanta", [(0.0, 0.0), (4.0, 3.0)])
def test_a_line_is_least_squares_of_what_is_no_outlier(bent: bool, quanta: tuple[float, float]) -> None:
    """A point counts within five scales and the quanta of the median of what a line of these points leaves."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        x = np.sort(rng.uniform(-1000, 1000, 90))
        y = 40 + 0.3 * x + 1e-4 * bent * x**2 + rng.normal(size=90) + 30 * rng.normal(size=90) * (rng.random(90) < 0.1)
        found = line.fit(x, y, quanta=quanta, bent=bent)
        powers = np.polyfit(x[found.inliers], y[found.inliers], 2 if bent else 1)[::-1]
        expected = [*powers.tolist(), 0.0][:3]
        assert expected == pytest.approx([found.offset, found.rate, found.bend], rel=1e-6)
        rest = y - np.polyval(powers[::-1], x)
        assert rest == pytest.approx(found.residuals, abs=1e-6)
        away = np.abs(rest - np.median(rest))
        scale = max(1.4826 * np.median(away), np.hypot(*quanta) / np.sqrt(12))
        assert (away <= 5 * scale + sum(quanta)).tolist() == found.inliers.tolist()


def test_a_scale_of_equal_points_is_that_of_their_central_part() -> None:
    away = np.array([0.0] * 60 + [2.0] * 30 + [9.0] * 10)
    assert 2 / stats.norm.ppf(0.9) == pytest.approx(line._scale(away), rel=1e-4)
    assert 1.4826 * 2 == pytest.approx(line._scale(away[30:]))


@pytest.mark.parametrize("drift", [None, 40.0, -40.0])
def test_a_segment_is_its_formula_in_exact_numbers(drift: float | None) -> None:
    """It is offset + rate x + drift/2 x^2, its variance by the covariance, and the inverse to a ns."""

    def interval(value: float, half: float) -> Interval:
        return Interval(value, value - half, value + half, method="")

    covariance = np.array([[9.0, -2e-9], [-2e-9, 4e-18]])
    segment = Segment(
        0,
        2 * 10**10,
        10**10,
        1_763_000_000 * 10**9,
        100,
        0,
        interval(1e8 + 1234, 2.0),
        interval(150.0, 0.1),
        None if drift is None else interval(drift, 0.5),
        covariance,
        5.0,
    )
    at = np.array([10**10, 0, 2 * 10**10, 123_456_789, 17_000_000_003])
    offsets, errors = segment.at(at)
    for instant, offset, error in zip(at.tolist(), offsets.tolist(), errors.tolist(), strict=True):
        x = Fraction(instant - 10**10)
        bend = Fraction(drift or 0) / 2 / 10**15
        exact = 10**8 + 1234 + x * 150 / 10**6 + bend * x * x + 1_763_000_000 * 10**9 - 10**10
        assert abs(offset - exact) <= Fraction(51, 100)
        square = 0.0 if drift is None else (0.25 / 2 / 1e15) ** 2 * float(x) ** 4
        variance = 9 - 4e-9 * float(x) + 4e-18 * float(x) ** 2 + square
        assert np.sqrt(variance) == pytest.approx(error, rel=1e-6)
    back, same = segment.to_reference(at + offsets)
    assert np.abs(back - at).max() <= 2
    assert same == pytest.approx(errors, rel=1e-6)
    ahead = replace(segment, origin_clock_ns=10**10 + 5000).ahead_ns
    assert (1e8 + 6234, 1e8 + 6232, 1e8 + 6236) == (ahead.value, ahead.low, ahead.high)

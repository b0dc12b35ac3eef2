"""Dip and modes: against the dip's definition and published quantiles, and on known mixtures."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, stats

from gpiorig.analysis.attribution import modes


def dip_by_definition(values: list[float]) -> float:
    """The least distance to a distribution function convex before a mode and concave after it: linear programs."""
    n = len(values)
    return min(_distance(values, mode, n) for mode in range(n))


def _distance(x: list[float], mode: int, n: int) -> float:
    """Variables: G(x_0) ... G(x_n-1), G just before the mode, the distance; an atom may sit at the mode only."""
    size = n + 2
    rows, ends = [], []

    def at_most(terms: dict[int, float], end: float) -> None:
        row = np.zeros(size)
        for index, weight in terms.items():
            row[index] += weight
        rows.append(row)
        ends.append(end)

    before = [*range(mode), n]  # indices of G along the convex part, which ends just before the mode
    after = list(range(mode, n))
    for i in range(n):
        for index, level in ((i, (i + 1) / n), (n if i == mode else i, i / n)):
            at_most({index: 1, size - 1: -1}, level)
            at_most({index: -1, size - 1: -1}, -level)
    for part, places, sign in ((before, x[: mode + 1], 1), (after, x[mode:], -1)):
        for a in range(len(part) - 1):
            at_most({part[a]: 1, part[a + 1]: -1}, 0)
        for a in range(len(part) - 2):
            left, right = places[a + 1] - places[a], places[a + 2] - places[a + 1]
            terms = {part[a + 1]: sign * (1 / left + 1 / right)}
            terms[part[a]] = terms.get(part[a], 0) - sign / left
            terms[part[a + 2]] = terms.get(part[a + 2], 0) - sign / right
            at_most(terms, 0)
    at_most({n: 1, mode: -1}, 0)
    cost = np.zeros(size)
    cost[-1] = 1
    solved = optimize.linprog(cost, A_ub=np.array(rows), b_ub=ends, bounds=[(0, 1)] * size)
    return float(solved.fun)


@pytest.mark.parametrize("seed", range(12))
def test_the_dip_is_what_it_is_defined_to_be(seed: int) -> None:
    rng = np.random.default_rng(seed)
    parts = [rng.normal(0, 1, 4 + seed % 3), rng.normal(rng.uniform(0, 6), 0.5, 5)]
    values = np.sort(np.concatenate(parts))
    assert dip_by_definition(values.tolist()) == pytest.approx(modes.dip(values), abs=1e-9)


def test_known_dips() -> None:
    """Equal distances: 1/(2 n), the least there is. Two places that hold half each: nearly 1/4, the most."""
    assert 1 / 200 == pytest.approx(modes.dip(np.arange(100.0)))
    two = np.sort(np.concatenate([np.linspace(0, 1e-6, 50), np.linspace(1, 1 + 1e-6, 50)]))
    assert modes.dip(two) == pytest.approx(0.25, abs=0.01)
    assert 0.5 == modes.dip(np.array([3.0]))


def test_the_dip_does_not_see_shift_scale_and_mirror() -> None:
    values = np.sort(np.random.default_rng(3).gamma(2, 1, 200))
    for other in (values + 7, values * 3, np.sort(-values)):
        assert modes.dip(values) == pytest.approx(modes.dip(other), abs=1e-12)


@pytest.mark.slow
def test_published_quantiles() -> None:
    """Quantiles for 50 uniform values (Hartigan and Hartigan 1985; from the R package diptest: a million samples)."""
    finding = modes.simulate(50, 1500) / np.sqrt(50)
    for reached, published, scatter in ((0.5, 0.04885, 0.0006), (0.1, 0.06491, 0.0012), (0.05, 0.07027, 0.0017)):
        assert published == pytest.approx(float(np.quantile(finding, 1 - reached)), abs=scatter)
    # And of 1000, against the quantiles that the p-values are made of.
    for reached, published in ((0.5, 0.01174), (0.1, 0.01561), (0.05, 0.01693), (0.01, 0.01961), (0.002, 0.02193)):
        assert reached == pytest.approx(modes.p_value(published, 1000), rel=0.15 if reached > 0.005 else 0.35)


def test_a_bimodal_queue_is_found() -> None:
    """One packet in four waits 2.4 ms for another one: places, weights and nearly all of the variance."""
    rng = np.random.default_rng(1)
    delays = np.rint(np.where(rng.random(600) < 0.25, 60_000, 2_400) + rng.gamma(4, 60, 600)).astype(np.int64)
    finding = modes.test(delays, period_ns=1e9 / 24e6)
    assert finding is not None
    assert 2 == finding.numbers["modes"]
    assert finding.numbers["weight_2"] == pytest.approx(np.mean(delays > 30_000))
    assert finding.numbers["place_2_ns"] - finding.numbers["place_1_ns"] == pytest.approx(2.4e6, rel=0.01)
    assert finding.p_value < 1e-12
    assert finding.share > 0.99


def test_three_modes_and_a_rare_one() -> None:
    rng = np.random.default_rng(2)
    which = rng.choice(3, 900, p=[0.5, 0.47, 0.03])
    finding = modes.fit(np.array([1000.0, 1400.0, 3000.0])[which] + rng.normal(0, 30, 900))
    assert [1000, 1400, 3000] == pytest.approx(finding.places.tolist(), abs=20)
    assert [1200, 2200] == pytest.approx(finding.valleys.tolist(), abs=700)


@pytest.mark.parametrize("spread", [0.4, 0.8, 2.0, 300.0])
def test_whole_samples_are_no_modes(spread: float) -> None:
    """Rounding to samples makes places out of any distribution of a few samples' width."""
    delays = np.rint(1000.4 + spread * np.random.default_rng(4).normal(size=3000)).astype(np.int64)
    finding = modes.test(delays, period_ns=1.0)
    assert finding is not None
    assert finding.p_value > 0.2


@pytest.mark.parametrize("shape", [0.5, 1.0, 3.0])
def test_skewed_is_not_bimodal(shape: float) -> None:
    """A gamma distribution needs several normal ones to describe it, and has one place."""
    delays = np.random.default_rng(5).gamma(shape, 1000, 1000)
    finding = modes.test(delays.astype(np.int64), period_ns=1.0)
    assert finding is not None
    assert modes.fit(delays).components > 1
    assert finding.p_value > 0.2


@pytest.mark.parametrize("delays", [[], [7], [7] * 29])
def test_few_delays_have_no_modes(delays: list[int]) -> None:
    assert modes.test(np.array(delays, dtype=np.int64), period_ns=1.0) is None


def test_equal_delays_have_one_mode() -> None:
    finding = modes.test(np.full(500, 77, dtype=np.int64), period_ns=1.0)
    assert finding is not None
    assert 1 == finding.numbers["modes"]
    assert finding.p_value > 0.2


def test_ticks_of_a_coarse_clock_are_no_modes() -> None:
    """A skewed distribution with one mode on a grid of 8 samples; two heaps on it are two modes still."""
    below = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        finding = modes.test((8 * np.rint(2.5 * rng.chisquare(3, 1000))).astype(np.int64), period_ns=1.0)
        assert finding is not None
        below += finding.p_value < 0.05
    assert below <= stats.binom.ppf(0.999, 20, 0.05)
    heaps = 8 * np.rint(np.random.default_rng(1).normal(100, 5, 400) + 60 * (np.arange(400) % 2))
    finding = modes.test(heaps.astype(np.int64), period_ns=1.0)
    assert finding is not None
    assert 2 == finding.numbers["modes"]
    assert finding.p_value < 1e-6

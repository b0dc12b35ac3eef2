"""Two-sample tests: second programs on independent values, and how often they raise a false alarm on dependent ones."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from depth import by_depth, most
from scipy import stats
from scipy.signal import lfilter
from statsmodels.stats.multitest import multipletests

from gpiorig.analysis.statistics import dependence, two_samples

RUNS = by_depth(100, 300)  # pairs of runs for the shares of false alarms
TESTS = (two_samples.brunner_munzel, two_samples.kolmogorov_smirnov, two_samples.upper_tail)


def independent_pair(seed: int, *, shift: float = 0.2) -> tuple[np.ndarray, np.ndarray]:
    """Two series without autocorrelation, the second shifted and wider."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=300), rng.normal(shift, 1.5, 200)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("rounded", [False, True])
def test_as_scipy_on_independent_values(seed, rounded):
    base, new = independent_pair(seed)
    if rounded:  # ties
        base, new = np.round(base), np.round(new)
    placed = two_samples._placements(base, new), two_samples._placements(new, base)
    if all(dependence.measure(places).independent for places in placed):
        expected = stats.brunnermunzel(base, new).pvalue
        assert math.isclose(expected, two_samples.brunner_munzel(base, new), rel_tol=1e-9)
    tested = stats.ks_2samp(base, new, method="asymp").pvalue
    # Cuts of either series may look dependent by chance: then it is larger.
    assert two_samples.kolmogorov_smirnov(base, new) >= tested * (1 - 1e-9)


def test_enough_of_these_pairs_were_compared():
    """The comparison above is of no use if every pair looked dependent."""
    pairs = [independent_pair(seed) for seed in range(10)]
    assert 5 <= sum(
        dependence.measure(two_samples._placements(a, b)).independent
        and dependence.measure(two_samples._placements(b, a)).independent
        for a, b in pairs
    )


@pytest.mark.slow
def test_holm_as_statsmodels():
    rng = np.random.default_rng(1)
    for n in (1, 2, 40):
        p = rng.uniform(size=n) ** 3
        np.testing.assert_allclose(multipletests(p, method="holm")[1], two_samples.holm(list(p)))


@pytest.mark.slow
@pytest.mark.parametrize("test", TESTS)
def test_dependence_within_runs_makes_no_false_alarms(test):
    """AR(1) with phi = 0.8, at 5 %; the ordinary test alarms in a third of the pairs or more."""
    alarms = naive = 0
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        base, new = (lfilter([1], [1, -0.8], rng.normal(size=1100))[100:] for _ in range(2))
        alarms += test(base, new) < 0.05
        naive += stats.ks_2samp(base, new, method="asymp").pvalue < 0.05
    assert alarms <= most(RUNS, 0.05)
    assert naive > RUNS / 3


def test_runs_that_do_not_overlap():
    """The probability of that order among all orders: 2 / C(20, 10)."""
    low, high = np.full(10, 1), np.full(10, 2)
    assert math.isclose(2 / math.comb(20, 10), two_samples.brunner_munzel(low, high), rel_tol=1e-9)
    assert 1.0 == two_samples.brunner_munzel(low, low)
    assert 1.0 == two_samples.kolmogorov_smirnov(low, low)


def test_symmetry():
    base, new = independent_pair(3)
    for test in TESTS:
        assert math.isclose(test(base, new), test(new, base), rel_tol=1e-9)
        assert math.isclose(test(base, new), test(5 + 3 * base, 5 + 3 * new), rel_tol=1e-9)


def test_few_values():
    """Of all orders of 4 and 5 values, no more have a p-value at or below a level than the level allows."""
    rng = np.random.default_rng(1)
    p_values = []
    for chosen in itertools.combinations(range(9), 4):
        base, new = np.array(chosen), np.setdiff1d(np.arange(9), chosen)
        p_values.append([test(rng.permutation(base), rng.permutation(new)) for test in TESTS])
    for level in (0.05, 0.02, 0.01):
        assert (np.mean(np.array(p_values) <= level, axis=0) <= level).all()


def test_the_error_is_that_of_equal_runs_where_that_is_larger():
    """The longer run is the wider one: it is Mann and Whitney's p-value; Student's t is next to normal here."""
    rng = np.random.default_rng(1)
    base, new = rng.normal(0, 3, 6000), rng.normal(0.1, 1, 3000)
    mann_whitney = stats.mannwhitneyu(base, new, use_continuity=False, method="asymptotic").pvalue
    assert stats.brunnermunzel(base, new).pvalue < 0.9 * mann_whitney
    assert math.isclose(mann_whitney, two_samples.brunner_munzel(base, new), rel_tol=0.01)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m"), [(1000, 60), (200, 5)])
def test_what_a_short_run_is_too_short_to_show_is_no_difference(n, m):
    """3 % of the packets take longer. 1 of 6 runs of 60 packets has none of these, and most runs of 5."""
    alarms = np.zeros(len(TESTS))
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        base, new = (np.where(rng.random(size) < 0.03, 500, 100) for size in (n, m))
        alarms += [test(base, new) < 0.001 for test in TESTS]
    assert alarms.max() <= most(RUNS, 0.001)


@pytest.mark.slow
def test_strong_dependence_makes_no_false_alarms():
    """AR(1) with phi = 0.95: 300 packets are worth 8; far out, where a correction for many tests looks."""
    alarms = np.zeros(len(TESTS))
    for seed in range(RUNS):
        rng = np.random.default_rng(seed)
        base, new = (lfilter([1], [1, -0.95], rng.normal(size=600))[300:] for _ in range(2))
        alarms += [test(base, new) < 0.001 for test in TESTS]
    assert alarms.max() <= most(RUNS, 0.001)


def test_runs_that_wander_apart_and_do_not_overlap():
    """Two random walks: the order of 300 values that hang together is no more than that of a few."""
    rng = np.random.default_rng(1)
    base, new = 1000 + np.cumsum(rng.normal(size=300)), np.cumsum(rng.normal(size=300))
    assert base.min() > new.max()
    assert two_samples.brunner_munzel(base, new) > 0.001

"""Series, dependence, trend and change: against scipy, statsmodels and plain versions, and on known truth."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.regression.linear_model import yule_walker
from statsmodels.tsa.arima_process import ArmaProcess

from gpiorig.analysis.attribution import activities, dependence, series, shares, trend

RATE_NS = 1e9 / 24e6


def wander(seed: int, n: int, *coefficients: float) -> np.ndarray:
    """An autoregressive series."""
    e = np.random.default_rng(seed).normal(size=n + 500)
    x = np.zeros(n + 500)
    for i in range(len(coefficients), n + 500):
        x[i] = e[i] + sum(a * x[i - k] for k, a in enumerate(coefficients, 1))
    return x[500:]


def test_autoregression_is_that_of_statsmodels() -> None:
    x = wander(1, 5000, 0.5, -0.3)
    expected = yule_walker(x, order=2, method="mle", result_object=True)
    assert expected.rho == pytest.approx(series.autoregression(x), abs=1e-9)
    assert 0 == len(series.autoregression(np.random.default_rng(2).normal(size=2000)))
    assert 0 == len(series.autoregression(np.ones(100)))


def test_inflation_is_the_spectral_density_at_zero() -> None:
    """AR(1): (1 + a)/(1 - a). AR(2): by the autocovariances of statsmodels."""
    assert 1.8 / 0.2 == pytest.approx(series.inflation(np.array([0.8])))
    r = ArmaProcess([1, -0.5, -0.3], [1]).acf(500)
    assert 1 + 2 * r[1:].sum() == pytest.approx(series.inflation(np.array([0.5, 0.3])), rel=1e-6)
    assert r[1:40] == pytest.approx(trend.correlations(np.array([0.5, 0.3]), 39), abs=1e-9)
    assert 1.0 == series.inflation(np.array([-0.5]))


def test_explained_by_groups_is_analysis_of_variance() -> None:
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 5, 400)
    y = rng.normal(size=400) + 0.25 * (labels == 2)
    expected = stats.f_oneway(*(y[labels == k] for k in range(5)))
    p, f = series.explained_by(y, series.groups(labels))
    assert expected.statistic == pytest.approx(f)
    assert expected.pvalue / 3 < p < 3 * expected.pvalue  # of 500 permutations
    y += 1.0 * (labels == 2)
    assert series.explained_by(y, series.groups(labels))[0] < 1e-12


def test_grouped_share_is_adjusted() -> None:
    """Random groups make 0 on average, not (g - 1)/(n - 1)."""
    rng = np.random.default_rng(4)
    shares = [series.grouped_share(rng.normal(size=60), rng.integers(0, 12, 60)) for _ in range(300)]
    assert np.mean(shares) < 0.08  # (12 - 1)/(60 - 1) = 0.19
    labels = rng.integers(0, 3, 5000)
    assert 0.8 == pytest.approx(series.grouped_share(labels * np.sqrt(6) + rng.normal(size=5000), labels), abs=0.02)


@pytest.mark.slow
def test_two_series_that_wander_do_not_depend_on_each_other() -> None:
    """AR(0.9) against AR(0.9): below 5 % in 5 % of the runs; Spearman's own p-value in half of them."""
    below = sum(
        series.explained_by(wander(2 * k, 300, 0.9), wander(2 * k + 1, 300, 0.9)[:, None])[0] < 0.05 for k in range(200)
    )
    plain = sum(stats.spearmanr(wander(2 * k, 300, 0.9), wander(2 * k + 1, 300, 0.9)).pvalue < 0.05 for k in range(50))
    assert below <= stats.binom.ppf(0.999, 200, 0.05)
    assert plain > 15


def test_tail_of_a_permutation() -> None:
    """Beyond the draws a gamma distribution: within a factor of 3 of the truth at 1e-5."""
    null = np.random.default_rng(5).chisquare(4, 500)
    assert stats.chi2.sf(28, 4) == pytest.approx(series.tail(28, null), rel=2)
    assert 0.5 == pytest.approx(series.tail(float(np.median(null)), null), abs=0.01)


def test_dependence_is_spearmans_and_kruskals() -> None:
    rng = np.random.default_rng(6)
    c = rng.normal(size=500)
    x = np.rint(2000 + 10 * c + rng.normal(0, 100, 500)).astype(np.int64)
    rho = stats.spearmanr(x, c).statistic
    _, f = series.explained_by(stats.rankdata(x), stats.rankdata(c)[:, None])
    assert rho**2 == pytest.approx(f / (f + 498))
    few = rng.integers(0, 4, 500)
    h = stats.kruskal(*(x[few == k] for k in range(4))).statistic
    _, f = series.explained_by(stats.rankdata(x), series.groups(few))
    assert h / 499 == pytest.approx(3 * f / (3 * f + 496))


def test_preemption_is_found_with_its_slope() -> None:
    """Each microsecond of another task makes the step one longer."""
    rng = np.random.default_rng(7)
    preempted_us = np.where(rng.random(400) < 0.1, rng.uniform(10, 400, 400), 0)
    delays = np.rint(3000 + 24 * preempted_us + rng.normal(0, 2, 400)).astype(np.int64)
    result = dependence.test(delays, preempted_us, name="pre-empted time, µs", period_ns=RATE_NS)
    assert result is not None
    assert result.numbers["slope"].low <= 1000 <= result.numbers["slope"].high
    assert result.share > 0.99
    assert result.p_value < 1e-6
    assert "depends on pre-empted time, µs: 1.000 µs ± 0.12 ns longer for one more" in result.sentence


def test_retries_are_groups() -> None:
    rng = np.random.default_rng(8)
    retries = rng.poisson(0.4, 300).astype(float)
    result = dependence.test(
        (7000 * retries + rng.normal(0, 3000, 300)).astype(np.int64), retries, name="retries", period_ns=1
    )
    assert result is not None
    assert ("Kruskal-Wallis", "retries") == (result.numbers["method"], result.numbers["on"])
    assert result.p_value < 1e-9
    eta = 0.4 * 49e6 / (0.4 * 49e6 + 9e6)  # the variance of a Poisson number is its mean
    assert eta == pytest.approx(result.share, abs=0.08)


def test_covariates_that_cannot_matter() -> None:
    """Constant, unknown, or different in two packets only."""
    x = np.random.default_rng(9).integers(0, 1000, 100)
    rare = np.zeros(100)
    rare[:2] = 1
    for covariate in (np.zeros(100), np.full(100, np.nan), rare):
        assert dependence.test(x, covariate, name="c", period_ns=1.0) is None


def test_mann_kendall_is_the_plain_count() -> None:
    """S counted pair by pair, its variance with ties by Kendall's formula."""
    x = np.random.default_rng(10).integers(0, 12, 80) + np.arange(80) // 30
    s = sum(np.sign(x[j] - x[i]) for i in range(80) for j in range(i + 1, 80))
    ties = np.unique(x, return_counts=True)[1]
    variance = (80 * 79 * 165 - sum(t * (t - 1) * (2 * t + 5) for t in ties.tolist())) / 18
    factor = 80 / trend.mann_kendall(x.astype(float))[2]
    expected = 2 * stats.norm.sf((abs(s) - 1) / np.sqrt(variance * factor))
    assert expected == pytest.approx(trend.mann_kendall(x.astype(float))[1], rel=1e-9)


def test_a_trend_is_found_with_its_slope() -> None:
    rng = np.random.default_rng(11)
    starts = np.arange(500) * 480_000  # 20 ms
    delays = np.rint(5000 + 24 * 3 * starts / 24e6 + rng.normal(0, 100, 500)).astype(np.int64)  # 3 us/s
    result = trend.trend(delays, starts, period_ns=RATE_NS)
    assert result is not None
    assert result.numbers["slope_ns_per_s"].low <= 3000 <= result.numbers["slope_ns_per_s"].high
    half_ns = (result.numbers["slope_ns_per_s"].high - result.numbers["slope_ns_per_s"].low) / 2
    assert f"± {half_ns:.0f} ns a second" in result.sentence
    assert result.p_value < 1e-12
    assert (0.28 * 720) ** 2 / ((0.28 * 720) ** 2 + 1e4) == pytest.approx(result.share, abs=0.08)


def test_pettitts_statistic_is_the_plain_count() -> None:
    x = np.random.default_rng(12).normal(size=40) + 1.5 * (np.arange(40) >= 17)
    u = [sum(np.sign(x[i] - x[j]) for i in range(t) for j in range(t, 40)) for t in range(1, 40)]
    at, p = trend.change_in(x)
    assert int(np.argmax(np.abs(u))) + 1 == at
    ranks = stats.rankdata(x) - 20.5
    assert np.array(u) / 2 == pytest.approx(np.cumsum(ranks)[:-1])
    assert 0 < p < 0.05


def test_jumps_are_found_where_they_are() -> None:
    rng = np.random.default_rng(13)
    level = np.repeat([1000, 1300, 900], [150, 200, 250])
    delays = np.rint(level + rng.normal(0, 60, 600)).astype(np.int64)
    result = trend.change(delays, np.arange(600) * 24_000_000, period_ns=RATE_NS, level=0.01)
    assert result is not None
    assert 2 == result.numbers["changes"]
    assert [150, 350] == pytest.approx([result.numbers["at_1_s"], result.numbers["at_2_s"]], abs=2)
    assert 1000 * RATE_NS == pytest.approx(result.numbers["before_1_ns"], rel=0.02)
    medians = [f"{np.median(part) * RATE_NS / 1000:.1f} µs" for part in np.split(delays, [150, 350])]
    assert f"The median jumps at 150 s from {medians[0]} to {medians[1]}; at 350 s" in result.sentence
    assert result.share > 0.8


@pytest.mark.parametrize(("jump", "after"), [(200, "4.1750 ms"), (2, "4.16675 ms")])
def test_a_small_jump_of_a_long_step_is_shown(jump: int, after: str) -> None:
    """With two digits of its own, none of which is below a sample of 41.7 ns."""
    delays = 100_000 + np.repeat([0, jump], 100)
    result = trend.change(delays, np.arange(200) * 24_000_000, period_ns=RATE_NS, level=0.01)
    assert result is not None
    assert f"to {after} (200 packets)" in result.sentence


@pytest.mark.parametrize("n", [0, 1, 2, 29])
def test_few_packets_have_neither(n: int) -> None:
    x = np.arange(n, dtype=np.int64)
    assert trend.trend(x, x, period_ns=1.0) is None
    assert trend.change(x, x, period_ns=1.0, level=0.01) is None
    assert dependence.test(x, x.astype(float), name="c", period_ns=1.0) is None


def test_a_series_that_does_not_vary_has_no_jump() -> None:
    assert 1.0 == trend.change_in(np.full(50, 7.0))[1]


def test_the_fewest_values_that_show_a_jump() -> None:
    """Without autocorrelation all of them count."""
    fewest = np.where(np.arange(trend.MIN_EFFECTIVE) % 2, 1.0, -1.0)
    assert np.isfinite(trend.change_in(fewest)[1])
    assert np.isnan(trend.change_in(fewest[1:])[1])


def test_the_chance_of_a_statistic_among_draws_of_it() -> None:
    """The observed value is one of the draws: p of n draws is at least 1 / (n + 1)."""
    assert (1.0, 1 / 100) == (series.tail(0.0, np.zeros(99)), series.tail(0.5, np.zeros(99)))
    assert 21 / 100 == series.tail(80.0, np.arange(1.0, 100.0))


def test_the_phase_of_an_activity_by_hand() -> None:
    """Between its instants in periods, of which the third is missing; not known before the first and after the last."""
    timer = activities.Activity("a: timer", np.array([100, 200, 400]), np.array([0, 1, 3]), 100.0)
    phases = timer.phase(np.array([99, 100, 150, 300, 400, 401]))
    assert [0.0, 0.5, 2.0, 3.0] == phases[1:5].tolist()
    assert np.isnan(phases[[0, 5]]).all()


@pytest.mark.parametrize(("strays", "is_periodic"), [(0, True), (5, True), (6, False)])
def test_a_period_is_kept_by_most_intervals(strays: int, is_periodic: bool) -> None:
    """Four in five of 25; an interval may be 5 % off, and one that is longer by a period is not one of them."""
    intervals = np.full(25, 100)
    intervals[[1, 3]] = 95, 105
    intervals[8 : 8 + 3 * strays : 3] = 200
    activity = activities.periodic("a: timer", np.concatenate([[7], 7 + np.cumsum(intervals)]))
    assert is_periodic == (activity is not None)
    if activity is not None:
        assert 25 + strays == activity.cycles[-1]
        assert 100.0 == activity.period_samples


def test_a_share_of_levels_needs_blocks_where_distances_last() -> None:
    """Distances from the mean of the same size 50 times in a row, with signs by chance: the delays look independent."""
    rng = np.random.default_rng(2)
    size = np.repeat(rng.integers(1, 1000, 40), 50)
    delays = 10_000.0 + size * rng.choice([-1, 1], len(size))
    shuffled = rng.permutation(delays)
    own, levels = np.ones(len(delays)), np.full(len(delays), 10_000.0)
    methods = [shares.within(part, own, levels).method for part in (delays, shuffled)]
    assert "blocks" in methods[0] and "blocks" not in methods[1]

"""Estimators, ends of intervals and shares against numpy, scipy and the formulae of the papers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special, stats

from gpiorig.analysis.statistics import estimators, intervals, order_statistics, repeats, resampling, two_samples
from gpiorig.analysis.statistics.interval_text import ends_text, ppm_interval, share_interval
from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.analysis.statistics.summary import ipdv

NAN, INF = math.nan, math.inf
VALUES = 5000 + np.random.default_rng(5).integers(0, 12, 41)  # 41: the quartiles are values, and there are ties


def of_resample(name, values, method):
    """The statistic by numpy; quantiles of resamples are the lower of two values."""
    if name == "mean":
        return values.mean()
    if name == "std":
        return values.std(ddof=1)
    if name == "iqr":
        return np.subtract(*np.quantile(values, [0.75, 0.25], method=method))
    return np.quantile(values, {"median": 0.5, "p90": 0.9}[name], method=method)


@pytest.mark.parametrize("name", ["mean", "std", "iqr", "median", "p90"])
def test_a_statistic_and_its_resamples_are_those_of_numpy(name):
    estimator, plan = estimators.named(VALUES, name), resampling.resample(len(VALUES), 1)
    assert of_resample(name, VALUES, "linear") == pytest.approx(estimator.value, rel=1e-12)
    resamples = [np.repeat(VALUES, row.astype(int)) for row in plan.weights[:50]]
    expected = [of_resample(name, resample, "lower") for resample in resamples]
    assert expected == pytest.approx(estimator.replicates(plan)(plan.weights[:50]), rel=1e-9)


def test_what_a_statistic_depends_on():
    """Deviations for the mean, their squares for the standard deviation, values up to a quantile for that."""

    def influence(name):
        return [np.asarray(series, dtype=float) for series in estimators.named(VALUES, name).influence]

    assert (VALUES - VALUES.mean()).tolist() == pytest.approx(influence("mean")[0] - influence("mean")[0].mean())
    assert ((VALUES - VALUES.mean()) ** 2).tolist() == pytest.approx(influence("std")[0])
    assert (VALUES <= np.median(VALUES)).tolist() == influence("median")[0].tolist()
    quartiles = np.quantile(VALUES, [0.25, 0.75])
    assert [(VALUES <= quartile).tolist() for quartile in quartiles] == [part.tolist() for part in influence("iqr")]


@pytest.mark.parametrize("skew", [1, 3])
@pytest.mark.parametrize("estimate", [400, 500, 620])
def test_ends_by_the_formulae_of_the_papers(estimate, skew):
    """Efron's BCa, with ties that count half, at Hesterberg's level for 9 blocks."""
    replicates = np.repeat(np.arange(0.0, 1000.0, 10.0), 10)
    jackknife = np.arange(1.0, 10.0) ** skew
    below = (np.sum(replicates < estimate) + np.sum(replicates == estimate) / 2) / 1000
    z0, deviations = stats.norm.ppf(below), jackknife.mean() - jackknife
    a = np.sum(deviations**3) / (6 * np.sum(deviations**2) ** 1.5)
    level = stats.t.ppf(0.975, 8) * math.sqrt(9 / 8)
    ends = [stats.norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z))) for z in (-level, level)]
    expected = np.quantile(replicates, ends)
    assert expected == pytest.approx(resampling.limits(estimate, replicates, jackknife, blocks=9), abs=1e-6)


def test_the_interval_of_a_mean_of_repeats_stays_within_what_it_can_be():
    """Student's where there are no ends; scipy's log-normal and logistic forms else; equal repeats need none."""
    values = np.array([3.0, 4.5, 5.0, 9.0])
    for count in (3, 4):
        part = values[:count]
        ends = stats.t.interval(0.95, count - 1, part.mean(), stats.sem(part))
        got = repeats.mean(part)
        assert ends == pytest.approx((got.low, got.high))
    assert math.isnan(repeats.mean(values[:2]).low)
    wide = repeats.mean(np.array([4.48, 4.48, 14.5]), least=0)
    sigma = math.sqrt(math.log1p((stats.sem([4.48, 4.48, 14.5]) / wide.value) ** 2))
    factor = stats.lognorm(sigma).ppf(stats.norm.cdf(stats.t.ppf(0.975, 2)))
    assert (wide.value / factor, wide.value * factor) == pytest.approx((wide.low, wide.high))
    share = repeats.mean(np.array([0.01, 0.02, 0.30]), least=0, most=1)
    assert 0 < share.low < share.value < share.high < 1
    assert special_ends([0.01, 0.02, 0.30]) == pytest.approx((share.low, share.high))
    assert "Student's t" == repeats.mean(np.array([-1.0, 0.5, 2.0]), least=0).method
    assert (2.0, 2.0) == ((equal := repeats.mean(np.array([2.0, 2.0, 2.0]), least=0)).low, equal.high)


def special_ends(shares):
    """The ends on the scale of the logit, by scipy."""
    mean = np.mean(shares)
    half = stats.t.ppf(0.975, len(shares) - 1) * stats.sem(shares) / (mean * (1 - mean))
    return tuple(special.expit(special.logit(mean) + sign * half) for sign in (-1, 1))


@pytest.mark.parametrize(("count", "spread", "least"), [(3, 0.2, 0.93), (3, 0.8, 0.92), (10, 0.8, 0.89)])
def test_the_interval_of_a_positive_mean_has_it_more_often_than_others(count, spread, least):
    """Of log-normal repeats: no less often than Student's; a bootstrap of three stays within their range."""
    rng = np.random.default_rng(3)
    runs = rng.lognormal(0, spread, (2000, count))
    mean = math.exp(spread**2 / 2)

    def covered(ends):
        return np.mean([end.low <= mean <= end.high for end in ends])

    positive = covered([repeats.mean(run, least=0) for run in runs])
    assert least < positive <= 1
    assert covered([repeats.mean(run) for run in runs]) < positive + 0.005
    if count == 3:
        assert np.mean((runs.min(axis=1) <= mean) & (mean <= runs.max(axis=1))) < 0.8


def test_shares_have_the_exact_interval_of_scipy():
    for count in range(8):
        exact = stats.binomtest(count, 7).proportion_ci(0.95, method="exact")
        share = intervals.for_share(count, 7, what="losses")
        assert (count / 7, exact.low, exact.high) == pytest.approx((share.value, share.low, share.high))


def test_shares_between_extremes_are_of_the_beta_distribution():
    """Beta (n, 1) below the largest, Beta (n - 1, 2) between both; one value has nothing on both sides."""
    assert 0.0 == order_statistics.covered(1, 2) == order_statistics.covered(0, 1)
    for n in range(1, 6):
        assert stats.beta.ppf(0.05, n, 1) == pytest.approx(order_statistics.covered(n, 1))
        assert n == 1 or stats.beta.ppf(0.05, n - 1, 2) == pytest.approx(order_statistics.covered(n, 2))


def test_a_unit_scales_all_of_an_interval():
    assert Interval(20.0, 10.0, 40.0, "m", "n") == Interval(2.0, 1.0, 4.0, "m", "n").scaled(10)


def test_as_many_equal_values_as_a_quartile_needs():
    """0.75^13 is below 2.5 %: of 13 equal values the spread is known to be 0; of 12 it is not; of one it is nothing."""
    known, unknown, single = (intervals.for_spread(np.full(n, 7), 0.25, 0.75) for n in (13, 12, 1))
    assert (0.0, 0.0, 0.0) == (known.value, known.low, known.high)
    assert 0.0 == unknown.value
    assert np.isnan([unknown.low, unknown.high, single.value]).all()


def test_the_fewest_values_of_a_bootstrap():
    values = np.random.default_rng(1).permutation(intervals.MIN_VALUES) * 10
    assert math.isfinite(intervals.for_mean(values).low)
    assert math.isnan(intervals.for_mean(values[1:]).low)


def test_up_to_100_values_the_distance_is_exact():
    """Smirnov's distribution for 100 and 60 independent values, the asymptotic one from 101 on."""
    rng = np.random.default_rng(1)
    base, new = rng.normal(size=101), rng.normal(0.4, 1, 60)
    exact, asymptotic = stats.ks_2samp(base[:100], new, method="exact"), stats.ks_2samp(base, new, method="asymp")
    assert exact.pvalue == pytest.approx(two_samples.kolmogorov_smirnov(base[:100], new), rel=1e-9)
    assert asymptotic.pvalue == pytest.approx(two_samples.kolmogorov_smirnov(base, new), rel=1e-9)
    assert stats.ks_2samp(base, new, method="exact").pvalue != pytest.approx(asymptotic.pvalue, rel=1e-3)


def test_a_delay_of_nothing_is_a_delay():
    assert [-5, 3] == ipdv(np.array([5, 0, 3, -1, 4])).tolist()


def test_intervals_with_one_end_have_none_in_text():
    for low, high in ((NAN, 1.0), (0.0, INF)):
        assert ppm_interval(Interval(0.5, low, high, "")) == "0.5 ppm (no interval)"
        assert share_interval(Interval(0.5, low, high, "")) == "50 %"
    assert ends_text(Interval(1.0, 0.5, 2.0, ""), str, "") == "0.5 to 2.0"


def test_a_half_width_and_extremes():
    assert 1.5 == Interval(2.0, 1.0, 4.0, "m").half_width
    assert [3.0, 9.0, 6.0] == [estimators.extreme(np.array([5, 3, 9]), name) for name in ("min", "max", "p2p")]
    single = np.array([5])
    assert [5.0, 5.0] == [intervals.for_minimum(single).value, intervals.for_maximum(single).value]
    assert math.isnan(intervals.for_range(single).value)
    assert 0.0 == intervals.for_range(np.array([5, 5])).value


def test_values_equal_to_a_quantile_are_at_it():
    """0 and 1 in runs of 20: whether a value is at most the median, 0, depends on its neighbour."""
    values = np.repeat((np.random.default_rng(1).random(60) < 0.4).astype(np.int64), 20)
    assert 0.0 == intervals.for_quantile(values, 0.5).value
    assert "dependent values counted as" in intervals.for_quantile(values, 0.5).method

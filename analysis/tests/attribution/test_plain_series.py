"""Series, trend and change against plain second versions, over small series drawn at random."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg, stats

from gpiorig.analysis.attribution import series, trend
from gpiorig.analysis.statistics.intervals import Interval


def wander(rng: np.random.Generator, n: int, weight: float) -> np.ndarray:
    """An autoregressive series of order 1, with a few outliers."""
    x = rng.normal(size=n) + 3 * (rng.random(n) < 0.02)
    for i in range(1, n):
        x[i] += weight * x[i - 1]
    return x


def plain_autoregression(x: np.ndarray) -> np.ndarray:
    """Yule-Walker equations, solved for every order; the order of the least BIC."""
    n, centred = len(x), x - np.mean(x)
    orders = min(5, n // 10)
    r = np.array([np.sum(centred[: n - lag] * centred[lag:]) for lag in range(orders + 1)]) / np.sum(centred**2)
    models = [np.zeros(0)] + [linalg.solve_toeplitz(r[:k], r[1 : k + 1]) for k in range(1, orders + 1)]
    scores = [n * np.log(1 - a @ r[1 : len(a) + 1]) + len(a) * np.log(n) for a in models]
    best = models[int(np.argmin(scores))]
    return np.clip(best + (1 + 3 * best) / n, -0.99, 0.99) if len(best) == 1 else best


def plain_whitened(x: np.ndarray, model: np.ndarray) -> np.ndarray:
    order = len(model)
    return np.array([x[i] - sum(model[k] * x[i - 1 - k] for k in range(order)) for i in range(order, len(x))])


@pytest.mark.parametrize("n", [9, 10, 19, 20, 49, 50, 200])
def test_an_autoregression_solves_the_equations_of_yule_and_walker(n: int) -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        x = wander(rng, n, [0.0, 0.5, -0.6, 0.9][seed % 4])
        x[2:] += 0.6 * x[:-2] * (seed > 3)
        model = series.autoregression(x)
        assert plain_autoregression(x) == pytest.approx(model, abs=1e-9)
        assert plain_whitened(x, model) == pytest.approx(series.whitened(x, model), abs=1e-9)


def test_an_impulse_goes_through_a_model_step_by_step() -> None:
    """x[i] = a1 x[i-1] + a2 x[i-2] + a3 x[i-3], from 1 after zeros; its filter gives the impulse back."""
    model = np.array([0.5, -0.3, 0.2])
    expected = [0.0, 0.0, 1.0]
    for _ in range(20):
        expected.append(0.5 * expected[-1] - 0.3 * expected[-2] + 0.2 * expected[-3])
    assert expected[2:] == pytest.approx(series.impulse_response(model, 20).tolist())
    assert [0.0] * 20 == pytest.approx(series.whitened(np.array(expected), model)[:20].tolist())


def plain_f(y: np.ndarray, design: np.ndarray) -> tuple[float, int, int]:
    """F of a linear model with a constant, its rank and the degrees of freedom that it leaves."""
    full = np.column_stack([np.ones(len(y)), design])
    rest = y - full @ np.linalg.lstsq(full, y, rcond=None)[0]
    rank = int(np.linalg.matrix_rank(full)) - 1
    freedom = len(y) - rank - 1
    within = rest @ rest
    return (np.sum((y - y.mean()) ** 2) - within) / rank / (within / freedom), rank, freedom


@pytest.mark.parametrize("seed", range(8))
def test_an_explanation_is_judged_after_cochrane_and_orcutt(seed: int) -> None:
    """Fit, filter both sides with the autoregression of the rest, fit again; F, and its p-value where it is large."""
    rng = np.random.default_rng(seed)
    n = 60
    design = rng.normal(5, 1, (n, 2))
    design = np.column_stack([design, design[:, 0] - 2 * design[:, 1], np.ones(n)])  # rank 2
    y = wander(rng, n, [0.0, 0.7][seed % 2]) + [0.0, 0.5][seed // 2 % 2] * design[:, 0] + 100
    full = np.column_stack([np.ones(n), design])
    model = plain_autoregression(y - full @ np.linalg.lstsq(full, y, rcond=None)[0])
    assert (len(model) > 0) == (seed % 2 == 1) or seed > 3
    f, rank, freedom = plain_f(
        plain_whitened(y, model), np.column_stack([plain_whitened(c, model) for c in design[:, :2].T])
    )
    p, found = series.explained_by(y, design)
    assert f == pytest.approx(found, rel=1e-6)
    by_f = stats.f.sf(f, rank, freedom)
    assert p == pytest.approx(by_f, rel=1e-6) if by_f > series.SCREEN else p < 0.1


def test_the_fewest_values_that_an_explanation_needs() -> None:
    """One degree of freedom left is enough; none, or nothing to explain or to explain it with, is not."""
    rng = np.random.default_rng(1)
    y, design = rng.normal(size=5), rng.normal(size=(5, 3))
    f, rank, freedom = plain_f(y, design)
    assert (3, 1) == (rank, freedom)
    assert (stats.f.sf(f, 3, 1), f) == pytest.approx(series.explained_by(y, design))
    assert (1.0, 0.0) == series.explained_by(y[:4], design[:4])
    assert (1.0, 0.0) == series.explained_by(np.ones(5), design)
    assert (1.0, 0.0) == series.explained_by(y, np.ones((5, 3)))


@pytest.mark.parametrize("seed", range(4))
def test_the_tail_is_that_of_pearsons_third_type(seed: int) -> None:
    """Fewer than ten draws reach the value; with ten the draws themselves count."""
    null = np.sort(np.random.default_rng(seed).gamma(1 + seed, 1, 500))
    skewness = np.mean((null - null.mean()) ** 3) / np.std(null) ** 3
    for value in (null[-9], null[-1], 2 * null[-1]):
        expected = stats.pearson3.sf(value, skewness, loc=null.mean(), scale=null.std())
        assert expected == pytest.approx(series.tail(value, null), rel=1e-9)
    assert 11 / 501 == series.tail(null[-10], null)


@pytest.mark.parametrize("groups", [1, 2, 5, 11, 12])
def test_the_share_of_groups_is_the_adjusted_eta_squared(groups: int) -> None:
    rng = np.random.default_rng(groups)
    labels = np.append(np.arange(groups), rng.integers(0, groups, 12 - groups)) * 7 + 3
    delays = rng.normal(size=12) + labels
    expected = 0.0
    if groups < 12:
        rest = sum(np.sum((delays[labels == k] - delays[labels == k].mean()) ** 2) for k in set(labels.tolist()))
        expected = max(0.0, 1 - (rest / (12 - groups)) / np.var(delays, ddof=1))
    assert expected == pytest.approx(series.grouped_share(delays, labels), abs=1e-12)
    columns = [[float(label == k) for k in sorted(set(labels.tolist()))[1:]] for label in labels.tolist()]
    assert columns == series.groups(labels).tolist()


@pytest.mark.parametrize("seed", range(6))
def test_mann_and_kendalls_tau_with_hamed_and_raos_variance(seed: int) -> None:
    """tau-b of scipy; the variance grows by the sum over lags of the docstring, written out."""
    rng = np.random.default_rng(seed)
    n = 60
    x = np.rint(3 * wander(rng, n, [0.0, 0.6, 0.85][seed % 3])) + 0.1 * np.arange(n) // 1
    line = np.polyval(np.polyfit(np.arange(n), x, 1), np.arange(n))
    model = plain_autoregression(stats.rankdata(np.round(x - line, 9)))
    r = trend.correlations(model, n - 3)
    total = sum((n - k) * (n - k - 1) * (n - k - 2) * r[k - 1] for k in range(1, n - 2))
    factor = max(1.0, 1 + 2 * total / (n * (n - 1) * (n - 2)))
    tau, p, effective = trend.mann_kendall(x)
    assert stats.kendalltau(np.arange(n), x).statistic == pytest.approx(tau)
    assert n / factor == pytest.approx(effective)
    s = sum(np.sign(x[j] - x[i]) for i in range(n) for j in range(i + 1, n))
    ties = np.unique(x, return_counts=True)[1].tolist()
    variance = (n * (n - 1) * (2 * n + 5) - sum(t * (t - 1) * (2 * t + 5) for t in ties)) / 18
    assert 2 * stats.norm.sf((abs(s) - 1) / np.sqrt(variance * factor)) == pytest.approx(p)


def test_correlations_of_an_autoregression_fall_by_its_weight() -> None:
    assert [0.8, 0.64, 0.512] == pytest.approx(trend.correlations(np.array([0.8]), 30)[:3].tolist(), abs=1e-6)
    assert [0.0] * 4 == trend.correlations(np.zeros(0), 4).tolist()


@pytest.mark.parametrize("n", [29, 30, 120, 1000, 1500])
def test_a_slope_is_the_median_of_all_pairs(n: int) -> None:
    """In ns per second from unevenly sent packets, its interval widened by the root of n over the effective n."""
    rng = np.random.default_rng(n)
    starts = 10**9 + np.cumsum(rng.integers(1000, 9000, n))
    delays = np.rint(9000 - 0.001 * starts * 5000 / n + wander(rng, n, 0.5 * (n > 30)) * 800).astype(np.int64)
    found = trend.trend(delays, starts, period_ns=50.0)
    if n < trend.MIN_PACKETS:
        assert found is None
        return
    assert found is not None
    tau, p, effective = trend.mann_kendall(delays.astype(float))
    assert (tau, effective, p) == (found.numbers["tau"], found.numbers["effective_n"], found.p_value)
    used = np.unique(np.linspace(0, n - 1, min(n, 1000)).astype(int))
    y, x = delays[used] * 50.0, starts[used] * 50e-9
    i, j = np.triu_indices(len(used), 1)
    slope = found.numbers["slope_ns_per_s"]
    assert isinstance(slope, Interval)
    middle = float(np.median((y[j] - y[i]) / (x[j] - x[i])))
    assert middle == pytest.approx(slope.value)
    narrow = stats.theilslopes(y, x, alpha=0.95)
    for end, wide in ((narrow.low_slope, slope.low), (narrow.high_slope, slope.high)):
        assert middle + np.sqrt(n / effective) * (end - middle) == pytest.approx(wide)
    all_y, all_x = delays * 50.0, starts * 50e-9
    rest = all_y - all_y.mean() - middle * (all_x - all_x.mean())
    assert 1 - np.var(rest) / np.var(all_y) == pytest.approx(found.share)
    assert "shrinks by" in found.sentence


def test_a_slope_needs_time() -> None:
    assert 0.0 == trend._theil_sen(np.arange(5.0), np.full(5, 2.0), 1.0).value


@pytest.mark.parametrize("seed", range(6))
def test_a_jump_is_judged_by_pettitts_statistic(seed: int) -> None:
    """The largest sum of centred ranks over its long-run deviation, after Kolmogorov's distribution."""
    rng = np.random.default_rng(seed)
    n = 80
    x = wander(rng, n, [0.0, 0.4][seed % 2]) + 1.0 * (np.arange(n) >= 20 + 5 * seed)
    ranks = stats.rankdata(x) - (n + 1) / 2
    sums = [abs(sum(ranks[:k])) for k in range(1, n)]
    cut = 1 + int(np.argmax(sums))
    rest = np.concatenate([ranks[:cut] - ranks[:cut].mean(), ranks[cut:] - ranks[cut:].mean()])
    factor = series.inflation(plain_autoregression(rest))
    at, p = trend.change_in(x)
    assert cut == at
    assert stats.kstwobign.sf(max(sums) / np.sqrt(n * np.mean(ranks**2) * factor)) == pytest.approx(p, rel=1e-6)


@pytest.mark.parametrize("seed", range(30))
def test_jumps_are_cut_one_after_the_other(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Part by part in the order of their discovery: up to eight, the level over their number, ten packets beside it."""

    def at_random(values: np.ndarray) -> tuple[int, float]:
        """A place near the middle or an end, and a chance that is often just the level, by the values of the part."""
        low, n = int(values[0]), len(values)
        rng = np.random.default_rng([seed, low, n])
        at = int(rng.choice([9, 10, n // 2, n // 3, n - 10, n - 9]))
        return at, float(rng.choice([0.0, 0.05 / rng.integers(1, 5), 0.06 * (seed % 3 == 0)]))

    monkeypatch.setattr(trend, "change_in", at_random)
    x = np.arange([45.0, 60.0, 700.0][seed % 3])
    cuts: list[int] = []
    parts = [(0, len(x))]
    while parts and len(cuts) < 8:
        low, high = parts.pop(0)
        at, p = at_random(x[low:high])
        if p <= 0.05 / (1 + len(cuts)) and at >= 10 and high - low - at >= 10:
            cuts.append(low + at)
            parts += [part for part in ((low, low + at), (low + at, high)) if part[1] - part[0] >= 20]
    assert (sorted(cuts), at_random(x)[1]) == trend.changes_in(x, level=0.05)


def test_the_numbers_of_jumps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instants count from the first packet, medians are those of what lies between the jumps."""
    rng = np.random.default_rng(3)
    starts = 5_000_000 + np.cumsum(rng.integers(100, 900, 300))
    delays = np.rint(np.repeat([1000, 1300, 900], [80, 90, 130]) + rng.normal(0, 60, 300)).astype(np.int64)
    monkeypatch.setattr(trend, "changes_in", lambda values, *, level: ([80, 170], level / 2))
    found = trend.change(delays, starts, period_ns=40.0, level=0.01)
    assert found is not None
    assert 2 == found.numbers["changes"]
    cuts = [0, 80, 170, 300]
    for jump, (before, cut, after) in enumerate(zip(cuts, cuts[1:], cuts[2:], strict=False), 1):
        assert (starts[cut] - starts[0]) * 40e-9 == pytest.approx(found.numbers[f"at_{jump}_s"])
        assert 40 * np.median(delays[before:cut]) == pytest.approx(found.numbers[f"before_{jump}_ns"])
        assert 40 * np.median(delays[cut:after]) == pytest.approx(found.numbers[f"after_{jump}_ns"])
    assert series.grouped_share(delays.astype(float), np.repeat([0, 1, 2], [80, 90, 130])) == pytest.approx(found.share)
    monkeypatch.setattr(trend, "changes_in", lambda values, *, level: ([], level / 2))
    assert trend.change(delays[:29], starts[:29], period_ns=40.0, level=0.01) is None
    unmoved = trend.change(delays[:30], starts[:30], period_ns=40.0, level=0.01)
    assert unmoved is not None
    assert (0.01, 0.0) == (unmoved.p_value, unmoved.share)


@pytest.mark.parametrize("seed", range(20))
def test_digits_show_a_jump_and_no_more_than_the_resolution(seed: int) -> None:
    """With that many digits values a jump apart differ by ten of the last digit or more, and it is a resolution."""
    rng = np.random.default_rng(seed)
    value, spread, resolution = (float(10**exponent) for exponent in rng.uniform([3, 0, 0], [8, 4, 2]))
    digits = trend._digits(value, spread_ns=spread, resolution_ns=resolution)
    powers = [int(f"{number:e}".split("e")[1]) for number in (value, spread, resolution)]
    last_digit = max(powers[1] - 1, powers[2])  # the tens of a jump's digits, and of the resolution
    assert max(3, powers[0] - last_digit + 1) == digits
    assert 3 == trend._digits(value, spread_ns=0.0, resolution_ns=1.0) == trend._digits(0, spread_ns=5, resolution_ns=1)


@pytest.mark.parametrize("seed", range(8))
def test_a_slope_with_ties_is_that_of_scipy(seed: int) -> None:
    """Of values and of times, to the last bit."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.integers(0, 5 * (seed + 1), 60)).astype(float)
    y = np.round(0.1 * x + rng.normal(0, 1 + seed, 60))
    expected, slope = stats.theilslopes(y, x, alpha=0.95), trend._theil_sen(y, x, 1.0)
    ends = (expected.slope + (end - expected.slope) for end in (expected.low_slope, expected.high_slope))
    assert [expected.slope, *ends] == [slope.value, slope.low, slope.high]

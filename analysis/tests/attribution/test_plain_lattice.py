"""Lattice and modes against plain second versions, over delays drawn at random."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from gpiorig.analysis.attribution import lattice, lattice_finding, modes
from gpiorig.analysis.statistics.intervals import Interval


def drawn(seed: int, *, levels: int = 6, period: float = 100.0, noise: float = 1.5, n: int = 200) -> np.ndarray:
    """Delays on levels with a normal scatter, a few anywhere."""
    rng = np.random.default_rng(seed)
    on = 300.3 + period * rng.integers(0, levels, n) + noise * rng.normal(size=n)
    return np.rint(np.where(rng.random(n) < 0.04, rng.uniform(250, 300 + levels * period, n), on)).astype(np.int64)


@pytest.mark.parametrize("seed", range(6))
def test_a_lattice_is_a_line_through_the_places_of_its_delays(seed: int) -> None:
    """Least squares of the delays near a level on the number of the level; the errors of a line, at its lowest."""
    delays = drawn(seed, noise=[1.5, 6.0][seed % 2])
    values, place_of = np.unique(delays, return_inverse=True)
    found = lattice._fit(values - 250, place_of, 100.0, -150.0, lowest=250.0)
    assert found is not None
    place = np.rint((delays - 300.0) / 100)
    rest = np.abs(delays - found.origin - found.period * (place - place[found.on].min()))
    cut = min(100 / 8, max(2.0, 6 * float(np.median(rest[rest <= 100 / 8]))))
    used = rest <= cut
    line = sm.OLS(delays[used], sm.add_constant(place[used])).fit()
    lowest = place[found.on].min()
    assert (line.params[1], line.params[0] + lowest * line.params[1]) == pytest.approx(
        (found.period, found.origin), rel=1e-4
    )
    shallow = np.sum((rest > 0.75 * cut) & (rest <= 1.25 * cut))
    grown = used.sum() / max(used.sum() - 2 * shallow, 0.2 * used.sum())
    sigma = grown * np.sqrt(np.mean(rest[used] ** 2) + 2**2 / 12)
    spread = np.sum((place[used] - place[used].mean()) ** 2)
    assert sigma / np.sqrt(spread) == pytest.approx(found.period_se, rel=0.03)
    at_lowest = np.sqrt(1 / used.sum() + (lowest - place[used].mean()) ** 2 / spread)
    assert sigma * at_lowest == pytest.approx(found.origin_se, rel=0.03)
    on = np.abs(rest) <= found.period / 8
    assert on.tolist() == found.on.tolist()
    by_chance = (~on).sum() * 0.25 / 0.75
    assert (on.sum() - by_chance) / len(delays) == pytest.approx(found.share)
    signed = delays - found.origin - found.period * (place - lowest)
    assert 2 * np.std(signed[on]) == pytest.approx(found.width, rel=1e-3)
    assert found.origin + 5 * found.period == pytest.approx(found.top)
    assert found.top + found.period / 2 == found.beyond


def test_a_window_is_an_eighth_of_the_period_on_either_side() -> None:
    """Of the levels from the lowest to the highest, half a period beyond either end at most."""
    fitted = lattice.Lattice(80.0, 0.1, 1000.0, 0.1, 3, 1160.0, np.ones(1, dtype=bool), 1.0, 1.0, 0.0)
    delays = np.arange(900, 1300)
    expected = [any(abs(delay - level) <= 10 for level in (1000, 1080, 1160)) for delay in delays.tolist()]
    assert expected == fitted.on_levels(delays).tolist()
    longer = np.repeat([1000, 1080, 1160, 1240, 1250], 40)
    over = fitted.over(longer)
    assert (1000.0, 1240.0, 4) == (over.origin, over.top, over.levels)
    assert [True] * 200 == over.on.tolist()
    shorter = fitted.over(np.repeat([1080, 1160, 1251], 40))
    assert (1080.0, 1160.0, 2, 80) == (shorter.origin, shorter.top, shorter.levels, shorter.on.sum())


@pytest.mark.parametrize("seed", range(20))
def test_levels_follow_each_other_and_hold_the_most(seed: int) -> None:
    """More delays than chance and three of its deviations; at most one empty level between two."""
    rng = np.random.default_rng(seed)
    cells = np.sort(rng.choice(30, 9, replace=False)).astype(float)
    place = np.repeat(cells, rng.integers(1, 12, 9))
    on = rng.random(len(place)) < 0.8
    chance = (~on).sum() / 3 / (place.max() - place.min() + 1)
    real = [c for c in cells.tolist() if ((place == c) & on).sum() > chance + 3 * np.sqrt(chance)]
    runs: list[list[float]] = []
    for cell in real:
        if runs and cell - runs[-1][-1] <= 2:
            runs[-1].append(cell)
        else:
            runs.append([cell])
    densest = max(runs, key=lambda run: sum(((place == c) & on).sum() for c in run), default=[])
    expected = (densest[0], densest[-1], len(densest)) if densest else (0.0, 0.0, 0)
    assert expected == lattice._levels(place, on, np.ones(len(place), dtype=np.int64))


@pytest.mark.parametrize(("n", "on", "rare"), [(200, 180, 4), (200, 179, 4), (200, 190, 3), (60, 60, 2), (60, 60, 1)])
def test_the_chance_of_a_lattice(n: int, on: int, rare: int) -> None:
    """The larger of a smooth distribution's and of few places', times the periods; 1 off levels or on too few."""
    rng = np.random.default_rng(n + on + rare)
    place = np.concatenate([np.full(rare, 5.0), np.resize([0.0, 1.0, 1.0, 3.0], n - rare)])
    residual = rng.normal(0, 0.02, n)
    flags = np.arange(n) < on
    residual[~flags] = 0.3
    enough = rare >= max(2, 0.02 * n) and on >= 0.9 * n
    rest = place != 1.0
    smooth = stats.binom.sf((flags & rest).sum() - 1, rest.sum(), 0.5)
    medians = [np.median(residual[flags & (place == level)]) for level in (0.0, 1.0, 3.0, 5.0)]
    off = min(0.5, (max(abs(m) for m in medians) + 0.5) / 50)
    expected = min(1.0, max(6 * max(smooth, 4 * (2 * off) ** 2), 1e-300)) if enough else 1.0
    order, times = np.argsort(place, kind="stable"), np.ones(n, dtype=np.int64)
    assert expected == pytest.approx(lattice._p_value(place[order], residual[order], flags[order], times, period=50.0))


@pytest.mark.parametrize("bins", [1 << 17, 256])
def test_candidates_are_the_peaks_of_a_plain_transform(bins: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sums over the delays, in bins where there are many, from 9/4 turns of their range to ten bins a turn."""
    monkeypatch.setattr(lattice, "_BINS", bins)
    for seed in range(3):
        x = (drawn(seed, levels=[6, 2, 6][seed], period=[100, 400, 100][seed], n=120) - 250).astype(float)
        width = 1 if x.max() < bins else int(np.ceil((x.max() + 1) / bins))
        cells = x // width
        size = 1
        while size < 4 * (cells.max() + 1):
            size *= 2
        low, high = np.quantile(x, [0.025, 0.975])
        k = np.arange(size // 10 + 3)
        sums = np.exp(-2j * np.pi * np.outer(k, cells) / size).sum(axis=1)
        lowest, highest = int(0.75 * 3 * size * width / (high - low)), size // 10
        height = np.abs(sums)
        peaks = [i for i in range(lowest, highest + 1) if height[i] >= height[i - 1] and height[i] > height[i + 1]]
        peaks = [i for i in peaks if height[i] >= 0.4 * height[lowest : highest + 1].max()][:24]
        found = lattice.candidates(x)
        assert [size / i * width for i in peaks] == pytest.approx([period for period, _ in found])
        for i, (period, phase) in zip(peaks, found, strict=True):
            turns = (phase - (width - 1) / 2) / period + np.angle(sums[i]) / (2 * np.pi)
            assert 0 == pytest.approx(turns - round(turns), abs=1e-6)


def test_the_fewest_delays_of_a_lattice() -> None:
    assert lattice.fit(drawn(1)[:29]) is None
    assert lattice.fit(drawn(1)[:30]) is not None


@pytest.mark.parametrize("levels", [3, 4, 16, 40])
def test_the_numbers_of_a_lattice_are_in_nanoseconds(levels: int) -> None:
    """95 % intervals of normal errors; more than 16 levels are a grid."""
    delays = 700 + 240 * np.resize(np.arange(levels), 400) + np.random.default_rng(levels).integers(0, 3, 400)
    fitted, found = lattice.shortest(delays), lattice_finding.test(delays, period_ns=50.0)
    assert found is not None or levels == 3
    if found is None or fitted is None:
        return
    if levels == 40:
        assert fitted.levels > 16
        assert {"levels": fitted.levels, "grid_p_value": fitted.p_value} == found.numbers
        return
    for name, value, se in (("period", fitted.period, fitted.period_se), ("phase", fitted.origin, fitted.origin_se)):
        interval = found.numbers[f"{name}_ns"]
        assert isinstance(interval, Interval)
        ends = (interval.value, interval.low, interval.high)
        assert tuple(50 * (value + z * se) for z in (0, -1.959964, 1.959964)) == pytest.approx(ends, rel=1e-6)
    assert (levels, 1.0) == (found.numbers["levels"], found.numbers["on_lattice"])
    assert 50 * fitted.width == found.numbers["width_ns"]
    assert fitted.p_value == found.p_value


@pytest.mark.parametrize("seed", range(20))
def test_digits_of_a_period_end_with_its_error(seed: int) -> None:
    value, error = (10.0**power for power in np.random.default_rng(seed).uniform([1, -7], [7, 3]))
    places = int(f"{value:e}".split("e")[1]) - int(f"{error:e}".split("e")[1]) + 1
    assert min(9, max(3, places)) == lattice_finding._digits(value, error)


@pytest.mark.parametrize("beyond", [False, True])
def test_the_p_value_of_a_dip_follows_the_published_quantiles(beyond: bool) -> None:
    """Linear in the square of the dip between them; on the line through the last and the third last after them."""
    reached, at = np.log(modes._REACHED), np.square(modes._QUANTILES)
    assert 1.0 == modes.p_value(0.0371, 100)
    for i in range(1, 5):
        assert modes._REACHED[i] == pytest.approx(modes.p_value(modes._QUANTILES[i] / 10, 100))
        middle = np.sqrt((at[i - 1] + at[i]) / 2)
        assert np.exp((reached[i - 1] + reached[i]) / 2) == pytest.approx(modes.p_value(middle / 10, 100))
    ahead = np.sqrt(at[4] + (at[4] - at[2]))
    assert np.exp(reached[4] + (reached[4] - reached[2])) == pytest.approx(modes.p_value(ahead / 10, 100))


@pytest.mark.parametrize(
    ("density", "places"),
    [
        ([0, 10, 8, 10, 0], [1, 3]),
        ([0, 10, 8.01, 10, 0], [1]),
        ([0, 10, 8.01, 11, 0], [3]),
        ([0, 10, 2, 5, 4.5, 6, 0], [1, 5]),
        ([0, 10, 2, 6, 4.9, 5, 1, 9, 0], [1, 3, 7]),
        ([0, 10, 10, 2, 7, 0], [1, 4]),
        ([0, 500, 0, 4, 0, 500, 0], [1, 5]),
        ([0, 500, 0, 11, 0, 500, 0], [1, 3, 5]),
        ([0, 4, 0, 500, 0.1, 500, 0], [3, 5]),
        ([5, 1, 5], [0, 2]),
    ],
)
def test_a_valley_is_a_fifth_below_the_lower_peak(density: list[float], places: list[int]) -> None:
    """A shallower one is filled, and a mode of less than 1 % joins its neighbour."""
    found = modes._modes(np.arange(len(density)), np.array(density, dtype=float), 3)
    assert places == found.places.tolist()
    assert len(places) == len(found.valleys) + 1
    assert all(a < v < b for a, v, b in zip(found.places, found.valleys, found.places[1:], strict=False))


@pytest.mark.parametrize(
    ("places", "grain"),
    [([0, 8, 16, 24, 32], 0), ([0, 8, 16, 24, 32, 40], 8), ([0, 8, 16, 30, 60, 90], 0), ([0, 8, 16, 24, 60, 90], 8)],
)
def test_six_places_equally_far_apart_are_ticks(places: list[int], grain: float) -> None:
    assert grain == modes._grain(np.array(places, dtype=float))


@pytest.mark.parametrize("seed", range(3))
def test_a_mixture_is_where_its_likelihood_is_stationary(seed: int) -> None:
    """Its likelihood is that of scipy's normal densities, and one plain turn of the algorithm changes little."""
    rng = np.random.default_rng(seed)
    x = np.sort(np.concatenate([rng.normal(0, 1, 60), rng.normal(9, 2, 40)]))
    w = rng.integers(1, 4, 100).astype(float)
    (weights, means, widths), likelihood = modes._maximise(x, w, 2, 0.1)
    parts = [q * stats.norm.pdf(x, m, s) for q, m, s in zip(weights, means, widths, strict=True)]
    assert np.sum(w * np.log(sum(parts))) == pytest.approx(likelihood, rel=1e-5)
    for part, q, m, s in zip(parts, weights, means, widths, strict=True):
        share = w * part / sum(parts)
        mean = np.sum(share * x) / share.sum()
        assert (q, m, s**2) == pytest.approx(
            (share.sum() / w.sum(), mean, np.sum(share * (x - mean) ** 2) / share.sum()), abs=0.02
        )


def test_a_place_without_delays_is_not_a_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thirty delays are enough; weights and places are those of what lies between the valleys."""
    delays = np.repeat([100, 900], [12, 18])
    monkeypatch.setattr(modes, "p_value", lambda dip, n: 1e-9)
    mixture = modes.Mixture(np.array([100.0, 500.0, 900.0]), np.array([300.0, 700.0]), 3)
    monkeypatch.setattr(modes, "fit", lambda values: mixture)
    assert modes.test(delays[1:], period_ns=2.0) is None
    found = modes.test(delays, period_ns=2.0)
    assert found is not None
    expected = {"modes": 2, "place_1_ns": 200, "weight_1": 0.4, "place_2_ns": 1800, "weight_2": 0.6, "packets": 30}
    assert expected == {name: number for name, number in found.numbers.items() if name != "dip"}

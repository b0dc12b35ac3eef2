"""Bands and breaks of timestamps against plain second versions, over timestamps drawn at random."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import statsmodels.api as sm

from gpiorig.analysis.clocks import bands, breaks, timer_breaks, timer_guesses


@pytest.mark.parametrize("seed", range(4))
def test_two_lines_leave_what_least_squares_leaves(seed: int) -> None:
    """Sums of squares of the first 1, 2, ... points; and of those before and after each place, three at least."""
    rng = np.random.default_rng(seed)
    x, y = np.sort(rng.uniform(5, 90, 14)), rng.normal(size=(2, 14))

    def left(px: np.ndarray, py: np.ndarray) -> float:
        return float(np.sum((py - np.polyval(np.polyfit(px, py, 1), px)) ** 2)) if len(px) > 2 else 0.0

    expected = [[left(x[:k], row[:k]) for k in range(1, 15)] for row in y]
    assert np.array(expected) == pytest.approx(breaks.left_by_lines(x, y), abs=1e-9)
    halves = [[left(x[:k], row[:k]) + left(x[k + 1 :], row[k + 1 :]) for k in range(3, 11)] for row in y]
    assert np.array(halves) == pytest.approx(breaks._two_lines(x, y), abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_blocks_without_strays(seed: int) -> None:
    """The variance from neighbours' lines; a block far from both of its neighbours becomes their median."""
    rng = np.random.default_rng(seed)
    x = np.sort(rng.uniform(0, 100, 21))
    y = 0.3 * x + rng.normal(size=21) + 500 * (np.arange(21) == 7) - 9 * (np.arange(21) == 13)
    away = []
    for i in range(1, 20):
        share = (x[i] - x[i - 1]) / (x[i + 1] - x[i - 1])
        line_there = y[i - 1] + share * (y[i + 1] - y[i - 1])
        away.append(abs(y[i] - line_there) / np.sqrt(1 + share**2 + (1 - share) ** 2))
    deviation = 1.4826 * np.median(away)
    assert deviation**2 == pytest.approx(breaks._variance(x, y))
    smooth = y.copy()
    for i in range(1, 20):
        middle = sorted(y[i - 1 : i + 2])[1]
        smooth[i] = middle if abs(y[i] - middle) > 10 * deviation else y[i]
    assert smooth.tolist() == breaks._without_strays(x, y).tolist()
    assert smooth[7] != y[7]
    far = np.abs(y - np.median(y)) > 5 * 1.4826 * np.median(np.abs(y - np.median(y)))
    assert np.mean(far) == breaks._strays(y)
    assert np.mean(sorted(y)[7:14]) == pytest.approx(breaks._middle(y))
    assert [5 * i + int(np.argmin(y[5 * i : 5 * i + 5])) for i in range(4)] == breaks._lowest(y).tolist()


def test_a_break_is_placed_where_the_second_line_begins_to_fit() -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x = np.arange(200.0) * 3 + 100
        y = 2 * rng.normal(size=200) + np.where(np.arange(200) < 97, 0.1 * x, 0.3 * x - 50)
        edges = np.linspace(0, 200, 21).astype(np.int64)
        blocks = breaks._Blocks(
            edges,
            np.array([x[a : a + 10].mean() for a in edges[:-1]]),
            np.array([y[a : a + 10].mean() for a in edges[:-1]]),
        )
        before, after = (np.polyfit(blocks.x[part], blocks.y[part], 1) for part in (slice(0, 9), slice(10, 20)))
        costs = {
            cut: np.abs(y[80:cut] - np.polyval(before, x[80:cut])).sum()
            + np.abs(y[cut:110] - np.polyval(after, x[cut:110])).sum()
            for cut in range(80, 111)
        }
        assert min(costs, key=lambda cut: costs[cut]) == breaks._place(x, y, blocks, (0, 9), (10, 20))


@pytest.mark.parametrize("seed", range(8))
def test_bands_are_cut_at_gaps(seed: int) -> None:
    """Wider than four of the narrowest eighths and ten spacings of either side; of timestamps enough."""
    rng = np.random.default_rng(seed)
    where = rng.choice([0.0, 60.0, 75.0, 200.0], 200, p=[0.5, 0.3, 0.17, 0.03])
    residuals = where + rng.exponential(1.5, 200)
    values = sorted(residuals.tolist())
    core = min(values[i + 25] - values[i] for i in range(175))
    for narrowest in (0.0, 20.0):
        gap = max(4 * core, narrowest)
        groups = [[values[0]]]
        for a, b in pairwise(values):
            if b - a > gap:
                groups.append([])
            groups[-1].append(b)
        groups = [group for group in groups if len(group) >= max(bands.MIN_SHARE * 200, bands.MIN_IN_BAND)]
        expected = np.full(200, -1)
        if 2 <= len(groups) <= bands.MAX_BANDS:
            dense = []
            for i, group in enumerate(groups):
                below = group[0] - groups[i - 1][-1] if i else np.inf
                above = groups[i + 1][0] - group[-1] if i + 1 < len(groups) else np.inf
                if 10 * np.median(np.diff(group)) <= min(below, above):
                    dense.append(group)
            if len(dense) > 1:
                for name, group in enumerate(dense):
                    expected[(residuals >= group[0]) & (residuals <= group[-1])] = name
        found = bands._cut(residuals, narrowest)
        assert expected.tolist() == (np.full(200, -1) if found is None else found).tolist()


@pytest.mark.parametrize("seed", range(4))
def test_bands_have_one_slope_and_an_offset_each(seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, band = np.sort(rng.uniform(0, 100, 80)), rng.integers(-1, 3, 80)
    y = 0.4 * x + 30.0 * band + rng.normal(size=80)
    inside = band >= 0
    design = np.column_stack([x, band == 0, band == 1, band == 2]).astype(float)[inside]
    assert sm.OLS(y[inside], design).fit().params[0] == pytest.approx(bands._common_slope(x, y, band))
    used = inside & (rng.random(80) < 0.9)
    centred = bands.Bands(band, np.zeros(80), (), 1.0).centred(x, used)
    means = {b: np.mean(x[used & (band == b)]) for b in range(3)}
    expected = [a - means[b] + np.mean(x[used]) for a, b in zip(x[used].tolist(), band[used].tolist(), strict=True)]
    assert expected == pytest.approx(centred.tolist())
    rates = np.linspace(-1, 1, 9)
    entropy = []
    for rate in rates:
        rest = np.sort(y - rate * x)
        entropy.append(sum(np.log(max(rest[i + 20] - rest[i], 1.0)) for i in range(60)))
    assert rates[int(np.argmin(entropy))] == bands._least_entropy(x, y, rates)


@pytest.mark.parametrize(("gap", "bands_seen"), [(9, 1), (10, 2), (11, 2)])
def test_a_band_is_dense_against_its_gaps(gap: int, bands_seen: int) -> None:
    """A gap is ten spacings of a band, or more; a distance of the narrowest gap itself is none."""
    residuals = np.concatenate([np.zeros(300), gap + np.arange(20.0)])
    found = bands._cut(residuals, 5.0)
    assert bands_seen == (1 if found is None else len(set(found.tolist())))
    assert bands._cut(residuals, float(gap)) is None


@pytest.mark.parametrize(("size", "count"), [(19, 1), (20, 2)])
def test_a_band_has_a_hundredth_of_many_timestamps(size: int, count: int) -> None:
    found = bands._cut(np.append(np.linspace(0, 1, 2000 - size), np.linspace(50, 50.1, size)), 0.0)
    assert count == (1 if found is None else int(found.max()) + 1)


def test_bands_at_one_instant_each_have_no_common_slope() -> None:
    assert 0.0 == bands._common_slope(np.array([1.0, 1.0, 9.0, 9.0]), np.arange(4.0), np.array([0, 0, 1, 1]))


@pytest.mark.parametrize("first", [0.0, 3.0, -3.0])
def test_the_sharpest_slope_is_that_of_two_grids(first: float) -> None:
    """65 slopes over all that the residuals reach, and 65 over two steps of these around the best; to each its entropy.

    The reach: by how much the central 98 % of the residuals of the first slope spread, over the time.
    """
    rng = np.random.default_rng(9)
    x = np.sort(rng.uniform(0, 1000, 400))
    y = 3.01 * x + np.where(rng.random(400) < 0.4, 40.0, 0.0) + rng.normal(0, 0.3, 400)
    reach = np.diff(np.quantile(y - first * x, [0.01, 0.99]))[0] / (x[-1] - x[0])

    def best(rates: np.ndarray) -> float:
        rests = [np.sort(y - rate * x) for rate in rates]
        return float(rates[np.argmin([np.sum(np.log(np.maximum(rest[20:] - rest[:-20], 1.0))) for rest in rests])])

    wide = best(first + reach * np.arange(-32, 33) / 32)
    assert (wide, best(wide + reach / 32 * np.arange(-32, 33) / 32)) == pytest.approx(bands._sharpest(x, y, first))


@pytest.mark.parametrize(("banded", "windows"), [(75, 2), (45, 1)])
def test_bands_of_half_of_the_windows_are_enough(banded: int, windows: int) -> None:
    """Of three windows of 60 of 120 timestamps, of which the first so many alternate between two bands."""
    x = np.arange(120) * 1e6
    y = np.where((np.arange(120) % 2 == 1) & (np.arange(120) < banded), 1000.0, 0.0)
    y += np.random.default_rng(1).uniform(-3, 3, 120)
    starts = (0, 30, 60)
    found = [bands.find(x[at : at + 60], y[at : at + 60], quanta=(1.0, 1.0), first=0.0) for at in starts]
    assert windows == sum(levels is not None for levels in found)
    assert (windows == 2) == (bands.local(x, y, quanta=(1.0, 1.0), first=0.0) is not None)


@pytest.mark.parametrize(("sizes", "together"), [((200, 20), True), ((20, 200), True), ((200, 101), False)])
def test_a_twentieth_is_that_of_the_smaller_band(sizes: tuple[int, int], together: bool) -> None:
    """Five changes from one to the other are enough for up to 100 timestamps of it."""
    halves = [np.array_split(np.full(size, name), 3) for name, size in enumerate(sizes)]
    band = np.concatenate([part for pair in zip(*halves, strict=True) for part in pair])
    assert 5 == np.count_nonzero(np.diff(band))
    assert together == (bands._alternating(band, 2) == [{0, 1}, {0, 1}])


@pytest.mark.parametrize(
    ("switches", "size", "together"), [(4, 20, False), (5, 20, True), (5, 101, False), (6, 101, True)]
)
def test_bands_alternate_five_times_or_a_twentieth(switches: int, size: int, together: bool) -> None:
    """Bands 0 and 1 take turns; band 2 follows them for good, band 3 alternates with 2."""
    turns = np.array_split(np.arange(2 * size), switches + 1)
    parity = np.concatenate([np.full(len(turn), i % 2) for i, turn in enumerate(turns)])
    band = np.concatenate([parity, np.resize([2, 3, -1], 60)])
    found = bands._alternating(band, 4)
    assert [{0, 1} if together else {0}, {0, 1} if together else {1}, {2, 3}, {2, 3}] == found


@pytest.mark.parametrize("seed", range(4))
def test_the_rate_at_an_interval_is_the_weighted_median_of_its_neighbours(seed: int) -> None:
    """Four on either side, mirrored at the ends; the longest weighs no more than the next."""
    rng = np.random.default_rng(seed)
    lengths = rng.uniform(1, 50, 30) * np.where(rng.random(30) < 0.1, 40, 1)
    gains = lengths * rng.normal(0, 1, 30)
    found, of = timer_breaks._rates(gains, lengths)
    for i in range(30):
        near = [abs(k) if k < 30 else 58 - k for k in range(i - 4, i + 5) if k != i]
        cap = sorted(lengths[near])[-2]
        weighted = sorted((gains[k] / lengths[k], min(lengths[k], cap), lengths[k]) for k in near)
        half = sum(weight for _, weight, _ in weighted) / 2
        sums = np.cumsum([weight for _, weight, _ in weighted])
        rate, _, length = weighted[int(np.argmax(sums >= half))]
        assert (rate, length) == pytest.approx((found[i], of[i]))


def test_a_step_that_is_taken_back_is_a_late_timestamp() -> None:
    """Within two intervals, by more than half; the first two and the last two intervals show none."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        errors = np.rint(
            rng.normal(size=24) * rng.choice([1, 5], 24, p=[0.7, 0.3])
        )  # some exactly at the limit, or half
        limits = np.full(24, 5.0)
        expected = []
        for i in range(2, 22):
            near = errors[i - 2 : i + 3]
            back = any(e * np.sign(errors[i]) < -abs(errors[i]) / 2 for e in near)
            if abs(errors[i]) > 5 and not back:
                expected.append(i)
        assert expected == timer_breaks._steps(errors, limits)


def test_a_change_of_the_rate_is_where_two_lines_leave_least() -> None:
    """At the sample between the two, by the ppm of the difference of their slopes."""
    samples = 1000 + 2000 * np.arange(80)
    ns = (samples - samples[0]) * 50.0
    for cut in (16, 30, 64):
        phases = (
            1e-5 * ns + 200e-6 * np.maximum(ns - ns[cut - 1] - 50_000, 0) + np.random.default_rng(cut).normal(size=80)
        )
        (found,) = timer_breaks._bends("n", samples, phases, scale=(50.0, 100.0))
        assert (samples[cut - 1], samples[cut]) == (found.start, found.end)
        assert 200 == pytest.approx(found.rate_ppm, abs=2)
        assert [] == list(timer_breaks._bends("n", samples, phases, scale=(50.0, 210.0)))
    assert [] == list(timer_breaks._bends("n", samples[:31], phases[:31], scale=(50.0, 100.0)))


def test_other_timers_that_lack_a_break() -> None:
    """Their errors are below limits of less than half a step, over the time of the break."""
    samples = np.arange(0, 50_000, 1000) + 500_000
    errors, limits = np.full(49, 3.0), np.full(49, 10.0)
    timer = timer_breaks.Timer("a", samples, errors, limits, ())

    def step(ns: float, start: int = 20_000, end: int = 21_000) -> timer_breaks.Break:
        return timer_breaks.Break("b", 500_000 + start, 500_000 + end, step_ns=ns)

    assert timer.lacks(step(20.1), ns_per_sample=1.0) and not timer.lacks(step(20.0), ns_per_sample=1.0)
    assert not timer.lacks(step(99.0, -5, -2), ns_per_sample=1.0)
    assert not timer.lacks(step(99.0, 48_500, 49_500), ns_per_sample=1.0)
    assert timer.lacks(step(99.0, 48_000, 49_000), ns_per_sample=1.0)
    errors[22] = -10.0
    assert not timer.lacks(step(99.0, 21_500, 22_500), ns_per_sample=1.0)
    assert timer.lacks(step(99.0, 20_500, 21_500), ns_per_sample=1.0)

    def rate(ppm: float, at: int) -> timer_breaks.Break:
        return timer_breaks.Break("b", 500_000 + at, 500_000 + at + 1000, rate_ppm=ppm)

    for ppm, lacked in ((-1001.0, True), (999.0, False)):
        assert lacked == timer.lacks(rate(ppm, 20_000), ns_per_sample=1.0), ppm
    assert timer.lacks(rate(1e6, 16_000), ns_per_sample=1.0) and not timer.lacks(rate(1e6, 15_000), ns_per_sample=1.0)
    assert timer.lacks(rate(1e6, 33_000), ns_per_sample=1.0) and not timer.lacks(rate(1e6, 34_000), ns_per_sample=1.0)
    for ppm, lacked in ((1251.0, True), (1249.0, False)):
        assert lacked == timer.lacks(rate(ppm, 32_000), ns_per_sample=1.0), ppm


@pytest.mark.parametrize(
    ("ticks", "modulus"),
    [
        ([10, 58_983, 5], 1 << 16),
        ([10, 58_982, 5], None),
        ([10, 65_535, 32_767], 1 << 16),
        ([10, 65_535, 32_768], None),
        ([10, 65_536, 5], None),
        ([0, 16_000_000, 5], 1 << 24),
        ([0, 4_200_000_000, 5], 1 << 32),
        ([0, 1 << 32, 5], None),
        ([-32_768, 32_000, -30_000], 1 << 16),
        ([-32_769, 32_000, -30_000], None),
        ([-32_768, 32_768, -30_000], None),
    ],
)
def test_a_timer_that_was_nearly_full_has_wrapped(ticks: list[int], modulus: int | None) -> None:
    assert modulus == timer_guesses.likely_modulus(np.array(ticks))


@pytest.mark.parametrize(("size", "count"), [(9, 1), (10, 2), (19, 2), (20, 2)])
def test_a_band_has_ten_timestamps(size: int, count: int) -> None:
    found = bands._cut(np.append(np.linspace(0, 1, 400), np.linspace(50, 50.1, size)), 0.0)
    assert count == (1 if found is None else int(found.max()) + 1)


def test_the_stray_timestamps_are_more_than_five_scales_away() -> None:
    scale = 1.4826 * 2.0
    assert 0.25 == breaks._strays(np.array([-2.0, 2.0, -2.0, 2.0, 0.0, 0.0, 6 * scale, -6 * scale]))
    assert 0.0 == breaks._strays(np.array([-2.0, 2.0, -2.0, 2.0, 0.0, 0.0, 4 * scale, -4 * scale]))
    assert 0.25 == breaks._strays(100 + np.array([-2.0, 2.0, -2.0, 2.0, 0.0, 0.0, 6 * scale, -6 * scale]))
    assert 0.0 == breaks._strays(np.zeros(4))


@pytest.mark.parametrize(("strays", "blocks"), [(7, 28), (8, 7)])
def test_blocks_are_larger_where_more_than_a_twentieth_are_strays(strays: int, blocks: int) -> None:
    y = np.tile([-2.0, 2.0, 0.0, 0.0], 35)
    y[:strays] = 1000.0
    made = breaks._Blocks.from_points(np.arange(140.0), y, (0.0, 0.0))
    assert made is not None
    assert blocks == len(made.x)


def test_where_time_begins_changes_no_sum_of_squares() -> None:
    """Seconds of an epoch: 1.7e9 s before 50 s of timestamps."""
    rng = np.random.default_rng(2)
    x, y = np.sort(rng.uniform(0, 50, 30)), rng.normal(size=(1, 30))
    assert breaks.left_by_lines(x, y) == pytest.approx(breaks.left_by_lines(x + 1.7e9, y), rel=1e-4, abs=1e-9)


@pytest.mark.parametrize(("steps", "found"), [(7, 8), (8, 1)])
def test_more_than_eight_segments_are_one(steps: int, found: int) -> None:
    """Levels that a clock was set to; of nine the clock may as well wander."""
    x = np.arange(200.0)
    level = 1000.0 * np.random.default_rng(4).permutation(9)[(np.arange(200) * (steps + 1)) // 200]
    segments = breaks._segmented(breaks._Blocks(np.arange(201), x, level + np.random.default_rng(5).normal(size=200)))
    assert found == len(segments)


def test_seven_blocks_are_the_fewest_that_show_a_break() -> None:
    y = np.array([0, 1e-3, 0, 5, 10, 10.001, 10])
    assert 3 == breaks._break(np.arange(7.0), y, np.random.default_rng(1))
    assert 0 == breaks._break(np.arange(6.0), y[:6], np.random.default_rng(1))


@pytest.mark.parametrize("seed", range(10))
def test_a_timer_that_stood_still_steps_back_once(seed: int) -> None:
    """From the interval before equal timestamps to the one after them, by more than the limit of that time."""
    rng = np.random.default_rng(seed)
    pins = rng.uniform(900, 1100, 40)
    ticks = np.where(rng.random(40) < 0.25, 0, 1)
    ticks[-1] = seed % 2
    gains = np.where(ticks > 0, 0.1 * pins, -rng.choice([0.0, 1.0], 40) * pins)
    expected, i = [], 0
    while i < 40:
        end = i
        while end < 40 and ticks[end] == 0:
            end += 1
        if end > i and i - 1 >= 2 and end + 1 <= 38:
            gained, passed = gains[i - 1 : end + 1].sum(), pins[i - 1 : end + 1].sum()
            limit = 500 + 60.0 + 0.07 * passed
            if abs(gained - 0.1 * passed) > limit:
                expected.append((i - 1, end + 1, gained - 0.1 * passed, limit))
        i = end + 1
    found = list(timer_breaks._stops(ticks, (gains, pins), 0.1, scale_ns=500.0, steady=(60.0, 70_000.0)))
    assert [step[:2] for step in expected] == [step[:2] for step in found]
    for step, limits in zip(expected, found, strict=True):
        assert step[2:] == pytest.approx(limits[2:])


def plainly_bends(x: np.ndarray, y: np.ndarray) -> tuple[bool, bool]:
    """Whether a parabola explains phases by the rule of `breaks.bends`, and whether that says so."""
    straight, bent = (y - np.polyval(np.polyfit(x, y, order), x) for order in (1, 2))
    blocks, curved = (breaks._Blocks.from_points(x, rest, (0.0, 0.0)) for rest in (straight, bent))
    assert blocks is not None and curved is not None
    penalty = 5 * np.log(len(blocks.x)) * breaks._variance(blocks.x, blocks.y)
    plain, left = np.sum(blocks.y**2), np.sum(curved.y**2)
    segments = breaks._segmented(blocks)
    lines = sum(
        np.sum((blocks.y[a:b] - np.polyval(np.polyfit(blocks.x[a:b], blocks.y[a:b], 1), blocks.x[a:b])) ** 2)
        for a, b in segments
    )
    wanders = breaks.slope.wandering(curved.y)[0] > 0
    expected = plain - left > penalty and not (wanders and left > plain / 4)
    if len(segments) > 1:
        expected &= bool(left + penalty < lines + 3 * penalty * (len(segments) - 1))
    return bool(expected), breaks.bends(x, straight, bent, quanta=(0.0, 0.0))


def test_a_parabola_must_explain_more_than_its_penalty() -> None:
    """Five variances of a block times ln(blocks) over a line, and less than lines do with three times that for each."""
    rng = np.random.default_rng(1)
    x = np.linspace(-1000, 1000, 800)
    answers = []
    for case in range(60):
        y = rng.normal(size=800) + rng.uniform(0, 0.3) * (x / 600) ** 2
        y += rng.uniform(0.2, 1.2) * np.abs(x / 1000 - rng.uniform(-0.5, 0.5)) * (case % 2)
        expected, found = plainly_bends(x, y)
        answers.append(expected)
        assert expected == found, case
    assert {True, False} == set(answers)
    noise = np.random.default_rng(1).normal(size=800)
    for bend, expected in ((4.4, True), (5.2, False), (6.0, False)):  # two lines leave less by 1.7, 2.5, 3.4 penalties
        assert (expected, expected) == plainly_bends(x, noise + bend * np.abs(x / 1000)), bend

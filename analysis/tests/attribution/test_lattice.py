"""The test for a lattice: injected ones are found unchanged, and places or noise that only look like one do not."""

from __future__ import annotations

import numpy as np
import pytest
from depth import by_depth, fewest, most

from gpiorig.analysis.attribution import lattice, lattice_finding

UNIT_NS = 1e9 / 24e6


def drawn(seed: int, *, levels: int = 8, spacing: float = 7680.0, noise: float = 0.6, n: int = 400) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.rint(3420.3 + spacing * rng.integers(0, levels, n) + noise * rng.normal(size=n)).astype(np.int64)


def test_an_injected_lattice_comes_out() -> None:
    """The backoff of IEEE 802.15.4: 8 levels 320 us apart, phase and all of the variance with it."""
    levels = lattice_finding.test(drawn(1), period_ns=UNIT_NS)
    assert levels is not None
    assert (8, 1.0, 400) == (levels.numbers["levels"], levels.numbers["on_lattice"], levels.numbers["packets"])
    assert levels.numbers["period_ns"].low <= 320_000 <= levels.numbers["period_ns"].high
    assert levels.numbers["phase_ns"].low <= 3420.3 * UNIT_NS <= levels.numbers["phase_ns"].high
    assert levels.p_value < 1e-20
    assert levels.share > 0.9999
    assert "8 levels 320 µs apart (319.999 µs ± 2 ns; 100 % of 400 packets on one)" in levels.sentence


def test_four_levels_are_enough() -> None:
    """The period by the analyzer's time, and a chance as of any other number of levels."""
    levels = lattice_finding.test(drawn(1, levels=4), period_ns=UNIT_NS)
    assert levels is not None
    assert 4 == levels.numbers["levels"]
    assert levels.p_value < 1e-5


def test_a_grid_is_given_with_its_period() -> None:
    """A clock of 1 MHz at 24 MHz, over more levels than a backoff has."""
    ticks = 24 * np.rint(np.random.default_rng(10).normal(1000, 20, 500)).astype(np.int64)
    grid = lattice_finding.test(ticks, period_ns=UNIT_NS)
    assert grid is not None
    assert 1.0 == grid.p_value
    assert "levels 1.00 µs apart" in grid.sentence


def test_delays_on_levels_by_chance_do_not_count() -> None:
    """A fifth of the delays fall anywhere: a quarter of those fall on levels, too."""
    random = np.random.default_rng(12)
    delays = np.append(drawn(12, n=8000), random.integers(3420 - 3840, 3420 + 7 * 7680 + 3840, 2000))
    levels = lattice.fit(delays)
    assert levels is not None
    assert 0.85 == pytest.approx(levels.on.mean(), abs=0.01)
    assert 0.8 == pytest.approx(levels.share, abs=0.01)


def test_a_sum_of_two_backoffs_has_15_levels() -> None:
    levels = lattice.fit(drawn(1, n=1000) + drawn(2, n=1000))
    assert levels is not None
    assert (15, 7680) == (levels.levels, round(levels.period))


@pytest.mark.slow
def test_the_interval_of_the_period_holds_it() -> None:
    """In 95 % of draws or more; the resolution that it allows for makes it wider than their scatter."""
    runs, held = by_depth(60, 200), 0
    for seed in range(runs):
        spacing = 1000 + seed * 0.37
        levels = lattice_finding.test(drawn(seed, spacing=spacing, noise=3.0, n=100), period_ns=1.0)
        assert levels is not None
        held += levels.numbers["period_ns"].low <= spacing <= levels.numbers["period_ns"].high
    assert held >= fewest(runs, 0.95, risk=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 300])
def test_four_levels_are_not_taken_for_half_their_period(n: int) -> None:
    """The longest period that is looked for is that of the fewest levels, whatever the scatter of the delays."""
    levels = [lattice.fit(drawn(seed, levels=4, noise=20.0, n=n)) for seed in range(20)]
    assert {7700} == {100 * round(fitted.period / 100) for fitted in levels if fitted is not None}
    assert {4} == {fitted.levels for fitted in levels if fitted is not None and fitted.p_value < 0.001}


@pytest.mark.slow
def test_the_interval_holds_the_period_of_wide_levels() -> None:
    """Levels so wide that the window cuts them off: 83 to 87 % of intervals held it when their errors ignored that."""
    runs = by_depth(60, 100)
    fitted = [lattice.fit(drawn(seed, noise=0.07 * 7680, n=200)) for seed in range(runs)]
    held = [abs(fitted.period - 7680) <= 1.96 * fitted.period_se for fitted in fitted if fitted is not None]
    assert len(held) == runs
    assert sum(held) >= fewest(runs, 0.95, risk=0.01)


@pytest.mark.parametrize(("shift", "scale"), [(5000, 1), (-3000, 1), (0, 3), (100, 7)])
def test_shift_and_scale_go_through(shift: int, scale: int) -> None:
    base, moved = lattice.fit(drawn(3)), lattice.fit(drawn(3) * scale + shift)
    assert base is not None and moved is not None
    assert base.levels == moved.levels
    assert scale * base.period == pytest.approx(moved.period, rel=1e-6)
    assert scale * base.origin + shift == pytest.approx(moved.origin, abs=0.05 * scale)


def test_the_order_of_packets_does_not_matter() -> None:
    delays = drawn(4)
    shuffled = np.random.default_rng(5).permutation(delays)
    first, second = lattice.fit(delays), lattice.fit(shuffled)
    assert first is not None and second is not None
    assert first.levels == second.levels
    assert (first.period, first.p_value) == pytest.approx((second.period, second.p_value), rel=1e-6)


def test_delays_that_met_something_else_do_not_hide_it() -> None:
    delays = np.append(drawn(6, n=300), np.random.default_rng(7).integers(0, 60_000, 12))
    levels = lattice.fit(delays)
    assert levels is not None
    assert (8, 7680) == (levels.levels, round(levels.period))
    assert levels.p_value < 1e-9


@pytest.mark.slow
def test_few_places_at_random_are_no_lattice() -> None:
    """Four to eight narrow places: one in a hundred of them fits a lattice at a level of 0.01."""
    rng = np.random.default_rng(8)
    runs, levels = by_depth(80, 200), 0
    for _ in range(runs):
        places = rng.uniform(0, 50_000, rng.integers(4, 9))
        delays = np.rint(rng.choice(places, 300) + rng.normal(size=300)).astype(np.int64)
        fitted = lattice.fit(delays)
        levels += fitted is not None and fitted.p_value < 0.01
    assert levels <= most(runs, 0.01)


def test_two_or_three_places_are_no_lattice() -> None:
    """Fewer than four levels are not a lattice, however well spaced."""
    rng = np.random.default_rng(9)
    for count in (1, 2, 3):
        fitted = lattice.fit(5000 + 1000 * rng.integers(0, count, 500))
        assert fitted is None or fitted.p_value == 1.0


def test_the_sample_grid_is_not_a_lattice() -> None:
    """Delays of a few samples' spread lie on samples, which is not a finding; a clock of 1 MHz, 24 samples, is one."""
    rng = np.random.default_rng(10)
    for spread in (1, 2, 5, 20, 200):
        fitted = lattice.fit(np.rint(rng.normal(10_000, spread, 2000)).astype(np.int64))
        assert fitted is None or fitted.p_value > 0.05, spread
    ticks = 24 * np.rint(rng.normal(1000, 20, 500)).astype(np.int64)
    levels = lattice.fit(ticks)
    assert levels is not None
    assert round(levels.period) == 24 and levels.p_value < 1e-9


@pytest.mark.parametrize("delays", [[], [5], [5] * 100, [1, 2] * 50, [0, 100_000_000] * 50, list(range(29))])
def test_what_can_be_none_is_none(delays: list[int]) -> None:
    assert lattice_finding.test(np.array(delays, dtype=np.int64), period_ns=UNIT_NS) is None


def test_a_long_range_is_folded_into_bins() -> None:
    """A range of seconds: 10 s of samples do not fit a bin each."""
    levels = lattice.fit(24_000_000 * np.random.default_rng(11).integers(0, 11, 500) + 77)
    assert levels is not None
    assert (11, 24_000_000) == (levels.levels, round(levels.period))

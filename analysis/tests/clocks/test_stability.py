"""Stability of clocks: published values, allantools, plain slow versions, properties."""

from __future__ import annotations

from collections.abc import Callable

import allantools
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpiorig.analysis.clocks import stability
from gpiorig.analysis.errors import EventError

Deviation = Callable[[np.ndarray, float, np.ndarray], np.ndarray]

# Ten points of NBS Monograph 140 and the thousand of NIST SP 1065 (pp. 107-108), with the deviations printed there;
# read from allantools' tests (tests/nbs14/test_nbs14_10point.py, test_nbs14_1000point.py), not from the papers.
TEN = [892.0, 809.0, 823.0, 798.0, 671.0, 644.0, 883.0, 903.0, 677.0]
TEN_DEVIATIONS = {
    "adev": (91.22945, 85.95287),
    "mdev": (91.22945, 74.78849),
    "tdev": (52.67135, 86.35831),
}
THOUSAND_DEVIATIONS = {
    "adev": (2.922319e-01, 9.159953e-02, 3.241343e-02),
    "mdev": (2.922319e-01, 6.172376e-02, 2.170921e-02),
    "tdev": (1.687202e-01, 3.563623e-01, 1.253382e00),
}


def phase_of(frequency: list[float]) -> np.ndarray:
    return np.concatenate(([0.0], np.cumsum(np.array(frequency) - np.mean(frequency))))


def thousand() -> list[float]:
    """The pseudo-random numbers of SP 1065: n' = 16807 n mod 2147483647, from 1234567890, over the modulus."""
    numbers = [1234567890]
    while len(numbers) < 1000:
        numbers.append(16807 * numbers[-1] % 2147483647)
    assert numbers[1:4] == [395529916, 1209410747, 633705974]
    return [number / 2147483647 for number in numbers]


def deviation(name: str) -> Deviation:
    function: Deviation = getattr(stability, name)
    return function


@pytest.mark.parametrize(("name", "expected"), TEN_DEVIATIONS.items())
def test_ten_points(name: str, expected: tuple[float, ...]) -> None:
    """Equal to the printed digits at tau = 1 and 2."""
    deviations = deviation(name)(phase_of(TEN), 1.0, np.array([1, 2]))
    assert tuple(round(value, 5) for value in deviations.tolist()) == expected


@pytest.mark.parametrize(("name", "expected"), THOUSAND_DEVIATIONS.items())
def test_thousand_points(name: str, expected: tuple[float, ...]) -> None:
    """Equal to the printed digits at tau = 1, 10 and 100."""
    deviations = deviation(name)(phase_of(thousand()), 1.0, np.array([1, 10, 100]))
    assert tuple(float(f"{value:.6e}") for value in deviations.tolist()) == expected


@pytest.mark.parametrize("name", ["adev", "mdev", "tdev", "mtie"])
def test_allantools(name: str) -> None:
    """The same as allantools, at factors that are powers of two and at others, for a step of 0.5 s."""
    phase = np.cumsum(np.random.default_rng(14).standard_normal(2000))
    oracle = getattr(allantools, {"adev": "oadev"}.get(name, name))
    taus, expected, _, _ = oracle(phase, rate=2.0, data_type="phase", taus=[0.5, 1.0, 1.5, 8.0, 50.0, 200.0])
    deviations = deviation(name)(phase, 0.5, np.rint(taus * 2).astype(np.int64))
    assert len(expected) == 6
    assert deviations == pytest.approx(expected, rel=1e-9)


@settings(max_examples=50)
@given(st.lists(st.one_of(st.integers(-1000, 1000), st.none()), min_size=1, max_size=40))
def test_slow_versions_with_gaps(values: list[int | None]) -> None:
    """By the definitions, over differences without a phase in a gap."""
    phase = np.array([float("nan") if value is None else float(value) for value in values])
    for m in (1, 2, 3, 5):
        second = [phase[i + 2 * m] - 2 * phase[i + m] + phase[i] for i in range(len(phase) - 2 * m)]
        means = [phase[i : i + m].mean() for i in range(len(phase) - m + 1)]
        third = [means[i + 2 * m] - 2 * means[i + m] + means[i] for i in range(len(means) - 2 * m)]
        windows = [phase[i : i + m + 1] for i in range(len(phase) - m)]
        ranges = [np.nanmax(w) - np.nanmin(w) for w in windows if not np.isnan(w).all()]
        expected = {
            "adev": _root_mean_square(second) / np.sqrt(2) / m,
            "mdev": _root_mean_square(third) / np.sqrt(2) / m,
            "mtie": max(ranges, default=float("nan")),
        }
        deviations = {name: float(deviation(name)(phase, 1.0, np.array([m]))[0]) for name in expected}
        assert deviations == pytest.approx(expected, rel=1e-9, abs=1e-9, nan_ok=True)


def _root_mean_square(values: list[float]) -> float:
    some = [value for value in values if not np.isnan(value)]
    return float(np.sqrt(np.mean(np.square(some)))) if some else float("nan")


def test_scale_and_rate() -> None:
    """Twice the phase has twice the deviation; a constant offset and rate have none but in MTIE."""
    phase = np.random.default_rng(1).standard_normal(300)
    factors = np.array([1, 2, 7])
    for name in ("adev", "mdev", "tdev", "mtie"):
        once, twice = (deviation(name)(scale * phase, 1.0, factors) for scale in (1, 2))
        assert twice == pytest.approx(2 * once)
    for name in ("adev", "mdev", "tdev"):
        moved = deviation(name)(phase + 5 + 3 * np.arange(300), 1.0, factors)
        assert moved == pytest.approx(deviation(name)(phase, 1.0, factors))


def test_grid_counts_gaps() -> None:
    """Timestamps that jitter by a tenth of a step stay on their points; four that are missing are gaps, not lines."""
    random = np.random.default_rng(2)
    instants = np.arange(100) * 1_000_000
    instants[5::7] += random.integers(-100_000, 100_000, 14)  # of few, so that the median distance is the step
    present = np.delete(np.arange(100), [10, 50, 51, 52])
    phase = np.arange(100.0)
    grid = stability.to_grid(instants[present], phase[present])
    expected = phase.copy()
    expected[[10, 50, 51, 52]] = np.nan
    assert np.array_equal(grid.phase_ns, expected, equal_nan=True)
    assert (grid.missing, grid.tau0_ns) == (4, 1_000_000)


def test_grid_takes_the_nearest_timestamp() -> None:
    """Of two timestamps near a point one is used."""
    grid = stability.to_grid(np.array([0, 10, 20, 21, 30, 40]), np.array([0.0, 1.0, 2.0, 9.0, 3.0, 4.0]))
    assert (grid.phase_ns.tolist(), grid.missing, grid.tau0_ns) == ([0, 1, 2, 3, 4], 0, 10)


def test_stability_of_white_phase_noise() -> None:
    """White phase noise of 100 ns has ADEV sqrt(3) sigma / tau, and TDEV sigma / sqrt(m)."""
    phase = 100 * np.random.default_rng(3).standard_normal(1 << 16)
    result = stability.stability("node", stability.Grid(phase, 10**9))
    assert result.taus_s[:4].tolist() == [1, 2, 4, 8]
    assert result.adev[:6] == pytest.approx(np.sqrt(3) * 100e-9 / result.taus_s[:6], rel=0.03)
    assert result.tdev_ns[:6] == pytest.approx(100 / np.sqrt(result.taus_s[:6]), rel=0.05)
    assert (result.n, result.missing, result.note) == (1 << 16, 0, "")


def test_hat_finds_the_noise_of_each_clock() -> None:
    """Three clocks with noises of 10, 20 and 40 ns are distinguished by their differences."""
    random = np.random.default_rng(4)
    a, b, c = (sigma * random.standard_normal(100_000) for sigma in (10, 20, 40))
    grids = [stability.Grid(phase, 10**9) for phase in (a - b, b - c, c - a)]
    clocks = stability.hat_stability(["a", "b", "c"], *grids)
    assert [clock.clock for clock in clocks] == [f"{name} (three-cornered hat)" for name in "abc"]
    assert [clock.tdev_ns[0] for clock in clocks] == pytest.approx([10, 20, 40], rel=0.05)
    assert {clock.note for clock in clocks[1:]} == {""}
    assert all(np.isnan(clock.mtie_ns).all() for clock in clocks)


def test_hat_reports_negative_variances() -> None:
    """The hat of two dependent clocks fails, with a note."""
    random = np.random.default_rng(5)
    common, own = random.standard_normal((2, 5000))
    a, b, c = own, common, -1.5 * common
    clocks = stability.hat_stability("abc", *(stability.Grid(p, 10**9) for p in (a - b, b - c, c - a)))
    assert np.isnan(clocks[0].adev[0])
    assert clocks[0].note.startswith("variance negative at ")


@pytest.mark.parametrize("phase", [[], [1.0], [1.0, 2.0]])
def test_too_few(phase: list[float]) -> None:
    """A record that is too short gives no deviation, with a note."""
    result = stability.stability("node", stability.Grid(np.array(phase), 1))
    assert (len(result.taus_s), result.note) == (0, f"{len(phase)} phases are too few")


def test_wrong_use() -> None:
    with pytest.raises(EventError, match="belong to each other"):
        stability.to_grid(np.zeros(3, np.int64), np.zeros(2))


def test_mtie_of_half_a_million_points() -> None:
    """A record with which allantools ran out of memory (its issue 82: 436 000 points) fits into memory."""
    phase = np.cumsum(np.random.default_rng(6).standard_normal(500_000))
    intervals = stability.mtie(phase, 1.0, stability.octaves(len(phase)))
    assert intervals[0] == np.abs(np.diff(phase)).max()
    assert (np.diff(intervals) >= 0).all()

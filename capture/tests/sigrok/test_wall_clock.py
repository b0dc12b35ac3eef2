"""When samples came: what is kept of it, and the rates that follow, against plain versions."""

from __future__ import annotations

import numpy as np
import pytest

from gpiorig.capture.sigrok import wall_clock
from gpiorig.capture.sigrok.wall_clock import FEWEST_WINDOWS, WINDOW_NS, WallClock

RATE_HZ = 1_000_000
START_NS = 10**15  # of the host's clock, at the first block


def noted(blocks: list[tuple[int, int]]) -> WallClock:
    """A clock of blocks (samples, ns after the first)."""
    clock = WallClock(RATE_HZ, began_ns=START_NS - 1_000_000)
    for samples, at_ns in blocks:
        clock.note(samples, START_NS + at_ns)
    return clock


def blocks_of(seconds: float, *, ppm: float = 0.0, ppm_per_s: float = 0.0, late_ns: int = 0) -> list[tuple[int, int]]:
    """A block each 50 ms, of an analyzer that is fast by so much; late by up to `late_ns`."""
    random = np.random.default_rng(1)
    at_ns = np.arange(round(seconds * 20)) * 50_000_000
    seconds_at = at_ns / 1e9
    fast = seconds_at * (1 + (ppm + ppm_per_s * seconds_at / 2) * 1e-6)
    late = random.integers(0, late_ns + 1, at_ns.size)
    late[0] = 0
    return list(zip(np.rint(fast * RATE_HZ).astype(int).tolist(), (at_ns + late).tolist(), strict=True))


@pytest.mark.parametrize("seconds", [0.05, 0.4, 1.0, 2.0, 9.0])
def test_the_least_late_block_of_each_window_is_kept(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Of the latest eight windows; older ones are joined in twos until they are six at most. The last block is kept."""
    monkeypatch.setattr(wall_clock, "FINE_WINDOWS", 8)
    monkeypatch.setattr(wall_clock, "MAX_WINDOWS", 6)
    blocks = blocks_of(seconds, late_ns=30_000_000)
    rows = [(START_NS + at, samples, at - samples * 1000.0) for samples, at in blocks]

    def best_of(rows: list[tuple[int, int, float]], window_ns: int) -> list[tuple[int, int, float]]:
        best: dict[int, tuple[int, int, float]] = {}
        for row in rows:
            window = (row[0] - START_NS) // window_ns
            best[window] = min(best.get(window, row), row, key=lambda one: one[2])
        return list(best.values())

    fine = best_of(rows, WINDOW_NS)
    older, latest = fine[:-8], fine[-8:]
    coarse_ns = WINDOW_NS
    while len(best_of(older, coarse_ns)) > 6:
        coarse_ns *= 2
    expected = [*best_of(older, coarse_ns), *latest]
    assert expected + ([rows[-1]] if rows[-1] != expected[-1] else []) == noted(blocks)._rows()


@pytest.mark.parametrize("ppm", [-5000.0, -900.0, 0.0, 2000.0])
def test_another_rate_alone_is_not_a_loss(ppm: float) -> None:
    """It is found with its size; the bounds are those of a usual clock then."""
    check = noted(blocks_of(25, ppm=ppm)).check()

    assert (ppm != 0, ()) == (check.is_wrong_rate, check.losses)
    assert ppm == pytest.approx(check.rate_ppm, abs=1)
    assert all(bound.limit_samples < 3000 for bound in check.bounds if bound.is_checked)
    assert 25 == check.windows


def test_as_much_as_a_crystal_is_not_another_rate() -> None:
    check = noted(blocks_of(25)).check()
    for ppm, uncertainty, is_wrong in ((210.0, 10.0, False), (210.5, 10.0, True), (-210.5, 10.0, True)):
        changed = wall_clock.ClockCheck(windows=25, rate_ppm=ppm, rate_uncertainty_ppm=uncertainty, losses=check.losses)
        assert is_wrong == changed.is_wrong_rate


@pytest.mark.parametrize(
    "seconds", [FEWEST_WINDOWS - 1, FEWEST_WINDOWS, 2 * FEWEST_WINDOWS - 1, 2 * FEWEST_WINDOWS, 90]
)
def test_the_rate_and_its_drift(seconds: int) -> None:
    """By their equations, from as few seconds as they need."""
    clock = noted(blocks_of(seconds, ppm=40, ppm_per_s=0.2, late_ns=200_000))
    check = clock.check()
    best: dict[int, tuple[int, int, float]] = {}
    for row in clock._rows():
        second = (row[0] - START_NS) // 10**9
        best[second] = min(best.get(second, row), row, key=lambda one: one[2])
    times = np.array([row[0] - START_NS for row in best.values()], dtype=float)
    delays = np.array([row[2] for row in best.values()])

    def slope(part: slice, lag: int) -> float:
        pairs = zip(range(times[part].size - lag), range(lag, times[part].size), strict=True)
        at, late = times[part], delays[part]
        return float(np.median([(late[b] - late[a]) / (at[b] - at[a]) for a, b in pairs]))

    assert seconds == times.size == check.windows
    if seconds < FEWEST_WINDOWS:
        assert (None, None) == (check.rate_ppm, check.rate_uncertainty_ppm)
    else:
        lag = min(max(seconds // 8, 1), wall_clock.LAG)
        level = delays - slope(slice(None), lag) * (times - times[0])
        over = [level[at] - level[at:].min() for at in range(seconds)]
        apart_ns = float(np.median(times[lag:] - times[:-lag]))
        assert -1e6 * slope(slice(None), lag) == pytest.approx(check.rate_ppm)
        assert 2e6 * float(np.quantile(over, 0.9)) / apart_ns == pytest.approx(check.rate_uncertainty_ppm)
    half = seconds // 2
    if half < FEWEST_WINDOWS:
        assert None is check.drift_ppm_per_minute
        return
    lag = half // 2
    minutes = (times[-half:].mean() - times[:half].mean()) / 60e9
    change = slope(slice(half), lag) - slope(slice(-half, None), lag)
    level = delays - np.polyval(np.polyfit(times / 1e9, delays, 2), times / 1e9)
    apart_ns = float(np.median(times[lag:half] - times[: half - lag]))
    uncertain = 2e6 * (float(np.quantile(level, 0.9)) - level.min()) / apart_ns * 2**0.5
    assert 1e6 * change / minutes == pytest.approx(check.drift_ppm_per_minute)
    assert uncertain / minutes == pytest.approx(check.drift_uncertainty_ppm_per_minute)

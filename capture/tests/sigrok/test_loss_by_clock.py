"""The check by the host's clock against a model of arrivals: what it calls complete, and where it finds losses."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from arrival_model import RATE_HZ, Setting, checked, setting
from depth import by_depth

from gpiorig.capture.edges import bounds as edge_bounds
from gpiorig.capture.sigrok.wall_clock import FINE_WINDOWS, MAX_WINDOWS, WINDOW_NS, WallClock

CAPTURES = by_depth(200, 2000)
MISPLACED = 0.005  # of the losses on a host whose stalls last for seconds


def test_nothing_is_found_in_clean_captures() -> None:
    """Nor is an interval without a bound; samples are taken beyond the end for a fraction of a second."""
    random = np.random.default_rng(1)
    beyond_s = []
    for _ in range(CAPTURES):
        clean = setting(random, lossy=False)
        check, taken_s = checked(random, clean)
        beyond_s.append(taken_s)
        assert () == check.losses, clean
        assert edge_bounds.uncovered(check.bounds, clean.end) is None

    assert np.median(beyond_s) < 0.05


@pytest.mark.slow
def test_no_loss_beyond_the_bound_is_called_complete() -> None:
    """Losses of any size at any place: each is found, in the interval that is stated, or below the bound there."""
    random = np.random.default_rng(2)
    findings = misplaced = 0
    for _ in range(CAPTURES):
        lossy = setting(random, lossy=True)
        check, _ = checked(random, lossy)
        for at, samples in lossy.losses:
            if check.losses:
                findings += 1
                misplaced += not any(loss.start <= at <= loss.end for loss in check.losses)
            else:
                assert not edge_bounds.shown(check.bounds, at, at + 1, samples=samples), lossy

    assert findings > CAPTURES / 2
    assert misplaced <= max(MISPLACED * findings, 1)


@pytest.mark.parametrize("period_s", [0.004, 0.1])
@pytest.mark.parametrize("before_end_s", [2.0, 0.5, 0.05])
def test_a_loss_near_the_end_is_found(before_end_s: float, period_s: float) -> None:
    """5 ms, on an idle host, with its size and its place."""
    at = round((6 - before_end_s) * RATE_HZ)
    lossy = Setting(host="idle", period_s=period_s, duration_s=6, losses=[(at, 5_000)])
    check, _ = checked(np.random.default_rng(3), lossy)
    (loss,) = check.losses

    assert loss.start <= at <= loss.end <= 6 * RATE_HZ
    assert abs(loss.samples - 5_000) <= loss.uncertainty <= 1_500


@pytest.mark.parametrize("ppm", [-260, -900, -5000, 2000])
def test_chronic_loss_is_not_a_clock_error(ppm: int) -> None:
    """Less or more samples than a crystal explains, all the time: losses, or another rate than was asked for."""
    chronic = Setting(host="idle", period_s=0.01, duration_s=25, ppm=ppm)
    check, _ = checked(np.random.default_rng(4), chronic)

    assert check.losses or check.is_wrong_rate


@pytest.mark.parametrize("ppm", [-200, 200])
def test_a_clock_within_its_limits_is_complete(ppm: int) -> None:
    check, _ = checked(np.random.default_rng(5), Setting(host="busy", period_s=0.01, duration_s=60, ppm=ppm))

    assert not check.losses
    assert not check.is_wrong_rate


def test_long_captures_keep_their_latest_windows() -> None:
    """Older windows become longer; a loss 20 s before the end of a day is found in its window of 1/16 s."""
    clock = WallClock(RATE_HZ, began_ns=0)
    windows = FINE_WINDOWS + MAX_WINDOWS * 5 // 2
    lost = 10_000
    for window in range(windows):
        time_ns = window * WINDOW_NS
        clock.note(round(time_ns * RATE_HZ / 1e9) - lost * (window > windows - 200), time_ns + 1_000_000)
    check = clock.check()
    (loss,) = check.losses
    place = (windows - 200) * WINDOW_NS * RATE_HZ / 1e9

    assert place - RATE_HZ / 8 <= loss.start <= place <= loss.end <= place + RATE_HZ / 2
    assert abs(loss.samples - lost) <= loss.uncertainty
    assert all(first.end == second.start for first, second in itertools.pairwise(check.bounds))

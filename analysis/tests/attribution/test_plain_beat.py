"""Beat against plain second versions, over packets drawn at random."""

from __future__ import annotations

import numpy as np
import pytest
from attributioncases import activity
from scipy import stats

from gpiorig.analysis.attribution import beat, series
from gpiorig.analysis.statistics.intervals import Interval


@pytest.mark.parametrize(("multiple", "found"), [(1, 1), (3, 3), (9, 9), (10, 10), (11, 1)])
def test_a_pulse_is_found_at_a_multiple_of_its_harmonic(
    multiple: int, found: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Up to ten times the period of the highest peak, where that explains clearly more."""
    rng = np.random.default_rng(multiple)
    begins = np.sort(rng.integers(0, 10**6, 900))
    delays = 500 + rng.integers(0, 30, 900) + 400 * ((begins - begins[0]) / (100 * multiple) % 1 < 0.2)
    monkeypatch.setattr(beat, "find", lambda delays, begins: beat.Peak(100.0, 0.01, 1e-9, 50.0, 2e5))
    result = beat.unknown(delays, begins, period_ns=2.0)
    assert result is not None
    period = result.numbers["period_ns"]
    assert isinstance(period, Interval)
    assert (200 * found, 198 * found + 1.98 * found) == pytest.approx((period.value, period.low), rel=1e-3)


def test_equal_delays_have_no_peak() -> None:
    begins = 1000 * np.arange(100)
    assert beat.find(np.full(100, 7.0), begins) is None
    assert beat.find(np.arange(100.0) % 7, np.zeros(100, dtype=np.int64)) is None


@pytest.mark.parametrize("n", [40, 74, 75, 299, 300, 2000])
def test_bins_hold_fifteen_packets(n: int) -> None:
    count = min(max(n // 15, 4), 20)
    phase = np.append(np.random.default_rng(n).random(n - 2), [0.0, np.nextafter(1.0, 0)])
    assert [int(p * count) for p in phase.tolist()] == beat.bins(phase).tolist()
    phase[-1] = -1e-20 % 1.0  # which is 1.0
    assert count - 1 == beat.bins(phase)[-1]
    assert count == beat.bin_count(n)


def test_what_cannot_show_a_beat() -> None:
    """Nearly one phase, or fewer than five turns of an even advance over the run."""
    n = np.arange(101)
    assert beat.blind(n + 0.02 * np.sin(n)) == "all packets begin at nearly the same phase"
    for turns, slow in ((4.99, True), (5.01, False), (-4.99, True), (-5.01, False)):
        assert slow == beat.blind(7 * n + turns * n / 100).startswith("the phase advances too slowly"), turns
    assert beat.blind(np.random.default_rng(1).random(101)) == ""


def test_an_interval_is_that_of_the_even_grid() -> None:
    """Least squares of the instants on their numbers, some of which are missing; a grid has an alias, others none."""
    rng = np.random.default_rng(2)
    sent = np.flatnonzero(rng.random(300) < 0.9)
    starts = 5000 + 1000 * sent + rng.integers(0, 30, len(sent))
    interval = beat.sending_interval(starts)
    assert stats.linregress(sent, starts).slope == pytest.approx(interval)
    assert "passes 0.250 of its period" in beat.alias(starts, 800.0, 1000.0)
    assert "" == beat.alias(np.sort(rng.integers(0, 300_000, 300)), 800.0, 1000.0) == beat.alias(starts, 800.0, np.nan)
    assert np.isnan([beat.sending_interval(np.array(instants)) for instants in ([5], [5, 5, 5, 9])]).all()


def test_a_known_beat_is_an_analysis_of_variance_over_its_bins() -> None:
    """At least forty packets within the activity's time; a bin of fewer than three packets does not count."""
    rng = np.random.default_rng(3)
    task = activity("a: task", 1000.0, 2_000_000)
    begins = 5000 + 7113 * np.arange(200)
    delays = 900 + rng.integers(0, 200, 200) + 100 * (begins % 1000 < 400)
    found = beat.known(delays, begins, task, period_ns=50.0)
    assert not isinstance(found, str) and found is not None
    labels = beat.bins(task.phase(begins) % 1.0)
    counts = np.bincount(labels)[labels]
    assert (counts >= 3).all()
    p, _ = series.explained_by(delays.astype(float), series.groups(labels))
    share = series.grouped_share(delays.astype(float), labels)
    assert (p, share, 13) == (found.p_value, found.share, found.numbers["bins"])
    period = found.numbers["period_ns"]
    assert isinstance(period, Interval) and period.value == pytest.approx(50_000, rel=1e-3)
    assert beat.known(delays[:39], begins[:39], task, period_ns=50.0) is None
    assert beat.known(delays[:40], begins[:40], task, period_ns=50.0) is not None


@pytest.mark.parametrize("even", [True, False])
def test_a_peak_is_that_of_a_plain_transform(even: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """From five turns of the run to the shortest period; half its width by the run, its chance after Baluev."""
    monkeypatch.setattr(beat, "CELLS", 2048)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        n = 100
        begins = 777 + 1000 * np.arange(n) + rng.integers(0, [500, 30][even], n)
        delays = rng.normal(0, 1, n) + 0.9 * np.sin(2 * np.pi * begins / 3210) + 30 * (np.arange(n) == 50)
        y = delays - np.median(delays)
        limit = 5 * np.median(np.abs(y))
        y = np.clip(y, -limit, limit)
        y = y - y.mean()
        model = series.autoregression(y)
        e = series.whitened(y, model)
        e = e - e.mean()
        t = (begins - begins[n - len(e)])[n - len(e) :].astype(float)
        median, span = float(np.median(np.diff(begins))), t[-1]
        shortest = 2 * median if even else 4 * span / 2048
        found = beat.find(delays, begins)
        assert found is not None
        assert (shortest, span / 5) == pytest.approx((found.shortest_samples, found.longest_samples))
        cell, size = shortest / 4, 1
        while size < 2 * (span / cell + 1):
            size *= 2
        turns = np.arange(np.ceil(5 * size * cell / span), size // 4 + 1)
        sums = np.exp(-2j * np.pi * np.outer(turns, np.floor(t / cell)) / size) @ e
        power = np.abs(sums) ** 2 / (e @ e)
        highest = power.max()
        rate = turns[np.argmax(power)] / (size * cell)
        fine = [rate + step / 20 / (size * cell) for step in range(-20, 21)]
        period = 1 / max(fine, key=lambda f: abs(np.exp(-2j * np.pi * f * t) @ e))
        assert (period, period**2 / span / 2) == pytest.approx((found.period_samples, found.half_width), rel=1e-6)
        baluev = span / shortest * np.sqrt(np.pi / 3) * np.exp(-highest) * np.sqrt(highest)
        expected = 1 - (1 - np.exp(-highest)) * np.exp(-baluev)
        assert expected == pytest.approx(found.p_value, rel=1e-3)

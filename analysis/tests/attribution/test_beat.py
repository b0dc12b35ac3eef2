"""Activities, beats with them, and the search for a period: real beats are found, ambiguous ones reported."""

from __future__ import annotations

import numpy as np
import pytest
from attributioncases import INTERVAL, MS, UNIT_NS, activity, starts
from depth import by_depth, most
from scipy import signal

from gpiorig.analysis.attribution import beat
from gpiorig.analysis.attribution.activities import activities, periodic
from gpiorig.analysis.events.table import BY_NAME


def pulses(begun: np.ndarray, period: float, *, width: float, height: float, seed: int = 1) -> np.ndarray:
    """Delays that are longer by `height` in that share of the period."""
    phase = (begun - 500) / period % 1.0
    return np.rint(3000 + height * (phase < width) + np.random.default_rng(seed).normal(0, 30, len(begun))).astype(
        np.int64
    )


def test_a_1_khz_beat_is_found_with_its_activity() -> None:
    """A tenth of the packets meet a task of 1 ms: its period, and the share that an analysis of variance gives."""
    begun = starts(np.random.default_rng(1), 500)
    task = activity("task", MS, int(begun[-1]) + MS)
    finding = beat.known(pulses(begun, MS, width=0.1, height=2400), begun, task, period_ns=UNIT_NS)
    assert not isinstance(finding, str) and finding is not None
    assert ("beat", "task") == (finding.kind, finding.numbers["activity"])
    assert 1e6 == pytest.approx(finding.numbers["period_ns"].value, rel=1e-6)
    assert finding.p_value < 1e-9
    assert finding.share > 0.95


def test_a_1_khz_beat_is_found_without_it() -> None:
    """By the search, within the width of its peak, among periods from 40 us to seconds."""
    begun = 4 * starts(np.random.default_rng(2), 800)  # for a minute
    finding = beat.unknown(pulses(begun, MS, width=0.2, height=2400), begun, period_ns=UNIT_NS)
    assert finding is not None
    assert finding.numbers["period_ns"].low <= 1e6 <= finding.numbers["period_ns"].high
    assert "" == finding.numbers["activity"]
    assert finding.p_value < 1e-9
    assert finding.share > 0.8


@pytest.mark.parametrize("known", [True, False])
def test_fewer_packets_than_40_show_no_beat(known: bool) -> None:
    """A step that lasts ten times as long in half of a period of 11 ms."""
    begun = starts(np.random.default_rng(1), 40)
    delays = pulses(begun, 11 * MS, width=0.5, height=30_000)
    task = activity("task", 11 * MS, int(begun[-1]) + 11 * MS)
    findings = [
        beat.known(delays[:n], begun[:n], task, period_ns=UNIT_NS)
        if known
        else beat.unknown(delays[:n], begun[:n], period_ns=UNIT_NS)
        for n in (39, 40)
    ]
    assert findings[0] is None
    assert isinstance(findings[1], beat.Finding)
    assert findings[1].share > 0.5


def test_a_sine_is_found_too() -> None:
    begun = starts(np.random.default_rng(3), 600)
    delays = 3000 + 100 * np.sin(2 * np.pi * begun / (7.3 * MS)) + np.random.default_rng(4).normal(0, 150, 600)
    finding = beat.unknown(np.rint(delays).astype(np.int64), begun, period_ns=UNIT_NS)
    assert finding is not None
    assert 7.3e6 == pytest.approx(finding.numbers["period_ns"].value, rel=1e-3)
    assert finding.p_value < 1e-6


def test_the_periodogram_is_lombs() -> None:
    """Against scipy's Lomb-Scargle at the period found, for irregular instants."""
    rng = np.random.default_rng(5)
    begun = np.sort(rng.integers(0, 400 * INTERVAL, 400))
    delays = 100 * np.sin(2 * np.pi * begun / (31 * MS)) + rng.normal(0, 60, 400)
    peak = beat.find(delays, begun)
    assert peak is not None
    frequencies = 2 * np.pi / np.linspace(30.5 * MS, 31.5 * MS, 400)
    power = signal.lombscargle((begun - begun[0]).astype(float), delays - delays.mean(), frequencies)
    assert 2 * np.pi / frequencies[np.argmax(power)] == pytest.approx(peak.period_samples, abs=peak.half_width)


def test_irregularly_sent_packets_have_no_alias() -> None:
    """Anywhere within their 20 ms; up to 5 ms late is still a grid."""
    rng = np.random.default_rng(2)
    anywhere = np.arange(400, dtype=np.int64) * INTERVAL + rng.integers(0, INTERVAL, 400)
    assert "" == beat.alias(anywhere, MS, INTERVAL)
    some = starts(rng, 400)[::3]
    assert 3 * INTERVAL == pytest.approx(beat.sending_interval(some), rel=1e-3)
    assert "passes 0.300 of its period" in beat.alias(some, INTERVAL / 2.3, INTERVAL)
    assert "" == beat.alias(some[:1], MS, beat.sending_interval(some[:1]))


def test_evenly_sent_packets_cannot_tell_aliases() -> None:
    """At 20.3 ms intervals, 1 ms and 20.3/21 ms look the same: the finding names both."""
    begun = 1000 + np.arange(600, dtype=np.int64) * int(20.3 * MS)
    delays = pulses(begun, MS, width=0.3, height=2400)
    known = beat.known(delays, begun, activity("task", MS, int(begun[-1]) + MS), period_ns=UNIT_NS)
    alike = beat.known(delays, begun, activity("other", 20.3 * MS / 21.3, int(begun[-1]) + MS), period_ns=UNIT_NS)
    for finding in (known, alike):
        assert not isinstance(finding, str) and finding is not None
        assert finding.p_value < 1e-9
        assert "0.300 of its period between two packets would look the same" in finding.sentence
    searched = beat.find(delays.astype(float), begun)
    assert searched is not None
    assert searched.shortest_samples == 2 * 20.3 * MS  # no shorter period is looked for


def test_packets_that_always_meet_the_same_phase_show_no_beat() -> None:
    """Packets 20 ms apart, a task of 1 ms of the same clock: whatever the delays are, a beat cannot be tested."""
    begun = 1000 + np.arange(300, dtype=np.int64) * INTERVAL
    task = activity("task", MS, int(begun[-1]) + MS)
    assert "all packets begin at nearly the same phase" == beat.known(begun % 97, begun, task, period_ns=UNIT_NS)
    slow = activity("task", MS * (1 + 2e-7), int(begun[-1]) + 2 * MS)
    assert isinstance(beat.known(begun % 97, begun, slow, period_ns=UNIT_NS), str)
    drifting = activity("task", MS * (1 + 3.5e-4), int(begun[-1]) + 2 * MS)
    assert "too slowly" in str(beat.known(begun % 97, begun, drifting, period_ns=UNIT_NS))


def test_the_share_does_not_see_shift_and_scale() -> None:
    begun = starts(np.random.default_rng(7), 300)
    delays = pulses(begun, MS, width=0.25, height=100)
    task = activity("task", MS, int(begun[-1]) + MS)
    first = beat.known(delays, begun, task, period_ns=UNIT_NS)
    second = beat.known(7 * delays + 1000, begun, task, period_ns=UNIT_NS)
    assert not isinstance(first, str | None) and not isinstance(second, str | None)
    assert (first.share, first.p_value) == pytest.approx((second.share, second.p_value))


def test_periods_are_kept_through_what_comes_between() -> None:
    """A timer that serves a tick of 1 ms and one packet in ten ticks: the tick is the activity."""
    rng = np.random.default_rng(8)
    ticks = np.arange(400) * MS + rng.integers(-20, 20, 400)
    others = np.sort(rng.integers(0, 400 * MS, 40))
    missing = np.delete(ticks, [100, 101, 250])
    finding = periodic("timer", np.sort(np.concatenate([missing, others])))
    assert finding is not None
    assert MS == pytest.approx(finding.period_samples, rel=1e-4)
    assert 0.97 < len(set(finding.instants.tolist()) & set(missing.tolist())) / len(missing)
    assert len(set(finding.instants.tolist()) & set(others.tolist())) <= 8  # as many as come within 5 % by chance
    assert ticks[300] // MS + 0.5 == pytest.approx(
        float(finding.phase(ticks[300:301] + MS // 2)[0]) + ticks[0] // MS, abs=0.02
    )


def test_what_is_not_periodic_is_none() -> None:
    rng = np.random.default_rng(9)
    pairs = np.sort(np.concatenate([np.arange(100) * INTERVAL, np.arange(100) * INTERVAL + 5000]))
    for instants in (np.sort(rng.integers(0, 10**8, 500)), np.cumsum(rng.exponential(MS, 500)).astype(np.int64), pairs):
        assert periodic("x", instants) is None
    assert periodic("x", np.arange(19) * MS) is None
    assert periodic("x", np.zeros(50, dtype=np.int64)) is None


def test_a_task_and_its_timer_are_one_activity(new_bench) -> None:
    """On each node; another node's timer of the same period is another."""
    bench = new_bench()
    for k in range(50):
        bench.log += [(0, 1000 + k * MS, "timer.fire.enter", None), (0, 1500 + k * MS, "task.run.enter", 6)]
        bench.log += [(1, 1700 + k * MS, "isr.timer.enter", None), (0, 1600 + k * 3 * MS, "slot.frame", k)]
    bench.now = 200 * MS
    finding = activities(bench.events())
    assert {"initiator: task 6": MS, "initiator: TDMA frame": 3 * MS, "responder: timer interrupt": MS} == {
        name: activity.period_samples for name, activity in finding.items()
    }
    assert BY_NAME["task.run.enter"].has_id


@pytest.mark.slow
def test_a_beat_is_not_found_in_noise() -> None:
    """p-values of series without one: at most 5 % of them are below 5 %."""
    runs, below = by_depth(60, 200), {"known": 0, "unknown": 0}
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        begun = starts(rng, 200, irregular=bool(seed % 2))
        delays = rng.gamma(1, 3000, 200).astype(np.int64)
        task = activity("task", 1.013 * MS, int(begun[-1]) + MS)
        known = beat.known(delays, begun, task, period_ns=UNIT_NS)
        unknown = beat.unknown(delays, begun, period_ns=UNIT_NS)
        assert not isinstance(known, str) and known is not None and unknown is not None
        below["known"] += known.p_value < 0.05
        below["unknown"] += unknown.p_value < 0.05
    assert max(below.values()) <= most(runs, 0.05)


@pytest.mark.slow
def test_the_chance_of_a_peak_anywhere_is_what_it_says() -> None:
    """Runs of evenly sent packets; counting independent frequencies gives 0.05 to one in nine."""
    runs, below = by_depth(150, 300), 0
    for seed in range(runs):
        rng = np.random.default_rng(seed)
        peak = beat.find(rng.normal(0, 3000, 300), starts(rng, 300, irregular=False))
        assert peak is not None
        below += peak.p_value < 0.05
    assert below <= most(runs, 0.05)


@pytest.mark.slow
def test_a_period_is_not_doubled_because_its_bins_suit_better() -> None:
    """Short pulses in irregular runs: 1 ms, not 2; an integer number of periods between packets is 0.000 of one."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        begun = starts(rng, 600)
        hit = 2400 * ((begun - 500) / MS % 1 < 0.1)
        finding = beat.unknown(np.rint(3000 + hit + rng.normal(0, 30, 600)).astype(np.int64), begun, period_ns=UNIT_NS)
        assert finding is not None
        assert 1e6 == pytest.approx(finding.numbers["period_ns"].value, rel=1e-3), seed
    assert "passes 0.000 of its period" in beat.alias(starts(np.random.default_rng(1), 300), MS * (1 + 1e-6), INTERVAL)


def test_one_packet_alone_at_its_phase_is_no_beat() -> None:
    """All packets begin in one half of a period, one in the other: its phase is not the reason for its delay."""
    rng = np.random.default_rng(2)
    task = activity("a: task", MS, 400 * 20 * MS)
    begins = 1000 + 20 * MS * np.arange(300) + rng.integers(0, MS // 2, 300)
    begins[150] += MS // 2
    delays = 5000 + rng.integers(0, 50, 300)
    delays[150] += 40_000
    finding = beat.known(delays, begins, task, period_ns=UNIT_NS)
    assert isinstance(finding, str) or finding.share < 0.1


@pytest.mark.parametrize("packets", [2, 3, 50, 3000])
def test_the_sending_interval_is_the_slope_of_a_line(packets: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through the instants over their places on the grid, of which some are empty; also by slices of packets."""
    rng = np.random.default_rng(packets)
    instants = np.cumsum(rng.integers(990, 1010, packets) + 1000 * (rng.random(packets) < 0.1))
    turns = np.append(0, np.cumsum(np.rint(np.diff(instants) / np.median(np.diff(instants)))))
    expected = np.polyfit(turns, instants, 1)[0]
    for rows in (7, 1 << 17):
        monkeypatch.setattr(beat, "_ROWS", rows)
        assert expected == pytest.approx(beat.sending_interval(instants), rel=1e-12)
    assert np.isnan(beat.sending_interval(instants[:1]))

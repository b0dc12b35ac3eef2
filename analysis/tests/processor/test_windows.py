"""Occupancy, window after window: the same as of the complete recording at once, wherever a window ends."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from depth import by_depth
from occupancycases import ran, route_of
from processor import NODE, Processor, events_of
from synthetic_events import disturbed
from tripcases import analysed

from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.ordered_pool import in_order
from gpiorig.analysis.processor import occupancy, windows
from gpiorig.analysis.processor.windows import Windows


def plain(layers, running):
    """All that was found, to compare."""
    arrays = [running.mean_samples, running.preempted_samples, running.known]
    names = [running.occupants]
    if layers is not None:
        arrays += [layers.self_samples, layers.residence_samples]
        names.append(layers.layers)
    return names + [array.tolist() for array in arrays]


@pytest.fixture
def cut_anywhere(monkeypatch):
    """Windows of any size, wherever no span is open."""
    monkeypatch.setattr(windows, "APART", 1)
    monkeypatch.setattr(windows, "MAX_REPEATED", math.inf)


def under_way(events, random):
    """Packets that follow each other and overlap: the packet of every event, instants of six milestones."""
    count = 30
    begins = np.linspace(events.samples[0], events.end - 1, count + 2).astype(np.int64)
    of_time = np.searchsorted(begins, events.samples) - random.integers(0, 2, len(events))
    packet_of = np.where((events.ids > 100) & (of_time >= 0) & (of_time < count), of_time, -1).astype(np.int32)
    instants = np.sort(random.integers(begins[:-2, None], begins[2:, None], (count, 6)), axis=1)
    return packet_of, instants, random.permutation(count)


@pytest.mark.slow
@pytest.mark.usefixtures("cut_anywhere")
@pytest.mark.parametrize("threads", [True, False])
@pytest.mark.parametrize("seed", range(by_depth(4, 8)))
def test_the_size_of_a_window_changes_nothing(seed, threads):
    """Threads or tasks, interrupts, sleep, overlapping packets, lost samples, resets; cut anywhere, or nowhere."""
    events = Processor(seed, threads).run(2_000)
    random = np.random.default_rng(seed)
    if seed % 2:
        lost = np.sort(random.integers(0, events.end, 3))
        gaps = np.stack([lost, lost + 40], axis=1)
        seen = ~((events.samples[:, None] >= gaps[:, 0]) & (events.samples[:, None] < gaps[:, 1])).any(axis=1)
        events = dataclasses.replace(
            events,
            gaps=gaps,
            **{name: getattr(events, name)[seen] for name in ("samples", "nodes", "codes", "ids")},
        )
        events.codes[random.integers(0, len(events), 4)] = BY_NAME["rig.boot"].code
    packet_of, instants, rows = under_way(events, random)
    ways = np.where(packet_of >= 0, packet_of % 2, -1).astype(np.int8)
    route = route_of(instants[rows], rows)
    expected = plain(*ran(events, route, packet_of, ways, window=10 * len(events)))
    for size in (1, 30, 200):
        assert len(Windows(events, packet_of, ways, routes=[route], size=size)) > 1
        assert expected == plain(*ran(events, route, packet_of, ways, window=size))


@pytest.mark.slow
@pytest.mark.usefixtures("cut_anywhere")
@pytest.mark.parametrize("seed", range(3))
def test_disturbed_ping_pongs_in_windows(seed):
    """Two nodes; losses, duplicates, late replies, jumps of ids, gaps."""
    events = disturbed(150, seed=seed)
    analysis = analysed(events)
    route, ways = analysis.routes[0], analysis.hops.ways
    expected = plain(*ran(events, route, analysis.packet_of, ways, window=10 * len(events)))
    assert len(Windows(events, analysis.packet_of, ways, routes=[route], size=100)) > 15
    for size in (40, 1_000):
        assert expected == plain(*ran(events, route, analysis.packet_of, ways, window=size))


def test_routes_share_windows():
    """Two routes at once give what each gives alone."""
    events = Processor(5, threads=True).run(1_500)
    packet_of, instants, _ = under_way(events, np.random.default_rng(5))
    ways = np.where(packet_of >= 0, packet_of % 2, -1).astype(np.int8)
    rows = np.arange(len(instants))
    two = [route_of(instants[one], rows[one]) for one in (slice(0, None, 2), slice(1, None, 2))]
    both = occupancy.for_routes(events, two, packet_of=packet_of, ways=ways, window=100)
    alone = [occupancy.for_routes(events, [one], packet_of=packet_of, ways=ways)[0] for one in two]
    assert [plain(*one) for one in alone] == [plain(*one) for one in both]


def test_packets_that_last_all_the_time_are_one_window(monkeypatch):
    """Many windows that are nearly all of the recording would take long."""
    events = Processor(1, threads=True).run(2_000)
    random = np.random.default_rng(1)
    packet_of = np.where(events.ids > 100, random.integers(0, 50, len(events)), -1).astype(np.int32)
    ways = np.full(len(events), -1, dtype=np.int8)
    assert 1 == len(Windows(events, packet_of, ways, routes=[], size=10))
    monkeypatch.setattr(windows, "MAX_REPEATED", math.inf)
    assert len(Windows(events, packet_of, ways, routes=[], size=10)) > 1


def test_packets_that_follow_each_other_are_several_windows(monkeypatch):
    """Which together are not much more than the recording."""
    monkeypatch.setattr(windows, "APART", 1)
    events = Processor(5, threads=True).run(20_000)
    packet_of = np.where(events.ids > 100, events.samples * 30 // events.end, -1).astype(np.int32)
    several = Windows(events, packet_of, np.full(len(events), -1, np.int8), routes=[], size=3000)
    assert len(several) > 2
    assert sum(len(window.events) for window in several) < windows.MAX_REPEATED * len(events)


def test_nodes_without_a_word_are_not_in_a_window():
    """A node that only has lines; a recording without events; without packets."""
    silent = events_of([(10, "tap.irq.enter", -1), (15, "tap.irq.exit", -1)], end=20)
    packet_of, ways = np.zeros(2, dtype=np.int32), np.zeros(2, dtype=np.int8)
    (window,) = Windows(silent, packet_of, ways, routes=[])
    assert {} == window.owned
    empty = dataclasses.replace(events_of([], end=20), samplerate_hz=Fraction(1))
    assert 0 == len(Windows(empty, packet_of[:0], ways[:0], routes=[]))
    layers, running = ran(silent, route_of([[10, 15]], [0]), packet_of, ways)
    assert layers is None
    assert ((), [False]) == (running.occupants, running.known.tolist())
    assert NODE == silent.node_names[0]


def test_times_beyond_32_bits_are_kept():
    """A packet that an interrupt holds up for longer than 32 bits count, between packets of ordinary length."""
    long = 1 << 33
    log = [(10, "sched.switch", 3), (20, "app.tx.enter", 0), (30, "isr.uart.enter", -1)]
    log += [(30 + long, "isr.uart.exit", -1), (40 + long, "app.tx.exit", 0)]
    events = events_of(log, end=50 + long)
    packet_of = np.array([-1, 0, -1, -1, 0], dtype=np.int32)
    ways = np.where(packet_of >= 0, 0, -1).astype(np.int8)
    layers, running = ran(events, route_of([[20, 40 + long]], [0]), packet_of, ways)
    assert [[long]] == running.preempted_samples.tolist()
    assert [[20]] == layers.self_samples.tolist()
    assert [[20 + long]] == layers.residence_samples.tolist()


def test_results_come_in_order():
    """And an error where its result is due, after those before it."""
    results = in_order(lambda number: 12 // number, [3, 4, 0, 6])
    assert [4, 3] == [next(results), next(results)]
    with pytest.raises(ZeroDivisionError):
        next(results)

"""Energies of segments, of states and of steps against plain sums over small made-up cases."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest
from energycases import IDEAL
from madeevents import events_of_rows
from network import Network
from numpy.typing import NDArray

from gpiorig.analysis.energy import integral, segments, states
from gpiorig.analysis.energy.node_energy import Current, NodeTime, Supply
from gpiorig.analysis.energy.segments import Energies, Segments
from gpiorig.analysis.errors import EventError
from gpiorig.analysis.evaluation import analysis
from gpiorig.analysis.events.index import Index
from gpiorig.analysis.packets import hops
from gpiorig.analysis.packets.path import POINTS
from gpiorig.capture.power.trace import PowerBlock, PowerTrace

Floats = NDArray[np.float64]
MS = 24_000
AIR = [point.name for point in POINTS].index("air.start")


def made_up(count: int) -> Segments:
    """Segments of which each quantity is different; the trace lacks a part of the last but one."""
    rng = np.random.default_rng(count)
    complete = np.ones(count, dtype=bool)
    complete[-2] = False
    return Segments(
        bounds=np.arange(count + 1),
        joules=rng.uniform(1, 2, count),
        shifts=rng.normal(0, 1, (2, count)),
        edges=rng.uniform(0, 1, count + 1),
        variances=rng.uniform(0, 1, count),
        limits=rng.uniform(0, 1, count),
        complete=complete,
    )


def columns(energies: Energies) -> Floats:
    return np.array(
        [energies.joules, energies.alignment, energies.sampling, energies.noise, energies.instrument, energies.expanded]
    )


def plain(measured: Segments, shares: dict[int, float], edge: float) -> list[float]:
    """Of an owner that has a share of each of these segments: joules, the four uncertainties, and ± of them all."""
    joules = sum(share * measured.joules[at] for at, share in shares.items())
    if not all(measured.complete[at] for at in shares):
        joules = math.nan
    shifted = [sum(share * shift[at] for at, share in shares.items()) for shift in measured.shifts]
    parts = [
        math.sqrt((shifted[0] ** 2 + shifted[1] ** 2) / 2),
        edge / math.sqrt(3),
        math.sqrt(sum(share**2 * measured.variances[at] for at, share in shares.items())),
        sum(share * measured.limits[at] for at, share in shares.items()) / math.sqrt(3),
    ]
    return [joules, *parts, 2 * math.sqrt(sum(part**2 for part in parts))]


def test_the_energy_of_owners() -> None:
    """A bound counts with the change of the share there, at the ends of an owner with its share; no owner is as one."""
    measured, owners = made_up(7), np.array([1, 2, 2, 3, 0, 1, 1])
    spans = [(begin, end) for begin in range(8) for end in range(begin, 8)]
    expected = []
    for begin, end in spans:
        shares = {at: 1 / max(int(owners[at]), 1) for at in range(begin, end)}
        edge = sum(abs(shares[at] - shares[at - 1]) * measured.edges[at] for at in range(begin + 1, end))
        if end > begin:
            edge += shares[begin] * measured.edges[begin] + shares[end - 1] * measured.edges[end]
        expected.append(plain(measured, shares, edge))
    owned = measured.owned(*np.array(spans).T, owners)
    assert np.allclose(np.array(expected).T, columns(owned), rtol=1e-12, atol=1e-12, equal_nan=True)


def test_the_energy_of_labels_and_of_groups_of_them() -> None:
    """A bound between two labels counts for both, between equal ones for none; of groups only the noise is random."""
    measured, labels = made_up(7), np.array([0, 0, 1, 5, 1, -1, 2])
    expected = []
    for label in range(4):
        places = np.flatnonzero(labels == label)
        sides = [(labels[at - 1] if at else None, labels[at] if at < 7 else None) for at in range(8)]
        edge = sum(measured.edges[at] for at, pair in enumerate(sides) if pair[0] != pair[1] and label in pair)
        expected.append(plain(measured, dict.fromkeys(places.tolist(), 1.0), edge))
    energies = measured.labelled(labels, 4)
    assert np.allclose(np.array(expected).T, columns(energies), rtol=1e-12, equal_nan=True)

    grouped = energies.summed(np.array([1, 0, 1, 1]), 2)
    for group, members in ((0, [1]), (1, [0, 2, 3])):
        rows = columns(energies)[:, members]
        quadratic = math.sqrt((rows[3] ** 2).sum())
        sums = [rows[0].sum(), rows[1].sum(), rows[2].sum(), quadratic, rows[4].sum()]
        assert np.allclose(sums, columns(grouped)[:5, group], rtol=1e-12)


@dataclass
class Line:
    """A clock by which an edge at a sample of the analyzer is in the trace at a quarter of it, and 2 samples later."""

    scale: float = 1.25
    reference_hz: Fraction = Fraction(32)

    def positions(self, samples: NDArray[np.int64]) -> tuple[Floats, Floats]:
        return samples / 4 + 2, np.full(len(samples), 0.3)


def test_what_a_trace_has_in_each_segment() -> None:
    """The integral three times, the analyzer's resolution at each bound, the noise, and ± of the analyzer's clock."""
    rng = np.random.default_rng(2)
    watts, period_s = rng.uniform(0, 1, 30), 1 / 8
    instrument = SimpleNamespace(**{name: getattr(IDEAL, name) for name in IDEAL.__slots__})
    instrument.averages, instrument.gain = False, 0.01
    blocks = [PowerBlock(0, np.ones(20), watts[:20]), PowerBlock(24, np.ones(6), watts[24:])]
    trace = PowerTrace(samplerate_hz=Fraction(8), read=lambda: iter(blocks), instrument=instrument)
    bounds = np.array([0, 3, 8, 8 + 24, 70, 90, 95, 120])
    measured = segments.measure(trace, Line(), bounds, clock_ppm=50.0)

    held = np.where((np.arange(30) < 20) | (np.arange(30) >= 24), watts, 0.0)
    before = np.concatenate([[0.0], np.cumsum(held * period_s)])
    aligned, later, earlier = (
        np.diff(np.interp(bounds / 4 + 2 + shift, np.arange(31), before)) * 1.25 for shift in (0, 0.3, -0.3)
    )
    assert np.allclose(aligned, measured.joules, rtol=1e-12)
    assert np.allclose([later - aligned, earlier - aligned], measured.shifts, atol=1e-12)
    summed = integral.up_to(trace, bounds / 4 + 2)
    assert np.allclose(summed.edge_joules + summed.watts / 32 / 2, measured.edges, rtol=1e-12)
    noise = (summed.noise_w * period_s) ** 2 * np.diff(bounds / 4)
    assert np.allclose(noise + np.diff(summed.missed_joules2), measured.variances, rtol=1e-12)
    assert np.allclose(np.diff(summed.limit_joules) + aligned * 50e-6, measured.limits, rtol=1e-12)
    assert [True] * 3 + [True, False, True, False] == measured.complete.tolist()


def current(amperes: float, uncertainty: float) -> Current:
    return Current(amperes, uncertainty, "made up")


def test_the_power_of_states() -> None:
    """Times the voltage; one that is not shown has the least to the greatest of the others; an assumed one its own."""
    supply = Supply(2.0, {"run": current(0.3, 0.1), "sleep": current(0.2, 0.05), "listen": current(1.0, 0.5)})
    assert np.allclose([[0.3, 0.4, 0.3], [0.5, 0.8, 0.8]], supply.bounds(("sleep", "run", "not shown")))
    assert np.allclose([[1.0, 1.0], [3.0, 3.0]], supply.bounds(("listen", "listen, assumed")))


def test_when_a_span_is_open() -> None:
    """Nested ones are two; the one that was entered last and never left is open to the end, at other nodes nothing."""
    rows = [(at, 0, f"slot.rx.{end}", None) for at, end in ((5, "enter"), (9, "exit"), (20, "enter"), (30, "enter"))]
    rows += [(40, 0, "slot.rx.exit", None), (60, 0, "slot.rx.enter", None), (7, 1, "slot.rx.enter", None)]
    events = events_of_rows(rows, ("a", "b", "c"), end=100)
    found = [states.opened(events, Index(events), "slot.rx", node).tolist() for node in range(3)]
    assert [[[5, 9], [30, 40], [60, 100]], [[7, 100]], []] == [sorted(intervals) for intervals in found]
    assert [5, 9] in np.asarray(states.listening(events, Index(events), 0)).tolist()


@pytest.mark.parametrize(
    ("switched", "expected"),
    [
        ([(10, "radio.set_rx"), (30, "radio.set_idle"), (50, "radio.set_rx")], [[10, 30], [50, 100]]),
        ([(10, "radio.set_idle"), (30, "radio.set_rx"), (40, "radio.set_rx")], [[30, 40], [40, 100]]),
        ([(10, "radio.set_rx"), (50, "radio.set_rx")], None),
        ([(10, "radio.set_idle")], None),
        ([], None),
    ],
)
def test_when_a_receiver_is_on(switched: list[tuple[int, str]], expected: list[list[int]] | None) -> None:
    """From each switching on to the next switching; not known where only one of the two is ever seen."""
    rows = [(at, 0, event, None) for at, event in switched] + [
        (20, 1, "radio.set_idle", None),
        (25, 1, "radio.set_rx", None),
    ]
    events = events_of_rows(rows, ("a", "b"), end=100)
    found = states.listening(events, Index(events), 0)
    assert expected == (None if found is None else found.tolist())


@pytest.mark.parametrize("switches", [True, False])
def test_what_a_radio_does_at_each_instant(switches: bool) -> None:
    """It sends from the first bit on, waits from the command to that; else it listens, is off, or is assumed to."""
    network = Network("ab")
    network.frame(10 * MS, "a", 1, {"b": "deliver"})
    network.frame(30 * MS, "a", 2, {}, outcome="no_ack")
    if switches:
        network.log += [(5 * MS, "a", "radio.set_rx", None), (10 * MS + 3000, "a", "radio.set_idle", None)]
        network.log += [(40 * MS, "a", "radio.set_rx", None)]
        network.end = 50 * MS
    events = network.events()
    stages = hops.build(events, header_ns=network.headers())
    bounds, labels = states.radio_bounds(events, Index(events), stages, 0)
    sent, air = stages.transmissions, int(stages.samples[AIR][0])
    (command, over), (second, second_over) = zip(sent.begins.tolist(), sent.ends.tolist(), strict=True)
    assert command < air < over < second

    def state(at: int) -> str:
        if air <= at < over:
            return states.SENDS
        if command <= at < air or second <= at < second_over:
            return states.UNSHOWN
        if not switches:
            return states.ASSUMED
        return states.LISTENS if 5 * MS <= at < 10 * MS + 3000 or at >= 40 * MS else states.OFF

    instants = [at + step for at in (*bounds.tolist(), command, air, over, second, second_over) for step in (-1, 0, 1)]
    for at in {at for at in instants if 0 <= at < events.end}:
        assert state(at) == states.RADIO[labels[np.searchsorted(bounds, at, side="right") - 1]], at


def test_a_node_s_time_begins_and_ends_with_its_own_events() -> None:
    """Two events are a time, one and those of the rig are not; states and their names go together."""
    rows = [(100, 0, "rig.boot", None), (300, 0, "sched.sleep.enter", None), (700, 0, "sched.sleep.exit", None)]
    rows += [
        (500, 1, "sched.switch", 1),
        (600, 1, "rig.boot", None),
        (900, 0, "rig.boot", None),
        (550, 2, "app.tx.enter", 7),
    ]
    stages = analysis.analyse(events_of_rows(rows, ("a", "b", "c"), end=1000), {}, header_ns={})
    time = NodeTime(stages, "a", windows=np.array([[0, 400]]))
    assert [300, 400, 700] == time.bounds.tolist()
    with pytest.raises(EventError, match="b: no events of its own"):
        NodeTime(stages, "b")
    names, places = time.states
    assert ["sleep; listen, assumed"] * 2 == [names[place] for place in places.tolist()]
    assert 1.0 == time.unshown
    supply = Supply(2.0, {"sleep": current(0.2, 0.1), "run": current(9.0, 0.0), "listen": current(1.0, 0.5)})
    estimate = time.estimated(supply)
    assert np.allclose(2.0 * 1.2 * np.array([100, 300]) / 24e6, estimate.joules)
    assert np.allclose(2.0 * 0.6 * np.array([100, 300]) / 24e6, estimate.limits)


def test_the_layer_of_each_segment() -> None:
    """A span that the recording begins with, and what runs where no span is open."""
    rows = [(0, 0, "udp.tx.enter", 7), (100, 0, "udp.tx.exit", 7), (200, 0, "sched.sleep.enter", None)]
    rows += [(300, 0, "sched.sleep.exit", None), (400, 0, "isr.timer.enter", None), (500, 0, "isr.timer.exit", None)]
    stages = analysis.analyse(events_of_rows(rows, ("a",), end=600), {}, header_ns={})
    time = NodeTime(stages, "a")
    names, places = time.layers
    found = dict(zip(time.bounds[:-1].tolist(), [names[place] for place in places.tolist()], strict=True))
    assert {0: "udp", 200: "sleep", 400: "isr"}.items() <= found.items()
    assert "nothing seen" == found[100] == found[300]

"""Energy of a node: by step, layer and state it adds up; steps of known power have it; estimates have what is shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pytest
from energycases import ANALYZER_HZ, Load, clock_of, sampled
from madeevents import events_of_rows

from gpiorig.analysis.energy import states
from gpiorig.analysis.energy.node_energy import ESTIMATE, MEASURED, Current, NodeTime, Supply
from gpiorig.analysis.errors import EventError
from gpiorig.analysis.evaluation import analysis
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.tables import energy as energy_table

NODES = ("initiator", "responder")
SUPPLY = Supply(
    3.0,
    {
        "run": Current(0.010, 0.0, "made up"),
        "sleep": Current(0.001, 0.0, "made up"),
        "send": Current(0.014, 0.001, "made up"),
        "listen": Current(0.012, 0.0, "made up"),
        "off": Current(0.0, 0.0, "made up"),
    },
)
RATE_HZ, FIRST, PPM = 1_000_000, 1234, 40.0


@pytest.fixture(scope="module")
def trips(new_bench: Callable[..., object]) -> Analysis:
    """30 round trips, of which two are lost."""
    bench = new_bench(seed=3)
    for number in range(30):
        bench.round_trip(number, lost={5: "request", 9: "reply"}.get(number, ""))
    return analysis.analyse(bench.events(), {}, header_ns=dict.fromkeys(NODES, 192_000), ends=NODES)


def sums(table: pa.Table) -> dict[tuple[str, str], float]:
    """The energy of each division of each node."""
    total: dict[tuple[str, str], float] = defaultdict(float)
    for row in table.to_pylist():
        total[row["node"], row["of"]] += row["energy_j"]
    return total


def test_divisions_add_up(trips: Analysis) -> None:
    """Steps and the time outside them, layers, and states each have all energy of a node, estimated or measured."""
    end_s = trips.events.end / float(ANALYZER_HZ)
    rng = np.random.default_rng(1)
    load = Load(np.linspace(0, end_s, 500), rng.uniform(0.001, 0.1, 500))
    trace = sampled(load, rate_hz=RATE_HZ, first=FIRST, end_s=end_s + 0.01, ppm=PPM)
    clock = clock_of(rate_hz=RATE_HZ, first=FIRST, end_s=end_s, ppm=PPM)
    times = [NodeTime(trips, node) for node in NODES]
    for parts in (
        [(time, time.estimated(SUPPLY), ESTIMATE) for time in times],
        [(time, time.measured(trace, clock, clock_ppm=0.0), MEASURED) for time in times],
    ):
        table = energy_table.table(trips, parts)
        total = sums(table)

        for node in NODES:
            every = total[node, "node"]
            assert every > 0
            for divided in (
                total[node, "step"] + total[node, "outside steps"],
                total[node, "layer"],
                total[node, "state"],
            ):
                assert np.isclose(every, divided, rtol=1e-9)
            assert np.isclose(total[node, "step"], total[node, "packet"], rtol=1e-9)
        assert {parts[0][2]} == set(table["standing"].to_pylist())
        assert len(trips.routes[0]) == len({row["packet_row"] for row in table.to_pylist() if row["of"] == "packet"})
        assert {"udp", "mac", "driver", "isr"} <= {row["name"] for row in table.to_pylist() if row["of"] == "layer"}


def test_steps_of_known_power(trips: Analysis) -> None:
    """Each step draws a power of its own; each packet's step has that power times its time, within ±."""
    (route, *_), events = trips.routes, trips.events
    ends = route.starts[:, None] + np.cumsum(route.steps.samples, axis=1)
    watts = np.linspace(0.01, 0.09, ends.shape[1])
    instants = np.concatenate([[0.0], np.column_stack([ends - route.steps.samples, ends[:, -1]]).ravel() - 0.5])
    quiet = np.column_stack([np.tile(watts, (len(route), 1)), np.full(len(route), 0.002)])
    load = Load(np.maximum(instants, 0) / float(ANALYZER_HZ), np.append(0.002, quiet.ravel()))
    end_s = events.end / float(ANALYZER_HZ)
    trace = sampled(load, rate_hz=RATE_HZ, first=FIRST, end_s=end_s + 0.01, ppm=PPM)
    time = NodeTime(trips, "initiator")

    energies = time.of_steps(
        time.measured(trace, clock_of(rate_hz=RATE_HZ, first=FIRST, end_s=end_s, ppm=PPM), clock_ppm=0.0)
    )

    owners = time.owners
    true = watts[owners.columns] * (owners.ends - owners.begins) / float(ANALYZER_HZ)
    at_home = np.array([step.nodes[0] == "initiator" for step in route.steps.steps])[owners.columns]
    assert len(route) * sum("initiator" in step.nodes for step in route.steps.steps) == len(true)
    within = np.abs(energies.joules - true) <= energies.expanded + 1e-15
    assert 0.95 <= within[at_home].mean()
    assert (energies.expanded[true > 1e-6] < 0.05 * true[true > 1e-6]).all()


def test_states_of_known_time() -> None:
    """A node that sleeps a quarter of the time, and listens a half: the estimate is what these currents make of it."""
    ms = 24_000
    rows = [(0, 0, "sched.switch", 1)]
    for start in range(0, 400, 100):
        rows += [(start * ms + 1, 0, "radio.set_rx", None), ((start + 50) * ms, 0, "radio.set_idle", None)]
        rows += [
            ((start + 50) * ms + 1, 0, "sched.sleep.enter", None),
            ((start + 75) * ms, 0, "sched.sleep.exit", None),
        ]
    rows.append((400 * ms, 0, "sched.switch", 1))
    stages = analysis.analyse(events_of_rows(rows, ("a",), end=401 * ms), {}, header_ns={})
    time = NodeTime(stages, "a")

    energy = time.within(time.estimated(SUPPLY), np.array([[0, 400 * ms]]))

    assert np.isclose(3.0 * 0.4 * (0.75 * 0.010 + 0.25 * 0.001 + 0.5 * 0.012), energy.joules[0], rtol=1e-4)
    assert time.unshown < 1e-4
    assert {states.SLEEPS, states.RUNS} == {states.PROCESSOR[place] for place in np.unique(time.processor)}


def test_what_is_not_shown_widens_the_estimate(trips: Analysis) -> None:
    """Without events of the scheduler and of the receiver, the share that is not shown is 1 less the time of spans."""
    time = NodeTime(trips, "responder")
    energy = time.within(time.estimated(SUPPLY), np.array([[trips.events.start, trips.events.end]]))

    seconds = time.durations.sum() / float(ANALYZER_HZ)
    assert 0.9 < time.unshown <= 1
    assert energy.expanded[0] > 0.2 * energy.joules[0]
    assert 3.0 * seconds * (0.001 + 0.0) < energy.joules[0] < 3.0 * seconds * (0.010 + 0.015)


def test_a_node_without_events_is_refused(trips: Analysis) -> None:
    with pytest.raises(EventError, match="relay: no events of its own; the recording has initiator, responder"):
        NodeTime(trips, "relay")

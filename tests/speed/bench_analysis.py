"""Rows of the performance table: events to packets, timelines, steps, all statistics of them, and tables.

`python tests/speed/bench_analysis.py` prints them. The large one runs in a process of its own, whose memory is
measured. `python tests/speed/bench_analysis.py stages 1000000` prints time, CPU time and peak memory of every stage;
its last line counts memory from the last stage on.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from synthetic_events import EVENTS_PER_PACKET, HEADER_NS, NODES, PERIOD, RATE_HZ, ping_pongs, truth

from gpiorig.analysis.delays import instruments, probe_costs
from gpiorig.analysis.delays.instruments import Instruments
from gpiorig.analysis.evaluation import analysis, evaluator
from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.evaluation.evaluation import Evaluation, RouteEvaluation
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.packets import hop_routes, hops, node_accounts, reordering, round_trips, timelines
from gpiorig.analysis.packets.timelines import Timelines
from gpiorig.analysis.processor import occupancy
from gpiorig.analysis.tables import registry
from gpiorig.capture import memory

PACKETS = 1_000_000
FEW = 10_000
ROUNDS = 3
INITIATOR, RESPONDER = NODES
KIB_PER_GIB = 1 << 20
STAGES = (
    (hops, "build"),
    (round_trips, "find"),
    (hop_routes, "routes"),
    (node_accounts, "compare"),
    (reordering, "find"),
    (probe_costs, "for_route"),
    (occupancy, "for_routes"),
    (evaluator, "attribute"),
    (evaluator, "routes"),
    (registry, "write"),
)
RESET_PEAK = "5"  # of `/proc/self/clear_refs`, see proc(5)


def rows() -> Iterator[tuple[str, float, str, float]]:
    """Each a name, our seconds, what it is compared with, its seconds."""
    few = ping_pongs(FEW)
    ours_s = float("inf")
    for _ in range(ROUNDS):
        start_s = time.perf_counter()
        lines = timelined(few)
        ours_s = min(ours_s, time.perf_counter() - start_s)
    start_s = time.perf_counter()
    expected = in_a_loop(few)
    loop_s = time.perf_counter() - start_s
    for name, samples in expected.items():
        assert np.array_equal(samples, lines.column(name)), name
    yield f"{FEW // 1000} k packets, events to milestones", ours_s, "a loop over the events", loop_s
    on_the_air_s = float(PACKETS * PERIOD / RATE_HZ)
    for extent, what in (("tables", "to tables"), ("study", "to tables and the whole study")):
        child = subprocess.run([sys.executable, __file__, extent, str(PACKETS)], stdout=subprocess.PIPE, check=True)
        measured = json.loads(child.stdout)
        used = f"{measured['gib']:.2f} GiB, CPU {measured['cpu_s']:.0f} s"
        name = f"{PACKETS // 1_000_000} M packets x {EVENTS_PER_PACKET} events {what}, {used}"
        yield name, measured["s"], "the time they took on the air", on_the_air_s


def timelined(events: Events) -> Timelines:
    """Events to milestones."""
    lines = of_events(events).timelines
    assert lines is not None
    return lines


def of_events(events: Events) -> Analysis:
    """Events to packets, round trips and routes."""
    to = {INITIATOR: (RESPONDER,), RESPONDER: (INITIATOR,)}
    header_ns = dict.fromkeys(to, HEADER_NS)
    return analysis.analyse(events, {}, header_ns=header_ns, destinations=to, ends=(INITIATOR, RESPONDER))


def in_a_loop(events: Events) -> dict[str, NDArray[np.int64]]:
    """The usual way, for the milestones that come with an id: the latest of each packet, one event after the other."""
    latest: dict[int, int] = {}  # row of each id
    instants: list[dict[str, int]] = []
    for sample, node, code, identity in zip(
        events.samples.tolist(), events.nodes.tolist(), events.codes.tolist(), events.ids.tolist(), strict=True
    ):
        event = BY_CODE[code]
        if identity < 0 or event.name == "mac.sequence":
            continue
        if event.name == "app.tx.enter" and node == 0:
            latest[identity] = len(instants)
            instants.append({})
        direction = "request" if (event.direction == "tx") == (node == 0) else "reply"
        instants[latest[identity]][f"{direction}.{event.name.removesuffix('.enter')}"] = sample
    names = [name for name in truth(events).milestones if name in instants[0]]
    return {name: np.array([marks[name] for marks in instants], dtype=np.int64) for name in names}


def analysed(count: int, *, evaluated: bool) -> dict[str, float]:
    """From the events to the tables; seconds, those of the processor, and the most memory of this process.

    Studied, with everything that a report contains on a route: running tasks, probe costs, jitter, budget, causes.
    """
    memory.reuse()
    events = ping_pongs(count, burst=64)
    start_s, start_cpu_s = time.perf_counter(), time.process_time()
    analysis = of_events(events)
    (route,) = analysis.routes
    with tempfile.TemporaryDirectory() as folder:
        evaluation = Evaluation((evaluation_of(analysis),) if evaluated else (), None)
        registry.write(analysis, evaluation, folder=Path(folder))
    took_s, cpu_s = time.perf_counter() - start_s, time.process_time() - start_cpu_s
    assert analysis.timelines is not None
    assert timelines.steps_add_up(analysis.timelines, route.steps)
    assert len(route) == count
    return {"s": took_s, "cpu_s": cpu_s, "gib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIB_PER_GIB}


def staged(module: Any, name: str) -> Callable[..., Any]:
    """A function that prints what it costs: seconds, those of the processor, and the most memory meanwhile."""
    stage = getattr(module, name)

    def run(*args: Any, **options: Any) -> Any:
        Path("/proc/self/clear_refs").write_text(RESET_PEAK)
        start_s, start_cpu_s = time.perf_counter(), time.process_time()
        result = stage(*args, **options)
        took_s, cpu_s = time.perf_counter() - start_s, time.process_time() - start_cpu_s
        peak_mib = int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) / 1024
        print(f"{module.__name__}.{name:<10} {took_s:7.1f} s {cpu_s:7.1f} CPU s {peak_mib:7.0f} MiB", flush=True)
        return result

    return run


def evaluation_of(analysis: Analysis) -> RouteEvaluation:
    """Everything that is known of the round trips."""
    (evaluation,) = evaluator.routes(analysis, Instruments(instruments.by_driver("fx2lafw", samplerate_hz=RATE_HZ)))
    assert evaluation.layers is not None
    assert len(evaluation.layers.self_samples) == len(analysis.routes[0])
    assert evaluation.costs is not None
    return evaluation


if __name__ == "__main__":
    if len(sys.argv) > 1:
        if sys.argv[1] == "stages":
            for module, name in STAGES:
                setattr(module, name, staged(module, name))
        print(json.dumps(analysed(int(sys.argv[2]), evaluated=sys.argv[1] != "tables")))
    else:
        for row in rows():
            print(row)

"""Rows of the performance table: events to packets, timelines, steps, everything that is said of them, and tables.

`python tests/bench_analysis.py` prints them. The large one runs in a process of its own, whose memory is measured.
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

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from synthetic_events import EVENTS_PER_PACKET, HEADER_NS, NODES, PERIOD, RATE_HZ, ping_pongs, truth

from gpiorig.analysis import analyzers, packets, routes, statistics, tables, timelines
from gpiorig.analysis.analyzers import Instruments
from gpiorig.analysis.event_table import BY_CODE
from gpiorig.analysis.events import Events
from gpiorig.analysis.study import Study
from gpiorig.analysis.timelines import Timelines
from gpiorig.rig import heap, studying

PACKETS = 1_000_000
FEW = 10_000
ROUNDS = 3
INITIATOR, RESPONDER = NODES
KIB_PER_GIB = 1 << 20


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
    child = subprocess.run([sys.executable, __file__, str(PACKETS)], stdout=subprocess.PIPE, check=True)
    measured = json.loads(child.stdout)
    used = f"{measured['gib']:.2f} GiB, CPU {measured['cpu_s']:.0f} s"
    what = f"{PACKETS // 1_000_000} M packets x {EVENTS_PER_PACKET} events, {used}"
    yield what, measured["s"], "the time they took on the air", float(PACKETS * PERIOD / RATE_HZ)


def timelined(events: Events) -> Timelines:
    """Events to milestones."""
    return timelines.build(packets.associate(events, initiator=INITIATOR, responder=RESPONDER), header_ns=HEADER_NS)


def in_a_loop(events: Events) -> dict[str, NDArray[np.int64]]:
    """The usual way, for the milestones that come with an id: the latest of each packet, one event after the other."""
    latest: dict[int, int] = {}  # row of each id
    found: list[dict[str, int]] = []
    for sample, node, code, identity in zip(
        events.samples.tolist(), events.nodes.tolist(), events.codes.tolist(), events.ids.tolist(), strict=True
    ):
        event = BY_CODE[code]
        if identity < 0 or event.name == "mac.sequence":
            continue
        if event.name == "app.tx.enter" and node == 0:
            latest[identity] = len(found)
            found.append({})
        direction = "request" if (event.direction == "tx") == (node == 0) else "reply"
        found[latest[identity]][f"{direction}.{event.name.removesuffix('.enter')}"] = sample
    names = [name for name in truth(events).milestones if name in found[0]]
    return {name: np.array([marks[name] for marks in found], dtype=np.int64) for name in names}


def whole_analysis(count: int) -> dict[str, float]:
    """Everything from the events on; seconds, those of the processor, and the most memory of this process."""
    heap.give_back()
    events = ping_pongs(count, burst=64)
    start_s, start_cpu_s = time.perf_counter(), time.process_time()
    associated = packets.associate(events, initiator=INITIATOR, responder=RESPONDER)
    lines = timelines.build(associated, header_ns=HEADER_NS)
    associated, steps = associated.without_workings(), timelines.steps(lines)
    for column in range(len(steps.steps)):
        statistics.summarize(steps.samples[:, column], samplerate_hz=RATE_HZ)
    subject = studying.of_round_trips(associated, routes.round_trips(lines, steps))
    (found,) = studying.of_routes(subject, events, Instruments(analyzers.by_driver("fx2lafw", samplerate_hz=RATE_HZ)))
    told = {"uncertainties": found.uncertainties, "costs": found.costs}
    with tempfile.TemporaryDirectory() as folder:
        made: dict[str, tuple[Callable[[slice], pa.Table], int]] = {
            "steps": (lambda part: tables.steps(steps, part=part, **told), steps.samples.size),
            "timelines": (lambda part: tables.timelines(lines, part=part), count),
            "packets": (lambda part: tables.packets(associated, lines, part=part), count),
            "events": (lambda part: tables.events(events, packets=associated, part=part), len(events)),
        }
        tables.write_all((*each, Path(folder) / f"{name}.parquet") for name, each in made.items())
        studying.write_tables(Study((found,), None), Path(folder))
    took_s, cpu_s = time.perf_counter() - start_s, time.process_time() - start_cpu_s
    assert timelines.steps_add_up(lines, steps)
    assert len(steps.rows) == count
    assert found.layers is not None
    assert len(found.layers.self_samples) == count
    assert found.costs is not None
    return {"s": took_s, "cpu_s": cpu_s, "gib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIB_PER_GIB}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(whole_analysis(int(sys.argv[1]))))
    else:
        for each in rows():
            print(each)

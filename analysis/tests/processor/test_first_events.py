"""What a recording begins with occupies the processor as it does in the middle of a longer one.

With another node's events and packets before it, no event, interval, packet or node of it has the index 0.
"""

from __future__ import annotations

import numpy as np
import pytest
from madeevents import events_of_rows
from occupancycases import ran, route_of
from processor import NODE, Processor

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.processor import queue_lengths

LATER = 100_000
PACKETS = 3


def rows_of(seed: int, *, threads: bool) -> list[tuple[int, str, int]]:
    processor = Processor(seed, threads)
    processor.run(120)
    return processor.log


def recorded(log: list[tuple[int, int, str, int]], names: tuple[str, ...], end: int) -> Events:
    return events_of_rows(log, names, end=end, rate_hz=1_000_000_000)


def times(events: Events, first: int, before: int) -> list[object]:
    """All that is found of the packets, which begin at an instant and have these rows after those before."""
    of_packet = (events.ids > 100) & (events.nodes == len(events.node_names) - 1)
    packet_of = np.where(of_packet, events.ids % PACKETS + before, -1).astype(np.int32)
    packet_of[events.nodes == len(events.node_names) - 2] = 0 if before else -1
    ways = np.where(packet_of >= 0, (packet_of + before) % 2, -1).astype(np.int8)
    rng = np.random.default_rng(1)
    instants = first + np.sort(rng.integers(0, 200, (PACKETS, 5)), axis=1)
    layers, running = ran(events, route_of(instants, [before + row for row in (2, 0, 1)]), packet_of, ways)
    arrays = [running.mean_samples, running.preempted_samples, running.known]
    arrays += [] if layers is None else [layers.self_samples, layers.residence_samples]
    return [running.occupants, None if layers is None else layers.layers, *(array.tolist() for array in arrays)]


@pytest.mark.parametrize("threads", [True, False])
def test_what_is_first_is_counted(threads: bool) -> None:
    """With every kind of event as the first one: those before it are cut off."""
    log = rows_of(3, threads=threads)
    earlier = [(at, 0, name, id_) for at, name, id_ in rows_of(4, threads=threads)]
    firsts = {name: len(log) - place for place, (_, name, _) in enumerate(reversed(log), 1)}
    for name, cut in firsts.items():
        rest, end = log[cut:], log[-1][0] + 50
        alone = recorded([(at, 0, *row) for at, *row in rest], (NODE,), end)
        both = recorded([*earlier, *((at + LATER, 1, *row) for at, *row in rest)], ("x", NODE), end + LATER)
        first = rest[0][0]
        assert times(alone, first, 0) == times(both, first + LATER, 4), name


def test_queues_of_a_node_whose_first_event_is_theirs() -> None:
    """Lengths are counted from the smallest, also where the queue has the id 0 or none."""
    rows = [(10, 0, "queue.fetch", 0), (20, 0, "queue.post", 0), (30, 0, "queue.post", 0), (15, 0, "queue.post", None)]
    events = events_of_rows(rows, ("a",), end=100, gaps=[(40, 50)])
    lengths = queue_lengths.queue_lengths(events, node="a", instants=np.array([0, 10, 11, 21, 31, 60]))
    assert {"queue": [0, 0, 0, 1, 1, 0], "queue 0": [1, 1, 0, 1, 2, 0]} == {
        name: length.tolist() for name, length in sorted(lengths.items())
    }

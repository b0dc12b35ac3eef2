"""Self-times, residence, pre-emption and queue lengths."""

from __future__ import annotations

import dataclasses

import numpy as np
import pyarrow as pa
import pytest
from occupancycases import NONE, ran, route_of
from processor import NODE, Processor, events_of
from tripcases import analysed

from gpiorig.analysis.events.layers import PACKET_LAYERS
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.processor import layer_labels, occupancy, ownership, queue_lengths
from gpiorig.analysis.processor.ownership import TimeOf
from gpiorig.analysis.processor.step_times import step_times
from gpiorig.analysis.processor.windows import Windows


def in_parts(events, route, packet_of):
    """Own work, pre-empted and asleep, int64[k, s] each, of all packets in one window."""
    ways = np.full(len(events), NONE, dtype=np.int8)
    (window,) = list(Windows(events, packet_of, ways, routes=[route], size=len(events) + 1))
    starts = route.starts[:, np.newaxis]
    instants = np.concatenate([starts, starts + np.cumsum(route.steps.samples, axis=1)], axis=1)
    places = layer_labels.Places.of(route.steps.rows)
    times = step_times(window, NODE, places=places, instants=instants, steps=np.arange(route.steps.samples.shape[1]))
    return times.own, times.busy - times.own, asleep(window.owned[NODE], instants)


def asleep(owned, instants):
    """int64[k, s]: how long the processor slept within each step."""
    labels = np.array([ownership.name_of(key) == "sleep" for key in owned.keys])[owned.occupants].astype(np.int64)
    return TimeOf(owned, labels).within(np.array(1), instants[:, :-1], instants[:, 1:])


# A packet on the send path over two threads; an interrupt and another thread come between.
SCENE = [
    (0, "sched.switch", 5, -1),
    (10, "app.tx.enter", 1, 0),
    (20, "sched.switch", 4, -1),
    (25, "udp.tx.enter", 1, 0),
    (40, "isr.uart.enter", -1, -1),
    (46, "isr.uart.exit", -1, -1),
    (50, "sched.switch", 6, -1),
    (80, "sched.switch", 4, -1),
    (90, "udp.tx.exit", 1, 0),
    (93, "sched.switch", 3, -1),
    (95, "ipv6.tx.enter", 1, 0),
    (99, "ipv6.tx.exit", 1, 0),
    (100, "sched.switch", 0, -1),
    (120, "sched.switch", 5, -1),
    (127, "app.tx.exit", 1, 0),
]


@pytest.fixture
def scene():
    events = events_of([row[:3] for row in SCENE], end=130)
    packet_of = np.array([row[3] for row in SCENE], dtype=np.int32)
    return events, packet_of, route_of([[10, 25, 95]], [0])


def test_a_pre_empted_span_stands_still(scene):
    """Counted by hand: app.tx 10 to 20 and 120 to 127; udp.tx 25 to 40, 46 to 50, 80 to 90; ipv6.tx 95 to 99."""
    events, packet_of, route = scene
    sent = np.where(packet_of >= 0, layer_labels.SENT, -1).astype(np.int8)
    layers, _ = ran(events, route, packet_of, sent)
    assert tuple((NODE, layer, "tx") for layer in ("app", "udp", "ipv6")) == layers.layers
    assert [[17, 29, 4]] == layers.self_samples.tolist()
    assert [[15, 70, 4]] == layers.residence_samples.tolist()


def test_a_node_that_is_not_on_the_way_has_no_layers(scene):
    """As of a broadcast, which others receive too."""
    events, packet_of, _ = scene
    sent = np.where(packet_of >= 0, layer_labels.SENT, -1).astype(np.int8)
    elsewhere = route_of([[10, 25, 95]], [0], node="other > another")
    assert ran(events, elsewhere, packet_of, sent)[0] is None


def test_what_is_not_of_the_packet_is_in_the_way(scene):
    """In the second step a UART's interrupt (6) and thread 6 (30); threads 4 and 3 have events of the packet."""
    events, packet_of, route = scene
    _, running = ran(events, route, packet_of)
    assert [[[15, 34]], [[0, 36]], [[0, 0]]] == [part.tolist() for part in in_parts(events, route, packet_of)]
    assert [[0, 36]] == running.preempted_samples.tolist()
    means = dict(zip(running.occupants, running.mean_samples.T.tolist(), strict=True))
    expected = {"thread 5": [10, 0], "thread 4": [5, 32], "thread 6": [0, 30], "thread 3": [0, 2], "isr.uart": [0, 6]}
    assert {f"{NODE}: {name}": times for name, times in expected.items()} == means
    assert [True, True] == running.known.tolist()


def test_work_on_another_packet_is_in_the_way(scene):
    """Thread 4 is busy with packet 7: 29 samples in its span, 5 before and 3 after it that belong to no packet."""
    events, packet_of, route = scene
    of_udp = np.isin(events.samples, (25, 90))
    own, preempted, _ = in_parts(events, route, np.where(of_udp, 7, packet_of).astype(np.int32))
    assert [[10, 2]] == own.tolist()
    assert [[5, 29 + 3 + 36]] == preempted.tolist()


def plain(processor, events, packet_of, start, end, row):
    """Own, pre-empted, asleep: sample by sample."""
    inside = [p for p in np.flatnonzero(packet_of == row) if start <= events.samples[p] <= end]
    software = [p for p in inside if BY_CODE[int(events.codes[p])].layer in PACKET_LAYERS]
    own_occupants = {processor.truth[int(events.samples[p])][0] for p in software}
    counts = [0, 0, 0]
    for sample in range(start, end):
        name, stack = processor.truth[sample]
        packet = next((int(packet_of[p]) for p in reversed(stack) if packet_of[p] >= 0), -1)
        scheduled = name.startswith(("thread ", "task "))
        if name == "sleep":
            counts[2] += 1
        elif packet == row or (packet < 0 and scheduled and name in own_occupants):
            counts[0] += 1
        elif packet >= 0 or scheduled or name.startswith(("isr.", "timer.")):
            counts[1] += 1
    return counts


@pytest.mark.parametrize("threads", [True, False])
@pytest.mark.parametrize("seed", range(6))
def test_every_sample_of_a_step_is_counted_once(seed, threads):
    """Against counting samples; where the scheduler shows all, the three add up to the step exactly."""
    processor = Processor(seed, threads)
    events = processor.run(300)
    random = np.random.default_rng(seed)
    of_id = random.integers(-1, 4, 1_000)
    packet_of = np.where(events.ids > 100, of_id[np.maximum(events.ids, 0)], -1).astype(np.int32)
    rows = [2, 0, 3]
    instants = np.sort(random.integers(processor.log[0][0], events.end, (3, 6)), axis=1)
    route = route_of(instants, rows)
    _, running = ran(events, route, packet_of)
    parts = in_parts(events, route, packet_of)
    for packet, row in enumerate(rows):
        for step in range(5):
            start, end = int(instants[packet, step]), int(instants[packet, step + 1])
            expected = plain(processor, events, packet_of, start, end, row)
            assert expected == [int(part[packet, step]) for part in parts]
    if threads:
        assert route.steps.samples.tolist() == sum(parts).tolist()
    assert parts[1].tolist() == running.preempted_samples.tolist()
    np.testing.assert_allclose(route.steps.samples.mean(axis=0), running.mean_samples.sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_self_times_are_sums_over_samples(seed):
    """Against counting samples by packet and layer, over the complete recording."""
    processor = Processor(seed, threads=bool(seed % 2))
    events = processor.run(300)
    packet_of = np.where(events.ids > 100, events.ids % 3, -1).astype(np.int32)
    ways = np.where(packet_of >= 0, packet_of % 2, -1).astype(np.int8)
    route = route_of([[0, 1]] * 3, [0, 1, 2])
    layers, _ = ran(events, route, packet_of, ways)
    expected = np.zeros_like(layers.self_samples)
    for _, stack in processor.truth[processor.log[0][0] :]:
        owner = next((p for p in reversed(stack) if packet_of[p] >= 0), None)
        layer = BY_CODE[int(events.codes[stack[-1]])].layer if stack else ""
        if owner is not None and (NODE, layer, occupancy.WAYS[ways[owner]]) in layers.layers:
            column = layers.layers.index((NODE, layer, occupancy.WAYS[ways[owner]]))
            expected[packet_of[owner], column] += 1
    assert expected.tolist() == layers.self_samples.tolist()


def stages(events):
    analysis = analysed(events)
    return analysis, analysis.routes[0]


def test_a_round_trip_without_a_scheduler(bench):
    """Steps of no known node are not known; nothing pre-empts any except an interrupt without a packet."""
    analysis, route = stages(bench.events())
    layers, got = ran(analysis.events, route, analysis.packet_of, analysis.hops.ways)
    assert not got.known.any()
    assert (got.preempted_samples <= route.steps.samples).all()
    on_air = [at for at, step in enumerate(route.steps.steps) if ">" in step.node]
    assert on_air
    assert not got.mean_samples[on_air].any()
    assert (layers.self_samples >= 0).all()
    down = [(node, layer) for node, layer, way in layers.layers if way == "tx" and layer != "isr"]
    order = ["app", "udp", "ipv6", "sixlowpan", "mac", "driver"]
    assert [("initiator", layer) for layer in order] == down[: len(order)]
    assert ("initiator", "app", "tx") == layers.layers[0]
    by_name = dict(zip(layers.layers, layers.residence_samples.T, strict=True))
    samples = dict(zip([step.name for step in route.steps.steps], route.steps.samples.T, strict=True))
    assert samples["request: app to udp"].tolist() == by_name["initiator", "app", "tx"].tolist()
    assert samples["request: udp to app"].tolist() == by_name["responder", "udp", "rx"].tolist()


def test_a_shift_changes_nothing(bench):
    """All samples later by the same."""
    events = bench.events()
    later = dataclasses.replace(events, samples=events.samples + 10**12, start=10**12, end=events.end + 10**12)
    results = []
    for log in (events, later):
        analysis, route = stages(log)
        layers, got = ran(log, route, analysis.packet_of, analysis.hops.ways)
        results.append((layers.self_samples.tolist(), got.preempted_samples.tolist(), got.mean_samples.tolist()))
    assert results[0] == results[1]


def test_no_packets_no_layers(bench):
    """A route without packets, and events without any packet."""
    analysis, route = stages(bench.events())
    none = np.full(len(analysis.events), -1, dtype=np.int32)
    ways = analysis.hops.ways
    assert ran(analysis.events, route, none, ways)[0] is None
    no_packets = dataclasses.replace(
        route,
        steps=dataclasses.replace(route.steps, rows=route.steps.rows[:0], samples=route.steps.samples[:0]),
        starts=route.starts[:0],
    )
    last = np.where(analysis.packet_of == route.steps.rows[-1], NONE, analysis.packet_of).astype(np.int32)
    layers, _ = ran(analysis.events, route, last, ways)
    assert layers.self_samples.shape == layers.residence_samples.shape
    assert not layers.self_samples[-1].any()
    assert not layers.residence_samples[-1].any()
    assert layers.self_samples[:-1].any(axis=1).all()
    _, got = ran(analysis.events, no_packets, analysis.packet_of)
    assert (0, len(route.steps.steps)) == got.preempted_samples.shape
    assert not got.mean_samples.any()


def test_tables(scene):
    """Units in the names; a row per packet and layer, a row per step and occupant of its node."""
    events, packet_of, route = scene
    sent = np.where(packet_of >= 0, layer_labels.SENT, -1).astype(np.int8)
    times, running = ran(events, route, packet_of, sent)
    layers = occupancy.layers_table(times, route)
    assert isinstance(layers, pa.Table)
    assert [17.0, 29.0, 4.0] == layers["self_ns"].to_pylist()
    assert ["app", "udp", "ipv6"] == layers["layer"].to_pylist()
    rows = occupancy.occupancy_table(running, route).to_pylist()
    assert 2 * len(running.occupants) == len(rows)
    (row,) = (row for row in rows if row["occupant"] == "thread 6" and row["mean_ns"])
    assert (30.0, 36.0, True, NODE) == (row["mean_ns"], row["step_in_the_way_mean_ns"], row["known"], row["node"])


@pytest.mark.parametrize("seed", range(4))
def test_queue_lengths_are_posts_less_fetches(seed):
    """Against a plain loop; a queue that was not empty at the start; the count restarts after lost samples."""
    random = np.random.default_rng(seed)
    at = np.cumsum(random.integers(1, 20, 200))
    log = [
        (int(t), str(random.choice(["queue.post", "queue.fetch", "queue.drop"])), int(random.integers(0, 2)))
        for t in at
    ]
    cut = log[100][0] + 1
    log = [row for row in log if not cut <= row[0] < cut + 5]
    events = events_of(log, gaps=[(cut, cut + 5)], end=log[-1][0] + 10)
    instants = np.concatenate([[0, cut + 5], random.integers(0, events.end, 100)])
    got = queue_lengths.queue_lengths(events, node=NODE, instants=instants)
    for queue in range(2):
        expected = []
        for instant in instants.tolist():
            part = [row for row in log if row[2] == queue and (row[0] < cut) == (instant < cut + 5)]
            steps = [(t, {"queue.post": 1, "queue.fetch": -1, "queue.drop": 0}[name]) for t, name, _ in part]
            totals = np.concatenate([[0], np.cumsum([step for _, step in steps])])
            expected.append(int(totals[sum(t < instant for t, _ in steps)] - totals.min()))
        assert expected == got[f"queue {queue}"].tolist()

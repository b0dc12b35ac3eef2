"""Traces: every span is a slice, slices nest, flows follow packets; read back from the files with Perfetto's protos."""

from __future__ import annotations

from collections import Counter, defaultdict
from fractions import Fraction

import numpy as np
import pytest
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as pb
from tripcases import analysed

from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.packets import timelines
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.packets.timelines import LOST
from gpiorig.analysis.traces import build, perfetto, trace


@pytest.fixture
def stages(bench):
    """Events, packets and timelines of the synthetic bench, with a lost packet and damage."""
    bench.round_trip(900, lost="reply")
    bench.damage_frame(1, "udp.rx.enter", 7)
    events = bench.events()
    analysis = analysed(events)
    return events, analysis, analysis.timelines


@pytest.fixture
def built(stages):
    _, analysis, _ = stages
    return build.build(analysis, note="a note")


def replay(path):
    """Tracks by uuid, slices (track, start, end, name, flows, last flows) and counter values of a checked file."""
    file = pb.Trace()
    file.ParseFromString(path.read_bytes())
    tracks, names, open_slices, slices, counters = {}, {}, defaultdict(list), [], []
    latest = 0
    for packet in file.packet:
        assert packet.trusted_packet_sequence_id == perfetto.SEQUENCE
        if packet.HasField("track_descriptor"):
            descriptor = packet.track_descriptor
            assert descriptor.uuid not in tracks
            assert not descriptor.parent_uuid or descriptor.parent_uuid in tracks
            tracks[descriptor.uuid] = descriptor
        if not packet.HasField("track_event"):
            continue
        event, stack = packet.track_event, open_slices[packet.track_event.track_uuid]
        assert event.track_uuid in tracks
        for entry in packet.interned_data.event_names:
            names[entry.iid] = entry.name
        if event.type == event.TYPE_COUNTER:
            counters.append((tracks[event.track_uuid].name, packet.timestamp, event.counter_value))
            continue
        assert packet.timestamp >= latest
        latest = packet.timestamp
        if event.type == event.TYPE_SLICE_END:
            begin = stack.pop()
            slices.append((*begin[:2], packet.timestamp, *begin[2:]))
        elif event.type == event.TYPE_INSTANT:
            slices.append((event.track_uuid, packet.timestamp, packet.timestamp, names[event.name_iid], [], []))
        else:
            flows, last = list(event.flow_ids), list(event.terminating_flow_ids)
            stack.append((event.track_uuid, packet.timestamp, names[event.name_iid], flows, last))
    assert not any(open_slices.values())
    return tracks, slices, counters


def test_what_perfetto_reads(built, tmp_path):
    """Begins and ends pair on every track; the slices read are those of the trace, to the nearest ns."""
    path = tmp_path / "a.pftrace"
    assert "nearest ns" in perfetto.write(path, built, epoch_ns=10**18)
    tracks, slices, counters = replay(path)
    expected = Counter(
        (slice_part.name, start, end)
        for slice_part, start, end in zip(
            built.slices,
            built.ns(one.start for one in built.slices),
            built.ns(one.end for one in built.slices),
            strict=True,
        )
    )
    assert expected == Counter((name, start, end) for _, start, end, name, _, _ in slices)
    processes = {track.process.process_name for track in tracks.values() if track.HasField("process")}
    assert {"packets", "initiator", "responder", "air"} == processes
    assert {track.description for track in tracks.values() if track.HasField("process")} == {"a note"}
    labels = [list(track.process.process_labels) for track in tracks.values() if track.HasField("process")]
    assert [["a note"]] * 4 == labels
    assert sum(len(counter.samples) for counter in built.counters) == len(counters)
    first = pb.Trace()
    first.ParseFromString(path.read_bytes())
    assert [(6, 0), (1, 10**18)] == [
        (clock.clock_id, clock.timestamp) for clock in first.packet[0].clock_snapshot.clocks
    ]


@pytest.mark.slow
def test_flows_follow_packets_through_layers_and_nodes(stages, built, tmp_path):
    """The flow of a packet passes its milestones on both nodes and the air, in order, and ends once, at the last."""
    *_, lines = stages
    path = tmp_path / "a.pftrace"
    perfetto.write(path, built)
    tracks, slices, _ = replay(path)
    steps, ends = defaultdict(list), Counter()
    for track, _, _, name, flows, last in sorted(slices, key=lambda record: record[1]):
        for flow in (*flows, *last):
            assert flow not in ends, "a step after the end"
            steps[flow - 1].append((tracks[tracks[track].parent_uuid].process.process_name, name))
            ends.update(last)
    rows = lines.packets.tolist()
    assert set(rows) == set(steps)
    assert dict.fromkeys((row + 1 for row in rows), 1) == ends
    complete = int(np.flatnonzero(lines.status == timelines.COMPLETE)[0])
    for part in (("initiator", "app.tx"), ("air", f"request {lines.ids[complete]}"), ("responder", "driver.rx_read")):
        assert part in steps[rows[complete]]
    assert ("initiator", "app.tx") == steps[rows[complete]][0]
    assert ("initiator", "app.rx") == steps[rows[complete]][-1]


def test_every_span_and_every_other_event_is_there(stages, built):
    """Each event is the start or the end of a slice, or an instant."""
    events, *_ = stages
    kinds = Counter(
        slice_part.instant for slice_part in built.slices if built.tracks[slice_part.track].process in events.node_names
    )
    assert len(events) + len(events.damaged) == 2 * kinds[False] + kinds[True]
    assert len(events.damaged) == sum(slice_part.name == build.DAMAGED for slice_part in built.slices)


def test_round_trips_and_counters(stages, built):
    """A slice per packet; at most one packet in flight; the round-trip times are those of the timelines."""
    _, _, lines = stages
    trips = [slice_part for slice_part in built.slices if slice_part.name.startswith("packet ")]
    assert len(lines) == len(trips)
    assert int((lines.status == LOST).sum()) == sum(trip.name.endswith("lost") for trip in trips)
    values = {built.tracks[counter.track].name: counter.values.tolist() for counter in built.counters}
    assert {0, 1} == set(values["in flight"])
    assert [round(rtt * 125 / 3) for rtt in lines.rtt[lines.timelined].tolist()] == values["round-trip time"]


def overlapping(bench_type):
    """Two packets that are in udp.tx of one node at once, as on a preemptive kernel; the first to begin ends first."""
    bench = bench_type()
    for name, identity in (("enter", 1), ("enter", 2), ("exit", 1), ("exit", 2)):
        bench.emit(0, f"udp.tx.{name}", identity)
    return bench


def test_spans_that_overlap_go_to_lanes(bench, tmp_path):
    """Each exit ends the enter of its id; the two slices do not nest, so they are on two tracks."""
    events = overlapping(type(bench)).events()
    built = build.build(analysed(events, ends=None))
    first, second = built.slices
    assert ["udp", "udp (2)"] == [built.tracks[span.track].name for span in (first, second)]
    assert events.samples.tolist() == [first.start, second.start, first.end, second.end]
    perfetto.write(tmp_path / "a.pftrace", built)
    assert 2 == len(replay(tmp_path / "a.pftrace")[1])


def test_packets_under_way_at_once_are_in_numbered_lanes(bench):
    """The second packet and its steps are on tracks of the second lane; the third finds the first lane free."""
    analysis = analysed(bench.events())
    samples = analysis.timelines.samples
    samples[1] += samples[0, 0] + 10 - samples[1, 0]
    built = build.build(analysis)
    lanes = [built.tracks[part.track].name for part in built.slices if part.name.startswith("packet ")]
    assert Counter({"round trips": 19, "round trips (2)": 1}) == Counter(lanes)
    names = {
        built.tracks[part.track].name for part in built.slices if part.facts.get("id") == 2 and "kind" in part.facts
    }
    assert {"request (2)", "turn-around (2)", "reply (2)"} == names


def test_no_slice_reaches_over_lost_samples(bench):
    """An enter and an exit with a gap between them are instants; the gap itself is a slice of the capture."""
    bench = type(bench)()
    start = bench.emit(0, "udp.tx.enter", 1)
    end = bench.emit(0, "udp.tx.exit", 1)
    built = build.build(analysed(bench.events(gaps=[(start + 20, end - 1)])))
    assert ["udp.tx.enter", "udp.tx.exit", "samples lost"] == [slice_part.name for slice_part in built.slices]
    assert [True, True, False] == [slice_part.instant for slice_part in built.slices]


def test_queue_depths(bench):
    """A counter for each queue: posts less fetches, from the least on as 0."""
    bench = type(bench)()
    for name in ("fetch", "post", "post", "fetch"):
        bench.emit(1, f"queue.{name}", 3)
    (counter,) = build.build(analysed(bench.events())).counters
    assert [0, 1, 2, 1] == counter.values.tolist()


def test_threads_run_from_a_switch_to_the_next(bench):
    """A track for each thread but the idle one; a switch after which nothing is known makes no slice."""
    bench = type(bench)()
    at = [bench.emit(1, name, identity) for name, identity in (("sched.switch", 3), ("sched.switch", 0))]
    at += [bench.emit(1, "sched.switch", identity) for identity in (4, 3)]
    built = build.build(analysed(bench.events()))
    runs = [(built.tracks[part.track].name, part.start, part.end) for part in built.slices if part.category == "thread"]
    assert [("thread 3", at[0], at[1]), ("thread 4", at[2], at[3])] == runs


def test_steps_are_on_tracks_by_way(stages, built):
    """The steps of a complete packet add up to it: request, turn-around, reply; each has its packet, kind, node."""
    _, _, lines = stages
    row = int(np.flatnonzero(lines.status == timelines.COMPLETE)[0])
    packet = next(part for part in built.slices if part.name == f"packet {lines.ids[row]}")
    parts = [part for part in built.slices if "kind" in part.facts and part.facts["packet row"] == lines.packets[row]]
    assert packet.end - packet.start == sum(part.end - part.start for part in parts)
    assert ["request", "turn-around", "reply"] == list(dict.fromkeys(built.tracks[part.track].name for part in parts))
    assert {"id", "packet row", "sample", "node", "kind"} == set(parts[0].facts)
    assert {part.category for part in parts} <= {kind.value for kind in Kind}


def test_a_window_keeps_what_reaches_into_it(stages, built, tmp_path):
    """Slices over its edges stay complete, and the file is still one that nests."""
    _, _, lines = stages
    start, end = int(lines.samples[3, 0]) + 500, int(lines.samples[4, 0]) + 500
    part = trace.window(built, start, end)
    assert all(slice_part.start < end and slice_part.end >= start for slice_part in part.slices)
    assert 2 == sum(slice_part.name.startswith("packet ") for slice_part in part.slices)
    perfetto.write(tmp_path / "w.pftrace", part)
    assert len(part.slices) == len(replay(tmp_path / "w.pftrace")[1])


def test_an_exit_follows_its_enter_in_the_event_table():
    """Which `spans.pairs` relies on."""
    for name, event in BY_NAME.items():
        if event.kind == "exit":
            assert BY_NAME[name.removesuffix("exit") + "enter"].code == event.code - 1


def test_a_window_begins_with_what_begins_there():
    """An instant at its start is in it, one at its end is not; a slice that touches it from either side is not."""
    ends = [(0, 10), (0, 11), (10, 10), (9, 9), (15, 16), (19, 19), (19, 30), (20, 20), (20, 30), (0, 30)]
    parts = [trace.Slice(0, start, end, "") for start, end in ends]
    within = trace.window(trace.Trace(Fraction(1), 0, slices=parts), 10, 20).slices
    assert [(0, 11), (10, 10), (15, 16), (19, 19), (19, 30), (0, 30)] == [(part.start, part.end) for part in within]


def test_a_window_has_what_reaches_into_it():
    """An instant at its first sample, too; nothing that ends there, or begins at its end."""
    slices = [trace.Slice(0, start, end, f"{start} to {end}") for start, end in ((0, 10), (0, 11), (10, 10), (19, 30))]
    complete = trace.Trace(Fraction(1000), 0, "", (), [*slices, trace.Slice(0, 20, 20, "20")], [])
    assert ["0 to 11", "10 to 10", "19 to 30"] == [part.name for part in trace.window(complete, 10, 20).slices]

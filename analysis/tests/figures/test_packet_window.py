"""A packet with everything around it: any of a recording, each span and instant once, and what is of other packets."""

from __future__ import annotations

import json

import evaluations
import numpy as np
import pytest
from tripcases import analysed

from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.figures import packet_boxes
from gpiorig.analysis.figures.packet_boxes import INNER, OUTER, STEP
from gpiorig.analysis.figures.packet_window import EVENTS_LANE, OTHER, PacketWindows
from gpiorig.analysis.packets import delivery, spans


def test_every_event_of_the_window_is_there_once(bench):
    """Spans and instants of both nodes between the ends of the window are those of the events, no more and no fewer."""
    analysis = analysed(bench.events())
    windows, events = PacketWindows(analysis), analysis.events
    for identity in (1, 7, 20):
        view = windows.view(identity)
        begin, end = (view.start + edge for edge in view.window)
        enters, exits = spans.pairs(events)
        starts, ends = events.samples[enters], events.samples[exits]
        boxes = [(box.start + view.start, box.end + view.start) for box in view.boxes if view.lanes[box.lane][0]]
        lasting = sorted(box for box in boxes if box[0] < box[1])
        within = (starts < end) & (ends > begin)
        assert sorted(zip(starts[within].tolist(), ends[within].tolist(), strict=True)) == lasting
        single = np.ones(len(events), dtype=bool)
        single[enters] = single[exits] = False
        instants = events.samples[single & (events.samples >= begin) & (events.samples < end)]
        assert instants.tolist() == sorted(start for start, last in boxes if start == last)


def test_own_lanes_are_those_of_the_report(bench):
    """Steps and own spans are as in the report's viewer; further lanes come below those of their node."""
    analysis = analysed(bench.events())
    route, trips = analysis.routes[0], analysis.round_trips
    view, plain = PacketWindows(analysis).view(7), packet_boxes.of_row(route, trips, 6)
    own = {(view.lanes[box.lane], box.start, box.end, box.name, box.look) for box in view.boxes}
    assert own >= {(plain.lanes[box.lane], box.start, box.end, box.name, box.look) for box in plain.boxes}
    assert (plain.start, plain.total, plain.text) == (view.start, view.total, view.text)
    assert [lane for lane in view.lanes if lane in plain.lanes] == list(plain.lanes)
    nodes = [node for node, _ in view.lanes if node]
    assert nodes == sorted(nodes, key=nodes.index)  # the lanes of a node are together
    assert len({*view.lanes}) == len(view.lanes)
    expected = [edge * view.period_ns for edge in view.window]
    assert expected == pytest.approx(json.loads(json.dumps(view.as_dict()))["window"], abs=0.01)


def test_what_is_of_another_packet_is_named(new_bench):
    """A packet that begins before the one before it has ended: its spans are grey and have its id."""
    bench = new_bench()
    bench.round_trip(1)
    start = bench.now
    bench.round_trip(2)
    bench.log = [(node, at - (60_000 if at >= start else 0), name, id_) for node, at, name, id_ in bench.log]
    analysis = analysed(bench.events())
    view = PacketWindows(analysis).view(1)
    other = {box.name for box in view.boxes if box.look == OTHER}
    assert "app.tx (packet 2)" in other
    assert "isr.timer" in other  # of no packet
    assert {STEP} == {box.level for box in view.boxes if view.lanes[box.lane][1] == EVENTS_LANE}


@pytest.mark.parametrize("lost", ["request", "reply"])
def test_a_lost_packet_is_shown_without_steps(new_bench, lost):
    """From its first event to its last, with what became of it."""
    bench = new_bench()
    for id_ in range(1, 4):
        bench.round_trip(id_, lost=lost if id_ == 2 else "")
    analysis = analysed(bench.events())
    view = PacketWindows(analysis).view(2)
    assert "no reply reached the initiator's application" in view.text
    assert ("initiator", "app") in view.lanes
    assert "steps" not in dict(view.lanes).values()
    request = np.flatnonzero(analysis.hops.packets.ids == 2)[0]
    own = analysis.events.samples[analysis.packet_of == request]
    assert (own[0], own[-1]) == (view.start, view.start + view.total)
    assert {"app.tx"} <= {box.name for box in view.boxes if box.look != OTHER}


def test_of_one_id_the_one_that_is_asked_for(new_bench):
    """By its first sample; None with another id, or at another sample."""
    bench = new_bench()
    for id_ in (1, 2, 1, 2, 3):
        bench.round_trip(id_)
    analysis = analysed(bench.events())
    windows, starts = PacketWindows(analysis), analysis.routes[0].starts.tolist()
    assert [starts[0], starts[2]] == [windows.view(1, at=at).start for at in (None, starts[2])]
    assert [None, None] == [windows.view(9), windows.view(1, at=starts[1])]


def test_of_a_route_without_events():
    """The steps alone."""
    route = evaluations.one_way(packets=5)
    analysis = Analysis(evaluations.events(), None, "", None, (route,), {}, (), ())
    view = PacketWindows(analysis).view(int(route.ids[3]))
    assert route.starts[3] == view.start
    assert len(route.steps.steps) == len(view.boxes)


def test_boxes_that_overlap_need_further_lanes(new_bench):
    """One that begins where another ends is in its lane; one that reaches beyond the box it begins in is not."""
    bench = new_bench()
    bench.round_trip(1)
    at = min(sample for node, sample, name, _ in bench.log if (node, name) == (0, "app.tx.enter"))
    for begin, end, name in ((10, 20, "timer"), (20, 30, "timer"), (12, 18, "uart"), (25, 40, "uart")):
        bench.log += [(0, at + begin, f"isr.{name}.enter", None), (0, at + end, f"isr.{name}.exit", None)]
    view = PacketWindows(analysed(bench.events())).view(1)
    added = [box for box in view.boxes if box.name in ("isr.timer", "isr.uart") and 0 < box.start < 30]
    boxes = sorted((box.start, box.end, view.lanes[box.lane][1], box.level) for box in added)
    lane = boxes[0][2]
    assert [
        (10, 20, lane, OUTER),
        (12, 18, lane, INNER),
        (20, 30, lane, OUTER),
        (25, 40, f"{lane} (2)", OUTER),
    ] == boxes
    assert [EVENTS_LANE] == [label for node, label in view.lanes if node == "initiator"][-1:]


def test_the_packet_with_the_smallest_row(new_bench):
    """The first packet of a recording is a packet: its status is that of its round trip, its events are its own."""
    bench = new_bench()
    for id_ in (1, 2):
        bench.round_trip(id_, lost="reply" if id_ == 1 else "")
    view = PacketWindows(analysed(bench.events())).view(1)
    assert "no reply reached the initiator's application" in view.text
    assert f"Sent {view.start / 24:.4f} µs into" in view.text
    assert {"app.tx", "mac.tx"} <= {box.name for box in view.boxes if box.look != OTHER}
    assert not any(box.name.endswith("(packet 1)") for box in view.boxes)


def test_what_touches_the_window_is_not_in_it(new_bench):
    """A span that ends where it begins, or begins where it ends."""
    for offset, inside in ((0, 0), (1, 2)):
        bench = new_bench()
        bench.round_trip(1)
        plain = PacketWindows(analysed(bench.events())).view(1)
        begin, end = (plain.start + edge for edge in plain.window)
        for first, last in ((begin - 9 + offset, begin + offset), (end - offset, end + 9 - offset)):
            bench.log += [(1, first, "isr.uart.enter", None), (1, last, "isr.uart.exit", None)]
        view = PacketWindows(analysed(bench.events())).view(1)
        assert inside == sum(box.name == "isr.uart" for box in view.boxes)


def test_a_packet_that_is_of_no_round_trip(new_bench):
    """Its status is its own."""
    bench = new_bench()
    bench.round_trip(1)
    bench.emit(1, "app.tx.enter", 77)
    analysis = analysed(bench.events())
    row = int(np.flatnonzero(analysis.hops.packets.ids == 77)[0])
    status = delivery.STATUS[int(analysis.hops.packets.status[row])]
    assert f"Packet 77: {status}; its steps are not all known." in PacketWindows(analysis).view(77).text

"""Events to packets to round trips: every instant of a synthetic bench must come back exactly."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tripcases import analysed, trips

from gpiorig.analysis.packets import timelines
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.packets.timelines import COMPLETE, GAP, LOST, ORDER, PARTIAL

HEADER_NS = 192_000
HEADER = 4608  # samples at 24 MHz


def run(events):
    paired = trips(events)
    return paired, paired.timelines


def assert_true(bench, lines, rows=None):
    """Every milestone of every (complete) packet is where the bench put it."""
    names = [milestone.name for milestone in lines.milestones]
    for row in range(len(lines)) if rows is None else rows:
        expected = [bench.truth[row].get(name, -1) for name in names]
        assert expected == lines.samples[row].tolist(), row


def test_every_milestone_comes_back_exactly(bench):
    paired, lines = run(bench.events())
    assert len(lines.milestones) == len(bench.truth[0]) == 40
    lacking = ("sock.tx", "sock.rx", "sixlowpan.fragment", "mac.backoff")
    absent = {f"{way}.{name}" for way in ("request", "reply") for name in lacking}
    assert absent == set(lines.absent)
    assert_true(bench, lines)
    assert (lines.status == COMPLETE).all()
    assert len(paired.hops.unattributed) == 0
    assert (paired.transmissions == 1).all()
    assert (paired.receptions == 1).all()


def test_steps_add_up_exactly_and_are_named(bench):
    _, lines = run(bench.events())
    steps = timelines.steps(lines)
    assert timelines.steps_add_up(lines, steps)
    names = [step.name for step in steps.steps]
    assert len(names) == len(set(names)) == 39
    by_name = dict(zip(names, steps.steps, strict=True))
    assert by_name["request: radio wait: exec done to first bit on air"].node == "initiator"
    assert by_name["reply: radio wait: exec done to first bit on air"].node == "responder"
    assert by_name["request: air: first bit to radio interrupt"].node == "initiator > responder"
    assert by_name["request: interrupt: line to ISR"].node == "responder"
    assert by_name["turn-around: app.rx to app.tx"].node == "responder"
    assert by_name["reply: udp to app"].node == "initiator"
    spoiled = steps.samples.copy()
    spoiled[3, 5] += 1
    wrong = dataclasses.replace(steps, samples=spoiled)
    assert not timelines.steps_add_up(lines, wrong)


def test_a_silent_responder_is_not_taken_for_its_application(bench):
    """Without its events the way there, its work and the wait before the reply are one step without a node."""
    bench.log = [row for row in bench.log if row[0] == 0]
    _, lines = run(bench.events())
    turned = [step for step in timelines.steps(lines).steps if step.name.startswith("turn-around")]
    assert [("initiator > responder", Kind.UNDIVIDED)] == [(step.node, step.kind) for step in turned]


@pytest.mark.parametrize("direction", ["request", "reply"])
def test_a_lost_packet_is_lost_and_disturbs_no_other(new_bench, direction):
    bench = new_bench()
    for id_ in range(1, 6):
        bench.round_trip(id_, lost=direction if id_ == 3 else "")
    paired, lines = run(bench.events())
    assert [COMPLETE, COMPLETE, LOST, COMPLETE, COMPLETE] == lines.status.tolist()
    assert_true(bench, lines)
    assert -1 == lines.rtt[2]
    way = ("request", "reply").index(direction)
    assert 1 == paired.no_ack[2, way] == paired.no_ack.sum()
    last = {"request": "request.driver.exec.exit", "reply": "reply.driver.exec.exit"}[direction]
    assert f"last seen at {last}" == lines.detail(2)
    assert len(paired.hops.unattributed) == 0


def test_ids_that_wrap_are_different_packets(new_bench):
    bench = new_bench()
    for id_ in (65534, 65535, 1, 2, 65534, 65535, 1, 2):
        bench.round_trip(id_)
    _, lines = run(bench.events())
    assert [65534, 65535, 1, 2] * 2 == lines.ids.tolist()
    assert_true(bench, lines)


def test_a_late_event_changes_no_round_trip(new_bench):
    """An event with the id of a packet of more than half a round ago, which no frame brought."""
    bench = new_bench()
    bench.round_trip(5)
    for id_ in range(6, 40000):
        bench.emit(0, "app.tx.enter", id_)
    bench.now += 1_000_000
    before = trips(bench.events()).timelines
    bench.emit(1, "app.rx.enter", 5)
    _, lines = run(bench.events())
    assert np.array_equal(before.samples, lines.samples)
    assert np.array_equal(before.status, lines.status)
    assert [COMPLETE, LOST] == lines.status[:2].tolist()


def test_a_reply_after_the_handling_of_the_request_answers_it(new_bench):
    """A late responder: its call comes when the application has long returned, after a further request."""
    bench = new_bench()
    bench.round_trip(1, lost="reply")
    marks: dict[str, int] = {}
    bench.leave(1, 1)
    bench.round_trip(2)
    bench.now += 100_000
    bench.send(1, 1, marks)
    bench.air(0, marks, backoffs=1)
    bench.receive(0, 1, marks)
    paired, lines = run(bench.events())
    assert [COMPLETE, COMPLETE] == lines.status.tolist()
    assert marks["app.rx"] == lines.column("reply.app.rx")[0]
    assert 2 == len(paired.replies) == len(np.unique(paired.replies))


def test_a_wrap_of_the_id_without_the_end_of_deliveries_pairs_each_request_once(new_bench):
    """Without ``app.rx.exit`` only time shows which request is answered: the latest, of fewer than 2^15 ago."""
    bench = new_bench()
    for id_ in (7, 8):
        bench.round_trip(id_)
    for id_ in range(9, 9 + (1 << 16)):
        bench.emit(0, "app.tx.enter", id_ & 0xFFFF)
    bench.drop("app.rx.exit")
    late: dict[str, int] = {}
    bench.send(1, 7, late)  # of a request that was sent once more, and before that more than half a round ago
    bench.now += 1_000_000
    paired, lines = run(bench.events())
    again = np.flatnonzero(lines.ids == 7)
    assert [COMPLETE, LOST] == lines.status[again].tolist()
    assert 3 == np.count_nonzero(paired.replies >= 0) == len(np.unique(paired.replies[paired.replies >= 0]))
    assert paired.replies[again[1]] > paired.requests[again[1]]


def test_damaged_frame_makes_the_packet_partial(bench):
    bench.damage_frame(1, "udp.rx.enter", 7)
    paired, lines = run(bench.events())
    assert PARTIAL == lines.status[6]
    assert "missing: request.udp.rx" == lines.detail(6)
    del bench.truth[6]["request.udp.rx"]
    assert_true(bench, lines)
    assert 19 == len(timelines.steps(lines).rows)
    assert lines.rtt[6] == bench.truth[6]["reply.app.rx"] - bench.truth[6]["request.app.tx"]
    # The span inside the damaged call has no direction.
    assert {"neither a send nor a receive call is open": 2} == paired.hops.unattributed.counts()


@pytest.mark.parametrize(
    ("event", "missing"),
    [
        ("isr.radio.enter", ["isr.radio", "irq", "air.start"]),
        ("driver.isr.enter", ["driver.isr", "isr.radio", "irq", "air.start", "driver.rx_read"]),
    ],
)
def test_a_lost_link_is_not_bridged(bench, event, missing):
    """Without the link in between, what came before it is not known to belong to this packet."""
    marks = bench.truth[6]
    began, ended = marks["request.app.tx"], marks["reply.app.rx"]
    at = min(t for node, t, name, _ in bench.log if (node, name) == (1, event) and t > marks["request.irq"])
    bench.damage.add((1, at))
    paired, lines = run(bench.events())
    for name in missing:
        del marks[f"request.{name}"]
    assert_true(bench, lines)
    assert PARTIAL == lines.status[6]
    left = paired.hops.unattributed.positions
    assert 3 <= len(left)
    assert all(began < t < ended for t in paired.events.samples[left])
    assert {1} == set(paired.events.nodes[left].tolist())


def test_a_missing_tap_merges_two_steps(bench):
    bench.drop("tap.irq")
    _, lines = run(bench.events())
    assert {"request.irq", "reply.irq"} <= set(lines.absent)
    for marks in bench.truth:
        del marks["request.irq"], marks["reply.irq"]
    assert_true(bench, lines)
    steps = timelines.steps(lines)
    assert "request: air.start to isr.radio" in [step.name for step in steps.steps]
    assert timelines.steps_add_up(lines, steps)


def test_without_frame_timestamp_or_its_header_there_is_no_air_start(bench):
    events = bench.events()
    without = trips(events, header_ns=None).timelines
    assert not any(milestone.name.endswith("air.start") for milestone in without.milestones)
    assert (without.status == COMPLETE).all()
    assert (without.rtt == trips(events).timelines.rtt).all()


@pytest.mark.parametrize(("node", "direction"), [("responder", "request"), ("initiator", "reply")])
def test_the_receiver_s_line_shows_the_start_on_air(bench, node, direction):
    """Where one node alone has a frame timestamp line, only what it receives has an air start."""
    lines = trips(bench.events(), header_ns={node: HEADER_NS}).timelines
    assert [f"{direction}.air.start"] == [one.name for one in lines.milestones if one.name.endswith("air.start")]
    assert [marks[f"{direction}.air.start"] for marks in bench.truth] == lines.column(f"{direction}.air.start").tolist()


def test_an_old_frame_timestamp_is_not_taken(new_bench):
    """A rise of the line more than the longest frame before the interrupt is of another frame."""
    bench = new_bench()
    bench.round_trip(1)
    bench.now += 100_000
    old = bench.emit(1, "tap.frame_timestamp.enter")
    bench.now += 100_000
    true = bench.round_trip(2)["request.air.start"] + HEADER
    bench.log.remove((1, true, "tap.frame_timestamp.enter", None))
    paired, lines = run(bench.events())
    assert -1 == lines.column("request.air.start")[1]
    assert [COMPLETE, PARTIAL] == lines.status.tolist()
    assert old in paired.events.samples[paired.hops.unattributed.positions]


def test_duplicates_are_counted_and_the_first_reply_counts(new_bench):
    """The responder receives a request twice and answers twice; the round trip ends with the first reply."""
    bench = new_bench()
    bench.round_trip(1)
    marks = bench.round_trip(2)
    for node, way in ((1, "request"), (0, "reply")):
        del way
        bench.emit(node, "tap.frame_timestamp.enter")
        bench.emit(node, "tap.frame_timestamp.exit")
        bench.receive(node, 2, {})
        bench.leave(node, 2)
    bench.round_trip(3)
    paired, lines = run(bench.events())
    assert [[1, 1], [2, 2], [1, 1]] == paired.receptions.tolist()
    assert 2 == paired.duplicates
    assert marks["reply.app.rx"] - marks["request.app.tx"] == lines.rtt[1]
    assert_true(bench, lines)
    assert (lines.status == COMPLETE).all()


def test_a_retry_counts_the_transmission_that_was_received(new_bench):
    """A software retry: the milestones of the sender are those of the transmission that arrived."""
    bench = new_bench()
    marks: dict[str, int] = {}
    bench.send(0, 9, marks)
    bench.air(1, {}, backoffs=1)
    bench.log.pop(), bench.log.pop()
    bench.end_of_transmission(0, 9, outcome="radio.tx_no_ack")
    for part in ("driver.prepare", "driver.load", "driver.exec"):
        marks[part] = bench.emit(0, f"{part}.enter", 9)
        marks[f"{part}.exit"] = bench.emit(0, f"{part}.exit", 9)
    bench.air(1, marks, backoffs=2)
    bench.receive(1, 9, marks)
    paired, lines = run(bench.events())
    assert [[2, 0]] == paired.transmissions.tolist()
    assert 1 == paired.retries
    assert LOST == lines.status[0]
    for name in ("app.tx", "driver.prepare", "driver.exec.exit", "air.start", "irq", "app.rx"):
        assert marks[name] == lines.column(f"request.{name}")[0]


def test_an_interleaved_duplicate_moves_no_milestone(new_bench):
    """A second reception before the application reads the first: the milestones are those of one reception."""
    bench = new_bench()
    bench.round_trip(1)
    bench.round_trip(2)
    read = bench.truth[1]["request.sixlowpan.rx"]
    bench.log.append((1, read + 50, "driver.rx_read.exit", 2))
    _, lines = run(bench.events())
    assert [COMPLETE, COMPLETE] == lines.status.tolist()
    assert_true(bench, lines)


def test_an_order_that_cannot_be_is_reported_not_repaired(new_bench):
    """A reply that was sent before its request was delivered."""
    bench = new_bench()
    bench.round_trip(1)
    marks = bench.round_trip(2)
    at = marks["request.app.rx"]
    bench.log = [
        (node, marks["reply.udp.tx"] + 5 if (t, name) == (at, "app.rx.enter") else t, name, id_)
        for node, t, name, id_ in bench.log
    ]
    _, lines = run(bench.events())
    assert [COMPLETE, ORDER] == lines.status.tolist()
    assert "is before request.app.rx" in lines.detail(1)
    assert -1 == lines.rtt[1]


def test_a_packet_in_a_gap_is_excluded_and_a_gap_between_packets_is_not(bench):
    marks = bench.truth
    inside = (marks[4]["request.irq"], marks[4]["request.irq"] + 10)
    between = (marks[8]["reply.app.rx"] + 2, marks[9]["request.app.tx"] - 1)
    at_start = (marks[11]["request.app.tx"] - 5, marks[11]["request.app.tx"])
    at_end = (marks[13]["reply.app.rx"] + 1, marks[13]["reply.app.rx"] + 5)
    touching = (marks[15]["reply.app.rx"], marks[15]["reply.app.rx"] + 5)
    _, lines = run(bench.events(gaps=[inside, between, at_start, at_end, touching]))
    assert [4, 15] == np.flatnonzero(lines.status == GAP).tolist()


def test_a_lost_packet_in_a_gap_is_not_called_lost(new_bench):
    bench = new_bench()
    bench.round_trip(1)
    marks = bench.round_trip(2, lost="reply")
    later = max(marks.values()) + 15_000
    bench.round_trip(3)
    _, lines = run(bench.events(gaps=[(later, later + 10)]))
    assert [COMPLETE, GAP, COMPLETE] == lines.status.tolist()


def test_counts_cover_every_packet(bench):
    bench.damage_frame(1, "udp.rx.enter", 7)
    _, lines = run(bench.events(gaps=[(bench.truth[4]["request.irq"], bench.truth[4]["request.irq"] + 10)]))
    assert 20 == sum(lines.counts().values())


def test_events_of_others_do_not_matter(bench):
    """Frames of unknown packets, timers, threads and empty passes of the handler change no timeline."""
    for marks in bench.truth:
        quiet = marks["reply.app.rx"] + 9000
        for k, name in enumerate(("tap.irq.enter", "isr.radio.enter", "isr.radio.exit", "driver.isr.enter")):
            bench.log.append((1, quiet + 100 * k, name, None))
        bench.log.append((1, quiet + 500, "tap.irq.exit", None))
        bench.log.append((1, quiet + 600, "driver.isr.exit", None))
        bench.log.append((0, quiet + 700, "sched.switch", 3))
    paired, lines = run(bench.events())
    assert_true(bench, lines)
    assert (lines.status == COMPLETE).all()
    assert {"no completion of the radio follows that it can belong to": 6 * 20} == paired.hops.unattributed.counts()


def test_a_recording_without_a_packet_has_no_round_trips(new_bench):
    paired = analysed(new_bench().events())
    assert (None, None) == (paired.hops, paired.round_trips)
    assert "no packet in the events" in paired.no_packets
    assert () == paired.routes

"""Quantities by name: valid and refused names, and values against steps, truth and plain slow versions."""

from __future__ import annotations

import random
from collections import deque
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from madeevents import events_of_rows
from network import Network

from gpiorig.analysis.compare import assertions, delays, limits
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.evaluation import analysis
from gpiorig.analysis.logs import node_log
from gpiorig.analysis.packets import hop_routes, path
from gpiorig.analysis.processor import queue_lengths
from gpiorig.analysis.quantities import milestones
from gpiorig.analysis.quantities import shares as quantity_shares
from gpiorig.analysis.quantities import values as quantity_values
from gpiorig.analysis.quantities.kinds import Kind, Unit
from gpiorig.analysis.quantities.names import MILESTONES, Milestone, is_quantity, parse
from gpiorig.analysis.quantities.series import Recorded, single, weighted
from gpiorig.analysis.quantities.values import all_series, default_series, named_values

MS = 24_000
NODES = ("initiator", "responder")
HEADERS = dict.fromkeys(NODES, 192_000)
AIR_HEADER = 4608  # samples, 192 µs
TX_EVENTS = ("radio.tx_complete", "radio.tx_no_ack", "radio.tx_busy")


def recorded(events, *, headers=None, destinations=None, ends=None, **parameters):
    stages = analysis.analyse(events, {}, header_ns=headers or HEADERS, destinations=destinations, ends=ends)
    return Recorded(stages, parameters)


def by_node(text, measured):
    return {one.node: one for one in all_series([text], measured)}


def processes(rows, *, end=100_000, gaps=()):
    """A recording of events of one node, none of them with a packet id."""
    return recorded(events_of_rows(((at, 0, event, id_) for at, event, id_ in rows), ("a",), end=end, gaps=gaps))


def relayed(network, *, packets, nodes, seed, lost=0.2):
    """Packets over some nodes; some are lost on the way, some are read twice."""
    rng = random.Random(seed)
    for n in range(1, packets + 1):
        at, by = n * 200 * MS, "call"
        for place, sender in enumerate(nodes[:-1]):
            reader = nodes[place + 1]
            how = "deliver" if reader == nodes[-1] else "relay"
            gone = rng.random() < lost
            readers = {} if gone else {reader: how}
            twice = reader if rng.random() < 0.2 and not gone else ""
            at = network.frame(at, sender, n, readers, by=by, outcome="complete", twice=twice).end + MS
            by = "relay"
            if gone:
                break


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("mac.tx -> mac.rx", "mac.tx -> mac.rx", Kind.BETWEEN),
        (" mac.tx->mac.rx ", "mac.tx -> mac.rx", Kind.BETWEEN),
        ("mac.tx.enter -> mac.tx.exit", "mac.tx -> mac.tx.exit", Kind.BETWEEN),
        ("request.mac.tx -> reply.mac.rx", "request.mac.tx -> reply.mac.rx", Kind.BETWEEN),
        ("hop 2.mac.tx -> mac.rx at relay", "hop 2.mac.tx -> mac.rx at relay", Kind.BETWEEN),
        ("driver.exec -> isr.tx_end", "driver.exec -> isr.tx_end", Kind.BETWEEN),
        ("interval of  app.tx", "interval of app.tx", Kind.INTERVAL),
        ("span of task.run 6 at a", "span of task.run 6 at a", Kind.SPAN),
        ("wait of queue 3", "wait of queue 3", Kind.WAIT),
        ("blocked time of task 6", "blocked time of task 6", Kind.BLOCKED),
        ("rtt by log at a", "rtt by log at a", Kind.LOGGED_ROUND_TRIP),
        ("length of queue 0", "length of queue 0", Kind.LENGTH),
        ("run of thread 2", "run of thread 2", Kind.RUN),
        ("time of thread 2 in mac.tx->driver.exec at a", "time of thread 2 in mac.tx -> driver.exec at a", Kind.TIME),
        ("share of sleep", "share of sleep", Kind.SHARE),
        ("duty of radio", "duty of radio", Kind.DUTY),
        ("goodput at a", "goodput at a", Kind.GOODPUT),
    ],
)
def test_what_is_understood(text, name, kind):
    quantity = parse(text)
    assert (name, kind) == (quantity.name, quantity.kind)
    assert quantity == parse(quantity.name)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("mac.txx -> mac.rx", "no milestone `mac.txx`; did you mean `mac.tx`?"),
        ("mac.tx -> zzz", "no milestone `zzz`; available: app.tx, "),
        ("mac.tx -> mac.rx -> app.rx", "one `->` has a milestone at either end"),
        ("mac.tx ->", "a milestone is missing"),
        ("mac.tx -> mac.tx", "from one to the next it is `interval of mac.tx`"),
        ("udp.checksum -> mac.rx", "ask for `span of udp.checksum`"),
        ("hop 0.mac.tx -> mac.rx", "no milestone `hop 0.mac.tx`"),
        ("interval of air.start", "computed from a packet's hop"),
        ("span of queue.post", "no point with an enter and an exit `queue.post`"),
        ("run of thread", "needs its id, as in `thread 3`"),
        ("time of thread 2", "one `->` has a milestone at either end"),
        ("share of sleep 3", "`sleep` has no id"),
        ("share of sleep 0", "`sleep` has no id"),
        ("wait of radio", "no subject of a wait `radio`; available: task, queue"),
        ("blocked time of queue 3", "no subject of a blocked time `queue`"),
        ("rtt by pins", "no clock `pins`; available: log, host, aggregator"),
        ("the delay", "not understood; write it like `mac.tx -> mac.rx`"),
    ],
)
def test_what_is_refused(text, part):
    with pytest.raises(QuantityError) as error:
        parse(text)
    assert part in str(error.value)
    assert text in str(error.value)


@pytest.mark.parametrize("text", ["rtt", "delay", "loss", "*", "isr", "udp to ipv6", "request: mac to driver"])
def test_old_names_of_delays_are_not_quantities(text):
    assert not is_quantity(text)


@pytest.mark.parametrize("name", MILESTONES)
def test_every_milestone_can_be_named_with_every_qualifier(name):
    other = "app.tx" if name != "app.tx" else "app.rx"
    for qualifier in ("", "request.", "reply.", "hop 3."):
        quantity = parse(f"{qualifier}{name} -> {other}")
        assert name == quantity.start.name
        assert f"{qualifier}{name}" == quantity.start.text


def test_a_delay_may_last_no_sample(bench):
    """A frame of packet 5 that is on the air in the sample of the command has a radio wait of 0."""
    marks = bench.truth[4]
    done, rise = marks["request.driver.exec.exit"], marks["request.air.start"] + AIR_HEADER
    bench.log.remove((1, rise, "tap.frame_timestamp.enter", None))
    bench.log.append((1, done + AIR_HEADER, "tap.frame_timestamp.enter", None))
    (wait,) = all_series(["request.driver.exec.exit -> request.air.start"], recorded(bench.events(), ends=NODES))
    assert (20, 0, 0) == (len(wait.values), wait.lacking, int(wait.values[4]))


def test_round_trips_and_steps_come_back(bench):
    """The total delay is the round trip; each pair of neighbouring milestones is the step of the route."""
    events = bench.events()
    measured = recorded(events, ends=NODES)
    route = measured.analysis.routes[0]
    (total,) = all_series(["request.app.tx -> reply.app.rx"], measured)
    assert route.totals.tolist() == total.values.tolist()
    assert route.starts.tolist() == total.starts.tolist()
    assert ("initiator", 0) == (total.node, total.lacking)
    total = 0
    for column, step in enumerate(route.steps.steps):
        (one,) = all_series([f"{step.start.name} -> {step.end.name}"], measured)
        assert route.steps.samples[:, column].tolist() == one.values.tolist(), step.name
        assert step.start.name in one.name
        total = total + one.values
    assert route.totals.tolist() == total.tolist()


def test_one_way_delays_are_those_of_the_routes():
    network = Network("abc")
    relayed(network, packets=40, nodes="abc", seed=3)
    measured = recorded(network.events(), headers=network.headers())
    (route,) = hop_routes.routes(measured.packets())
    total = by_node("app.tx -> app.rx", measured)["a > c"]
    assert route.totals.tolist() == total.values.tolist()
    assert 40 == len(total.values) + total.lacking
    assert 0 < total.lacking == route.lost
    assert not set(total.packets.tolist()) & set(total.lacking_packets.tolist())


def test_the_end_of_sending_is_never_a_reception(bench):
    """Walked through event by event: of each command the last interrupt before its outcome."""
    events = bench.events()
    measured = recorded(events)
    for name, event in (("isr.tx_end", "isr.radio.enter"), ("irq.tx_end", "tap.irq.enter")):
        series = by_node(f"driver.exec -> {name}", measured)
        for node, node_name in enumerate(NODES):
            expected, command, seen = [], None, None
            for sample, at, code in zip(
                events.samples.tolist(), events.nodes.tolist(), events.codes.tolist(), strict=True
            ):
                what = quantity_shares.BY_CODE[code].name
                if at != node:
                    continue
                if what == "driver.exec.enter":
                    command = sample
                elif what == event:
                    seen = sample
                elif what in TX_EVENTS:
                    expected.append(seen - command)
            assert expected == series[node_name].values.tolist()
            assert expected


def test_exits_and_inner_events_of_the_sender():
    """The exit is that of the span entered; an event without a place on the path is found in the packet's visit."""
    network = Network("ab")
    frame = network.frame(0, "a", 7, {"b": "deliver"}, outcome="no_ack")
    network.frame(frame.end + MS, "a", 7, {"b": "drop"}, by="retry")
    events = network.events()
    measured = recorded(events, headers=network.headers())
    (loaded,) = all_series(["driver.load -> driver.load.exit"], measured)
    spans = by_node("span of driver.load", measured)["a"]
    assert spans.values.tolist() == loaded.values.tolist()
    (failed,) = all_series(["driver.exec -> radio.tx_no_ack"], measured)
    at = int(events.instants("radio.tx_no_ack", node="a")[0])
    assert [at - frame.marks["driver.exec"]] == failed.values.tolist()


def slow(measured, start, end):
    """By the definition: to each end from the latest start or end before it on its path, if that is a start."""
    packets = measured.packets()
    begins, ends = (milestones.instants(milestone, measured) for milestone in (start, end))
    before = milestones.rows_before(packets, measured.request_of)
    pairs = set()
    for row in np.flatnonzero(ends >= 0).tolist():
        limit, chain = int(ends[row]), [row]
        while before[chain[-1]] >= 0:
            chain.append(int(before[chain[-1]]))
        marks = {(int(begins[row]), 1, int(row)) for row in chain if 0 <= begins[row] <= limit}
        marks |= {(int(ends[row]), 0, int(row)) for row in chain[1:] if 0 <= ends[row] < limit}
        if marks and max(marks)[1]:
            sender = packets.visits_to if start.received else packets.visits_from
            receiver = packets.visits_to if end.received else packets.visits_from
            pairs.add((int(sender[max(marks)[2]]), int(receiver[row]), limit - max(marks)[0]))
    return sorted(delay for *_, delay in pairs)


@pytest.mark.parametrize("seed", range(6))
def test_random_ways_agree_with_the_definition(seed):
    rng = random.Random(seed)
    network = Network("abcd", seed=seed)
    relayed(network, packets=15, nodes="abcd", seed=seed)
    for n in range(50, 60):
        network.frame(n * 200 * MS, "b", n, {"a": "deliver", "c": rng.choice(("deliver", "hear")), "d": "drop"})
    measured = recorded(network.events(), headers=network.headers())
    names = [p.name for p in path.POINTS if (measured.packets().samples[milestones.COLUMNS[p.name]] >= 0).any()]
    for _ in range(60):
        start, end = (Milestone(name) for name in rng.sample(names, 2))
        series = all_series([f"{start.name} -> {end.name}"], measured)
        values = sorted(value for one in series for value in one.values.tolist())
        assert slow(measured, start, end) == values, (start, end)
        assert all(value >= 0 for value in values)


def test_a_node_of_which_every_packet_is_lost_has_a_series_of_none():
    network = Network("abc")
    for n in range(1, 4):
        end = network.frame(100 * MS * n, "a", n, {"b": "deliver"}).end
        network.frame(end + MS, "c", n + 100, {}, outcome="no_ack")
    series = by_node("mac.tx -> mac.rx", recorded(network.events(), headers=network.headers()))
    assert {"a > b": (3, 0), "c": (0, 3)} == {node: (len(one.values), one.lacking) for node, one in series.items()}
    assert "not defined (3 more lack it)" == assertions.interval_text(series["c"].interval("p99"))


def test_what_was_read_at_a_node_and_not_sent_on_is_not_lacking():
    network = Network("abc")
    relayed(network, packets=5, nodes="abc", seed=1, lost=0)
    measured = recorded(network.events(), headers=network.headers())
    (turn,) = all_series(["mac.rx -> mac.tx"], measured)
    assert ("b", 5, 0) == (turn.node, len(turn.values), turn.lacking)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("sock.tx -> app.rx", "no packet of this recording shows `sock.tx`; it has app.tx"),
        ("reply.mac.tx -> mac.rx", "no packet of this recording shows `reply.mac.tx`"),
        ("mac.tx -> mac.rx at x", "no node `x`; the recording has a, b"),
        ("duty of radio", "the pins do not show when a receiver listens"),
        ("goodput", "does not contain `payload` of a; set it in the experiment"),
        ("run of thread 3", "no node shows"),
        ("wait of task 6", "set `events_task = true`"),
        ("length of queue 1", "set `events_queue = true`"),
        ("interval of sched.switch", "does not show two events `sched.switch`"),
    ],
)
def test_what_a_recording_does_not_show_is_reported(text, part):
    network = Network("ab")
    network.frame(0, "a", 7, {"b": "deliver"})
    with pytest.raises(QuantityError, match="quantity `") as error:
        all_series([text], recorded(network.events(), headers=network.headers()))
    assert part in str(error.value)


def test_without_packets_events_are_still_measured():
    measured = processes([(1000 * n, "isr.timer.enter", None) for n in range(5)])
    assert measured.analysis.hops is None
    assert [1000] * 4 == all_series(["interval of isr.timer"], measured)[0].values.tolist()
    with pytest.raises(QuantityError, match="no packet in the events"):
        all_series(["mac.tx -> mac.rx"], measured)


def test_intervals_do_not_cross_lost_samples():
    rows = [(at, "app.tx.enter", at % 7) for at in (10, 30, 60, 100, 150)]
    (one,) = all_series(["interval of app.tx"], processes(rows, gaps=[(70, 80)]))
    assert [20, 30, 50] == one.values.tolist()
    assert [10, 30, 100] == one.starts.tolist()
    assert 1 == one.lacking


def test_spans_without_an_exit_are_counted():
    rows = [(10, "task.run.enter", 6), (20, "task.run.exit", 6), (30, "task.run.enter", 7), (35, "task.run.exit", 7)]
    rows += [(40, "task.run.enter", 6)]
    measured = processes(rows)
    (all_tasks,), (six,) = (all_series([text], measured) for text in ("span of task.run", "span of task.run 6"))
    assert ([10, 5], 1) == (all_tasks.values.tolist(), all_tasks.lacking)
    assert ([10], 1) == (six.values.tolist(), six.lacking)


def test_a_task_waits_from_being_due_to_running():
    rows = [(10, "task.due", 6), (13, "task.run.enter", 6), (15, "task.run.exit", 6), (20, "task.due", 6)]
    rows += [(30, "task.due", 6), (31, "task.run.enter", 7), (34, "task.run.enter", 6), (40, "task.due", 6)]
    (one,) = all_series(["wait of task 6"], processes(rows))
    assert ([3, 4], 2) == (one.values.tolist(), one.lacking)
    with pytest.raises(QuantityError, match="no task with the id `5`; available: 6"):
        all_series(["wait of task 5"], processes(rows))


def test_a_task_is_blocked_for_all_but_its_own_time():
    """Of 4 ms from due to done 1 ms is its own: the wait before it and what preempted it; a run not done is lacking."""
    rows = [(5, "task.due", 6), (MS, "task.run.enter", 6), (2 * MS, "task.run.enter", 1), (3 * MS, "task.run.exit", 1)]
    rows += [(4 * MS + 5, "task.run.exit", 6), (10 * MS, "task.due", 6), (11 * MS, "task.run.enter", 6)]
    measured = processes(rows, end=20 * MS)
    with pytest.raises(QuantityError, match="does not contain `worker_a_on_us` of a"):
        all_series(["blocked time of task 6"], measured)
    (one,) = all_series(["blocked time of task 6"], Recorded(measured.analysis, {"a.worker_a_on_us": 1000}))
    assert ([3_000_000], 1, 1) == (one.values.tolist(), one.scale, one.lacking)
    log = node_log.parse("ok workers loops=9 a_missed=3\n", node="a")
    counted = replace(measured.analysis, logs={"a": log})
    (more,) = all_series(["blocked time of task 6"], Recorded(counted, {"a.worker_a_on_us": 1000}))
    assert 1 + 3 == more.lacking
    with pytest.raises(QuantityError, match="of a processing task; the reference firmware has 6 and 7"):
        all_series(["blocked time of task 1"], measured)


@pytest.mark.parametrize("seed", range(4))
def test_queues_agree_with_a_queue(seed):
    """Against a queue that is filled and emptied one by one, and the lengths that the occupancy finds."""
    rng = random.Random(seed)
    held, rows, waits, lengths, at = deque[int](), [], [], [], 0
    for _ in range(200):
        at += rng.randint(1, 50)
        if held and rng.random() < 0.5:
            waits.append(at - held.popleft())
            rows.append((at, "queue.fetch", 3))
        else:
            held.append(at)
            rows.append((at, "queue.post", 3))
        lengths.append(len(held))
    measured = processes(rows, end=at + 10)
    (wait,), (length,) = (all_series([text], measured) for text in ("wait of queue 3", "length of queue 3"))
    assert (waits, len(held)) == (wait.values.tolist(), wait.lacking)
    assert lengths == length.values.tolist()
    other = queue_lengths.queue_lengths(measured.events, node="a", instants=length.starts + 1)
    assert other["queue 3"].tolist() == length.values.tolist()
    assert length.weights.sum() == at + 10 - rows[0][0]


def test_a_queue_that_was_not_empty_at_first():
    rows = [(10, "queue.fetch", 3), (20, "queue.post", 3), (25, "queue.post", 3), (30, "queue.fetch", 3)]
    measured = processes(rows)
    (wait,), (length,) = (all_series([text], measured) for text in ("wait of queue 3", "length of queue 3"))
    assert ([10], 1) == (wait.values.tolist(), wait.lacking)
    assert [0, 1, 2, 1] == length.values.tolist()


@pytest.mark.parametrize("statistic", ["min", "max", "p2p", "mean", "std", "iqr", "median", "p5", "p95", "p99"])
def test_weights_are_as_good_as_repetition(statistic):
    """The least and the largest value hold for no time."""
    rng = np.random.default_rng(5)
    values, weights = rng.integers(1, 9, 40), rng.integers(0, 30, 40)
    values[:2], weights[:2] = (0, 9), 0
    repeated = np.sort(np.repeat(values, weights))
    at = {share: repeated[int(np.ceil(share * len(repeated))) - 1] for share in (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)}
    expected = {
        "min": repeated[0],
        "max": repeated[-1],
        "p2p": np.ptp(repeated),
        "mean": repeated.mean(),
        "std": repeated.std(),
        "iqr": at[0.75] - at[0.25],
        "median": at[0.5],
        "p5": at[0.05],
        "p95": at[0.95],
        "p99": at[0.99],
    }
    assert expected[statistic] == pytest.approx(weighted(values, weights, statistic), rel=1e-12)
    series = replace(single("a", parse("length of queue 3"), 1, Fraction(1, 4), 0), values=values, weights=weights)
    assert expected[statistic] / 4 == pytest.approx(series.interval(statistic).value, rel=1e-12)


def test_covered_samples_are_counted_once():
    rng = random.Random(3)
    for _ in range(50):
        pairs = np.array([sorted(rng.sample(range(60), 2)) for _ in range(rng.randint(1, 8))])
        assert len({n for a, b in pairs.tolist() for n in range(a, b)}) == quantity_shares.covered(pairs)


def test_shares_of_a_processor_add_up():
    rows = [(0, "sched.switch", 0), (100, "sched.switch", 2), (150, "isr.timer.enter", None)]
    rows += [
        (160, "isr.timer.exit", None),
        (200, "sched.switch", 0),
        (400, "sched.switch", 2),
        (450, "sched.switch", 0),
    ]
    measured = processes([*rows, (1000, "sched.switch", 2)], end=1000)
    names = ("share of sleep", "share of thread 2", "share of isr.timer")
    shares = [Fraction(int(one.values[0])) * one.scale for one in all_series(names, measured)]
    assert [Fraction(850, 1000), Fraction(140, 1000), Fraction(10, 1000)] == shares
    (runs,) = all_series(["run of thread 2"], measured)
    assert [50, 40, 50, 0] == runs.values.tolist()


def test_times_of_all_occupants_within_a_delay_are_the_delay():
    """Against the switches walked through one by one, and in sum."""
    network = Network("ab")
    frames = [network.frame(100 * MS * n, "a", n, {"b": "deliver"}) for n in range(1, 6)]
    rng, switches = random.Random(4), []
    for frame in frames:
        start = frame.marks["app.tx"]
        switches += [(start + 50 + 37 * k, rng.randrange(4)) for k in range(60)]
    network.log += [(at, "a", "sched.switch", thread) for at, thread in [(1, 0), *switches]]
    network.log.sort()
    measured = recorded(network.events(), headers=network.headers())
    (total,) = all_series(["app.tx -> driver.exec"], measured)
    times = {}
    for name in ("sleep", "thread 1", "thread 2", "thread 3"):
        (one,) = all_series([f"time of {name} in app.tx -> driver.exec"], measured)
        times[name] = one.values
    first = [
        sum(
            max(0, min(until, start + length) - max(at, start))
            for (at, thread), (until, _) in zip([(1, 0), *switches], [*switches, (10**9, 0)], strict=True)
            if thread == 3
        )
        for start, length in zip(total.starts.tolist(), total.values.tolist(), strict=True)
    ]
    assert first == times["thread 3"].tolist()
    assert total.values.tolist() == sum(times.values()).tolist()
    with pytest.raises(QuantityError, match="`a > b` are two nodes"):
        all_series(["time of sleep in mac.tx -> mac.rx"], measured)


def test_duty_of_a_span_that_stays_open():
    rows = [(0, "slot.interrupt", None), (100, "slot.rx.enter", None), (200, "slot.rx.exit", None)]
    rows += [(300, "slot.tx.enter", None), (350, "slot.tx.exit", None), (800, "slot.rx.enter", None)]
    measured = processes([*rows, (1000, "slot.interrupt", None)], end=5000)
    for text, busy in (("duty of slot.rx", 300), ("duty of slot.tx", 50), ("duty of radio", 350)):
        (one,) = all_series([text], measured)
        assert Fraction(busy, 1000) == int(one.values[0]) * one.scale


def test_duty_of_a_radio_that_is_set_to_receive_and_idle():
    rows = [(0, "timer.set", None), (100, "radio.set_rx", None), (400, "radio.set_idle", None)]
    (one,) = all_series(["duty of radio"], processes([*rows, (1000, "timer.set", None)]))
    assert Fraction(300, 1000) == int(one.values[0]) * one.scale


def test_duties_and_rates_begin_after_the_warm_up():
    rows = [(0, "slot.interrupt", None), (100, "slot.rx.enter", None), (200, "slot.rx.exit", None)]
    measured = processes([*rows, (900, "slot.interrupt", None), (1000, "slot.interrupt", None)])
    late = replace(measured, begin=150)
    for text, value in (
        ("duty of slot.rx", Fraction(50, 850)),
        ("rate of slot.interrupt", Fraction(2 * 24_000_000, 850)),
    ):
        (one,) = all_series([text], late)
        assert value == int(one.values[0]) * one.scale
    with pytest.raises(QuantityError, match="a shows nothing after the warm-up"):
        all_series(["duty of slot.rx"], replace(measured, begin=1001))


def test_goodput_leaves_out_packets_of_the_warm_up():
    network = Network("ab")
    frames = [network.frame(100 * MS * n, "a", n, {"b": "deliver"}) for n in range(1, 6)]
    measured = recorded(network.events(), headers=network.headers(), destinations={"a": ("b",)}, payload=40)
    (one,) = all_series(["goodput"], replace(measured, begin=frames[2].marks["app.tx"]))
    time = frames[-1].arrivals["b"]["app.rx"] - frames[2].marks["app.tx"]
    assert Fraction(8 * 40 * 3 * 24_000_000, time) == int(one.values[0]) * one.scale


def test_goodput_of_which_nothing_arrived_after_the_warm_up():
    network = Network("ab")
    network.frame(100 * MS, "a", 1, {"b": "deliver"})
    last = network.frame(200 * MS, "a", 2, {}, outcome="no_ack")
    measured = recorded(network.events(), headers=network.headers(), destinations={"a": ("b",)}, payload=40)
    with pytest.raises(QuantityError, match="no packet of a send call reached an application"):
        all_series(["goodput"], replace(measured, begin=last.marks["app.tx"]))


def test_goodput_counts_each_packet_once():
    network = Network("ab")
    frames = [network.frame(100 * MS * n, "a", n, {"b": "deliver"}, twice="b" if n == 3 else "") for n in range(1, 6)]
    network.frame(600 * MS, "a", 6, {}, outcome="no_ack")
    measured = recorded(
        network.events(), headers=network.headers(), destinations={"a": ("b",)}, payload=20, **{"a.payload": 40}
    )
    (one,) = all_series(["goodput"], measured)
    time = frames[-1].arrivals["b"]["app.rx"] - frames[0].marks["app.tx"]
    assert Fraction(8 * 40 * 5 * 24_000_000, time) == int(one.values[0]) * one.scale
    assert 1 == one.lacking
    assert Unit.RATE is one.quantity.kind.unit


def test_a_packet_that_lacks_a_value_has_a_row():
    network = Network("abc")
    relayed(network, packets=20, nodes="abc", seed=3)
    measured = recorded(network.events(), headers=network.headers(), payload=20)
    series = default_series(measured)
    content = quantity_values.table(series, measured.analysis)
    assert sum(len(one.values) + len(one.lacking_packets) for one in series) == content.num_rows
    lacking = sum(len(one.lacking_packets) for one in series)
    assert 0 < lacking == content["value"].null_count
    assert b"24000000" == content.schema.metadata[b"samplerate_hz"]
    numbers = measured.packets().packets.ids.tolist()
    assert all(
        row["packet_row"] is None or numbers[row["packet_row"]] == row["packet_id"] for row in content.to_pylist()
    )
    rates = [row for row in content.to_pylist() if row["unit"] == "bit/s"]
    assert [None] == [row["samples"] for row in rates]
    assert {"app.tx -> app.rx", "mac.tx -> mac.rx", "driver.exec -> isr.tx_end", "interval of app.tx", "goodput"} == {
        one.quantity.text for one in series
    }


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("p99(mac.tx -> mac.rx) < 20 ms", True),
        ("mac.tx -> mac.rx.p99 < 1 us", False),
        ("max( driver.exec -> isr.tx_end ) > 1 us", True),
        ("goodput > 2 kbit/s", False),
        ("goodput < 2 kbit/s", True),
        ("share of isr.timer < 1 %", True),
        ("median(interval of app.tx at initiator) > 1 ms", True),
        ("max(length of queue 1) < 3", False),
    ],
)
def test_assertions_take_quantities(bench, text, holds):
    measured = recorded(bench.events(), payload=1)
    run = delays.from_analysis(measured.analysis)
    verdict = assertions.evaluate(limits.assertion(text), run, measured)
    assert holds == verdict.holds
    assert verdict.sentence.startswith(text)
    if "queue" in text:
        assert "this recording has no `queue.post`" in verdict.sentence


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("p99(mac.txx -> mac.rx) < 5 ms", "did you mean `mac.tx`?"),
        ("mac.tx -> mac.rx < 5 ms", "has no statistic; add one of min"),
        ("p99(goodput) > 1 bit/s", "is a rate and has no `p99`"),
        ("goodput > 1 ms", "the unit is `ms`; it must be bit/s or kbit/s or Mbit/s"),
        ("duty of radio < 5", "the unit is missing; it must be %"),
        ("max(length of queue 3) < 5 ms", "the unit is `ms`; it must be omitted"),
        ("foo(mac.tx -> mac.rx) < 5 ms", "statistic `foo` is unknown"),
    ],
)
def test_assertions_that_are_refused(text, part):
    with pytest.raises(QuantityError) as error:
        limits.assertion(text)
    assert part in str(error.value)


def test_thresholds_take_times_only():
    assert "mac.tx -> mac.rx" == limits.threshold("p99(mac.tx -> mac.rx) +5 %").quantity
    with pytest.raises(QuantityError, match="only times and the loss are compared"):
        limits.threshold("goodput -5 %")


def test_values_to_compare_are_found_by_the_name_without_the_node(bench):
    measured = recorded(bench.events())
    values = named_values(["mac.tx -> mac.rx"], measured)
    assert ["initiator > responder: mac.tx -> mac.rx", "responder > initiator: mac.tx -> mac.rx"] == list(values)
    run = delays.Delays(values, {}, sent=20, lost=0, samplerate_hz=measured.events.samplerate_hz)
    assert tuple(values) == run.named("mac.tx -> mac.rx")
    with pytest.raises(QuantityError, match="only times are compared"):
        named_values(["share of isr.timer"], measured)

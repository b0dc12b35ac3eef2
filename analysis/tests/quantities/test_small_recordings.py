"""Quantities of recordings of a few events, by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from madeevents import events_of_rows
from network import Network

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.evaluation import analysis
from gpiorig.analysis.quantities import values as quantity_values
from gpiorig.analysis.quantities.series import Recorded
from gpiorig.analysis.quantities.values import all_series, series_of

MS = 24_000
RATE_HZ = 24_000_000


def processes(rows, *, end=100_000, gaps=(), nodes=("a",)):
    """A recording of events of one node: sample, event, id."""
    events = events_of_rows(((at, 0, event, id_) for at, event, id_ in rows), nodes, end=end, gaps=gaps)
    return Recorded(analysis.analyse(events, {}, header_ns={}))


def packets_of(network, **options):
    stages = analysis.analyse(network.events(), {}, header_ns=network.headers(), **options)
    return Recorded(stages, {"payload": 20}, network.headers())


def shares(measured, *texts):
    return [Fraction(int(one.values[0])) * one.scale for one in all_series(texts, measured)]


def test_one_event_has_no_interval():
    with pytest.raises(QuantityError, match=r"does not show two events `timer\.set`"):
        series_of("interval of timer.set", processes([(5, "timer.set", None)]))


def test_a_task_that_never_ran_waited_for_nothing():
    (wait,) = series_of("wait of task 6", processes([(5, "task.due", 6), (50, "task.due", 6)]))
    assert ([], 2) == (wait.values.tolist(), wait.lacking)


def test_ids_begin_with_0():
    rows = [(10, "task.run.enter", 0), (15, "task.run.exit", 0), (20, "task.run.enter", 7), (29, "task.run.exit", 7)]
    measured = processes([*rows, (50, "queue.post", 0), (60, "queue.post", 1), (80, "queue.fetch", 0)], end=80)
    for text, values in (
        ("span of task.run 0", [5]),
        ("run of task 0", [5]),
        ("wait of queue 0", [30]),
        ("length of queue 0", [1, 0]),
    ):
        assert values == series_of(text, measured)[0].values.tolist()


def test_lengths_hold_until_samples_are_lost():
    """Of a gap nothing is known: what was posted before it holds up to it."""
    rows = [(10, "queue.post", 3), (20, "queue.post", 3), (60, "queue.fetch", 3)]
    (length,) = series_of("length of queue 3", processes(rows, end=90, gaps=[(30, 50)]))
    assert ([1, 2, 0], [10, 10, 30]) == (length.values.tolist(), length.weights.tolist())


def test_shares_are_of_the_time_between_lost_samples():
    """From the first event of the node to its last one, 1000 samples, of which 200 are lost."""
    rows = [(500, "sched.switch", 2), (600, "sched.switch", 0), (700, "slot.rx.enter", None)]
    rows += [(750, "slot.rx.exit", None), (1500, "timer.set", None)]
    measured = processes(rows, gaps=[(1000, 1200)])
    assert [Fraction(1, 8), Fraction(50, 800)] == shares(measured, "share of thread 2", "duty of slot.rx")
    with pytest.raises(QuantityError, match=r"the recording has `sleep`, `thread 2` \(docs/guide/occupancy"):
        series_of("run of thread 3", measured)
    with pytest.raises(QuantityError, match="the recording has no occupant"):
        series_of("run of thread 3", processes([(5, "timer.set", None)]))


def test_the_last_event_is_a_sample_of_activity():
    """A warm-up that ends with it leaves one sample."""
    measured = replace(processes([(5, "timer.set", None), (50, "timer.set", None)]), begin=50)
    assert [RATE_HZ] == shares(measured, "rate of timer.set")


def test_a_radio_is_on_while_it_receives_and_while_it_sends():
    """Of a: set to receive over 2 ms, and one frame; frames of b do not count."""
    network = Network("ab")
    frame = network.frame(10 * MS, "a", 1, {"b": "deliver"})
    network.frame(50 * MS, "b", 2, {"a": "deliver"})
    rows = [(MS, "a", "radio.set_rx", None), (3 * MS, "a", "radio.set_idle", None)]
    network.log = sorted([*rows, *network.log, (100 * MS, "a", "timer.set", None)], key=lambda row: row[0])
    measured = packets_of(network)
    sent = measured.packets().transmissions
    (begin, end) = (int(times[sent.nodes == 0][0]) for times in (sent.begins, sent.ends))
    assert frame.marks["driver.exec"] == begin < end < frame.end
    assert [Fraction(2 * MS + end - begin, 99 * MS)] == shares(measured, "duty of radio at a")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mac.tx -> driver.exec", {"a": (2, 1)}),  # the first never reached the driver
        ("mac.rx -> app.rx", {"b": (1, 0), "c": (0, 1)}),  # c's stack dropped one
        ("mac.tx -> app.rx", {"a > b": (1, 2)}),
    ],
)
def test_what_lacks_an_end(text, expected):
    """Of three packets of a, the first stays at its MAC, b gets the second, c reads the third and drops it."""
    network = Network("abc")
    network.frame(0, "a", 1, {}, outcome=None)
    network.log = [row for row in network.log if row[2].startswith(("app.tx.", "mac.tx."))]
    network.frame(100 * MS, "a", 2, {"b": "deliver"})
    network.frame(200 * MS, "a", 3, {"c": "drop"})
    series = {one.node: (len(one.values), one.lacking) for one in series_of(text, packets_of(network))}
    assert expected == series


def test_a_packet_that_a_receiver_dropped_is_lacking_at_that_receiver():
    """Of those for which a node has several receivers, each counts its own and those that nothing received."""
    network = Network("abc")
    for n, readers in enumerate(({"b": "deliver"}, {"c": "deliver"}, {"c": "drop"}, {})):
        network.frame(100 * MS * n, "a", 1 + n, readers)
    series = series_of("mac.tx -> app.rx", packets_of(network))
    assert {"a > b": (1, 1), "a > c": (1, 2)} == {one.node: (len(one.values), one.lacking) for one in series}


def test_a_single_packet_may_begin_the_recording():
    network = Network("ab")
    network.frame(0, "a", 1, {"b": "deliver"})
    (way,) = series_of("app.tx -> mac.rx", packets_of(network))
    assert ([0], 0) == (way.starts.tolist(), way.lacking)


def test_hops_are_asked_for_by_number():
    network = Network("abc")
    first = network.frame(0, "a", 1, {"b": "relay"})
    second = network.frame(first.end + MS, "b", 1, {"c": "deliver"}, by="relay")
    measured = packets_of(network)
    for text, node, start in (
        ("hop 1.mac.tx -> mac.rx", "a > b", first.marks["mac.tx"]),
        ("hop 2.mac.tx -> mac.rx", "b > c", second.marks["mac.tx"]),
    ):
        (one,) = series_of(text, measured)
        assert (node, [start]) == (one.node, one.starts.tolist())


def test_events_of_a_frame_are_not_those_of_the_next_one():
    """The driver prepares the frame of one packet twice: the hop that the first one made ends with its own outcome."""
    network = Network("ab")
    first = network.frame(0, "a", 1, {"b": "deliver"}, outcome="no_ack")
    second = network.frame(first.end + MS, "a", 1, {"b": "drop"}, by="bare", outcome="no_ack")
    third = network.frame(second.end + MS, "a", 2, {"b": "deliver"}, outcome="no_ack")
    (failed,) = series_of("driver.exec -> radio.tx_no_ack", packets_of(network))
    events = network.events()
    ends = events.instants("radio.tx_no_ack", node="a").tolist()
    assert [
        ends[0] - first.marks["driver.exec"],
        ends[2] - third.marks["driver.exec"],
    ] == failed.values.tolist()


def test_a_span_that_stays_open_has_no_exit():
    network = Network("ab")
    frames = [network.frame(100 * MS * n, "a", n, {"b": "deliver"}) for n in (1, 2)]
    network.log = [row for row in network.log if row[2:] != ("driver.load.exit", 2)]
    (loaded,) = series_of("driver.load -> driver.load.exit", packets_of(network))
    assert ([frames[0].marks["driver.load"]], 1) == (loaded.starts.tolist(), loaded.lacking)


def test_a_reply_may_follow_a_request_whose_delivery_is_not_seen():
    """The path of the reply then begins at the responder."""
    network = Network("ab")
    for n in (1, 2):
        request = network.frame(100 * MS * n, "a", n, {"b": "deliver"})
        network.frame(request.end + MS, "b", n, {"a": "deliver"})
    network.log = [row for row in network.log if row[1:] != ("b", "app.rx.enter", 2)]
    measured = packets_of(network, destinations={"a": ("b",), "b": ("a",)}, ends=("a", "b"))
    (whole,) = series_of("request.app.tx -> reply.app.rx", measured)
    assert 1 == len(whole.values)


def test_values_of_the_table_have_their_unit():
    """Times are there in samples, too, unless they are of another clock; what is not a time is not."""
    rows = [(10, "queue.post", 3), (22, "queue.fetch", 3), (34, "queue.post", 3), (82, "queue.fetch", 3)]
    measured = processes(rows, end=100)
    texts = ("wait of queue 3", "length of queue 3")
    series = [*all_series(texts, measured)]
    series.append(replace(series[0], quantity=replace(series[0].quantity, text="by another clock"), scale=Fraction(1)))
    content = quantity_values.table(series, measured.analysis).to_pylist()
    assert [
        *[(12, 500.0), (48, 2000.0)],
        *[(None, 1.0), (None, 0.0), (None, 1.0), (None, 0.0)],
        *[(None, 12.0), (None, 48.0)],
    ] == [(row["samples"], row["value"]) for row in content]
    assert {None} == {row["packet_id"] for row in content}

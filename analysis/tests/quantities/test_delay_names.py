"""Names of delays and shares of packets as quantities: against the routes, the comparison, and the truth."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from network import Network
from synthetic_events import disturbed

from gpiorig.analysis.compare import assertions, delays, limits
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.evaluation import analysis
from gpiorig.analysis.quantities import delay_names
from gpiorig.analysis.quantities import values as quantity_values
from gpiorig.analysis.quantities.kinds import Kind
from gpiorig.analysis.quantities.names import parse
from gpiorig.analysis.quantities.series import Recorded
from gpiorig.analysis.quantities.values import series_of

MS = 24_000
NODES = ("initiator", "responder")
HEADERS = dict.fromkeys(NODES, 192_000)


def recorded(events, *, headers=None, destinations=None, ends=None, **parameters):
    headers = headers or HEADERS
    stages = analysis.analyse(events, {}, header_ns=headers, destinations=destinations, ends=ends)
    return Recorded(stages, parameters, headers)


@pytest.mark.parametrize(
    "text",
    [
        *("rtt", "delay", "*", "stack", "udp to ipv6", "request: udp to ipv6", "reply hop 2: ipv6 to 6lowpan"),
        *("turn-around: app.rx to app.tx", "hop 1: radio wait: exec done to first bit on air: backoff"),
        *("forward: mac to mac", "request: driver.exec to irq"),
    ],
)
def test_delays_are_quantities(text):
    assert Kind.DELAY is parse(text).kind
    assert "initiator" == parse(f"{text} at initiator").node


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("udp to ipv7", "did you mean `udp to ipv6`?"),
        ("request: udp to ipv7", "did you mean `udp to ipv6`?"),
        ("los", "did you mean `loss`?"),
        ("round trip", "write it like `mac.tx -> mac.rx`, "),
        ("reqest: udp to ipv6", "did you mean `udp to ipv6`?"),
    ],
)
def test_what_is_no_delay_is_refused(text, part):
    with pytest.raises(QuantityError) as error:
        parse(text)
    assert part in str(error.value)


def test_every_delay_of_a_run_comes_back(bench):
    """Each name that `assert` takes gives the same values as a series, with packets and starts that fit the route."""
    measured = recorded(bench.events(), ends=NODES)
    run, route = delays.from_analysis(measured.analysis), measured.analysis.routes[0]
    for name in ["rtt", "stack", "isr", "udp to ipv6", "*"]:
        series = {one.quantity.text: one for one in series_of(name, measured)}
        assert run.named(name) == tuple(series)
        assert all(run.samples(full).tolist() == one.values.tolist() for full, one in series.items())
    steps = series_of("*", measured)[1:]
    assert all(one.packets.tolist() == route.steps.rows.tolist() for one in steps)
    for before, after in pairwise(steps):
        assert (before.starts + before.values).tolist() == after.starts.tolist()
    (at_responder,) = series_of("udp to ipv6 at responder", measured)
    assert "reply: udp to ipv6" == at_responder.quantity.text
    with pytest.raises(QuantityError, match="does not begin at responder"):
        series_of("rtt at responder", measured)
    with pytest.raises(QuantityError, match="this run has no such delay"):
        series_of("hop 9: udp to ipv6", measured)
    content = quantity_values.table(quantity_values.all_series(["rtt", "*", "loss"], measured), measured.analysis)
    assert content["quantity"].to_pylist().count("rtt") == len(route)


def test_a_quantity_with_and_without_its_node_is_in_the_table_once(bench):
    """Statistics of the table would count each value twice."""
    measured = recorded(bench.events(), ends=NODES)
    names = ["app.tx -> app.rx at initiator", "app.tx -> app.rx", "rtt", "rtt at initiator"]
    content = quantity_values.table(quantity_values.all_series(names, measured), measured.analysis)
    once = quantity_values.table(quantity_values.all_series(names[1:3], measured), measured.analysis)
    assert sorted(once.to_pylist(), key=str) == sorted(content.to_pylist(), key=str)


def some_lost(*, answered=False):
    """Ten packets from a to b, of which two reach no node; the fourth is sent twice."""
    network = Network("ab")
    for n in range(1, 11):
        at = n * 200 * MS
        if n == 4:
            at = network.frame(at, "a", n, {}, outcome="no_ack").end + MS
            network.frame(at, "a", n, {"b": "deliver"}, by="retry", outcome="complete")
        else:
            network.frame(
                at, "a", n, {} if n in (3, 7) else {"b": "deliver"}, outcome="no_ack" if n in (3, 7) else "complete"
            )
    return network


def test_lost_and_repeated_packets_are_ones():
    network = some_lost()
    measured = recorded(network.events(), headers=network.headers(), destinations={"a": ("b",)})
    (loss,), (delivery,), (retried,) = (series_of(text, measured) for text in ("loss", "delivery", "retried"))
    assert [0, 0, 1, 0, 0, 0, 1, 0, 0, 0] == loss.values.tolist()
    assert (1 - loss.values).tolist() == delivery.values.tolist()
    assert ([0, 0, 1, 0, 0, 0, 0, 0], 2) == (retried.values.tolist(), retried.lacking)
    assert "a > b" == loss.node
    of_run = delays.from_analysis(measured.analysis).loss()
    assert replace(of_run, note="") == replace(loss.interval(""), note="")
    (of_a,) = series_of("loss at a", measured)
    assert loss.values.tolist() == of_a.values.tolist()
    run = delays.from_analysis(measured.analysis)
    verdicts = assertions.evaluate_all(["loss at a < 25 %", "delivery > 90 %", "retried < 5 %"], run, measured)
    assert [(True, False), (False, False), (False, False)] == [(one.holds, one.sure) for one in verdicts]
    with pytest.raises(QuantityError, match="b sent no packet of its own"):
        series_of("loss at b", measured)
    with pytest.raises(QuantityError, match="is a share and has no `p99`"):
        limits.assertion("p99(delivery) < 5 %")


def test_packets_without_every_step_lack_a_foreign_frame():
    """Two packets are lost, and of the tenth one milestone is missing."""
    network = some_lost()
    network.log = [row for row in network.log if row[2:] != ("udp.rx.enter", 10)]
    measured = recorded(network.events(), headers=network.headers(), destinations={"a": ("b",)})
    (foreign,) = series_of("foreign", measured)
    assert ([0] * 7, 2 + 1) == (foreign.values.tolist(), foreign.lacking)
    (delay,) = series_of("delay", measured)
    assert ("a > b", 7, 2 + 1) == (delay.node, len(delay.values), delay.lacking)


def test_a_packet_that_another_node_got_is_lost_to_its_destination():
    network = some_lost()
    network.frame(3000 * MS, "a", 11, {"b": "drop", "c": "deliver"})
    network.names = "abc"
    lost = {}
    for destinations in ({"a": ("b",)}, {"a": ("c",)}, {}):
        measured = recorded(network.events(), headers=network.headers(), destinations=destinations)
        (loss,) = series_of("loss at a", measured)
        lost[loss.node] = int(loss.values.sum())
    assert {"a > b": 3, "a > c": 10, "a": 2} == lost


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("request: radio wait: exec done to first bit on air: backoff", "backoff"),
        ("request: radio wait: exec done to first bit on air", ""),
        ("rtt", ""),
    ],
)
def test_the_part_of_a_wait_that_a_name_asks_for(name, part):
    assert part == delay_names.part_of(name)


def test_waits_that_meet_frames_of_others_and_own_ones():
    """Every third wait of a meets a frame of c; every fifth frame of a is read twice."""
    network = Network("abcd")
    for n in range(1, 31):
        at = n * 100 * MS
        network.frame(at, "a", n, {"b": "deliver"}, backoff=5 * MS, twice="b" if n % 5 == 0 else "")
        if n % 3 == 0:
            network.frame(at + MS, "c", 100 + n, {"b": "drop", "d": "deliver"}, backoff=10, length=20)
    destinations = {"a": ("b",), "c": ("d",)}
    measured = recorded(network.events(), headers=network.headers(), destinations=destinations)
    for text in ("foreign", "foreign at a"):
        (foreign,) = series_of(text, measured)
        assert [int(n % 3 == 0) for n in range(1, 31)] == foreign.values.tolist()
        assert foreign.node == series_of(text.replace("foreign", "retried"), measured)[0].node
        assert foreign.node == ("a" if " at " in text else "a > b")
    (retried,) = series_of("retried", measured)
    assert [int(n % 5 == 0) for n in range(1, 31)] == retried.values.tolist()
    assert 10 / 30 == foreign.interval("").value
    (of_c,) = series_of("loss at c", measured)
    assert ("c > d", 10) == (of_c.node, len(of_c.values))
    network.drop("tap.frame_timestamp")
    unseen = recorded(network.events(), headers=network.headers(), destinations=destinations)
    with pytest.raises(QuantityError, match="no line shows the frames on the air"):
        series_of("foreign", unseen)
    assert [int(n % 5 == 0) for n in range(1, 31)] == series_of("retried", unseen)[0].values.tolist()


def test_lost_round_trips_are_those_of_the_comparison():
    """Of disturbed ping-pongs: as `assert` counts them; what became of those over lost samples is not delivered."""
    measured = recorded(disturbed(300, seed=1), ends=NODES)
    run = delays.from_analysis(measured.analysis)
    (loss,), (delivery,) = (series_of(text, measured) for text in ("loss", "delivery"))
    assert (run.sent, run.lost) == (len(loss.values), int(loss.values.sum()))
    assert run.sent - run.lost - delivery.lacking == int(delivery.values.sum())
    lines = measured.analysis.timelines
    assert lines.counts()["samples were lost while it was under way"] == delivery.lacking > 0
    assert measured.packets().packets.ids[loss.packets].tolist() == lines.ids.tolist()

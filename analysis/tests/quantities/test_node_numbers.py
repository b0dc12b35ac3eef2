"""Rates, counts that a node reports, the bound of the goodput, and self-times of layers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from madeevents import events_of_rows
from network import Network

from gpiorig.analysis.compare import assertions, delays, limits
from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.evaluation import analysis
from gpiorig.analysis.logs import node_log
from gpiorig.analysis.processor import occupancy
from gpiorig.analysis.quantities.kinds import Unit
from gpiorig.analysis.quantities.series import Recorded
from gpiorig.analysis.quantities.values import series_of

MS = 24_000
RATE_HZ = 24_000_000
NODES = ("initiator", "responder")
ANSWERS = """ready
ok mac sent=12 displaced=3 mode=tdma
packet seq=1 tx_us=5 status=ok
done sent=1 received=0 lost=0 probes=44
ok mac sent=20 displaced=5 mode=tdma
ok workers loops=99 b_missed=2 b_max_wait_us=100077
ok set displaced=77
"""


def recorded(events, *, headers=None, logs=None, destinations=None, ends=None, **parameters):
    headers = headers or dict.fromkeys(NODES, 192_000)
    stages = analysis.analyse(events, logs or {}, header_ns=headers, destinations=destinations, ends=ends)
    return Recorded(stages, parameters, headers)


def value(text, measured):
    (one,) = series_of(text, measured)
    return Fraction(int(one.values[0])) * one.scale


def test_rates_are_per_second_without_lost_samples():
    rows = [(at, 0, event, id_) for at, event, id_ in [(0, "timer.set", None), (10_000, "timer.set", None)]]
    rows += [(at, 0, "task.run.enter", 6) for at in (1000, 2000, 7000)] + [(3000, 0, "queue.post", 3)]
    measured = recorded(events_of_rows(rows, ("a",), end=12_000, gaps=[(4000, 6000)]))
    for text, count in [("task 6", 3), ("queue 3", 1), ("timer.set", 2), ("task.run", 3), ("queue.post 3", 1)]:
        assert Fraction(count * RATE_HZ, 8000) == value(f"rate of {text}", measured)
    with pytest.raises(QuantityError, match="no task with the id `5`; available: 6"):
        series_of("rate of task 5", measured)
    verdict = assertions.evaluate(
        limits.assertion("rate of task 6 < 1e4 /s"), delays.from_analysis(measured.analysis), measured
    )
    assert verdict.holds
    assert "9000/s" in verdict.sentence
    with pytest.raises(QuantityError, match="the unit is `s`; it must be /s"):
        limits.assertion("rate of task 6 < 5 s")


def test_counts_are_those_of_the_last_answer():
    log = node_log.parse(ANSWERS, node="a")
    measured = recorded(events_of_rows([(5, 0, "timer.set", None)], ("a",), end=10), logs={"a": log})
    for key, number in [("displaced", 5), ("mac.sent", 20), ("report.sent", 1), ("b_missed", 2), ("probes", 44)]:
        assert number == value(f"count of {key} at a", measured)
    (one,) = series_of("count of workers.b_max_wait_us", measured)
    assert ("a", Unit.COUNT) == (one.node, one.quantity.kind.unit)
    for missing, part in [
        ("displacd", "did you mean `displaced`?"),
        ("mac.b_missed", "no number that a node reported"),
    ]:
        with pytest.raises(QuantityError) as error:
            series_of(f"count of {missing}", measured)
        assert part in str(error.value)


@pytest.mark.parametrize(("length", "space_us"), [(40, 640), (19, 640), (18, 192)])
def test_the_space_after_a_frame_depends_on_its_length(length, space_us):
    """IEEE 802.15.4: 40 symbols of 16 us, of at most 18 bytes 12; of two origins each has its own frames."""
    network = Network("ab")
    network.frame(100 * MS, "a", 1, {"b": "deliver"}, length=length)
    network.frame(200 * MS, "b", 2, {"a": "deliver"}, length=60)
    destinations = {"a": ("b",), "b": ("a",)}
    measured = recorded(network.events(), headers=network.headers(), destinations=destinations, payload=5)
    bounds = {one.node: Fraction(int(one.values[0])) * one.scale for one in series_of("goodput bound", measured)}
    expected = Fraction(8 * 5 * 10**6, (6 + length) * 32 + space_us)
    assert {"a": expected, "b": Fraction(8 * 5 * 10**6, 66 * 32 + 640)} == bounds


def test_the_bound_of_the_goodput_is_of_one_frame():
    """40 bytes after preamble, delimiter and length, 640 us of interframe space: by hand."""
    network = Network("ab")
    for n in range(1, 4):
        network.frame(n * 100 * MS, "a", n, {"b": "deliver"})
    measured = recorded(network.events(), headers=network.headers(), destinations={"a": ("b",)}, payload=20)
    assert Fraction(8 * 20 * 1_000_000, 46 * 32 + 640) == value("goodput bound", measured)
    for n in range(4, 7):  # in two frames, the second of at most 18 bytes: a short space follows it
        at = n * 100 * MS
        network.log += [(at + row, "a", f"{layer}.enter", n) for row, layer in enumerate(("app.tx", "sixlowpan.tx"))]
        at = network.frame(at + 9, "a", n, {"b": "relay"}, by="fragment", length=127).end + MS
        network.frame(at, "a", n, {"b": "deliver"}, by="fragment", length=18)
    network.log = [row for row in network.log if row[0] >= 350 * MS]
    cut = recorded(network.events(), headers=network.headers(), destinations={"a": ("b",)}, payload=120)
    assert Fraction(8 * 120 * 1_000_000, 133 * 32 + 640 + 24 * 32 + 192) == value("goodput bound", cut)
    network.drop("tap.frame_timestamp")
    unseen = recorded(network.events(), headers=network.headers(), destinations={"a": ("b",)}, payload=20)
    with pytest.raises(QuantityError, match="no line shows a frame of a packet on the air"):
        series_of("goodput bound", unseen)


def test_self_times_are_those_of_the_table_of_layers(bench):
    measured = recorded(bench.events(), ends=NODES)
    route, hops = measured.analysis.routes[0], measured.packets()
    ((layers, _),) = occupancy.for_routes(
        measured.events, [route], packet_of=measured.analysis.packet_of, ways=hops.ways
    )
    for column, (node, layer, way) in enumerate(layers.layers):
        (one,) = series_of(f"self time of {layer} {way} at {node}", measured)
        assert layers.self_samples[:, column].tolist() == one.values.tolist()
        assert route.steps.rows.tolist() == one.packets.tolist()
    both = {one.node: one for one in series_of("self time of udp", measured)}
    ways = [{one.node: one for one in series_of(f"self time of udp {way}", measured)} for way in ("tx", "rx")]
    for node in NODES:
        assert (ways[0][node].values + ways[1][node].values).tolist() == both[node].values.tolist()
    assert np.median(both["initiator"].values) > 0
    layer_names = ", ".join(dict.fromkeys(f"{layer} {way}" for _, layer, way in layers.layers))
    with pytest.raises(QuantityError, match=f"no node shows `sock`; the layers are {layer_names}."):
        series_of("self time of sock", measured)

"""Hops and round trips are two views of the same events, and agree sample by sample; random networks come back."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pyarrow as pa
import pytest
from network import Network
from tripcases import analysed

from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.packets import accounting, hop_routes, hops, path, round_trips, timelines
from gpiorig.analysis.tables import hops as hop_tables

MS = 24_000
NAMES = [point.name for point in path.POINTS]


def assert_agree(events, *, initiator, responder):
    """Every milestone of every packet, in both directions, and the steps between them."""
    headers = {"initiator": 192_000, "responder": 192_000}
    paired = round_trips.find(
        hops.build(events, header_ns=headers), initiator=initiator, responder=responder, header_ns=headers
    )
    network_hops, lines = paired.hops, paired.timelines
    packets = network_hops.packets
    row_of = np.full(len(packets) + 1, -1)
    row_of[network_hops.packet_rows] = np.arange(len(network_hops))
    rows = (row_of[paired.requests], row_of[paired.replies])
    compared = 0
    for column, milestone in enumerate(lines.milestones):
        hop_samples = network_hops.samples[NAMES.index(milestone.name.split(".", 1)[1])][rows[milestone.direction]]
        trip_samples = lines.samples[:, column]
        known = (trip_samples >= 0) & (rows[milestone.direction] >= 0)
        assert trip_samples[known].tolist() == hop_samples[known].tolist(), milestone.name
        compared += int(np.count_nonzero(known))
    return network_hops, lines, compared


def test_round_trips_agree_sample_by_sample(new_bench):
    bench = new_bench()
    for id_ in (65533, 65534, 65535, 1, 2, 3):
        bench.round_trip(id_)
    network_hops, lines, compared = assert_agree(bench.events(), initiator="initiator", responder="responder")
    assert 6 * len(lines.milestones) == compared
    there, back = sorted(hop_routes.routes(network_hops), key=lambda route: route.name)
    steps = timelines.steps(lines)
    turn = [step.turn_around for step in steps.steps].index(True)
    assert steps.samples[:, :turn].tolist() == there.steps.samples.tolist()
    assert steps.samples[:, turn + 1 :].tolist() == back.steps.samples.tolist()
    for step, same in zip(steps.steps[:turn], there.steps.steps, strict=True):
        assert (step.short, step.kind, step.nodes) == (same.short, same.kind, same.nodes)


def test_numbers_that_receivers_tell_are_of_their_packets():
    """As RIOT's do: of the frame that was read, in the direction in which it came."""
    network = Network(("initiator", "responder"), numbered=True)
    for n in range(1, 4):
        request = network.frame(n * 100 * MS, "initiator", n, {"responder": "deliver"})
        network.frame(request.end + MS, "responder", n, {"initiator": "deliver"})
    events = network.events()
    analysis = analysed(events)
    assert {} == analysis.hops.unattributed.counts()
    numbers = events.codes == BY_NAME["mac.sequence"].code
    requests = analysis.round_trips.requests
    assert np.repeat(requests, 4).tolist() == analysis.packet_of[numbers].tolist()
    directions = analysis.round_trips.directions[analysis.hops.packet_of[numbers]]
    assert [path.REQUEST, path.REQUEST, path.REPLY, path.REPLY] * 3 == directions.tolist()


@pytest.mark.parametrize("lost", ["request", "reply"])
def test_lost_round_trips_agree_too(new_bench, lost):
    bench = new_bench()
    for id_ in range(1, 8):
        bench.round_trip(id_, lost=lost if id_ in (3, 4) else "")
    network_hops, _, _ = assert_agree(bench.events(), initiator="initiator", responder="responder")
    counts = {route.name: (len(route), route.lost) for route in hop_routes.routes(network_hops)}
    if lost == "request":
        assert {"initiator > responder": (5, 2), "responder > initiator": (5, 0)} == counts
    else:
        assert {"initiator > responder": (7, 0), "responder > initiator": (5, 2)} == counts


@pytest.mark.parametrize("seed", range(8))
def test_random_networks_come_back(seed):
    """Frames of random fate between random nodes, two at a time on different nodes: all is as in the network."""
    rng = random.Random(seed)
    network = Network("abcdef", seed=seed, numbered=bool(seed % 2))
    truth = []
    for n in range(150):
        nodes = rng.sample("abcdef", 6)
        for lane in range(2):
            sender, *others = nodes[3 * lane : 3 * lane + 3]
            readers = {other: rng.choice(["deliver", "drop", "hear"]) for other in others if rng.random() < 0.7}
            acknowledged = rng.choice(["complete", "no_ack", "busy", None])
            frame = network.frame(
                n * 10 * MS + rng.randrange(MS),
                sender,
                2 * n + lane + 1,
                readers,
                outcome=acknowledged,
                backoff=rng.randrange(400, MS),
            )
            truth.append((frame, readers))
    network_hops = hops.build(network.events(), header_ns=network.headers())
    names = network_hops.events.node_names
    row_of_hop = {
        (
            names[network_hops.senders[row]],
            int(network_hops.packets.ids[network_hops.packet_rows[row]]),
            names[network_hops.receivers[row]],
        ): row
        for row in np.flatnonzero(network_hops.status == hops.READ).tolist()
    }
    expected = set()
    for frame, readers in truth:
        for reader, how in readers.items():
            if how == "hear":
                continue
            expected.add((frame.sender, frame.id, reader))
            row = row_of_hop[frame.sender, frame.id, reader]
            milestones = frame.milestones(reader)
            assert [milestones.get(name, -1) for name in NAMES] == [
                column[row] for column in network_hops.samples[: len(NAMES)]
            ]
    assert expected == row_of_hop.keys()
    deliveries = sum(how == "deliver" for _, readers in truth for how in readers.values())
    assert deliveries == sum(len(route) for route in hop_routes.routes(network_hops))
    assert accounting.account(network_hops).adds_up
    overheard_n = sum(how == "hear" for _, readers in truth for how in readers.values())
    assert overheard_n == len(network_hops.overheard)


def test_columns_that_most_packets_lack_are_no_milestones():
    """A point that one node in the middle does not have is spanned by one step; the sum stays."""
    network = Network("abc")
    for n in range(1, 6):
        first = network.frame(n * 100 * MS, "a", n, {"b": "relay"})
        network.frame(first.end + MS, "b", n, {"c": "deliver"}, by="relay")
    with_returns = hop_routes.routes(hops.build(network.events(), header_ns=network.headers()))[0]
    network.drop("driver.prepare", "driver.load", node="b")
    network.drop("driver.isr", node="c")
    (part,) = hop_routes.routes(hops.build(network.events(), header_ns=network.headers()))
    names = [step.name for step in part.steps.steps]
    assert "hop 2: mac.tx to driver.exec" in names
    assert "hop 1: prepare the radio" in names
    assert len(with_returns.steps.steps) - 3 == len(names)
    assert with_returns.totals.tolist() == part.totals.tolist()


def test_ends_of_commands_that_come_late_are_left_out():
    """A driver that waits for the end of the transmission: its return is after the reception for most packets."""
    network = Network("ab")
    for n in range(1, 6):
        network.frame(n * 100 * MS, "a", n, {"b": "deliver"})
    network.log = [
        (at + 90 * MS if event == "driver.exec.exit" else at, node, event, id_) for at, node, event, id_ in network.log
    ]
    (route,) = hop_routes.routes(hops.build(network.events(), header_ns=network.headers()))
    assert 5 == len(route)
    assert "hop 1: radio wait: exec to first bit on air" in [step.name for step in route.steps.steps]


def test_tables_carry_all_rows_and_the_samplerate():
    network = Network("abc")
    frame = network.frame(0, "a", 7, {"b": "deliver", "c": "hear"})
    network.frame(frame.end + MS, "a", 8, {}, outcome="no_ack")
    network_hops = hops.build(network.events(), header_ns=network.headers(), destinations={"a": ("b", "c")})
    tables = ("hops", "transmissions", "receptions", "packets", "unattributed")
    more = {"transmissions": [hop_tables.readings_of(network_hops)]}
    table_of = {name: getattr(hop_tables, f"{name}_table")(network_hops, *more.get(name, [])) for name in tables}
    assert {"hops": 4, "transmissions": 2, "receptions": 1, "packets": 2, "unattributed": 0} == {
        name: table.num_rows for name, table in table_of.items()
    }
    assert all(isinstance(table, pa.Table) for table in table_of.values())
    assert {b"24000000"} == {table.schema.metadata[b"samplerate_hz"] for table in table_of.values()}
    row = table_of["hops"].slice(0, 1).to_pylist()[0]
    assert ("a", "b", "read by the next node", 1) == (row["from"], row["to"], row["status"], row["hop"])
    assert frame.marks["app.tx"] == row["app.tx_sample"]
    assert row["sock.tx_sample"] is None
    assert [1, 0] == table_of["transmissions"]["readings"].to_pylist()
    assert ["complete", "no acknowledgement"] == table_of["transmissions"]["outcome"].to_pylist()
    last = table_of["packets"].slice(1, 1).to_pylist()[0]
    assert ("a", "driver.isr.exit", "sent, read by no other node") == (
        last["last_node"],
        last["last_event"],
        last["status"],
    )


def test_covariates_count_over_all_hops():
    """Of a packet that was repeated on each of its hops; and nothing for a route without packets."""
    network = Network("abc")
    for n in range(1, 4):
        first = network.frame(n * 200 * MS, "a", n, {} if n == 2 else {"b": "relay"}, outcome="no_ack")
        if n > 1:
            first = network.frame(first.end, "a", n, {"b": "relay" if n == 2 else "drop"}, by="retry")
        network.frame(first.end + MS, "b", n, {"c": "deliver"}, by="relay", twice="c" if n == 3 else "")
    network_hops = hops.build(network.events(), header_ns=network.headers(), destinations={"a": ("c",), "b": ("a",)})
    (route,) = hop_routes.routes(network_hops)
    counts = {name: values.tolist() for name, values in hop_routes.covariates(network_hops, route).items()}
    assert {
        "attempts": [2.0, 3.0, 3.0],
        "retries": [0.0, 1.0, 1.0],
        "frames": [2.0, 2.0, 2.0],
        "no_ack": [1.0, 1.0, 1.0],
        "busy": [0.0, 0.0, 0.0],
        "duplicates": [0.0, 0.0, 2.0],
    } == counts
    assert {} == hop_routes.covariates(network_hops, dataclasses.replace(route, name="a > x"))


def test_every_event_of_a_packet_is_on_a_way(bench):
    """What the initiator sends and the responder receives is the request, the rest is the reply."""
    events = bench.events()
    analysis = analysed(events)
    network_hops, rows = analysis.hops, analysis.hops.packet_of
    direction = analysis.round_trips.directions[np.maximum(rows, 0)]
    expected = np.where(events.nodes == events.node("initiator"), direction, 1 - direction)
    assert expected[rows >= 0].tolist() == network_hops.ways[rows >= 0].tolist()
    assert (network_hops.ways[rows < 0] == -1).all()


def test_round_trips_over_a_relay(new_bench):
    """Request and reply over a node between the two: every step of three nodes, and the turn-around in the middle."""
    network = Network("abc")
    for n in range(1, 6):
        first = network.frame(n * 100 * MS, "a", n, {"b": "relay"})
        request = network.frame(first.end + MS, "b", n, {"c": "deliver"}, by="relay")
        back = network.frame(request.end + MS, "c", n, {"b": "relay"})
        network.frame(back.end + MS, "b", n, {"a": "deliver"}, by="relay")
    analysed_run = analysed(network.events(), header_ns=network.headers(), ends=("a", "c"))
    lines, route = analysed_run.timelines, analysed_run.routes[0]
    assert ("a", "b", "c", "b", "a") == lines.nodes
    assert {timelines.STATUS[timelines.COMPLETE]: 5} == lines.counts()
    assert (lines.rtt == route.totals).all()
    assert [2] == [step.start.direction + 1 for step in route.steps.steps if step.turn_around]
    assert {"request hop 1", "request hop 2", "turn-around", "reply hop 1", "reply hop 2"} == {
        step.way for step in route.steps.steps
    }

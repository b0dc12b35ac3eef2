"""Who has which packet in hand: what a node sends with an id that it came by more than once."""

from __future__ import annotations

import numpy as np
import pytest
from network import Network

from gpiorig.analysis.packets import accounting, delivery, hop_routes, hops
from gpiorig.analysis.packets.hops import Hops

MS = 24_000
SEVERAL = {"several packets with this id were in hand there"}
UNCLEAR = "at a node that had several packets with its id in hand"


def run(network: Network, destinations: dict[str, tuple[str, ...]] | None = None) -> Hops:
    return hops.build(network.events(), header_ns=network.headers(), destinations=destinations)


def status_of(analysis: Hops) -> list[str]:
    return [delivery.STATUS[key] for key in analysis.packets.status[analysis.packets.called].tolist()]


def route_counts(analysis: Hops) -> dict[str, tuple[int, int, int]]:
    return {route.name: (len(route), route.lost, route.partial) for route in hop_routes.routes(analysis)}


@pytest.mark.parametrize("handed", [True, False])
def test_a_relay_s_own_packet_with_the_id_of_one_it_read(handed: bool) -> None:
    """Its own waits for the MAC when it reads the other: both are sent, the pins do not distinguish them."""
    network = Network("rac")
    called = network.frame(0, "r", 7, {"c": "deliver"})
    later = 0 if handed else 60 * MS
    network.log = [(at + later * (event != "app.tx.enter"), node, event, id_) for at, node, event, id_ in network.log]
    network.frame(20 * MS, "a", 7, {"r": "relay"})
    network.frame(called.end + 100 * MS, "r", 7, {"c": "deliver"}, by="relay")
    analysis = run(network)
    assert accounting.account(analysis).adds_up
    if handed:
        assert {"r > c": (1, 0, 0), "a > r > c": (1, 0, 0)} == route_counts(analysis)
        return
    assert [UNCLEAR] * 2 == status_of(analysis)
    assert {"r > ?": (0, 0, 1), "a > ?": (0, 0, 1)} == route_counts(analysis)
    assert SEVERAL == analysis.unattributed.counts().keys()
    # What lies between the application and the MAC is of one of the two as well, the call is not.
    names = {analysis.events.codes[at] for at in analysis.unattributed.positions.tolist()}
    assert not names & set(analysis.events.codes[analysis.visits.positions[analysis.packets.firsts]].tolist())


def test_two_calls_before_the_mac_gets_either() -> None:
    """An answer takes the id of its request; the node's own packet with that id waits as well."""
    network = Network("ab")
    for start in (0, 1000):
        network.log += [(start, "a", "app.tx.enter", 7), (start + 400, "a", "app.tx.exit", 7)]
    for start in (10 * MS, 40 * MS):
        network.frame(start, "a", 7, {"b": "deliver"}, by="relay")
    analysis = run(network, {"a": ("b",)})
    assert [UNCLEAR] * 2 == status_of(analysis)
    assert {"a > b": (0, 0, 2)} == route_counts(analysis)


@pytest.mark.parametrize("apart", [20 * MS, 20_000 * MS])
def test_a_call_with_the_id_of_a_frame_that_a_mac_sent_of_its_own(apart: int) -> None:
    """A MAC's frames are for the other MAC. Seen on TSCH: a keepalive's last bytes, 2, and packet 2 of the reader."""
    network = Network("ab")
    kept_alive = network.frame(0, "b", 7, {"a": "drop"}, by="bare")
    network.frame(apart // 2, "b", 6, {"a": "deliver"})
    network.frame(kept_alive.end + apart, "a", 7, {"b": "deliver"})
    analysis = run(network)
    assert ["delivered"] * 2 == status_of(analysis)
    assert SEVERAL.isdisjoint(analysis.unattributed.counts())


def test_a_packet_of_the_round_before_is_not_in_hand() -> None:
    """It was dropped by the relay, 40 000 packets ago."""
    network = Network("arc")
    network.frame(0, "a", 7, {"r": "drop"})
    network.log += [(100 * MS + 500 * n, "r", "app.tx.enter", 8 + n) for n in range(40_000)]
    frame = network.frame(2_000 * MS, "a", 7, {"r": "relay"})
    network.frame(frame.end + MS, "r", 7, {"c": "deliver"}, by="relay")
    analysis = run(network)
    assert (1, 1) == route_counts(analysis)["a > r > c"][:2]
    assert {} == analysis.unattributed.counts()


def test_a_node_that_was_reset_has_nothing_in_hand() -> None:
    """Its call never came to the MAC, and ids restart. A frame that was on the air is over with the reset."""
    network = Network("abc")
    network.log.append((0, "a", "app.tx.enter", 7))
    network.frame(MS, "a", 6, {}, outcome=None)
    network.log.append((10 * MS, "a", "rig.boot", None))
    network.frame(20 * MS, "c", 7, {"b": "deliver", "a": "hear"})
    frame = network.frame(30 * MS, "a", 7, {"b": "deliver"})
    analysis = run(network)
    assert {"c > b": (1, 0, 0), "a > b": (1, 2, 0)} == route_counts(analysis)
    assert frame.sender == "a" and {} == analysis.unattributed.counts()
    (transmission,) = analysis.overheard.transmissions
    assert "c" == analysis.events.node_names[analysis.transmissions.nodes[transmission]]


def test_what_no_application_gets_is_not_delivered_at_a_relay() -> None:
    """Nothing arrives in the complete recording: that the relay's MAC got it is no delivery."""
    network = Network("arc")
    for n in range(1, 4):
        frame = network.frame(n * 100 * MS, "a", n, {"r": "relay"})
        network.frame(frame.end + MS, "r", n, {}, by="relay", outcome="no_ack")
    for to in (None, {"a": ("c",)}):
        analysis = run(network, to)
        assert ["sent, read by no other node"] * 3 == status_of(analysis)
        assert 3 == sum(route.lost for route in hop_routes.routes(analysis))
    # Where nothing above the MAC is seen, all that a MAC gets is.
    network.drop("app.", "udp.", "ipv6.", "sixlowpan.")
    assert ["delivered"] * 3 == status_of(run(network))[::2]


def test_a_packet_that_another_node_got_is_not_delivered_to_some() -> None:
    network = Network("abc")
    network.frame(0, "a", 7, {"c": "deliver"})
    analysis = run(network, {"a": ("b",)})
    assert ["read, neither delivered nor sent on"] == status_of(analysis)
    assert {"a > b": (0, 1, 0), "a > c": (1, 0, 0)} == route_counts(analysis)
    assert np.array_equal([1], analysis.packets.deliveries)

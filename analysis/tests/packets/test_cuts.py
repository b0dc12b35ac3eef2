"""The end of a recording cuts a packet only where it could still arrive, by those that have."""

from __future__ import annotations

import numpy as np
import pytest
from network import Network
from tripcases import trips

from gpiorig.analysis.packets import cuts, delivery, hop_routes, hops, timelines

MS = 24_000


def ended(network: Network, end: int) -> str:
    """The status of the last packet, where the recording ends at a sample."""
    network.end = end - 1000  # the network adds as much
    return delivery.STATUS[int(hops.build(network.events(), header_ns=network.headers()).packets.status[-1])]


@pytest.mark.parametrize(
    ("furthest", "fate"), [("app.tx", delivery.NOT_SENT), ("driver.exec.exit", delivery.NOT_RECEIVED)]
)
def test_a_packet_is_cut_for_as_long_as_the_slowest_took_from_there(furthest: str, fate: int) -> None:
    """Once as long has passed it is lost: since its last event, not since its start."""
    network = Network("ab")
    arrived = [network.frame(n * 50 * MS, "a", n + 1, {"b": "deliver"}, backoff=n * 1000 + 500) for n in range(3)]
    longest = max(frame.arrivals["b"]["app.rx"] - frame.marks[furthest] for frame in arrived)
    begun = len(network.log)
    network.frame(200 * MS, "a", 9, {})
    events = [row[2] for row in network.log[begun:]]
    del network.log[begun + events.index("app.tx.enter" if furthest == "app.tx" else "driver.exec.exit") + 1 :]
    last = network.log[-1][0]

    assert delivery.STATUS[delivery.CUT] == ended(network, last + longest - 1)
    assert delivery.STATUS[fate] == ended(network, last + longest)


def test_a_cut_packet_is_neither_lost_nor_delivered() -> None:
    """A route has it among the incomplete ones."""
    network = Network("ab")
    network.frame(0, "a", 1, {"b": "deliver"})
    network.log.append((50 * MS, "a", "app.tx.enter", 2))
    network.end = 50 * MS
    packets = hops.build(network.events(), header_ns=network.headers())
    (route,) = hop_routes.routes(packets)

    assert ([False, False], [False, True]) == (packets.packets.lost.tolist(), packets.packets.unknown.tolist())
    assert (1, 0, 1) == (len(route), route.lost, route.partial)


def test_where_none_arrived_all_are_lost() -> None:
    """Nothing states how long one takes."""
    samples = np.array([[10, -1, -1], [20, 25, -1]])

    assert [False, False] == cuts.of_milestones(samples, end=26).tolist()


def test_each_row_is_held_to_its_last_milestone() -> None:
    """The same instant is early after one milestone, and late after another one."""
    samples = np.array([[0, 10, 30], [100, 150, 160], [200, -1, -1], [190, 249, -1], [280, 281, -1]])

    for end, expected in ((259, [1, 1, 1]), (260, [0, 1, 1]), (269, [0, 0, 1]), (300, [0, 0, 1]), (301, [0, 0, 0])):
        assert [0, 0, *expected] == cuts.of_milestones(samples, end=end).tolist(), end


def test_a_round_trip_that_the_recording_ends_in_is_cut(new_bench) -> None:  # type: ignore[no-untyped-def]
    """One that stopped long before is lost."""
    bench = new_bench()
    bench.round_trip(1)
    bench.round_trip(2, lost="reply")
    bench.round_trip(3)
    bench.emit(0, "app.tx.enter", 4)
    lines = trips(bench.events()).timelines

    assert [timelines.COMPLETE, timelines.LOST, timelines.COMPLETE, timelines.CUT] == lines.status.tolist()

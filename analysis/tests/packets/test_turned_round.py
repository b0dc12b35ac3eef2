"""Packets that a node sends to itself: each comes back once, is delivered, and has its delay and its layers."""

from __future__ import annotations

from fractions import Fraction

import pytest
from network import Network

from gpiorig.analysis.evaluation import analysis
from gpiorig.analysis.packets import delivery, receptions
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.quantities.series import Recorded
from gpiorig.analysis.quantities.values import series_of

MS = 24_000
DOWN = ("app.tx", "udp.tx", "ipv6.tx")
UP = ("ipv6.rx", "udp.rx", "app.rx")
BYTES = 100


def emit(network: Network, at: int, events: tuple[str, ...], id_: int) -> int:
    """Events of node a with an id; gives the instant of the next one."""
    for event in events:
        at = network._emit(at, "a", event, id_)
    return at


def entered(points: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{point}.enter" for point in points)


def left(points: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(f"{point}.exit" for point in reversed(points))


def turn(network: Network, at: int, id_: int, *, loop: str, fragments: int = 1, returned: int | None = None) -> None:
    """A packet of a to itself, turned round in IPv6, or below 6LoWPAN in fragments, of which some come back."""
    if loop == "ipv6":
        at = emit(network, at, (*entered(DOWN), *left(DOWN)), id_)
        if returned != 0:
            emit(network, at, (*entered(UP), *left(UP)), id_)
        return
    at = emit(network, at, entered((*DOWN, "sixlowpan.tx")), id_)
    for _ in range(fragments):
        at = emit(
            network, at, (*entered(("sixlowpan.fragment", "mac.tx")), *left(("sixlowpan.fragment", "mac.tx"))), id_
        )
    at = emit(network, at, left((*DOWN, "sixlowpan.tx")), id_)
    returned = fragments if returned is None else returned
    for number in range(returned):
        above = UP if number == fragments - 1 else ()
        points = ("mac.rx", "sixlowpan.rx", *above)
        at = emit(network, at, (*entered(points), *left(points)), id_)


def recorded(network: Network) -> Recorded:
    events = network.events()
    stages = analysis.analyse(events, {}, header_ns=network.headers(), destinations={"a": ("a",), "b": ("a",)})
    return Recorded(stages, {"payload": BYTES}, network.headers())


def shares(measured: Recorded) -> tuple[float, float]:
    """Loss and delivery of a's own packets."""
    return tuple(float(series_of(f"{name} at a", measured)[0].interval("").value) for name in ("loss", "delivery"))


@pytest.mark.parametrize(("loop", "fragments"), [("ipv6", 1), ("mac", 1), ("mac", 11)])
def test_packets_that_come_back_are_delivered(loop: str, fragments: int) -> None:
    network = Network("ab")
    for number in range(1, 9):
        turn(network, number * 10 * MS, number, loop=loop, fragments=fragments)
    measured = recorded(network)
    hops = measured.packets()
    assert 8 == len(hops.packets) == hops.packets.deliveries.sum()
    assert {receptions.TURNED_ROUND} == set(hops.receptions.origins.tolist())
    assert {} == hops.unattributed.counts()
    assert (0, 1) == shares(measured)
    (route,) = measured.analysis.routes
    assert ("a > a", 8, 0, 0) == (route.name, len(route), route.lost, route.partial)
    calls, arrivals = (
        [at for at, _, event, _ in sorted(network.log) if event == name] for name in ("app.tx.enter", "app.rx.enter")
    )
    assert [back - call for call, back in zip(calls, arrivals, strict=True)] == route.totals.tolist()
    assert not {Kind.AIR, Kind.RADIO_WAIT, Kind.UNDIVIDED} & {step.kind for step in route.steps.steps}
    (goodput,) = series_of("goodput at a", measured)
    seconds = Fraction(arrivals[-1] - calls[0], 24_000_000)
    assert 8 * 8 * BYTES / seconds == goodput.values[0] * goodput.scale
    assert 8 == sum(len(one.values) for one in series_of("self time of udp tx at a", measured))


@pytest.mark.parametrize(
    ("loop", "fragments", "returned", "fate"),
    [("ipv6", 1, 0, delivery.NOT_SENT), ("mac", 11, 8, delivery.INCOMPLETE), ("mac", 11, 0, delivery.NOT_RECEIVED)],
)
def test_those_that_do_not_come_back_are_lost(loop: str, fragments: int, returned: int, fate: int) -> None:
    network = Network("ab")
    for number in range(1, 9):
        lost = number % 4 == 2
        turn(network, number * 10 * MS, number, loop=loop, fragments=fragments, returned=returned if lost else None)
    measured = recorded(network)
    status = measured.packets().packets.status.tolist()
    assert [fate if number % 4 == 2 else delivery.DELIVERED for number in range(1, 9)] == status
    assert (0.25, 0.75) == shares(measured)


@pytest.mark.parametrize("loop", ["ipv6", "mac"])
def test_frames_of_another_node_with_equal_ids_stay_its_own(loop: str) -> None:
    """Node a gets packets over the air, too, before, between and after its own with the same ids."""
    network = Network("ab")
    for number in range(1, 9):
        turn(network, number * 40 * MS, number, loop=loop)
        network.frame(number * 40 * MS + (20 * MS if number % 2 else -10 * MS), "b", number, {"a": "deliver"})
    measured = recorded(network)
    assert (0, 1) == shares(measured)
    assert {"a > a": (8, 0), "b > a": (8, 0)} == {
        route.name: (len(route), route.lost) for route in measured.analysis.routes
    }
    counted = [
        measured.packets().receptions.origins.tolist().count(origin)
        for origin in (receptions.FROM_ONE, receptions.TURNED_ROUND)
    ]
    assert [8, 8] == counted

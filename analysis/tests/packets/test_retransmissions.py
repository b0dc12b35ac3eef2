"""Round trips of requests that were sent again: the delivery that caused the reply, and the wait for it as a step."""

from __future__ import annotations

import numpy as np
import pytest
from network import Frame, Network
from tripcases import trips

from gpiorig.analysis.packets import hop_routes, round_trips, timelines
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.packets.round_trips import RoundTrips
from gpiorig.analysis.packets.timelines import COMPLETE

MS = 24_000
ENDS = ("a", "b")


def run(network: Network) -> RoundTrips:
    """The round trips from a to b."""
    return trips(network.events(), header_ns=network.headers(), ends=ENDS)


def assert_exact(paired: RoundTrips, request: Frame, reply: Frame, *, start: int) -> dict[str, int]:
    """The milestones of the one round trip: those of these two frames; gives its steps."""
    lines = paired.timelines
    assert [COMPLETE] == lines.status.tolist()
    samples_by_name = {m.name: int(at) for m, at in zip(lines.milestones, lines.samples[0], strict=True)}
    truth = {f"request.{name}": at for name, at in request.milestones("b").items()} | {"request.app.tx": start}
    truth |= {f"reply.{name}": at for name, at in reply.milestones("a").items()}
    assert {name: at for name, at in truth.items() if name in samples_by_name} == {
        name: at for name, at in samples_by_name.items() if not name.endswith(".first")
    }
    steps = timelines.steps(lines)
    assert timelines.steps_add_up(lines, steps)
    return dict(zip((step.name for step in steps.steps), steps.samples[0].tolist(), strict=True))


def waits(paired: RoundTrips) -> list[str]:
    """Names of the steps that wait for a retransmission."""
    steps = round_trips.route(paired).steps.steps
    return [step.name for step in steps if step.kind is Kind.RETRANSMISSION]


@pytest.mark.parametrize("first_delivered", [True, False])
def test_a_request_that_the_application_repeats(first_delivered: bool) -> None:
    """The repetition is sent below the application's call; the reply to the first one, if any, is lost."""
    network = Network("ab")
    first = network.frame(0, "a", 7, {"b": "deliver"} if first_delivered else {}, outcome="no_ack")
    if first_delivered:
        network.frame(first.end, "b", 7, {}, outcome="no_ack")
    again = network.frame(2000 * MS, "a", 7, {"b": "deliver"}, by="again")
    reply = network.frame(again.end + 9 * MS, "b", 7, {"a": "deliver"})
    paired = run(network)
    steps = assert_exact(paired, again, reply, start=first.marks["app.tx"])
    assert ["request: retransmission by the application"] == waits(paired)
    assert again.marks["udp.tx"] - first.marks["udp.tx"] == steps["request: retransmission by the application"]
    assert reply.marks["app.tx"] - again.arrivals["b"]["app.rx"] == steps["turn-around: app.rx to app.tx"]
    assert (int(first_delivered), 0) == paired.read_again
    assert [[1 + first_delivered, 1]] == paired.deliveries.tolist()


def test_a_frame_that_the_mac_repeats_and_the_application_reads_twice() -> None:
    """A MAC in software: one call, two commands; the first reply is lost."""
    network = Network("ab")
    first = network.frame(0, "a", 7, {"b": "deliver"}, outcome="no_ack")
    network.frame(first.end, "b", 7, {}, outcome="no_ack")
    again = network.frame(40 * MS, "a", 7, {"b": "deliver"}, by="retry")
    reply = network.frame(again.end + MS, "b", 7, {"a": "deliver"})
    paired = run(network)
    again.marks.update({name: at for name, at in first.marks.items() if not name.startswith("driver.exec")})
    steps = assert_exact(paired, again, reply, start=first.marks["app.tx"])
    assert ["request: retransmission by the MAC"] == waits(paired)
    assert again.marks["driver.exec"] - first.marks["driver.exec"] == steps["request: retransmission by the MAC"]
    assert (1, 0) == paired.read_again


def test_a_frame_that_the_radio_repeats_and_the_application_reads_twice() -> None:
    """One command, two frames on the air: the reply to the second delivery arrives, the first one does not."""
    network = Network("ab")
    request = network.frame(0, "a", 7, {"b": "deliver"}, twice="b", read_again="deliver")
    network.frame(request.again["b"]["app.rx"] - MS, "b", 7, {}, outcome="no_ack")
    reply = network.frame(request.end + 9 * MS, "b", 7, {"a": "deliver"})
    request.arrivals.update(request.again)
    paired = run(network)
    steps = assert_exact(paired, request, reply, start=request.marks["app.tx"])
    assert reply.marks["app.tx"] - request.again["b"]["app.rx"] == steps["turn-around: app.rx to app.tx"]
    assert (1, 0) == paired.read_again


def test_the_reply_to_the_first_delivery_keeps_it() -> None:
    """Both deliveries are answered; the first reply arrives first, so the first delivery caused it."""
    network = Network("ab")
    request = network.frame(0, "a", 7, {"b": "deliver"}, outcome="no_ack")
    reply = network.frame(request.end + MS, "b", 7, {"a": "deliver"})
    again = network.frame(2000 * MS, "a", 7, {"b": "deliver"}, by="again")
    network.frame(again.end + MS, "b", 7, {"a": "deliver"})
    paired = run(network)
    assert_exact(paired, request, reply, start=request.marks["app.tx"])
    assert [] == waits(paired)
    assert (1, 1) == paired.read_again
    assert 0 == paired.retries - 1  # the request's second frame; the second reply is not a retry


def test_a_repeated_request_over_a_relay() -> None:
    """Both hops are those of the repetition."""
    network = Network("arb")
    first = network.frame(0, "a", 7, {"r": "relay"})
    first_on = network.frame(first.end, "r", 7, {"b": "deliver"}, by="relay")
    network.frame(first_on.end, "b", 7, {}, outcome="no_ack")
    again = network.frame(2000 * MS, "a", 7, {"r": "relay"}, by="again")
    again_on = network.frame(again.end, "r", 7, {"b": "deliver"}, by="relay")
    back = network.frame(again_on.end + MS, "b", 7, {"r": "relay"})
    network.frame(back.end, "r", 7, {"a": "deliver"}, by="relay")
    paired = run(network)
    lines = paired.timelines
    assert [COMPLETE] == lines.status.tolist()
    assert again.marks["udp.tx"] == lines.column("request hop 1.udp.tx")[0]
    assert again_on.arrivals["b"]["app.rx"] == lines.column("request hop 2.app.rx")[0]
    assert ["request hop 1: retransmission by the application"] == waits(paired)


def test_a_packet_one_way_waits_for_its_retransmission_too() -> None:
    """The first attempt was not delivered; where it was, the packet had arrived and waits for nothing."""
    network = Network("ab")
    lost = network.frame(0, "a", 7, {}, outcome="no_ack")
    again = network.frame(2000 * MS, "a", 7, {"b": "deliver"}, by="again")
    arrived = network.frame(3000 * MS, "a", 8, {"b": "deliver"}, outcome="no_ack")
    network.frame(arrived.end + MS, "a", 8, {"b": "deliver"}, by="again")
    network.frame(4000 * MS, "b", 9, {"a": "hear"})
    stage = run(network).hops
    (route,) = hop_routes.routes(stage, np.isin(stage.packets.ids, (7, 8)))
    column = [step.name for step in route.steps.steps].index("hop 1: retransmission by the application")
    assert [again.marks["udp.tx"] - lost.marks["udp.tx"], 0] == route.steps.samples[:, column].tolist()

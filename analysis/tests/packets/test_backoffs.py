"""Backoffs of a MAC in software: a step of their own between loading the frame and the command to the radio."""

from __future__ import annotations

import numpy as np
import pytest
from network import Frame, Network
from tripcases import trips

from gpiorig.analysis.packets import round_trips, timelines
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.packets.round_trips import RoundTrips

MS = 24_000
PERIOD = 320 * 24  # samples
READ = {"b": "deliver"}


def answered(network: Network, request: Frame, id_: int) -> RoundTrips:
    """The round trips once the request has its reply."""
    network.frame(request.end + 9 * MS, "b", id_, {"a": "deliver"}, mac_backoff=PERIOD)
    return trips(network.events(), header_ns=network.headers(), ends=("a", "b"))


def request_steps(paired: RoundTrips, row: int = 0) -> dict[str, int]:
    """The steps of one request, which add up to the round trip and begin in order."""
    steps = timelines.steps(paired.timelines)
    assert timelines.steps_add_up(paired.timelines, steps)
    assert (np.asarray(steps.samples) >= 0).all()
    named = zip((step.name for step in steps.steps), steps.samples[row].tolist(), strict=True)
    return {name.partition(": ")[2]: samples for name, samples in named if name.startswith("request: ")}


def test_it_is_a_step_of_its_own() -> None:
    """From its beginning to the command; what comes before is loading the frame."""
    network = Network("ab")
    request = network.frame(0, "a", 7, READ, mac_backoff=5 * PERIOD)
    paired = answered(network, request, 7)
    steps, marks = request_steps(paired), request.marks
    assert marks["driver.exec"] - marks["mac.backoff"] == steps["CSMA backoff"] > 5 * PERIOD
    assert marks["mac.backoff"] - marks["driver.load"] == steps["load the frame"] < PERIOD
    backoffs = [step for step in round_trips.route(paired).steps.steps if step.is_backoff]
    assert [("a",), ("b",)] == [step.nodes for step in backoffs]
    assert {Kind.RADIO_WAIT} == {step.kind for step in backoffs}


def test_a_busy_channel_makes_it_longer() -> None:
    """Two assessments find the channel busy: the backoff began before them, and nothing is a retransmission."""
    network = Network("ab")
    first = network.frame(0, "a", 7, {}, outcome="busy", mac_backoff=PERIOD)
    second = network.frame(first.end + 100, "a", 7, {}, by="retry", outcome="busy", mac_backoff=2 * PERIOD)
    request = network.frame(second.end + 100, "a", 7, READ, by="retry", mac_backoff=3 * PERIOD)
    steps = request_steps(answered(network, request, 7))
    assert request.marks["driver.exec"] - first.marks["mac.backoff"] == steps["CSMA backoff"]
    assert first.marks["mac.backoff"] - first.marks["driver.load"] == steps["load the frame"]
    assert not [name for name in steps if name.startswith("retransmission")]


@pytest.mark.parametrize("busy", [False, True], ids=["free", "busy before each attempt"])
def test_a_frame_that_the_mac_repeats(busy: bool) -> None:
    """The wait for the retransmission ends where the backoff of the attempt that arrived begins."""

    def attempt(at: int, by: str, **how: object) -> tuple[Frame, Frame]:
        """The frames of an attempt: that with which it begins, and that which finds the channel free."""
        begun = network.frame(at, "a", 7, {}, by=by, outcome="busy", mac_backoff=PERIOD) if busy else None
        if begun is not None:
            at, by = begun.end + 100, "retry"
        sent = network.frame(at, "a", 7, by=by, mac_backoff=2 * PERIOD, **how)
        return begun or sent, sent

    network = Network("ab")
    first, lost = attempt(0, "call", readers={}, outcome="no_ack")
    again, arrived = attempt(lost.end + MS, "retry", readers=READ)
    steps = request_steps(answered(network, arrived, 7))
    assert first.marks["mac.backoff"] - first.marks["driver.load"] == steps["load the frame"] < PERIOD
    assert again.marks["mac.backoff"] - first.marks["mac.backoff"] == steps["retransmission by the MAC"]
    assert arrived.marks["driver.exec"] - again.marks["mac.backoff"] == steps["CSMA backoff"]


def test_one_elsewhere_changes_no_step() -> None:
    """A MAC that backs off before it loads the frame: the path is that of a node without the event."""
    plain, elsewhere = Network("ab"), Network("ab")
    request = plain.frame(0, "a", 7, READ)
    for at, name in ((-60, "mac.backoff.enter"), (-30, "mac.backoff.exit")):
        elsewhere.log.append((request.marks["driver.prepare"] + at, "a", name, 7))
    elsewhere.frame(0, "a", 7, READ)
    lines = []
    for network in (plain, elsewhere):
        network.frame(request.end + 9 * MS, "b", 7, {"a": "deliver"})
        paired = trips(network.events(), header_ns=network.headers(), ends=("a", "b"))
        lines.append(paired.timelines)
    assert [m.name for m in lines[0].milestones] == [m.name for m in lines[1].milestones]
    assert lines[0].samples.tolist() == lines[1].samples.tolist()

"""Reordering by RFC 4737, and logs held against pins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from network import Network

from gpiorig.analysis.logs import node_log
from gpiorig.analysis.packets import hops, node_accounts, reordering, round_trips

MS = 24_000


def test_the_single_packet_of_the_rfc() -> None:
    """RFC 4737, 7.1 (section from memory): of ten packets the fourth comes after the eighth; its extent is 4."""
    arrival = np.array([1, 2, 3, 5, 6, 7, 8, 4, 9, 10])
    assert [0, 0, 0, 0, 0, 0, 0, 4, 0, 0] == reordering.extents(arrival).tolist()


@given(st.permutations(range(12)))
def test_extents_are_those_of_the_plain_definition(arrival: list[int]) -> None:
    """Arrivals back to the first packet with a larger number; with none such it is in order."""
    expected = []
    for i, number in enumerate(arrival):
        larger = [j for j in range(i) if arrival[j] > number]
        expected.append(i - larger[0] if larger else 0)
    assert expected == reordering.extents(np.array(arrival)).tolist()


def test_packets_that_overtake_are_found_per_pair_of_nodes() -> None:
    network = Network("abc")
    slow = network.frame(0, "a", 1, {"b": "deliver"}, outcome="no_ack")
    network.log = [
        (at + 500 * MS if event == "app.rx.enter" else at, node, event, id_) for at, node, event, id_ in network.log
    ]
    network.frame(slow.end + 50 * MS, "a", 2, {"b": "deliver"})
    network.frame(slow.end + 150 * MS, "c", 9, {"b": "deliver"})
    by_origin = {
        pair.origin: pair for pair in reordering.find(hops.build(network.events(), header_ns=network.headers()))
    }
    assert (2, 1, 1, 0.5) == (
        by_origin["a"].arrived,
        by_origin["a"].reordered,
        by_origin["a"].largest_extent,
        by_origin["a"].ratio,
    )
    assert (1, 0) == (by_origin["c"].arrived, by_origin["c"].reordered)


def logs(sender: str, receiver: str) -> dict[str, node_log.NodeLog]:
    return {"a": node_log.parse(sender, node="a"), "b": node_log.parse(receiver, node="b")}


def lines(ids: list[int], *, receiver: bool = False, lost: dict[int, str] | None = None) -> str:
    lost = lost or {}
    text = ""
    for id_ in ids:
        timestamps = "from=1 radio_us=1 rx_us=2" if receiver else "tx_us=1 done_us=2"
        text += f"packet seq={id_} {timestamps} "
        text += f"status=lost reason={lost[id_]}\n" if id_ in lost else "status=ok\n"
    count = f"sent={0 if receiver else len(ids)} received={len(ids) if receiver else 0}"
    return text + f"done {count} lost={len(lost)} probes=1\n"


@pytest.fixture
def five_packets() -> hops.Hops:
    """Packets 65534 to 3, of which 1 is lost on the air."""
    network = Network("ab")
    for n, id_ in enumerate((65534, 65535, 1, 2, 3)):
        network.frame(n * 100 * MS, "a", id_, {} if id_ == 1 else {"b": "deliver"}, outcome="no_ack")
    return hops.build(network.events(), header_ns=network.headers())


def test_logs_and_pins_that_agree(five_packets: hops.Hops) -> None:
    """The log may be in another order, and have packets that got no buffer and so no send call."""
    sender = lines([65534, 1, 65535, 2, 4, 3], lost={1: "no_ack", 4: "queue"})
    a, b = node_accounts.compare(five_packets, logs(sender, lines([65534, 65535, 2, 3], receiver=True)))
    assert [] == a.problems() == b.problems()
    assert {("ok", "delivered"): 4, ("no_ack", "sent, read by no other node"): 1} == a.outcomes
    assert {"queue": 1} == a.not_seen
    assert (5, 0, 0, 4) == (a.seen_sent, a.seen_received, b.seen_sent, b.seen_received)


@pytest.mark.parametrize(
    ("sender", "receiver", "problem"),
    [
        ([65534, 65535, 1, 2], [65534, 65535, 2, 3], "Node a reports 4 packets sent; the pins show 5 send calls."),
        ([65534, 65535, 1, 2, 3], [65534, 65535, 2], "Node b reports 3 packets received; the pins show 4 deliveries."),
        ([10, 11, 12, 13, 14], [65534, 65535, 2, 3], "5 packets in the log of node a have no send call on the pins"),
        ([65534, 65535, 1, 2, 3], [65534, 65535, 2, 77], "1 packets that node b logged as received were not delivered"),
    ],
)
def test_a_mismatch_names_the_node(
    five_packets: hops.Hops, sender: list[int], receiver: list[int], problem: str
) -> None:
    accounts = node_accounts.compare(five_packets, logs(lines(sender), lines(receiver, receiver=True)))
    problems = [sentence for account in accounts for sentence in account.problems()]
    assert any(sentence.startswith(problem) for sentence in problems), problems


def test_a_node_that_logs_nothing_is_counted_only(five_packets: hops.Hops) -> None:
    quiet = {
        "a": node_log.parse("done sent=5 received=0 lost=0 probes=1\n", node="a"),
        "b": node_log.parse("", node="b"),
    }
    assert [[], []] == [account.problems() for account in node_accounts.compare(five_packets, quiet)]


def test_a_reply_after_the_time_out_is_accounted_for(five_packets: hops.Hops) -> None:
    """Node b gave up packet 2, and got it after all: a delivery without a line of its own."""
    text = "".join(f"packet seq={id_} tx_us=1 rx_us=2 status=ok\n" for id_ in (65534, 65535, 3))
    text += "packet seq=2 tx_us=1 status=lost reason=timeout\ndone sent=0 received=3 lost=1 probes=1\n"
    (account,) = node_accounts.compare(five_packets, {"b": node_log.parse(text, node="b")})
    assert (1, 4, 0) == (account.late, account.seen_received, account.received_not_logged)
    assert not any("deliver" in problem for problem in account.problems())


@pytest.mark.parametrize(("logged", "problems"), [([1, 1, 2], 0), ([1, 2], 0), ([1, 1, 1, 2], 2)])
def test_a_frame_that_is_handed_up_twice_is_one_delivery(logged: list[int], problems: int) -> None:
    """The stack of b has no filter for duplicates; its application counts the second one, or does not."""
    network = Network("ab")
    first = network.frame(100 * MS, "a", 1, {"b": "deliver"}, outcome="no_ack")
    network.frame(first.end + MS, "a", 1, {"b": "deliver"}, by="retry")
    network.frame(200 * MS, "a", 2, {"b": "deliver"})
    stage = hops.build(network.events(), header_ns=network.headers())
    (account,) = node_accounts.compare(stage, {"b": node_log.parse(lines(logged, receiver=True), node="b")})

    assert (2, 1) == (account.seen_received, account.again)
    assert problems == len(account.problems())


def test_packets_that_an_application_does_not_take_are_counted_apart() -> None:
    """A broadcast of a third node reaches the ends of round trips, whose application neither counts nor logs it."""
    network = Network("abc")
    for number, start in enumerate((100 * MS, 200 * MS), start=1):
        request = network.frame(start, "a", number, {"b": "deliver"})
        network.frame(request.end + MS, "b", number, {"a": "deliver"})
    network.frame(150 * MS, "c", 9, {"a": "deliver", "b": "deliver"})
    stage = hops.build(network.events(), header_ns=network.headers())
    trips = round_trips.find(stage, initiator="a", responder="b", header_ns=network.headers())
    (account,) = node_accounts.compare(stage, {"b": node_log.parse(lines([1, 2], receiver=True), node="b")}, trips)

    assert (2, 1) == (account.seen_received, account.others)
    assert not any("deliver" in problem for problem in account.problems())
    assert 3 == node_accounts.compare(stage, {"b": node_log.parse("", node="b")})[0].seen_received


def test_frames_whose_transmission_is_not_known_may_be_logged() -> None:
    """The pins of the sender are not recorded: the application of b takes its packet, whose origin is not known."""
    network = Network("ab")
    network.frame(100 * MS, "a", 1, {"b": "deliver"})
    network.frame(200 * MS, "a", 2, {"b": "deliver"})
    network.log = [row for row in network.log if row[0] < 190 * MS or row[1] == "b"]
    stage = hops.build(network.events(), header_ns=network.headers())
    for logged in ([1, 2], [1]):
        (account,) = node_accounts.compare(stage, {"b": node_log.parse(lines(logged, receiver=True), node="b")})
        assert (1, 1, 0) == (account.seen_received, account.unknown, account.received_not_seen)
        assert [] == account.problems()
    (account,) = node_accounts.compare(stage, {"b": node_log.parse(lines([1, 3], receiver=True), node="b")})
    assert 1 == account.received_not_seen

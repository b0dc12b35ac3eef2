"""Packets over any number of nodes: every frame, fate and instant of a synthetic network must come back."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from network import HEADER, Frame, Network, rows_of

from gpiorig.analysis.errors import EventError
from gpiorig.analysis.packets import accounting, hop_routes, hops, journeys, overheard, receptions, transmissions
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.path import POINTS

MS = 24_000
NAMES = [point.name for point in POINTS]


def run(network: Network, destinations: dict[str, tuple[str, ...]] | None = None, **how: object) -> Hops:
    return hops.build(network.events(**how), header_ns=network.headers(), destinations=destinations)


def relayed(network: Network, at: int, id_: int, nodes: tuple[str, ...], *, start: str = "call") -> list[Frame]:
    """A packet along some nodes, delivered at the last one."""
    frames = []
    for number, (sender, reader) in enumerate(pairwise(nodes)):
        how = "deliver" if reader == nodes[-1] else "relay"
        frames.append(network.frame(at, sender, id_, {reader: how}, by="relay" if number else start))
        at = frames[-1].end + MS
    return frames


def instants(found: Hops, row: int) -> list[int]:
    """Those of all milestones of a hop."""
    return [int(column[row]) for column in found.samples]


def assert_true(found: Hops, frame: Frame, reader: str, row: int) -> None:
    """Every milestone of a hop is where the network put it, and no other one is there."""
    expected = frame.milestones(reader)
    assert [expected.get(name, -1) for name in NAMES] == instants(found, row)


def status_of(found: Hops) -> list[str]:
    """Status of the packets that were sent by a call."""
    return [journeys.STATUS[key] for key in found.journeys.status[found.journeys.called].tolist()]


def test_a_packet_over_three_hops_comes_back_exactly() -> None:
    network = Network("abcd")
    frames = [relayed(network, 100 * MS * n, n, ("a", "b", "c", "d")) for n in range(1, 6)]
    found = run(network, {"a": ("d",)})
    assert 15 == len(found)
    for n, of_packet in enumerate(frames, start=1):
        for number, (frame, reader) in enumerate(zip(of_packet, "bcd", strict=True), start=1):
            (row,) = rows_of(found, id=n, number=number)
            assert_true(found, frame, reader, row)
            assert (frame.sender, reader) == tuple(
                found.events.node_names[node] for node in (found.senders[row], found.receivers[row])
            )
    (route,) = hop_routes.routes(found)
    assert ("a > b > c > d", 5, 0, 0) == (route.name, len(route), route.lost, route.partial)
    delays = [f[2].arrivals["d"]["app.rx"] - f[0].marks["app.tx"] for f in frames]
    assert delays == route.totals.tolist()
    assert [f[0].marks["app.tx"] for f in frames] == route.starts.tolist()
    assert (route.steps.samples >= 0).all()
    names = [step.name for step in route.steps.steps]
    assert len(names) == len(set(names))
    by_name = {step.name: step for step in route.steps.steps}
    assert "b" == by_name["hop 2: forward: 6lowpan to mac"].node
    assert "c > d" == by_name["hop 3: air: first bit to radio interrupt"].node
    assert "b" == by_name["hop 2: radio wait: exec done to first bit on air"].node
    assert {} == found.unattributed.counts()
    assert [] == accounting.notes(found) == accounting.doubts(found)


def test_a_broadcast_has_a_row_for_every_receiver() -> None:
    network = Network("abcd")
    frame = network.frame(0, "b", 7, {"a": "deliver", "c": "deliver", "d": "hear"}, outcome="complete")
    found = run(network, {"b": ("a", "c", "d")})
    for reader in "ac":
        (row,) = rows_of(found, receiver=reader)
        assert_true(found, frame, reader, row)
    (missed,) = rows_of(found, receiver="d")
    assert hops.NOT_READ == found.status[missed]
    assert ["delivered to some of the nodes it was for"] == status_of(found)
    routes = {route.name: (len(route), route.lost) for route in hop_routes.routes(found)}
    assert {"b > a": (1, 0), "b > c": (1, 0), "b > d": (0, 1)} == routes
    # d's radio heard the frame: its line is not unattributed, but of this packet.
    assert 1 == len(found.overheard)
    assert 0 == len(found.unattributed)


def test_equal_ids_of_two_origins_are_two_packets() -> None:
    """Air time tells them apart, at a receiver that hears both."""
    network = Network("abc")
    first = [network.frame(n * 40 * MS, "a", n, {"c": "deliver"}) for n in range(1, 9)]
    second = [network.frame(n * 40 * MS + 20 * MS, "b", n, {"c": "deliver"}) for n in range(1, 9)]
    found = run(network)
    for n in range(1, 9):
        for sender, frames in (("a", first), ("b", second)):
            (row,) = rows_of(found, id=n, sender=sender)
            assert_true(found, frames[n - 1], "c", row)
    assert {"a > c": 8, "b > c": 8} == {route.name: len(route) for route in hop_routes.routes(found)}


def overlapping(told: bool) -> Hops:
    """Two nodes that send frames of equal ids at the same time; c reads that of b."""
    network = Network("abc", told=told)
    network.sequences["a"] = 100
    network.frame(0, "a", 7, {}, outcome="no_ack", backoff=10 * MS)
    network.frame(500, "b", 7, {"c": "deliver"})
    return run(network)


def test_what_cannot_be_told_apart_is_not_guessed() -> None:
    found = overlapping(told=False)
    assert [receptions.AMBIGUOUS] == found.receptions.origins.tolist()
    assert [-1] == found.receptions.transmissions.tolist()
    assert not any(found.receivers[found.status == hops.READ] == found.events.node("c"))
    (note,) = accounting.notes(found)
    assert note.startswith("1 of 1 frames were read while several nodes")
    assert accounting.account(found).adds_up


def test_the_sequence_number_tells_apart_what_time_does_not() -> None:
    found = overlapping(told=True)
    assert [receptions.FROM_ONE] == found.receptions.origins.tolist()
    assert 1 == len(rows_of(found, sender="b", receiver="c"))


def test_another_sequence_number_is_another_frame() -> None:
    network = Network("ab", told=True)
    network.frame(0, "a", 7, {"b": "deliver"})
    network.log = [
        (at, node, event, 99 if (node, event) == ("b", "mac.sequence") else id_) for at, node, event, id_ in network.log
    ]
    assert [receptions.OTHER_NUMBER] == run(network).receptions.origins.tolist()


def test_ids_that_wrap_are_different_packets() -> None:
    network = Network("abc")
    ids = [65534, 65535, 0, 1] * 3
    frames = [relayed(network, n * 100 * MS, id_, ("a", "b", "c")) for n, id_ in enumerate(ids)]
    found = run(network)
    assert ids == found.journeys.ids.tolist()
    assert 24 == len(found)
    for packet, of_packet in enumerate(frames):
        for row, reader in zip(np.flatnonzero(found.packets == packet), "bc", strict=True):
            assert_true(found, of_packet[found.numbers[row] - 1], reader, row)


def test_a_late_event_is_not_given_to_the_round_before() -> None:
    """More than half the id space ago is another packet, whose send call was not seen."""
    network = Network("ab")
    network.frame(0, "a", 5, {"b": "deliver"})
    for n in range(33_000):
        network.log.append((100 * MS + 500 * n, "a", "app.tx.enter", 6 + n))
    network.log.append((200_000 * MS, "a", "udp.tx.enter", 5))
    found = run(network)
    assert {"no packet with this id was under way": 1} == found.unattributed.counts()


def test_a_lost_acknowledgement_makes_a_duplicate_and_no_packet() -> None:
    """Software repeats the frame: read, not acknowledged, sent again, read again and dropped."""
    network = Network("ab")
    first = network.frame(0, "a", 7, {"b": "deliver"}, outcome="no_ack")
    network.frame(first.end, "a", 7, {"b": "drop"}, by="retry")
    other = network.frame(first.end + 100 * MS, "a", 8, {"b": "deliver"})
    found = run(network, {"a": ("b",)})
    row, following = rows_of(found, sender="a")
    assert_true(found, first, "b", row)
    assert_true(found, other, "b", following)
    assert (2, 1, 1, 2, 1) == (
        found.attempts[row],
        found.frames[row],
        found.no_ack[row],
        found.readings[row],
        found.duplicates[row],
    )
    assert [False, True, False] == found.visits.repeated.tolist()
    assert ["delivered"] * 2 == status_of(found)
    assert 0 == len(found.unattributed)


def test_a_duplicate_that_overtakes_its_frame_in_the_stack_has_no_milestones() -> None:
    """Threads: the MAC has dropped the duplicate before 6LoWPAN gets to the frame."""
    network = Network("ab")
    first = network.frame(0, "a", 7, {"b": "deliver"}, outcome="no_ack")
    upper = ("sixlowpan.rx", "ipv6.rx", "udp.rx", "app.rx")
    network.log = [(at + 50 * MS * event.startswith(upper), node, event, id_) for at, node, event, id_ in network.log]
    network.frame(first.end, "a", 7, {"b": "drop"}, by="retry")
    for layer in upper:
        first.arrivals["b"][layer] += 50 * MS
    found = run(network)
    assert_true(found, first, "b", 0)
    assert [1] == found.duplicates.tolist()


def test_a_frame_that_the_radio_repeats_is_one_transmission() -> None:
    network = Network("ab")
    frame = network.frame(0, "a", 7, {"b": "deliver"}, twice=["b"])
    found = run(network)
    assert [transmissions.COMPLETE] == found.transmissions.outcomes.tolist()
    assert [0, 0] == found.receptions.transmissions.tolist()
    assert (1, 1, 2, 1) == (found.attempts[0], found.frames[0], found.readings[0], found.duplicates[0])
    assert_true(found, frame, "b", 0)


def test_the_repetition_that_was_received_has_the_milestones() -> None:
    network = Network("ab")
    first = network.frame(0, "a", 7, {}, outcome="no_ack")
    second = network.frame(first.end, "a", 7, {"b": "deliver"}, by="retry")
    found = run(network)
    expected = first.marks | second.milestones("b")
    assert [expected.get(name, -1) for name in NAMES] == instants(found, 0)
    assert (2, 1) == (found.attempts[0], found.frames[0])


def test_losses_are_where_they_are() -> None:
    """Never given to the radio, lost on the air, dropped by the reader, lost behind a relay."""
    network = Network("abc")
    network.frame(0, "a", 1, {"b": "deliver"})
    network.frame(100 * MS, "a", 2, {}, outcome="no_ack")
    network.frame(200 * MS, "a", 3, {"b": "drop"})
    network.log.append((300 * MS, "a", "app.tx.enter", 4))
    network.log.append((300 * MS + 400, "a", "app.tx.exit", 4))
    onward = network.frame(400 * MS, "a", 5, {"b": "relay"})
    network.frame(onward.end + MS, "b", 5, {}, by="relay", outcome="busy")
    found = run(network)
    expected = [journeys.DELIVERED, journeys.NOT_RECEIVED, journeys.DROPPED, journeys.NOT_SENT, journeys.NOT_RECEIVED]
    assert expected == found.journeys.status.tolist()
    at = found.journeys.last_events
    places = [(found.events.node_names[found.events.nodes[row]]) for row in at.tolist()]
    assert ["a", "a", "a", "a", "b"] == places
    (lost,) = rows_of(found, id=5, number=2)
    assert (hops.NOT_READ, -1, 1) == (found.status[lost], found.receivers[lost], found.busy[lost])
    (unsent,) = rows_of(found, id=4)
    assert hops.NOT_SENT == found.status[unsent]
    (route,) = hop_routes.routes(found)
    assert ("a > b", 1, 4, 0) == (route.name, len(route), route.lost, route.partial)


def test_nothing_arrives() -> None:
    """All lost is a result: a route without packets, which counts them."""
    network = Network("ab")
    for n in range(3):
        network.frame(n * 100 * MS, "a", n, {}, outcome="no_ack")
    (route,) = hop_routes.routes(run(network, {"a": ("b",)}))
    assert ("a > b", 0, 3, 0) == (route.name, len(route), route.lost, len(route.steps.steps))
    assert [] == route.totals.tolist()
    (route,) = hop_routes.routes(run(network))
    assert ("a > ?", 3) == (route.name, route.lost)


def fragmented(network: Network, at: int, id_: int, *, missing: int | None = None, relay: bool = False) -> list[Frame]:
    """Three fragments from a to b, or one after the other from a over b to c; b gets all but one, if one is missing."""
    frames = []
    for number in range(3):
        how = "deliver" if number == 2 and missing is None and not relay else "relay"
        readers = {} if number == missing else {"b": how}
        if number == 0:
            for layer in ("app.tx", "udp.tx", "ipv6.tx", "sixlowpan.tx"):
                network.log.append((at, "a", f"{layer}.enter", id_))
                at += 200
        frames.append(network.frame(at, "a", id_, readers, by="fragment", outcome="complete" if readers else "no_ack"))
        at = frames[-1].end + MS
        if relay:
            onward = {"c": "deliver" if number == 2 else "relay"}
            frames.append(network.frame(at, "b", id_, onward, by="relay"))
            at = frames[-1].end + MS
    return frames


def test_fragments_over_a_relay_are_one_packet_of_two_hops() -> None:
    """The relay sends each on when it has it; the delay is that from the call to the delivery, by the last fragment."""
    network = Network("abc")
    frames = [fragmented(network, n * 200 * MS, 7 + n, relay=True) for n in range(3)]
    found = run(network, {"a": ("c",)})
    (route,) = hop_routes.routes(found)
    assert ("a > b > c", 3, 0, 0) == (route.name, len(route), route.lost, route.partial)
    ends = [frame[-1].arrivals["c"]["app.rx"] for frame in frames]
    assert [end - n * 200 * MS for n, end in enumerate(ends)] == route.totals.tolist()
    assert "hop 1: earlier fragments" in [step.name for step in route.steps.steps]
    assert [(3, 3, 3)] * 6 == list(
        zip(found.attempts.tolist(), found.frames.tolist(), found.readings.tolist(), strict=True)
    )
    assert [] == accounting.notes(found)


def test_fragments_are_frames_of_one_packet() -> None:
    """The milestones are those of the last one; a packet of which one is missing is incomplete."""
    network = Network("ab")
    whole = fragmented(network, 0, 7)
    fragmented(network, 500 * MS, 8, missing=1)
    found = run(network)
    assert [journeys.DELIVERED, journeys.INCOMPLETE] == found.journeys.status.tolist()
    assert [3, 3] == found.journeys.fragments.tolist()
    (row,) = rows_of(found, id=7)
    assert (3, 3, 3, 0) == (found.attempts[row], found.frames[row], found.readings[row], found.duplicates[row])
    columns = [NAMES.index(name) for name in ("sixlowpan.fragment", "mac.tx", "air.start", "app.rx")]
    expected = whole[2].milestones("b")
    assert [expected[NAMES[column]] for column in columns] == [instants(found, row)[column] for column in columns]
    assert 0 == found.samples[NAMES.index("app.tx")][row]


@pytest.mark.parametrize("by", ["retry", "relay"])
def test_a_retry_after_the_reply_is_the_request_s(by: str) -> None:
    """What was delivered is not sent on: the frame that a sends once more after b's reply came is its own."""
    network = Network("ab")
    request = network.frame(0, "a", 7, {"b": "deliver"}, outcome="no_ack")
    reply = network.frame(request.end + MS, "b", 7, {"a": "deliver"})
    network.frame(reply.end + MS, "a", 7, {"b": "drop"}, by=by)
    found = run(network)
    assert [2, 1] == found.attempts.tolist()
    assert [1, 1] == found.numbers.tolist()
    assert [2, 1] == found.readings.tolist()


@pytest.mark.parametrize("without", [("mac.sequence",), ("mac.tx", "sixlowpan.fragment")])
def test_calls_or_sequence_numbers_tell_frames_apart(without: tuple[str, ...]) -> None:
    network = Network("ab")
    frames = fragmented(network, 0, 7)
    network.frame(frames[-1].end, "a", 7, {"b": "drop"}, by="retry")
    network.drop(*without)
    found = run(network)
    assert [0, 1, 2, 2] == found.transmissions.frames.tolist()


def test_a_node_does_not_read_its_own_frame() -> None:
    """Nothing told the end of a's frame, so it may last; what a reads meanwhile under the same id is b's."""
    network = Network("ab")
    network.frame(0, "a", 7, {"b": "drop"}, outcome=None)
    network.frame(30 * MS, "b", 7, {"a": "deliver"})
    found = run(network)
    assert [receptions.FROM_ONE] * 2 == found.receptions.origins.tolist()
    senders = found.transmissions.nodes[found.receptions.transmissions]
    assert (senders != found.receptions.nodes).all()


def test_a_transmission_ends_with_its_interrupt_however_late_software_tells() -> None:
    """A task keeps a's driver from saying that the frame is out; b's frame of the same id is not a's."""
    network = Network("abc")
    network.frame(0, "a", 7, {}, outcome="no_ack")
    late = {"radio.tx_no_ack", "driver.confirm", "driver.isr.exit"}
    network.log = [(at + 50 * MS * (event in late), node, event, id_) for at, node, event, id_ in network.log]
    network.frame(20 * MS, "b", 7, {"c": "deliver"})
    found = run(network)
    assert [receptions.FROM_ONE] == found.receptions.origins.tolist()
    assert 1 == len(rows_of(found, sender="b", receiver="c"))


def test_a_duplicate_at_the_relay_after_it_sent_the_packet_on_changes_nothing() -> None:
    """The relay's part ends where it sent the packet on, also where its last milestone is one that duplicates have."""
    network = Network("abc")
    first = network.frame(0, "a", 7, {"b": "relay"}, outcome="no_ack")
    onward = network.frame(first.end + MS, "b", 7, {"c": "deliver"}, by="relay")
    network.frame(onward.end + MS, "a", 7, {"b": "drop"}, by="retry")
    network.drop("sixlowpan.rx", node="b")
    del first.arrivals["b"]["sixlowpan.rx"]
    found = run(network)
    for frame, reader, row in ((first, "b", 0), (onward, "c", 1)):
        assert_true(found, frame, reader, row)
    assert [1, 0] == found.duplicates.tolist()


def test_what_is_heard_while_several_send_is_nobody_s() -> None:
    network = Network("abcd")
    network.frame(0, "a", 1, {"c": "deliver"}, backoff=1000)
    network.frame(0, "b", 2, {"d": "hear"}, backoff=1200)
    heard = run(network).overheard
    assert ([overheard.AMBIGUOUS], [-1]) == (heard.whose.tolist(), heard.transmissions.tolist())


def test_what_is_heard_behind_lost_samples_is_nobody_s() -> None:
    """The end of a's transmission and all that others began are lost; c hears one of these."""
    network = Network("abc")
    network.frame(0, "a", 1, {"b": "drop"}, outcome=None)
    network.frame(20 * MS, "b", 2, {"c": "hear"})
    for gaps, whose in (([], overheard.AMBIGUOUS), ([(15 * MS, 20 * MS + 5_000)], overheard.UNKNOWN)):
        heard = run(network, gaps=gaps).overheard
        assert ([whose], [-1]) == (heard.whose.tolist(), heard.transmissions.tolist())


def test_beacons_are_frames_without_a_call() -> None:
    """With the id of one that was read before they are still the node's own, where it shows calls of the MAC."""
    network = Network("abc")
    network.frame(0, "a", 1, {"b": "deliver"})
    network.frame(50 * MS, "b", 2, {"a": "deliver"})
    network.frame(100 * MS, "a", 0xF001, {"b": "drop", "c": "drop"}, by="bare")
    network.frame(200 * MS, "b", 0xF001, {"c": "drop"}, by="bare")
    found = run(network)
    assert 2 == np.count_nonzero(found.journeys.called)
    assert 4 == len(found.journeys)
    assert (found.numbers == 1).all()
    assert {"a > b", "b > a"} == {route.name for route in hop_routes.routes(found)}
    assert 0 == len(found.unattributed)


def test_a_gap_makes_a_packet_partial() -> None:
    network = Network("ab")
    first = network.frame(0, "a", 1, {"b": "deliver"})
    network.frame(100 * MS, "a", 2, {"b": "deliver"})
    network.frame(200 * MS, "a", 3, {}, outcome="no_ack")
    inside = first.marks["driver.exec"] + 150
    found = run(network, {"a": ("b",)}, gaps=[(inside, inside + 20), (200 * MS + 50, 200 * MS + 60)])
    (route,) = hop_routes.routes(found)
    assert ([2], 0, 2) == (route.ids.tolist(), route.lost, route.partial)
    assert ["delivered", "delivered", "samples were lost while it was under way"] == status_of(found)


@pytest.mark.parametrize("without", [("tap.frame_timestamp",), ("tap.",), ("tap.", "isr.", "driver.isr")])
def test_without_taps_order_tells_which_frame_it_was(without: tuple[str, ...]) -> None:
    network = Network("abc")
    for n in range(1, 6):
        relayed(network, 100 * MS * n, n, ("a", "b", "c"))
    whole = run(network)
    network.drop(*without)
    found = run(network)
    assert whole.receptions.transmissions.tolist() == found.receptions.transmissions.tolist()
    assert ["a > b > c"] == [route.name for route in hop_routes.routes(found)]
    assert (found.samples[NAMES.index("air.start")] == -1).all()
    (route,) = hop_routes.routes(found)
    assert hop_routes.routes(whole)[0].totals.tolist() == route.totals.tolist()


def mixed() -> Network:
    """Something of everything."""
    network = Network("abcd", seed=5)
    for n in range(1, 30):
        at = n * 200 * MS
        if n % 3 == 0:
            relayed(network, at, n, ("a", "b", "c"))
        elif n % 3 == 1:
            network.frame(at, "d", n, {"a": "deliver", "b": "deliver"})
        else:
            first = network.frame(at, "a", n, {"b": "deliver"} if n % 2 else {}, outcome="no_ack")
            network.frame(first.end, "a", n, {"b": "drop" if n % 2 else "deliver"}, by="retry")
        network.frame(at + 100 * MS, "c", n, {"b": "deliver", "d": "hear"})
    return network


def test_everything_is_accounted_for() -> None:
    network = mixed()
    network.drop("app.tx.enter", node="d")
    found = run(network)
    account = accounting.account(found)
    assert account.adds_up
    assert account.unattributed
    assert account.attributed > 0
    assert account.transmissions == len(found.transmissions)


def test_later_samples_give_the_same_hops_later() -> None:
    network, later = mixed(), 987_654_321
    first, second = run(network), run(network, later=later)
    for before, after in zip(first.samples, second.samples, strict=True):
        assert np.array_equal(np.where(before >= 0, before + later, before), after)
    for name in ("packets", "numbers", "senders", "receivers", "status", "attempts", "duplicates"):
        assert np.array_equal(getattr(first, name), getattr(second, name)), name
    pairs = zip(hop_routes.routes(first), hop_routes.routes(second), strict=True)
    assert all(np.array_equal(a.steps.samples, b.steps.samples) and a.name == b.name for a, b in pairs)


@pytest.mark.parametrize("order", ["dcba", "bdac"])
def test_the_order_of_the_nodes_does_not_matter(order: str) -> None:
    network = mixed()

    def told(found: Hops) -> list[tuple[object, ...]]:
        names = [*found.events.node_names, None]
        return sorted(
            (int(found.journeys.starts[p]), int(n), names[s], str(names[r]), int(k), *samples)
            for p, n, s, r, k, samples in zip(
                found.packets,
                found.numbers,
                found.senders,
                found.receivers,
                found.attempts,
                zip(*found.samples, strict=True),
                strict=True,
            )
        )

    assert told(run(network)) == told(run(network, names=order))


def test_no_packet_is_an_error() -> None:
    network = Network("ab")
    network.log.append((0, "a", "rig.boot", None))
    with pytest.raises(EventError, match="no packet in the events"):
        run(network)


def test_a_silent_node_is_named() -> None:
    """Its bus shows nothing: what others read from it is of no transmission, and the reader is told."""
    network = Network("ab")
    for n in range(1, 4):
        network.frame(n * 100 * MS, "a", n, {"b": "deliver"})
    network.log = [row for row in network.log if row[1] == "b"]
    found = run(network)
    assert [receptions.NOT_SENT] * 3 == found.receptions.origins.tolist()
    assert any(doubt.startswith("Node a is silent") for doubt in accounting.doubts(found))
    assert () == hop_routes.routes(found)
    assert accounting.account(found).adds_up


def test_equal_ids_are_told_apart_by_time_and_doubted() -> None:
    network = Network("ab")
    frames = [network.frame(n * 100 * MS, "a", 7, {"b": "deliver"}) for n in range(4)]
    found = run(network)
    for row, frame in enumerate(frames):
        assert_true(found, frame, "b", row)
    (doubt,) = accounting.doubts(found)
    assert doubt.startswith("All 4 packets of node a have the id 7")


def test_an_unknown_destination_is_refused() -> None:
    network = Network("ab")
    network.frame(0, "a", 1, {"b": "deliver"})
    with pytest.raises(EventError, match="unknown node `x`"):
        run(network, {"a": ("x",)})


def test_the_header_is_what_lies_before_the_mark() -> None:
    """Twice the time, and the first bit is as much earlier; nothing else moves."""
    network = Network("ab")
    network.frame(0, "a", 1, {"b": "deliver"}, backoff=HEADER * 3)
    once = run(network)
    twice = hops.build(network.events(), header_ns=dict.fromkeys("ab", 2 * 192_000))
    moved = np.stack(once.samples, axis=1) - np.stack(twice.samples, axis=1)
    assert HEADER == moved[0, NAMES.index("air.start")]
    assert HEADER == moved.sum()


@pytest.mark.parametrize("apart", [True, False])
def test_a_relay_with_two_packets_of_one_id_in_hand_is_unclear(apart: bool) -> None:
    """Read one after the other and then both sent on: by pins alone nobody can say which is which."""
    network = Network("abcr")
    frames = []
    for n, origin in enumerate("ab"):
        at = n * 50 * MS
        frames.append(network.frame(at, origin, 7, {"r": "relay"}))
        if apart:
            frames.append(network.frame(at + 20 * MS, "r", 7, {"c": "deliver"}, by="relay"))
    for n in range(0 if apart else 2):
        network.frame(100 * MS + n * 20 * MS, "r", 7, {"c": "deliver"}, by="relay")
    found = run(network)
    routes = {route.name: (len(route), route.lost, route.partial) for route in hop_routes.routes(found)}
    assert accounting.account(found).adds_up
    if apart:
        assert {"a > r > c": (1, 0, 0), "b > r > c": (1, 0, 0)} == routes
        assert [] == accounting.notes(found)
        return
    assert {"a > ?": (0, 0, 1), "b > ?": (0, 0, 1)} == routes
    assert ["at a node that had several packets with its id in hand"] * 2 == status_of(found)
    assert {"several packets with this id were in hand there"} == found.unattributed.counts().keys()
    assert any("which of them it sent on cannot be told" in note for note in accounting.notes(found))


def test_a_frame_that_is_delivered_twice_is_noted() -> None:
    """A receiver that does not drop what it has had: one delivery counts, the other is said."""
    network = Network("ab")
    first = network.frame(0, "a", 7, {"b": "deliver"}, outcome="no_ack")
    network.frame(first.end, "a", 7, {"b": "deliver"}, by="retry")
    found = run(network)
    assert [1] == [len(route) for route in hop_routes.routes(found)]
    assert_true(found, first, "b", 0)
    assert ["1 deliveries repeat"] == [note[:19] for note in accounting.notes(found)]


def test_calls_alone_are_packets_that_were_never_sent() -> None:
    """Probes of the application only, on one node."""
    network = Network("a")
    for n in range(3):
        network.log.append((n * MS, "a", "app.tx.enter", n))
    found = run(network)
    assert ["never given to the radio"] * 3 == status_of(found)
    (route,) = hop_routes.routes(found)
    assert ("a > ?", 0, 3) == (route.name, len(route), route.lost)
    assert accounting.account(found).adds_up


def test_no_event_at_all_is_an_error() -> None:
    with pytest.raises(EventError, match="no packet in the events"):
        run(Network("ab"))

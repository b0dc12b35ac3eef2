"""Packets over any number of nodes: every frame, fate and instant of a synthetic network must come back."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from network import HEADER, Frame, Network, rows_of

from gpiorig.analysis.errors import EventError
from gpiorig.analysis.packets import accounting, delivery, hop_routes, hops, overheard, receptions, transmissions
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


def instants(analysis: Hops, row: int) -> list[int]:
    """Those of all milestones of a hop."""
    return [int(column[row]) for column in analysis.samples[: len(NAMES)]]


def assert_true(analysis: Hops, frame: Frame, reader: str, row: int) -> None:
    """Every milestone of a hop is where the network put it, and no other one is there."""
    expected = frame.milestones(reader)
    assert [expected.get(name, -1) for name in NAMES] == instants(analysis, row)


def status_of(analysis: Hops) -> list[str]:
    """Status of the packets that were sent by a call."""
    return [delivery.STATUS[key] for key in analysis.packets.status[analysis.packets.called].tolist()]


def test_a_packet_over_three_hops_comes_back_exactly() -> None:
    network = Network("abcd")
    frames = [relayed(network, 100 * MS * n, n, ("a", "b", "c", "d")) for n in range(1, 6)]
    analysis = run(network, {"a": ("d",)})
    assert 15 == len(analysis)
    for n, of_packet in enumerate(frames, start=1):
        for number, (frame, reader) in enumerate(zip(of_packet, "bcd", strict=True), start=1):
            (row,) = rows_of(analysis, id=n, number=number)
            assert_true(analysis, frame, reader, row)
            assert (frame.sender, reader) == tuple(
                analysis.events.node_names[node] for node in (analysis.senders[row], analysis.receivers[row])
            )
    (route,) = hop_routes.routes(analysis)
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
    assert {} == analysis.unattributed.counts()
    assert [] == accounting.notes(analysis) == accounting.indistinct(analysis)


def test_a_broadcast_has_a_row_for_every_receiver() -> None:
    network = Network("abcd")
    frame = network.frame(0, "b", 7, {"a": "deliver", "c": "deliver", "d": "hear"}, outcome="complete")
    analysis = run(network, {"b": ("a", "c", "d")})
    for reader in "ac":
        (row,) = rows_of(analysis, receiver=reader)
        assert_true(analysis, frame, reader, row)
    (missed,) = rows_of(analysis, receiver="d")
    assert hops.NOT_READ == analysis.status[missed]
    assert ["delivered to some of the nodes it was for"] == status_of(analysis)
    routes = {route.name: (len(route), route.lost) for route in hop_routes.routes(analysis)}
    assert {"b > a": (1, 0), "b > c": (1, 0), "b > d": (0, 1)} == routes
    # d's radio received the frame: its line is not unattributed, but of this packet.
    assert 1 == len(analysis.overheard)
    assert 0 == len(analysis.unattributed)


def test_equal_ids_of_two_origins_are_two_packets() -> None:
    """Air time distinguishes them, at a receiver of both."""
    network = Network("abc")
    first = [network.frame(n * 40 * MS, "a", n, {"c": "deliver"}) for n in range(1, 9)]
    second = [network.frame(n * 40 * MS + 20 * MS, "b", n, {"c": "deliver"}) for n in range(1, 9)]
    analysis = run(network)
    for n in range(1, 9):
        for sender, frames in (("a", first), ("b", second)):
            (row,) = rows_of(analysis, id=n, sender=sender)
            assert_true(analysis, frames[n - 1], "c", row)
    assert {"a > c": 8, "b > c": 8} == {route.name: len(route) for route in hop_routes.routes(analysis)}


def overlapping(numbered: bool) -> Hops:
    """Two nodes that send frames of equal ids at the same time; c reads that of b."""
    network = Network("abc", numbered=numbered)
    network.sequences["a"] = 100
    network.frame(0, "a", 7, {}, outcome="no_ack", backoff=10 * MS)
    network.frame(500, "b", 7, {"c": "deliver"})
    return run(network)


def test_what_cannot_be_told_apart_is_not_guessed() -> None:
    analysis = overlapping(numbered=False)
    assert [receptions.AMBIGUOUS] == analysis.receptions.origins.tolist()
    assert [-1] == analysis.receptions.transmissions.tolist()
    assert not any(analysis.receivers[analysis.status == hops.READ] == analysis.events.node("c"))
    (note,) = accounting.notes(analysis)
    assert note.startswith("1 of 1 frames were read while several nodes")
    assert accounting.account(analysis).adds_up


def test_the_sequence_number_tells_apart_what_time_does_not() -> None:
    analysis = overlapping(numbered=True)
    assert [receptions.FROM_ONE] == analysis.receptions.origins.tolist()
    assert 1 == len(rows_of(analysis, sender="b", receiver="c"))


def test_another_sequence_number_is_another_frame() -> None:
    network = Network("ab", numbered=True)
    network.frame(0, "a", 7, {"b": "deliver"})
    network.log = [
        (at, node, event, 99 if (node, event) == ("b", "mac.sequence") else id_) for at, node, event, id_ in network.log
    ]
    assert [receptions.OTHER_NUMBER] == run(network).receptions.origins.tolist()


def test_ids_that_wrap_are_different_packets() -> None:
    network = Network("abc")
    ids = [65534, 65535, 1, 2] * 3
    frames = [relayed(network, n * 100 * MS, id_, ("a", "b", "c")) for n, id_ in enumerate(ids)]
    analysis = run(network)
    assert ids == analysis.packets.ids.tolist()
    assert 24 == len(analysis)
    for packet, of_packet in enumerate(frames):
        for row, reader in zip(np.flatnonzero(analysis.packet_rows == packet), "bc", strict=True):
            assert_true(analysis, of_packet[analysis.numbers[row] - 1], reader, row)


def test_a_late_event_is_not_given_to_the_round_before() -> None:
    """More than half the id space ago is another packet, whose send call was not seen."""
    network = Network("ab")
    network.frame(0, "a", 5, {"b": "deliver"})
    for n in range(33_000):
        network.log.append((100 * MS + 500 * n, "a", "app.tx.enter", 6 + n))
    network.log.append((200_000 * MS, "a", "udp.tx.enter", 5))
    analysis = run(network)
    assert {"no packet with this id was under way": 1} == analysis.unattributed.counts()


def test_a_lost_acknowledgement_makes_a_duplicate_and_no_packet() -> None:
    """Software repeats the frame: read, not acknowledged, sent again, read again and dropped."""
    network = Network("ab")
    first = network.frame(0, "a", 7, {"b": "deliver"}, outcome="no_ack")
    network.frame(first.end, "a", 7, {"b": "drop"}, by="retry")
    other = network.frame(first.end + 100 * MS, "a", 8, {"b": "deliver"})
    analysis = run(network, {"a": ("b",)})
    row, following = rows_of(analysis, sender="a")
    assert_true(analysis, first, "b", row)
    assert_true(analysis, other, "b", following)
    assert (2, 1, 1, 2, 1) == (
        analysis.attempts[row],
        analysis.frames[row],
        analysis.no_ack[row],
        analysis.readings[row],
        analysis.duplicates[row],
    )
    assert (1, 1, 1) == accounting.repetitions(analysis)
    assert [False, True, False] == analysis.visits.repeated.tolist()
    assert ["delivered"] * 2 == status_of(analysis)
    assert 0 == len(analysis.unattributed)


def test_a_duplicate_that_overtakes_its_frame_in_the_stack_has_no_milestones() -> None:
    """Threads: the MAC has dropped the duplicate before 6LoWPAN gets to the frame."""
    network = Network("ab")
    first = network.frame(0, "a", 7, {"b": "deliver"}, outcome="no_ack")
    upper = ("sixlowpan.rx", "ipv6.rx", "udp.rx", "app.rx")
    network.log = [(at + 50 * MS * event.startswith(upper), node, event, id_) for at, node, event, id_ in network.log]
    network.frame(first.end, "a", 7, {"b": "drop"}, by="retry")
    for layer in upper:
        first.arrivals["b"][layer] += 50 * MS
    analysis = run(network)
    assert_true(analysis, first, "b", 0)
    assert [1] == analysis.duplicates.tolist()


def test_a_frame_that_the_radio_repeats_is_one_transmission() -> None:
    network = Network("ab")
    frame = network.frame(0, "a", 7, {"b": "deliver"}, twice=["b"])
    analysis = run(network)
    assert [transmissions.COMPLETE] == analysis.transmissions.outcomes.tolist()
    assert [0, 0] == analysis.receptions.transmissions.tolist()
    assert (1, 1, 2, 1) == (analysis.attempts[0], analysis.frames[0], analysis.readings[0], analysis.duplicates[0])
    assert_true(analysis, frame, "b", 0)


def test_the_repetition_that_was_received_has_the_milestones() -> None:
    network = Network("ab")
    first = network.frame(0, "a", 7, {}, outcome="no_ack")
    second = network.frame(first.end, "a", 7, {"b": "deliver"}, by="retry")
    analysis = run(network)
    expected = first.marks | second.milestones("b")
    assert [expected.get(name, -1) for name in NAMES] == instants(analysis, 0)
    assert (2, 1) == (analysis.attempts[0], analysis.frames[0])


def test_losses_are_where_they_are() -> None:
    """Never given to the radio, lost on the air, dropped by the reader, lost after a relay."""
    network = Network("abc")
    network.frame(0, "a", 1, {"b": "deliver"})
    network.frame(100 * MS, "a", 2, {}, outcome="no_ack")
    network.frame(200 * MS, "a", 3, {"b": "drop"})
    network.log.append((300 * MS, "a", "app.tx.enter", 4))
    network.log.append((300 * MS + 400, "a", "app.tx.exit", 4))
    onward = network.frame(400 * MS, "a", 5, {"b": "relay"})
    network.frame(onward.end + MS, "b", 5, {}, by="relay", outcome="busy")
    analysis = run(network)
    expected = [delivery.DELIVERED, delivery.NOT_RECEIVED, delivery.DROPPED, delivery.NOT_SENT, delivery.NOT_RECEIVED]
    assert expected == analysis.packets.status.tolist()
    at = analysis.packets.last_events
    places = [(analysis.events.node_names[analysis.events.nodes[row]]) for row in at.tolist()]
    assert ["a", "a", "a", "a", "b"] == places
    (lost,) = rows_of(analysis, id=5, number=2)
    assert (hops.NOT_READ, -1, 1) == (analysis.status[lost], analysis.receivers[lost], analysis.busy[lost])
    (unsent,) = rows_of(analysis, id=4)
    assert hops.NOT_SENT == analysis.status[unsent]
    (route,) = hop_routes.routes(analysis)
    assert ("a > b", 1, 4, 0) == (route.name, len(route), route.lost, route.partial)


def test_frames_with_the_id_0_are_in_no_packet() -> None:
    """Control frames whose last bytes are zero, handed to the MAC and read; the frames of packets among them stay."""
    network = Network("ab")
    for n in range(1, 6):
        network.frame(n * 100 * MS, "ab"[n % 2], 0, {"ba"[n % 2]: "drop"}, by="relay", outcome="complete")
        network.frame(n * 100 * MS + 50 * MS, "a", n, {"b": "deliver"})
    analysis = run(network)
    account = accounting.account(analysis)
    assert account.adds_up
    assert ([1, 2, 3, 4, 5], ["delivered"] * 5) == (analysis.packets.ids.tolist(), status_of(analysis))
    assert (5, 5, 5) == (account.without_id, account.readings_without_id, account.receptions)
    assert {"of a frame without an id"} == set(account.unattributed)
    of_control_frames = sum(row[3] == 0 for row in network.log)
    assert account.unattributed["of a frame without an id"] > of_control_frames  # and their interrupts
    assert "Without an id: 5 frames sent, 5 readings; they are in no packet." in accounting.notes(analysis)


def test_packets_that_all_have_the_id_0_are_refused() -> None:
    network = Network("ab")
    network.frame(MS, "a", 0, {"b": "deliver"})
    network.log = [row for row in network.log if row[2] != "driver.rx_read.exit"]  # not seen below Contiki-NG's CSMA
    sentence = r"1 frames sent and 1 readings, and the firmware has no id, or 0, in \d+ events of packets: count"
    with pytest.raises(EventError, match=sentence):
        run(network)


def test_a_firmware_without_a_network_is_not_asked_for_its_wiring() -> None:
    """RIOT's timer_periodic_wakeup: its events show that probes and buses are right."""
    network = Network("ab")
    network.log += [(n * MS, "ab"[n % 2], "sched.switch", n % 2) for n in range(6)]
    with pytest.raises(EventError, match="nothing sent or read; 6 events are of other layers"):
        run(network)
    network.log.clear()
    with pytest.raises(EventError, match="buses wired as in the bench file"):
        run(network)


def test_what_only_the_mac_got_is_not_delivered_where_layers_above_it_show_themselves() -> None:
    """Contiki-NG: the MAC discards the frame of a foreign address; 6LoWPAN got solicitations only, of id 0."""
    network = Network("ab")
    network.frame(0, "a", 0, {"b": "relay"}, by="relay")
    first = network.frame(100 * MS, "a", 7, {"b": "drop"}, outcome="no_ack")
    network.frame(first.end, "a", 7, {"b": "drop"}, by="retry", outcome="no_ack")
    analysis = run(network)
    assert ["read, neither delivered nor sent on"] == status_of(analysis)
    assert not any("application" in sentence for sentence in accounting.notes(analysis))


def test_a_node_that_sends_nothing_on_dropped_every_packet_of_one_id() -> None:
    """Contiki-NG's coap-example-client sends one text to an address that no node has; another node reads each frame."""
    network = Network("ab")
    for n in range(4):
        network.frame(n * 100 * MS, "a", 7, {"b": "drop"}, outcome="no_ack")
    network.frame(500 * MS, "b", 9, {"a": "deliver"})
    analysis = run(network)
    assert ["read, neither delivered nor sent on"] * 4 + ["delivered"] == status_of(analysis)
    assert [] == accounting.notes(analysis)


def test_nothing_arrives() -> None:
    """All lost is a result: a route without packets, which counts them."""
    network = Network("ab")
    for n in range(1, 4):
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
    analysis = run(network, {"a": ("c",)})
    (route,) = hop_routes.routes(analysis)
    assert ("a > b > c", 3, 0, 0) == (route.name, len(route), route.lost, route.partial)
    ends = [frame[-1].arrivals["c"]["app.rx"] for frame in frames]
    assert [end - n * 200 * MS for n, end in enumerate(ends)] == route.totals.tolist()
    assert "hop 1: earlier fragments" in [step.name for step in route.steps.steps]
    assert [(3, 3, 3)] * 6 == list(
        zip(analysis.attempts.tolist(), analysis.frames.tolist(), analysis.readings.tolist(), strict=True)
    )
    assert [] == accounting.notes(analysis)


def test_fragments_are_frames_of_one_packet() -> None:
    """The milestones are those of the last one; a packet of which one is missing is incomplete."""
    network = Network("ab")
    fragments = fragmented(network, 0, 7)
    fragmented(network, 500 * MS, 8, missing=1)
    network.end += 500 * MS
    analysis = run(network)
    assert [delivery.DELIVERED, delivery.INCOMPLETE] == analysis.packets.status.tolist()
    assert [3, 3] == analysis.packets.fragments.tolist()
    (row,) = rows_of(analysis, id=7)
    assert (3, 3, 3, 0) == (
        analysis.attempts[row],
        analysis.frames[row],
        analysis.readings[row],
        analysis.duplicates[row],
    )
    columns = [NAMES.index(name) for name in ("sixlowpan.fragment", "mac.tx", "air.start", "app.rx")]
    expected = fragments[2].milestones("b")
    assert [expected[NAMES[column]] for column in columns] == [instants(analysis, row)[column] for column in columns]
    assert 0 == analysis.samples[NAMES.index("app.tx")][row]


@pytest.mark.parametrize("by", ["retry", "relay"])
def test_a_retry_after_the_reply_is_the_request_s(by: str) -> None:
    """What was delivered is not sent on: the frame that a sends once more after b's reply came is its own."""
    network = Network("ab")
    request = network.frame(0, "a", 7, {"b": "deliver"}, outcome="no_ack")
    reply = network.frame(request.end + MS, "b", 7, {"a": "deliver"})
    network.frame(reply.end + MS, "a", 7, {"b": "drop"}, by=by)
    analysis = run(network)
    assert [2, 1] == analysis.attempts.tolist()
    assert [1, 1] == analysis.numbers.tolist()
    assert [2, 1] == analysis.readings.tolist()


@pytest.mark.parametrize("without", [("mac.sequence",), ("mac.tx", "sixlowpan.fragment")])
def test_calls_or_sequence_numbers_tell_frames_apart(without: tuple[str, ...]) -> None:
    network = Network("ab")
    frames = fragmented(network, 0, 7)
    network.frame(frames[-1].end, "a", 7, {"b": "drop"}, by="retry")
    network.drop(*without)
    analysis = run(network)
    assert [0, 1, 2, 2] == analysis.transmissions.frames.tolist()


def test_a_node_does_not_read_its_own_frame() -> None:
    """The end of a's frame was not reported, so it may last; what a reads meanwhile under the same id is b's."""
    network = Network("ab")
    network.frame(0, "a", 7, {"b": "drop"}, outcome=None)
    network.frame(30 * MS, "b", 7, {"a": "deliver"})
    analysis = run(network)
    assert [receptions.FROM_ONE] * 2 == analysis.receptions.origins.tolist()
    senders = analysis.transmissions.nodes[analysis.receptions.transmissions]
    assert (senders != analysis.receptions.nodes).all()


def test_a_transmission_ends_with_its_interrupt_however_late_software_tells() -> None:
    """A task keeps a's driver from saying that the frame is out; b's frame of the same id is not a's."""
    network = Network("abc")
    network.frame(0, "a", 7, {}, outcome="no_ack")
    late = {"radio.tx_no_ack", "driver.confirm", "driver.isr.exit"}
    network.log = [(at + 50 * MS * (event in late), node, event, id_) for at, node, event, id_ in network.log]
    network.frame(20 * MS, "b", 7, {"c": "deliver"})
    analysis = run(network)
    assert [receptions.FROM_ONE] == analysis.receptions.origins.tolist()
    assert 1 == len(rows_of(analysis, sender="b", receiver="c"))


def test_a_duplicate_at_the_relay_after_it_sent_the_packet_on_changes_nothing() -> None:
    """The relay's part ends where it sent the packet on, also where its last milestone is one that duplicates have."""
    network = Network("abc")
    first = network.frame(0, "a", 7, {"b": "relay"}, outcome="no_ack")
    onward = network.frame(first.end + MS, "b", 7, {"c": "deliver"}, by="relay")
    network.frame(onward.end + MS, "a", 7, {"b": "drop"}, by="retry")
    network.drop("sixlowpan.rx", node="b")
    del first.arrivals["b"]["sixlowpan.rx"]
    analysis = run(network)
    for frame, reader, row in ((first, "b", 0), (onward, "c", 1)):
        assert_true(analysis, frame, reader, row)
    assert [1, 0] == analysis.duplicates.tolist()


def test_what_is_heard_while_several_send_is_nobody_s() -> None:
    network = Network("abcd")
    network.frame(0, "a", 1, {"c": "deliver"}, backoff=1000)
    network.frame(0, "b", 2, {"d": "hear"}, backoff=1200)
    unread = run(network).overheard
    assert ([overheard.AMBIGUOUS], [-1]) == (unread.whose.tolist(), unread.transmissions.tolist())


def test_what_is_heard_behind_lost_samples_is_nobody_s() -> None:
    """The end of a's transmission and all that others began are lost; c receives one of these."""
    network = Network("abc")
    network.frame(0, "a", 1, {"b": "drop"}, outcome=None)
    network.frame(20 * MS, "b", 2, {"c": "hear"})
    for gaps, whose in (([], overheard.AMBIGUOUS), ([(15 * MS, 20 * MS + 5_000)], overheard.UNKNOWN)):
        unread = run(network, gaps=gaps).overheard
        assert ([whose], [-1]) == (unread.whose.tolist(), unread.transmissions.tolist())


def test_beacons_are_frames_without_a_call() -> None:
    """With the id of one that was read before they are still the node's own, where it shows calls of the MAC."""
    network = Network("abc")
    network.frame(0, "a", 1, {"b": "deliver"})
    network.frame(50 * MS, "b", 2, {"a": "deliver"})
    network.frame(100 * MS, "a", 0xF001, {"b": "drop", "c": "drop"}, by="bare")
    network.frame(200 * MS, "b", 0xF001, {"c": "drop"}, by="bare")
    analysis = run(network)
    assert 2 == np.count_nonzero(analysis.packets.called)
    assert 4 == len(analysis.packets)
    assert (analysis.numbers == 1).all()
    assert {"a > b", "b > a"} == {route.name for route in hop_routes.routes(analysis)}
    assert 0 == len(analysis.unattributed)


def test_a_gap_makes_a_packet_partial() -> None:
    network = Network("ab")
    first = network.frame(0, "a", 1, {"b": "deliver"})
    network.frame(100 * MS, "a", 2, {"b": "deliver"})
    network.frame(200 * MS, "a", 3, {}, outcome="no_ack")
    inside = first.marks["driver.exec"] + 150
    analysis = run(network, {"a": ("b",)}, gaps=[(inside, inside + 20), (200 * MS + 50, 200 * MS + 60)])
    (route,) = hop_routes.routes(analysis)
    assert ([2], 0, 2) == (route.ids.tolist(), route.lost, route.partial)
    assert ["delivered", "delivered", "samples were lost while it was under way"] == status_of(analysis)


@pytest.mark.parametrize("without", [("tap.frame_timestamp",), ("tap.",), ("tap.", "isr.", "driver.isr")])
def test_without_taps_order_tells_which_frame_it_was(without: tuple[str, ...]) -> None:
    network = Network("abc")
    for n in range(1, 6):
        relayed(network, 100 * MS * n, n, ("a", "b", "c"))
    with_taps = run(network)
    network.drop(*without)
    analysis = run(network)
    assert with_taps.receptions.transmissions.tolist() == analysis.receptions.transmissions.tolist()
    assert ["a > b > c"] == [route.name for route in hop_routes.routes(analysis)]
    assert (analysis.samples[NAMES.index("air.start")] == -1).all()
    (route,) = hop_routes.routes(analysis)
    assert hop_routes.routes(with_taps)[0].totals.tolist() == route.totals.tolist()


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
    analysis = run(network)
    account = accounting.account(analysis)
    assert account.adds_up
    assert account.unattributed
    assert account.attributed > 0
    assert account.transmissions == len(analysis.transmissions)


def test_later_samples_give_the_same_hops_later() -> None:
    network, later = mixed(), 987_654_321
    first, second = run(network), run(network, later=later)
    for before, after in zip(first.samples, second.samples, strict=True):
        assert np.array_equal(np.where(before >= 0, before + later, before), after)
    for name in ("packet_rows", "numbers", "senders", "receivers", "status", "attempts", "duplicates"):
        assert np.array_equal(getattr(first, name), getattr(second, name)), name
    pairs = zip(hop_routes.routes(first), hop_routes.routes(second), strict=True)
    assert all(np.array_equal(a.steps.samples, b.steps.samples) and a.name == b.name for a, b in pairs)


@pytest.mark.parametrize("order", ["dcba", "bdac"])
def test_the_order_of_the_nodes_does_not_matter(order: str) -> None:
    network = mixed()

    def hop_rows(analysis: Hops) -> list[tuple[object, ...]]:
        names = [*analysis.events.node_names, None]
        return sorted(
            (int(analysis.packets.starts[p]), int(n), names[s], str(names[r]), int(k), *samples)
            for p, n, s, r, k, samples in zip(
                analysis.packet_rows,
                analysis.numbers,
                analysis.senders,
                analysis.receivers,
                analysis.attempts,
                zip(*analysis.samples, strict=True),
                strict=True,
            )
        )

    assert hop_rows(run(network)) == hop_rows(run(network, names=order))


def test_no_packet_is_an_error() -> None:
    network = Network("ab")
    network.log.append((0, "a", "rig.boot", None))
    with pytest.raises(EventError, match="no packet in the events"):
        run(network)


def test_a_silent_node_is_named() -> None:
    """Its bus shows nothing: what others read from it is of no transmission, and a note reports it."""
    network = Network("ab")
    for n in range(1, 4):
        network.frame(n * 100 * MS, "a", n, {"b": "deliver"})
    network.log = [row for row in network.log if row[1] == "b"]
    analysis = run(network)
    assert [receptions.NOT_SENT] * 3 == analysis.receptions.origins.tolist()
    assert any(doubt.startswith("Node a is silent") for doubt in accounting.silent_nodes(analysis.events))
    assert () == hop_routes.routes(analysis)
    assert accounting.account(analysis).adds_up


def test_equal_ids_are_told_apart_by_time_and_doubted() -> None:
    network = Network("ab")
    frames = [network.frame(n * 100 * MS, "a", 7, {"b": "deliver"}) for n in range(4)]
    analysis = run(network)
    for row, frame in enumerate(frames):
        assert_true(analysis, frame, "b", row)
    (doubt,) = accounting.indistinct(analysis)
    assert doubt.startswith("All 4 packets of node a have the id 7")


def test_without_send_calls_packets_are_accounted_by_route() -> None:
    """Where no call is on the pins, a route is from the node that sends a frame to the one that reads it."""
    network = Network("ab")
    for n in range(1, 6):
        network.frame(n * 100 * MS, "a", n, {"b": "drop"} if n > 1 else {}, by="bare")
    analysis = run(network)
    (route,) = hop_routes.routes(analysis)
    assert ("a > b", 4, 1, 0) == (route.name, len(route), route.lost, route.partial)
    assert [] == accounting.indistinct(analysis)
    assert "only 5 packets without one" in accounting.notes(analysis)[0]


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
    """Read one after the other and then both sent on: the pins alone do not distinguish them."""
    network = Network("abcr")
    frames = []
    for n, origin in enumerate("ab"):
        at = n * 50 * MS
        frames.append(network.frame(at, origin, 7, {"r": "relay"}))
        if apart:
            frames.append(network.frame(at + 20 * MS, "r", 7, {"c": "deliver"}, by="relay"))
    for n in range(0 if apart else 2):
        network.frame(100 * MS + n * 20 * MS, "r", 7, {"c": "deliver"}, by="relay")
    analysis = run(network)
    routes = {route.name: (len(route), route.lost, route.partial) for route in hop_routes.routes(analysis)}
    assert accounting.account(analysis).adds_up
    if apart:
        assert {"a > r > c": (1, 0, 0), "b > r > c": (1, 0, 0)} == routes
        assert [] == accounting.notes(analysis)
        return
    assert {"a > ?": (0, 0, 1), "b > ?": (0, 0, 1)} == routes
    assert ["at a node that had several packets with its id in hand"] * 2 == status_of(analysis)
    assert {"several packets with this id were in hand there"} == analysis.unattributed.counts().keys()
    assert any("it is unknown which of them it sent on" in note for note in accounting.notes(analysis))


def test_a_frame_that_is_delivered_twice_is_noted() -> None:
    """A receiver that does not drop what it has had: one delivery counts, the other is reported."""
    network = Network("ab")
    first = network.frame(0, "a", 7, {"b": "deliver"}, outcome="no_ack")
    network.frame(first.end, "a", 7, {"b": "deliver"}, by="retry")
    analysis = run(network)
    assert [1] == [len(route) for route in hop_routes.routes(analysis)]
    assert_true(analysis, first, "b", 0)
    assert ["The application of b read 1 packet again"] == [note[:40] for note in accounting.notes(analysis)]


def test_calls_alone_are_packets_that_were_never_sent() -> None:
    """Probes of the application only, on one node."""
    network = Network("a")
    for n in range(1, 4):
        network.log.append((n * MS, "a", "app.tx.enter", n))
    network.end = 3 * MS
    analysis = run(network)
    assert ["never given to the radio"] * 3 == status_of(analysis)
    (route,) = hop_routes.routes(analysis)
    assert ("a > ?", 0, 3) == (route.name, len(route), route.lost)
    assert accounting.account(analysis).adds_up


def test_no_event_at_all_is_an_error() -> None:
    with pytest.raises(EventError, match="no packet in the events"):
        run(Network("ab"))


def test_without_a_call_of_the_mac_each_send_call_makes_a_frame() -> None:
    """RIOT's lwIP: two texts with one ending are two frames; its solicitations, which no call made, repeat nothing."""
    network = Network("ab")
    for n in range(2):
        network.frame(n * 100 * MS, "a", 7, {"b": "deliver"})
        network.frame(n * 100 * MS + 50 * MS, "a", 32, {"b": "hear"}, by="bare")
    network.log = [row for row in network.log if not row[2].startswith(("mac.", "sixlowpan."))]
    analysis = run(network)
    assert 4 == len(np.unique(analysis.transmissions.frames))
    assert not analysis.visits.repeated.any()
    assert [7, 32, 7, 32] == analysis.packets.ids.tolist()


def test_the_numbers_that_readers_report_distinguish_frames() -> None:
    """RIOT's lwIP at a node that calls nothing: two solicitations of one id; the second one is sent twice."""
    network = Network("ab", numbered=True)
    for at in (0, 100, 200):
        network.frame(at * MS, "a", 32, {"b": "drop"}, by="bare" if at < 200 else "retry")
    network.log = [row for row in network.log if row[1] == "b" or row[2] != "mac.sequence"]
    analysis = run(network)
    assert [0, 1, 1] == analysis.transmissions.frames.tolist()
    assert [False, False, True] == analysis.visits.repeated.tolist()


def test_a_frame_that_begins_within_the_header_of_another_is_not_the_one_that_is_heard() -> None:
    """The receiver's line rises a header after its frame has begun: what is sent from then on cannot be it."""
    network = Network("abcd")
    network.frame(0, "a", 1, {"d": "hear"}, backoff=1000)
    network.frame(1000 + HEADER // 2, "b", 2, {"c": "deliver"})
    unread = run(network).overheard
    assert [overheard.OTHERS] == unread.whose.tolist()
    assert [0] == run(network).transmissions.nodes[unread.transmissions].tolist()

"""Packets at the edges of conditions: half a round of ids, the end of a frame, the number 0, a wrong order."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from madeevents import events_of_rows
from network import Network

from gpiorig.analysis.logs import node_log
from gpiorig.analysis.packets import (
    delivery,
    hop_routes,
    hops,
    node_accounts,
    receptions,
    spans,
    timelines,
)
from gpiorig.analysis.packets.holders import Holders
from gpiorig.analysis.packets.node_accounts import NodeAccount
from gpiorig.analysis.packets.occurrences import Latest, latest_of, values_at
from gpiorig.analysis.packets.timelines import Timelines

MS = 24_000
AIR = 100 * 24  # 100 us, by which two interrupts of a frame may differ


@pytest.mark.parametrize(("further", "held"), [(0, True), (32_767, True), (32_768, False)])
def test_half_a_round_of_holders(further: int, held: bool) -> None:
    """The thing with id 7 is the 20 001st of its node; from 32 768 later ones on it holds no more."""
    before = 20_000
    ids = np.array([*np.arange(before) % 5 + 100, 7, *np.arange(further) % 5 + 200], dtype=np.int32)
    holders = Holders(np.zeros(len(ids), dtype=np.int64), ids, np.arange(len(ids), dtype=np.int64))
    asked = np.array([len(ids), before, before - 1]), np.array([7, 7, 7], dtype=np.int32)
    rows = holders.of(np.zeros(3, dtype=np.int64), asked[1], asked[0])
    assert [before if held else -1, before, -1] == rows.tolist()


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 9)), max_size=12), st.integers(0, 3), st.integers(-1, 10))
def test_the_latest_thing_of_an_owner(things: list[tuple[int, int]], owner: int, position: int) -> None:
    """Before a position, at it or before, and after it, against a look at each of them."""
    owners, positions = (np.array([thing[side] for thing in things], dtype=np.int64) for side in (0, 1))
    latest = Latest.of(owners, positions)
    asked = np.array([owner]), np.array([position])
    place = {(own, at): n for n, (own, at) in enumerate(things)}  # of equal ones the last
    earliest = {(own, at): n for n, (own, at) in reversed([*enumerate(things)])}
    for found, at in (
        (latest.before(*asked), max((at for own, at in things if own == owner and at < position), default=None)),
        (
            latest.before(*asked, included=True),
            max((at for own, at in things if own == owner and at <= position), default=None),
        ),
    ):
        assert [-1 if at is None else place[owner, at]] == found.tolist()
    after = min((at for own, at in things if own == owner and at > position), default=None)
    assert [-1 if after is None else earliest[owner, after]] == latest.after(*asked).tolist()


def test_values_of_rows_and_causes_of_effects() -> None:
    assert [5, -1, 9] == values_at(np.array([5, 7, 9]), np.array([0, -1, 2])).tolist()
    assert [-1, -1] == values_at(np.zeros(0, dtype=np.int64), np.array([0, -1])).tolist()
    effects, causes, of = np.array([10, 20, -1, 30, 0]), np.array([3, 5, 8, 0]), np.array([10, 10, 20, 0])
    assert [5, 8, -1, -1, 0] == latest_of(effects, causes, of=of).tolist()
    assert [-1] == latest_of(effects[:1], causes[:0], of=of[:0]).tolist()


def read_of(
    sent_number: int | None, read_number: int | None, *, line: int | None = 3400, ends: int = 1000
) -> receptions.Receptions:
    """The reading by b of a frame that a had on the air from 0 to 1 000, at most; b's line rises at a sample."""
    rows = [(0, 0, "driver.load.enter", 7), (10, 0, "driver.load.exit", 7)]
    rows += [] if sent_number is None else [(20, 0, "mac.sequence", sent_number)]
    rows += [(100, 0, "driver.exec.enter", 7), (ends, 0, "radio.tx_complete", 7), (1, 0, "driver.isr.enter", None)]
    rows += [(2, 0, "driver.isr.exit", None)] if line is not None else []
    begun = 3500 if line is None else line
    rows += [(begun, 1, "tap.irq.enter", None)] if line is not None else []
    rows += [(begun + 100, 1, "driver.rx_read.enter", None), (begun + 200, 1, "driver.rx_read.exit", 7)]
    rows += [] if read_number is None else [(begun + 250, 1, "mac.sequence", read_number)]
    return hops.build(events_of_rows(rows, ("a", "b"), end=10**7), header_ns={}).receptions


@pytest.mark.parametrize(
    ("sent", "read", "expected"),
    [
        (5, 5, receptions.FROM_ONE),
        (0, 0, receptions.FROM_ONE),
        (5, 0, receptions.OTHER_NUMBER),
        (0, 5, receptions.OTHER_NUMBER),
        (None, 0, receptions.FROM_ONE),
        (0, None, receptions.FROM_ONE),
    ],
)
def test_the_number_0_is_a_number(sent: int | None, read: int | None, expected: int) -> None:
    assert [expected] == read_of(sent, read).origins.tolist()


@pytest.mark.parametrize(("line", "expected"), [(1000 + AIR, receptions.FROM_ONE), (1001 + AIR, receptions.NOT_SENT)])
def test_a_line_that_rises_as_late_as_it_can(line: int, expected: int) -> None:
    """100 us after the sender's end; later it is of another frame."""
    assert [expected] == read_of(None, None, line=line).origins.tolist()


@pytest.mark.parametrize(("later", "expected"), [(0, 1), (1, 0)])
def test_a_frame_that_is_heard_at_the_end_of_a_transmission(later: int, expected: int) -> None:
    network = Network("ab")
    network.frame(0, "a", 7, {"b": "hear"})
    end = int(hops.build(network.events(), header_ns=network.headers()).transmissions.ends[0])
    network.log = [row if row[2] != "tap.frame_timestamp.enter" else (end + later, *row[1:]) for row in network.log]
    network.log = [row if row[2] != "tap.frame_timestamp.exit" else (end + 90, *row[1:]) for row in network.log]
    heard = hops.build(network.events(), header_ns=dict.fromkeys("ab", 0)).overheard
    assert [0 if expected else -1] == heard.transmissions.tolist()


def detail(status: int, samples: list[int]) -> str:
    milestones = [SimpleNamespace(name=name) for name in "pqrs"]
    return Timelines.detail(SimpleNamespace(status=[status], samples=np.array([samples]), milestones=milestones), 0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("status", "samples", "expected"),
    [
        (timelines.COMPLETE, [1, 2, 3, 4], ""),
        (timelines.ORDER, [1, 9, -1, 7], "s at 7 is before q at 9"),
        (timelines.ORDER, [5, 4, 6, 1], "q at 4 is before p at 5"),
        (timelines.LOST, [5, -1, 6, -1], "last seen at r"),
        (timelines.LOST, [-1, -1, -1, -1], "never seen"),
        (timelines.PARTIAL, [5, -1, 6, -1], "missing: q, s"),
        (timelines.GAP, [5, -1, 6, -1], timelines.STATUS[timelines.GAP]),
    ],
)
def test_why_a_packet_is_not_timelined(status: int, samples: list[int], expected: str) -> None:
    assert expected == detail(status, samples)


ARRIVED, LOST = delivery.STATUS[delivery.DELIVERED], timelines.STATUS[timelines.LOST]
COUNTED = dict.fromkeys(("sent", "received", "listed", "seen_sent", "seen_received"), 10)
NOT_FOUND = dict.fromkeys(("not_logged", "received_not_seen", "received_not_logged", "late", "others", "unknown"), 0)
ACCOUNT = NodeAccount(
    node="a", outcomes={("ok", ARRIVED): 10}, not_seen={}, again=0, extra=0, round_trips=False, **COUNTED, **NOT_FOUND
)  # fmt: skip


def test_packets_of_a_log_and_of_the_pins() -> None:
    """Given up and arrived, lost for a reason, arrived by the log alone, and not logged."""
    outcomes = {("ok", ARRIVED): 3, ("timeout", ARRIVED): 2, ("timeout", LOST): 1, ("ok", LOST): 4, ("ok", "other"): 5}
    account = replace(ACCOUNT, sent=20, listed=17, outcomes=outcomes, not_seen={"queue": 2, "ok": 1, "timeout": 1})
    assert (20, 5, 2, {"queue": 2, "timeout": 2}) == (account.total, account.arrived, account.given_up, account.lost)
    expected = {
        node_accounts.NO_REPLY_ON_PINS: 4,
        "other": 5,
        node_accounts.NOT_ON_PINS: 1,
        node_accounts.NOT_LOGGED: 3,
    }
    assert expected == account.not_arrived
    assert 20 - 5 - 4 == account.unaccounted
    assert 17 == replace(account, sent=None).total
    for sent, listed, is_of in ((None, 0, False), (None, 1, True), (0, 0, True)):
        assert is_of == replace(account, sent=sent, listed=listed).is_of_packets


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({}, ""),
        ({"sent": 12, "not_seen": {"queue": 2}}, ""),
        (
            {"sent": 12, "not_seen": {"queue": 1}},
            "reports 12 packets sent, 1 of them without a buffer; the pins show 10",
        ),
        ({"sent": 9}, "reports 9 packets sent; the pins show 10 send calls"),
        ({"received": 9}, "reports 9 packets received; the pins show 10 deliveries"),
        ({"received": 9, "late": 1}, ""),
        ({"received": 11}, "reports 11 packets received"),
        ({"received": 13, "again": 1, "unknown": 2}, ""),
        ({"received": 14, "again": 1, "unknown": 2}, "reports 14 packets received"),
        ({"received": None, "seen_received": 3}, ""),
        ({"not_seen": {"timeout": 2}}, "2 packets in the log of node a have no send call"),
        ({"not_logged": 1}, "1 packets that node a sent are not in its log"),
        ({"received_not_seen": 3}, "3 packets that node a logged as received"),
        ({"received_not_logged": 4}, "4 packets that were delivered at node a are not in its log"),
        ({"outcomes": {}, "round_trips": True}, "10 packets are neither timelined nor lost"),
        ({"outcomes": {}}, ""),
    ],
)
def test_where_a_log_and_the_pins_differ(changed: dict[str, object], words: str) -> None:
    problems = replace(ACCOUNT, **changed).problems()  # type: ignore[arg-type]
    assert len(problems) == bool(words)
    assert words in " ".join(problems)


@given(st.lists(st.tuples(st.booleans(), st.integers(-1, 2)), max_size=14))
def test_an_exit_ends_the_latest_enter_of_its_id(marks: list[tuple[bool, int]]) -> None:
    """Else the latest without an id; where one side has no ids at all, the latest of any."""
    rows = [(at * 10, 0, f"udp.tx.{'exit' if leaves else 'enter'}", id_) for at, (leaves, id_) in enumerate(marks)]
    enters, exits = ([id_ for leaves, id_ in marks if leaves == side] for side in (False, True))
    plain = all(id_ < 0 for id_ in enters) or (all(id_ < 0 for id_ in exits) and all(id_ >= 0 for id_ in enters))
    expected, waiting = [], []
    for at, (leaves, id_) in enumerate(marks):
        id_ = -1 if plain else id_
        if not leaves:
            waiting.append((at, id_))
            continue
        fitting = (
            [one for one in waiting if one[1] == id_]
            or [one for one in waiting if one[1] == -1]
            or (waiting if id_ < 0 else [])
        )
        if fitting:
            expected.append((fitting[-1][0], at))
            waiting.remove(fitting[-1])
    found = spans.pairs(events_of_rows(rows, ("a",), end=1000))
    assert expected == list(zip(*(column.tolist() for column in found), strict=True))


def test_samples_that_were_lost_within_a_span() -> None:
    """It has no length; one before and one after the gap have."""
    rows = [
        (at, 0, f"udp.tx.{end}", None)
        for at, end in ((0, "enter"), (10, "exit"), (20, "enter"), (40, "exit"), (41, "enter"), (50, "exit"))
    ]
    events = events_of_rows(rows, ("a",), end=100, gaps=[(25, 35)])
    assert [[0, 4], [1, 5]] == [column.tolist() for column in spans.pairs(events)]


def test_hops_that_were_not_made() -> None:
    """Of a packet for no node, and of one that is relayed, the next node is not known; else each that it was for is."""
    network = Network("abc")
    frame = network.frame(0, "a", 1, {})
    for to, receivers in ((None, [-1]), ((), [-1]), (("b", "c"), [1, 2])):
        analysis = hops.build(network.events(), header_ns={}, destinations=None if to is None else {"a": to})
        assert [hops.NOT_READ] * len(receivers) == analysis.status.tolist()
        assert receivers == analysis.receivers.tolist()
    frame = network.frame(frame.end + MS, "a", 2, {"b": "relay"})
    network.frame(frame.end + MS, "b", 2, {"c": "deliver"}, by="relay")
    relayed = hops.build(network.events(), header_ns={}, destinations={"a": ("c",)})
    assert [(1, -1), (2, 1), (2, 2)] == [
        (int(relayed.packets.ids[packet]), receiver)
        for packet, receiver in zip(relayed.packet_rows.tolist(), relayed.receivers.tolist(), strict=True)
    ]


def test_the_route_with_the_most_packets_comes_first() -> None:
    """Those whose steps are not all known count; a route that has only packets in a gap is there."""
    network = Network("abc")
    at = 0
    for id_, to in enumerate("bbbcccc", 1):
        first = len(network.log)
        at = network.frame(at + MS, "a", id_, {to: "deliver"}).end
        if id_ == 7:
            network.log = [row for n, row in enumerate(network.log) if n < first or row[2] != "udp.rx.enter"]
    routes = hop_routes.routes(hops.build(network.events(), header_ns=network.headers()))
    assert [("a > c", 3, 1), ("a > b", 3, 0)] == [(route.name, len(route), route.partial) for route in routes]
    lost = Network("ab")
    lost.frame(0, "b", 9, {"a": "deliver"})
    lost.frame(100 * MS, "a", 1, {})
    events = lost.events(gaps=[(100 * MS + 10, 100 * MS + 20)])
    counts = [(r.name, r.lost, r.partial) for r in hop_routes.routes(hops.build(events, header_ns=lost.headers()))]
    assert [("b > a", 0, 0), ("a > ?", 0, 1)] == counts


def test_the_way_to_a_further_delivery_begins_as_that_to_the_first() -> None:
    """A relay that delivers the packet and sends it on, and a receiver that is given it twice."""
    network = Network("abc")
    frame = network.frame(0, "a", 7, {"b": "deliver"})
    network.frame(frame.end + MS, "b", 7, {"c": "deliver"}, by="relay", twice="c", read_again="deliver")
    analysis = hops.build(network.events(), header_ns=network.headers())
    further = analysis.further.passages
    rows = {int(visit): row for row, visit in enumerate(analysis.visits_to.tolist())}
    (again, begun) = ([column[place] for column in further.samples] for place in range(2))
    assert [column[rows[int(further.visits[1])]] for column in analysis.samples] == begun
    assert 1 == analysis.visits.nodes[further.visits[1]]
    assert again != [column[rows[int(further.visits[0])]] for column in analysis.samples]


@pytest.mark.parametrize(
    ("logged", "seen", "pairs"),
    [
        ([5, 6, 7], [6, 7, 8], [(1, 0), (2, 1)]),
        ([65_534, 65_535, 1], [65_535, 1, 2], [(1, 0), (2, 1)]),
        ([5, 5, 6], [5, 6, 6], [(0, 0), (2, 1)]),
        ([6, 5], [5, 6], [(0, 1), (1, 0)]),
        ([], [5], []),
    ],
)
def test_lines_of_a_log_and_packets_on_the_pins(
    logged: list[int], seen: list[int], pairs: list[tuple[int, int]]
) -> None:
    """Equal ids, as often as both have them, also where the 16 bits begin again."""
    rows = node_accounts._match(np.array(logged, dtype=np.int32), np.array(seen, dtype=np.int32))
    assert pairs == sorted(zip(*(part.tolist() for part in rows), strict=True))


def test_a_packet_of_microsecond_0_is_in_the_log() -> None:
    """Sent and received: its line counts for both, and no reply was delivered on the pins."""
    network = Network("ab")
    network.frame(0, "a", 7, {"b": "deliver"})
    log = node_log.parse("packet seq=7 tx_us=0 rx_us=0 status=ok\ndone sent=1 received=1 lost=0\n", node="a")
    (account,) = node_accounts.compare(hops.build(network.events(), header_ns={}), {"a": log})
    assert (1, 1, 1) == (account.listed, account.received_not_seen, account.arrived)

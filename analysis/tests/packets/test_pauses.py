"""Packets are followed in parts of the events: where nothing is under way, and with the same result as at once."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import synthetic_events
from madeevents import events_of_rows
from network import HEADER_NS, Network

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.index import Presence
from gpiorig.analysis.packets import hops, overheard, pauses
from gpiorig.analysis.packets.hops import Hops

MS = 24_000
SECOND = 1000 * MS
ARBITRARY = {"frames"}  # of transmissions: numbers that only equal each other or do not

Rows = list[tuple[int, int, str, int | None]]


def columns(stage: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """All arrays of a stage and of those that it was built from, by name."""
    if isinstance(stage, np.ndarray):
        yield place, stage.tolist()
    elif isinstance(stage, tuple):
        for number, part in enumerate(stage):
            yield from columns(part, f"{place} {number}")
    elif dataclasses.is_dataclass(stage):
        for field in dataclasses.fields(stage):
            if field.name not in ARBITRARY or isinstance(stage, Hops):
                yield from columns(getattr(stage, field.name), f"{place} {field.name}")
    else:
        yield place, stage


def starts(events: Events) -> list[int]:
    """Positions at which the parts begin."""
    return [part.start for part in pauses.parts(events, Presence.of(events))]


def assert_equal(events: Events, monkeypatch: pytest.MonkeyPatch, *, together: int, **how: Any) -> int:
    """In parts as at once; gives the number of parts."""
    at_once = dict(columns(hops.build(events, **how)))
    monkeypatch.setattr(pauses, "TOGETHER", together)
    in_parts = dict(columns(hops.build(events, **how)))
    assert at_once.keys() == in_parts.keys()
    assert [] == [name for name, values in at_once.items() if values != in_parts[name]]
    return len(starts(events))


@pytest.mark.parametrize("together", [pytest.param(1, marks=pytest.mark.slow), 200, 3000])
@pytest.mark.parametrize("seed", [0, 1])
def test_in_parts_as_at_once(seed: int, together: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ping-pongs with losses, late events, retries, and ids that wrap; each exchange by itself, and many together."""
    to = dict(zip(synthetic_events.NODES, [(name,) for name in synthetic_events.NODES[::-1]], strict=True))
    events = synthetic_events.disturbed(150, seed=seed)
    header_ns = dict.fromkeys(synthetic_events.NODES, synthetic_events.HEADER_NS)
    parts = assert_equal(events, monkeypatch, together=together, header_ns=header_ns, destinations=to)
    assert parts > {1: 100, 200: 20, 3000: 1}[together]


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize("outcome", ["complete", None])
def test_relays_and_bystanders(outcome: str | None, begun: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three nodes, every frame heard by one that does not read it, some packets lost, ends reported or not."""
    network = Network("abcd", begun=begun, numbered=True)
    for number in range(1, 31):
        at, last = number * 300 * MS, number % 3 == 0
        to_b = network.frame(at, "a", number, {"d": "hear", **({} if last else {"b": "relay"})}, outcome=outcome)
        if not last:
            network.frame(to_b.end + MS, "b", number, {"c": "deliver", "d": "hear"}, by="relay", outcome=outcome)
    how = {"header_ns": network.headers(), "destinations": {"a": ("c",)}}
    assert assert_equal(network.events(), monkeypatch, together=1, **how) > 20


EXCHANGE: Rows = [
    (0, 0, "app.tx.enter", 7),
    (100, 0, "mac.sequence", 9),
    (200, 0, "driver.exec.enter", 7),
    (300, 0, "driver.exec.exit", 7),
    (300 + 2 * MS, 1, "tap.irq.enter", None),
    (400 + 2 * MS, 1, "driver.isr.enter", None),
    (500 + 2 * MS, 1, "tap.irq.exit", None),
    (600 + 2 * MS, 1, "driver.rx_read.exit", 7),
    (700 + 2 * MS, 1, "driver.isr.exit", None),
]
LAST = EXCHANGE[-1][0]


def again(rows: Rows, *, later: int, id_: int = 8, number: int = 10) -> Rows:
    """The same exchange with another id and number."""
    new = {7: id_, 9: number, None: None}
    return [(at + later, node, event, new[value]) for at, node, event, value in rows]


@pytest.mark.parametrize(
    ("rows", "later", "parted"),
    [
        pytest.param(EXCHANGE, 20 * MS, True, id="nothing under way"),
        pytest.param(EXCHANGE, LAST + 5_059_200 * 24 // 1000, False, id="a frame and its acknowledgement take longer"),
        pytest.param(EXCHANGE, 200 + 15 * MS - 201, False, id="a slot since the command, whose end nothing tells"),
        pytest.param(EXCHANGE[:-1], 20 * MS, False, id="the driver has not left its handler"),
        pytest.param([*EXCHANGE, (LAST + 9, 0, "mac.sequence", 77)], 20 * MS, False, id="a number without its frame"),
        pytest.param([*EXCHANGE, (LAST + 9, 0, "timer.fire.enter", None)], 20 * MS, True, id="a timer is no matter"),
    ],
)
def test_where_nothing_is_under_way(rows: Rows, later: int, parted: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second exchange begins a part, or belongs to that of the first."""
    monkeypatch.setattr(pauses, "TOGETHER", 1)
    shown = [(50 * SECOND, 1, event, None) for event in ("driver.isr.exit", "tap.irq.exit")]  # spans that have an end
    events = events_of_rows([*rows, *again(EXCHANGE, later=later), *shown], "ab", end=51 * SECOND)
    assert parted == (len(rows) in starts(events))


@pytest.mark.parametrize(("id_", "number", "apart"), [(7, 10, SECOND), (8, 9, 100 * MS)])
def test_what_is_in_use_on_both_sides(id_: int, number: int, apart: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """An id, even a second later; a sequence number for as long as a transmission can take."""
    monkeypatch.setattr(pauses, "TOGETHER", 1)

    def parted(later: int) -> bool:
        return len(EXCHANGE) in starts(
            events_of_rows([*EXCHANGE, *again(EXCHANGE, later=later, id_=id_, number=number)], "ab", end=9 * SECOND)
        )

    assert not parted(apart)
    assert parted(apart + SECOND) == (id_ != 7)


def test_an_id_of_the_round_before_is_not_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a round of calls later it is another packet's."""
    monkeypatch.setattr(pauses, "TOGETHER", 1)
    monkeypatch.setattr(pauses, "HALF_A_ROUND", 3)
    rows = [row for n in range(4) for row in again(EXCHANGE, later=n * SECOND, id_=100 + n, number=20 + n)]
    for calls, parted in ((3, False), (4, True)):
        some = [row for row in rows if row[0] < calls * SECOND]
        events = events_of_rows([*some, *again(EXCHANGE, later=9 * SECOND, id_=100, number=50)], "ab", end=10 * SECOND)
        assert parted == (len(some) in starts(events))


def test_a_frame_that_is_heard_after_a_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing tells when it was out: for 168 ms it may be what a bystander hears, and is its packet's last event."""
    rows = [*EXCHANGE, *again(EXCHANGE, later=2 * SECOND)]
    heard = [(100 * MS, 2, "tap.frame_timestamp.enter", None), (101 * MS, 2, "tap.frame_timestamp.exit", None)]
    events = events_of_rows([*rows, *heard], "abc", end=3 * SECOND)
    assert assert_equal(events, monkeypatch, together=1, header_ns=dict.fromkeys("abc", HEADER_NS)) == 3
    packets = hops.build(events, header_ns=dict.fromkeys("abc", HEADER_NS))
    assert [overheard.OTHERS] == packets.overheard.whose.tolist()
    assert len(EXCHANGE) + 1 == packets.packets.last_events[0]
    assert 0 == packets.packet_of[len(EXCHANGE)]

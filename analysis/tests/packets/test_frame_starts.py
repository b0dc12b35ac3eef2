"""Interrupts at the start of a frame: each goes with the frame that it began, whatever became of that frame."""

from __future__ import annotations

import random

import numpy as np
import pytest
from depth import by_depth
from network import READINGS, Network

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.packets import accounting, hops
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.occurrences import NONE
from gpiorig.analysis.packets.passages import column
from gpiorig.analysis.packets.unattributed import DROPPED, NO_ID, NOT_READ, REASONS

MS = 24_000
Place = tuple[int, str, str]  # sample, node, event
WITHOUT_ID = 0
Drop = tuple[str, ...]
HOW = [how for how in READINGS if how != "relay"]


def crowd(seed: int) -> tuple[Network, list[set[Place]]]:
    """Frames between random nodes, up to two at a time; the starts of those that a driver dropped."""
    rng, network, dropped = random.Random(seed), Network("abcdef", seed=seed, begun=True), []
    for number in range(40):
        nodes = rng.sample("abcdef", 6)
        for lane in range(rng.choice([1, 2])):
            sender, *others = nodes[3 * lane : 3 * lane + 3]
            readers = {node: rng.choice(HOW) for node in others if rng.random() < 0.8}
            id_ = WITHOUT_ID if rng.random() < 0.1 else 2 * number + lane + 1
            first = len(network.log)
            outcome = rng.choice(["complete", "no_ack"])
            begun = len(network.starts)
            network.frame(number * 10 * MS, sender, id_, readers, outcome=outcome, backoff=rng.randrange(400, MS))
            if rng.random() < 0.1:
                for node in [node for node, how in readers.items() if READINGS[how]]:
                    drop_at_driver(network, first, node)
                    dropped.append(places(network, next(s for s in network.starts[begun:] if s[0] == node)[2]))
    return network, dropped


def drop_at_driver(network: Network, first: int, node: str) -> None:
    """The driver reads the frame into nothing, and no layer above gets it."""
    for row, (at, reader, event, _) in enumerate(network.log[first:], start=first):
        if reader == node and event == "driver.rx_read.exit":
            network.log[row] = (at, node, "driver.rx_drop", None)
        elif reader == node and event.startswith(("mac", "sixlowpan", "ipv6", "udp", "app", "driver.rx_read")):
            network.log[row] = (at, node, "sched.switch", 1)


def come_late(network: Network) -> None:
    """The driver takes the interrupt at the start of the latest frame after its end: one turn for both, one rise."""
    reader, _, begun = network.starts[-1]
    turn = next(
        row for row, (_, node, event, _) in enumerate(network.log)
        if row > begun[-1] and node == reader and event == "driver.isr.enter"
    )  # fmt: skip
    gone = {row for row in (*begun, *range(begun[-1] + 1, turn)) if network.log[row][1] == reader}
    gone -= {row for row in gone if network.log[row][2].startswith("tap.frame")} | set(begun[:3])
    at = network.log[turn][0]
    network.log = [row for place, row in enumerate(network.log) if place not in gone]
    network.log.append((at + 50, reader, "radio.rx_start", None))


def places(network: Network, rows: list[int]) -> set[Place]:
    """Instant, node and event of some rows of the log."""
    return {network.log[row][:3] for row in rows}


def positions(events: Events, wanted: set[Place]) -> list[int]:
    """Where some rows of the log are in the events."""
    codes = {(at, events.node(node), BY_NAME[event].code) for at, node, event in wanted}
    table = zip(events.samples.tolist(), events.nodes.tolist(), events.codes.tolist(), strict=True)
    return [position for position, key in enumerate(table) if key in codes]


def reasons(analysis: Hops) -> dict[int, int]:
    """The reason of every event without a packet."""
    left = analysis.unattributed
    return dict(zip(left.positions.tolist(), left.reasons.tolist(), strict=True))


@pytest.mark.parametrize("without", [(), ("tap.frame_timestamp",), ("tap.",)], ids=["taps", "irq", "none"])
@pytest.mark.parametrize("seed", range(by_depth(2, 20)))
def test_every_start_is_of_the_frame_that_it_began(seed: int, without: Drop) -> None:
    """Frames that were read, dropped by the driver, for other nodes (the radio hands nothing out), or without an id."""
    network, dropped = crowd(seed)
    truth = [(id_, places(network, rows)) for _, id_, rows in network.starts]
    network.drop(*without)
    analysis = hops.build(network.events(), header_ns=network.headers())
    why, packet_of, counts = reasons(analysis), analysis.packet_of, {"read": 0, "dropped": 0, "unread": 0}
    for id_, start in truth:
        here = positions(analysis.events, start)
        assert len(here) == sum(not event.startswith(without or ("-",)) for *_, event in start)
        if start in dropped:
            counts["dropped"] += 1
            assert {DROPPED} == {why.get(at) for at in here}
        elif id_ == WITHOUT_ID:
            assert {NO_ID} == {why.get(at) for at in here} or {NOT_READ} == {why.get(at) for at in here}
        elif any(at in why for at in here):
            counts["unread"] += 1
            assert {NOT_READ} == {why.get(at) for at in here}  # two frames were on the air
        else:
            counts["read"] += 1
            assert {id_} == set(analysis.packets.ids[packet_of[here]].tolist())
    assert counts["read"] > 40 and counts["unread"] > 5
    assert counts["dropped"] == len(dropped)
    assert accounting.account(analysis).adds_up
    assert REASONS[NO_ID] in accounting.account(analysis).unattributed


def test_a_start_without_an_end_stays_without_a_frame() -> None:
    """Of a frame that no recorded node sent; the frame after it has a start of its own."""
    network = Network("ab", begun=True)
    network.begin(MS, "b", WITHOUT_ID)
    network.frame(20 * MS, "a", 1, {"b": "deliver"})
    analysis = hops.build(network.events(), header_ns=network.headers())
    (_, _, lost), (_, _, read) = network.starts
    why = reasons(analysis)
    assert {NOT_READ} == {why[at] for at in positions(analysis.events, places(network, lost))}
    assert (analysis.packet_of[positions(analysis.events, places(network, read))] == 0).all()
    assert [1] == np.unique(analysis.packets.ids).tolist()
    assert ["of a frame that was begun and not read, of no known packet"] == list(analysis.unattributed.counts())


@pytest.mark.parametrize("without", [(), ("tap.frame_timestamp",), ("tap.",)], ids=["taps", "irq", "none"])
def test_an_interrupt_that_the_driver_took_late_does_not_show_the_end_of_its_frame(without: Drop) -> None:
    """Seen below RIOT's `txtsnd` on the virtual M3: while its driver printed a frame, the next one began and ended."""
    network = Network("ab", begun=True)
    on_time = network.frame(MS, "a", 1, {"b": "deliver"}).arrivals["b"]
    late = network.frame(20 * MS, "a", 2, {"b": "deliver"}).arrivals["b"]
    come_late(network)
    network.drop(*without)
    analysis = hops.build(network.events(), header_ns=network.headers())
    is_wired = without != ("tap.",)
    ends = [on_time["irq" if is_wired else "isr.radio"], late["driver.rx_read" if without else "irq"]]
    assert ends == analysis.receptions.ends.tolist()
    assert [is_wired, False] == analysis.receptions.lines_seen.tolist()
    for name in ("irq", "isr.radio"):
        assert NONE == column(analysis.samples, name)[1], name
    assert 0 == len(analysis.overheard) == len(analysis.unattributed)

"""Packets of damaged recordings: what is lost may leave events without a packet, and gives none to another packet."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from network import Network

from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.packets import accounting, hop_routes, hops
from gpiorig.analysis.packets.hops import Hops

MS = 24_000
# Their own begin is lost, and the end of the one before: they look like that one's.
DOUBLY_LOST = [BY_NAME[name].code for name in ("isr.radio.exit", "driver.isr.exit", "mac.sequence")]
Row = tuple[int, str, str, int | None]
Key = tuple[int, int, int]


def crowded(seed: int) -> Network:
    """Packets of three origins over up to three hops, with retries, duplicates and losses; ids wrap."""
    network = Network("abcd", seed=seed, numbered=True)
    draw = random.Random(seed)
    at = MS
    for n in range(30):
        path = draw.choice(["abcd", "abc", "db", "cba", "dc"])
        id_ = 65_520 + n & 0xFFFF
        for hop, (sender, reader) in enumerate(pairwise(path)):
            how = "deliver" if reader == path[-1] else "relay"
            lost = draw.random() < 0.2
            by = "relay" if hop else "call"
            others = {node: "hear" for node in set("abcd") - {sender, reader} if draw.random() < 0.3}
            if lost:
                at = network.frame(at, sender, id_, others, by=by, outcome="no_ack").end
                by = "retry"
            at = network.frame(at, sender, id_, {reader: how} | others, by=by).end
            if draw.random() < 0.1:
                at = network.frame(at, sender, id_, {reader: "drop"}, by="retry").end
        at += draw.randrange(MS, 5 * MS)
    return network


def calls_by_event(analysis: Hops) -> dict[Key, int]:
    """Of every event that is of a packet with a call the sample of that call."""
    events, packets = analysis.events, analysis.packets
    of = np.flatnonzero(analysis.packet_of >= 0)
    of = of[packets.called[analysis.packet_of[of]]]
    starts = packets.starts[analysis.packet_of[of]]
    rows = zip(events.samples[of], events.nodes[of], events.codes[of], starts, strict=True)
    return {(int(at), int(node), int(code)): int(start) for at, node, code, start in rows}


def cut(end: int) -> Callable[[Row, float], bool]:
    return lambda row, _: end // 5 <= row[0] < end * 4 // 5


def damaged(_: int) -> Callable[[Row, float], bool]:
    return lambda row, drawn: row[2].startswith("tap.") or drawn > 0.02


def one_node(_: int) -> Callable[[Row, float], bool]:
    return lambda row, drawn: row[2].startswith("tap.") or row[1] != "b" or drawn > 0.2


@pytest.mark.parametrize("damage", [cut, damaged, one_node])
@pytest.mark.parametrize("seed", range(3))
def test_damage_gives_no_event_to_another_packet(
    seed: int, damage: Callable[[int], Callable[[Row, float], bool]]
) -> None:
    """Except lines that only received a frame: where another node's command is lost, the one that is seen has them."""
    network = crowded(seed)
    undamaged = hops.build(network.events(), header_ns=network.headers())
    draw, keep = random.Random(seed), damage(network.end)
    network.log = [row for row in network.log if keep(row, draw.random())]
    events = network.events()
    analysis = hops.build(events, header_ns=network.headers())
    unread = analysis.overheard
    lines = np.concatenate([unread.positions, unread.exits[unread.exits >= 0]])
    at_lines = {(int(events.samples[p]), int(events.nodes[p]), int(events.codes[p])) for p in lines.tolist()}
    expected, actual = calls_by_event(undamaged), calls_by_event(analysis)
    wrong = [key for key, start in actual.items() if key not in at_lines and expected.get(key) != start]
    assert [] == [key for key in wrong if key[2] not in DOUBLY_LOST]
    assert 100 * len(wrong) < len(actual)
    assert 0.5 * len(network.log) < len(actual)
    assert accounting.account(analysis).adds_up
    assert len(np.unique(analysis.unattributed.positions)) == len(analysis.unattributed)
    assert all((route.steps.samples >= 0).all() for route in hop_routes.routes(analysis))

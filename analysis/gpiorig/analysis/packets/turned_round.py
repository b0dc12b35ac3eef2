"""Packets that a node sends to itself: they turn round within its stack, and no other node's frame brings them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.index import Index
from gpiorig.analysis.packets.occurrences import Latest, Positions, occurring, owner, values_at

# What begins a packet: the first of these that occurs in the recording. Between UDP and the MAC packets are sent on, so
# that a call there may be a relay's; where nothing is seen above the MAC, each hop is a packet of its own.
CALLS = ("app.tx.enter", "sock.tx.enter", "udp.tx.enter", "mac.tx.enter")
# Where a packet comes back, the lowest layer first.
ENTRIES = ("mac.rx.enter", "sixlowpan.rx.enter", "ipv6.rx.enter", "udp.rx.enter", "sock.rx.enter", "app.rx.enter")


def calls(
    events: Events, index: Index, destinations: Mapping[int, tuple[int, ...]]
) -> tuple[Positions, frozenset[int]]:
    """int64[c], positions of the calls of the nodes that send to themselves, and these nodes."""
    name, at = occurring(events, index, CALLS)
    turning = [node for node, to in destinations.items() if node in to and index.occurs_with_id(name, node=node)]
    return at[np.isin(events.nodes[at], turning)], frozenset(turning)


def latest_calls(events: Events, own_calls: Positions, nodes: Positions, at: Positions) -> Positions:
    """int64[q], the latest of these calls at the node, and with the id, of each event; -1 for none."""
    latest = Latest.of(owner(events.nodes[own_calls], events.ids[own_calls]), own_calls)
    return values_at(own_calls, latest.before(owner(nodes, events.ids[at]), at))


def entries(events: Events, index: Index, node: int, own_calls: Positions, read: Positions) -> Positions:
    """int64[k], positions at which packets of these calls of a node came back, without a frame of theirs being read."""
    if not len(own_calls):
        return own_calls
    holders, is_call = np.concatenate([own_calls, read]), np.repeat([1, 0], [len(own_calls), len(read)])
    for name in ENTRIES:
        at = index.positions(name, node=node)
        at = at[events.ids[at] >= 0]
        latest = Latest.of(owner(node, events.ids[holders]), holders).before(owner(node, events.ids[at]), at)
        came_back = at[values_at(is_call, latest) > 0]
        holders, is_call = np.concatenate([holders, came_back]), np.append(is_call, np.zeros(len(came_back), np.int64))
    return np.sort(holders[len(own_calls) + len(read) :])

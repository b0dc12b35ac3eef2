"""Visits: the visit of a packet to a node, its origin and its next node, across all nodes.

A packet begins with a call of a node's application. It visits that node, and every node that reads one of its frames.
What a node sends belongs to the visit that has the packet's id in hand there. So each visit but the first has a parent:
the visit from which its frames were sent. Packets are the trees that this makes.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.index import Index
from gpiorig.analysis.packets.holders import BARE, CALL, READ, Custody, Holders, Starts
from gpiorig.analysis.packets.occurrences import NONE, Latest, Positions, occurring, owner, values_at
from gpiorig.analysis.packets.receptions import TURNED_ROUND, Receptions
from gpiorig.analysis.packets.transmissions import Transmissions
from gpiorig.analysis.packets.turned_round import CALLS
from gpiorig.capture import mapped

# What ends a packet: the first of these that occurs in the recording.
DELIVERIES = ("app.rx.enter", "sock.rx.enter", "udp.rx.enter", "mac.rx.enter", "driver.rx_read.exit")
# Where calls above the MAC are seen, and these, what only the MAC got is not delivered.
ABOVE_MAC = ("sixlowpan.rx.enter", "ipv6.rx.enter")


@dataclass(frozen=True, slots=True, eq=False)
class Visits:
    """One row per stay of a packet at a node, by the packets' order, parents before their children.

    Parameters
    ----------
    nodes
        int16[v], index into the node names.
    positions
        int64[v], position in the events at which it begins.
    parents
        int32[v], row of the visit from which it came, -1 for the first of a packet.
    hops
        int16[v], number of hops from the origin.
    packets
        int32[v], row of the packet; packets are in the order in which they begin.
    deliveries
        int64[v], position of its first delivery to the application, -1 for none.
    again_at, again_of
        int64[d] and int32[d], positions of further deliveries after the first, and the visit of each.
    kinds
        uint8[p], of each packet how it began, keys of `custody.KINDS`.
    ids
        int32[p], of each packet.
    of_transmission, of_reception
        int32[t] and int32[r], the visit that sent, or read, each; -1 for one without an id.
    repeated
        bool[r], receptions of a frame that the node had read before.
    unclear
        bool[v], the node had several packets with this id in hand: it is unknown which of them it sent on.
    """

    nodes: NDArray[np.int16]
    positions: Positions
    parents: NDArray[np.int32]
    hops: NDArray[np.int16]
    packets: NDArray[np.int32]
    deliveries: Positions
    again_at: Positions
    again_of: NDArray[np.int32]
    kinds: NDArray[np.uint8]
    ids: NDArray[np.int32]
    of_transmission: NDArray[np.int32]
    of_reception: NDArray[np.int32]
    repeated: NDArray[np.bool_]
    unclear: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.nodes)

    @property
    def again(self) -> NDArray[np.int32]:
        """int32[v], further deliveries after the first."""
        return np.bincount(self.again_of, minlength=len(self)).astype(np.int32)


def delivering(events: Events, index: Index) -> tuple[str, Positions]:
    """The event that delivers a packet to the application, as far up as the firmware shows it, and its positions.

    A layer above the MAC that got only frames without an id shows itself, too: the others ended at the MAC.
    """
    nodes = range(len(events.node_names))
    above = occurring(events, index, CALLS)[0] != CALLS[-1] and any(
        index.occurs(name, node=node) for name in ABOVE_MAC for node in nodes
    )
    return occurring(events, index, DELIVERIES[: -2 if above else None])


def find(events: Events, index: Index, sent: Transmissions, read: Receptions) -> tuple[Visits, Custody]:
    """Find the visits of all packets, and who has what in hand."""
    first = _first_readings(sent, read)
    readings = np.flatnonzero(np.bincount(first))  # np.unique hashes rows, which costs more
    start_of_reading = np.searchsorted(readings, first)
    starts, custody = _starts(events, index, sent, read, readings)
    turned = _turned_round(starts, read, readings)
    at = delivering(events, index)[1]
    readers = Holders(read.nodes.astype(np.int64), read.ids, read.ends_at)
    reader = readers.of(events.nodes[at].astype(np.int64), events.ids[at], at)
    at, reader = at[reader >= 0], reader[reader >= 0]
    del readers
    # First without knowing what was delivered, which decides what is sent on; then with that known.
    starts = mapped.settled(starts)
    for again in (True, False):
        start_of_sent = _starts_for(custody, sent)
        parents = np.full(len(starts), NONE, dtype=np.int64)
        parents[: len(readings)] = values_at(start_of_sent, read.transmissions[readings].astype(np.int64))
        parents = np.where(turned >= 0, turned, parents)
        joined = _joined(starts, parents)
        deliveries = np.full(len(starts), NONE, dtype=np.int64)
        # Written backwards, so that the first stays.
        deliveries[joined[start_of_reading[reader]][::-1]] = at[::-1]
        delivered = deliveries[joined] >= 0
        if again:
            hands_over = custody.hands_over
            del custody  # before the next one, so that there are never two in memory
            kept = delivered | (turned >= 0) | _of_a_mac(starts, parents, hands_over)
            custody = Custody(events, index, starts, kept, joined)
    every, custody.visits = _visits(starts, parents, joined, deliveries, start_of_sent, start_of_reading, first)
    unclear = custody.visits[custody.unclear & ~delivered]
    of = every.of_reception[reader]
    further = every.deliveries[of] != at
    return (
        dataclasses.replace(
            every,
            unclear=np.isin(np.arange(len(every)), unclear),
            again_at=at[further],
            again_of=of[further],
        ),
        custody,
    )


def last_transmissions(visits: Visits) -> Positions:
    """int64[v], row of the last transmission of every visit, -1 for none."""
    latest = np.full(len(visits), NONE, dtype=np.int64)
    rows = np.flatnonzero(visits.of_transmission >= 0)
    latest[visits.of_transmission[rows]] = rows  # in time order within a node: the last one stays
    return latest


def _turned_round(starts: Starts, read: Receptions, readings: Positions) -> Positions:
    """int64[s], of each reading of a packet that its node sent to itself the start of the call; -1 of all others."""
    call = np.flatnonzero(starts.kinds == CALL)
    latest = Latest.of(owner(starts.nodes[call], starts.ids[call]), starts.positions[call])
    rows = np.flatnonzero(read.origins[readings] == TURNED_ROUND)
    turned = np.full(len(starts), NONE, dtype=np.int64)
    turned[rows] = values_at(call, latest.before(owner(starts.nodes[rows], starts.ids[rows]), starts.positions[rows]))
    return turned


def _first_readings(sent: Transmissions, read: Receptions) -> Positions:
    """int64[r], row of the first reception of the same frame at the same node; its own, if it is that or of none."""
    frames = values_at(sent.frames.astype(np.int64), read.transmissions.astype(np.int64))
    known = np.flatnonzero(frames >= 0)
    first = np.arange(len(read), dtype=np.int64)
    key = read.nodes[known].astype(np.int64) * (int(frames.max(initial=0)) + 1) + frames[known]
    _, earliest, group = np.unique(key, return_index=True, return_inverse=True)
    first[known] = known[earliest[group]]
    return first


def _starts(
    events: Events, index: Index, sent: Transmissions, read: Receptions, readings: Positions
) -> tuple[Starts, Custody]:
    """The first reading of every frame at every node, calls, and frames that go with neither, in this order.

    With them their custody, while nothing is known to be delivered.
    """
    calls = occurring(events, index, CALLS)[1]
    starts = Starts(
        nodes=np.concatenate([read.nodes[readings], events.nodes[calls]]).astype(np.int64),
        ids=np.concatenate([read.ids[readings], events.ids[calls]]),
        positions=np.concatenate([read.ends_at[readings], calls]),
        kinds=np.repeat(np.array([READ, CALL], dtype=np.uint8), [len(readings), len(calls)]),
    )
    custody = Custody(events, index, starts, np.zeros(len(starts), dtype=bool))
    bare = _bare(sent, _starts_for(custody, sent))
    if len(bare):
        starts = starts.and_(bare)
        del custody
        custody = Custody(events, index, starts, np.zeros(len(starts), dtype=bool))
    return starts, custody


def _starts_for(custody: Custody, sent: Transmissions) -> Positions:
    return custody.for_frames(sent.nodes.astype(np.int64), sent.ids, sent.commands)


def _bare(sent: Transmissions, start_of_sent: Positions) -> Starts:
    """The first transmission of every frame that goes with no call and nothing read."""
    bare = np.flatnonzero((start_of_sent < 0) & (sent.ids >= 0))
    rows = bare[np.unique(sent.frames[bare], return_index=True)[1]]
    return Starts(
        nodes=sent.nodes[rows].astype(np.int64),
        ids=sent.ids[rows],
        positions=sent.prepared[rows],
        kinds=np.full(len(rows), BARE, dtype=np.uint8),
    )


def _of_a_mac(starts: Starts, parents: Positions, hands_over: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool[s], readings of frames that a MAC sent of its own, for another MAC: none sends them on."""
    of_mac: NDArray[np.bool_] = (parents >= 0) & (values_at(starts.kinds, parents) == BARE)
    return of_mac & hands_over[values_at(starts.nodes, parents)]


def _joined(starts: Starts, parents: Positions) -> Positions:
    """int64[s], the first start of the same visit: readings at one node that came from one visit, such as fragments."""
    joined = np.arange(len(starts), dtype=np.int64)
    nodes = int(starts.nodes.max(initial=0)) + 1
    children = np.flatnonzero(parents >= 0)
    while len(children):
        key = joined[parents[children]] * nodes + starts.nodes[children]
        _, earliest, group = np.unique(key, return_index=True, return_inverse=True)
        now = children[earliest[group]]
        if np.array_equal(now, joined[children]):
            break
        joined[children] = now
    return joined


def _visits(
    starts: Starts,
    parents: Positions,
    joined: Positions,
    deliveries: Positions,
    start_of_sent: Positions,
    start_of_reading: Positions,
    first: Positions,
) -> tuple[Visits, NDArray[np.int32]]:
    """Number the visits and the packets; gives the visit of each start, too."""
    heads = np.flatnonzero(np.bincount(joined))
    row = np.searchsorted(heads, joined).astype(np.int32)
    above = values_at(row, parents[heads]).astype(np.int32)
    root, hops = np.arange(len(heads), dtype=np.int32), np.zeros(len(heads), dtype=np.int16)
    climbing = above.copy()
    while (up := climbing >= 0).any():
        root[up], hops[up] = climbing[up], hops[up] + 1
        climbing = np.where(up, above[climbing], NONE)
    del climbing, up
    begins = starts.positions[heads]
    order = np.lexsort((begins, hops, begins[root]))
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order))
    root = place[root]
    origins = np.flatnonzero(np.bincount(root))
    of_start = place[row]
    numbered = Visits(
        nodes=starts.nodes[heads][order].astype(np.int16),
        positions=begins[order],
        parents=values_at(place, above)[order].astype(np.int32),
        hops=hops[order],
        packets=np.searchsorted(origins, root)[order].astype(np.int32),
        deliveries=deliveries[heads][order],
        kinds=starts.kinds[heads][order][origins],
        ids=starts.ids[heads][order][origins],
        of_transmission=values_at(of_start, start_of_sent).astype(np.int32),
        of_reception=of_start[start_of_reading],
        repeated=first != np.arange(len(first)),
        unclear=np.zeros(len(heads), dtype=bool),
        again_at=np.zeros(0, dtype=np.int64),
        again_of=np.zeros(0, dtype=np.int32),
    )
    return numbered, of_start

"""Packets: what became of each of them, from its call to the nodes it was delivered to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events, slices
from gpiorig.analysis.events.ids import needs_packet_id
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.packets import cuts
from gpiorig.analysis.packets.holders import BARE, CALL, HAND_OVER, READ
from gpiorig.analysis.packets.occurrences import NONE, Positions, values_at
from gpiorig.analysis.packets.turned_round import CALLS
from gpiorig.analysis.packets.visits import Visits

DELIVERED, SOME, UNADDRESSED, NOT_SENT, NOT_RECEIVED, INCOMPLETE, DROPPED, GAP, UNCLEAR, CUT = range(10)
STATUS = {
    DELIVERED: "delivered",
    SOME: "delivered to some of the nodes it was for",
    UNADDRESSED: "for no node",
    NOT_SENT: "never given to the radio",
    NOT_RECEIVED: "sent, read by no other node",
    INCOMPLETE: "not all of its fragments were read",
    DROPPED: "read, neither delivered nor sent on",
    GAP: "samples were lost while it was under way",
    UNCLEAR: "at a node that had several packets with its id in hand",
    CUT: "the recording ended before it could be called lost",
}
FRAGMENT = "sixlowpan.fragment.enter"
LOST = (NOT_SENT, NOT_RECEIVED, INCOMPLETE, DROPPED)


@dataclass(frozen=True, slots=True, eq=False)
class Packets:
    """One row per packet, in the order in which they begin.

    Parameters
    ----------
    ids
        int32[p], 16-bit id; may repeat.
    kinds
        uint8[p], how it began: keys of `gpiorig.analysis.packets.holders.KINDS`.
    origins
        int16[p], node at which it began; that of the reader, if its transmission is not known.
    starts
        int64[p], sample.
    firsts
        int32[p], row of its first visit.
    deliveries
        int32[p], number of nodes at which it was delivered; its origin counts if the packet turned round there.
    fragments
        int32[p], frames that its origin cut it into.
    status
        uint8[p], keys of `STATUS`. A packet that was not sent by a call counts as delivered if it was read.
    in_gap
        bool[p], samples were lost while it was under way.
    last_events
        int64[p], position of the last event that is of it.
    destinations
        Per origin, by node index, the nodes that its packets are for; a node that is not in it: not known.
    """

    ids: NDArray[np.int32]
    kinds: NDArray[np.uint8]
    origins: NDArray[np.int16]
    starts: Positions
    firsts: NDArray[np.int32]
    deliveries: NDArray[np.int32]
    fragments: NDArray[np.int32]
    status: NDArray[np.uint8]
    in_gap: NDArray[np.bool_]
    last_events: Positions
    destinations: Mapping[int, tuple[int, ...]]

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def called(self) -> NDArray[np.bool_]:
        """bool[p], packets that were sent by a call."""
        called: NDArray[np.bool_] = self.kinds == CALL
        return called

    @property
    def accounted(self) -> NDArray[np.bool_]:
        """bool[p], packets that count: those that were sent by a call; where none was, those that were sent without."""
        return self.called if self.called.any() else self.kinds == BARE

    @property
    def lost(self) -> NDArray[np.bool_]:
        """bool[p], packets that were delivered nowhere although they should have been."""
        return np.isin(self.status, LOST)

    @property
    def unknown(self) -> NDArray[np.bool_]:
        """bool[p], packets of which it is unknown whether they arrived where they were not seen to arrive."""
        return self.in_gap | np.isin(self.status, (UNCLEAR, CUT))


def by_index(events: Events, destinations: Mapping[str, tuple[str, ...]]) -> dict[int, tuple[int, ...]]:
    """Destinations by node index; raises `EventError` for a node that is not in the events."""
    return {events.node(origin): tuple(events.node(node) for node in to) for origin, to in destinations.items()}


def find(
    events: Events, visits: Visits, visit_of: NDArray[np.int32], *, destinations: Mapping[int, tuple[int, ...]]
) -> Packets:
    """The packets, and what became of each of them until the end of the recording; which are `CUT` is left open."""
    packets = len(visits.kinds)
    firsts = np.flatnonzero(visits.parents < 0)
    origins = visits.nodes[firsts].astype(np.int64)
    last = np.full(packets, NONE, dtype=np.int64)
    for part in slices(len(visit_of)):
        known = part.start + np.flatnonzero(visit_of[part] >= 0)
        last[visits.packets[visit_of[known]]] = known  # increasing: the last one stays
    begins = visits.positions[firsts]
    made, handed = _calls(events, visit_of)
    fragments = _fragments(visits, made, packets)
    arrived = arrivals(visits, origins)
    deliveries = np.bincount(visits.packets[arrived], minlength=packets)
    starts = events.samples[begins]
    in_gap = events.loses(starts, events.samples[np.maximum(last, begins)])
    return Packets(
        ids=visits.ids,
        kinds=visits.kinds,
        origins=origins.astype(np.int16),
        starts=starts,
        firsts=firsts.astype(np.int32),
        deliveries=deliveries.astype(np.int32),
        fragments=fragments,
        status=_status(
            visits, destinations, origins, arrived, lost=_furthest(visits, handed, fragments), in_gap=in_gap
        ),
        in_gap=in_gap,
        last_events=last,
        destinations=dict(destinations),
    )


def with_cuts(events: Events, visits: Visits, visit_of: NDArray[np.int32], packets: Packets) -> Packets:
    """The packets of a whole recording with those that its end cuts."""
    if packets.deliveries.all():
        return packets
    arrived = arrivals(visits, packets.origins)
    cut = cuts.of_packets(events, visits, visit_of, arrived=arrived, final=packets.last_events)
    cut &= np.isin(packets.status, (*LOST, UNCLEAR))
    return replace(packets, status=np.where(cut, CUT, packets.status).astype(np.uint8))


def arrivals(visits: Visits, origins: NDArray[np.integer[Any]]) -> Positions:
    """Rows of the visits at which a packet was delivered, or, if it was not sent by a call, read.

    At its origin only a packet that turned round there.
    """
    rows = [np.zeros(0, dtype=np.int64)]
    for part in slices(len(visits)):
        nodes, packets, parents = visits.nodes[part], visits.packets[part], visits.parents[part]
        turned = nodes == values_at(visits.nodes, parents)
        away = (parents >= 0) & (turned | (nodes != origins[packets]))
        at_hand = (visits.kinds[packets] != CALL) | (visits.deliveries[part] >= 0)
        rows.append(part.start + np.flatnonzero(away & at_hand))
    return np.concatenate(rows)


def no_packet(events: Events, sent: int, readings: int) -> str:
    """Why there is none, by what the events are of."""
    if without_id := int(np.count_nonzero(needs_packet_id(events))):
        return (
            f"no packet in the events: {sent} frames sent and {readings} readings, and the firmware has no id, or 0, "
            f"in {without_id} events of packets: count packets from 1, in the last two bytes of the payload, most "
            "significant first"
        )
    reason = f"no packet in the events: no {' or '.join(CALLS)} with an id, and nothing sent or read; "
    if len(events):
        return reason + (
            f"{len(events)} events are of other layers: does the application use the network, and does "
            "`gpiorig firmware check` find the hooks?"
        )
    return reason + "are the probes in the firmware (`probes`), and the buses wired as in the bench file?"


def _calls(events: Events, visit_of: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The visits of all calls that made a fragment, and of all hand-overs to the MAC."""
    at = events.positions(FRAGMENT, HAND_OVER)
    at = at[visit_of[at] >= 0]
    is_fragment = events.codes[at] == BY_NAME[FRAGMENT].code
    return visit_of[at[is_fragment]], visit_of[at[~is_fragment]]


def _fragments(visits: Visits, made: NDArray[np.int32], packets: int) -> NDArray[np.int32]:
    """int32[p], calls that made a fragment at the packet's origin, at least 1."""
    at_origin = visits.packets[made[visits.parents[made] < 0]]
    return np.maximum(np.bincount(at_origin, minlength=packets), 1).astype(np.int32)


def _furthest(visits: Visits, handed: NDArray[np.int32], fragments: NDArray[np.int32]) -> NDArray[np.int64]:
    """int64[p], the status of each packet if it is lost: what happened where it got furthest."""
    ended = last_visits(visits)
    sent = visits.of_transmission[visits.of_transmission >= 0]
    read = visits.of_reception[~visits.repeated]
    tried, handed_on, frames = (np.bincount(of, minlength=len(visits))[ended] for of in (sent, handed, read))
    at_origin = visits.parents[ended] < 0
    return np.select(
        [tried > 0, visits.unclear[ended], at_origin | (handed_on > 0), frames < fragments],
        [NOT_RECEIVED, UNCLEAR, NOT_SENT, INCOMPLETE],
        default=DROPPED,
    )


def _status(
    visits: Visits,
    destinations: Mapping[int, tuple[int, ...]],
    origins: Positions,
    arrived: Positions,
    *,
    lost: NDArray[np.int64],
    in_gap: NDArray[np.bool_],
) -> NDArray[np.uint8]:
    packets, nodes = len(origins), int(visits.nodes.max(initial=0)) + 1
    reached = np.bincount(visits.packets[arrived], minlength=packets) > 0
    reached |= visits.kinds == READ
    missed = np.where(in_gap, GAP, lost)
    status = np.where(reached, DELIVERED, missed)
    for origin, to in destinations.items():
        from_origin = (visits.kinds == CALL) & (origins == origin)
        hits = arrived[np.isin(visits.nodes[arrived], to)]
        # By packet already, so that sorting costs little; np.unique would hash them.
        pairs = np.sort(visits.packets[hits].astype(np.int64) * nodes + visits.nodes[hits], kind="stable")
        count = np.bincount(pairs[np.diff(pairs, prepend=NONE) != 0] // nodes, minlength=packets)
        status = np.where(from_origin & (count < len(to)), np.where(count > 0, SOME, missed), status)
        if not to:
            status[from_origin & ~reached] = UNADDRESSED
    return status.astype(np.uint8)


def missable(visits: Visits, destinations: Mapping[int, tuple[int, ...]]) -> Positions:
    """Rows of the visits, increasing, at which a hop that was not made may have been to begin.

    Those at which packets ended that arrived nowhere, and the first ones of packets that a node they were for did not
    read: what is known of a packet before it is known what became of it.
    """
    firsts = np.flatnonzero(visits.parents < 0)
    origins = visits.nodes[firsts].astype(np.int64)
    reached = np.bincount(visits.packets[arrivals(visits, origins)], minlength=len(origins)) > 0
    rows = [last_visits(visits)[~reached]]
    for origin, to in destinations.items():
        for node in to:
            rows.append(firsts[(visits.kinds == CALL) & (origins == origin) & ~readers(visits, node)])
    return np.unique(np.concatenate(rows))


def readers(visits: Visits, node: int) -> NDArray[np.bool_]:
    """bool[p], packets that a node read."""
    read = np.zeros(len(visits.kinds), dtype=bool)
    read[visits.packets[(visits.nodes == node) & (visits.parents >= 0)]] = True
    return read


def last_visits(visits: Visits) -> Positions:
    """int64[p], the visit at which each packet got furthest: the latest of those with the most hops."""
    return np.searchsorted(visits.packets, np.arange(len(visits.kinds)), side="right") - 1  # by packet and hops

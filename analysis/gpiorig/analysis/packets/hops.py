"""Hops: every packet of every node in transit, one row per packet and hop, over any number of nodes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.errors import EventError
from gpiorig.analysis.events.events import Events, slices
from gpiorig.analysis.events.ids import without_ids
from gpiorig.analysis.events.index import Presence
from gpiorig.analysis.ordered_pool import in_order
from gpiorig.analysis.packets import delivery, pauses, stages
from gpiorig.analysis.packets.delivery import Packets
from gpiorig.analysis.packets.joined import Joined
from gpiorig.analysis.packets.occurrences import NONE, Positions, gathered
from gpiorig.analysis.packets.overheard import Overheard
from gpiorig.analysis.packets.passages import Further, Instants, Passages, inserted, rows_of
from gpiorig.analysis.packets.pauses import Part
from gpiorig.analysis.packets.receptions import Receptions
from gpiorig.analysis.packets.stages import Stages
from gpiorig.analysis.packets.transmissions import Transmissions
from gpiorig.analysis.packets.unattributed import Unattributed
from gpiorig.analysis.packets.visits import Visits
from gpiorig.capture import mapped

HOP_BITS = 16
READ, NOT_READ, NOT_SENT = range(3)
STATUS = {
    READ: "read by the next node",
    NOT_READ: "sent, not read by this node; by no other one, if it is not known",
    NOT_SENT: "never given to the radio",
}


@dataclass(frozen=True, slots=True, eq=False)
class Hops:
    """Hops of all packets, and the stages that they were built from.

    Parameters
    ----------
    events, transmissions, receptions, overheard, visits, packets
        The stages before; events with the id 0, and those of acknowledgements, are without one.
    packet_rows
        int32[h], row of the packet; rows are by packet, then by number, those made before those missed.
    numbers
        int16[h], 1 for the hop from the origin.
    senders, receivers
        int16[h], node index; the receiver is -1 where none read it and none is known.
    visits_from, visits_to
        int32[h], rows of the visits at either end, -1 for none.
    sent, read
        int32[h], rows of the transmission and the reception that made the hop; without one, of the last transmission,
        and -1.
    status
        uint8[h], keys of `STATUS`.
    attempts, frames
        int32[h], transmissions commanded by the sender for this packet, and frames they were of.
    no_ack, busy
        int32[h], transmissions that ended without an acknowledgement, or without a free channel.
    readings, duplicates
        int32[h], frames of this packet that the receiver read, and those of them that it had read before.
    samples
        Per point of `passages.COLUMNS` int64[h], the instants of that milestone, -1 missing.
    strange
        How packets arrived whose sender is not known, by their first visit.
    further
        How packets came to their further deliveries at a node, of frames that were sent again.
    ways
        int8[n], of every event whether its node sends the packet (0) or receives it (1), -1 without a packet.
    visit_of
        int32[n], of every event the visit it is part of, -1 for none, -2 for one of several.
    unattributed
        Events that are of no packet although they should be.
    """

    events: Events
    transmissions: Transmissions
    receptions: Receptions
    overheard: Overheard
    visits: Visits
    packets: Packets
    packet_rows: NDArray[np.int32]
    numbers: NDArray[np.int16]
    senders: NDArray[np.int16]
    receivers: NDArray[np.int16]
    visits_from: NDArray[np.int32]
    visits_to: NDArray[np.int32]
    sent: NDArray[np.int32]
    read: NDArray[np.int32]
    status: NDArray[np.uint8]
    attempts: NDArray[np.int32]
    frames: NDArray[np.int32]
    no_ack: NDArray[np.int32]
    busy: NDArray[np.int32]
    readings: NDArray[np.int32]
    duplicates: NDArray[np.int32]
    samples: Instants
    strange: Passages
    further: Further
    visit_of: NDArray[np.int32]
    ways: NDArray[np.int8]
    unattributed: Unattributed

    def __len__(self) -> int:
        return len(self.packet_rows)

    @property
    def packet_of(self) -> NDArray[np.int32]:
        """int32[n], of every event the row of its packet, -1 for none."""
        return packets_of(self.visit_of, self.visits)

    @property
    def retries(self) -> NDArray[np.int32]:
        """int32[h], transmissions beyond the first of each frame."""
        return self.attempts - self.frames


def build(
    events: Events,
    *,
    header_ns: Mapping[str, int],
    destinations: Mapping[str, tuple[str, ...]] | None = None,
) -> Hops:
    """Follow all packets over all nodes.

    The pins alone identify the frames: ids, sequence numbers, and when frames were on the air.

    Parameters
    ----------
    header_ns
        By name of the receiving node, the time from the first bit on the air to the rise of its frame timestamp line:
        a fact of the radio (``frame_timestamp_ns`` of the board file). A node that is omitted has no milestone
        ``air.start``.
    destinations
        By name of the origin, the nodes that its packets are for, as in the experiment: for what counts as lost. A
        node that is omitted: not known; then a packet that any node's application got is delivered.

    Raises
    ------
    EventError
        If there is no packet at all, or a destination is not a node.
    """
    to = delivery.by_index(events, destinations or {})
    presence = Presence.of(events)

    def analysed(part: Part) -> tuple[Part, Stages]:
        return part, stages.of_part(part, presence, header_ns=header_ns, destinations=to)

    joined = Joined(events)
    for part, analysis in in_order(analysed, pauses.parts(events, presence)):
        joined.append(part, analysis)
    every = joined.stages()
    events = without_ids(events, every.nameless)
    if not len(every.packets):
        raise EventError(delivery.no_packet(events, len(every.transmissions), every.receptions.without_id))
    packets = delivery.with_cuts(events, every.visits, every.visit_of, every.packets)
    return _rows(events, every, mapped.settled(packets))


def packets_of(visit_of: NDArray[np.int32], stays: Visits) -> NDArray[np.int32]:
    """int32[n], row of the packet of each of some visits, -1 for none."""
    return gathered(stays.packets, visit_of)


def _rows(events: Events, every: Stages, packets: Packets) -> Hops:
    stays, through = every.visits, every.hop_rows
    missed_from, missed_at = _missed(stays, packets)
    order = np.argsort(_keys(stays, missed_from), kind="stable")
    missed_from, missed_at = missed_from[order], missed_at[order]
    rows = np.searchsorted(every.not_made.visits_from, missed_from)
    at = np.searchsorted(_keys(stays, through.visits_from), _keys(stays, missed_from), side="right")

    def both(column: NDArray[Any], missed: NDArray[Any]) -> NDArray[Any]:
        return mapped.stored(np.insert(column, at, missed)) if len(at) else column

    columns = {
        field.name: both(getattr(through, field.name), getattr(every.not_made, field.name)[rows])
        for field in dataclasses.fields(through)
    }
    columns["receivers"] = both(through.receivers, missed_at.astype(np.int16))
    read, sent, begun = columns["read"], columns["sent"], columns["visits_from"]
    return Hops(
        events=events,
        transmissions=every.transmissions,
        receptions=every.receptions,
        overheard=every.overheard,
        visits=stays,
        packets=packets,
        **columns,
        packet_rows=gathered(stays.packets, begun),
        numbers=gathered(stays.hops, begun) + np.int16(1),
        senders=gathered(stays.nodes, begun),
        status=np.where(read >= 0, np.uint8(READ), np.where(sent >= 0, np.uint8(NOT_READ), np.uint8(NOT_SENT))),
        samples=inserted(every.passages.samples, rows_of(every.departures, rows), at),
        strange=every.strange,
        further=every.further,
        visit_of=every.visit_of,
        ways=every.ways,
        unattributed=every.unattributed,
    )


def _keys(stays: Visits, begun: NDArray[np.integer[Any]]) -> Positions:
    """int64[k], one number for the packet of a hop and the hop's number, which increase together."""
    keys = mapped.zeros(len(begun), np.int64)
    for part in slices(len(begun)):
        keys[part] = (stays.packets[begun[part]].astype(np.int64) << HOP_BITS) + stays.hops[begun[part]]
    return keys


def _missed(stays: Visits, packets: Packets) -> tuple[Positions, Positions]:
    """Hops that were not made: the visit that they were to begin at, and the node they were to reach, -1 if not known.

    One for each packet that ended at a visit that sent or should have sent it on. Where no packet of an origin takes
    more than one hop, one for each destination that did not read it.
    """
    failed = np.isin(packets.status, (delivery.NOT_SENT, delivery.NOT_RECEIVED, delivery.UNADDRESSED))
    relayed = np.unique(packets.origins[stays.packets[stays.hops > 1]])
    rows, nodes = [], []
    addressed = np.zeros(len(packets), dtype=bool)
    for origin, to in packets.destinations.items():
        if not to or origin in relayed:
            continue
        from_origin = packets.called & (packets.origins == origin)
        addressed |= from_origin
        for node in to:
            missing = np.flatnonzero(from_origin & ~delivery.readers(stays, node))
            rows.append(packets.firsts[missing].astype(np.int64))
            nodes.append(np.full(len(missing), node))
    rest = np.flatnonzero(failed & ~addressed)
    rows.append(np.searchsorted(stays.packets, rest, side="right") - 1)  # where it got furthest
    nodes.append(np.full(len(rest), NONE))
    return np.concatenate(rows), np.concatenate(nodes).astype(np.int64)

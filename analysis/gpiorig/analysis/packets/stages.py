"""Stages: what is known of the packets of some events, from sequence numbers to the way of each event."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events import completions
from gpiorig.analysis.events.ids import without_ids, zeros
from gpiorig.analysis.events.index import SEQUENCE, Index, Presence
from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.packets import (
    acknowledgements,
    assignment,
    delivery,
    hop_rows,
    milestones,
    overheard,
    receptions,
    sequence_numbers,
    transmissions,
    turned_round,
    unattributed,
    visits,
)
from gpiorig.analysis.packets.delivery import Packets
from gpiorig.analysis.packets.holders import READ
from gpiorig.analysis.packets.hop_rows import HopRows
from gpiorig.analysis.packets.occurrences import Positions
from gpiorig.analysis.packets.overheard import Overheard
from gpiorig.analysis.packets.passages import Further, Instants, Passages
from gpiorig.analysis.packets.pauses import Part
from gpiorig.analysis.packets.receptions import Receptions
from gpiorig.analysis.packets.transmissions import COMPLETE, REPEATED, UNKNOWN, Transmissions
from gpiorig.analysis.packets.unattributed import Unattributed
from gpiorig.analysis.packets.visits import Visits


@dataclass(frozen=True, slots=True, eq=False)
class Stages:
    """What is known of the packets of some events.

    Parameters
    ----------
    transmissions, receptions, overheard, visits, packets
        The stages, each built from those before; which packets are cut is left open.
    nameless
        int64[k], positions of events whose id means nothing: 0, and those of acknowledgements.
    visit_of
        int32[n], of every event the visit it is part of, as in `gpiorig.analysis.packets.hops`.
    ways
        int8[n], of every event whether its node sends the packet (0) or receives it (1), -1 without a packet.
    unattributed
        Events that are of no packet although they should be.
    passages, strange, further
        How packets came to visits with a known sender, to the others that begin with a reading, and to further
        deliveries.
    hop_rows, not_made
        The hops of passages, and those that may not have been made, by the visit at which they were to begin.
    departures
        Of these per point of `passages.COLUMNS` int64[k], the instants up to the last transmission there.
    """

    transmissions: Transmissions
    receptions: Receptions
    overheard: Overheard
    visits: Visits
    packets: Packets
    nameless: Positions
    visit_of: NDArray[np.int32]
    ways: NDArray[np.int8]
    unattributed: Unattributed
    passages: Passages
    strange: Passages
    further: Further
    hop_rows: HopRows
    not_made: HopRows
    departures: Instants


def of_part(
    part: Part, presence: Presence, *, header_ns: Mapping[str, int], destinations: Mapping[int, tuple[int, ...]]
) -> Stages:
    """Follow the packets of a part of the events; positions are those in the part.

    Parameters
    ----------
    header_ns
        As of `hops.build`.
    destinations
        The same by index of the node.
    """
    zero = zeros(part.events)
    events = without_ids(part.events, zero)
    index = Index(events, presence, start=part.start)
    completed = completions.find(events, index)
    numbered = sequence_numbers.find(events, index)
    sent = transmissions.find(events, index, completed, numbered)
    own_calls, turning = turned_round.calls(events, index, destinations)
    read = receptions.find(
        events, index, completed, numbered, sent, header_ns=header_ns, own_calls=own_calls, turning=turning
    )
    sent = sent.numbered_by_readers(read.transmissions.astype(np.int64), read.sequences)
    acknowledging = acknowledgements.sent_events(
        events, index, sent.nodes.astype(np.int64), sent.commands, sent.acknowledges
    )
    named = acknowledging[0][events.codes[acknowledging[0]] != BY_NAME[SEQUENCE].code]
    nameless = np.concatenate([named, read.acknowledgements])
    events = without_ids(events, nameless)
    acknowledged = read.acknowledged[np.isin(sent.outcomes[read.acknowledged], (UNKNOWN, REPEATED))]
    sent.outcomes[acknowledged] = COMPLETE
    unread = overheard.find(events, index, completed, sent, header_ns=header_ns, pending=part.pending)
    stays, custody = visits.find(events, index, sent, read)
    visit_of = assignment.find(events, index, completed, numbered, acknowledging, read, unread, stays, custody)
    finder = milestones.Finder(events, index, completed, sent, read, stays, visit_of)
    passages, count = finder.passages(), hop_rows.Counts(sent, stays)
    not_made = hop_rows.not_made(count, stays, delivery.missable(stays, destinations))
    packets = delivery.find(events, stays, visit_of, destinations=destinations)
    return Stages(
        transmissions=sent,
        receptions=read,
        overheard=unread,
        visits=stays,
        packets=packets,
        nameless=np.concatenate([zero, nameless]),
        visit_of=visit_of,
        ways=assignment.ways(events, index, completed, numbered, acknowledging, read, unread, visit_of),
        unattributed=unattributed.find(events, visit_of, completed.of, nodes=range(len(events.node_names))),
        passages=passages,
        strange=finder.arrivals(np.flatnonzero((stays.parents < 0) & (stays.kinds[stays.packets] == READ))),
        further=finder.further(),
        hop_rows=hop_rows.of_passages(count, stays, passages),
        not_made=not_made,
        departures=finder.departures(not_made.visits_from.astype(np.int64), not_made.sent.astype(np.int64)),
    )

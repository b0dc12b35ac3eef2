"""Belonging: the visit that every event is part of, over all nodes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.completions import Completions
from gpiorig.analysis.events.events import Events, slices
from gpiorig.analysis.events.ids import belongs_by_order
from gpiorig.analysis.events.index import SEQUENCE, Index
from gpiorig.analysis.events.layers import PACKET_LAYERS
from gpiorig.analysis.events.table import EVENT_TYPES, EventType
from gpiorig.analysis.packets.holders import UNCLEAR, Custody, Holders
from gpiorig.analysis.packets.occurrences import NONE, Latest, Positions, owner, values_at
from gpiorig.analysis.packets.overheard import OWN, PENDING, Overheard, is_assigned
from gpiorig.analysis.packets.receptions import Receptions
from gpiorig.analysis.packets.sequence_numbers import SequenceNumbers
from gpiorig.analysis.packets.visits import Visits
from gpiorig.capture import mapped

FRAME_LAYERS = ("mac", "driver", "radio")
OF_PACKETS = tuple(event for event in EVENT_TYPES if event.layer in PACKET_LAYERS and event.name != SEQUENCE)
SENDING, RECEIVING = 0, 1


def find(
    events: Events,
    index: Index,
    completions: Completions,
    numbered: SequenceNumbers,
    acknowledging: tuple[Positions, Positions],
    read: Receptions,
    unread: Overheard,
    visits: Visits,
    custody: Custody,
) -> NDArray[np.int32]:
    """int32[n], the visit of every event, -1 for one that has none, `custody.UNCLEAR` for one of several packets.

    What a node sends goes by custody (`gpiorig.analysis.packets.holders`), what it receives with the latest frame read
    with its id; an acknowledgement with the frame that it is of, at both ends. A point that serves both ways goes with
    the event of the same id before it. An event without an id goes with the completion of the radio that it led to, an
    overheard frame with its transmission.

    Parameters
    ----------
    acknowledging
        Events of acknowledgements that were sent, and the reading that each acknowledges (`sent_events` of
        `gpiorig.analysis.packets.acknowledgements`).
    """
    visit_of = mapped.full(len(events), NONE, np.int32)
    readers = Holders(read.nodes.astype(np.int64), read.ids, read.ends_at)

    def fill(at: Positions, nodes: Positions, event: EventType) -> None:
        ids = events.ids[at]
        if event.direction == "rx":
            visit_of[at] = values_at(visits.of_reception, readers.of(nodes, ids, at))
            return
        hold = {"app": custody.for_calls, "sock": custody.for_calls} | dict.fromkeys(FRAME_LAYERS, custody.for_frames)
        start = hold.get(event.layer, custody.for_stack)(nodes, ids, at)
        visit_of[at] = np.where(start == UNCLEAR, UNCLEAR, values_at(custody.visits, start))

    for event in OF_PACKETS:
        for node in range(len(events.node_names)):
            at = index.positions(event.name, node=node)
            at = at[events.ids[at] >= 0]
            if len(at) and event.direction != "none":
                fill(at, np.full(len(at), node, dtype=np.int64), event)
    for at, before in _both_ways(events, index):
        visit_of[at] = values_at(visit_of, before)
    _numbers(events, numbered, custody, visit_of)
    visit_of[acknowledging[0]] = visit_of[acknowledging[1]]
    for at in _read_acknowledgements(numbered, read):
        visit_of[at] = visits.of_transmission[read.acknowledged]
    of_overheard = values_at(visits.of_transmission, unread.transmissions.astype(np.int64))
    of_overheard = np.where(unread.transmissions <= PENDING, unread.transmissions, of_overheard)
    for at in (unread.positions, unread.exits, unread.starts):
        visit_of[at[at >= 0]] = of_overheard[at >= 0]
    for part in slices(len(events)):
        without_id = belongs_by_order(events, part) & (events.ids[part] < 0)
        ordered = part.start + np.flatnonzero(without_id & (completions.of[part] >= 0))
        visit_of[ordered] = visit_of[completions.of[ordered]]
    return visit_of


def _both_ways(events: Events, index: Index) -> Iterator[tuple[Positions, Positions]]:
    """Points without a direction: positions, and for each the latest enter of its layer with the same id before it."""
    for event in (OF_PACKET for OF_PACKET in OF_PACKETS if OF_PACKET.direction == "none"):
        around = [e.name for e in OF_PACKETS if e.direction != "none" and e.kind == "enter" and e.layer == event.layer]
        for node in range(len(events.node_names)):
            at = index.positions(event.name, node=node)
            at = at[events.ids[at] >= 0]
            if len(at):
                enters = np.concatenate([index.positions(name, node=node) for name in around])
                latest = Latest.of(owner(node, events.ids[enters]), enters)
                yield at, values_at(enters, latest.before(owner(node, events.ids[at]), at))


def _read_acknowledgements(numbered: SequenceNumbers, read: Receptions) -> tuple[Positions, Positions]:
    """Positions of the readings of acknowledgements, and of the numbers that were reported of them."""
    order = np.argsort(numbered.readings, kind="stable")
    place = np.searchsorted(numbered.readings[order], read.acknowledgements)
    return read.acknowledgements, numbered.positions[order[place]]


def _numbers(
    events: Events,
    numbered: SequenceNumbers,
    custody: Custody,
    visit_of: NDArray[np.int32],
) -> None:
    """``mac.sequence``, whose id is not the packet's."""
    sent = np.flatnonzero(numbered.ids >= 0)
    nodes = events.nodes[numbered.positions[sent]].astype(np.int64)
    start = custody.for_frames(nodes, numbered.ids[sent], numbered.since[sent])
    visit_of[numbered.positions[sent]] = np.where(start == UNCLEAR, UNCLEAR, values_at(custody.visits, start))
    received = np.flatnonzero(numbered.readings >= 0)
    visit_of[numbered.positions[received]] = visit_of[numbered.readings[received]]


def ways(
    events: Events,
    index: Index,
    completions: Completions,
    numbered: SequenceNumbers,
    acknowledging: tuple[Positions, Positions],
    read: Receptions,
    unread: Overheard,
    visit_of: NDArray[np.int32],
) -> NDArray[np.int8]:
    """int8[n], of every event whether its node sends the packet (0) or receives it (1), -1 without a packet.

    A point that serves both ways goes with what came before it with the same packet on its node, an event without an
    id with the completion of the radio that it led to.
    """
    of_code = np.full(256, NONE, dtype=np.int8)
    for event in EVENT_TYPES:
        of_code[event.code] = {"tx": SENDING, "rx": RECEIVING}.get(event.direction, NONE)
    sides = mapped.full(len(events), NONE, np.int8)
    for part in slices(len(events)):
        sides[part] = np.where(is_assigned(visit_of[part]), of_code[events.codes[part]], np.int8(NONE))
    sides[numbered.positions] = np.where(numbered.readings >= 0, RECEIVING, SENDING)
    sides[acknowledging[0]] = RECEIVING
    for at in _read_acknowledgements(numbered, read):
        sides[at] = SENDING
    own = (unread.whose == OWN) & (unread.positions >= 0)
    sides[unread.positions[own]] = SENDING
    for part in slices(len(events)):
        open_ = is_assigned(visit_of[part]) & (sides[part] < 0) & (completions.of[part] >= 0)
        at = part.start + np.flatnonzero(open_)
        sides[at] = sides[completions.of[at]]
    for at, before in _both_ways(events, index):
        sides[at] = np.where(visit_of[at] >= 0, values_at(sides, before), NONE)
    return sides

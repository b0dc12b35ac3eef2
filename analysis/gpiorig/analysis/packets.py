"""Packets: which event belongs to which packet, in which direction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis import completions, unattributed
from gpiorig.analysis.completions import Index
from gpiorig.analysis.event_table import EVENT_TYPES
from gpiorig.analysis.events import Events
from gpiorig.analysis.identity import SEQUENCE, carries_packet_id, named
from gpiorig.analysis.path import REPLY, REQUEST
from gpiorig.analysis.unattributed import Unattributed

Rows = NDArray[np.int64]

ID_BITS = 16
SAMPLE_BITS = 47  # 68 days at 24 MHz
START = "app.tx.enter"
END = "app.rx.enter"


@dataclass(frozen=True, slots=True, eq=False)
class Packets:
    """One row per packet: a send call of the initiator, and all that follows from it on both nodes.

    Parameters
    ----------
    events, index
        What they were made from.
    initiator, responder
        Names of the nodes.
    ids
        int32[p], 16-bit sequence number; may repeat, rows are in time order.
    starts
        int64[p], sample of the send call.
    packet_of, direction_of
        int32[n] and int8[n]: of every event the row of its packet and its direction (path.REQUEST or REPLY), -1 none.
    completion_of
        int64[n]: of every event without an id the position of the completion it belongs to, -1 none.
    transmissions, receptions
        int32[p, 2]: transmissions commanded and receptions read, per direction.
    fragments
        int32[p, 2]: frames that a packet was cut into, per direction. More transmissions or receptions than that are
        retries or duplicates.
    no_ack, busy
        int32[p, 2]: transmissions that ended without an acknowledgement, or without a free channel.
    answered
        bool[p]: the reply reached the initiator's application.
    in_gap
        bool[p]: samples were lost while the packet was under way.
    unattributed
        Events that are of no packet although they should be.
    """

    events: Events
    index: Index
    initiator: str
    responder: str
    ids: NDArray[np.int32]
    starts: Rows
    packet_of: NDArray[np.int32]
    direction_of: NDArray[np.int8]
    completion_of: Rows
    transmissions: NDArray[np.int32]
    receptions: NDArray[np.int32]
    fragments: NDArray[np.int32]
    no_ack: NDArray[np.int32]
    busy: NDArray[np.int32]
    answered: NDArray[np.bool_]
    in_gap: NDArray[np.bool_]
    unattributed: Unattributed

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def retries(self) -> int:
        """Transmissions beyond the first of each fragment, both directions."""
        return int(np.maximum(self.transmissions - self.fragments, 0).sum())

    @property
    def duplicates(self) -> int:
        """Receptions beyond the first of each fragment, both directions."""
        return int(np.maximum(self.receptions - self.fragments, 0).sum())


def associate(events: Events, *, initiator: str, responder: str) -> Packets:
    """Give every event its packet and direction.

    An event with an id belongs to the latest packet of that id whose send call came before it. An event without
    belongs to the completion of the radio it led to (`gpiorig.analysis.completions`).
    """
    index = Index(events)
    sender, receiver = events.node(initiator), events.node(responder)
    calls = index.of(START, node=sender)
    calls = calls[events.ids[calls] >= 0]
    starts, ids = events.samples[calls], events.ids[calls]

    with_id = carries_packet_id(events) & np.isin(events.nodes, (sender, receiver))
    packet_of = np.full(len(events), -1, dtype=np.int32)
    packet_of[with_id] = _latest_with_id(events, with_id, calls=calls)
    role = np.where(events.nodes == sender, REQUEST, REPLY).astype(np.int8)
    direction_of = _direction_by_point(events, role, with_id)
    _sequence_numbers(events, index, packet_of, direction_of, role, nodes=(sender, receiver))

    completion_of = completions.find(events, index).of
    by_order = (completion_of >= 0) & ~with_id
    packet_of[by_order] = packet_of[completion_of[by_order]]
    direction_of[by_order] = direction_of[completion_of[by_order]]
    direction_of[packet_of < 0] = -1
    packet_of[direction_of < 0] = -1

    def count(name: str) -> NDArray[np.int32]:
        return _counts(events, packet_of, direction_of, name, packets=len(ids))

    answered = np.zeros(len(ids), dtype=bool)
    arrived = index.of(END, node=sender)
    answered[packet_of[arrived][packet_of[arrived] >= 0]] = True
    return Packets(
        events=events,
        index=index,
        initiator=initiator,
        responder=responder,
        ids=ids,
        starts=starts,
        packet_of=packet_of,
        direction_of=direction_of,
        completion_of=completion_of,
        transmissions=_first_that_occurs(count, "driver.exec.enter", "radio.tx_start", "mac.tx.enter"),
        receptions=_first_that_occurs(count, "driver.rx_read.exit", "mac.rx.enter", "app.rx.enter"),
        fragments=np.maximum(count("sixlowpan.fragment.enter"), 1),
        no_ack=count("radio.tx_no_ack"),
        busy=count("radio.tx_busy"),
        answered=answered,
        in_gap=_overlapping_gaps(events, starts, answered, arrived, packet_of),
        unattributed=unattributed.find(events, packet_of, completion_of, nodes=(sender, receiver)),
    )


def _latest_with_id(events: Events, mask: NDArray[np.bool_], *, calls: Rows) -> Rows:
    """Row of the latest packet with the event's id at or before the event; -1 if none, or one of an earlier round."""
    if not len(calls):
        return np.full(int(mask.sum()), -1, dtype=np.int64)
    positions = np.flatnonzero(mask)
    call_keys = (events.ids[calls].astype(np.int64) << SAMPLE_BITS) + calls
    order = np.argsort(call_keys)
    ids = events.ids[positions].astype(np.int64)
    place = np.searchsorted(call_keys[order], (ids << SAMPLE_BITS) + positions, side="right") - 1
    row = order[np.maximum(place, 0)]
    newest = np.searchsorted(calls, positions, side="right") - 1
    found = (place >= 0) & (events.ids[calls][row] == ids) & (newest - row < 1 << (ID_BITS - 1))
    return np.where(found, row, -1)


def _direction_by_point(events: Events, role: NDArray[np.int8], with_id: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Direction of the events with an id: what the initiator sends and the responder receives is the request.

    A point that serves both directions (``udp.checksum``) takes the direction of the latest event before it on its
    node that has one, if that one is of the same id.
    """
    names = {"tx": 0, "rx": 1, "none": -1}
    way = np.full(256, -1, dtype=np.int8)
    for event in EVENT_TYPES:
        way[event.code] = names[event.direction]
    sent = way[events.codes]
    for node in range(len(events.node_names)):
        positions = np.flatnonzero(with_id & (events.nodes == node))
        here = sent[positions]
        latest = np.maximum.accumulate(np.where(here >= 0, np.arange(len(here)), -1))
        same = (latest >= 0) & (events.ids[positions[np.maximum(latest, 0)]] == events.ids[positions])
        sent[positions] = np.where(same, here[np.maximum(latest, 0)], -1)
    direction = np.where(sent == 0, role, 1 - role)
    return np.where(with_id & (sent >= 0), direction, -1).astype(np.int8)


def _sequence_numbers(
    events: Events,
    index: Index,
    packet_of: NDArray[np.int32],
    direction_of: NDArray[np.int8],
    role: NDArray[np.int8],
    *,
    nodes: tuple[int, int],
) -> None:
    """``mac.sequence`` carries the number of IEEE 802.15.4; it belongs to the mac.tx that is open around it."""
    for node in nodes:
        positions = index.of(SEQUENCE, node=node)
        enters, exits = index.of("mac.tx.enter", node=node), index.of("mac.tx.exit", node=node)
        place = np.searchsorted(enters, positions) - 1
        if not len(enters):
            continue
        call = enters[np.maximum(place, 0)]
        is_open = (place >= 0) & (np.searchsorted(exits, call) == np.searchsorted(exits, positions))
        packet_of[positions] = np.where(is_open, packet_of[call], -1)
        direction_of[positions] = np.where(is_open, role[positions], -1)


def _counts(
    events: Events,
    packet_of: NDArray[np.int32],
    direction_of: NDArray[np.int8],
    name: str,
    *,
    packets: int,
) -> NDArray[np.int32]:
    mask = named(name)[events.codes] & (packet_of >= 0)
    cells = packet_of[mask].astype(np.int64) * 2 + direction_of[mask]
    return np.bincount(cells, minlength=2 * packets).astype(np.int32).reshape(packets, 2)


def _first_that_occurs(count: Callable[[str], NDArray[np.int32]], *names: str) -> NDArray[np.int32]:
    counts = count(names[0])
    for name in names[1:]:
        if counts.any():
            break
        counts = count(name)
    return counts


def _overlapping_gaps(
    events: Events, starts: Rows, answered: NDArray[np.bool_], arrived: Rows, packet_of: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Packets with lost samples between send call and answer; without an answer, up to the next send call."""
    ends = np.append(starts[1:], events.end)[: len(starts)]
    of = packet_of[arrived]
    last = np.zeros(len(starts), dtype=np.int64)
    np.maximum.at(last, of[of >= 0], events.samples[arrived[of >= 0]] + 1)
    ends = np.where(answered, last, ends)
    # A gap overlaps [start, end) when it begins before the end and ends after the start; gaps are in order.
    begun = np.searchsorted(events.gaps[:, 0], ends)
    over = np.searchsorted(events.gaps[:, 1], starts, side="right")
    overlapping: NDArray[np.bool_] = begun > over
    return overlapping

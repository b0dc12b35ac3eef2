"""Packets: which event belongs to which packet, in which direction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events import completions
from gpiorig.analysis.events.completions import Index, Kept, pieces
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.ids import carries_packet_id
from gpiorig.analysis.events.table import EVENT_TYPES
from gpiorig.analysis.packets import sequence_numbers, strangers, unattributed
from gpiorig.analysis.packets.path import REPLY, REQUEST
from gpiorig.analysis.packets.unattributed import Unattributed

Rows = NDArray[np.int64]

ID_BITS = 16
POSITION_BITS = 47  # more events than any memory holds
START = "app.tx.enter"
END = "app.rx.enter"


@dataclass(frozen=True, slots=True, eq=False)
class Packets:
    """One row per packet: a send call of the initiator, and all that follows from it on both nodes.

    Parameters
    ----------
    events, index
        What they were made from; None in `without_workings`.
    initiator, responder
        Names of the nodes.
    ids
        int32[p], 16-bit sequence number; may repeat, rows are in time order.
    starts
        int64[p], sample of the send call.
    packet_of, direction_of
        int32[n] and int8[n]: of every event the row of its packet and its direction (path.REQUEST or REPLY), -1 none.
    completion_of
        int32[n] (`completions.position_type`): of every event without an id the position of the completion it belongs
        to, -1 none.
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
    index: Index | None
    initiator: str
    responder: str
    ids: NDArray[np.int32]
    starts: Rows
    packet_of: NDArray[np.int32]
    direction_of: NDArray[np.int8]
    completion_of: Kept
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

    def without_workings(self) -> Packets:
        """The same without what only `timelines.build` asks, eight octets less for every event."""
        return replace(self, index=None, completion_of=np.zeros(0, dtype=self.completion_of.dtype))


def associate(
    events: Events,
    *,
    initiator: str,
    responder: str,
    header_ns: Mapping[str, int] | None = None,
    progress: Callable[[int], object] | None = None,
) -> Packets:
    """Give every event its packet and direction.

    An event with an id belongs to the latest packet of that id whose send call came before it. An event without
    belongs to the completion of the radio it led to (`gpiorig.analysis.events.completions`). Events of packets that a
    third node sent belong to none of these, whatever their ids are (`gpiorig.analysis.packets.strangers`).

    Beside the events it takes 13 octets for each of them, and nothing else that grows with their number: they are gone
    through in pieces. Where a piece ends changes nothing, because every question (who called last, which completion
    comes next) is asked of the whole recording.

    Parameters
    ----------
    events
        Of the whole recording.
    initiator, responder
        Names of the nodes.
    header_ns
        By name of the receiving node, the time from the first bit on the air to the rise of its frame time stamp line:
        frames that several nodes send with one id are told by it. Of no use where only the two nodes send.
    progress
        Is called with the number of events done since the call before.
    """
    index = Index(events)
    sender, receiver = events.node(initiator), events.node(responder)
    calls = index.of(START, node=sender)
    calls = calls[events.ids[calls] >= 0]
    starts, ids = events.samples[calls], events.ids[calls]
    roles = {receiver: REPLY, sender: REQUEST}

    packet_of = np.full(len(events), -1, dtype=np.int32)
    direction_of = np.full(len(events), -1, dtype=np.int8)
    latest_call = _LatestCall(calls, ids)
    completed = completions.find(events, index)
    completion_of = completed.of
    strange = strangers.find(events, index, completed, pair=roles, header_ns=header_ns or {})
    _by_id(events, packet_of, direction_of, latest_call=latest_call, roles=roles, strange=strange, progress=progress)
    _sequence_numbers(events, index, packet_of, direction_of, latest_call=latest_call, roles=roles)
    _by_order(events, packet_of, direction_of, completion_of)

    def count(name: str) -> NDArray[np.int32]:
        return _counts(index, packet_of, direction_of, name, nodes=roles, packets=len(ids))

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
        unattributed=unattributed.find(events, packet_of, completion_of, nodes=(sender, receiver), strange=strange),
    )


def _by_id(
    events: Events,
    packet_of: NDArray[np.int32],
    direction_of: NDArray[np.int8],
    *,
    latest_call: _LatestCall,
    roles: Mapping[int, int],
    strange: NDArray[np.bool_] | None,
    progress: Callable[[int], object] | None,
) -> None:
    """Packet and direction of the events that carry a packet's id, piece by piece.

    What the initiator sends and the responder receives is the request. A point that serves both directions
    (``udp.checksum``) takes the direction of the latest event before it on its node that has one, if that one is of
    the same id.
    """
    sent_by_code = np.full(256, -1, dtype=np.int8)
    for event in EVENT_TYPES:
        sent_by_code[event.code] = {"tx": 0, "rx": 1, "none": -1}[event.direction]
    told = dict.fromkeys(roles, -1)  # of each node the latest event with a direction
    for piece in pieces(len(events)):
        with_id = carries_packet_id(events, piece)
        for node, role in roles.items():
            positions = np.flatnonzero(with_id & (events.nodes[piece] == node)) + piece.start
            if strange is not None:
                positions = positions[~strange[positions]]
            if not len(positions):
                continue
            ids = events.ids[positions]
            packet_of[positions] = latest_call.before(positions, ids)
            has_direction = sent_by_code[events.codes[positions]] >= 0
            latest = np.maximum.accumulate(np.where(has_direction, positions, told[node]))
            told[node] = int(latest[-1])
            same = (latest >= 0) & (events.ids[latest] == ids)
            sent = sent_by_code[events.codes[latest]] == 0
            direction_of[positions] = np.where(same, np.where(sent, role, 1 - role), -1)
        if progress is not None:
            progress(piece.stop - piece.start)


class _LatestCall:
    """Of an event with an id the latest send call of that id before it."""

    def __init__(self, calls: Rows, ids: NDArray[np.int32]) -> None:
        self._calls, self._ids = calls, ids
        keys = _id_keys(ids, calls)
        self._order = np.argsort(keys)
        self._keys = keys[self._order]

    def before(self, positions: Rows, ids: NDArray[np.int32]) -> Rows:
        """Row of the packet, -1 if there is none, or one of an earlier round only."""
        if not len(self._calls):
            return np.full(len(positions), -1, dtype=np.int64)
        newest = np.searchsorted(self._calls, positions, side="right") - 1
        row = newest.copy()
        # Nearly all events are of the newest packet; the others are searched for.
        other = np.flatnonzero((newest < 0) | (self._ids[newest] != ids))
        place = np.searchsorted(self._keys, _id_keys(ids[other], positions[other]), side="right") - 1
        found = self._order[np.maximum(place, 0)]
        known = (place >= 0) & (self._ids[found] == ids[other]) & (newest[other] - found < 1 << (ID_BITS - 1))
        row[other] = np.where(known, found, -1)
        return row


def _id_keys(ids: NDArray[np.int32], positions: Rows) -> Rows:
    return (ids.astype(np.int64) << POSITION_BITS) + positions


def _sequence_numbers(
    events: Events,
    index: Index,
    packet_of: NDArray[np.int32],
    direction_of: NDArray[np.int8],
    *,
    latest_call: _LatestCall,
    roles: Mapping[int, int],
) -> None:
    """``mac.sequence`` carries the number of IEEE 802.15.4; whose frame that is, `network.sequence_numbers` says."""
    told = sequence_numbers.find(events, index)
    sent = np.flatnonzero(told.ids >= 0)
    role_of = np.full(len(events.node_names), -1, dtype=np.int8)
    role_of[list(roles)] = list(roles.values())
    positions = told.positions[sent]
    direction_of[positions] = role_of[events.nodes[positions]]
    packet_of[positions] = np.where(
        direction_of[positions] >= 0, latest_call.before(told.since[sent], told.ids[sent]), -1
    )
    received = np.flatnonzero(told.readings >= 0)
    for of in (packet_of, direction_of):
        of[told.positions[received]] = of[told.readings[received]]


def _by_order(
    events: Events, packet_of: NDArray[np.int32], direction_of: NDArray[np.int8], completion_of: Kept
) -> None:
    """Packet and direction of the events without an id: those of their completion. Both are known, or neither is."""
    for piece in pieces(len(events)):
        of = completion_of[piece]
        positions = np.flatnonzero((of >= 0) & ~carries_packet_id(events, piece)) + piece.start
        packet_of[positions] = packet_of[completion_of[positions]]
        direction_of[positions] = direction_of[completion_of[positions]]
        unknown = (packet_of[piece] < 0) | (direction_of[piece] < 0)
        packet_of[piece][unknown] = -1
        direction_of[piece][unknown] = -1


def _counts(
    index: Index,
    packet_of: NDArray[np.int32],
    direction_of: NDArray[np.int8],
    name: str,
    *,
    nodes: Iterable[int],
    packets: int,
) -> NDArray[np.int32]:
    positions = np.concatenate([index.of(name, node=node) for node in nodes])
    positions = positions[packet_of[positions] >= 0]
    cells = packet_of[positions].astype(np.int64) * 2 + direction_of[positions]
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

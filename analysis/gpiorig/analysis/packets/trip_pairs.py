"""Pairs of packets: which belong to each request of a round trip, with which visits they arrive, over which hops."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.packets.holders import BARE, CALL, READ
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.occurrences import ID_BITS, NONE, Latest, Positions, owner, values_at
from gpiorig.analysis.packets.passages import absent
from gpiorig.analysis.packets.path import POINTS, REPLY, REQUEST
from gpiorig.capture import mapped

START, END = POINTS[0].event, POINTS[-1].event


class Pairing:
    """Which packets belong to each request, and with which visits request and reply arrive.

    Parameters
    ----------
    requests, replies, request_of, directions
        As of `RoundTrips`.
    ends
        int64[p], position of the event with which the first reply reached the initiator's application, -1 for none.
    delivered, arrived
        int64[p], the visits with which the request reached the responder and the reply the initiator, -1 for none.
    caused
        int64[p], position of the delivery of the request that caused the reply, -1 for none.
    """

    def __init__(self, hops: Hops, initiator: int, responder: int) -> None:
        self._hops = hops
        packets, visits, events = hops.packets, hops.visits, hops.events
        self._begins = begins = mapped.stored(visits.positions[packets.firsts])
        called = (values_at(events.codes, begins) == BY_NAME[START].code) & (packets.kinds == CALL)
        self.requests = mapped.stored(np.flatnonzero(called & (packets.origins == initiator)))
        self._calls = mapped.stored(begins[self.requests])
        self._latest = mapped.settled(Latest.of(owner(0, packets.ids[self.requests]), self._calls))
        self.request_of = mapped.stored(self._request_of(begins, initiator, responder))
        sent = packets.origins == responder
        back = np.where(packets.kinds == READ, ~sent, sent)
        self.directions = np.where(self.request_of < 0, NONE, np.where(back, REPLY, REQUEST)).astype(np.int8)
        self.ends = mapped.stored(self._ends(initiator))
        self.arrived = mapped.stored(np.maximum(values_at(hops.visit_of, self.ends), NONE))
        self.replies = mapped.stored(self._replies())
        self.delivered, self.caused = map(mapped.stored, self._deliveries(responder))

    def _row(self, ids: NDArray[np.int32], positions: Positions) -> Positions:
        """int64[q], row of the latest request of each id before a position, -1 without one of fewer than 2^15 ago."""
        row = self._latest.before(owner(0, ids), positions)
        newest = np.searchsorted(self._calls, positions, side="right") - 1
        return np.where(newest - row < 1 << (ID_BITS - 1), row, NONE)

    def _first(self, rows: Positions, values: Positions) -> Positions:
        """int64[p], the first of the values of each row; values are in order."""
        first = np.full(len(self.requests), NONE, dtype=np.int64)
        first[rows[::-1]] = values[::-1]  # written backwards, so that the first stays
        return first

    def _request_of(self, begins: Positions, initiator: int, responder: int) -> Positions:
        packets, visits = self._hops.packets, self._hops.visits
        reached = np.zeros(len(packets), dtype=bool)
        reached[visits.packets[visits.deliveries >= 0]] = True
        answers = (packets.origins == responder) & ((packets.kinds == CALL) | (packets.kinds == BARE) & reached)
        unsent = (packets.kinds == READ) & np.isin(packets.origins, (initiator, responder))
        belonging = np.flatnonzero((answers | unsent) & (packets.ids >= 0))
        request_of = np.full(len(packets), NONE, dtype=np.int64)
        request_of[belonging] = values_at(self.requests, self._row(packets.ids[belonging], begins[belonging]))
        request_of[self.requests] = self.requests
        return request_of

    def _ends(self, initiator: int) -> Positions:
        """By the packet of the event; where its frame was not seen to be read, by its id."""
        events, visits = self._hops.events, self._hops.visits
        at = events.positions(END, node=initiator)
        ids = values_at(events.ids, at).astype(np.int32)
        at, ids = at[ids >= 0], ids[ids >= 0]
        packets = values_at(visits.packets, values_at(self._hops.visit_of, at))
        requests = values_at(self.request_of, packets)
        known = np.searchsorted(self.requests, requests)
        rows = np.where(requests >= 0, known, np.where(packets < 0, self._row(ids, at), NONE))
        return self._first(rows[rows >= 0], at[rows >= 0])

    def _replies(self) -> Positions:
        """The packet that arrived; where it is not known, the latest that was sent before, else the first."""
        packets = np.flatnonzero((self.directions == REPLY) & (self._hops.packets.kinds != READ))
        of = self._row_of(packets)
        begins = self._begins[packets]
        first = self._first(of, packets)
        latest = values_at(packets, Latest.of(of, begins).before(np.arange(len(self.requests)), self.ends))
        ended = values_at(self._hops.visits.packets, self.arrived)
        sent = np.isin(ended, packets)
        return np.where(sent, ended, np.where(latest >= 0, latest, first))

    def _deliveries(self, responder: int) -> tuple[Positions, Positions]:
        """The visit with which the request reached the responder, and the delivery that caused the reply.

        That is the latest before the reply's call: an application that is given a request again answers it again.
        Without a reply the first delivery, without a delivery the first visit.
        """
        visits = self._hops.visits
        here = (visits.nodes == responder) & (self.directions[visits.packets] == REQUEST)
        again = np.flatnonzero(here[visits.again_of])
        rows = np.concatenate([np.flatnonzero(here), visits.again_of[again]])
        at = np.concatenate([visits.deliveries[here], visits.again_at[again]])
        late = len(self._hops.events) + visits.positions[rows]
        order = np.argsort(np.where(at >= 0, at, late), kind="stable")
        rows, at = rows[order], at[order]
        of = self._row_of(visits.packets[rows])
        got = np.flatnonzero(at >= 0)
        called = values_at(self._begins, self.replies)
        caused = values_at(got, Latest.of(of[got], at[got]).before(np.arange(len(self.requests)), called))
        chosen = np.where(caused >= 0, caused, self._first(of, np.arange(len(rows))))
        return values_at(rows, chosen), values_at(at, chosen)

    def _row_of(self, packets: Positions) -> Positions:
        """int64[q], row of the request that packets of round trips belong to."""
        return np.searchsorted(self.requests, self.request_of[packets])


@dataclass(frozen=True, slots=True)
class Legs:
    """The path that most round trips took, and the rows of its hops.

    Parameters
    ----------
    nodes
        Names; the initiator comes first and last.
    turn
        Place of the first hop of the reply.
    sent, read
        Per hop int64[p], the row of the hops that shows how it was sent and how it was read, -1 for none.
    strange
        Per hop int64[p], the row of `Hops.strange` where the sender is not known, -1 for none.
    further
        Per hop int64[p], the row of `Hops.further` where a further delivery caused the reply, -1 for none.
    """

    nodes: tuple[str, ...]
    turn: int
    sent: tuple[Positions, ...]
    read: tuple[Positions, ...]
    strange: tuple[Positions, ...]
    further: tuple[Positions, ...]


def legs_of(hops: Hops, pairing: Pairing, ends: tuple[int, int]) -> Legs:
    """The legs of the round trips between two ends, by the path that most of them took."""
    out = _path(hops, pairing.delivered, ends)
    back = _path(hops, pairing.arrived, ends[::-1])
    strange_of = mapped.full(len(hops.visits), NONE, np.int32)
    strange_of[hops.strange.visits] = np.arange(len(hops.strange.visits))
    sent, read, strange, further = [], [], [], []
    for nodes, packets, end in ((out, pairing.requests, pairing.delivered), (back, pairing.replies, pairing.arrived)):
        for place, (sender, receiver) in enumerate(pairwise(nodes)):
            rows, reached = _hop_rows(hops, place + 1, sender, receiver)
            row = values_at(rows, packets)
            sent.append(mapped.stored(row))
            read.append(mapped.stored(np.where((row >= 0) & reached[np.maximum(row, 0)], row, NONE)))
            has_strange = place == len(nodes) - 2 and len(hops.strange.visits)
            strange.append(mapped.stored(values_at(strange_of, end)) if has_strange else absent(len(packets)))
            has_further = nodes is out and len(hops.further.deliveries)
            rows = _further_rows(hops, pairing.caused, place + 1) if has_further else absent(len(packets))
            further.append(mapped.stored(rows))
    names = hops.events.node_names
    path_names = tuple(names[node] for node in (*out, *back[1:]))
    return Legs(path_names, len(out) - 1, tuple(sent), tuple(read), tuple(strange), tuple(further))


def _path(hops: Hops, visits: Positions, ends: tuple[int, int]) -> tuple[int, ...]:
    """The nodes that most packets came by to some visits; the two ends where none is known."""
    arrivals = visits[visits >= 0]
    arrivals = arrivals[hops.visits.hops[arrivals] > 0]
    if not len(arrivals):
        return ends
    count = int(np.bincount(hops.visits.hops[arrivals]).argmax())
    chain = [arrivals[hops.visits.hops[arrivals] == count]]
    for _ in range(count):
        chain.append(hops.visits.parents[chain[-1]].astype(np.int64))
    paths, used = np.unique(hops.visits.nodes[np.column_stack(chain[::-1])], axis=0, return_counts=True)
    nodes: tuple[int, ...] = tuple(paths[used.argmax()].tolist())
    return nodes if (nodes[0], nodes[-1]) == ends else ends


def _hop_rows(hops: Hops, number: int, sender: int, receiver: int) -> tuple[Positions, NDArray[np.bool_]]:
    """int64[all packets], the row of one hop of each packet, and bool[h], rows that the receiver read.

    Where the receiver did not read it, the row of a hop that failed, else that of any other receiver.
    """
    rows = np.flatnonzero((hops.numbers == number) & (hops.senders == sender))
    complete = hops.visits_to[rows] >= 0
    reached = complete & (hops.receivers[rows] == receiver)
    row_of = np.full(len(hops.packets), NONE, dtype=np.int64)
    for chosen in (complete & ~reached, ~complete, reached):
        some = rows[chosen][::-1]
        row_of[hops.packet_rows[some]] = some  # written backwards, so that the first stays
    complete = np.zeros(len(hops), dtype=bool)
    complete[rows[reached]] = True
    return row_of, complete


def _further_rows(hops: Hops, deliveries: Positions, number: int) -> Positions:
    """int64[p], the row of `Hops.further` that is the hop of a number on the way to each delivery, -1 for none."""
    further = hops.further
    rows = np.flatnonzero(hops.visits.hops[further.passages.visits] == number)
    order = rows[np.argsort(further.deliveries[rows], kind="stable")]
    place = np.minimum(np.searchsorted(further.deliveries[order], deliveries), max(0, len(order) - 1))
    return np.where(values_at(further.deliveries[order], place) == deliveries, values_at(order, place), NONE)

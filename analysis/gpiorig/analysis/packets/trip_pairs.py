"""Pairs of packets: which packets belong to each request of a round trip, and with which visits they arrive."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.table import BY_NAME
from gpiorig.analysis.packets.holders import BARE, CALL, READ
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.occurrences import ID_BITS, NONE, Latest, Positions, owner, values_at
from gpiorig.analysis.packets.path import POINTS, REPLY, REQUEST

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
    """

    def __init__(self, hops: Hops, initiator: int, responder: int) -> None:
        self._hops = hops
        packets, visits, events = hops.packets, hops.visits, hops.events
        begins = visits.positions[packets.firsts]
        called = (events.codes[begins] == BY_NAME[START].code) & (packets.kinds == CALL)
        self.requests = np.flatnonzero(called & (packets.origins == initiator))
        self._calls = begins[self.requests]
        self._latest = Latest.of(owner(0, packets.ids[self.requests]), self._calls)
        self.request_of = self._request_of(begins, initiator, responder)
        sent = packets.origins == responder
        back = np.where(packets.kinds == READ, ~sent, sent)
        self.directions = np.where(self.request_of < 0, NONE, np.where(back, REPLY, REQUEST)).astype(np.int8)
        self.ends = self._ends(initiator)
        self.arrived = np.maximum(values_at(hops.visit_of, self.ends), NONE)
        self.delivered = self._delivered(responder)
        self.replies = self._replies()

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
        got = (events.codes == BY_NAME[END].code) & (events.nodes == initiator) & (events.ids >= 0)
        at = np.flatnonzero(got)
        packets = values_at(visits.packets, self._hops.visit_of[at].astype(np.int64))
        requests = values_at(self.request_of, packets)
        known = np.searchsorted(self.requests, requests)
        rows = np.where(requests >= 0, known, np.where(packets < 0, self._row(events.ids[at], at), NONE))
        return self._first(rows[rows >= 0], at[rows >= 0])

    def _delivered(self, responder: int) -> Positions:
        """The first visit at the responder that delivered the request, or without one the first."""
        visits = self._hops.visits
        rows = np.flatnonzero((visits.nodes == responder) & (self.directions[visits.packets] == REQUEST))
        late = len(self._hops.events) + visits.positions[rows]
        rows = rows[np.argsort(np.where(visits.deliveries[rows] >= 0, visits.deliveries[rows], late), kind="stable")]
        return self._first(np.searchsorted(self.requests, self.request_of[visits.packets[rows]]), rows)

    def _replies(self) -> Positions:
        """The packet that arrived; where it is not known, the first that the responder sent."""
        kinds = self._hops.packets.kinds
        packets = np.flatnonzero((self.directions == REPLY) & (kinds != READ))
        first = self._first(np.searchsorted(self.requests, self.request_of[packets]), packets)
        ended = values_at(self._hops.visits.packets, self.arrived)
        sent = (values_at(self.directions, ended) == REPLY) & (values_at(kinds, ended) != READ) & (ended >= 0)
        return np.where(sent, ended, first)

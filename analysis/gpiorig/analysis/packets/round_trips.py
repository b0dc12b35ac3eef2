"""Round trips: a request, what the responder answered, and the time between them; pairs of packets, with a status.

A request is a packet that the initiator's application sent. Whatever the responder sends, or the two nodes read from an
unknown sender, answers or belongs to the latest request with its id, if fewer than half of all ids were used since.
The round trip ends with the first reply that reaches the initiator's application.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events, slices
from gpiorig.analysis.packets import cuts, path, timelines
from gpiorig.analysis.packets import steps as steps_module
from gpiorig.analysis.packets.holders import READ
from gpiorig.analysis.packets.hops import Hops
from gpiorig.analysis.packets.occurrences import NONE, Positions, values_at
from gpiorig.analysis.packets.passages import column
from gpiorig.analysis.packets.path import PATH, REPLY, REQUEST, Source
from gpiorig.analysis.packets.routes import ROUND_TRIP, Route
from gpiorig.analysis.packets.timelines import COMPLETE, CUT, GAP, LOST, ORDER, PARTIAL, Timelines
from gpiorig.analysis.packets.transmissions import BUSY, NO_ACK
from gpiorig.analysis.packets.trip_pairs import Legs, Pairing, legs_of
from gpiorig.capture import mapped

Counts = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class RoundTrips:
    """One row per request.

    Parameters
    ----------
    hops
        All packets.
    requests
        int64[p], row of the request among the packets; increasing.
    replies
        int64[p], row of the reply that ended the round trip, or of the first one; -1 for none.
    request_of
        int64[all packets], row of the request that a packet is or answers, -1 for a packet of no round trip.
    directions
        int8[all packets], `path.REQUEST` or `path.REPLY`, -1 for a packet of no round trip.
    transmissions, receptions
        int32[p, 2]: transmissions commanded and receptions read, per direction, over all hops.
    fragments
        int32[p, 2]: frames that a packet was cut into, per direction.
    frames
        int32[p, 2]: the same over all replies. More transmissions or receptions than that are retries or duplicates.
    deliveries
        int32[p, 2]: how often the application at the other end was given the request, and the initiator's a reply.
    no_ack, busy
        int32[p, 2]: transmissions that ended without an acknowledgement, or without a free channel.
    timelines
        The milestones of each, and its status.
    """

    hops: Hops
    requests: Positions
    replies: Positions
    request_of: Positions
    directions: NDArray[np.int8]
    transmissions: Counts
    receptions: Counts
    fragments: Counts
    frames: Counts
    deliveries: Counts
    no_ack: Counts
    busy: Counts
    timelines: Timelines

    def __len__(self) -> int:
        return len(self.requests)

    @property
    def events(self) -> Events:
        """The events of all packets."""
        return self.hops.events

    @property
    def retries(self) -> int:
        """Transmissions beyond the first of each fragment, both directions."""
        return int(np.maximum(self.transmissions - self.frames, 0).sum())

    @property
    def duplicates(self) -> int:
        """Receptions beyond the first of each fragment, both directions."""
        return int(np.maximum(self.receptions - self.frames, 0).sum())

    @property
    def read_again(self) -> tuple[int, int]:
        """Deliveries to the application beyond the first: of requests to the responder, of replies to the initiator."""
        further = np.maximum(self.deliveries - 1, 0).sum(axis=0)
        return int(further[REQUEST]), int(further[REPLY])

    def rows(self, packets: Positions) -> Positions:
        """int64[q], the row of each of some requests, given as rows of the packets."""
        return np.searchsorted(self.requests, packets)


def find(hops: Hops, *, initiator: str, responder: str, header_ns: Mapping[str, int]) -> RoundTrips:
    """Pair the packets of two nodes.

    Parameters
    ----------
    hops
        All packets.
    initiator, responder
        Names of the nodes.
    header_ns
        As of `hops.build`.
    """
    ends = hops.events.node(initiator), hops.events.node(responder)
    pairing = Pairing(hops, *ends)
    legs = legs_of(hops, pairing, ends)
    header = tuple(hops.events.samples_in(header_ns.get(name, 0)) for name in legs.nodes[1:])
    lines = _timelines(hops, pairing, legs, header, marked=header_ns)
    counts = _Counts(hops, pairing, ends)
    trips = RoundTrips(
        hops=hops,
        requests=pairing.requests,
        replies=pairing.replies,
        request_of=pairing.request_of,
        directions=pairing.directions,
        transmissions=counts.transmissions,
        receptions=counts.receptions,
        fragments=counts.fragments,
        frames=counts.frames,
        deliveries=counts.deliveries,
        no_ack=counts.no_ack,
        busy=counts.busy,
        timelines=lines,
    )
    return mapped.settled(trips)


def route(trips: RoundTrips) -> Route:
    """The round trips whose every step is known, as a route."""
    lines = trips.timelines
    steps = timelines.steps(lines)
    lost = int(np.count_nonzero(lines.status == LOST))
    return Route(
        name=ROUND_TRIP,
        steps=steps,
        ids=lines.ids[lines.complete],
        starts=lines.samples[lines.complete, 0],
        lost=lost,
        partial=len(lines) - lost - len(steps.rows),
        places=lines.complete,
    )


def _values(values: Positions, rows: Positions, instead: Positions, places: Positions) -> Positions:
    """Values of rows, or instead of them others where a place is known."""
    return np.where(places >= 0, values_at(instead, places), values_at(values, rows))


def _timelines(
    hops: Hops, pairing: Pairing, legs: Legs, header: tuple[int, ...], *, marked: Mapping[str, int]
) -> Timelines:
    """The milestones, column by column, for memory's sake."""
    ways = path.round_trip_ways(legs.turn, len(legs.sent) - legs.turn)
    candidates = tuple(
        path.milestone(way, place, point)
        for place, way in enumerate(ways)
        for point in PATH
        if point.source is not Source.AIR or legs.nodes[place + 1] in marked
    )
    ended = values_at(hops.events.samples, pairing.ends)

    def instants(number: int) -> Positions:
        milestone = candidates[number]
        if number == len(candidates) - 1:
            return ended
        place = milestone.direction
        sent, again, strange = (
            column(passages, milestone.point)
            for passages in (hops.samples, hops.further.passages.samples, hops.strange.samples)
        )
        further = legs.further[place]
        rows = legs.read[place] if milestone.received else legs.sent[place]
        at = _values(sent, rows, again, further)
        if not milestone.received:
            return at
        arrived = legs.strange[place]  # a repetition of the frame may have a known sender
        return _values(at, np.arange(len(at)), strange, arrived)

    answered = ended != NONE
    judged = answered if answered.any() else np.ones(len(answered), dtype=bool)
    present = steps_module.present(candidates, instants, judged)
    present[[0, -1]] = True
    samples = mapped.zeros((int(np.count_nonzero(present)), len(answered)), np.int64).T  # written column by column
    for place, number in enumerate(np.flatnonzero(present).tolist()):
        samples[:, place] = instants(number)
        mapped.relieve()
    samples[:, 0] = starts = hops.packets.starts[pairing.requests]  # also of a request that was never sent
    return Timelines(
        milestones=tuple(m for m, here in zip(candidates, present, strict=True) if here),
        absent=tuple(
            m.name for m, here in zip(candidates, present, strict=True) if not here and not m.point.endswith(path.FIRST)
        ),
        packets=pairing.requests,
        ids=hops.packets.ids[pairing.requests],
        samples=samples,
        status=_status(
            samples,
            answered,
            in_gap=_loses(hops.events, starts, answered, ended),
            cut=cuts.of_milestones(samples, end=hops.events.end),
        ),
        nodes=legs.nodes,
        ways=ways,
        turn=legs.turn,
        samplerate_hz=hops.events.samplerate_hz,
        header_samples=header,
    )


def _status(
    samples: Positions, answered: NDArray[np.bool_], *, in_gap: NDArray[np.bool_], cut: NDArray[np.bool_]
) -> NDArray[np.uint8]:
    status = np.zeros(len(samples), dtype=np.uint8)
    for part in slices(len(samples)):
        wrong, partial = np.zeros((2, len(status[part])), dtype=bool)
        latest = np.full(len(status[part]), NONE, dtype=np.int64)
        for instants in samples[part].T:
            missing = instants == NONE
            partial |= missing
            # Out of order: a known milestone before the latest known one to its left.
            wrong |= ~missing & (instants < latest)
            np.maximum(latest, instants, out=latest)
        fates = [in_gap[part], cut[part], ~answered[part], wrong, partial]
        status[part] = np.select(fates, [GAP, CUT, LOST, ORDER, PARTIAL], default=COMPLETE)
    return status


def _loses(events: Events, starts: Positions, answered: NDArray[np.bool_], ended: Positions) -> NDArray[np.bool_]:
    """Round trips with lost samples between send call and answer; without an answer, before the next send call."""
    following = np.append(starts[1:], events.end)[: len(starts)]
    return events.loses(starts, np.where(answered, ended, following - 1))


class _Counts:
    """Transmissions and receptions of every round trip, per direction."""

    def __init__(self, hops: Hops, pairing: Pairing, ends: tuple[int, int]) -> None:
        sent, visits = hops.transmissions, hops.visits
        cells = mapped.full(len(pairing.request_of), NONE, np.int32)
        for part in slices(len(cells)):
            rows = np.searchsorted(pairing.requests, pairing.request_of[part])
            cells[part] = np.where(pairing.request_of[part] >= 0, rows * 2 + pairing.directions[part], NONE)

        def count(visit_rows: NDArray[np.int32], chosen: NDArray[np.bool_] | None = None) -> Counts:
            counts = mapped.zeros(2 * len(pairing.requests), np.int32)
            for part in slices(len(visit_rows)):
                cell = values_at(cells, values_at(visits.packets, visit_rows[part]))
                np.add.at(counts, cell[cell >= 0 if chosen is None else (cell >= 0) & chosen[part]], 1)
            return counts.reshape(-1, 2)

        self.transmissions = count(visits.of_transmission)
        self.no_ack = count(visits.of_transmission, sent.outcomes == NO_ACK)
        self.busy = count(visits.of_transmission, sent.outcomes == BUSY)
        self.receptions = count(visits.of_reception)
        packets, both = hops.packets, (pairing.requests, pairing.replies)
        self.frames = mapped.zeros((len(pairing.requests), 2), np.int32)
        for part in slices(len(cells)):
            cell = np.where(packets.kinds[part] == READ, NONE, cells[part])
            np.add.at(self.frames.reshape(-1), cell[cell >= 0], packets.fragments[part][cell >= 0])
        np.maximum(self.frames, 1, out=self.frames)
        self.fragments = mapped.zeros((len(pairing.requests), 2), np.int32)
        for part in slices(len(pairing.requests)):
            for way, rows in enumerate(both):
                self.fragments[part, way] = np.maximum(values_at(packets.fragments, rows[part]), 1)
        self.deliveries = mapped.zeros((len(pairing.requests), 2), np.int32)
        again, at_end = visits.again, np.array(ends[::-1])
        for part in slices(len(visits)):
            ways = pairing.directions[visits.packets[part]]
            there = (ways >= 0) & (visits.nodes[part] == at_end[ways])
            given = ((visits.deliveries[part] >= 0) + again[part])[there]
            np.add.at(self.deliveries.reshape(-1), cells[visits.packets[part][there]], given)

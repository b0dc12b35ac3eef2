"""Milestones of hops: the instants that a packet passes in transit from one node to the next.

They are found from the hop's end backwards, each the latest occurrence before the next one: the delivery to the
application, or at a relay the call that sends the packet on; the receive path up to it; the reception that it began
with; the transmission that was received; the send path down to that. So of the fragments of a packet the milestones are
the last one's, and of a frame that was repeated those of the repetition that was received. Where a packet passed a
point of the send path before, for an earlier attempt, that has an instant of its own (`path.FIRSTS`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.completions import Completions
from gpiorig.analysis.events.events import Events
from gpiorig.analysis.events.index import Index, Kept, position_type
from gpiorig.analysis.packets.holders import Holders
from gpiorig.analysis.packets.occurrences import (
    NONE,
    POSITION_BITS,
    Latest,
    Positions,
    first_between,
    latest_of,
    owned,
    values_at,
)
from gpiorig.analysis.packets.passages import COLUMNS, Further, Instants, Passages, absent
from gpiorig.analysis.packets.path import BACKOFF, COMMAND_END, FIRST, POINTS, RECEPTION_END, REPEATS, Point, Source
from gpiorig.analysis.packets.receptions import APART_NS, Receptions
from gpiorig.analysis.packets.transmissions import Transmissions
from gpiorig.analysis.packets.visits import Visits
from gpiorig.capture import mapped

UP = tuple(p for p in POINTS if p.received and p.source is Source.ID and p.event != RECEPTION_END)
DOWN = tuple(p for p in POINTS if not p.received and p.source is Source.ID and p.event != COMMAND_END)
ABOVE_BACKOFF = tuple(p.name for p in DOWN if COLUMNS[p.name] < COLUMNS[BACKOFF])
MAC = "mac.rx.enter"
LINE = "irq"
BY_ORDER = tuple(p for p in POINTS if p.source is Source.RECEPTION)
_Columns = defaultdict[str, Kept]  # positions by the name of the point, only of points that occur


class Finder:
    """Finds milestones in the events, by visit."""

    def __init__(
        self,
        events: Events,
        index: Index,
        completions: Completions,
        sent: Transmissions,
        read: Receptions,
        visits: Visits,
        visit_of: NDArray[np.int32],
    ) -> None:
        self._events, self._index, self._completions = events, index, completions
        self._sent, self._read, self._visits, self._visit_of = sent, read, visits, visit_of

    def passages(self) -> Passages:
        """All passages, in the order of the visits."""
        rows = np.flatnonzero(self._visits.parents >= 0)
        positions = self._columns(len(rows))
        hops = self._visits.hops[rows]
        parents = self._visits.parents[rows].astype(np.int64)
        bound = np.where(self._visits.deliveries >= 0, self._visits.deliveries + 1, len(self._events))
        readings = np.full(len(rows), NONE, dtype=np.int64)
        read_in = self._reading_in(np.flatnonzero(~self._visits.repeated))
        for hop in range(int(hops.max(initial=0)), 0, -1):
            now = np.flatnonzero(hops == hop)
            readings[now], since = self._hop(rows[now], bound[rows[now]], read_in, positions, now)
            # Where the parent did not deliver the packet, its part ends where it sent it on.
            open_ = self._visits.deliveries[parents[now]] < 0
            np.minimum.at(bound, parents[now][open_], since[open_])
        return self._passed(rows, readings, positions)

    def further(self) -> Further:
        """Those of further deliveries: also of frames that the node had read before."""
        at, visits = self._visits.again_at, self._visits.again_of.astype(np.int64)
        bound = at + 1
        read_in = self._reading_in(np.arange(len(self._read)))
        parts, deliveries = [], []
        while True:
            left = self._visits.parents[visits] >= 0
            at, visits, bound = at[left], visits[left], bound[left]
            positions, now = self._columns(len(at)), np.arange(len(at))
            readings, since = self._hop(visits, bound, read_in, positions, now, repeated=True)
            parts.append(self._passed(visits, readings, positions))
            deliveries.append(at)
            if not len(at):
                break
            visits = self._visits.parents[visits].astype(np.int64)
            delivered = self._visits.deliveries[visits]
            bound = np.where(delivered >= 0, delivered + 1, since)
        passages = Passages(
            visits=np.concatenate([part.visits for part in parts]),
            readings=np.concatenate([part.readings for part in parts]),
            sendings=np.concatenate([part.sendings for part in parts]),
            samples=tuple(np.concatenate(columns) for columns in zip(*(part.samples for part in parts), strict=True)),
        )
        return Further(np.concatenate(deliveries), passages)

    def _reading_in(self, rows: Positions) -> tuple[Positions, Latest]:
        """Some receptions, and each visit's latest of them."""
        visits = self._visits.of_reception[rows].astype(np.int64)
        return rows, Latest.of(visits, self._read.ends_at[rows])

    def _hop(
        self,
        visits: Positions,
        bound: Positions,
        read_in: tuple[Positions, Latest],
        positions: _Columns,
        now: Positions,
        *,
        repeated: bool = False,
    ) -> tuple[Positions, Positions]:
        """Fill in the points of the hops to some visits; gives the receptions, and where the sending begins."""
        until = self._backwards(UP, visits, bound, positions, now, repeated=repeated)
        rows, latest = read_in
        readings = values_at(rows, latest.before(visits, until, included=True))
        sendings = values_at(self._read.transmissions, readings)
        commands = values_at(self._sent.commands, sendings)
        parents = self._visits.parents[visits].astype(np.int64)
        # Without a transmission the packet turned round within its node: all that it passed is before its return.
        return readings, self._backwards(DOWN, parents, np.where(sendings >= 0, commands + 1, until), positions, now)

    def _passed(self, visits: Positions, readings: Positions, positions: _Columns) -> Passages:
        sendings = values_at(self._read.transmissions, readings)
        parents = self._visits.parents[visits].astype(np.int64)
        self._fill_frames(positions, readings, sendings, parents)
        self._backoffs(positions, sendings, parents, values_at(self._sent.commands, sendings))
        self._first_attempts(positions, sendings, parents)
        return Passages(visits, readings, sendings, self._instants(positions, readings))

    def _first_attempts(self, positions: _Columns, sendings: Positions, visits: Positions) -> None:
        """Where a visit passed a point for an earlier attempt: the first time of the call, and of the MAC's frame."""
        application, mac = REPEATS.values()
        for name in application:
            at = self._positions_at(POINTS[COLUMNS[name]])
            earliest = np.full(len(self._visits), NONE, dtype=np.int64)
            earliest[self._visit_of[at[::-1]]] = at[::-1]  # written backwards, so that the first stays
            self._keep_first(name, np.where(self._visits.parents[visits] < 0, earliest[visits], NONE), positions)
        attempts = values_at(self._sent.first_on_air(), sendings)
        again = np.flatnonzero(attempts != sendings)
        bound = values_at(self._sent.commands, attempts[again]) + 1
        for name in mac if len(again) else ():
            earliest, at = np.full(len(visits), NONE, dtype=np.int64), self._positions_at(POINTS[COLUMNS[name]])
            if name == BACKOFF:
                since = _handed_down(positions, len(visits), FIRST)[again]
                earliest[again] = first_between(self._keys(at), visits[again], since, bound)
            else:
                earliest[again] = self._latest(at, visits[again], bound)
            self._keep_first(name, earliest, positions)

    def _backoffs(self, positions: _Columns, sendings: Positions, visits: Positions, until: Positions) -> None:
        """The first backoff of each attempt: since its frame was handed down, or had been on the air before."""
        keys = self._keys(self._positions_at(POINTS[COLUMNS[BACKOFF]]))
        if len(keys):
            aired = values_at(self._sent.commands, values_at(self._sent.on_air_before(), sendings))
            since = np.maximum(_handed_down(positions, len(visits)), aired)
            positions[BACKOFF][:] = first_between(keys, visits, since, until)

    def _keep_first(self, name: str, earliest: Positions, positions: _Columns) -> None:
        latest = positions[name].astype(np.int64)
        earlier = (earliest >= 0) & (earliest < latest)
        if earlier.any():
            positions[f"{name}{FIRST}"][:] = np.where(earlier, earliest, NONE)

    def arrivals(self, visits: Positions) -> Passages:
        """How packets came to the visits that they begin with, of frames whose sender is not known."""
        positions = self._columns(len(visits))
        bound = np.where(self._visits.deliveries >= 0, self._visits.deliveries + 1, len(self._events))
        until = self._backwards(UP, visits, bound[visits], positions, np.arange(len(visits)))
        rows, latest = self._reading_in(np.flatnonzero(~self._visits.repeated))
        readings = values_at(rows, latest.before(visits, until, included=True))
        unknown = np.full(len(visits), NONE, dtype=np.int64)
        self._fill_frames(positions, readings, unknown, visits)
        return Passages(visits, readings, unknown, self._instants(positions, readings))

    def departures(self, visits: Positions, sendings: Positions) -> Instants:
        """The milestones up to a transmission of each visit, or the latest without one."""
        positions = self._columns(len(visits))
        commands = values_at(self._sent.commands, sendings)
        bound = np.where(commands >= 0, commands + 1, len(self._events))
        self._backwards(DOWN, visits, bound, positions, np.arange(len(visits)))
        self._command_ends(positions, sendings, visits)
        self._backoffs(positions, sendings, visits, bound)
        self._first_attempts(positions, sendings, visits)
        return self._instants(positions, np.full(len(visits), NONE, dtype=np.int64))

    def _columns(self, rows: int) -> _Columns:
        return defaultdict(lambda: mapped.full(rows, NONE, position_type(len(self._events))))

    def _instants(self, positions: _Columns, readings: Positions) -> Instants:
        """The instants of positions, which are given up column by column: both tables would double the memory."""
        air = values_at(self._read.air_starts, readings)
        instants = {"air.start": air} if len(air) and air.max() != NONE else {}
        for name in list(positions):
            instants[name] = mapped.stored(values_at(self._events.samples, positions.pop(name)))
        return tuple(instants.get(name, absent(len(readings))) for name in COLUMNS)

    def _backwards(
        self,
        points: Sequence[Point],
        visits: Positions,
        bound: Positions,
        positions: _Columns,
        rows: Positions,
        *,
        repeated: bool = False,
    ) -> Positions:
        """Fill in the points of some rows, the last one first; gives the earliest position found, or the bound."""
        for point in reversed(points):
            at = self._positions_at(point, repeated=repeated)
            if not len(at):
                continue
            latest = self._latest(at, visits, bound)
            positions[point.name][rows] = latest
            bound = np.where(latest >= 0, latest, bound)
        return bound

    def _latest(self, at: Positions, visits: Positions, bound: Positions) -> Positions:
        """int64[k], the latest of some events of each visit before its bound, -1 for none."""
        latest_by_visit = np.full(len(self._visits), NONE, dtype=position_type(len(self._events)))
        latest_by_visit[self._visit_of[at]] = at  # increasing within a visit: the last one stays
        latest = latest_by_visit[visits].astype(np.int64)
        # Most visits have one event of a point; only the others are searched.
        late = np.flatnonzero(latest >= bound)
        if len(late):
            keys, visits = self._keys(at), visits[late]
            latest[late] = owned(keys, np.searchsorted(keys, (visits << POSITION_BITS) + bound[late]) - 1, visits)
        return latest

    def _keys(self, at: Positions) -> Positions:
        """Visit and position of some events, as one sorted number each."""
        # Stable, because that is quick on runs in order: there is one for each node.
        return np.sort((self._visit_of[at].astype(np.int64) << POSITION_BITS) + at, kind="stable")

    def _positions_at(self, point: Point, *, repeated: bool = False) -> Positions:
        """Positions of the events of a point that belong to a visit, increasing within a visit."""
        nodes = range(len(self._events.node_names))
        at: Positions = np.concatenate([self._index.positions(point.event, node=node) for node in nodes])
        at = at[self._visit_of[at] >= 0]
        if point.event == MAC and self._visits.repeated.any() and not repeated:
            # The MAC gets a frame right after it was read, and drops duplicates: no milestone of a first delivery is a
            # duplicate's.
            readers = Holders(self._read.nodes.astype(np.int64), self._read.ids, self._read.ends_at)
            reading = readers.of(self._events.nodes[at].astype(np.int64), self._events.ids[at], at)
            at = at[(reading < 0) | ~self._visits.repeated[np.maximum(reading, 0)]]
        return at

    def _fill_frames(self, positions: _Columns, readings: Positions, sendings: Positions, parents: Positions) -> None:
        """The milestones without an id, and the ends of the reception and of the command."""
        ends_at = values_at(self._read.ends_at, readings)
        over = values_at(self._read.ends, readings) - self._events.samples_in(APART_NS)
        nodes = range(len(self._events.node_names))
        for point in BY_ORDER:
            at = np.concatenate([self._index.positions(point.event, node=node) for node in nodes])
            if len(at):
                at = at[at <= self._completions.of[at]]  # an interrupt may be answered when the frame has been read
                latest = latest_of(ends_at, at, of=self._completions.of[at])
                # An interrupt that was answered before the frame was over was that of its start.
                positions[point.name][:] = np.where(values_at(self._events.samples, latest) >= over, latest, NONE)
        if LINE in positions:
            seen = values_at(self._read.lines_seen.astype(np.int8), readings) > 0
            positions[LINE][:] = np.where(seen, positions[LINE], NONE)
        at = np.sort(np.concatenate([self._index.positions(RECEPTION_END, node=node) for node in nodes]), kind="stable")
        if len(at):
            place = np.minimum(np.searchsorted(at, ends_at), len(at) - 1)
            positions[RECEPTION_END][:] = np.where(at[place] == ends_at, ends_at, NONE)
        self._command_ends(positions, sendings, parents)

    def _command_ends(self, positions: _Columns, sendings: Positions, visits: Positions) -> None:
        """The ends of the commands, but of those that wait for their frame: they end when it has been on the air."""
        commands = values_at(self._sent.commands, sendings)
        commands = np.where(values_at(self._sent.waited.astype(np.int8), sendings) > 0, NONE, commands)
        keys = self._keys(self._positions_at(POINTS[COLUMNS[COMMAND_END]]))
        if len(keys):
            ends = owned(keys, np.searchsorted(keys, (visits << POSITION_BITS) + commands), visits)
            positions[COMMAND_END][:] = np.where(commands >= 0, ends, NONE)


def _handed_down(positions: _Columns, rows: int, suffix: str = "") -> Positions:
    """int64[rows], the latest of the points above the backoff, -1 for none; with the suffix that of first attempts."""
    since = np.full(rows, NONE, dtype=np.int64)
    for name in ABOVE_BACKOFF:
        at, again = positions.get(name), positions.get(f"{name}{suffix}")
        if at is not None:
            since = np.maximum(since, at if again is None else np.where(again == NONE, at, again))
    return since

"""Joining: the stages of all parts of the events, below each other, with rows and positions of the whole recording."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.events.events import Events, slices
from gpiorig.analysis.packets.delivery import Packets
from gpiorig.analysis.packets.hop_rows import HopRows
from gpiorig.analysis.packets.occurrences import NONE, RESET, Positions, gathered
from gpiorig.analysis.packets.overheard import PENDING, Overheard
from gpiorig.analysis.packets.passages import Further, Instants, Passages, absent
from gpiorig.analysis.packets.pauses import Part
from gpiorig.analysis.packets.receptions import Receptions
from gpiorig.analysis.packets.stages import Stages
from gpiorig.analysis.packets.transmissions import Transmissions
from gpiorig.analysis.packets.unattributed import NO_COMPLETION, NOT_READ, Unattributed
from gpiorig.analysis.packets.visits import Visits
from gpiorig.capture import mapped

Stage = TypeVar("Stage")

EVENT, SENT, FRAME, READ, VISIT, PACKET = range(6)
# What the numbers in a column are of; other columns have none.
_TRANSMISSIONS = {"commands": EVENT, "prepared": EVENT, "ends_at": EVENT, "acknowledges": EVENT, "frames": FRAME}
_RECEPTIONS = {"ends_at": EVENT, "acknowledgements": EVENT, "transmissions": SENT, "acknowledged": SENT}
_NOT_BY_NODE = ("acknowledgements", "acknowledged")
_OVERHEARD = {"positions": EVENT, "exits": EVENT, "starts": EVENT}
_VISITS = {
    **{"positions": EVENT, "deliveries": EVENT, "again_at": EVENT},
    **{"parents": VISIT, "again_of": VISIT, "of_transmission": VISIT, "of_reception": VISIT, "packets": PACKET},
}
_HOPS = {"visits_from": VISIT, "visits_to": VISIT, "sent": SENT, "read": READ}
_PASSAGES = {"visits": VISIT, "readings": READ, "sendings": SENT}


class _Columns(Generic[Stage]):
    """The columns of one stage, which grow by those of the parts."""

    def __init__(self, kind: type[Stage], rows_of: Mapping[str, int]) -> None:
        self._kind, self._rows_of = kind, rows_of
        self._columns: dict[str, mapped.Growing[Any]] = {}

    def append(self, stage: Stage, before: Sequence[int]) -> None:
        """Put those of a part below; `before` are the rows of each kind that the parts before it have."""
        for field in dataclasses.fields(self._kind):  # type: ignore[arg-type]
            values = getattr(stage, field.name)
            if not isinstance(values, np.ndarray):
                continue
            column = self._columns.setdefault(field.name, mapped.Growing(values.dtype.type))
            column.append(_moved(values, before[self._rows_of[field.name]] if field.name in self._rows_of else 0))

    def take(self) -> dict[str, NDArray[Any]]:
        """All columns by name, which are released."""
        columns = {name: column.take() for name, column in self._columns.items()}
        self._columns.clear()
        return columns


class _Samples:
    """Instants, of which most points have none."""

    def __init__(self) -> None:
        self._columns: dict[int, mapped.Growing[np.int64]] = {}
        self._count, self._points = 0, 0

    def append(self, samples: Instants) -> None:
        """Put those of a part below."""
        self._points, rows = len(samples), len(samples[0])
        for number, column in enumerate(samples):
            if number not in self._columns and column.strides[0]:
                self._columns[number] = mapped.Growing(np.int64)
                self._columns[number].append(absent(self._count))
            if number in self._columns:
                self._columns[number].append(column)
        self._count += rows

    def take(self) -> Instants:
        """All columns, which are released."""
        return tuple(
            self._columns.pop(number).take() if number in self._columns else absent(self._count)
            for number in range(self._points)
        )


class _PassageColumns:
    """The columns of passages."""

    def __init__(self) -> None:
        self._rows, self._samples = _Columns(Passages, _PASSAGES), _Samples()

    def append(self, passages: Passages, before: Sequence[int]) -> None:
        """Put those of a part below."""
        self._rows.append(passages, before)
        self._samples.append(passages.samples)

    def take(self, place_of_sent: NDArray[np.int32], place_of_read: NDArray[np.int32]) -> Passages:
        """All passages; the arguments are the new rows of transmissions and receptions."""
        rows = self._rows.take()
        return Passages(
            visits=rows["visits"],
            readings=_renumbered(place_of_read, rows["readings"]),
            sendings=_renumbered(place_of_sent, rows["sendings"]),
            samples=self._samples.take(),
        )


class Joined:
    """The stages of the parts of a recording.

    Transmissions, receptions and overheard frames are by node, as in each part; packets, and what is by packet, are in
    the order of the parts.
    """

    def __init__(self, events: Events) -> None:
        self._events = events
        self._sent = _Columns(Transmissions, _TRANSMISSIONS)
        self._read = _Columns(Receptions, _RECEPTIONS)
        self._unread = _Columns(Overheard, _OVERHEARD)
        self._visits = _Columns(Visits, _VISITS)
        self._packets = _Columns(Packets, {"firsts": VISIT, "last_events": EVENT})
        self._left = _Columns(Unattributed, {"positions": EVENT})
        self._passages, self._strange, self._further = (_PassageColumns() for _ in range(3))
        self._departures = _Samples()
        self._hop_rows, self._not_made = (_Columns(HopRows, _HOPS) for _ in range(2))
        self._delivered, self._nameless = (mapped.Growing(np.int64) for _ in range(2))
        self._visit_of = mapped.zeros(len(events), np.int32)  # the parts have all events
        self._ways = mapped.zeros(len(events), np.int8)
        self._before = [0] * 6
        self._without_id = 0
        self._destinations: Mapping[int, tuple[int, ...]] = {}
        self._heard: list[tuple[int, int]] = []  # visits of transmissions before a pause, events of them after it
        # Of each node its latest transmission, and the visit that sent it.
        self._latest = np.full((2, len(events.node_names)), NONE, dtype=np.int64)

    def append(self, part: Part, stages: Stages) -> None:
        """Put the stages of the next part below."""
        before = self._before
        before[EVENT] = part.start
        sent, read, stays = stages.transmissions, stages.receptions, stages.visits
        self._left.append(self._assign(part, stages), before)
        self._ways[part.start : part.start + len(part.events)] = stages.ways
        self._unread.append(self._of_known(stages.overheard), before)
        self._sent.append(sent, before)
        self._read.append(read, before)
        self._without_id += read.without_id
        self._visits.append(stays, before)
        self._packets.append(stages.packets, before)
        self._destinations = stages.packets.destinations
        self._passages.append(stages.passages, before)
        self._strange.append(stages.strange, before)
        self._further.append(stages.further.passages, before)
        self._delivered.append(stages.further.deliveries + part.start)
        self._nameless.append(stages.nameless + part.start)
        self._hop_rows.append(stages.hop_rows, before)
        self._not_made.append(stages.not_made, before)
        self._departures.append(stages.departures)
        self._latest[0, sent.nodes] = np.arange(len(sent)) + before[SENT]  # in time order within a node: the last stays
        self._latest[1, sent.nodes] = _moved(stays.of_transmission, before[VISIT])
        frames = int(sent.frames.max(initial=NONE)) + 1
        for kind, count in ((SENT, len(sent)), (FRAME, frames), (READ, len(read)), (VISIT, len(stays))):
            before[kind] += count
        before[PACKET] += len(stays.kinds)
        mapped.relieve()

    def stages(self) -> Stages:
        """The stages of all parts, which are released."""
        sent, order_of_sent, place_of_sent = _by_node(self._sent.take())
        read, order_of_read, place_of_read = _by_node(self._read.take())
        unread = self._unread.take()
        unread, _, _ = _by_node(unread, then=unread["positions"] < 0)
        stays = self._visits.take()
        stays["of_transmission"] = gathered(stays["of_transmission"], order_of_sent)
        for name in ("of_reception", "repeated"):
            stays[name] = gathered(stays[name], order_of_read)
        for columns, name in ((read, "transmissions"), (read, "acknowledged"), (unread, "transmissions")):
            columns[name] = _renumbered(place_of_sent, columns[name])
        sent["ends"] = _ended(self._events, sent)
        places = place_of_sent, place_of_read
        packets = self._packets.take()
        for visit, position in self._heard:  # increasing
            packets["last_events"][stays["packets"][visit]] = position
        return Stages(
            transmissions=Transmissions(**sent),
            receptions=Receptions(**read, without_id=self._without_id),
            overheard=Overheard(**unread),
            visits=Visits(**stays),
            packets=Packets(**packets, destinations=self._destinations),
            nameless=self._nameless.take(),
            visit_of=self._visit_of,
            ways=self._ways,
            unattributed=Unattributed(**self._left.take()),
            passages=self._passages.take(*places),
            strange=self._strange.take(*places),
            further=Further(self._delivered.take(), self._further.take(*places)),
            hop_rows=_hops(self._hop_rows.take(), *places),
            not_made=_hops(self._not_made.take(), *places),
            departures=self._departures.take(),
        )

    def _assign(self, part: Part, stages: Stages) -> Unattributed:
        """Enter the visits of the part's events; gives those that are of no packet."""
        visits = _moved(stages.visit_of, self._before[VISIT])
        pending = np.flatnonzero(visits <= PENDING)
        visits[pending] = self._latest[1, PENDING - visits[pending]]
        self._visit_of[part.start : part.start + len(part.events)] = visits
        left, more = stages.unattributed, pending[visits[pending] < 0]
        heard = pending[visits[pending] >= 0]
        self._heard += zip(visits[heard].tolist(), (heard + part.start).tolist(), strict=True)
        if not len(more):
            return left
        of_line = np.isin(more, np.concatenate([stages.overheard.positions, stages.overheard.exits]))
        positions = np.concatenate([left.positions, more])
        reasons = np.concatenate([left.reasons, np.where(of_line, NO_COMPLETION, NOT_READ).astype(np.uint8)])
        order = np.argsort(positions, kind="stable")
        return Unattributed(positions[order], reasons[order])

    def _of_known(self, unread: Overheard) -> Overheard:
        """The overheard frames with the rows of transmissions of all parts."""
        rows = _moved(unread.transmissions, self._before[SENT])
        pending = np.flatnonzero(rows <= PENDING)
        rows[pending] = self._latest[0, PENDING - rows[pending]]
        return dataclasses.replace(unread, transmissions=rows)


def _moved(values: NDArray[Any], rows: int) -> NDArray[Any]:
    """Rows or positions below others; negative values name none."""
    return np.where(values >= 0, values + values.dtype.type(rows), values) if rows else values.copy()


def _renumbered(places: NDArray[np.int32], rows: NDArray[Any]) -> NDArray[Any]:
    """The new rows of old ones, -1 of none."""
    return gathered(places, rows, rows.dtype.type)


def _by_node(
    columns: dict[str, NDArray[Any]], *, then: NDArray[np.bool_] | None = None
) -> tuple[dict[str, NDArray[Any]], Positions, NDArray[np.int32]]:
    """Columns in the order of their nodes, the order, and the new row of each old one."""
    nodes = columns["nodes"]
    order = np.argsort(nodes, kind="stable") if then is None else np.lexsort((then, nodes))
    place = mapped.zeros(len(order), np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    return (
        {name: values if name in _NOT_BY_NODE else gathered(values, order) for name, values in columns.items()},
        order,
        place,
    )


def _hops(columns: dict[str, NDArray[Any]], of_sent: NDArray[np.int32], of_read: NDArray[np.int32]) -> HopRows:
    columns["sent"], columns["read"] = _renumbered(of_sent, columns["sent"]), _renumbered(of_read, columns["read"])
    return HopRows(**columns)


def _ended(events: Events, sent: Mapping[str, NDArray[Any]]) -> NDArray[np.int64]:
    """int64[t], the ends of transmissions: of those whose end nothing tells not after the next command, or a reset."""
    nodes, begins, ends = sent["nodes"], sent["begins"], sent["ends"]
    resets = {}
    for node in range(len(events.node_names)):
        at = events.positions(RESET, node=node) if len(begins) else np.zeros(0, dtype=np.int64)
        resets[node] = np.append(at, len(events)), np.append(events.samples[at], events.end)
    for part in slices(len(ends)):
        untold = part.start + np.flatnonzero((sent["ends_at"][part] < 0) & ~sent["waited"][part])
        following = untold[untold < len(ends) - 1]
        following = following[nodes[following + 1] == nodes[following]]
        ends[following] = np.minimum(ends[following], begins[following + 1])
        for node in np.unique(nodes[untold]).tolist():
            positions, instants = resets[node]
            at = untold[nodes[untold] == node]
            ends[at] = np.minimum(ends[at], instants[np.searchsorted(positions, sent["commands"][at])])
    return ends

"""A packet with everything that the nodes did meanwhile: of any packet of a recording, also of one that was lost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from gpiorig.analysis.evaluation.analysis import Analysis
from gpiorig.analysis.events.table import BY_CODE
from gpiorig.analysis.figures import packet, packet_boxes
from gpiorig.analysis.figures.packet_boxes import INNER, OUTER, STEP, Box, PacketView
from gpiorig.analysis.figures.palette import KIND_CLASSES, layer_kind
from gpiorig.analysis.number_text import NS_PER_S, time_text
from gpiorig.analysis.packets import delivery, spans, timelines

EVENTS_LANE = "instants"
OTHER = "other"  # the look of what is not of the packet
MARGIN = 0.1  # of a packet's duration, before and after it
Lane = tuple[str, str]


class PacketWindows:
    """The packets of a recording, each with all spans and instants of all nodes around it.

    Parameters
    ----------
    analysis
        The analysis of the recording.
    """

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        events = analysis.events
        self._enters, self._exits = spans.pairs(events)
        self._instants = np.ones(len(events), dtype=bool)
        self._instants[self._enters] = self._instants[self._exits] = False
        self._packet_of = analysis.packet_of
        self._rows = np.unique(self._packet_of[self._packet_of >= 0])

    def view(self, identity: int, *, at: int | None = None) -> PacketView | None:
        """A packet by its id; of several the first, or the one whose first sample is `at`. None: there is none."""
        for route in self._analysis.routes:
            rows = np.flatnonzero((route.ids == identity) & (route.starts == at if at is not None else True))
            if len(rows):
                view = packet_boxes.of_row(route, self._analysis.round_trips, int(rows[0]))
                own = self._row(identity, int(route.starts[rows[0]]))
                return self._surrounded(view, -1 if own is None else own)
        row = self._row(identity, at)
        return None if row is None else self._surrounded(self._incomplete(row), row)

    def _row(self, identity: int, at: int | None) -> int | None:
        """The row of a packet among all packets of the recording; of a round trip that of the request."""
        hops = self._analysis.hops
        if hops is None:
            return None
        rows = self._rows[hops.packets.ids[self._rows] == identity]
        if at is not None:
            rows = rows[hops.packets.starts[rows] == at]
        return int(rows[0]) if len(rows) else None

    def _incomplete(self, row: int) -> PacketView:
        """A packet without steps, from its first event to its last one."""
        events, hops, trips = self._analysis.events, self._analysis.hops, self._analysis.round_trips
        assert hops is not None, "packets are rows of the hops"
        samples = events.samples[self._packet_of == row]
        start, end = int(samples[0]), int(samples[-1])
        of_trip = trips is not None and trips.request_of[row] >= 0
        status = delivery.STATUS[int(hops.packets.status[row])]
        if trips is not None and of_trip:
            status = timelines.STATUS[int(trips.timelines.status[trips.rows(np.array([row]))[0]])]
        period_ns = float(NS_PER_S / events.samplerate_hz)
        sent = time_text(start * period_ns, digits=6)
        text = f"Packet {hops.packets.ids[row]}: {status}; its steps are not all known. Sent {sent} into the recording."
        return PacketView("", text, (), (), start, max(1, end - start), period_ns)

    def _surrounded(self, view: PacketView, row: int) -> PacketView:
        """The packet with the other spans and the instants around it, in further lanes below those of each node."""
        events = self._analysis.events
        margin = max(1, round(MARGIN * view.total))
        begin, end = view.start - margin, view.start + view.total + margin
        known = {(view.lanes[box.lane][0], box.name, box.start, box.end) for box in view.boxes if box.level != STEP}
        drawn: dict[Lane, list[Box]] = {}
        for lane, box in [*self._spans(begin, end, view.start, row), *self._marks(begin, end, view.start, row)]:
            if (lane[0], box.name, box.start, box.end) not in known:
                drawn.setdefault(lane, []).append(box)
        return replace(_with_lanes(view, drawn, events.node_names), window=(begin - view.start, end - view.start))

    def _spans(self, begin: int, end: int, origin: int, row: int) -> Iterable[tuple[Lane, Box]]:
        events = self._analysis.events
        starts, ends = events.samples[self._enters], events.samples[self._exits]
        for span in np.flatnonzero((starts < end) & (ends > begin)).tolist():
            positions = self._enters[span], self._exits[span]
            event = BY_CODE[int(events.codes[positions[0]])]
            node = events.node_names[int(events.nodes[positions[0]])]
            name = event.name.removesuffix(".enter")
            box = Box(
                0, int(starts[span]) - origin, int(ends[span]) - origin, *self._of(name, event.layer, positions, row)
            )
            yield (node, packet.LABELS.get(event.layer, event.layer)), box

    def _marks(self, begin: int, end: int, origin: int, row: int) -> Iterable[tuple[Lane, Box]]:
        events = self._analysis.events
        first, last = np.searchsorted(events.samples, (begin, end))
        for position in (first + np.flatnonzero(self._instants[first:last])).tolist():
            event, at = BY_CODE[int(events.codes[position])], int(events.samples[position]) - origin
            node = events.node_names[int(events.nodes[position])]
            yield (node, EVENTS_LANE), Box(0, at, at, *self._of(event.name, event.layer, (position,), row))

    def _of(self, name: str, layer: str, positions: Iterable[int], row: int) -> tuple[str, str]:
        """Name and look of what some events are of: this packet, another one, or none."""
        hops = self._analysis.hops
        owner = max(int(self._packet_of[position]) for position in positions)
        if owner < 0 or hops is None:
            return name, OTHER
        if owner != row:
            return f"{name} (packet {hops.packets.ids[owner]})", OTHER
        return name, KIND_CLASSES[layer_kind(layer)]


def _with_lanes(view: PacketView, drawn: dict[Lane, list[Box]], nodes: Iterable[str]) -> PacketView:
    """A packet with further lanes: those of a node below its own ones, of other nodes at the end."""
    known = {*view.lanes}
    further = {
        (node, f"{label}: others" if (node, label) in known else label): _nested(boxes)
        for (node, label), boxes in drawn.items()
    }
    order: list[tuple[Lane, int | list[Box]]] = []
    with_lanes = [node for node, _ in view.lanes]
    for at, lane in enumerate(view.lanes):
        order.append((lane, at))
        if lane[0] and lane[0] not in with_lanes[at + 1 :]:
            order += _lanes_of(lane[0], further)
    for node in nodes:
        if node not in with_lanes:
            order += _lanes_of(node, further)
    new = {old: place for place, (_, old) in enumerate(order) if isinstance(old, int)}
    boxes = [replace(box, lane=new[box.lane]) for box in view.boxes]
    for place, (_, added) in enumerate(order):
        if not isinstance(added, int):
            boxes += [replace(box, lane=place) for box in added]
    return replace(view, lanes=tuple(lane for lane, _ in order), boxes=tuple(boxes))


def _lanes_of(node: str, further: dict[Lane, list[list[Box]]]) -> list[tuple[Lane, int | list[Box]]]:
    """The further lanes of a node, by the names of their layers, instants last."""
    labels = sorted((label for name, label in further if name == node), key=lambda label: (label == EVENTS_LANE, label))
    return [
        ((node, label if not place else f"{label} ({place + 1})"), boxes)
        for label in labels
        for place, boxes in enumerate(further[node, label])
    ]


def _nested(boxes: list[Box]) -> list[list[Box]]:
    """The boxes of a layer in as many lanes as they need to nest; those within others are inner ones."""
    lanes: list[tuple[list[Box], list[int]]] = []  # the boxes of a lane, and the ends of those that are open
    for box in sorted(boxes, key=lambda box: (box.start, -box.end)):
        for _, ends in lanes:
            while ends and ends[-1] <= box.start:
                ends.pop()
        lane = next(((placed, ends) for placed, ends in lanes if not ends or box.end <= ends[-1]), None)
        if lane is None:
            lanes.append(lane := ([], []))
        level = INNER if lane[1] else OUTER if box.end > box.start else STEP
        lane[0].append(replace(box, level=level))
        lane[1].append(box.end)
    return [placed for placed, _ in lanes]

"""Packets as boxes on lanes: the content of the page's viewer."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gpiorig.analysis.delays.numbers import short_name
from gpiorig.analysis.figures import packet
from gpiorig.analysis.figures.palette import KIND_CLASSES, layer_kind
from gpiorig.analysis.number_text import NS_PER_S, for_page, time_text
from gpiorig.analysis.packets import spans
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.packets.round_trips import RoundTrips
from gpiorig.analysis.packets.routes import ROUND_TRIP, Route
from gpiorig.analysis.packets.steps import Step

STEPS_LANE = "steps"
STEP, INNER, OUTER = range(3)  # what a box is: a step, or a span with or without a span of its lane around it


@dataclass(frozen=True, slots=True)
class Box:
    """One box.

    Parameters
    ----------
    lane
        Its lane, an index.
    start, end
        Samples since the packet's first instant.
    name
        What it is.
    look
        Class of its colour.
    level
        `STEP`, `INNER` or `OUTER`.
    """

    lane: int
    start: int
    end: int
    name: str
    look: str
    level: int = STEP


@dataclass(frozen=True, slots=True)
class PacketView:
    """One packet.

    Parameters
    ----------
    title
        Its place among all packets: ``median``, ``99th percentile``, ``slowest``.
    text
        The packet in a sentence.
    lanes
        (node, label) of each, from the top.
    boxes
        In any order.
    start
        Sample of its first instant.
    total
        Samples from its first to its last instant.
    period_ns
        Nanoseconds per sample.
    window
        Samples since `start` that it is shown between; None: those of its boxes.
    """

    title: str
    text: str
    lanes: tuple[tuple[str, str], ...]
    boxes: tuple[Box, ...]
    start: int
    total: int
    period_ns: float
    window: tuple[int, int] | None = None

    def as_dict(self) -> dict[str, Any]:
        """The packet for the viewer; times in ns, to a hundredth."""
        scale = self.period_ns
        boxes = [
            [box.lane, round(box.start * scale, 2), round((box.end - box.start) * scale, 2), box.name, box.look]
            + ([box.level] if box.level else [])
            for box in self.boxes
        ]
        total = round(self.total * scale, 2)
        content = {"title": self.title, "text": self.text, "lanes": [list(lane) for lane in self.lanes]}
        window = {} if self.window is None else {"window": [round(end * scale, 2) for end in self.window]}
        return {**content, "boxes": boxes, "start": self.start, "total": total, "period": scale, **window}


def chosen(route: Route) -> dict[str, int]:
    """The packets of a route to show, rows of its steps: the median, the 99th percentile, the slowest.

    Where no packet is slower than that of the 99th percentile, there is none; a single packet is the ``only packet``.
    """
    n = len(route)
    if n <= 1:
        return {"only packet": 0} if n else {}
    order = np.argsort(route.totals, kind="stable")
    places = {"median": (n - 1) // 2, "99th percentile": math.ceil(0.99 * n) - 1, "slowest": n - 1}
    return {name: int(order[place]) for name, place in places.items() if place < n - 1 or name == "slowest"}


def for_route(route: Route, trips: RoundTrips | None) -> tuple[PacketView, ...]:
    """The packets of a route that are shown: with all their spans for round trips, else with their steps."""
    return tuple(of_row(route, trips, row, title) for title, row in chosen(route).items())


def of_row(route: Route, trips: RoundTrips | None, row: int, title: str = "") -> PacketView:
    """A packet of a route, by its row: with all its spans for round trips, else with its steps."""
    if route.name == ROUND_TRIP and trips is not None:
        return _round_trip(route, trips, row, title)
    return _steps_only(route, row, title)


def _text(route: Route, row: int, title: str) -> str:
    period_ns = float(NS_PER_S / route.steps.samplerate_hz)
    total = time_text(float(route.totals[row]) * period_ns, digits=4)
    start = time_text(float(route.starts[row]) * period_ns, digits=6)
    which = f"{title.capitalize()}: packet {route.ids[row]}," if title else f"Packet {route.ids[row]}:"
    return for_page(f"{which} {total}, sent {start} into the recording.")


def _cuts(route: Route, row: int) -> list[int]:
    return [0, *np.cumsum(route.steps.samples[row]).tolist()]


def _steps_only(route: Route, row: int, title: str) -> PacketView:
    steps, cuts = route.steps.steps, _cuts(route, row)
    nodes = list(dict.fromkeys(step.node for step in steps))
    boxes = tuple(
        _step_box(step, nodes.index(step.node), start, end)
        for step, start, end in zip(steps, cuts[:-1], cuts[1:], strict=True)
    )
    lanes = tuple(("", node) for node in nodes)
    return _view(route, row, title, lanes, boxes)


def _round_trip(route: Route, trips: RoundTrips, row: int, title: str) -> PacketView:
    timelines = trips.timelines
    at = int(trips.rows(route.steps.rows[row : row + 1])[0])
    packet_spans = [span for span in spans.for_round_trip(trips, at) if span.node in timelines.nodes]
    places = packet.lanes(timelines, packet_spans).places
    order: dict[tuple[str, str], int] = {key: 1 + int(y) for key, y in places.items()}
    origin = int(timelines.samples[at, 0])
    outer = packet.outermost(packet_spans)
    boxes = [
        Box(
            order[span.node, span.layer], span.start - origin, span.end - origin, span.point,
            KIND_CLASSES[layer_kind(span.layer)], OUTER if span in outer else INNER,
        )
        for span in packet_spans
    ]  # fmt: skip
    cuts = _cuts(route, row)
    air = order["", packet.AIR]
    for step, start, end in zip(route.steps.steps, cuts[:-1], cuts[1:], strict=True):
        boxes.append(_step_box(step, 0, start, end))
        if step.kind in {Kind.AIR, Kind.RADIO_WAIT, Kind.UNDIVIDED}:
            boxes.append(_step_box(step, air, start, end))
    return _view(route, row, title, (("", STEPS_LANE), *_labels(places)), tuple(boxes))


def _labels(places: Mapping[tuple[str, str], float]) -> list[tuple[str, str]]:
    return [(node, packet.LABELS.get(layer, layer)) for node, layer in sorted(places, key=lambda key: places[key])]


def _step_box(step: Step, lane: int, start: int, end: int) -> Box:
    return Box(lane, start, end, short_name(step), KIND_CLASSES[step.kind])


def _view(route: Route, row: int, title: str, lanes: tuple[tuple[str, str], ...], boxes: tuple[Box, ...]) -> PacketView:
    period_ns = float(NS_PER_S / route.steps.samplerate_hz)
    start, total = int(route.starts[row]), int(route.totals[row])
    return PacketView(title, _text(route, row, title), lanes, boxes, start, total, period_ns)

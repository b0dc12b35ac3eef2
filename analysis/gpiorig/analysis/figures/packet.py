"""One packet as a picture: its spans on every layer of both nodes, and its frames on the air."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from gpiorig.analysis.figures.palette import GRID, INK, KIND_COLOURS, SHADE, ink_on, layer_kind
from gpiorig.analysis.number_text import NS_PER_S, time_text
from gpiorig.analysis.packets import spans
from gpiorig.analysis.packets.path import REPLY, REQUEST, Kind
from gpiorig.analysis.packets.round_trips import RoundTrips
from gpiorig.analysis.packets.timelines import NONE, Timelines

LAYERS = ("app", "sock", "udp", "ipv6", "sixlowpan", "mac", "driver", "isr", "radio")
LABELS = {"sixlowpan": "6lowpan", "isr": "interrupt", "radio": "radio line"}
DIRECTION_TEXT = {REQUEST: "request", REPLY: "reply"}
AIR = "air"
# Boxes of a layer inside another box of the same layer are drawn thinner.
FULL, INNER = 0.74, 0.4


@dataclass(frozen=True, slots=True)
class Lanes:
    """The lanes of the layers of both nodes.

    Parameters
    ----------
    places
        (node, layer) -> y; the air is ("", "air"). The initiator's layers are in descending order, the responder's in
        ascending order, so that a packet runs down, through the air, and down again to the other application.
    labels
        y -> text.
    """

    places: dict[tuple[str, str], float]
    labels: dict[float, str]


def lanes(timelines: Timelines, packet_spans: list[spans.Span]) -> Lanes:
    """Lanes for the layers that occur."""
    used = {(span.node, span.layer) for span in packet_spans}
    first, last = timelines.initiator, timelines.responder
    down = [(first, layer) for layer in LAYERS if (first, layer) in used]
    relays = dict.fromkeys(node for node in timelines.nodes if node not in (first, last))
    between = [(node, layer) for node in relays for layer in LAYERS if (node, layer) in used]
    up = [(last, layer) for layer in reversed(LAYERS) if (last, layer) in used]
    order = [*down, ("", AIR), *between, *up]
    places = {key: float(y) for y, key in enumerate(order)}
    return Lanes(places, {y: LABELS.get(layer, layer) for (_, layer), y in places.items()})


def draw(ax: Axes, trips: RoundTrips, row: int, *, window: tuple[int, int], labels: bool = True) -> None:
    """Draw one packet between two samples.

    Parameters
    ----------
    ax
        Where to draw. Time runs from the send call of the application.
    trips, row
        The round trip.
    window
        First and last sample to show.
    labels
        Whether the lanes are named at the left.
    """
    timelines, packet_spans = trips.timelines, spans.for_round_trip(trips, row)
    packet_spans = [span for span in packet_spans if span.node in timelines.nodes]
    where = lanes(timelines, packet_spans)
    origin = int(timelines.samples[row, 0])
    unit_ns, unit = (1e6, "ms") if (window[1] - window[0]) * _period_ns(timelines) > 2.5e6 else (1e3, "µs")
    scale = _period_ns(timelines) / unit_ns
    outer = outermost(packet_spans)
    width = (window[1] - window[0]) * scale
    for span in packet_spans:
        if span.end < window[0] or span.start > window[1]:
            continue
        y = where.places[span.node, span.layer]
        left, right = (span.start - origin) * scale, (span.end - origin) * scale
        is_outer = span in outer
        height = FULL if is_outer else INNER
        alpha = 0.45 if is_outer else 0.95
        colour = KIND_COLOURS[layer_kind(span.layer)]
        box: dict[str, Any] = {"left": left, "height": height, "color": colour, "alpha": alpha, "linewidth": 0}
        ax.barh(y, max(right - left, width / 1500), **box)
        text = span.point.partition(".")[2]
        place = _text_place(span, packet_spans, window, is_outer=is_outer, need=(0.013 * len(text) + 0.012))
        if place is not None:
            at = (place - origin) * scale + width * 0.006
            ink, size = (INK, 6.8) if is_outer else (ink_on(colour), 6.2)
            ax.text(at, y, text, va="center_baseline", fontsize=size, color=ink)
    _draw_air(ax, timelines, row, where, origin=origin, scale=scale, width=width)
    ys = list(where.labels)
    ax.set_yticks(ys, [where.labels[y] if labels else "" for y in ys])
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(max(ys) + 0.6, -0.6)
    ax.set_xlim((window[0] - origin) * scale, (window[1] - origin) * scale)
    ax.set_xlabel(f"time since app.tx ({unit})")
    air = where.places["", AIR]
    ax.axhspan(air - 0.5, air + 0.5, color=SHADE, zorder=0, linewidth=0)
    ax.grid(axis="x", color=GRID, linewidth=0.5)
    ax.set_axisbelow(True)
    if labels:
        for node, y in ((timelines.initiator, (air - 1) / 2), (timelines.responder, (air + 1 + max(ys)) / 2)):
            look: dict[str, Any] = {"ha": "center", "va": "center", "fontweight": "bold"}
            look |= {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "xytext": (-58, 0)}
            ax.annotate(node, (-0.006, y), rotation=90, annotation_clip=False, **look)


def _draw_air(
    ax: Axes, timelines: Timelines, row: int, where: Lanes, *, origin: int, scale: float, width: float
) -> None:
    """The frames on the air, and before each the time the radio waited."""
    y = where.places["", AIR]
    names = [milestone.name for milestone in timelines.milestones]
    for direction in (REQUEST, REPLY):
        prefix = DIRECTION_TEXT[direction]
        wanted = (f"{prefix}.driver.exec.exit", f"{prefix}.air.start", f"{prefix}.irq")
        if not set(wanted) <= set(names):
            continue
        done, start, end = (int(timelines.column(name)[row]) for name in wanted)
        if NONE in (done, start, end):
            continue
        left, right = (start - origin) * scale, (end - origin) * scale
        ax.barh(y, right - left, left=left, height=FULL, color=KIND_COLOURS[Kind.AIR], alpha=0.9, linewidth=0)
        if right - left > 0.09 * width:
            middle = (left + right) / 2
            look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 7.5, "clip_on": True}
            ax.text(middle, y, prefix, color=ink_on(KIND_COLOURS[Kind.AIR]), **look)
        wait = (done - origin) * scale
        ax.plot([wait, left], [y, y], color=KIND_COLOURS[Kind.RADIO_WAIT], linewidth=1.6)
        if left - wait > 0.09 * width:
            text = f"wait {time_text((start - done) * _period_ns(timelines))}"
            ax.text((wait + left) / 2, y - 0.12, text, ha="center", va="bottom", fontsize=7, color=INK, clip_on=True)


def zooms(timelines: Timelines, row: int) -> list[tuple[str, tuple[int, int]]]:
    """The three intervals of a round trip in which software works: (name, window)."""
    named = {m.name: int(s) for m, s in zip(timelines.milestones, timelines.samples[row], strict=True)}

    def known(*names: str) -> int:
        return next((named[name] for name in names if named.get(name, NONE) != NONE), NONE)

    intervals = (
        ("sending", int(timelines.samples[row, 0]), known("request.driver.exec.exit", "request.mac.tx")),
        (
            "at the responder",
            known("request.irq", "request.isr.radio"),
            known("reply.driver.exec.exit", "reply.app.tx"),
        ),
        ("receiving", known("reply.irq", "reply.isr.radio"), int(timelines.samples[row, -1])),
    )
    windows = []
    for name, start, end in intervals:
        if NONE in (start, end) or end <= start:
            continue
        margin = max(1, (end - start) // 25)
        windows.append((name, (start - margin, end + margin)))
    return windows


def typical(timelines: Timelines) -> int:
    """Row of the complete packet whose round-trip time is nearest to the median; -1 if none is complete."""
    complete = timelines.complete
    if not len(complete):
        return -1
    rtt = timelines.rtt[complete]
    return int(complete[np.argsort(rtt, kind="stable")[(len(rtt) - 1) // 2]])


def _period_ns(timelines: Timelines) -> float:
    return float(NS_PER_S / timelines.samplerate_hz)


def outermost(packet_spans: list[spans.Span]) -> set[spans.Span]:
    """The spans that are not inside another one of their lane."""
    outer: set[spans.Span] = set()
    ends: dict[tuple[str, str], int] = {}
    for span in packet_spans:
        lane = (span.node, span.layer)
        if span.start >= ends.get(lane, -1):
            outer.add(span)
            ends[lane] = span.end
    return outer


def _text_place(
    span: spans.Span, packet_spans: list[spans.Span], window: tuple[int, int], *, is_outer: bool, need: float
) -> int | None:
    """Sample at which the name of a box fits: the start of its first interval that is free of inner boxes."""
    lane = [s for s in packet_spans if s is not span and (s.node, s.layer) == (span.node, span.layer)]
    inner = [s for s in lane if span.start <= s.start < span.end] if is_outer else []
    at, room = max(span.start, window[0]), need * (window[1] - window[0])
    for box in sorted(inner, key=lambda s: s.start):
        if box.start - at >= room:
            break
        at = max(at, box.end)
    return at if min(span.end, window[1]) - at >= room else None

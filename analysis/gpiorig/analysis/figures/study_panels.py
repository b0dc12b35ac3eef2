"""Panels of means over repeats: lines, bars, stacks of parts; published values and failed points in them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.transforms import ScaledTranslation

from gpiorig.analysis.figures.palette import INK, SERIES, WARNING, ink_on
from gpiorig.analysis.figures.panels import Chart, Curve, Mark, Panel, Place, Reference

MARKERS = ("o", "s", "^", "D", "v", "P", "X")
SHOWN_REPEATS = 10  # as dots; of more the interval is enough
GROUP = 0.8  # of the distance of two places, for all bars of one
LIGHTEST = 0.2  # of the colour, that the lightest tone has at least
_CROSS_STEP = 7 / 72  # inches between the crosses of curves that failed at one place
_PART_LETTERS = 0.06  # of the height of the axes, that a part needs for its value


def colour_of(number: int | None) -> str:
    """Colour of a curve; of published values that are of no curve, that of the axes."""
    return INK if number is None else SERIES[number % len(SERIES)]


def area_colour(chart: Chart, number: int) -> str:
    """Colour of the area of a curve: of several tones the earliest is the lightest."""
    hue, tone = divmod(number, chart.tones)
    if chart.tones == 1:
        return colour_of(hue)
    share = LIGHTEST + (1 - LIGHTEST) * (tone + 1) / chart.tones
    red, green, blue = (1 - share * (1 - part) for part in to_rgb(colour_of(hue)))
    return to_hex((red, green, blue))


def marker_of(number: int | None) -> str:
    """Marker of a curve; curves with the same colour have different ones."""
    return MARKERS[0] if number is None else MARKERS[(number + number // len(SERIES)) % len(MARKERS)]


def line(ax: Axes, chart: Chart, panel: Panel) -> None:
    """Values over an axis, joined where it is one of numbers."""
    factor, _ = chart.scale(panel.label)
    for curve in panel.curves:
        number = chart.labels.index(curve.label)
        # A line does not pass over a place without a value.
        absent = [Mark(place, math.nan) for place in {*curve.failed} - {mark.place for mark in curve.marks}]
        marks = sorted([*curve.marks, *absent], key=lambda mark: chart.position(mark.place))
        x = [chart.position(mark.place) for mark in marks]
        look: dict[str, Any] = {"color": colour_of(number), "marker": marker_of(number), "zorder": 4}
        joined = "-" if chart.numeric else ""
        ax.plot(x, [mark.value * factor for mark in marks], linestyle=joined, linewidth=1.3, markersize=4.5, **look)
        spread(ax, x, marks, factor, colour=colour_of(number))
        published(ax, chart, curve.published, number, factor)
        crosses(ax, chart, curve, number)


def bars(ax: Axes, chart: Chart, panel: Panel) -> None:
    """Bars in groups, a group per place and a bar per curve."""
    factor, _ = chart.scale(panel.label)
    for curve in panel.curves:
        number = chart.labels.index(curve.label)
        width, away = slot(chart, number)
        x = [chart.position(mark.place) + away for mark in curve.marks]
        heights = [mark.value * factor for mark in curve.marks]
        ax.bar(x, heights, width=0.94 * width, color=area_colour(chart, number), alpha=0.8, zorder=2)
        spread(ax, x, curve.marks, factor, colour=INK)
        published(ax, chart, curve.published, number, factor, away=away)
        crosses(ax, chart, curve, number, away=away)


def stack(ax: Axes, chart: Chart, panel: Panel) -> None:
    """Parts on top of each other, with the value in each; published parts as hollow ones at their right."""
    factor, _ = chart.scale(panel.label)
    hollow = any(curve.published for curve in panel.curves)
    away, width = (-0.2, 0.36) if hollow else (0.0, 0.6)
    feet: dict[Place, float] = {}
    published_feet: dict[Place, float] = {}
    texts: list[tuple[float, float, float, str]] = []
    for curve in panel.curves:
        colour = colour_of(chart.labels.index(curve.label))
        for mark in curve.marks:
            foot, height = feet.get(mark.place, 0.0), mark.value * factor
            x = chart.position(mark.place) + away
            ax.bar(x, height, width=width, bottom=foot, color=colour, zorder=2)
            texts.append((x, foot, height, colour))
            feet[mark.place] = foot + height
        for reference in curve.published:
            if math.isfinite(reference.value) and reference.place in chart.places:
                foot, height = published_feet.get(reference.place, 0.0), reference.value * factor
                look: dict[str, Any] = {"facecolor": "none", "edgecolor": colour, "linestyle": "--", "linewidth": 1.4}
                ax.bar(chart.position(reference.place) + 0.2, height, width=0.33, bottom=foot, zorder=2, **look)
                published_feet[reference.place] = foot + height
        crosses(ax, chart, curve, 0, away=away)
    tallest = max([*feet.values(), *published_feet.values()], default=0.0)
    for x, foot, height, colour in texts:
        if height > _PART_LETTERS * tallest:
            place: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 7.5, "zorder": 5}
            ax.text(x, foot + height / 2, f"{height:.3g}", color=ink_on(colour), **place)
    for place_, foot in feet.items():
        ax.annotate(f"{foot:.3g}", (chart.position(place_) + away, foot), xytext=(0, 2), textcoords="offset points",
                    ha="center", fontsize=7.5)  # fmt: skip


def slot(chart: Chart, number: int) -> tuple[float, float]:
    """Width of the bar of a curve, and its distance from the middle of the group."""
    width = GROUP / max(1, len(chart.labels))
    return width, (number + 0.5) * width - GROUP / 2


def spread(ax: Axes, x: Sequence[float], marks: Sequence[Mark], factor: float, *, colour: str) -> None:
    """The interval of each value as a bar with caps, and its repeats as dots."""
    bounded = [(at, mark) for at, mark in zip(x, marks, strict=True) if math.isfinite(mark.low + mark.high)]
    if bounded:
        below = [max(0.0, mark.value - mark.low) * factor for _, mark in bounded]
        above = [max(0.0, mark.high - mark.value) * factor for _, mark in bounded]
        places, values = [at for at, _ in bounded], [mark.value * factor for _, mark in bounded]
        look: dict[str, Any] = {"linestyle": "", "ecolor": colour, "elinewidth": 1.1, "capsize": 2.6, "zorder": 3}
        ax.errorbar(places, values, yerr=[below, above], **look)
    dotted = [
        (at, value * factor)
        for at, mark in zip(x, marks, strict=True)
        for value in mark.repeats
        if 1 < len(mark.repeats) <= SHOWN_REPEATS
    ]
    if dotted:
        ax.plot(*zip(*dotted, strict=True), ".", color=colour, markersize=3.2, alpha=0.55, zorder=3)


def published(
    ax: Axes, chart: Chart, references: Sequence[Reference], number: int | None, factor: float, *, away: float = 0.0
) -> None:
    """Published values as hollow marks, published ranges as shaded bars; never joined."""
    colour = colour_of(number)
    for reference in references:
        x = chart.position(reference.place) + away
        if math.isnan(x):
            continue
        if math.isfinite(reference.low) and math.isfinite(reference.high):
            look: dict[str, Any] = {"color": colour, "alpha": 0.3, "linewidth": 8, "capstyle": "butt", "zorder": 2.5}
            ax.vlines(x, reference.low * factor, reference.high * factor, **look)
        if math.isfinite(reference.value):
            hollow: dict[str, Any] = {"markerfacecolor": "none", "markeredgecolor": colour, "markeredgewidth": 1.5}
            if chart.kind != "line":
                hollow["markeredgecolor"] = INK
            ax.plot(x, reference.value * factor, marker_of(number), markersize=8, zorder=5, **hollow)


def crosses(ax: Axes, chart: Chart, curve: Curve, number: int, *, away: float = 0.0) -> None:
    """Failed points as crosses on the axis, above each other where several curves failed."""
    if not curve.failed:
        return
    lift = 0.0 if away else number * _CROSS_STEP
    place = ax.get_xaxis_transform() + ScaledTranslation(0, lift, ax.figure.dpi_scale_trans)
    x = [chart.position(at) + away for at in curve.failed]
    colour = WARNING if chart.kind != "line" else colour_of(number)
    look: dict[str, Any] = {"markersize": 6, "markeredgewidth": 1.6, "clip_on": False, "zorder": 6}
    ax.plot(x, [0.0] * len(x), "x", color=colour, transform=place, **look)

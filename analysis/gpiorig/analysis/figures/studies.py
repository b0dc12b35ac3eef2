"""Figures of a study: a grid of panels with one legend at the foot, which never covers data."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from gpiorig.analysis.figures import style
from gpiorig.analysis.figures.palette import FAINT, GRID, INK, WARNING
from gpiorig.analysis.figures.panels import Chart, Panel
from gpiorig.analysis.figures.plates import SUPTITLE, WIDTH
from gpiorig.analysis.figures.study_panels import (
    bars,
    box,
    colour_of,
    dots,
    ecdf,
    line,
    line_of,
    marker_of,
    published,
    stack,
)

PANEL_HEIGHT = 2.5  # inches
FROM_ZERO = 0.6  # of the largest value: with a smaller one the axis begins at 0
HEADROOM = 1.09
TITLE_LETTERS = 100  # in a row of the title
TICK_ROOM = 0.07  # of the width of a figure, between places of a numeric axis that are named; with less, round numbers
LETTER = 0.068  # inches, of a legend or a tick, on average
_DRAW: Mapping[str, Callable[[Axes, Chart, Panel], None]] = {
    "line": line,
    "bars": bars,
    "stack": stack,
    "ecdf": ecdf,
    "box": box,
    "dots": dots,
}
_DASHES = ((0, (5, 2)), (0, (1, 1.5)), (0, (7, 2, 1, 2)), (0, (3, 1.5)))


def draw(chart: Chart) -> Figure:
    """The figure of a chart: panels with the same label share their scale."""
    handles = _handles(chart)
    legend = _legend_columns(handles)
    legend_height = 0.12 + 0.2 * math.ceil(len(handles) / legend) if handles else 0.0
    title = "\n".join(textwrap.wrap(chart.title, TITLE_LETTERS))
    columns = _columns(chart)
    rows = math.ceil(len(chart.panels) / columns)
    height = 0.25 * title.count("\n") + 0.3 + PANEL_HEIGHT * rows + legend_height
    with style.paper():
        figure = style.new_figure(width=WIDTH, height=height, legend=legend_height, virtual=chart.virtual)
        grid = figure.add_gridspec(rows, columns)
        first: dict[str, Axes] = {}
        for number, panel in enumerate(chart.panels):
            row, column = divmod(number, columns)
            shared = first.get(panel.label) if chart.kind != "ecdf" else None
            ax = figure.add_subplot(grid[row, column], sharey=shared)
            first.setdefault(panel.label, ax)
            _panel(ax, chart, panel)
        for label, ax in first.items():
            _fit(ax, chart, label)
        figure.suptitle(title, **SUPTITLE)
        if handles:
            foot = (style.TAG_HEIGHT if chart.virtual else 0.0) / height
            place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, foot), "handlelength": 1.8}
            figure.legend(handles=handles, ncols=legend, columnspacing=1.6, **place)
        return figure


def _columns(chart: Chart) -> int:
    """Panels in a row."""
    return 1 if style.is_narrow() else chart.columns


def _panel(ax: Axes, chart: Chart, panel: Panel) -> None:
    if "x" in chart.log and (chart.numeric or chart.kind == "ecdf"):
        ax.set_xscale("log")
    _DRAW[chart.kind](ax, chart, panel)
    factor, unit = chart.scale(panel.label)
    if chart.kind not in ("ecdf", "stack"):
        published(ax, chart, panel.published, None, factor)
    levels = _levels(chart)
    for label, value in panel.levels:
        dash = _DASHES[levels.index(label) % len(_DASHES)]
        ax.axhline(value * factor, color=INK, linewidth=1, linestyle=dash, zorder=1)
    if panel.title:
        letters = int(TITLE_LETTERS * style.page_width() / WIDTH) // _columns(chart)
        ax.set_title(textwrap.fill(panel.title, letters), fontsize=9, fontweight="normal", pad=5)
    label = f"{panel.label} ({unit})" if unit else panel.label
    if chart.kind == "ecdf":
        ax.set_xlabel(label)
        ax.set_ylabel("share at or below")
        return
    ax.set_ylabel(textwrap.fill(label, 34))
    if not chart.numeric:
        _name_places(ax, chart)
    elif _has_room(chart):
        ax.set_xticks([chart.position(place) for place in chart.places], [place_text(place) for place in chart.places])
    ax.set_xlabel("" if chart.x == "node" else chart.x)
    ax.grid(axis="y", color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    if "y" in chart.log:
        ax.set_yscale("log")


def _fit(ax: Axes, chart: Chart, label: str) -> None:
    """The axis of values begins at 0 where the values are far apart, so that heights can be compared."""
    if chart.kind == "ecdf" or "y" in chart.log:
        return
    factor, _ = chart.scale(label)
    siblings = [ax, *ax.get_shared_y_axes().get_siblings(ax)]
    low, high = (pick(sibling.dataLim.intervaly) for pick, sibling in ((min, ax), (max, ax)))
    low = min([low, *(float(sibling.dataLim.y0) for sibling in siblings)])
    high = max([high, *(float(sibling.dataLim.y1) for sibling in siblings)])
    if not math.isfinite(high - low):  # no values at all
        ax.set_ylim(0, 1)
        return
    least = min(
        (value * factor for panel in chart.panels if panel.label == label for value in panel.middles()), default=0
    )
    if least >= 0 and (chart.kind in ("bars", "stack") or least < FROM_ZERO * high):
        ax.set_ylim(0, HEADROOM * high if high > 0 else 1)
    else:
        margin = 0.1 * (high - low) or 0.1 * abs(high) or 1
        ax.set_ylim(low - margin, high + margin)


def _has_room(chart: Chart) -> bool:
    """Whether the places of a numeric axis can be named without an overlap."""
    if "x" in chart.log:
        return False
    at = sorted(chart.position(place) for place in chart.places)
    nearest = min(right - left for left, right in itertools.pairwise(at))
    return nearest >= TICK_ROOM * _columns(chart) * WIDTH / style.page_width() * (at[-1] - at[0])


def _name_places(ax: Axes, chart: Chart) -> None:
    """The places under the axis, wrapped or turned where they are too long."""
    letters = max(5, int((style.page_width() / _columns(chart) - 0.8) / max(1, len(chart.places)) / LETTER))
    names = [place_text(place) for place in chart.places]
    longest = max((len(word) for name in names for word in name.split()), default=0)
    wrapped = [textwrap.fill(name, letters, break_long_words=False) for name in names]
    turned: dict[str, Any] = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"} if longest > letters else {}
    ax.set_xticks(range(len(names)), names if turned else wrapped, **turned)
    ax.set_xlim(-0.6, len(names) - 0.4)


def place_text(place: object) -> str:
    """A value of an axis as text."""
    if isinstance(place, bool):
        return "yes" if place else "no"
    return f"{place:g}" if isinstance(place, float) else str(place)


def _handles(chart: Chart) -> list[Artist]:
    """The entries of the legend."""
    handles: list[Artist] = []
    if len(chart.labels) > 1 or chart.labels[:1] not in ((), ("",)):
        handles += [_curve_handle(chart, number, label) for number, label in enumerate(chart.labels)]
    handles += [
        Line2D([], [], color=INK, linewidth=1, linestyle=_DASHES[number % len(_DASHES)], label=label)
        for number, label in enumerate(_levels(chart))
    ]
    curves = [curve for panel in chart.panels for curve in panel.curves]
    references = [reference for panel in chart.panels for reference in panel.references]
    hollow: dict[str, Any] = {"markerfacecolor": "none", "color": INK, "linestyle": ""}
    if chart.kind == "stack" and references:
        handles.append(Patch(facecolor="none", edgecolor=INK, linestyle="--", label="published"))
    else:
        if any(math.isfinite(reference.value) for reference in references):
            handles.append(Line2D([], [], marker="o", markersize=7, label="published", **hollow))
        if any(math.isfinite(reference.low) for reference in references):
            handles.append(Patch(facecolor=FAINT, alpha=0.35, label="published range"))
    if chart.kind != "ecdf" and any(curve.failed for curve in curves):
        look: dict[str, Any] = {"linestyle": "", "markersize": 6, "markeredgewidth": 1.6}
        handles.append(Line2D([], [], marker="x", color=WARNING, label="failed", **look))
    return handles


def _curve_handle(chart: Chart, number: int, label: str) -> Artist:
    colour = colour_of(number)
    if chart.kind in ("bars", "stack", "box"):
        return Patch(color=colour, label=label)
    marker = "" if chart.kind == "ecdf" else marker_of(number)
    joined: dict[str, Any] = {"linestyle": line_of(number) if chart.kind == "ecdf" else "-" if chart.numeric else ""}
    return Line2D([], [], color=colour, marker=marker, markersize=5, label=label, **joined)


def _levels(chart: Chart) -> list[str]:
    """Labels of the horizontal lines, each once."""
    return list(dict.fromkeys(label for panel in chart.panels for label, _ in panel.levels))


def _legend_columns(handles: list[Artist]) -> int:
    longest = max((len(str(handle.get_label())) for handle in handles), default=0)
    return max(1, min(len(handles), int(style.page_width() / (0.55 + LETTER * longest))))

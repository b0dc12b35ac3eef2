"""Figures of a study: a grid of panels with one legend at the foot, which never covers data."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Mapping
from typing import Any

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from gpiorig.analysis.figures import study_axes, style
from gpiorig.analysis.figures.palette import FAINT, INK, WARNING
from gpiorig.analysis.figures.panels import Chart, Panel
from gpiorig.analysis.figures.plates import SUPTITLE
from gpiorig.analysis.figures.study_distributions import box, dots, ecdf, histogram, line_of, scatter
from gpiorig.analysis.figures.study_panels import area_colour, bars, colour_of, line, marker_of, published, stack

PANEL_HEIGHT = 2.5  # inches
TITLE_LETTERS = 100  # in a row of the title
_DRAW: Mapping[str, Callable[[Axes, Chart, Panel], None]] = {
    "line": line,
    "bars": bars,
    "stack": stack,
    "ecdf": ecdf,
    "histogram": histogram,
    "box": box,
    "dots": dots,
    "scatter": scatter,
}
_OWN_REFERENCES = ("ecdf", "histogram", "scatter", "stack")  # kinds that draw all published values themselves
_PATCHES = ("bars", "stack", "box", "histogram")  # kinds whose curves are areas in the legend
_DASHES = ((0, (5, 2)), (0, (1, 1.5)), (0, (7, 2, 1, 2)), (0, (3, 1.5)))


def draw(chart: Chart) -> Figure:
    """The figure of a chart: panels with the same label share their scale."""
    handles = _handles(chart)
    legend = _legend_columns(handles)
    legend_height = 0.12 + 0.2 * math.ceil(len(handles) / legend) if handles else 0.0
    title = "\n".join(textwrap.wrap(chart.title, TITLE_LETTERS))
    columns = study_axes.columns(chart)
    rows = math.ceil(len(chart.panels) / columns)
    height = 0.25 * title.count("\n") + 0.3 + PANEL_HEIGHT * rows + legend_height
    with style.paper():
        figure = style.new_figure(width=style.WIDE, height=height, legend=legend_height, virtual=chart.virtual)
        grid = figure.add_gridspec(rows, columns)
        first: dict[str, Axes] = {}
        for number, panel in enumerate(chart.panels):
            row, column = divmod(number, columns)
            sibling = first.get(panel.label)
            on_x, on_y = (sibling, None) if chart.values_on_x else (None, sibling)
            ax = figure.add_subplot(grid[row, column], sharex=on_x, sharey=on_y)
            first.setdefault(panel.label, ax)
            _panel(ax, chart, panel)
        for ax, panel in zip(figure.axes, chart.panels, strict=True):
            study_axes.fit(ax, chart, panel.label)
        for ax in figure.axes:
            if not (chart.numeric and study_axes.has_room(chart)):
                study_axes.label_logarithmic(ax.xaxis)
            study_axes.label_logarithmic(ax.yaxis)
        figure.suptitle(title, **SUPTITLE)
        if handles:
            foot = (style.TAG_HEIGHT if chart.virtual else 0.0) / height
            place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, foot), "handlelength": 1.8}
            figure.legend(handles=handles, ncols=legend, columnspacing=1.6, **place)
        return figure


def _panel(ax: Axes, chart: Chart, panel: Panel) -> None:
    if "x" in chart.log and (chart.numeric or chart.values_on_x or chart.kind == "scatter"):
        ax.set_xscale("log")
    _DRAW[chart.kind](ax, chart, panel)
    factor, _ = chart.scale(panel.label)
    if chart.kind not in _OWN_REFERENCES:
        published(ax, chart, panel.published, None, factor)
    levels = _levels(chart)
    for label, value in panel.levels:
        across = ax.axvline if chart.values_on_x else ax.axhline
        across(value * factor, color=INK, linewidth=1, linestyle=_DASHES[levels.index(label) % len(_DASHES)], zorder=1)
    if panel.title:
        letters = int(TITLE_LETTERS * style.page_width() / style.WIDE) // study_axes.columns(chart)
        ax.set_title(textwrap.fill(panel.title, letters), fontsize=9, fontweight="normal", pad=5)
    study_axes.dress(ax, chart, panel)


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
    if chart.kind in ("line", "bars", "stack", "box", "dots") and any(curve.failed for curve in curves):
        look: dict[str, Any] = {"linestyle": "", "markersize": 6, "markeredgewidth": 1.6}
        handles.append(Line2D([], [], marker="x", color=WARNING, label="failed", **look))
    return handles


def _curve_handle(chart: Chart, number: int, label: str) -> Artist:
    colour = colour_of(number)
    if chart.kind in _PATCHES:
        return Patch(color=area_colour(chart, number) if chart.kind in ("bars", "box") else colour, label=label)
    marker = "" if chart.kind == "ecdf" else marker_of(number)
    joined: dict[str, Any] = {"linestyle": line_of(number) if chart.kind == "ecdf" else "-" if chart.numeric else ""}
    return Line2D([], [], color=colour, marker=marker, markersize=5, label=label, **joined)


def _levels(chart: Chart) -> list[str]:
    """Labels of the horizontal lines, each once."""
    return list(dict.fromkeys(label for panel in chart.panels for label, _ in panel.levels))


def _legend_columns(handles: list[Artist]) -> int:
    longest = max((len(str(handle.get_label())) for handle in handles), default=0)
    return max(1, min(len(handles), int(style.page_width() / (0.55 + study_axes.LETTER * longest))))

"""Panels of the values themselves: distribution functions, histograms, boxes, dots, values over time.

Repeats are never pooled.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from matplotlib import cbook
from matplotlib.axes import Axes
from numpy.typing import NDArray

from gpiorig.analysis.figures import thinning
from gpiorig.analysis.figures.palette import GRID, INK, PAPER, SERIES
from gpiorig.analysis.figures.panels import Chart, Distribution, Panel, Reference
from gpiorig.analysis.figures.study_panels import area_colour, colour_of, crosses, marker_of, published, slot, spread

DOTS = 300  # of one node; more are thinned evenly
OUTLIERS = 200  # of one box; more are thinned evenly, both ends stay
FEW = 200  # values of a curve of `scatter` with larger marks
SCATTERED = 2000  # of one curve; more are thinned evenly, the least and the largest stay
WHISKER = 1.5  # of the interquartile range: J. W. Tukey, "Exploratory Data Analysis" (1977), 2C
MIN_BINS, MAX_BINS = 8, 60
_MARKED = ("med", "q1", "q3", "whislo", "whishi")
_LINES = ("-", "--", ":", "-.")


def ecdf(ax: Axes, chart: Chart, panel: Panel) -> None:
    """Distribution functions, a thin curve for each repeat."""
    factor, _ = chart.scale(panel.label)
    for curve in panel.curves:
        number = chart.labels.index(curve.label)
        runs = [run for distribution in curve.distributions for run in distribution.runs if len(run)]
        look: dict[str, Any] = {"color": colour_of(number), "linestyle": line_of(number)}
        look |= {"linewidth": 1.3 if len(runs) == 1 else 0.8, "alpha": 1.0 if len(runs) == 1 else 0.75}
        for run in runs:
            x, share = thinning.ecdf(run * factor)
            ax.step(np.concatenate([x[:1], x]), np.concatenate([[0.0], share]), where="post", **look)
        _published(ax, curve.published, colour_of(number), factor, along="x")
    _published(ax, panel.published, colour_of(None), factor, along="x")
    ax.set_ylim(0, 1.02)
    ax.grid(color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)


def histogram(ax: Axes, chart: Chart, panel: Panel) -> None:
    """Shares of the values in equal bins, which all panels of this label have; the mean over the repeats of each."""
    factor, _ = chart.scale(panel.label)
    edges = bins(chart, panel.label)
    for curve in panel.curves:
        number = chart.labels.index(curve.label)
        runs = [run for distribution in curve.distributions for run in distribution.runs if len(run)]
        if runs:
            share = np.mean([np.histogram(run, edges)[0] / len(run) for run in runs], axis=0)
            look: dict[str, Any] = {"color": colour_of(number), "linestyle": line_of(number)}
            ax.stairs(100 * share, edges * factor, fill=True, alpha=0.3, color=colour_of(number))
            ax.stairs(100 * share, edges * factor, linewidth=1.2, **look)
        _published(ax, curve.published, colour_of(number), factor, along="x")
    _published(ax, panel.published, colour_of(None), factor, along="x")
    ax.set_ylim(0)
    ax.grid(axis="y", color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)


def bins(chart: Chart, label: str) -> NDArray[np.float64]:
    """float64[n], edges in SI of the bins that hold the values of all panels with a label.

    Their width is that of Freedman and Diaconis or of Sturges, the smaller one (`numpy.histogram_bin_edges`, "auto").
    """
    runs = [
        run
        for panel in chart.panels
        if panel.label == label
        for curve in panel.curves
        for distribution in curve.distributions
        for run in distribution.runs
    ]
    values = np.concatenate(runs) if runs else np.zeros(0)
    if not len(values) or values.min() == values.max():
        middle = float(values[0]) if len(values) else 0.0
        width = 0.01 * abs(middle) or 1.0
        return np.linspace(middle - width, middle + width, MIN_BINS)
    is_log = "x" in chart.log and bool(values.min() > 0)
    scaled = np.log10(values) if is_log else values
    count = int(np.clip(len(np.histogram_bin_edges(scaled, "auto")) - 1, MIN_BINS, MAX_BINS))
    edges = np.linspace(scaled.min(), scaled.max(), count + 1)
    if not is_log:
        return edges
    return np.concatenate([values.min(keepdims=True), 10 ** edges[1:-1], values.max(keepdims=True)])


def line_of(number: int) -> Any:
    """Line of a distribution function; curves with the same colour have different ones."""
    return _LINES[number // len(SERIES) % len(_LINES)]


def _published(
    ax: Axes, references: Sequence[Reference], colour: str, factor: float, *, along: Literal["x", "y"]
) -> None:
    """Published values along the axis of the values: ranges as shaded bands, values as hollow marks.

    Of distributions, along x, a mark is at half the height; of values over time, along y, at the right edge.
    """
    transform = ax.get_xaxis_transform() if along == "x" else ax.get_yaxis_transform()
    look: dict[str, Any] = {"markerfacecolor": "none", "color": colour, "markeredgewidth": 1.5, "zorder": 5}
    for reference in references:
        if np.isfinite(reference.low) and np.isfinite(reference.high):
            span = ax.axvspan if along == "x" else ax.axhspan
            span(reference.low * factor, reference.high * factor, color=colour, alpha=0.18, linewidth=0)
        if np.isfinite(reference.value):
            place = (reference.value * factor, 0.5) if along == "x" else (1.0, reference.value * factor)
            ax.plot(*place, "o", markersize=8, transform=transform, clip_on=along == "x", **look)


def box(ax: Axes, chart: Chart, panel: Panel) -> None:
    """Tukey's boxes: of several repeats the mean of each quartile and whisker, with the outliers of every repeat."""
    factor, _ = chart.scale(panel.label)
    for curve in panel.curves:
        number = chart.labels.index(curve.label)
        width, away = slot(chart, number)
        for distribution in curve.distributions:
            if stats := tukey(distribution, factor):
                at = chart.position(distribution.place) + away
                _box(ax, stats, at=at, width=min(0.75 * width, 0.4), colour=area_colour(chart, number))
        # Next to the box, not on it.
        published(ax, chart, curve.published, number, factor, away=away + 0.45 * width)
        crosses(ax, chart, curve, number, away=away)


def tukey(distribution: Distribution, factor: float) -> dict[str, Any]:
    """Statistics of a box as `Axes.bxp` takes them; empty without values.

    A whisker ends at the last value within `WHISKER` times the interquartile range of its quartile; values beyond are
    the outliers (``fliers``). Each repeat has its own, of which the means are drawn.
    """
    runs = [run * factor for run in distribution.runs if len(run)]
    if not runs:
        return {}
    boxes = [cbook.boxplot_stats(run, whis=WHISKER)[0] for run in runs]
    beyond = np.sort(np.concatenate([stats["fliers"] for stats in boxes]))
    places = np.unique(np.linspace(0, len(beyond) - 1, min(len(beyond), OUTLIERS)).round().astype(np.int64))
    return {name: float(np.mean([stats[name] for stats in boxes])) for name in _MARKED} | {"fliers": beyond[places]}


def _box(ax: Axes, stats: dict[str, Any], *, at: float, width: float, colour: str) -> None:
    line: dict[str, Any] = {"color": INK, "linewidth": 0.9}
    look: dict[str, Any] = {  # the edge shows the colour also of a box that is as thin as its median
        "boxprops": {"facecolor": colour, "edgecolor": colour, "linewidth": 2.6},
        "medianprops": {"color": INK, "linewidth": 1.0},
        "flierprops": {"marker": "o", "markersize": 2.4, "markerfacecolor": "none", "markeredgecolor": colour},
        "whiskerprops": line,
        "capprops": line,
    }
    ax.bxp([stats], positions=[at], widths=width, patch_artist=True, manage_ticks=False, zorder=3, **look)


def dots(ax: Axes, chart: Chart, panel: Panel) -> None:
    """A dot per node with its interval; of values each one, in the order of time from left to right."""
    factor, _ = chart.scale(panel.label)
    for curve in panel.curves:
        number = chart.labels.index(curve.label)
        width, away = slot(chart, number)
        for distribution in curve.distributions:
            values = np.concatenate(distribution.runs) * factor
            values = values[:: max(1, len(values) // DOTS)]
            x = chart.position(distribution.place) + away + 0.8 * width * (np.linspace(0, 1, len(values)) - 0.5)
            ax.plot(x, values, ".", color=colour_of(number), markersize=2.6, alpha=0.7)
        x_marks = [chart.position(mark.place) + away for mark in curve.marks]
        values_of_marks = [mark.value * factor for mark in curve.marks]
        look: dict[str, Any] = {"color": colour_of(number), "markersize": 6, "zorder": 4, "markeredgecolor": PAPER}
        ax.plot(x_marks, values_of_marks, marker_of(number), **look)
        spread(ax, x_marks, curve.marks, factor, colour=colour_of(number))
        published(ax, chart, curve.published, number, factor, away=away)
        crosses(ax, chart, curve, number, away=away)


def scatter(ax: Axes, chart: Chart, panel: Panel) -> None:
    """The values of the earliest repeat with any, over their place in time or in the order of the packets."""
    factor, _ = chart.scale(panel.label)
    for curve in panel.curves:
        number = chart.labels.index(curve.label)
        for distribution in curve.distributions:
            pairs = [(run, at) for run, at in zip(distribution.runs, distribution.at, strict=True) if len(run)]
            if not pairs:
                continue
            values, at = pairs[0]
            rows = _thinned(values)
            look: dict[str, Any] = {"color": colour_of(number), "alpha": 0.8, "linestyle": "", "markeredgewidth": 0}
            look |= {"markersize": 2.8 if len(rows) > FEW else 4.5}
            ax.plot(at[rows], values[rows] * factor, marker_of(number), **look)
        _published(ax, curve.published, colour_of(number), factor, along="y")
    _published(ax, panel.published, colour_of(None), factor, along="y")


def _thinned(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """int64[m], the values to draw: all, or evenly thinned ones with the least and the largest."""
    if len(values) <= SCATTERED:
        return np.arange(len(values))
    even = np.linspace(0, len(values) - 1, SCATTERED).round().astype(np.int64)
    return np.unique(np.concatenate([even, [values.argmin(), values.argmax()]]))

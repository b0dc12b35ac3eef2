"""Panels of a study with distributions: functions, boxes, dots for each node. Repeats are never pooled."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from gpiorig.analysis.figures import thinning
from gpiorig.analysis.figures.palette import GRID, INK, PAPER, SERIES
from gpiorig.analysis.figures.panels import Chart, Distribution, Panel, Reference
from gpiorig.analysis.figures.study_means import colour_of, crosses, marker_of, published, slot, spread

QUANTILES = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
DOTS = 300  # of one node; more are thinned evenly
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
        _published_values(ax, curve.published, colour_of(number), factor)
    _published_values(ax, panel.published, colour_of(None), factor)
    ax.set_ylim(0, 1.02)
    if "x" in chart.log:
        ax.set_xscale("log")
    ax.grid(color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)


def line_of(number: int) -> Any:
    """Line of a distribution function; curves with the same colour have different ones."""
    return _LINES[number // len(SERIES) % len(_LINES)]


def _published_values(ax: Axes, references: Sequence[Reference], colour: str, factor: float) -> None:
    """Published values of a distribution: hollow marks at half the height, ranges as shaded bars."""
    for reference in references:
        if math.isfinite(reference.low) and math.isfinite(reference.high):
            ax.axvspan(reference.low * factor, reference.high * factor, color=colour, alpha=0.18, linewidth=0)
        if math.isfinite(reference.value):
            look: dict[str, Any] = {"markerfacecolor": "none", "color": colour, "markeredgewidth": 1.5, "zorder": 5}
            ax.plot(reference.value * factor, 0.5, "o", markersize=8, **look)


def box(ax: Axes, chart: Chart, panel: Panel) -> None:
    """Boxes: the mean over the repeats of range, 5 to 95 %, quartiles and median."""
    factor, _ = chart.scale(panel.label)
    for curve in panel.curves:
        number = chart.labels.index(curve.label)
        width, away = slot(chart, number)
        for distribution in curve.distributions:
            x = chart.position(distribution.place) + away
            _box(ax, quantiles(distribution) * factor, x=x, colour=colour_of(number), width=min(0.7 * width, 0.3))
        # Next to the box, not on it.
        published(ax, chart, curve.published, number, factor, away=away + 0.45 * width)
        crosses(ax, chart, curve, number, away=away)


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


def quantiles(distribution: Distribution) -> NDArray[np.float64]:
    """float64[7], the mean over the repeats of each of `QUANTILES`; NaN without values."""
    runs = [np.quantile(run, QUANTILES) for run in distribution.runs if len(run)]
    return np.mean(runs, axis=0) if runs else np.full(len(QUANTILES), np.nan)


def _box(ax: Axes, at: NDArray[np.float64], *, x: float, colour: str, width: float) -> None:
    least, p5, p25, middle, p75, p95, most = at.tolist()
    ax.vlines(x, least, most, color=INK, linewidth=0.8, zorder=2)
    ax.hlines([least, most], x - width / 4, x + width / 4, color=INK, linewidth=0.8, zorder=2)
    ax.bar(x, p95 - p5, bottom=p5, width=0.45 * width, color=colour, zorder=3)
    ax.bar(x, p75 - p25, bottom=p25, width=width, color=colour, zorder=3)
    ax.hlines(middle, x - 0.6 * width, x + 0.6 * width, color=INK, linewidth=1.4, zorder=4)

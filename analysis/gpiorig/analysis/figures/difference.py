"""Two runs in one figure: median and p95 of the delays that changed, and their differences as bars around zero."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from gpiorig.analysis.figures import style
from gpiorig.analysis.figures.palette import FAINT, GRID, INK, PAPER
from gpiorig.analysis.number_text import round_time_text, time_text
from gpiorig.analysis.statistics.intervals import Interval

MARKS = (("median", "o", -0.19), ("p95", "D", 0.19))  # statistic, marker, place in the row
PALE = 0.5  # of the colour of a bar of p95
NAME_LETTERS = 34  # in a line


@dataclass(frozen=True, slots=True)
class Row:
    """One delay in both runs, in ns.

    Parameters
    ----------
    name, colour
        Its name, and the colour of its kind.
    base, new, change
        By statistic, those of `MARKS`: of each run, and new minus base.
    """

    name: str
    colour: str
    base: dict[str, Interval]
    new: dict[str, Interval]
    change: dict[str, Interval]


def draw(rows: Sequence[Row], *, names: tuple[str, str], virtual: bool) -> Figure:
    """The figure: values at the left (above, in a narrow figure), differences at the right."""
    narrow = style.is_narrow()
    high, legend = 0.75 + 0.42 * len(rows), 0.55 if narrow else 0.32
    with style.paper():
        height = legend + high * (2 if narrow else 1)
        figure = style.new_figure(width=style.REPORT_WIDE, height=height, legend=legend, virtual=virtual)
        values, differences = style.panels(figure, 2)
        _values(values, rows)
        _differences(differences, rows)
        values.set_yticks(range(len(rows)), [textwrap.fill(row.name, NAME_LETTERS) for row in rows])
        named = values.get_yticklabels() if narrow else ()
        differences.set_yticks(range(len(rows)), [label.get_text() for label in named] or [""] * len(rows))
        for ax in (values, differences):
            ax.set_ylim(len(rows) - 0.4, -0.6)
            ax.tick_params(axis="y", length=0)
            ax.grid(axis="x", color=GRID, linewidth=0.6)
            ax.set_axisbelow(True)
        _legend(figure, names, virtual=virtual)
        return figure


def _values(ax: Axes, rows: Sequence[Row]) -> None:
    """A hollow dot for the base and a filled one for the new run, joined, with their intervals."""
    for y, row in enumerate(rows):
        for statistic, marker, shift in MARKS:
            pair = [side[statistic] for side in (row.base, row.new)]
            ends = [max(one.value, 1.0) for one in pair]
            look: dict[str, Any] = {"color": row.colour, "solid_capstyle": "butt"}
            ax.plot(ends, [y + shift] * 2, linewidth=1.0, **look)
            for one, end, face in zip(pair, ends, (PAPER, row.colour), strict=True):
                if math.isfinite(one.low + one.high):
                    ax.plot([max(one.low, 1.0), max(one.high, 1.0)], [y + shift] * 2, linewidth=2.4, **look)
                ax.plot(end, y + shift, marker, color=row.colour, markerfacecolor=face, markersize=5)
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(10))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda ns, _: round_time_text(ns)))
    ax.set_xlabel("duration (logarithmic)")


def _differences(ax: Axes, rows: Sequence[Row]) -> None:
    """Bars from zero: dark for the median, pale for p95; a line for the interval, the number at the right."""
    for y, row in enumerate(rows):
        for statistic, _, shift in MARKS:
            change = row.change[statistic]
            if not math.isfinite(change.value):
                continue
            bar: dict[str, Any] = {"height": 0.3, "color": row.colour, "linewidth": 0}
            ax.barh(y + shift, change.value, alpha=1.0 if statistic == "median" else PALE, **bar)
            if math.isfinite(change.low + change.high):
                ax.plot([change.low, change.high], [y + shift] * 2, color=INK, linewidth=1.4)
            text = f"{'+' if change.value > 0 else ''}{time_text(change.value)}"
            place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "annotation_clip": False}
            ax.annotate(text, (1.015, y + shift), va="center", fontsize=7.5, color=INK, **place)
    ax.axvline(0, color=INK, linewidth=0.8)
    ax.xaxis.set_major_locator(MaxNLocator(5))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda ns, _: round_time_text(ns) if ns else "0"))
    ax.set_xlabel("difference")
    low, high = ax.get_xlim()
    ax.set_xlim(min(low, -0.04 * high), max(high, -0.04 * low))


def _legend(figure: Figure, names: tuple[str, str], *, virtual: bool) -> None:
    dot: dict[str, Any] = {"linestyle": "", "color": FAINT, "markersize": 5}
    handles = [
        *(
            Line2D([], [], marker="o", markerfacecolor=face, label=textwrap.shorten(name, 40, placeholder="…"), **dot)
            for name, face in zip(names, (PAPER, FAINT), strict=True)
        ),
        Line2D([], [], marker="o", label="median; its difference dark", **dot),
        Line2D([], [], marker="D", label="p95; its difference pale", **dot),
    ]
    foot = (style.TAG_HEIGHT if virtual else 0.0) / figure.get_figheight()
    place: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0.0, foot), "handlelength": 1.2}
    figure.legend(handles=handles, ncols=2 if style.is_narrow() else 4, columnspacing=1.4, **place)

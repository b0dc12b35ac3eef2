"""Charts of delays; each function draws on the given axes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from numpy.typing import NDArray

from gpiorig.analysis.figures import thinning
from gpiorig.analysis.figures.palette import FAINT, FIRST, GRID, INK, KIND_COLOURS, SERIES
from gpiorig.analysis.number_text import count_text, resolved_text, round_time_text, time_text
from gpiorig.analysis.packets.steps import Steps
from gpiorig.analysis.statistics.summary import Summary

MAX_BARS = 240
SAME_PLACE, ROOM_FOR_NAMES = 0.005, 0.2  # of the width of the axes
HEADROOM = 1.26  # above the tallest bar, for the names of the marks
_WIDTHS_US = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000)


def total_distribution(
    ax: Axes,
    delays: NDArray[np.int64],
    summary: Summary,
    *,
    period_ns: float,
    expanded_ns: float = math.nan,
    noun: str = "round-trip time",
    levels: str = "",
) -> None:
    """Histogram of total delays, and on a second scale their empirical distribution function.

    Parameters
    ----------
    ax
        Where to draw.
    delays
        int64[n], in samples.
    summary
        Their statistics; lost packets are named, not drawn.
    period_ns
        Nanoseconds per sample.
    expanded_ns
        Expanded uncertainty of one delay, to which the median is written.
    noun
        Their name: ``round-trip time`` or ``delay``.
    levels
        The levels of the delays that attribution found, as text.
    """
    period_ms = period_ns / 1e6
    ms = delays * period_ms
    width, bins = _bins(delays, period_ms)
    counts, _ = np.histogram(ms, bins)
    ax.stairs(counts, bins, fill=True, color=FIRST, linewidth=0)
    ax.set_ylim(0, HEADROOM * max(1, counts.max()))
    margin = max(0.02 * (bins[-1] - bins[0]), 4 * width)
    ax.set_xlim(bins[0] - margin, bins[-1] + margin)
    ax.ticklabel_format(axis="x", useOffset=False)
    ax.set_xlabel(f"{noun} (ms)")
    ax.set_ylabel(f"packets per {time_text(width * 1e6).replace('.0 ', ' ')}")
    right = ax.twinx()
    right.spines["right"].set_visible(True)
    right.step(*thinning.ecdf(ms), where="post", color=INK, linewidth=1)
    right.set_ylim(0, HEADROOM)
    right.set_yticks([0, 0.25, 0.5, 0.75, 1])
    right.set_ylabel("share of packets at or below")
    _mark_quantiles(right, summary)
    n = count_text(summary.n, "packet") + (f", {summary.lost} lost" if summary.lost else "")
    ax.set_title(f"{_conclusion(summary, expanded_ns, noun, levels)} ({n})")


def _mark_quantiles(ax: Axes, summary: Summary) -> None:
    """A dashed line at median, p95 and p99; quantiles at one place are named together."""
    low, high = ax.get_xlim()
    marks: list[tuple[float, list[str]]] = []
    for name, ns in (("median", summary.median_ns), ("p95", summary.p95_ns), ("p99", summary.p99_ns)):
        if marks and ns / 1e6 - marks[-1][0] < SAME_PLACE * (high - low):
            marks[-1][1].append(name)
        elif math.isfinite(ns):
            marks.append((ns / 1e6, [name]))
    for number, (ms, names) in enumerate(marks):
        top = 1.05 if number < 2 else 1.13
        ax.plot([ms] * 2, [0, top + 0.06], color=FAINT, linewidth=0.8, linestyle=(0, (4, 2)))
        at_left = ms - low < ROOM_FOR_NAMES * (high - low)
        place: dict[str, Any] = {"xytext": (3 if at_left else -3, 0), "textcoords": "offset points", "va": "bottom"}
        text = ", ".join(names)
        ax.annotate(text, (ms, top), fontsize=8, color=INK, ha="left" if at_left else "right", **place)


def _bins(delays: NDArray[np.int64], period_ms: float) -> tuple[float, NDArray[np.float64]]:
    """Width and edges of the bars in ms: one sample each for few different delays, else a round width."""
    if not len(delays):
        return 1.0, np.array([0.0, 1.0])
    low, high = int(delays.min()), int(delays.max())
    if high - low < MAX_BARS // 2:
        return period_ms, (np.arange(low, high + 2, dtype=np.float64) - 0.5) * period_ms
    spread = (high - low) * period_ms
    width = next((us / 1000 for us in _WIDTHS_US if spread <= us / 1000 * MAX_BARS), spread / MAX_BARS)
    first = float(np.floor(low * period_ms / width - 1)) * width
    return width, first + width * np.arange(int(spread / width) + 4, dtype=np.float64)


def _conclusion(summary: Summary, expanded_ns: float, noun: str, levels: str) -> str:
    if not summary.n:
        return f"No packet has a {noun}"
    text = f"Median {resolved_text(summary.median_ns, expanded_ns)}, peak to peak {time_text(summary.peak_to_peak_ns)}"
    return f"{text},\n{levels}" if levels else text


def step_distributions(
    ax: Axes,
    steps: Steps,
    summaries: Sequence[Summary],
    *,
    columns: Sequence[int | None],
    names: Sequence[str],
    title: str = "",
) -> None:
    """One row per step, in the order of the path: range, 5 to 95 %, quartiles, median, on a logarithmic scale.

    Parameters
    ----------
    ax
        Where to draw.
    steps
        The steps.
    summaries
        Statistics of each.
    columns
        Which step each row shows; None leaves the row empty.
    names
        Names of the rows, at the left; empty for none.
    title
        Title of the axes.
    """
    rows = {y: column for y, column in enumerate(columns) if column is not None}
    # A duration of no sample has no place on a logarithmic axis: it is drawn at half a sample.
    shortest = 0.5e6 / float(steps.samplerate_hz)
    names_us = ("min", "p5", "p25", "median", "p75", "p95", "max")
    us = {name: [max(getattr(summaries[i], f"{name}_ns") / 1000, shortest) for i in rows.values()] for name in names_us}
    colours = [KIND_COLOURS[steps.steps[column].kind] for column in rows.values()]
    _draw_boxes(ax, us, [*rows], colours)
    for y, column in rows.items():
        summary = summaries[column]
        _beside(ax, y, f"{time_text(summary.median_ns)} ({time_text(summary.peak_to_peak_ns)})", color=INK)
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(10))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.xaxis.set_major_formatter(FuncFormatter(lambda us, _: round_time_text(us * 1000)))
    ax.set_ylim(len(columns) - 0.4, -0.6)
    ax.set_yticks(range(len(columns)), names or [""] * len(columns))
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.set_xlabel("duration (logarithmic)")
    ax.set_title(title)
    _beside(ax, -0.75, "median (range)", color=FAINT)


def _draw_boxes(ax: Axes, us: Mapping[str, Sequence[float]], ys: Sequence[int], colours: Sequence[str]) -> None:
    """Range, 5 to 95 %, quartiles and median of all rows; one artist for all of a kind, which is drawn faster."""
    look: dict[str, Any] = {"linewidth": 0.8, "capstyle": "butt", "zorder": 2}
    ax.hlines(ys, us["min"], us["max"], color=INK, **look)
    for name in ("min", "max"):
        ax.plot(us[name], ys, "|", color=INK, markersize=4, markeredgewidth=0.8, zorder=2)
    for low, high, thickness in (("p5", "p95", 3.2), ("p25", "p75", 7.5)):
        ax.hlines(ys, us[low], us[high], color=colours, linewidth=thickness, capstyle="butt", zorder=3)
    ax.scatter(us["median"], ys, s=7.5**2, c=colours, marker="|", linewidths=3.4, zorder=3)
    ax.plot(us["median"], ys, "|", color=INK, markersize=9, markeredgewidth=1.3, zorder=4)


def _beside(ax: Axes, y: float, text: str, *, color: str) -> None:
    """Text to the right of a row."""
    place: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "va": "center", "annotation_clip": False}
    ax.annotate(text, (1.015, y), fontsize=7.5, color=color, **place)


def ecdfs(ax: Axes, series: Mapping[str, NDArray[Any]], *, unit_ns: float, colours: Sequence[str] = SERIES) -> None:
    """Empirical distribution functions of several delays in one diagram.

    Parameters
    ----------
    ax
        Where to draw; the caller names the axis of time.
    series
        By name: values, any unit.
    unit_ns
        Nanoseconds per unit of the values; the axis is in ms.
    colours
        In the order of the series, again from the start when there are more; equal ones differ by their dashes.
    """
    styles, used = ("-", "--", ":", "-."), Counter[str]()
    for number, (name, values) in enumerate(series.items()):
        x, share = thinning.ecdf(values)
        x = np.concatenate([x[:1], x]) * (unit_ns / 1e6)
        colour = colours[number % len(colours)]
        look: dict[str, Any] = {"color": colour, "linestyle": styles[used[colour] % len(styles)]}
        used[colour] += 1
        ax.step(x, np.concatenate([[0.0], share]), where="post", label=name, linewidth=1.2, **look)
    ax.set_ylim(0, 1.02)
    ax.set_ylabel("share at or below")
    ax.grid(color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)


def box(ax: Axes, values: NDArray[Any], *, y: float, colour: str) -> None:
    """One box plot, lying: range, 5 to 95 %, quartiles, median."""
    if not len(values):
        return
    least, p5, p25, middle, p75, p95, most = np.quantile(values, (0, 0.05, 0.25, 0.5, 0.75, 0.95, 1))
    ax.plot([least, most], [y, y], "|-", color=INK, linewidth=0.8, markersize=5, zorder=2)
    for low, high, thick in ((p5, p95, 3.2), (p25, p75, 7.5)):
        ax.plot([low, high], [y, y], color=colour, linewidth=thick, solid_capstyle="butt", zorder=3)
    ax.plot(middle, y, "|", color=INK, markersize=9, markeredgewidth=1.3, zorder=4)

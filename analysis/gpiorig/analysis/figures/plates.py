"""Plates: complete figures, made of axes that other modules draw on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from numpy.typing import NDArray

from gpiorig.analysis.attribution.covariates import WAITS
from gpiorig.analysis.delays.budget import Budget
from gpiorig.analysis.delays.numbers import RouteNumbers, short_name, steps_conclusion, where_conclusion
from gpiorig.analysis.figures import budget as budgetview
from gpiorig.analysis.figures import charts, palette, style
from gpiorig.analysis.figures import packet as packetview
from gpiorig.analysis.figures.palette import INK
from gpiorig.analysis.number_text import round_time_text, time_text
from gpiorig.analysis.packets import timelines as timelines_module
from gpiorig.analysis.packets.path import DIRECTIONS
from gpiorig.analysis.packets.round_trips import RoundTrips
from gpiorig.analysis.packets.steps import Steps
from gpiorig.analysis.packets.timelines import Timelines
from gpiorig.analysis.statistics.summary import RESOLUTION_SAMPLES

WIDTH = style.REPORT_WIDE
SUPTITLE: dict[str, Any] = {"x": 0.006, "ha": "left", "fontsize": 10.5, "fontweight": "bold"}
COMPARED_STEPS = 5  # whose distribution functions are drawn over each other
RELATIVE_RANGE = 0.02  # of the widest range, that a step needs to be drawn with it


def packet(trips: RoundTrips, *, row: int, virtual: bool) -> Figure:
    """One packet: the complete round trip above, the three intervals in which software works below."""
    timelines = trips.timelines
    with style.paper():
        figure = style.new_figure(width=10.5, height=9.2, virtual=virtual)
        windows = packetview.zooms(timelines, row)
        grid = figure.add_gridspec(2, max(1, len(windows)), height_ratios=(1, 1.15))
        upper = figure.add_subplot(grid[0, :])
        start, end = int(timelines.samples[row, 0]), int(timelines.samples[row, -1])
        margin = (end - start) // 60
        packetview.draw(upper, trips, row, window=(start - margin, end + margin))
        period_ns = float(1_000_000_000 / timelines.samplerate_hz)
        upper.set_title(
            f"Packet {timelines.ids[row]}: round trip {time_text((end - start) * period_ns)}, "
            f"{_off_air_time(timelines, row)} of it in software and driver",
            pad=18,
        )
        for column, (name, window) in enumerate(windows):
            ax = figure.add_subplot(grid[1, column])
            packetview.draw(ax, trips, row, window=window, labels=column == 0)
            ax.set_title(f"{'abc'[column]}  {name}", fontsize=9.5)
            _mark(upper, "abc"[column], window, origin=start, period_ns=period_ns)
        return figure


def steps(numbers: RouteNumbers, *, virtual: bool) -> Figure:
    """Box plots of every step: of a round trip the request at the left, the reply at the right."""
    with style.paper():
        durations = numbers.route.steps
        names, columns = _rows(durations)
        both = [index for index in (0, 1) if any(column is not None for column in columns[index])]
        legend = style.legend_height(numbers.kinds)
        high = 1.4 + 0.175 * len(names)
        width = 10.5 if len(both) > 1 else WIDTH
        height = legend + high * (len(both) if style.is_narrow() else 1)
        figure = style.new_figure(width=width, height=height, legend=legend, virtual=virtual)
        axes = style.panels(figure, len(both), sharex=True)
        for place, (index, ax) in enumerate(zip(both, axes, strict=True)):
            shown = names if place == 0 or style.is_narrow() else ()
            title = DIRECTIONS[index].capitalize() if len(both) > 1 else ""
            look: dict[str, Any] = {"columns": columns[index], "names": shown, "title": title}
            charts.step_distributions(ax, durations, numbers.steps, **look)
        style.foot_legend(figure, numbers.kinds, virtual=virtual)
        figure.suptitle(steps_conclusion(numbers).replace("; ", ";\n"), **SUPTITLE)
        return figure


def budget(numbers: RouteNumbers, shares: Budget, *, virtual: bool) -> Figure:
    """The budget of time and jitter: stacked bars, and the steps with their intervals."""
    with style.paper():
        rows = budgetview.shown(shares)
        below = 0.75 + 0.3 * len(rows) if rows else 0.0
        bars = 1.7
        legend = style.legend_height(numbers.kinds)
        figure = style.new_figure(width=WIDTH, height=0.45 + legend + bars + below, legend=legend, virtual=virtual)
        grid = figure.add_gridspec(2 if rows else 1, 1, height_ratios=(bars, below) if rows else (1,))
        top = figure.add_subplot(grid[0])
        budgetview.bars(top, numbers, shares)
        top.set_title(where_conclusion(numbers).replace("; ", ";\n"))
        if rows:
            budgetview.intervals(figure.add_subplot(grid[1]), shares)
        style.foot_legend(figure, numbers.kinds, virtual=virtual)
        return figure


def varying_steps(numbers: RouteNumbers) -> list[int]:
    """Columns of the steps that make the jitter, the widest range first; empty if none varies."""
    ranges = np.ptp(numbers.route.steps.samples, axis=0)
    varying = [int(i) for i in np.argsort(-ranges, kind="stable") if ranges[i] > RESOLUTION_SAMPLES]
    # Next to steps that make the jitter the others are a line at the left edge.
    return [i for i in varying if ranges[i] >= RELATIVE_RANGE * ranges[varying[0]]][:COMPARED_STEPS]


def step_ecdfs(ax: Axes, numbers: RouteNumbers, columns: Sequence[int]) -> None:
    """Distribution functions of the steps in these columns, each minus its own minimum."""
    durations, names = numbers.route.steps.samples, numbers.route.steps.steps
    above = {short_name(names[i]): durations[:, i] - int(durations[:, i].min()) for i in columns}
    colours = [palette.KIND_COLOURS[names[i].kind] for i in columns]
    charts.ecdfs(ax, above, unit_ns=numbers.period_ns, colours=colours)
    ax.set_xlim(left=0)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda ms, _: round_time_text(ms * 1e6) if ms else "0"))
    ax.set_xlabel("duration above the step's own minimum")
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=7.5)


def overlaid(delays: Mapping[str, tuple[NDArray[np.int64], float]], *, noun: str, virtual: bool) -> Figure:
    """The total delay of several runs: distribution functions over box plots; values and ns per sample by name."""
    with style.paper():
        figure = style.new_figure(width=WIDTH, height=3.6 + 0.32 * len(delays), virtual=virtual)
        above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 0.4 + 0.3 * len(delays)))
        in_ns = {name: values * period_ns for name, (values, period_ns) in delays.items()}
        charts.ecdfs(above, in_ns, unit_ns=1.0)
        for number, values in enumerate(in_ns.values()):
            charts.box(below, values / 1e6, y=number, colour=palette.SERIES[number % len(palette.SERIES)])
        below.set_yticks(range(len(in_ns)), list(in_ns))
        below.set_ylim(len(in_ns) - 0.4, -0.6)
        below.set_xlabel(f"{noun} (ms)")
        above.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=7.5)
        above.set_title(f"The {noun} of every run")
        return figure


def write(plates: Mapping[str, Figure], folder: Path, formats: Sequence[str]) -> list[Path]:
    """Write every figure under its name, in each of the formats ``svg``, ``png``, ``pdf``; returns the files."""
    paths = []
    for name, figure in plates.items():
        for suffix in formats:
            paths.append(folder / f"{name}.{suffix}")
            style.save(figure, paths[-1])
    return paths


def _rows(durations: Steps) -> tuple[list[str], tuple[list[int | None], list[int | None]]]:
    """Names of the rows, and for both directions the column of each; of a one-way route all in the first."""
    turn = next((step.start.direction for step in durations.steps if step.turn_around), None)
    if turn is None:
        everything: list[int | None] = list(range(len(durations.steps)))
        return [step.name for step in durations.steps], (everything, [None] * len(everything))
    by_name: dict[str, list[int | None]] = {}
    for column, step in enumerate(durations.steps):
        name = step.short if step.way in DIRECTIONS else step.name
        by_name.setdefault(name, [None, None])[step.start.direction > turn] = column
    # Steps that only the reply has come after those of the request; the turn-around is the last.
    turns = {step.name for step in durations.steps if step.turn_around}
    names = sorted(by_name, key=lambda name: name in turns)
    return names, ([by_name[name][0] for name in names], [by_name[name][1] for name in names])


def _off_air_time(timelines: Timelines, row: int) -> str:
    """Duration of the steps of a packet that are neither radio wait nor air, as text."""
    stage = timelines_module.steps(timelines)
    durations = stage.samples[int(np.searchsorted(timelines.complete, row))]
    off_air = [step.kind not in WAITS for step in stage.steps]
    return time_text(float(durations[off_air].sum()) * float(1_000_000_000 / timelines.samplerate_hz))


def _mark(ax: Axes, name: str, window: tuple[int, int], *, origin: int, period_ns: float) -> None:
    """Mark a window of the lower row in the upper axes."""
    left, right = ((sample - origin) * period_ns / 1e6 for sample in window)
    ax.axvspan(left, right, color=INK, alpha=0.06, linewidth=0, zorder=0)
    look: dict[str, Any] = {"ha": "center", "va": "bottom", "fontweight": "bold"}
    ax.annotate(name, ((left + right) / 2, 1.0), xycoords=("data", "axes fraction"), **look)

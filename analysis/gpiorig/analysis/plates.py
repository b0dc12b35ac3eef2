"""Plates: whole figures, made of axes that `figures` and `packetview` draw on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gpiorig.analysis import figures, packetview, style
from gpiorig.analysis import timelines as timelines_module
from gpiorig.analysis.packets import Packets
from gpiorig.analysis.path import DIRECTIONS, REPLY, REQUEST, Kind
from gpiorig.analysis.quantity import time_text
from gpiorig.analysis.timelines import LOST, Steps, Timelines


def packet(packets: Packets, timelines: Timelines, *, row: int, virtual: bool) -> Figure:
    """One packet: the whole round trip above, the three stretches in which software works below."""
    with style.paper():
        figure = style.new_figure(width=10.5, height=9.2, virtual=virtual)
        windows = packetview.zooms(timelines, row)
        grid = figure.add_gridspec(2, max(1, len(windows)), height_ratios=(1, 1.15))
        whole = figure.add_subplot(grid[0, :])
        start, end = int(timelines.samples[row, 0]), int(timelines.samples[row, -1])
        margin = (end - start) // 60
        packetview.draw(whole, packets, timelines, row, window=(start - margin, end + margin))
        period_ns = float(1_000_000_000 / timelines.samplerate_hz)
        whole.set_title(
            f"Packet {timelines.ids[row]}: round trip {time_text((end - start) * period_ns)}, "
            f"{_off_air_time(packets, timelines, row)} of it in software and driver",
            pad=18,
        )
        for column, (name, window) in enumerate(windows):
            ax = figure.add_subplot(grid[1, column])
            packetview.draw(ax, packets, timelines, row, window=window, labels=column == 0)
            ax.set_title(f"{'abc'[column]}  {name}", fontsize=9.5)
            _mark(whole, "abc"[column], window, origin=start, period_ns=period_ns)
        return figure


def rtt(timelines: Timelines, *, virtual: bool) -> Figure:
    """Distribution of the round-trip times."""
    with style.paper():
        figure = style.new_figure(width=10.5, height=3.7, virtual=virtual)
        lost = int((timelines.status == LOST).sum())
        delays = timelines.rtt[timelines.timelined]
        figures.rtt_distribution(figure.subplots(), delays, samplerate_hz=timelines.samplerate_hz, lost=lost)
        return figure


def steps(durations: Steps, *, virtual: bool) -> Figure:
    """Distribution of every step: the request at the left, the reply at the right."""
    with style.paper():
        names, columns = _rows(durations)
        figure = style.new_figure(width=10.5, height=1.75 + 0.235 * len(names), legend=0.3, virtual=virtual)
        axes = figure.subplots(1, 2, sharex=True)
        for direction, ax in enumerate(axes):
            shown = names if direction == REQUEST else ()
            title = DIRECTIONS[direction].capitalize()
            figures.step_distributions(ax, durations, columns=columns[direction], names=shown, title=title)
        style.foot_legend(figure, figures.kinds_of(durations), virtual=virtual)
        text = figures.steps_conclusion(durations)
        figure.suptitle(text, x=0.006, ha="left", fontsize=10.5, fontweight="bold")
        return figure


def where(durations: Steps, *, virtual: bool) -> Figure:
    """Where the time goes, and where the jitter comes from."""
    with style.paper():
        figure = style.new_figure(width=10.5, height=2.7, legend=0.3, virtual=virtual)
        figures.where_time_goes(figure.subplots(), durations)
        style.foot_legend(figure, figures.kinds_of(durations), virtual=virtual)
        return figure


def everything(packets: Packets, timelines: Timelines, durations: Steps, *, virtual: bool) -> dict[str, Figure]:
    """All figures a recording can give, by name."""
    plates: dict[str, Figure] = {}
    if timelines.timelined.any():
        plates["rtt"] = rtt(timelines, virtual=virtual)
    if len(durations.rows):
        plates["where"] = where(durations, virtual=virtual)
        row = packetview.typical(timelines)
        plates["packet"] = packet(packets, timelines, row=row, virtual=virtual)
        plates["steps"] = steps(durations, virtual=virtual)
    return plates


def write(plates: dict[str, Figure], folder: Path) -> None:
    """Write every figure as SVG and PNG."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, figure in plates.items():
        style.save(figure, folder / name)


def _rows(durations: Steps) -> tuple[list[str], tuple[list[int | None], list[int | None]]]:
    """Names of the rows, and for both directions the column that each row shows."""
    by_name: dict[str, list[int | None]] = {}
    for column, step in enumerate(durations.steps):
        direction, _, name = step.name.partition(": ")
        name = step.name if direction not in DIRECTIONS else name
        by_name.setdefault(name, [None, None])[step.start.direction] = column
    # Steps that only the reply has stand behind those of the request; the turn-around is the last.
    names = sorted(by_name, key=lambda name: name.startswith("turn-around"))
    return names, ([by_name[name][REQUEST] for name in names], [by_name[name][REPLY] for name in names])


def _off_air_time(packets: Packets, timelines: Timelines, row: int) -> str:
    """What the steps of a packet take that are neither radio wait nor air."""
    found = timelines_module.steps(timelines)
    durations = found.samples[int(np.flatnonzero(found.rows == row)[0])]
    off_air = [step.kind not in {Kind.RADIO_WAIT, Kind.AIR, Kind.UNDIVIDED, Kind.FRAGMENTS} for step in found.steps]
    return time_text(float(durations[off_air].sum()) * float(1_000_000_000 / timelines.samplerate_hz))


def _mark(ax: Axes, name: str, window: tuple[int, int], *, origin: int, period_ns: float) -> None:
    """Mark a window of the lower row in the upper axes."""
    left, right = ((sample - origin) * period_ns / 1e6 for sample in window)
    ax.axvspan(left, right, color="#000000", alpha=0.06, linewidth=0, zorder=0)
    ax.annotate(
        name, ((left + right) / 2, 1.0), xycoords=("data", "axes fraction"), ha="center", va="bottom", fontweight="bold"
    )

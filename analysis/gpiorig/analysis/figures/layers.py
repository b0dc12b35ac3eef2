"""Layers and pre-empting activities, as pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from gpiorig.analysis.delays.numbers import short_name
from gpiorig.analysis.figures.budget import DOT
from gpiorig.analysis.figures.palette import GRID, INK, KIND_COLOURS, PAPER, SERIES, SHADE, layer_kind
from gpiorig.analysis.number_text import round_time_text, time_text
from gpiorig.analysis.packets.routes import Route
from gpiorig.analysis.processor.occupancy import LayerTimes, Occupancy

SHOWN_STEPS = 12
AT_THE_RIGHT: dict[str, Any] = {"xycoords": ("axes fraction", "data"), "annotation_clip": False}
OCCUPANTS = len(SERIES)  # named in the picture; the others are one bar


def layers(ax: Axes, times: LayerTimes, *, period_ns: float) -> None:
    """Medians of self-time (filled) and residence (hollow), a row per layer, on a logarithmic scale."""
    own = np.median(times.self_samples, axis=0) * period_ns
    stay = np.median(times.residence_samples, axis=0) * period_ns
    ys = np.arange(len(times.layers))
    least = period_ns / 2  # a duration of no sample has no place on a logarithmic axis
    for y, ((_, layer, _), one, other) in enumerate(zip(times.layers, own, stay, strict=True)):
        colour, ends = KIND_COLOURS[layer_kind(layer)], [max(one, least), max(other, least)]
        ax.plot(ends, [y, y], color=colour, linewidth=2.2, solid_capstyle="butt")
        ax.plot(ends[:1], [y], **DOT, color=colour)
        ax.plot(ends[1:], [y], **DOT, color=colour, markerfacecolor=PAPER)
    ax.set_xscale("log")
    ax.set_xlim(left=least)
    ax.set_yticks(ys, [f"{node}: {layer} {direction}" for node, layer, direction in times.layers])
    ax.set_ylim(len(ys) - 0.4, -0.6)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda ns, _: round_time_text(ns)))
    ax.grid(axis="x", color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.set_xlabel("median (logarithmic): self-time filled, residence hollow")


def occupants(occupancy: Occupancy, known: list[int]) -> list[int]:
    """The occupants in these steps except sleep, the longest first."""
    ran = occupancy.mean_samples[known].sum(axis=0)
    awake = np.array([not name.endswith(": sleep") for name in occupancy.occupants], dtype=bool)
    order = np.argsort(-ran, kind="stable")
    return [int(i) for i in order if ran[i] > 0 and awake[i]]


def shown_steps(occupancy: Occupancy) -> list[int]:
    """The steps with the longest pre-emption, where their node shows it; in the order of the path."""
    if not len(occupancy.preempted_samples):
        return []
    foreign = np.where(occupancy.known, occupancy.preempted_samples.mean(axis=0), 0.0)
    longest = np.argsort(-foreign, kind="stable")[:SHOWN_STEPS]
    return sorted(int(i) for i in longest if foreign[i] > 0)


def pre_emption(ax: Axes, route: Route, occupancy: Occupancy, *, period_ns: float) -> None:
    """Processor occupancy during the steps with pre-emption: shares of a step's mean, stacked, a row per step."""
    rows = shown_steps(occupancy)
    named = occupants(occupancy, rows)
    left = np.zeros(len(rows))
    ys = np.arange(len(rows))
    means = route.steps.samples[:, rows].mean(axis=0)
    groups = [[index] for index in named[:OCCUPANTS]] + ([named[OCCUPANTS:]] if named[OCCUPANTS:] else [])
    for number, group in enumerate(groups):
        shares = occupancy.mean_samples[np.ix_(rows, group)].sum(axis=1) / np.maximum(means, 1)
        label = occupancy.occupants[group[0]] if number < OCCUPANTS else f"{len(group)} others"
        colour = SERIES[number] if number < OCCUPANTS else SHADE
        edge = {"edgecolor": INK, "linewidth": 0.5} if colour == SHADE else {"linewidth": 0}
        ax.barh(ys, shares, left=left, height=0.66, color=colour, label=label, **edge)
        left += shares
    for y, samples in enumerate(means):
        ax.annotate(time_text(samples * period_ns), (1.01, y), va="center", fontsize=7.5, **AT_THE_RIGHT)
    ax.set_yticks(ys, [f"{short_name(route.steps.steps[i])}, {route.steps.steps[i].node}" for i in rows])
    ax.set_ylim(len(ys) - 0.4, -0.6)
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.0f} %"))
    ax.set_xlabel("share of the step's mean time (at the right)")
    ax.grid(axis="x", color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.legend(loc="upper left", bbox_to_anchor=(1.13, 1.0), fontsize=7.5)

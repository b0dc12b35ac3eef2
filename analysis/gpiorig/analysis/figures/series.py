"""A delay over the run, with drifts, jumps and losses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from gpiorig.analysis.figures import thinning
from gpiorig.analysis.figures.palette import FAINT, FIRST, GRID, INK, SECOND, WARNING
from gpiorig.analysis.number_text import count_text

POINTS = 3000  # more delays than this are drawn as bands


@dataclass(frozen=True, slots=True, eq=False)
class Marks:
    """Marks in a figure of delays; instants in samples.

    Parameters
    ----------
    gaps
        int64[g, 2], samples that were lost.
    losses
        int64[l], instants at which lost packets were sent.
    changes
        Instants of change points.
    """

    gaps: NDArray[np.int64] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.int64))
    losses: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    changes: Sequence[int] = ()


def draw(
    ax: Axes, starts: NDArray[np.int64], delays: NDArray[np.int64], *, period_ns: float, origin: int, marks: Marks
) -> None:
    """Draw the delays of packets over the time at which they were sent.

    Parameters
    ----------
    ax
        Where to draw.
    starts, delays
        int64[k], samples, in the order of sending.
    period_ns
        Nanoseconds per sample.
    origin
        Sample at which the time axis begins.
    marks
        Gaps, losses, change points.
    """
    seconds, ms = period_ns / 1e9, period_ns / 1e6
    if len(starts) <= POINTS:
        _points(ax, (starts - origin) * seconds, delays * ms)
    else:
        centres, least, middle, largest = thinning.bands(starts, delays)
        at = (centres - origin) * seconds
        ax.fill_between(at, least * ms, largest * ms, step="mid", color=FIRST, alpha=0.3, linewidth=0)
        ax.plot(at, middle * ms, color=FIRST, linewidth=0.9, drawstyle="steps-mid")
    for start, end in marks.gaps:
        left, right = ((int(sample) - origin) * seconds for sample in (start, end))
        ax.axvspan(left, right, color=WARNING, alpha=0.35, linewidth=0.8)
    if len(marks.losses):
        drawn, *_ = thinning.bands(marks.losses, marks.losses)
        height = np.full(len(drawn), 0.02)
        ax.plot(
            (drawn - origin) * seconds, height, "|", color=WARNING, markersize=9, transform=ax.get_xaxis_transform()
        )
    for change in marks.changes:
        ax.axvline((change - origin) * seconds, color=INK, linewidth=1, linestyle=(0, (4, 2)))
    ax.grid(axis="y", color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.set_xlabel("time since the start of the recording (s)")
    ax.set_ylabel("delay (ms)")
    ax.margins(x=0.01)


def fold_lattice(
    levels: Axes, residuals: Axes, delays: NDArray[np.int64], *, period_ns: float, lattice_ns: float
) -> None:
    """Numbers of packets on the levels of a lattice, and their distances from the levels.

    Parameters
    ----------
    levels, residuals
        Where to draw.
    delays
        int64[k], samples.
    period_ns, lattice_ns
        Nanoseconds per sample, and period of the lattice; its levels are counted from the median of the lowest.
    """
    above = (delays - int(delays.min())) * period_ns
    lowest = float(np.median(above[above < lattice_ns / 2]))
    places = (above - lowest) / lattice_ns
    nearest = np.rint(places)
    number, count = np.unique(nearest, return_counts=True)
    levels.bar(number, count, width=0.6, color=FIRST)
    levels.set_xlabel("periods above the lowest level")
    levels.set_ylabel("packets")
    away = (places - nearest) * lattice_ns
    # A few packets off the levels would make one bar of all others: they are counted.
    reach = max(2 * float(np.quantile(np.abs(away), 0.95)), 2 * period_ns)
    beyond = int(np.count_nonzero(np.abs(away) > reach))
    residuals.stairs(*np.histogram(away, bins=81, range=(-reach, reach)), fill=True, color=FIRST)
    residuals.set_xlabel("distance from the nearest level (ns)")
    residuals.set_ylabel("packets")
    if beyond:
        residuals.set_title(f"{count_text(beyond, 'packet')} farther away", fontsize=8.5, fontweight="normal")


def fold_beat(
    ax: Axes, starts: NDArray[np.int64], delays: NDArray[np.int64], *, period_ns: float, beat_ns: float
) -> None:
    """Delays over the phase, within a periodic activity, at which they began.

    Parameters
    ----------
    ax
        Where to draw.
    starts, delays
        int64[k], samples.
    period_ns, beat_ns
        Nanoseconds per sample, and period of the activity.
    """
    phase = np.mod((starts - int(starts[0])) * (period_ns / beat_ns), 1.0)
    order = np.argsort(phase, kind="stable")
    us = delays[order] * (period_ns / 1e3)
    if len(starts) <= POINTS:
        _points(ax, phase[order], us)
    centres, _, middle, _ = thinning.bands(phase[order], us, bins=min(60, max(1, len(starts) // 8)))
    ax.plot(centres, middle, color=SECOND, linewidth=1.6, label="median")
    ax.set_xlim(0, 1)
    ax.set_xlabel("phase of the period at which the step began (periods)")
    ax.set_ylabel("delay (µs)")
    ax.grid(color=GRID, linewidth=0.6)
    ax.tick_params(colors=INK)
    ax.legend(loc="best", labelcolor=INK)
    ax.spines[["left", "bottom"]].set_color(FAINT)


def _points(ax: Axes, x: NDArray[Any], y: NDArray[Any]) -> None:
    """Dots as one path of strokes of almost no length with round ends: in SVG a fifth of the size of markers."""
    reach = float(np.ptp(x)) * 1e-4 if len(x) > 1 else 1e-6
    nothing = np.full(len(x), np.nan)
    xs, ys = np.stack([x, x + reach, nothing], axis=1), np.stack([y, y, nothing], axis=1)
    ax.plot(xs.reshape(-1), ys.reshape(-1), color=FIRST, linewidth=2.6, solid_capstyle="round")

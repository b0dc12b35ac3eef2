"""Residuals of the fits of clocks over time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from gpiorig.analysis.clocks.node_clock import Floats, Integers, NodeClock
from gpiorig.analysis.figures import palette, style
from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.capture.units import suited

HEIGHT = 1.9  # inches for each clock
SHOWN = 20_000  # timestamps of a clock: more are not distinguished in print


def residuals(clocks: Sequence[NodeClock], *, virtual: bool) -> Figure:
    """One panel for each clock: the residuals of its timestamps, with a line at each reset.

    If there are more than `SHOWN` timestamps, every k-th is shown, and the one furthest from 0 of each k, so that no
    outlier is lost.
    """
    figure = style.new_figure(height=0.5 + HEIGHT * len(clocks), virtual=virtual)
    axes = figure.subplots(len(clocks), 1, sharex=True, squeeze=False)[:, 0]
    begin_ns = min(int(clock.boot_periods[0].parts[0].reference_ns[0]) for clock in clocks)
    for ax, clock in zip(axes, clocks, strict=True):
        parts = [period.residuals_ns() for period in clock.boot_periods]
        sizes = np.abs(np.concatenate([part[~np.isnan(part)] for part in parts]))
        largest = _limit(sizes)
        beyond = int((sizes > largest).sum())
        scale, unit = suited(largest)
        for period, part in zip(clock.boot_periods, parts, strict=True):
            all_s = (period.reference_ns - begin_ns) / NS_PER_S
            if period is not clock.boot_periods[0]:
                ax.axvline(float(all_s[0]), color=palette.WARNING, linewidth=0.8)
            known = ~np.isnan(part)
            part, all_s = part[known], all_s[known]
            if len(part):
                shown = _shown(part)
                at_s = all_s[shown]
                inside = np.abs(part[shown]) <= largest
                ax.plot(at_s[inside], part[shown][inside] / scale, ".", markersize=2, color=palette.INK)
                edge = np.sign(part[shown][~inside]) * largest / scale
                ax.plot(at_s[~inside], edge, "x", markersize=4, color=palette.WARNING)
        ax.axhline(0, color=palette.FAINT, linewidth=0.6)
        resets = f", {len(clock.boot_periods) - 1} resets" if len(clock.boot_periods) > 1 else ""
        outside = f", {beyond} beyond the frame (crosses)" if beyond else ""
        ax.set_title(f"{clock.node} against {clock.reference}: {clock.n} timestamps{resets}{outside}")
        ax.set_ylabel(f"residual in {unit}")
    axes[-1].set_xlabel(f"time on the {clocks[0].reference} in s")
    return figure


def _limit(sizes: Floats) -> float:
    """The largest residual; if most are far smaller, 1.5 times the 99th percentile: outliers must not flatten all."""
    largest, most = float(sizes.max()), float(np.quantile(sizes, 0.99)) * 1.5
    return most if 0 < 3 * most < largest else largest


def _shown(values: Floats) -> Integers:
    step = -(-len(values) // SHOWN)
    starts = range(0, len(values), step)
    return np.array([start + int(np.abs(values[start : start + step]).argmax()) for start in starts], dtype=np.int64)

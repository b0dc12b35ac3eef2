"""The clock audit as pictures: the errors and the stability of each clock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter, SymmetricalLogLocator

from gpiorig.analysis.audit.audit import Comparison
from gpiorig.analysis.clocks.stability import Stability
from gpiorig.analysis.figures import thinning
from gpiorig.analysis.figures.palette import FAINT, GRID, SERIES
from gpiorig.analysis.number_text import round_time_text

LINEAR_NS = 1000.0  # errors up to here are drawn linearly
MAX_NAMED = 8  # clocks in a legend
TICKS = 6  # the minimum of a logarithmic axis
_DASHES = ("-", "-", (0, (4, 4)), (4, (2, 6)))


def errors(ax: Axes, comparisons: Sequence[Comparison]) -> None:
    """Distribution functions of the errors of one quantity, clock minus pins, a line per clock."""
    for number, comparison in enumerate(comparisons):
        x, share = thinning.ecdf(comparison.errors_ns / 1e3)
        # Lines of clocks with equal errors overlap: each has its own dashes, too.
        look: dict[str, Any] = {"color": SERIES[number % len(SERIES)], "linestyle": _DASHES[number % len(_DASHES)]}
        ax.step(x, share, where="post", linewidth=1.6, label=comparison.clock, **look)
    ax.set_xlabel("error, clock minus pins")
    if any(float(np.abs(comparison.errors_ns).max()) > LINEAR_NS for comparison in comparisons):
        ax.set_xscale("symlog", linthresh=LINEAR_NS / 1e3)
        ticks = SymmetricalLogLocator(base=10, linthresh=LINEAR_NS / 1e3)
        ticks.set_params(numticks=TICKS)
        ax.xaxis.set_major_locator(ticks)
        ax.set_xlabel("error, clock minus pins (logarithmic beyond ± 1 µs)")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda us, _: round_time_text(round(us * 1e3, 6)) if us else "0"))
    ax.set_ylabel("share at or below")
    ax.set_ylim(0, 1.02)
    ax.grid(color=GRID, linewidth=0.6)
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=7.5)


def outstanding(clocks: Sequence[Stability], *, measure: str) -> list[Stability]:
    """The clocks that a legend has room for: all, or those farthest, as a ratio, from the median of all."""
    if len(clocks) <= MAX_NAMED:
        return list(clocks)
    values: dict[float, list[float]] = {}
    for clock in clocks:
        for tau, value in zip(clock.taus_s.tolist(), np.asarray(getattr(clock, measure)).tolist(), strict=True):
            if np.isfinite(value) and value > 0:
                values.setdefault(tau, []).append(value)

    def distance(clock: Stability) -> float:
        pairs = zip(clock.taus_s.tolist(), np.asarray(getattr(clock, measure)).tolist(), strict=True)
        ratios = [
            abs(np.log(value / np.median(values[tau]))) for tau, value in pairs if np.isfinite(value) and value > 0
        ]
        return float(np.mean(ratios)) if ratios else 0.0

    named = sorted(clocks, key=distance, reverse=True)[:MAX_NAMED]
    return [clock for clock in clocks if clock in named]


def stability(ax: Axes, clocks: Sequence[Stability], *, measure: str, named: Sequence[Stability]) -> None:
    """`tdev_ns`, `mtie_ns` or `adev` over the averaging time, both logarithmic; clocks that are not named are grey."""
    others = [clock for clock in clocks if clock not in named]
    for clock in others:
        values = np.asarray(getattr(clock, measure), dtype=np.float64)
        usable = np.isfinite(values) & (values > 0)
        label = f"{len(others)} others" if clock is others[0] else "_"
        ax.plot(clock.taus_s[usable], values[usable], color=FAINT, alpha=0.4, linewidth=0.8, label=label)
    for number, clock in enumerate(named):
        values = np.asarray(getattr(clock, measure), dtype=np.float64)
        usable = np.isfinite(values) & (values > 0)
        if usable.any():
            look: dict[str, Any] = {
                "color": SERIES[number % len(SERIES)],
                "linestyle": _DASHES[1 + number // len(SERIES) % (len(_DASHES) - 1)],
                "label": clock.clock,
            }
            ax.plot(clock.taus_s[usable], values[usable], marker="o", markersize=3, linewidth=1.2, **look)
    ax.set_xscale("log")
    ax.set_yscale("log")
    # A measure in ns has ticks such as 10 µs; the Allan deviation has no unit.
    power = FuncFormatter(lambda value, _: f"{value:.0e}" if value < 1e-3 else f"{value:g}")
    ax.yaxis.set_major_formatter(power if measure == "adev" else FuncFormatter(lambda ns, _: round_time_text(ns)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda s, _: round_time_text(s * 1e9)))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_minor_formatter(NullFormatter())
    ax.grid(color=GRID, linewidth=0.6)
    ax.set_xlabel("averaging time")
    ax.set_ylabel({"tdev_ns": "TDEV", "mtie_ns": "MTIE", "adev": "ADEV (no unit)"}[measure])

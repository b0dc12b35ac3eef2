"""The clock audit as pictures: errors of each clock, and how stable it is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter, SymmetricalLogLocator

from gpiorig.analysis import thinning
from gpiorig.analysis.audit import Comparison, Stability
from gpiorig.analysis.quantity import round_time_text
from gpiorig.analysis.style import GRID, SERIES

LINEAR_NS = 1000.0  # errors up to here are drawn linearly
TICKS = 6  # the least that a logarithmic axis has
_DASHES = ("-", "-", (0, (4, 4)), (4, (2, 6)))


def errors(ax: Axes, comparisons: Sequence[Comparison]) -> None:
    """Distribution functions of the errors of one quantity, clock less pins, a line per clock."""
    for number, each in enumerate(comparisons):
        x, share = thinning.ecdf(each.errors_ns / 1e3)
        # Clocks that err alike lie on each other: each has its own dashes, too.
        look: dict[str, Any] = {"color": SERIES[number % len(SERIES)], "linestyle": _DASHES[number % len(_DASHES)]}
        ax.step(x, share, where="post", linewidth=1.6, label=each.clock, **look)
    ax.set_xlabel("error, clock less pins")
    if any(float(np.abs(each.errors_ns).max()) > LINEAR_NS for each in comparisons):
        ax.set_xscale("symlog", linthresh=LINEAR_NS / 1e3)
        ticks = SymmetricalLogLocator(base=10, linthresh=LINEAR_NS / 1e3)
        ticks.set_params(numticks=TICKS)
        ax.xaxis.set_major_locator(ticks)
        ax.set_xlabel("error, clock less pins (logarithmic beyond ± 1 µs)")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda us, _: round_time_text(round(us * 1e3, 6)) if us else "0"))
    ax.set_ylabel("share at or below")
    ax.set_ylim(0, 1.02)
    ax.grid(color=GRID, linewidth=0.6)
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), fontsize=7.5)


def stability(ax: Axes, clocks: Sequence[Stability], *, measure: str) -> None:
    """`tdev_ns`, `mtie_ns` or `adev` over the averaging time, both logarithmic."""
    for number, each in enumerate(clocks):
        values = np.asarray(getattr(each, measure), dtype=np.float64)
        usable = np.isfinite(values) & (values > 0)
        if usable.any():
            look: dict[str, Any] = {"color": SERIES[number % len(SERIES)], "label": each.clock}
            ax.plot(each.taus_s[usable], values[usable], "o-", markersize=3, linewidth=1.2, **look)
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

"""Quantities as pictures: distribution functions, a curve per node or pair of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from gpiorig.analysis.compare.assertions import value_text
from gpiorig.analysis.figures import thinning
from gpiorig.analysis.figures.palette import GRID, SERIES
from gpiorig.analysis.figures.thinning import Floats
from gpiorig.analysis.number_text import count_text, round_time_text
from gpiorig.analysis.quantities.kinds import Unit
from gpiorig.analysis.quantities.series import Samples, Series

CURVES = 8  # the first ones; more are hard to distinguish
_LINES = ("-", "--", ":", "-.")


def ecdf(ax: Axes, series: Sequence[Series]) -> None:
    """Distribution functions of one quantity at several nodes; for values weighted by time, the share of the time."""
    shown = [one for one in series if len(one.values)][:CURVES]
    for number, one in enumerate(shown):
        colour, line = SERIES[number % len(SERIES)], _LINES[number // len(SERIES) % len(_LINES)]
        _curve(ax, one, color=colour, linestyle=line)
    ax.set_ylim(0, 1.02)
    ax.set_ylabel("share of time at or below" if shown[0].weights is not None else "share at or below")
    ax.grid(color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    if shown[0].quantity.kind.unit is Unit.TIME:
        ax.xaxis.set_major_formatter(FuncFormatter(lambda ns, _: round_time_text(ns) if ns else "0"))
    ax.set_xlabel(shown[0].quantity.name)
    ax.set_title(_conclusion(shown))
    ax.legend(fontsize=7.5, loc="lower right")


def _curve(ax: Axes, one: Series, **look: Any) -> None:
    values: Floats = one.values.astype(np.float64) * float(one.scale)
    weights = one.weights
    x, share = thinning.ecdf(values) if weights is None else _weighted_ecdf(values, weights)
    label = f"{one.node}, n = {len(values)}"
    ax.step(
        np.concatenate([x[:1], x]), np.concatenate([[0.0], share]), where="post", label=label, linewidth=1.2, **look
    )


def _weighted_ecdf(values: Floats, weights: Samples) -> tuple[Floats, Floats]:
    """Values in their order, and the share of the time in which that or a smaller one held."""
    order = np.argsort(values, kind="stable")
    return values[order], np.cumsum(weights[order]) / weights.sum()


def _conclusion(shown: Sequence[Series]) -> str:
    """The medians, and the number of lacking values."""
    unit = shown[0].quantity.kind.unit
    medians = "; ".join(f"{one.node} {value_text(one.interval('median').value, unit)}" for one in shown[:2])
    lacking = sum(one.lacking for one in shown)
    more = f" ({count_text(lacking, 'value')} lacking)" if lacking else ""
    return f"Median: {medians}{' …' if len(shown) > 2 else ''}{more}"

"""The axes of a study's figures: limits, names of places, labels of logarithmic scales."""

from __future__ import annotations

import itertools
import math
import textwrap
from typing import Any

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator

from gpiorig.analysis.figures import style
from gpiorig.analysis.figures.palette import GRID
from gpiorig.analysis.figures.panels import Chart, Panel

FROM_ZERO = 0.6  # of the largest value: with a smaller one the axis begins at 0
HEADROOM = 1.09
FEW_PLACES = 5  # packets or seconds, from which on ticks are integers
MIN_LABELS, MAX_LABELS = 3, 9  # of a logarithmic axis
TICK_ROOM = 0.07  # of the width of a figure, between places of a numeric axis that are named; with less, round numbers
LETTER = 0.068  # inches, of a legend or a tick, on average
_MANTISSAS = ((1,), (1, 2, 5))


def columns(chart: Chart) -> int:
    """Panels in a row."""
    return 1 if style.is_narrow() else chart.columns


def dress(ax: Axes, chart: Chart, panel: Panel) -> None:
    """Scales, titles and places of the axes of a panel."""
    _, unit = chart.scale(panel.label)
    values = f"{panel.label} ({unit})" if unit else panel.label
    if chart.values_on_x:
        ax.set_xlabel(values)
        ax.set_ylabel(chart.x)
        return
    ax.set_ylabel(textwrap.fill(values, 34))
    if chart.kind == "scatter":
        if "x" not in chart.log:
            ax.xaxis.set_major_locator(MaxNLocator(7, steps=[1, 2, 5, 10], integer=float(ax.dataLim.x1) >= FEW_PLACES))
    else:
        if not chart.numeric:
            _name_places(ax, chart)
        elif has_room(chart):
            ax.set_xticks([chart.position(place) for place in chart.places], names(chart))
    ax.set_xlabel(chart.x)
    ax.grid(axis="y", color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    if "y" in chart.log:
        ax.set_yscale("log")


def fit(ax: Axes, chart: Chart, label: str) -> None:
    """The limits asked for; else the axis of values begins at 0 where they are far apart: heights can be compared."""
    factor, _ = chart.scale(label)
    if not (chart.values_on_x or "y" in chart.log):
        _fit_values(ax, chart, label, factor)
    for limits, set_limits, of_values in (
        (chart.x_limits, ax.set_xlim, chart.values_on_x),
        (chart.y_limits, ax.set_ylim, not chart.values_on_x),
    ):
        if limits is not None:
            set_limits(*(end * (factor if of_values else 1.0) for end in limits))


def _fit_values(ax: Axes, chart: Chart, label: str, factor: float) -> None:
    siblings = [ax, *ax.get_shared_y_axes().get_siblings(ax)]
    low, high = (pick(sibling.dataLim.intervaly) for pick, sibling in ((min, ax), (max, ax)))
    low = min([low, *(float(sibling.dataLim.y0) for sibling in siblings)])
    high = max([high, *(float(sibling.dataLim.y1) for sibling in siblings)])
    if not math.isfinite(high - low):  # no values at all
        ax.set_ylim(0, 1)
        return
    least = min(
        (value * factor for panel in chart.panels if panel.label == label for value in panel.middles()), default=0
    )
    if least >= 0 and (chart.kind in ("bars", "stack") or least < FROM_ZERO * high):
        ax.set_ylim(0, HEADROOM * high if high > 0 else 1)
    else:
        margin = 0.1 * (high - low) or 0.1 * abs(high) or 1
        ax.set_ylim(low - margin, high + margin)


def label_logarithmic(axis: Axis) -> None:
    """Label a logarithmic axis: powers of ten, with few of them values between, below a decade round numbers."""
    if axis.get_scale() != "log":
        return
    low, high = sorted(axis.get_view_interval())
    if high < 10 * low:
        ticks = MaxNLocator(MAX_LABELS // 2).tick_values(low, high)
        labels = [float(value) for value in ticks if low <= value <= high]
    else:
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        for mantissas in _MANTISSAS:
            values = (mantissa * 10.0**decade for decade in decades for mantissa in mantissas)
            labels = [value for value in values if low <= value <= high]
            if len(labels) >= MIN_LABELS:
                break
    axis.set_major_locator(FixedLocator(labels[:: math.ceil(len(labels) / MAX_LABELS)]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.6g}"))


def names(chart: Chart) -> list[str]:
    """The places as text."""
    return list(chart.names) or [_place_text(place) for place in chart.places]


def has_room(chart: Chart) -> bool:
    """Whether the places of a numeric axis can be named without an overlap."""
    at = sorted(chart.position(place) for place in chart.places)
    if "x" in chart.log:
        at = [math.log10(place) for place in at if place > 0]
    if len(at) < 2:
        return False
    nearest = min(right - left for left, right in itertools.pairwise(at))
    return nearest >= TICK_ROOM * columns(chart) * style.WIDE / style.page_width() * (at[-1] - at[0])


def _name_places(ax: Axes, chart: Chart) -> None:
    """The places under the axis, wrapped or turned where they are too long."""
    letters = max(5, int((style.page_width() / columns(chart) - 0.8) / max(1, len(chart.places)) / LETTER))
    texts = names(chart)
    longest = max((len(word) for name in texts for word in name.split()), default=0)
    wrapped = [textwrap.fill(name, letters, break_long_words=False) for name in texts]
    turned: dict[str, Any] = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"} if longest > letters else {}
    ax.set_xticks(range(len(texts)), texts if turned else wrapped, **turned)
    ax.set_xlim(-0.6, len(texts) - 0.4)


def _place_text(place: object) -> str:
    if isinstance(place, bool):
        return "yes" if place else "no"
    return f"{place:g}" if isinstance(place, float) else str(place)

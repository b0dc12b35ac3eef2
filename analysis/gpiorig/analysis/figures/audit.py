"""Figures of the three-clock audit: stages, errors and stability of each clock; and the audit in a few sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, NullFormatter, SymmetricalLogLocator
from numpy.typing import NDArray

from gpiorig.analysis.audit.results import Audit, Comparison, Stage
from gpiorig.analysis.clocks.stability import Stability
from gpiorig.analysis.figures import thinning
from gpiorig.analysis.figures.palette import FAINT, GRID, INK, SERIES
from gpiorig.analysis.number_text import round_time_text, time_text

_SHOWN = ("node", "host")
_HEADLINES = ("round trip", "reception spread", "send call to reception", "interval between receptions")
LINEAR_NS = 1000.0  # errors up to here are drawn linearly
MAX_NAMED = 8  # clocks in a legend
COMPARED_QUANTILES, SAME_CURVE = 41, 0.01  # curves that differ by less of their range cannot be seen as two
TICKS = 6  # the minimum of a logarithmic axis
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_DASHES = ("-", "-", (0, (4, 4)), (4, (2, 6)))


def quantities(audit: Audit) -> dict[str, tuple[Comparison, ...]]:
    """The comparisons of each quantity, in their order."""
    by_quantity: dict[str, tuple[Comparison, ...]] = {}
    for comparison in audit.comparisons:
        by_quantity[comparison.quantity] = (*by_quantity.get(comparison.quantity, ()), comparison)
    return by_quantity


def stage_boxes(ax: Axes, stages: Sequence[Stage]) -> None:
    """The delays of log lines, stage by stage: boxes from p25 to p75, whiskers from p5 to p95, points at the extremes.

    Parameters
    ----------
    ax
        Where to draw.
    stages
        The stages of one node, from top to bottom.
    """
    drawn = [stage for stage in stages if stage.delay.n]
    boxes: list[dict[str, Any]] = [
        {
            "label": stage.name,
            "whislo": stage.delay.p5_ns / 1000,
            "q1": stage.delay.p25_ns / 1000,
            "med": stage.delay.median_ns / 1000,
            "q3": stage.delay.p75_ns / 1000,
            "whishi": stage.delay.p95_ns / 1000,
            "fliers": [stage.delay.min_ns / 1000, stage.delay.max_ns / 1000],
        }
        for stage in drawn
    ]
    line = {"color": INK, "linewidth": 0.8}
    ax.bxp(
        boxes,
        orientation="horizontal",
        patch_artist=True,
        boxprops={"facecolor": SERIES[0], "edgecolor": INK, "linewidth": 0.8},
        medianprops={"color": INK, "linewidth": 1.4},
        whiskerprops=line,
        capprops=line,
        flierprops={"marker": ".", "markersize": 3, "markeredgecolor": FAINT},
    )
    ax.invert_yaxis()
    ax.set_xscale("symlog", linthresh=1.0)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda us, _: round_time_text(us * 1e3) if us else "0"))
    ax.set_xlim(left=min(0.0, *(box["fliers"][0] for box in boxes)))
    ax.set_xlabel("delay (logarithmic beyond 1 µs)")


def sentences(audit: Audit) -> list[str]:
    """The effect of each clock on the headline quantities, six sentences at most."""
    lines = []
    for comparison in sorted(audit.comparisons, key=_rank):
        if comparison.n and comparison.clock in _SHOWN and _rank(comparison) < len(_HEADLINES):
            skew, added = comparison.skew_ns.value, comparison.added_jitter_ns.value
            subject = f"{comparison.quantity}, by {comparison.clock} timestamps"
            if comparison.n == 1:
                lines.append(f"{subject}: one packet, shifted by {time_text(skew)}.")
                continue
            clock, pins = comparison.other.peak_to_peak_ns, comparison.pins.peak_to_peak_ns
            lines.append(
                f"{subject}: shifted by {time_text(skew)} (median), peak-to-peak {time_text(clock)} instead of "
                f"{time_text(pins)} ({'+' if added >= 0 else ''}{time_text(added)})."
            )
    return lines[:6]


def _power(value: float) -> str:
    """A small number with a power of ten: ``9·10⁻⁴``."""
    digit, _, power = f"{value:.0e}".partition("e")
    return f"{'' if digit == '1' else f'{digit}·'}10{f'{int(power)}'.translate(_RAISED)}"


def _rank(comparison: Comparison) -> int:
    """Place of a quantity among the headlines."""
    return next((i for i, name in enumerate(_HEADLINES) if comparison.quantity.startswith(name)), len(_HEADLINES))


def errors(ax: Axes, comparisons: Sequence[Comparison], *, names: Sequence[str] = ()) -> None:
    """Distribution functions of the errors of one quantity, clock minus pins, a line per clock; equal ones are one.

    Lines have their colours by their place in `names`, those of `curves` in one or several axes.
    """
    drawn = curves(comparisons)
    places = list(names or drawn)
    for name, comparison in drawn.items():
        x, share = thinning.ecdf(comparison.errors_ns / 1e3)
        place = places.index(name)
        look: dict[str, Any] = {"color": SERIES[place % len(SERIES)], "linestyle": _DASHES[place % len(_DASHES)]}
        ax.step(x, share, where="post", linewidth=1.6, label=name, **look)
    ax.set_xlabel("error, clock minus pins")
    if any(float(np.abs(comparison.errors_ns).max()) > LINEAR_NS for comparison in comparisons):
        ax.set_xscale("symlog", linthresh=LINEAR_NS / 1e3)
        ticks = SymmetricalLogLocator(base=10, linthresh=LINEAR_NS / 1e3)
        ticks.set_params(numticks=TICKS)
        ax.xaxis.set_major_locator(ticks)
        ax.set_xlabel("error (logarithmic beyond ± 1 µs)")
    ax.xaxis.set_major_formatter(FuncFormatter(lambda us, _: round_time_text(round(us * 1e3, 6)) if us else "0"))
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1])
    ax.set_ylim(0, 1.02)
    ax.grid(color=GRID, linewidth=0.6)


def curves(comparisons: Sequence[Comparison]) -> dict[str, Comparison]:
    """One of the comparisons whose errors are distributed alike, to a hundredth of their range; by all their clocks."""
    groups: list[tuple[NDArray[np.float64], list[Comparison]]] = []
    for comparison in comparisons:
        places = np.quantile(comparison.errors_ns, np.linspace(0, 1, COMPARED_QUANTILES))
        near = SAME_CURVE * float(np.ptp(places))
        group = next((group for before, group in groups if float(np.abs(before - places).max()) <= near), None)
        if group is None:
            groups.append((places, [comparison]))
        else:
            group.append(comparison)
    return {"; ".join(comparison.clock for comparison in group): group[0] for _, group in groups}


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
    unnamed = [clock for clock in clocks if clock not in named]
    for clock in unnamed:
        values = np.asarray(getattr(clock, measure), dtype=np.float64)
        usable = np.isfinite(values) & (values > 0)
        label = f"{len(unnamed)} others" if clock is unnamed[0] else "_"
        ax.plot(clock.taus_s[usable], values[usable], color=FAINT, alpha=0.4, linewidth=0.8, label=label)
    for number, clock in enumerate(named):
        values = np.asarray(getattr(clock, measure), dtype=np.float64)
        usable = np.isfinite(values) & (values > 0)
        if usable.any():
            look: dict[str, Any] = {
                "color": SERIES[number % len(SERIES)],
                "linestyle": _DASHES[1 + number // len(SERIES)],
                "label": clock.clock,
            }
            ax.plot(clock.taus_s[usable], values[usable], marker="o", markersize=3, linewidth=1.2, **look)
    ax.set_xscale("log")
    ax.set_yscale("log")
    # A measure in ns has ticks such as 10 µs; the Allan deviation has no unit.
    power = FuncFormatter(lambda value, _: f"{value:g}" if value >= 1e-3 else _power(value))
    ax.yaxis.set_major_formatter(power if measure == "adev" else FuncFormatter(lambda ns, _: round_time_text(ns)))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda s, _: round_time_text(s * 1e9)))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_minor_formatter(NullFormatter())
    ax.grid(color=GRID, linewidth=0.6)
    ax.set_xlabel("averaging time")
    ax.set_ylabel({"tdev_ns": "TDEV", "mtie_ns": "MTIE", "adev": "ADEV (no unit)"}[measure])

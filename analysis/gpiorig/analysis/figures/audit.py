"""Figures of the three-clock audit, each drawn on the axes it is given, and the audit in a few sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from gpiorig.analysis.audit.audit import Audit, Comparison, Stage
from gpiorig.analysis.figures.palette import FAINT, INK
from gpiorig.analysis.number_text import time_text

_SHOWN = ("node", "host")
_HEADLINES = ("round trip", "reception spread", "send call to reception", "interval between receptions")


def quantities(audit: Audit) -> dict[str, tuple[Comparison, ...]]:
    """The comparisons of each quantity, in their order."""
    by_quantity: dict[str, tuple[Comparison, ...]] = {}
    for comparison in audit.comparisons:
        by_quantity[comparison.quantity] = (*by_quantity.get(comparison.quantity, ()), comparison)
    return by_quantity


def stage_boxes(ax: Axes, stages: Sequence[Stage]) -> bool:
    """The delays of log lines, stage by stage: boxes from p25 to p75, whiskers from p5 to p95, points at the extremes.

    Parameters
    ----------
    ax
        Where to draw.
    stages
        The stages of one node or of several, from top to bottom.

    Returns
    -------
    bool
        False if there is nothing to draw.
    """
    drawn = [stage for stage in stages if stage.delay.n]
    if not drawn:
        return False
    several = len({stage.node for stage in drawn}) > 1
    boxes: list[dict[str, Any]] = [
        {
            "label": f"{stage.node}: {stage.name}" if several else stage.name,
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
        boxprops={"facecolor": "#56B4E9", "edgecolor": INK, "linewidth": 0.8},
        medianprops={"color": INK, "linewidth": 1.4},
        whiskerprops=line,
        capprops=line,
        flierprops={"marker": ".", "markersize": 3, "markeredgecolor": FAINT},
    )
    ax.invert_yaxis()
    ax.set_xscale("symlog", linthresh=1.0)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda us, _: f"{us:g}"))
    ax.set_xlim(left=min(0.0, *(box["fliers"][0] for box in boxes)))
    ax.set_xlabel("delay (µs)")
    if not several:
        ax.set_title(f"lines of {drawn[0].node}")
    return True


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


def _rank(comparison: Comparison) -> int:
    """Place of a quantity among the headlines."""
    return next((i for i, name in enumerate(_HEADLINES) if comparison.quantity.startswith(name)), len(_HEADLINES))

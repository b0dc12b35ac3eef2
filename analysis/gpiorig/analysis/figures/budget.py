"""The jitter budget as a picture: stacked bars of the kinds of steps, and below them every step with its interval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter

from gpiorig.analysis.delays.budget import Budget
from gpiorig.analysis.delays.numbers import RouteNumbers, short_name
from gpiorig.analysis.figures import style
from gpiorig.analysis.figures.palette import FAINT, GRID, INK, KIND_COLOURS, PAPER, ink_on
from gpiorig.analysis.number_text import share_text, time_text
from gpiorig.analysis.packets.path import Kind
from gpiorig.analysis.statistics.intervals import Interval

SHOWN_SHARE = 0.01  # of variance or tail: steps below are in the table
SEEN_SHARE = 0.03  # of a bar, that a step needs to have a part of it
SHOWN_STEPS = 12
INDENT = "\N{EN DASH} "  # before the parts of a step
DOT: dict[str, Any] = {"marker": "o", "linestyle": "", "markersize": 5, "markeredgewidth": 1.4}
_LETTER = 0.0145  # of the width of the axes, that a letter of a label takes


def bars(ax: Axes, numbers: RouteNumbers, budget: Budget | None) -> None:
    """Stacked bars: shares of the kinds of steps in the mean, in the variance, and in the tail.

    Parameters
    ----------
    ax
        Where to draw.
    numbers
        The numbers of the route; its point estimates are drawn without a budget.
    budget
        Shares with their intervals; None without a budget.
    """
    total = numbers.total
    rows: list[tuple[str, dict[Kind, float]]] = [
        (f"mean\n{time_text(total.mean_ns)}", numbers.by_kind("time")),
        ("variance" + (f"\nstd {time_text(total.std_ns)}" if total.n > 1 else ""), numbers.by_kind("variance")),
    ]
    if budget is not None and total.n > 1:
        slowest = f"tail\nslowest {budget.tail_packets}"
        rows.append((slowest, budget.kinds("tail")))
    least = 0.0
    for y, (_, sums) in enumerate(rows):
        if not all(np.isfinite(share) for share in sums.values()):
            text = _why_none(numbers)
            ax.text(0.5, y, text, ha="center", va="center", fontsize=8.5, color=INK)
            continue
        parts = _parts(budget, sums, "variance" if y == 1 else "tail") if y and budget is not None else {}
        least = min(least, _stack(ax, sums, y, mean_ns=total.mean_ns if y == 0 else None, parts=parts))
    ax.set_yticks(range(len(rows)), [label for label, _ in rows])
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.set_xlim(least, max(1.0, 1.0 - least))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.0f} %"))
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)


def _why_none(numbers: RouteNumbers) -> str:
    """The reason for a missing bar."""
    if numbers.total.n < 2:
        return "one packet does not vary"
    if np.isfinite(numbers.variances).all():
        return "no tail: too few packets, or too few different delays"
    return f"not resolved: all delays are equal within {numbers.resolution_text}"


def _parts(budget: Budget, sums: dict[Kind, float], of: Literal["variance", "tail"]) -> dict[Kind, list[_Part]]:
    """The steps that divide the share of a kind, each with a name: where several have a part of it that can be seen."""
    shares = [share.value for share in getattr(budget, of)]
    divided = {}
    for group in budget.by_kind:
        kind = group.of
        assert isinstance(kind, Kind)
        seen = sorted((step for step in group.steps if shares[step] >= SEEN_SHARE), key=lambda step: step)
        rest = sums[kind] - sum(shares[step] for step in seen)
        if len(seen) > 1 and abs(rest) < SHOWN_SHARE:
            divided[kind] = [
                _Part(budget.steps[step].way or short_name(budget.steps[step]), shares[step]) for step in seen
            ]
    return divided


class _Part(NamedTuple):
    """A step's part of the bar of its kind."""

    name: str
    share: float


def _stack(
    ax: Axes, sums: dict[Kind, float], y: int, *, mean_ns: float | None, parts: Mapping[Kind, list[_Part]]
) -> float:
    """One bar, negative shares to the left of zero; returns its left end."""
    right, left = 0.0, 0.0
    letter = _LETTER * style.WIDE / (style.NARROW if style.is_narrow() else style.REPORT_WIDE)
    for kind, of_kind in sums.items():
        for name, share in parts.get(kind, [_Part("", of_kind)]):
            start = right if share >= 0 else left + share
            ax.barh(y, abs(share), left=start, height=0.66, color=KIND_COLOURS[kind], edgecolor=PAPER, linewidth=0.8)
            lines = [f"{name} {share_text(share)}".lstrip()]
            lines += [time_text(share * mean_ns)] if mean_ns is not None else []
            if abs(share) > letter * (max(map(len, lines)) + 1):
                look: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8.5}
                ax.text(start + abs(share) / 2, y, "\n".join(lines), color=ink_on(KIND_COLOURS[kind]), **look)
            right, left = right + max(share, 0.0), left + min(share, 0.0)
    return left


class Row(NamedTuple):
    """A step, or a part of one, in the drawing of the intervals."""

    label: str
    kind: Kind
    variance: Interval
    tail: Interval

    @property
    def size(self) -> float:
        """The larger of its shares; 0 without shares."""
        return float(np.nan_to_num(max(abs(self.variance.value), abs(self.tail.value))))


def shown(budget: Budget) -> list[Row]:
    """The rows of `intervals`: the largest steps in the order of the path, their parts indented below them."""
    steps = [
        Row(f"{short_name(step)}, {step.node}", step.kind, variance, tail)
        for step, variance, tail in zip(budget.steps, budget.variance, budget.tail, strict=True)
    ]
    largest = sorted(range(len(steps)), key=lambda place: -steps[place].size)[:SHOWN_STEPS]
    rows = []
    for place in sorted(largest):
        if steps[place].size >= SHOWN_SHARE:
            parts = [Row(INDENT + part.name, part.kind, part.variance, part.tail) for part in budget.parts_of(place)]
            sizes = [part for part in parts if part.size >= SHOWN_SHARE]
            alone = len(sizes) == 1 and _equal(sizes[0], steps[place])  # it would repeat its step
            label = f"{steps[place].label}: {sizes[0].label.removeprefix(INDENT)}" if alone else steps[place].label
            rows += [steps[place]._replace(label=label), *([] if alone else sizes)]
    return rows


def _equal(part: Row, step: Row) -> bool:
    """Whether the shares of a part are those of its step, as they are written."""
    return all(
        share_text(getattr(part, of).value) == share_text(getattr(step, of).value) for of in ("variance", "tail")
    )


def intervals(ax: Axes, budget: Budget) -> None:
    """The shares of the steps that matter, each with its interval: in the variance, and in the tail."""
    rows = shown(budget)
    colours = [KIND_COLOURS[row.kind] for row in rows]
    handles = []
    for shift, hollow, label, shares in (
        (-0.16, False, "variance", [row.variance for row in rows]),
        (0.16, True, f"tail, slowest {budget.tail_packets}", [row.tail for row in rows]),
    ):
        if any(np.isfinite(share.value) for share in shares):
            _points(ax, shares, colours, shift=shift, hollow=hollow)
            handles.append(Line2D([], [], **DOT, color=FAINT, markerfacecolor=PAPER if hollow else FAINT, label=label))
    ax.set_yticks(range(len(rows)), [row.label for row in rows])
    ax.set_ylim(len(rows) - 0.5, -0.5)
    ax.axvline(0, color=INK, linewidth=0.7)
    ax.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:.0f} %"))
    ax.grid(axis="x", color=GRID, linewidth=0.6)
    ax.set_axisbelow(True)
    ax.set_xlabel("share, with 95 % interval")
    ax.legend(handles=handles, loc="best", fontsize=7.5)


def _points(ax: Axes, shares: Sequence[Interval], colours: Sequence[str], *, shift: float, hollow: bool) -> None:
    """A dot per share in the colour of its kind, with its interval."""
    for y, (share, colour) in enumerate(zip(shares, colours, strict=True)):
        if np.isfinite(share.low) and np.isfinite(share.high):
            ends = [share.low, share.high]
            ax.plot(ends, [y + shift] * 2, color=colour, linewidth=2.2, solid_capstyle="butt")
        ax.plot([share.value], [y + shift], **DOT, color=colour, markerfacecolor=PAPER if hollow else colour)

"""Statistics over repeats: the mean of a statistic's value in each repeat, and their spread. Nothing is pooled."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.number_text import count_text
from gpiorig.analysis.statistics import intervals, repeats
from gpiorig.analysis.statistics.intervals import NAN, Interval, joined
from gpiorig.analysis.statistics.repeats import ROUNDING
from gpiorig.studies.pages.description import Value
from gpiorig.studies.pages.expressions import Amount, Expression, evaluate, observed
from gpiorig.studies.pages.observations import SHARE
from gpiorig.studies.pages.results import PointResult, StudyResults

EXACT = "exact: bytes of files"
ONE_RUN = "one run: its interval states nothing about other runs"
Coordinates = Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Estimate:
    """The value of an expression at one combination of axis values.

    Parameters
    ----------
    value
        Mean of the values of the repeats, in SI.
    unit
        Unit of all values.
    of_repeats
        Value of each repeat that has one.
    asked
        Number of repeats that were asked for.
    sd
        Standard deviation of the repeats (n - 1); NaN for one.
    low, high
        95 % interval: of the mean from `MIN_REPEATS` repeats on, of the run for a single one; NaN where there is none.
    n
        Smallest and largest number of values of a repeat.
    note
        A condition that the reader must know.
    method
        How the interval was computed; empty without one.
    doubt
        By how much the value may be off whatever the number of repeats, half width; it is in the interval.
    """

    value: float
    unit: str
    of_repeats: tuple[float, ...]
    asked: int
    sd: float
    low: float
    high: float
    n: tuple[int, int]
    note: str = ""
    method: str = ""
    doubt: float = 0.0

    @property
    def repeats(self) -> int:
        """Number of repeats with a value."""
        return len(self.of_repeats)

    @property
    def is_exact(self) -> bool:
        """Whether repeats cannot differ: it is of images."""
        return self.method == EXACT

    @property
    def interval(self) -> Interval:
        """The value with its interval."""
        return Interval(self.value, self.low, self.high, self.method)


@dataclass(frozen=True, slots=True)
class Cell:
    """One combination of axis values at one node.

    Parameters
    ----------
    coordinates
        Value of each axis.
    node
        Node, or ``initiator > responder``; empty where no repeat has a value.
    estimate
        Value over the repeats; None if no repeat has one.
    troubles
        Number and reason of each repeat that is not in the mean.
    failed
        Whether a repeat failed.
    """

    coordinates: Coordinates
    node: str
    estimate: Estimate | None
    troubles: tuple[tuple[int, str], ...] = ()
    failed: bool = False

    @property
    def trouble(self) -> str:
        """``repeats 1, 3 failed: REASON``, repeats with the same reason together; empty without any."""
        by_reason: dict[str, list[str]] = {}
        for repeat, reason in self.troubles:
            by_reason.setdefault(reason, []).append(str(repeat))
        return "; ".join(
            f"repeat{'s' if len(repeats) > 1 else ''} {', '.join(repeats)} {reason}"
            for reason, repeats in by_reason.items()
        )


@dataclass(slots=True)
class _Collected:
    """The repeats of one combination."""

    asked: int = 0
    by_node: dict[str, list[tuple[PointResult, Amount]]] = field(default_factory=dict)
    troubles: list[tuple[int, str]] = field(default_factory=list)
    failed: bool = False


def combinations(results: StudyResults, where: Callable[[Coordinates], bool]) -> list[list[PointResult]]:
    """The points of each combination of axis values for which `where` is true, in the order of the study."""
    groups: dict[tuple[tuple[str, Value], ...], list[PointResult]] = {}
    for point in results.points:
        if where(point.coordinates):
            groups.setdefault(tuple(point.coordinates.items()), []).append(point)
    return [sorted(points, key=lambda point: point.repeat) for points in groups.values()]


def estimate(expression: Expression, points: Sequence[PointResult]) -> list[Cell]:
    """The value of an expression at one combination: a cell per node, or one without an estimate.

    Points that failed or are not done are in no mean.
    """
    collected = _Collected(asked=len(points))
    for point in points:
        _collect(expression, point, collected)
    cells = [
        Cell(
            points[0].coordinates,
            node,
            over_repeats(expression, node, pairs, asked=collected.asked),
            tuple(collected.troubles),
            collected.failed,
        )
        for node, pairs in collected.by_node.items()
    ]
    return cells or [Cell(points[0].coordinates, "", None, tuple(collected.troubles), collected.failed)]


def over_repeats(
    expression: Expression, node: str, pairs: Sequence[tuple[PointResult, Amount]], *, asked: int
) -> Estimate:
    """Mean and spread of the values of repeats at a node; of one repeat the run's own interval."""
    amounts = [amount for _, amount in pairs]
    values = np.array([amount.value for amount in amounts])
    n = min(amount.n for amount in amounts), max(amount.n for amount in amounts)
    doubt = float(np.mean([amount.doubt for amount in amounts]))
    note = fewer(len(values), asked)
    if all(term.kind.of_image for term in expression.terms):
        value = float(values[0])
        return Estimate(value, amounts[0].unit, tuple(values.tolist()), asked, NAN, value, value, n, note, EXACT)
    if len(values) == 1:
        run = _of_run(expression, node, pairs[0][0])
        return Estimate(float(values[0]), amounts[0].unit, (float(values[0]),), asked, NAN, run.low, run.high, n,
                        joined(note, ONE_RUN, run.note), run.method, doubt)  # fmt: skip
    mean, sd = float(values.mean()), float(values.std(ddof=1))
    sd = 0.0 if sd <= ROUNDING * abs(mean) else sd
    interval = _of_mean(expression, amounts).widened(doubt)
    interval = replace(interval, low=max(interval.low, expression.least)) if doubt else interval
    return Estimate(mean, amounts[0].unit, tuple(values.tolist()), asked, sd, interval.low, interval.high, n, note,
                    interval.method, doubt)  # fmt: skip


def _of_mean(expression: Expression, amounts: Sequence[Amount]) -> Interval:
    """The interval of the mean of repeats; of packets that are lost or not the wider end of it and of the exact one."""
    values = np.array([amount.value for amount in amounts])
    unit = amounts[0].unit
    most = 1.0 if unit == SHARE and not expression.operator else math.inf
    interval = repeats.mean(values, least=expression.least, most=most)
    if expression.operator or not expression.terms[0].kind.of_packets or not interval.is_bounded:
        return interval
    packets = sum(amount.n for amount in amounts)
    exact = intervals.for_share(round(sum(amount.value * amount.n for amount in amounts)), packets, what="packets")
    return replace(
        exact, value=interval.value, low=min(exact.low, interval.low), high=max(exact.high, interval.high),
        method=f"{exact.method}, all repeats together, or by the repeats where that is wider",
    )  # fmt: skip


def fewer(count: int, asked: int) -> str:
    """``8 of 10 repeats``, where some are not in the mean."""
    return f"{count} of {count_text(asked, 'repeat')}" if count < asked else ""


def _collect(expression: Expression, point: PointResult, collected: _Collected) -> None:
    if point.state != "done" or point.table is None:
        reason = f": {point.reason}" if point.reason else ""
        collected.troubles.append((point.repeat, f"{point.state}{reason}"))
        collected.failed |= point.state == "failed"
        return
    try:
        amounts = evaluate(expression, point.table)
    except QuantityError as error:
        collected.troubles.append((point.repeat, f"without a value: {error}"))
        return
    for node, amount in amounts.items():
        if math.isfinite(amount.value):
            collected.by_node.setdefault(node, []).append((point, amount))
        else:
            collected.troubles.append(
                (point.repeat, f"without a value of {expression.text}{f' at {node}' if node else ''}")
            )


def _of_run(expression: Expression, node: str, point: PointResult) -> Interval:
    """The interval of one run."""
    if expression.operator or point.table is None:
        return Interval(NAN, NAN, NAN, "none", "no interval within a run for a difference or a ratio")
    term = expression.terms[0]
    return observed(term, point.table)[node].interval(term.statistic)

"""The values that a show of a study draws: a group for each of its expressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.errors import QuantityError
from gpiorig.studies.pages import selection, statistics
from gpiorig.studies.pages.description import Show
from gpiorig.studies.pages.expressions import Expression, observed, parse
from gpiorig.studies.pages.observations import Observed
from gpiorig.studies.pages.results import PointResult, StudyResults
from gpiorig.studies.pages.selection import TIME
from gpiorig.studies.pages.statistics import Cell, Coordinates

DISTRIBUTIONS = ("ecdf", "histogram", "box", "scatter")
QUANTILES = ("min", "p5", "p25", "median", "p75", "p95", "max")  # of a distribution, in the tables


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """The values of a quantity at one combination and node: float64[n] in SI for each repeat.

    `at` has for `scatter` the number of each value from 1 on, or the time in s since the first.
    """

    coordinates: Coordinates
    node: str
    unit: str
    runs: tuple[NDArray[np.float64], ...]
    at: tuple[NDArray[np.float64], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """One expression of a show.

    Parameters
    ----------
    expression
        The expression.
    cells
        Its estimates, a cell per combination and node; for values the medians.
    runs
        The values themselves, for distributions; else empty.
    details
        Expression and cells of each row in the tables: for values those of `QUANTILES`.
    """

    expression: Expression
    cells: tuple[Cell, ...]
    runs: tuple[Runs, ...]
    details: tuple[tuple[Expression, tuple[Cell, ...]], ...]

    @property
    def unit(self) -> str:
        """SI unit of the values, ``1`` without one."""
        return next((cell.estimate.unit for cell in self.cells if cell.estimate), "1")


def expressions(show: Show, aliases: Mapping[str, str]) -> tuple[tuple[Expression, bool], ...]:
    """The expressions of a show, and whether each is about values rather than a statistic.

    Raises
    ------
    QuantityError
        One is not understood.
    """
    return tuple(_expression(show, text, aliases) for text in show.y)


def groups(results: StudyResults, show: Show) -> tuple[Group, ...]:
    """The values of each expression of a show."""
    points = statistics.combinations(results, lambda coordinates: selection.is_selected(show, coordinates))
    return tuple(
        _group(expression, points, show, values=values) for expression, values in expressions(show, results.quantities)
    )


def _expression(show: Show, text: str, aliases: Mapping[str, str]) -> tuple[Expression, bool]:
    if show.kind in DISTRIBUTIONS:
        return parse(text, aliases, values=True), True
    if show.kind != "dots":
        return parse(text, aliases), False
    try:
        return parse(text, aliases, values=True), True
    except QuantityError:
        return parse(text, aliases), False


def _group(expression: Expression, points: Sequence[Sequence[PointResult]], show: Show, *, values: bool) -> Group:
    if not values:
        cells = _cells(expression, points)
        return Group(expression, cells, (), ((expression, cells),))
    details = tuple(
        (one, _cells(one, points)) for one in (expression.with_statistic(statistic) for statistic in QUANTILES)
    )
    median = next(cells for one, cells in details if one.terms[0].statistic == "median")
    runs = tuple(run for group in points for run in _runs(expression, group, show))
    return Group(expression, median, runs, details)


def _cells(expression: Expression, points: Sequence[Sequence[PointResult]]) -> tuple[Cell, ...]:
    return tuple(cell for group in points for cell in statistics.estimate(expression, group))


def _runs(expression: Expression, points: Sequence[PointResult], show: Show) -> list[Runs]:
    by_node: dict[str, list[Observed]] = {}
    for point in points:
        if point.state != "done" or point.table is None:
            continue
        try:
            values = observed(expression.terms[0], point.table)
        except QuantityError:  # the cells have the reason
            continue
        for node, one in values.items():
            if len(one.values):
                by_node.setdefault(node, []).append(one)
    return [_run(points[0].coordinates, node, of_node, show) for node, of_node in by_node.items()]


def _run(coordinates: Coordinates, node: str, of_node: Sequence[Observed], show: Show) -> Runs:
    unit = of_node[0].unit
    if show.kind != "scatter":
        return Runs(coordinates, node, unit, tuple(one.drawn for one in of_node))
    orders = [np.argsort(one.starts_s, kind="stable") for one in of_node]
    values = tuple(one.si[order] for one, order in zip(of_node, orders, strict=True))
    if show.x == TIME:
        starts = [one.starts_s[order] for one, order in zip(of_node, orders, strict=True)]
        return Runs(coordinates, node, unit, values, tuple(start - start[0] for start in starts))
    return Runs(coordinates, node, unit, values, tuple(np.arange(1.0, len(run) + 1) for run in values))

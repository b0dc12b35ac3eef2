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
from gpiorig.studies.pages.results import PointResult, StudyResults
from gpiorig.studies.pages.statistics import Cell, Coordinates

DISTRIBUTIONS = ("ecdf", "box")
QUANTILES = ("min", "p5", "p25", "median", "p75", "p95", "max")  # of a distribution, in the tables


@dataclass(frozen=True, slots=True, eq=False)
class Runs:
    """The values of a quantity at one combination and node: float64[n] in SI for each repeat."""

    coordinates: Coordinates
    node: str
    unit: str
    runs: tuple[NDArray[np.float64], ...]


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
        _group(expression, points, values=values) for expression, values in expressions(show, results.quantities)
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


def _group(expression: Expression, points: Sequence[Sequence[PointResult]], *, values: bool) -> Group:
    if not values:
        cells = _cells(expression, points)
        return Group(expression, cells, (), ((expression, cells),))
    details = tuple(
        (one, _cells(one, points)) for one in (expression.with_statistic(statistic) for statistic in QUANTILES)
    )
    median = next(cells for one, cells in details if one.terms[0].statistic == "median")
    return Group(expression, median, tuple(run for group in points for run in _runs(expression, group)), details)


def _cells(expression: Expression, points: Sequence[Sequence[PointResult]]) -> tuple[Cell, ...]:
    return tuple(cell for group in points for cell in statistics.estimate(expression, group))


def _runs(expression: Expression, points: Sequence[PointResult]) -> list[Runs]:
    by_node: dict[str, tuple[str, list[NDArray[np.float64]]]] = {}
    for point in points:
        if point.state != "done" or point.table is None:
            continue
        try:
            values = observed(expression.terms[0], point.table)
        except QuantityError:  # the cells have the reason
            continue
        for node, one in values.items():
            if len(one.values):
                by_node.setdefault(node, (one.unit, []))[1].append(one.drawn)
    return [Runs(points[0].coordinates, node, unit, tuple(runs)) for node, (unit, runs) in by_node.items()]

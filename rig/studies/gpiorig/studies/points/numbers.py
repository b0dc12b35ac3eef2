"""Numbers of a study for `--json`: what its figures show at each combination of the axes."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from gpiorig.rig.plain_json import Number, Result
from gpiorig.studies.pages import statistics, values
from gpiorig.studies.pages.results import StudyResults


class ValueNumbers(Result, frozen=True, kw_only=True):
    """The value of an expression at a combination, over the repeats; `troubles` has those that are not in it."""

    y: str
    coordinates: dict[str, bool | int | float | str]
    node: str
    troubles: tuple[tuple[int, str], ...]
    value: Number
    low: Number | UnsetType = UNSET
    high: Number | UnsetType = UNSET
    sd: Number | UnsetType = UNSET
    unit: str | UnsetType = UNSET
    repeats: int | UnsetType = UNSET
    n: tuple[int, int] | UnsetType = UNSET


def of(results: StudyResults) -> list[ValueNumbers]:
    """The value of each expression at each combination and node; null for one that is not defined."""
    expressions = dict.fromkeys(pair for show in results.shows for pair in values.expressions(show, results.quantities))
    return [
        ValueNumbers.of(
            cell.estimate,
            y=expression.text,
            coordinates=dict(cell.coordinates),
            node=cell.node,
            troubles=cell.troubles,
            value=cell.estimate.value if cell.estimate else None,
        )
        for expression, of_values in expressions
        if not of_values
        for group in statistics.combinations(results, lambda coordinates: True)
        for cell in statistics.estimate(expression, group)
    ]

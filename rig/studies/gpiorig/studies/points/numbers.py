"""Numbers of a study for `--json`: what its figures show at each combination of the axes."""

from __future__ import annotations

import math
from typing import Any

from gpiorig.studies.pages import statistics, values
from gpiorig.studies.pages.results import StudyResults


def of(results: StudyResults) -> list[dict[str, Any]]:
    """The value of each expression at each combination and node; null for one that is not defined."""
    shown = dict.fromkeys(pair for show in results.shows for pair in values.expressions(show, results.quantities))
    return [
        _row(expression.text, cell)
        for expression, of_values in shown
        if not of_values
        for group in statistics.combinations(results, lambda coordinates: True)
        for cell in statistics.estimate(expression, group)
    ]


def _row(text: str, cell: statistics.Cell) -> dict[str, Any]:
    row = {"y": text, "coordinates": dict(cell.coordinates), "node": cell.node, "troubles": list(cell.troubles)}
    if (estimate := cell.estimate) is None:
        return row | {"value": None}
    numbers = {"value": estimate.value, "low": estimate.low, "high": estimate.high, "sd": estimate.sd}
    defined = {key: value if math.isfinite(value) else None for key, value in numbers.items()}
    return row | defined | {"unit": estimate.unit, "repeats": estimate.repeats, "n": list(estimate.n)}

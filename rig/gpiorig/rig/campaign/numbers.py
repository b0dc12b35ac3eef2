"""Numbers of a study for `--json`: what its figures show at each combination of the axes."""

from __future__ import annotations

import math
from typing import Any

from gpiorig.analysis.campaign import expressions, statistics
from gpiorig.analysis.campaign.results import StudyResults
from gpiorig.rig.campaign.asked import OF_VALUES


def of(results: StudyResults) -> list[dict[str, Any]]:
    """The value of each expression at each combination and node; null for one that is not defined."""
    texts = dict.fromkeys(text for show in results.shows if show.kind not in OF_VALUES for text in show.y)
    rows = []
    for text in texts:
        expression = expressions.parse(text, results.quantities)
        for group in statistics.combinations(results, lambda coordinates: True):
            rows += [_row(text, cell) for cell in statistics.estimate(expression, group)]
    return rows


def _row(text: str, cell: statistics.Cell) -> dict[str, Any]:
    row = {"y": text, "coordinates": dict(cell.coordinates), "node": cell.node, "troubles": list(cell.troubles)}
    if (estimate := cell.estimate) is None:
        return row | {"value": None}
    numbers = {"value": estimate.value, "low": estimate.low, "high": estimate.high, "sd": estimate.sd}
    defined = {key: value if math.isfinite(value) else None for key, value in numbers.items()}
    return row | defined | {"unit": estimate.unit, "repeats": estimate.repeats, "n": list(estimate.n)}

"""Tables of a study: the values of each show, and published values next to ours."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.number_text import DASH
from gpiorig.analysis.statistics.intervals import joined
from gpiorig.studies.pages import amounts, published, statistics, troubles
from gpiorig.studies.pages.description import Value
from gpiorig.studies.pages.expressions import parse
from gpiorig.studies.pages.published import Stated, where_text
from gpiorig.studies.pages.results import StudyResults
from gpiorig.studies.pages.selection import NODE, coordinates_of
from gpiorig.studies.pages.statistics import Cell, Estimate
from gpiorig.studies.pages.values import Group

_NUMBERS = ("value", "sd", "low", "high")
_FLOATS = (*_NUMBERS, "published", "published_low", "published_high", "difference", "ratio")
_TYPES = (
    {name: pa.float64() for name in _FLOATS}
    | {name: pa.int64() for name in ("published_n", "repeats", "asked", "n", "n_min", "n_max")}
    | {name: pa.bool_() for name in ("virtual", "quick")}
)


@dataclass(frozen=True, slots=True)
class Compared:
    """A published value next to ours; `reason` states why there is none here."""

    stated: Stated
    cell: Cell | None
    where: str
    reason: str = ""

    @property
    def name(self) -> str:
        """The expression and the axis values."""
        return f"{self.stated.published.y}: {self.where}" if self.where else self.stated.published.y

    @property
    def estimate(self) -> Estimate | None:
        """The value here."""
        return self.cell.estimate if self.cell else None

    @property
    def difference(self) -> tuple[float, float]:
        """Ours minus the published value, and their ratio; NaN without a value."""
        return published.difference(self.stated, self.cell) if self.cell else (math.nan, math.nan)


def estimate_text(estimate: Estimate | None) -> str:
    """``12.3 ms (95 % interval 12.1 to 12.5 ms; 10 repeats)``; with one run, the run's n."""
    if estimate is None:
        return DASH
    text = amounts.text(estimate.value, estimate.unit, half_width=estimate.interval.half_width)
    if estimate.is_exact:
        return f"{text} (exact)"
    interval = f"95 % interval {_ends(estimate)}; "
    return f"{text} ({interval if estimate.interval.is_bounded else ''}{count(estimate)})"


def count(estimate: Estimate) -> str:
    """Repeats, and values of each: ``8 of 10 repeats, n = 98 to 100``."""
    least, most = estimate.n
    n = f"n = {least}" if least == most else f"n = {least} to {most}"
    if estimate.asked == 1:
        return f"1 run, {n}"
    return f"{statistics.fewer(estimate.repeats, estimate.asked) or f'{estimate.repeats} repeats'}, {n}"


def brief(estimate: Estimate | None) -> str:
    """``12.3 ms (12.1 to 12.5 ms; sd 210 µs)``."""
    if estimate is None:
        return DASH
    text = amounts.text(estimate.value, estimate.unit, half_width=estimate.interval.half_width)
    bounds = [_ends(estimate)] if estimate.interval.is_bounded and not estimate.is_exact else []
    spread = [f"sd {amounts.text(estimate.sd, estimate.unit, digits=2)}"] if math.isfinite(estimate.sd) else []
    return f"{text} ({'; '.join([*bounds, *spread])})" if bounds or spread else text


def _ends(estimate: Estimate) -> str:
    return amounts.range_text(estimate.low, estimate.high, estimate.unit, half_width=estimate.interval.half_width)


def of_show(results: StudyResults, groups: Sequence[Group]) -> pa.Table:
    """A row per expression, combination and node: value, spread, interval, n; all in SI."""
    rows = [
        _row(results, expression.text, cell)
        for group in groups
        for expression, cells in group.details
        for cell in cells
    ]
    return _table(rows)


def compared(results: StudyResults) -> list[Compared]:
    """Each published value with a number next to ours, in the order of the study file."""
    stated = published.stated(results.published)
    cells = {y: cells_of(results, y) for y in dict.fromkeys(one.published.y for one in stated)}
    return [row for one in stated for row in _compared(cells[one.published.y], one)]


def of_compared(results: StudyResults, rows: Sequence[Compared]) -> pa.Table:
    """A row per published value and combination: published, here, difference, ratio."""
    content = []
    for one in rows:
        stated, estimate = one.stated, one.estimate
        difference, ratio = one.difference
        at = coordinates_of(one.cell) if one.cell else dict(stated.where)
        content.append(
            {
                "expression": stated.published.y,
                **{axis: _word(at.get(axis)) for axis in (*results.axes, NODE)},
                "published": stated.value,
                "published_low": stated.low,
                "published_high": stated.high,
                "published_n": stated.published.n,
                "source": stated.published.source,
                "differs": stated.published.differs,
                **{name: getattr(estimate, name) if estimate else math.nan for name in _NUMBERS},
                "unit": estimate.unit if estimate else stated.unit,
                "repeats": estimate.repeats if estimate else 0,
                "n": estimate.n[0] if estimate else 0,
                "difference": difference,
                "ratio": ratio,
                "virtual": results.virtual,
                "quick": results.quick,
            }
        )
    return _table(content)


def of_verdicts(results: StudyResults, numbers: Sequence[Sequence[str]]) -> pa.Table:
    """A row per judgement, as the catalogue has it."""
    names = ("study", "verdict", "quantity", "at", "expected", "here", "agrees", "ratio_text", "decides", "state")
    rows = [dict(zip(names, row, strict=True)) for row in numbers]
    return _table([row | {"virtual": results.virtual, "quick": results.quick} for row in rows])


def cells_of(results: StudyResults, y: str) -> tuple[Cell, ...]:
    """The values of an expression at all combinations; of a quantity's values their medians."""
    try:
        expression = parse(y, results.quantities)
    except QuantityError:
        expression = parse(y, results.quantities, values=True).with_statistic("median")
    groups = statistics.combinations(results, lambda coordinates: True)
    return tuple(cell for group in groups for cell in statistics.estimate(expression, group))


def _compared(every: Sequence[Cell], stated: Stated) -> Iterable[Compared]:
    hidden = {NODE} if len({cell.node for cell in every} - {""}) < 2 else set()
    cells = [cell for cell in every if stated.fits(coordinates_of(cell))]
    if not cells:
        yield Compared(stated, None, where_text(stated.where), "not among the values here")
    for cell in cells:
        at = {axis: value for axis, value in coordinates_of(cell).items() if axis not in hidden and value != ""}
        if cell.estimate is None:
            yield Compared(stated, cell, where_text(at), troubles.brief(cell))
        elif stated.unit not in ("1", cell.estimate.unit):
            reason = f"the unit differs: published {stated.unit}, here {cell.estimate.unit}"
            yield Compared(stated, None, where_text(at), reason)
        else:
            yield Compared(stated, cell, where_text(at))


def _row(results: StudyResults, text: str, cell: Cell) -> dict[str, Any]:
    estimate = cell.estimate
    at = coordinates_of(cell)
    return {
        "expression": text,
        **{axis: _word(at.get(axis)) for axis in (*results.axes, NODE)},
        **{name: getattr(estimate, name) if estimate else math.nan for name in _NUMBERS},
        "unit": estimate.unit if estimate else "",
        "repeats": estimate.repeats if estimate else 0,
        "asked": estimate.asked if estimate else len(cell.troubles),
        "n_min": estimate.n[0] if estimate else 0,
        "n_max": estimate.n[1] if estimate else 0,
        "note": joined(estimate.note if estimate else "", cell.trouble),
        "virtual": results.virtual,
        "quick": results.quick,
    }


def _table(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """The rows with null in place of NaN; columns of words unless their names are known."""
    names = list(rows[0]) if rows else ["expression"]
    schema = pa.schema([(name, _TYPES.get(name, pa.string())) for name in names])
    content = [{name: None if _is_nan(value) else value for name, value in row.items()} for row in rows]
    return pa.Table.from_pylist(content, schema=schema)


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _word(value: Value | None) -> str:
    return "" if value is None else amounts.value_text(value)

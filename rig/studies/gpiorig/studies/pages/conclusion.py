"""The sentence that concludes a study: expressions in braces are replaced by their values."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.number_text import count_text
from gpiorig.studies.pages import amounts, statistics
from gpiorig.studies.pages.description import Value
from gpiorig.studies.pages.expressions import Expression, parse
from gpiorig.studies.pages.results import StudyResults
from gpiorig.studies.pages.selection import NODE
from gpiorig.studies.pages.statistics import Cell, Estimate
from gpiorig.studies.pages.tables import estimate_text

_BRACES = re.compile(r"\{([^{}]*)\}")
_WHERE = " where "


def sentence(results: StudyResults) -> str:
    """The conclusion with its values; where one is missing, which numbers are."""
    missing: list[str] = []

    def replaced(match: re.Match[str]) -> str:
        text = _value(match[1], results)
        if not text:
            missing.append(match[1].strip())
        return text

    concluded = _BRACES.sub(replaced, results.conclusion)
    if missing:
        return f"No conclusion yet: no value of {'; '.join(dict.fromkeys(missing))}."
    return concluded


def check(conclusion: str, aliases: Mapping[str, str], axes: Mapping[str, Sequence[Value]]) -> None:
    """Refuse a conclusion with an expression that is not understood; raises `QuantityError`."""
    for braces in _BRACES.findall(conclusion):
        _parsed(braces, aliases, axes)


def quantities(conclusion: str, aliases: Mapping[str, str]) -> tuple[str, ...]:
    """Complete names of the quantities that a conclusion needs."""
    texts = (braces.partition(_WHERE)[0] for braces in _BRACES.findall(conclusion))
    return tuple(dict.fromkeys(name for text in texts for name in parse(text, aliases).quantities))


def _value(braces: str, results: StudyResults) -> str:
    """The value of one expression, or the range over several combinations; empty without one."""
    expression, where = _parsed(braces, results.quantities, None)
    node = where.pop(NODE, "")
    points = statistics.combinations(
        results,
        lambda coordinates: all(amounts.value_text(coordinates[axis]) == value for axis, value in where.items()),
    )
    cells = [cell for group in points for cell in statistics.estimate(expression, group)]
    return _text([cell for cell in cells if node in ("", cell.node)])


def _text(cells: Sequence[Cell]) -> str:
    estimates = [cell.estimate for cell in cells if cell.estimate and math.isfinite(cell.estimate.value)]
    if not estimates or len(estimates) < len(cells):
        return ""
    if len(estimates) == 1:
        return estimate_text(estimates[0])
    least, most = (pick(estimates, key=_value_of) for pick in (min, max))
    ends = amounts.range_text(least.value, most.value, least.unit)
    return f"{ends} ({count_text(len(estimates), 'combination')})"


def _value_of(estimate: Estimate) -> float:
    return estimate.value


def _parsed(
    braces: str, aliases: Mapping[str, str], axes: Mapping[str, Sequence[Value]] | None
) -> tuple[Expression, dict[str, str]]:
    """Expression and axis values of ``{rtt.p2p where protocol = UDP, node = initiator}``.

    With `axes`, all values of the study, others are refused; a quick run has fewer.
    """
    text, _, conditions = braces.partition(_WHERE)
    where: dict[str, str] = {}
    for condition in conditions.split(",") if conditions else ():
        axis, equals, value = (part.strip() for part in condition.partition("="))
        if axes is not None and not (equals and _is_known(axis, value, axes)):
            raise QuantityError(
                f"conclusion `{{{braces}}}`: `{condition.strip()}` is not a value of an axis; write `{{rtt.p2p where "
                f"AXIS = VALUE}}` with an axis of {', '.join([*axes, NODE])}."
            )
        where[axis] = value
    return parse(text.strip(), aliases), where


def _is_known(axis: str, value: str, axes: Mapping[str, Sequence[Value]]) -> bool:
    return axis == NODE or value in [amounts.value_text(one) for one in axes.get(axis, ())]

"""Published values: read from a study file, and next to the values here."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.statistics.intervals import NAN
from gpiorig.studies.pages import amounts, bounds
from gpiorig.studies.pages.bounds import Bounds
from gpiorig.studies.pages.description import Published, Rule, Value
from gpiorig.studies.pages.expressions import parse
from gpiorig.studies.pages.selection import NODE, axis_text
from gpiorig.studies.pages.statistics import Cell, Coordinates

AMOUNTS = ("value", "low", "high", "plus_minus")


@dataclass(frozen=True, slots=True)
class Stated:
    """One published value.

    Parameters
    ----------
    published
        The table of the study file that it is from.
    where
        Its axis values; an axis without one is not stated.
    value, low, high
        In SI; NaN for what is not stated.
    unit
        SI unit.
    written
        The value as it was published.
    bounds
        The values that agree with it.
    """

    published: Published
    where: Coordinates
    value: float
    low: float
    high: float
    unit: str
    written: str
    bounds: Bounds

    @property
    def text(self) -> str:
        """The value or the range as published, with its n."""
        return self.written + (f" (n = {self.published.n})" if self.published.n is not None else "")

    def fits(self, coordinates: Coordinates) -> bool:
        """Whether a combination of axis values has all those that are stated."""
        return all(coordinates.get(axis) == value for axis, value in self.where.items())


def stated(published: Iterable[Published]) -> list[Stated]:
    """All published values with a number."""
    return [_stated(one, row) for one in published for row in one.values]


def expressions(published: Iterable[Published]) -> tuple[str, ...]:
    """The expressions that are compared, each once."""
    every = ((one.y, *(rule.y for rule in one.rule)) for one in published)
    return tuple(dict.fromkeys(y for of_one in every for y in of_one if y))


def check(published: Sequence[Published], aliases: Mapping[str, str], axes: Mapping[str, Sequence[Value]]) -> None:
    """Refuse published values that cannot be understood; raises `QuantityError` with the source."""
    for one in published:
        try:
            if one.y:
                _parse_either(one.y, aliases)
            _check_judged(one)
            for row in (*one.values, *one.order, *(end for rule in one.rule for end in (rule.at, rule.over))):
                _check_axes(row, axes)
            for rule in one.rule:
                _check_rule(rule, aliases, axes)
            curves(stated([one]), one.along)
        except QuantityError as error:
            raise QuantityError(f"published `{one.source}`: {error}") from error


def curves(values: Sequence[Stated], along: str) -> list[list[Stated]]:
    """Published values that are judged together: those that are equal but for the axis `along`; without it each one."""
    if not along:
        return [[value] for value in values]
    groups: dict[tuple[tuple[str, Value], ...], list[Stated]] = {}
    for value in values:
        if along not in value.where:
            raise QuantityError(f"along `{along}`: the values `{value.text}` have no such axis.")
        rest = tuple((axis, at) for axis, at in value.where.items() if axis != along)
        groups.setdefault(rest, []).append(value)
    return list(groups.values())


def difference(one: Stated, cell: Cell) -> tuple[float, float]:
    """Ours minus the published value, and their ratio; of a range, 0 within it, else from its nearer end."""
    here = cell.estimate.value if cell.estimate else NAN
    reference = one.value
    if not math.isfinite(reference) and math.isfinite(one.low + one.high):
        reference = min(max(here, one.low), one.high)
    return here - reference, here / reference if reference else NAN


def _stated(published: Published, row: Mapping[str, Value]) -> Stated:
    numbers = {name: amounts.parse(row[name]) for name in AMOUNTS if name in row}
    if not {"value", "low"} & numbers.keys() or ("low" in numbers) != ("high" in numbers):
        raise QuantityError(f"values `{dict(row)}`: give `value`, or `low` and `high`.")
    if len({unit for _, unit in numbers.values()}) > 1:
        raise QuantityError(f"values `{dict(row)}`: the units differ.")
    value, low, high = (numbers[name][0] if name in numbers else NAN for name in ("value", "low", "high"))
    if "plus_minus" in numbers:
        low, high = value - numbers["plus_minus"][0], value + numbers["plus_minus"][0]
    where = {axis: value for axis, value in row.items() if axis not in AMOUNTS}
    unit = next(iter(numbers.values()))[1]
    agreeing = bounds.bounds({name: row[name] for name in numbers}, within=published.within)
    return Stated(published, where, value, low, high, unit, _written(row), agreeing)


def _written(row: Mapping[str, Value]) -> str:
    """A published value as the study file has it, with µ for u."""
    texts = {name: re.sub(r"\bus$", "µs", str(value)) for name, value in row.items()}
    ranged = f"{texts['low']} to {texts['high']}" if "low" in row else ""
    if "value" not in row:
        return ranged
    text = f"{texts['value']} ± {texts['plus_minus']}" if "plus_minus" in row else texts["value"]
    return f"{text} ({ranged})" if ranged else text


def _check_judged(one: Published) -> None:
    """Refuse a table that states nothing, or that contradicts itself."""
    is_judged = bool(one.values or one.order or one.rule)
    if not (is_judged or one.text):
        raise QuantityError("it has neither values nor an order nor a text.")
    if is_judged and one.cannot_be_judged:
        raise QuantityError("it has `cannot_be_judged`, and values, an order or a rule; delete one.")
    if one.rule and not one.text:
        raise QuantityError("it has a rule without a text; write what the document states.")
    if (one.within and not one.within_reason) or (one.within_reason and not (one.within or one.rule)):
        raise QuantityError("a bound and its reason belong together: `within` or a rule, and `within_reason`.")
    if (one.order or one.values) and not one.y:
        raise QuantityError("it has values or an order without `y`; name a quantity, such as `rtt.median`.")


_NEEDS: Mapping[str, tuple[str, ...]] = {
    "range": ("low", "high"),
    "ratio": ("low", "high", "over"),
    "monotony": ("along",),
    "independence": ("along", "within"),
}


def _check_rule(rule: Rule, aliases: Mapping[str, str], axes: Mapping[str, Sequence[Value]]) -> None:
    """Refuse a rule that lacks what its kind needs, or has what it does not."""
    parse(rule.y, aliases)
    needs = _NEEDS[rule.kind]
    given = {key for key in ("low", "high", "over", "along", "within") if getattr(rule, key) not in (None, "", {})}
    ends: dict[str, Value] = {key: getattr(rule, key) for key in ("low", "high") if key in given}
    if given - {*needs} or {*needs} - given - {"low", "high"} or ("low" in needs and not ends):
        keys = ", ".join(f"`{key}`" for key in needs)
        raise QuantityError(f"rule `{rule.kind}`: give {keys}, of `low` and `high` one at least, and no others.")
    if ends:
        bounds.bounds(ends)
    if rule.along:
        _check_axes({rule.along: ""}, axes)
    if rule.within and amounts.parse(rule.within)[1] != "share":
        raise QuantityError(f"rule `{rule.kind}`: within is `{rule.within}`; give a share, such as `10 %`.")


def _check_axes(row: Mapping[str, Value], axes: Mapping[str, Sequence[Value]]) -> None:
    for axis in row:
        if axis not in (*AMOUNTS, NODE, *axes):
            raise QuantityError(f"no axis `{axis}`; available: {', '.join(axes) or 'none'}.")


def _parse_either(y: str, aliases: Mapping[str, str]) -> None:
    """An expression, or the values of a quantity."""
    try:
        parse(y, aliases, values=True)
    except QuantityError:
        parse(y, aliases)


def where_text(where: Coordinates) -> str:
    """Axis values as text."""
    return ", ".join(axis_text(axis, value) for axis, value in where.items())

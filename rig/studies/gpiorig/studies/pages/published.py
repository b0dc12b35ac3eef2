"""Published values: read from a study file, and next to the values here."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gpiorig.analysis.errors import QuantityError
from gpiorig.analysis.statistics.intervals import NAN
from gpiorig.studies.pages import amounts
from gpiorig.studies.pages.description import Published, Value
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
    """

    published: Published
    where: Coordinates
    value: float
    low: float
    high: float
    unit: str
    written: str

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


def check(published: Sequence[Published], aliases: Mapping[str, str], axes: Mapping[str, Sequence[Value]]) -> None:
    """Refuse published values that cannot be understood; raises `QuantityError` with the source."""
    for one in published:
        try:
            if one.y:
                _parse_either(one.y, aliases)
            if not (one.values or one.order or one.text):
                raise QuantityError("it has neither values nor an order nor a text.")
            for row in (*one.values, *one.order):
                _check_axes(row, axes)
            stated([one])
        except QuantityError as error:
            raise QuantityError(f"published `{one.source}`: {error}") from error


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
    return Stated(published, where, value, low, high, next(iter(numbers.values()))[1], _written(row))


def _written(row: Mapping[str, Value]) -> str:
    """A published value as the study file has it, with µ for u."""
    texts = {name: re.sub(r"\bus$", "µs", str(value)) for name, value in row.items()}
    ranged = f"{texts['low']} to {texts['high']}" if "low" in row else ""
    if "value" not in row:
        return ranged
    text = f"{texts['value']} ± {texts['plus_minus']}" if "plus_minus" in row else texts["value"]
    return f"{text} ({ranged})" if ranged else text


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

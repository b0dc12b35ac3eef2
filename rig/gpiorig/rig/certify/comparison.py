"""Rows of a bench beside those of its model: the difference of each, its uncertainty, and a verdict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from gpiorig.analysis.number_text import plus_minus
from gpiorig.rig.certify.radio_rows import TEXTS
from gpiorig.rig.certify.row_values import Missing, Value
from gpiorig.rig.certify.rows import ROWS
from gpiorig.rig.plain_json import Result

Verdict = Literal["agrees", "differs", "not measured"]
Values = Mapping[str, Value | Missing]

UNITS: dict[str, str] = {row.key: row.unit for row in ROWS}
ROW_TEXTS = {row.key: row.text for row in ROWS}


class Comparison(Result, frozen=True, kw_only=True):
    """A row.

    Attributes
    ----------
    about
        The node, a sender and a receiver, or an analyzer.
    row, text, unit
        Its name, what it is, and the unit of its numbers.
    measured, model
        On the bench and on its virtual twin.
    difference, uncertainty
        The first less the second, and the sum of both uncertainties; None: a value is not there.
    verdict, reason
        `reason`: where it was not measured, and why.
    """

    about: str
    row: str
    text: str
    unit: str
    measured: Value | None = None
    model: Value | None = None
    difference: float | None = None
    uncertainty: float | None = None
    verdict: Verdict
    reason: str = ""

    def __str__(self) -> str:
        if self.difference is None or self.uncertainty is None:
            return f"{self.about}: {self.row}: {self.verdict} {self.reason}"
        number = plus_minus(self.difference, self.uncertainty, sign="+")
        return f"{self.about}: {self.row}: {self.verdict} by {number} {self.unit}"


def compare(about: str, measured: Values, model: Values) -> list[Comparison]:
    """The rows of one node or pair; those of the model that were not measured are named, too."""
    return [_row(about, key, measured.get(key), model.get(key)) for key in dict.fromkeys([*measured, *model])]


def row(about: str, key: str, *, text: str, unit: str, measured: Value | Missing, model: Value | Missing) -> Comparison:
    """A single row."""
    if isinstance(measured, Missing) or isinstance(model, Missing):
        return Comparison(
            about=about,
            row=key,
            text=text,
            unit=unit,
            measured=measured if isinstance(measured, Value) else None,
            model=model if isinstance(model, Value) else None,
            verdict="not measured",
            reason=_absence(measured, model),
        )
    difference = measured.value - model.value
    uncertainty = measured.uncertainty + model.uncertainty
    verdict: Verdict = "agrees" if abs(difference) <= uncertainty else "differs"
    return Comparison(
        about=about,
        row=key,
        text=text,
        unit=unit,
        measured=measured,
        model=model,
        difference=difference,
        uncertainty=uncertainty,
        verdict=verdict,
    )


def _absence(measured: Value | Missing, model: Value | Missing) -> str:
    if isinstance(measured, Missing) and isinstance(model, Missing) and measured.reason == model.reason:
        return f"on bench and twin: {measured.reason}"
    places = {"bench": measured, "twin": model}
    return "; ".join(f"on the {place}: {value.reason}" for place, value in places.items() if isinstance(value, Missing))


def _row(about: str, key: str, measured: Value | Missing | None, model: Value | Missing | None) -> Comparison:
    absent = Missing(reason="there is no such row")
    base = key.removesuffix(".spread")
    text = ROW_TEXTS.get(key) or TEXTS.get(base, "") + (", standard deviation" if key != base else "")
    unit = UNITS.get(key, "us")
    return row(about, key, text=text, unit=unit, measured=measured or absent, model=model or absent)

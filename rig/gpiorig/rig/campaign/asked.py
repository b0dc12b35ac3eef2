"""The quantities that a study asks for: those of its aliases, figures, published values, stop and conclusion."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gpiorig.analysis.campaign import expressions
from gpiorig.analysis.campaign.expressions import Expression
from gpiorig.analysis.errors import QuantityError
from gpiorig.rig.campaign.study_file import StudyFile
from gpiorig.rig.errors import BenchError

OF_VALUES = ("ecdf", "box", "dots")  # kinds of figures that show the values themselves
_IN_BRACES = re.compile(r"\{([^{}]+)\}")
_WHERE = " where "  # before axis values, as in `analysis.campaign.conclusion`


def parsed(file: StudyFile, *, what: str) -> list[Expression]:
    """The expressions of a study file; raises `BenchError` with the place of one that is not understood."""
    places = [
        (f"show {number}", text, show.kind in OF_VALUES)
        for number, show in enumerate(file.show, start=1)
        for text in show.y
    ]
    drawn = {text for _, text, values in places if values}
    places += [("published", one.y, one.y in drawn) for one in file.published if one.y]
    places += [("repeat.until", file.repeat.until.y, False)] if file.repeat.until is not None else []
    places += [("conclusion", text.partition(_WHERE)[0], False) for text in _IN_BRACES.findall(file.conclusion)]
    places += [(f"quantities.{alias}", name, True) for alias, name in file.quantities.items()]
    return [_parsed(file, text, values=values, what=f"{what}: {where}") for where, text, values in places]


def names(file: StudyFile, asserted: Iterable[str] = (), *, what: str) -> tuple[str, ...]:
    """The complete names of all quantities, in a fixed order; `asserted` are those of assertions."""
    return tuple(sorted({*asserted, *(name for one in parsed(file, what=what) for name in one.quantities)}))


def _parsed(file: StudyFile, text: str, *, values: bool, what: str) -> Expression:
    try:
        return expressions.parse(text, file.quantities, values=values)
    except QuantityError as error:
        raise BenchError(f"{what}: {error}") from error

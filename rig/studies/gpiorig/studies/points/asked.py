"""The quantities that a study asks for: those of its aliases, figures, published values, stop and conclusion."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from gpiorig.analysis.errors import QuantityError
from gpiorig.rig.errors import BenchError
from gpiorig.studies.pages import conclusion, expressions, published, values
from gpiorig.studies.pages.description import Show
from gpiorig.studies.points.study_file import StudyFile


def names(file: StudyFile, asserted: Iterable[str] = (), *, what: str) -> tuple[str, ...]:
    """The complete names of all quantities, in a fixed order; `asserted` are those of assertions.

    Raises
    ------
    BenchError
        An expression, a published value or the conclusion is not understood; the message has its place.
    """
    axes, aliases = {axis.name: axis.values for axis in file.vary}, file.quantities
    every = set(asserted)
    for alias, name in aliases.items():
        with _place(f"{what}: quantities.{alias}"):
            every.update(expressions.parse(name, aliases, values=True).quantities)
    for number, show in enumerate(file.show, start=1):
        with _place(f"{what}: show {number}"):
            every.update(_of_show(show, file))
    with _place(what):
        published.check(file.published, aliases, axes)
        every.update(_of_show(Show("dots", published.expressions(file.published)), file))
        conclusion.check(file.conclusion, aliases, axes)
        every.update(conclusion.quantities(file.conclusion, aliases))
    if file.repeat.until is not None:
        with _place(f"{what}: repeat.until"):
            every.update(expressions.parse(file.repeat.until.y, aliases).quantities)
    return tuple(sorted(every))


@contextmanager
def _place(where: str) -> Iterator[None]:
    try:
        yield
    except QuantityError as error:
        raise BenchError(f"{where}: {error}") from error


def _of_show(show: Show, file: StudyFile) -> list[str]:
    return [name for one, _ in values.expressions(show, file.quantities) for name in one.quantities]

"""The values of a show as a table of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gpiorig.analysis.number_text import DASH
from gpiorig.analysis.report.blocks import Table
from gpiorig.studies.pages import amounts, titles, troubles
from gpiorig.studies.pages.description import Show, Value
from gpiorig.studies.pages.published import where_text
from gpiorig.studies.pages.results import StudyResults
from gpiorig.studies.pages.selection import NODE, coordinates_of
from gpiorig.studies.pages.statistics import Cell
from gpiorig.studies.pages.tables import brief, count
from gpiorig.studies.pages.values import Group

CAPTION = "Values with 95 % interval and standard deviation of the repeats"
COUNTS = "repeats and n"
_WIDE = 5  # columns of values; more of them than rows become rows
_FIXED = str.maketrans(" ", "\N{NO-BREAK SPACE}")

Place = tuple[tuple[str, Value], ...]


def of_show(results: StudyResults, show: Show, groups: Sequence[Group]) -> Table:
    """A row per combination and node, a column per expression; or a column per combination, where that is narrower."""
    columns = [(expression.text, cells) for group in groups for expression, cells in group.details]
    axes = [
        axis for axis in results.axes if len({cell.coordinates.get(axis) for _, cells in columns for cell in cells}) > 1
    ]
    places: dict[Place, dict[str, Cell]] = {}
    for name, cells in columns:
        for cell in cells:
            places.setdefault(tuple(coordinates_of(cell).items()), {})[name] = cell
    has_nodes = len({dict(at)[NODE] for at in places} - {""}) > 1
    named = [*axes, NODE] if has_nodes else axes
    names = [name for name, _ in columns]
    heads = [titles.heading(results, show, name) for name in names]
    if len(names) >= _WIDE and len(places) < len(names):
        return _upright(named, places, dict(zip(names, heads, strict=True)))
    header = (*(f"<{axis}" for axis in named), *heads, f"<{COUNTS}")
    rows = [
        (
            *(_word(dict(at).get(axis)) for axis in named),
            *(_cell(by_name.get(name)) for name in names),
            _counts(by_name),
        )
        for at, by_name in places.items()
    ]
    return Table(CAPTION, header, tuple(rows), wraps=True)


def _upright(named: Sequence[str], places: Mapping[Place, Mapping[str, Cell]], heads: Mapping[str, str]) -> Table:
    """A column per combination and a row per expression, with the numbers of repeats below."""
    places_at = [{axis: at for axis in named if (at := dict(place).get(axis, "")) != ""} for place in places]
    header = ("<", *(where_text(at) or "value" for at in places_at))
    rows = [(head, *(_cell(by_name.get(name)) for by_name in places.values())) for name, head in heads.items()]
    return Table(CAPTION, header, (*rows, (COUNTS, *map(_counts, places.values()))), wraps=True)


def _cell(cell: Cell | None) -> str:
    """Value and spread, with line breaks between them and nowhere else."""
    text = brief(cell.estimate if cell else None).translate(_FIXED)
    return text.replace("\N{NO-BREAK SPACE}(", " (").replace(";\N{NO-BREAK SPACE}", "; ")


def _counts(by_name: Mapping[str, Cell]) -> str:
    """Repeats and n of the first expression with a value, or why there is none."""
    estimate = next((cell.estimate for cell in by_name.values() if cell.estimate), None)
    return count(estimate) if estimate else troubles.brief(next(iter(by_name.values())))


def _word(value: Value | None) -> str:
    return DASH if value in (None, "") else amounts.value_text(value)

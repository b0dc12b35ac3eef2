r"""Tables for a paper: three to five columns with units in the head, as LaTeX with booktabs and siunitx."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gpiorig.analysis.figures.panels import scale_of
from gpiorig.analysis.tables.latex import escape
from gpiorig.studies.pages.description import Show, Value
from gpiorig.studies.pages.results import StudyResults
from gpiorig.studies.pages.selection import NODE, QUANTITY, coordinates_of, legend_name, name_of
from gpiorig.studies.pages.statistics import Cell, Estimate
from gpiorig.studies.pages.tables import Compared
from gpiorig.studies.pages.values import Group

MAX_COLUMNS = 5
DIGITS, UNCERTAIN_DIGITS = 4, 2  # of a value without an interval; of half the width of an interval
_UNITS, _PREFIXES = {"J": r"\joule", "W": r"\watt"}, {"": "", "m": r"\milli", "µ": r"\micro", "n": r"\nano"}
_SIUNITX = {
    "s": r"\second",
    "ms": r"\milli\second",
    "µs": r"\micro\second",
    "ns": r"\nano\second",
    "%": r"\percent",
    "bit/s": r"\bit\per\second",
    "kbit/s": r"\kilo\bit\per\second",
    "Mbit/s": r"\mega\bit\per\second",
    "1/s": r"\per\second",
    "B": r"\byte",
    "kB": r"\kilo\byte",
    **{f"{prefix}{unit}": f"{name}{text}" for unit, text in _UNITS.items() for prefix, name in _PREFIXES.items()},
}
_INTERVAL = r"95\,\% interval"

Place = tuple[tuple[str, Value], ...]  # a combination of axis values and node


@dataclass(frozen=True, slots=True)
class _Row:
    """Cells of words, and estimates of one unit."""

    words: tuple[str, ...]
    estimates: tuple[Estimate | None, ...]


def of_show(results: StudyResults, show: Show, groups: Sequence[Group]) -> str:
    """The values of a show; of a quantity without a statistic the medians.

    A row per combination of the axes where all expressions fit side by side; else a row per expression where the
    combinations do; else a row for each value. Expressions that are read in different units, also ms and us, are in
    tables below each other unless they have columns of their own.
    """
    nodes = any(len({cell.node for cell in group.cells}) > 1 for group in groups)
    by_text = {_text(show, group): {_place(cell, nodes=nodes): cell for cell in group.cells} for group in groups}
    places = list(dict.fromkeys(place for cells in by_text.values() for place in cells))
    axes = [axis for axis in (*results.axes, NODE) if len({dict(place).get(axis) for place in places} - {""}) > 1]
    width = len(axes) + len(by_text)
    if width <= MAX_COLUMNS and len(axes) < MAX_COLUMNS - 1:
        tables = [_by_combination(show, axes, places, by_text)]
    elif len(places) < MAX_COLUMNS:
        tables = _by_expression(show, axes, places, by_text)
    else:
        tables = _by_value(show, axes, places, by_text)
    return _file(results, tables)


def of_published(results: StudyResults, rows: Sequence[Compared]) -> str:
    """Published values next to those here: value, published, here, its interval, ratio."""
    by_unit: dict[str, list[Compared]] = {}
    for row in rows:
        by_unit.setdefault(row.estimate.unit if row.estimate else row.stated.unit, []).append(row)
    return _file(results, [_published(unit, of_unit) for unit, of_unit in by_unit.items()])


def _text(show: Show, group: Group) -> str:
    text = name_of(show, QUANTITY, group.expression.text)
    return f"{text}, median" if group.runs else text


def _place(cell: Cell, *, nodes: bool) -> Place:
    """Its axis values, and its node where an expression has several."""
    return tuple((coordinates_of(cell) if nodes else cell.coordinates).items())


def _words(show: Show, axes: Sequence[str], place: Place) -> tuple[str, ...]:
    at = dict(place)
    return tuple(escape(name_of(show, axis, at.get(axis, ""))) for axis in axes)


def _where(show: Show, axes: Sequence[str], place: Place) -> str:
    at = dict(place)
    return escape(", ".join(legend_name(show, axis, at[axis]) for axis in axes if at.get(axis, "") != ""))


def _by_combination(
    show: Show, axes: Sequence[str], places: Sequence[Place], by_text: Mapping[str, Mapping[Place, Cell]]
) -> str:
    rows = [
        _Row(_words(show, axes, place), _estimates(cells.get(place) for cells in by_text.values())) for place in places
    ]
    return _tabular([*map(escape, axes)], [*map(escape, by_text)], rows)


def _by_expression(
    show: Show, axes: Sequence[str], places: Sequence[Place], by_text: Mapping[str, Mapping[Place, Cell]]
) -> list[str]:
    by_unit: dict[str, list[_Row]] = {}
    for text, cells in by_text.items():
        row = _Row((escape(text),), _estimates(map(cells.get, places)))
        by_unit.setdefault(_scale(row.estimates)[1], []).append(row)
    heads = [_where(show, axes, place) or "value" for place in places]
    return [_tabular(["quantity"], heads, rows, shared=True) for rows in by_unit.values()]


def _by_value(
    show: Show, axes: Sequence[str], places: Sequence[Place], by_text: Mapping[str, Mapping[Place, Cell]]
) -> list[str]:
    by_unit: dict[str, list[_Row]] = {}
    for text, cells in by_text.items():
        rows = by_unit.setdefault(_scale(_estimates(cells.values()))[1], [])
        at = [place for place in places if place in cells]
        rows += [_Row((escape(text), _where(show, axes, place)), _estimates([cells[place]])) for place in at]
    return [_tabular(["quantity", "at"], ["value"], rows) for rows in by_unit.values()]


def _estimates(cells: Iterable[Cell | None]) -> tuple[Estimate | None, ...]:
    return tuple(cell.estimate if cell else None for cell in cells)


def _tabular(words: Sequence[str], heads: Sequence[str], rows: Sequence[_Row], *, shared: bool = False) -> str:
    """Rows of one table: columns of words, a column of numbers per head, intervals next to them where they fit.

    With `shared` all columns of numbers have one unit.
    """
    intervals = len(words) + 2 * len(heads) <= MAX_COLUMNS
    columns = [[row.estimates[number] for row in rows] for number in range(len(heads))]
    every = [estimate for column in columns for estimate in column]
    scales = [_scale(every if shared else column) for column in columns]
    head = [*words]
    for text, (_, unit) in zip(heads, scales, strict=True):
        head += [_head(text, unit), *([f"{{{_INTERVAL}}}"] if intervals else [])]
    lines = []
    for row in rows:
        cells = [*row.words]
        for estimate, (factor, _) in zip(row.estimates, scales, strict=True):
            cells += [_number(estimate, factor), *([_interval(estimate, factor)] if intervals else [])]
        lines.append(cells)
    return _lines("l" * len(words) + ("Sl" if intervals else "S") * len(heads), head, lines)


def _published(unit: str, rows: Sequence[Compared]) -> str:
    values = [end for row in rows for end in (row.stated.value, row.stated.low, row.stated.high)]
    here = [row.estimate for row in rows if row.estimate]
    factor, text = _scale(here, further=values, unit=unit)
    head = ["value", _head("published", text), _head("here", text), f"{{{_INTERVAL}}}", "{ratio}"]
    lines = []
    for row in rows:
        ratio = row.difference[1]
        lines.append(
            [
                escape(row.name),
                _range(row.stated.low, row.stated.high, factor)
                if math.isnan(row.stated.value)
                else _decimal(row.stated.value * factor),
                _number(row.estimate, factor),
                _interval(row.estimate, factor),
                _decimal(ratio, digits=3) if math.isfinite(ratio) else "{--}",
            ]
        )
    return _lines("lSSlS", head, lines)


def _scale(
    estimates: Iterable[Estimate | None], *, further: Iterable[float] = (), unit: str = "1"
) -> tuple[float, str]:
    """Factor from SI, and the unit as siunitx writes it."""
    present = [estimate for estimate in estimates if estimate]
    values = [abs(value) for value in (*(estimate.value for estimate in present), *further) if math.isfinite(value)]
    factor, text = scale_of(present[0].unit if present else unit, max(values, default=0.0))
    return factor, rf"\si{{{_SIUNITX[text]}}}" if text in _SIUNITX else escape(text)


def _head(text: str, unit: str) -> str:
    return f"{{{text} ({unit})}}" if unit else f"{{{text}}}"


def _number(estimate: Estimate | None, factor: float) -> str:
    if estimate is None:
        return "{--}"
    return _decimal(estimate.value * factor, half_width=estimate.interval.half_width * factor)


def _interval(estimate: Estimate | None, factor: float) -> str:
    if estimate is None or not estimate.interval.is_bounded:
        return "--"
    return _range(estimate.low, estimate.high, factor, half_width=estimate.interval.half_width * factor)


def _range(low: float, high: float, factor: float, *, half_width: float = math.nan) -> str:
    least, most = (_decimal(end * factor, half_width=half_width) for end in (low, high))
    return rf"{{\numrange{{{least}}}{{{most}}}}}"


def _decimal(value: float, *, digits: int = DIGITS, half_width: float = math.nan) -> str:
    """A number without an exponent: digits as its interval allows, or this many."""
    if half_width > 0 and math.isfinite(half_width):
        places = UNCERTAIN_DIGITS - 1 - math.floor(math.log10(half_width))
    else:
        places = digits - 1 - math.floor(math.log10(abs(value))) if value else 0
    return f"{value:.{min(9, max(0, places))}f}"


def _lines(columns: str, head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(head) + r" \\",
        r"\midrule",
        *(" & ".join(cells) + r" \\" for cells in rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines)


def _file(results: StudyResults, tables: Sequence[str]) -> str:
    notes = [f"% {results.title}", r"% needs \usepackage{booktabs,siunitx}"]
    notes += ["% virtual bench: not a hardware measurement"] if results.virtual else []
    notes += ["% quick run"] if results.quick else []
    return "\n".join(notes) + "\n" + "\n\n".join(tables) + "\n"

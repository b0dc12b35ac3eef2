"""Charts of a study: the values of a show as panels and curves, with published values next to them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from gpiorig.analysis.figures.panels import Chart, Curve, Distribution, Mark, Panel, Place, Reference
from gpiorig.studies.pages import selection
from gpiorig.studies.pages.amounts import value_text
from gpiorig.studies.pages.description import Show, Value
from gpiorig.studies.pages.published import Stated, stated
from gpiorig.studies.pages.results import StudyResults
from gpiorig.studies.pages.selection import NODE, Layout, axis_text, coordinates_of
from gpiorig.studies.pages.statistics import Cell, Coordinates
from gpiorig.studies.pages.values import Group, Runs

MAX_COLUMNS = 3


def chart(results: StudyResults, show: Show, groups: Sequence[Group]) -> Chart:
    """The figure of a show."""
    published = stated(results.published)
    everything = [group.cells for group in groups]
    layout = selection.layout(results.axes, show, everything)
    if show.kind == "stack":
        places, panels = _stacks(results, show, layout, groups, published)
        combinations = len(panels)
    else:
        panels, combinations = [], 1
        for group in groups:
            own = replace(selection.layout(results.axes, show, [group.cells]), places=layout.places)
            at = _combinations(results, own, [group], show)
            panels += [_panel(results, show, own, group, one, published) for one in at]
            combinations = max(combinations, len(at))
        places = layout.places
    return Chart(
        kind=show.kind,
        title=show.title or results.title,
        x=_x_label(show, layout),
        places=places,
        panels=tuple(panel for panel in panels if panel.curves),
        columns=_columns(combinations, len(groups) if show.kind != "stack" else 1),
        log=show.log,
        virtual=any(point.virtual for point in results.points),
    )


def _x_label(show: Show, layout: Layout) -> str:
    if show.kind == "ecdf":
        return ""
    return ", ".join(axis for axis in (layout.x, layout.series) if axis) if show.kind == "stack" else layout.x


def _columns(combinations: int, rows: int) -> int:
    if combinations == 1:
        return min(2, rows)
    return min(MAX_COLUMNS, combinations)


def _combinations(results: StudyResults, layout: Layout, groups: Sequence[Group], show: Show) -> list[dict[str, Value]]:
    """The combinations of values of the panels' axes that occur, in the order of the study."""
    at = [coordinates_of(cell) for group in groups for cell in group.cells]
    at = [coordinates for coordinates in at if not selection.is_level(show, coordinates)]
    present = {tuple(coordinates.get(axis, "") for axis in layout.panels) for coordinates in at}
    every = itertools.product(*(selection.values_of(results.axes, axis, at) for axis in layout.panels))
    return [dict(zip(layout.panels, values, strict=True)) for values in every if values in present] or [{}]


def _belongs(coordinates: Coordinates, at: Coordinates) -> bool:
    """Whether a cell is in a panel; one without a node is in those of all nodes."""
    return all(coordinates.get(axis, "") in ((value, "") if axis == NODE else (value,)) for axis, value in at.items())


def _panel(
    results: StudyResults, show: Show, layout: Layout, group: Group, at: Coordinates, published: Sequence[Stated]
) -> Panel:
    cells = [cell for cell in group.cells if _belongs(coordinates_of(cell), at)]
    level_cells = [
        cell
        for cell in group.cells
        if selection.is_level(show, cell.coordinates)
        and _belongs(coordinates_of(cell), {axis: value for axis, value in at.items() if axis not in show.levels})
    ]
    drawn = [cell for cell in cells if not selection.is_level(show, cell.coordinates)]
    runs = [run for run in group.runs if _belongs({**run.coordinates, NODE: run.node}, at)]
    labels = list(
        dict.fromkeys(_label(layout, show, coordinates_of(cell)) for cell in drawn if _has_label(layout, cell))
    )
    stated_here = [one for one in published if one.published.y == group.expression.text and _agrees(one, at, layout)]
    of_curves = [one for one in stated_here if {*_curve_axes(layout, show)} <= one.where.keys()]
    curves = tuple(
        _curve(
            label,
            layout,
            [cell for cell in drawn if _label(layout, show, coordinates_of(cell)) == label],
            [run for run in runs if _label(layout, show, {**run.coordinates, NODE: run.node}) == label],
            [one for one in of_curves if _label(layout, show, one.where) == label],
            marked=show.kind == "dots" or not group.runs,
        )
        for label in labels
    )
    others = [one for one in stated_here if one not in of_curves]
    title = ", ".join(axis_text(axis, value) for axis, value in at.items())
    return Panel(
        title,
        group.expression.text,
        group.unit,
        curves,
        _levels(show, layout, level_cells),
        _references(layout, others),
    )


def _has_label(layout: Layout, cell: Cell) -> bool:
    return NODE not in (layout.series,) or bool(cell.node)


def _label(layout: Layout, show: Show, coordinates: Coordinates) -> str:
    """The entry in the legend; of distribution functions every place has one."""
    return ", ".join(axis_text(axis, coordinates[axis]) for axis in _curve_axes(layout, show))


def _curve(
    label: str,
    layout: Layout,
    cells: Sequence[Cell],
    runs: Sequence[Runs],
    published: Sequence[Stated],
    *,
    marked: bool,
) -> Curve:
    def place(coordinates: Coordinates) -> Place:
        return coordinates.get(layout.x, "") if layout.x else ""

    marks = tuple(_mark(place(coordinates_of(cell)), cell) for cell in cells if cell.estimate and marked)
    failed = dict.fromkeys(place(coordinates_of(cell)) for cell in cells if cell.failed)
    return Curve(
        label=label,
        marks=marks,
        distributions=tuple(Distribution(place({**run.coordinates, NODE: run.node}), run.runs) for run in runs),
        published=_references(layout, published),
        failed=tuple(at for at in failed if at != "" or not layout.x),
    )


def _mark(place: Place, cell: Cell) -> Mark:
    assert cell.estimate is not None
    estimate = cell.estimate
    return Mark(place, estimate.value, estimate.low, estimate.high, estimate.of_repeats)


def _references(layout: Layout, published: Iterable[Stated]) -> tuple[Reference, ...]:
    """Published values at their places; one without a place is at all of them."""
    return tuple(
        Reference(place, one.value, one.low, one.high)
        for one in published
        for place in ((one.where[layout.x],) if layout.x in one.where else layout.places)
    )


def _agrees(one: Stated, at: Coordinates, layout: Layout) -> bool:
    """Whether a published value belongs to a panel."""
    return all(one.where.get(axis, value) == value for axis, value in at.items())


def _curve_axes(layout: Layout, show: Show) -> list[str]:
    """The axes that make the curves of a panel."""
    return [axis for axis in (layout.series, layout.x if show.kind == "ecdf" else "") if axis]


def _levels(show: Show, layout: Layout, cells: Sequence[Cell]) -> tuple[tuple[str, float], ...]:
    levels: list[tuple[str, float]] = []
    for cell in cells:
        if cell.estimate is None:
            continue
        at = coordinates_of(cell)
        names = [axis_text(axis, at[axis]) for axis in (*show.levels, layout.series) if axis]
        levels.append((", ".join(dict.fromkeys(names)), cell.estimate.value))
    return tuple(levels)


def _stacks(
    results: StudyResults, show: Show, layout: Layout, groups: Sequence[Group], published: Sequence[Stated]
) -> tuple[tuple[Place, ...], list[Panel]]:
    """Stacks: each expression is a part, each combination of x and series a place."""
    axes = [axis for axis in (layout.x, layout.series) if axis]

    def place(coordinates: Coordinates) -> str:
        return ", ".join(value_text(coordinates[axis]) for axis in axes if axis in coordinates)

    combinations = _combinations(results, layout, groups, show)
    panels = []
    for at in combinations:
        curves = []
        for group in groups:
            cells = [cell for cell in group.cells if _belongs(coordinates_of(cell), at)]
            stated_here = [
                one for one in published if one.published.y == group.expression.text and _agrees(one, at, layout)
            ]
            look: dict[str, Any] = {
                "marks": tuple(_mark(place(coordinates_of(cell)), cell) for cell in cells if cell.estimate),
                "published": tuple(Reference(place(one.where), one.value, one.low, one.high) for one in stated_here),
                "failed": tuple(dict.fromkeys(place(coordinates_of(cell)) for cell in cells if cell.failed)),
            }
            curves.append(Curve(group.expression.text, **look))
        title = ", ".join(axis_text(axis, value) for axis, value in at.items())
        panels.append(Panel(title, "sum of the parts", groups[0].unit, tuple(curves)))
    at_all = [coordinates_of(cell) for group in groups for cell in group.cells]
    every = itertools.product(*(selection.values_of(results.axes, axis, at_all) for axis in axes))
    present = {place(coordinates) for coordinates in at_all}
    places = [place(dict(zip(axes, values, strict=True))) for values in every]
    return tuple(name for name in places if name in present) or ("",), panels

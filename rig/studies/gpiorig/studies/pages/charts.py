"""Charts of a study: the values of a show as panels and curves, with published values next to them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gpiorig.analysis.figures.panels import Chart, Curve, Distribution, Mark, Panel, Place, Reference
from gpiorig.studies.pages import amounts, selection
from gpiorig.studies.pages.description import Show, Value
from gpiorig.studies.pages.published import Stated, stated
from gpiorig.studies.pages.results import StudyResults
from gpiorig.studies.pages.selection import NODE, PACKET, QUANTITY, TIME, Layout, legend_name, name_of
from gpiorig.studies.pages.statistics import Cell, Coordinates
from gpiorig.studies.pages.values import Group, Runs

MAX_COLUMNS = 3
_UNIT_NAMES = {"s": "time", "share": "share", "bit/s": "rate", "1/s": "rate", "J": "energy", "W": "power"}
_ACROSS = {"ecdf": "share at or below", "histogram": "share of the values (%)"}
_SCATTER_TITLES = {PACKET: "packet", TIME: "time since the first packet (s)"}


@dataclass(frozen=True, slots=True, eq=False)
class Bundle:
    """What shares a scale: one expression, or several of one unit.

    Parameters
    ----------
    label, unit
        Title of the axis of values, and their SI unit.
    cells, runs
        Estimates and values, each with its axis values, node and expression.
    expressions
        The expressions as text.
    """

    label: str
    unit: str
    cells: tuple[tuple[Coordinates, Cell], ...]
    runs: tuple[tuple[Coordinates, Runs], ...]
    expressions: tuple[str, ...]

    def published(self, one: Stated) -> dict[str, Value] | None:
        """Axis values of a published value with its expression; None for one of another expression.

        Of the values of a quantity it is the median.
        """
        for text in self.expressions:
            if one.published.y == text or (self.runs and one.published.y == f"{text}.median"):
                return {**one.where, QUANTITY: text}
        return None


def chart(results: StudyResults, show: Show, groups: Sequence[Group]) -> Chart:
    """The figure of a show; `QuantityError` if a limit of an axis is not understood."""
    axes = {**results.axes, QUANTITY: show.y}
    published = stated(results.published)
    bundles = _bundles(show, groups)
    layout = selection.layout(axes, show, [[at for at, _ in bundle.cells] for bundle in bundles])
    if show.kind == "stack":
        places, panels = _stacks(axes, show, layout, groups, published)
        combinations, names = len(panels), tuple(map(str, places))
    else:
        panels, combinations = [], 1
        for bundle in bundles:
            within = selection.layout(axes, show, [[at for at, _ in bundle.cells]])
            within = replace(within, places=layout.places)
            at = _combinations(axes, within, [place for place, _ in bundle.cells], show)
            panels += [_panel(axes, show, within, bundle, one, published) for one in at]
            combinations = max(combinations, len(at))
        places = layout.places
        names = tuple(name_of(show, layout.x, place) for place in places)
    return Chart(
        kind=show.kind,
        title=show.title or results.title,
        x=_across_title(show, layout),
        places=places,
        panels=tuple(panel for panel in panels if panel.curves),
        columns=_columns(combinations, len(bundles) if show.kind != "stack" else 1),
        log=show.log,
        virtual=any(point.virtual for point in results.points),
        names=names,
        tones=_tones(axes, layout, bundles),
        x_limits=amounts.limits(show.x_limits),
        y_limits=amounts.limits(show.y_limits),
    )


def _bundles(show: Show, groups: Sequence[Group]) -> list[Bundle]:
    """An expression each; all expressions of a unit, where an axis of the figure is that of the expressions."""
    if QUANTITY not in (show.x, *show.curve_axes, *show.panel_axes):
        return [_bundle(show, [group]) for group in groups]
    by_unit: dict[str, list[Group]] = {}
    for group in groups:
        by_unit.setdefault(group.unit, []).append(group)
    return [_bundle(show, of_unit, alone=len(by_unit) == 1) for of_unit in by_unit.values()]


def _bundle(show: Show, groups: Sequence[Group], *, alone: bool = True) -> Bundle:
    texts = tuple(group.expression.text for group in groups)
    own = show.x_title if show.kind in _ACROSS else show.y_title
    usual = show.labels.get(texts[0], texts[0]) if len(texts) == 1 else _UNIT_NAMES.get(groups[0].unit, "value")
    return Bundle(
        label=own if own and alone and (len(show.y) == 1 or len(texts) == len(show.y)) else usual,
        unit=groups[0].unit,
        cells=tuple((_at(group, cell.coordinates, cell.node), cell) for group in groups for cell in group.cells),
        runs=tuple((_at(group, run.coordinates, run.node), run) for group in groups for run in group.runs),
        expressions=texts,
    )


def _at(group: Group, coordinates: Coordinates, node: str) -> dict[str, Value]:
    return {**coordinates, NODE: node, QUANTITY: group.expression.text}


def _across_title(show: Show, layout: Layout) -> str:
    """Title of the axis that has no values."""
    if show.kind in _ACROSS:
        return show.y_title or _ACROSS[show.kind]
    if show.kind == "scatter":
        return show.x_title or _SCATTER_TITLES[show.x or PACKET]
    axes = (layout.x, *layout.series) if show.kind == "stack" else (layout.x,)
    return show.x_title or ", ".join(axis for axis in axes if axis not in ("", NODE, QUANTITY))


def _columns(combinations: int, rows: int) -> int:
    if combinations == 1:
        return min(2, rows)
    return 2 if combinations == 4 else min(MAX_COLUMNS, combinations)


def _combinations(
    axes: Mapping[str, Sequence[Value]], layout: Layout, cells: Iterable[Coordinates], show: Show
) -> list[dict[str, Value]]:
    """The combinations of values of the panels' axes that occur, in the order of the study."""
    at = [coordinates for coordinates in cells if not selection.is_level(show, coordinates)]
    present = {tuple(coordinates.get(axis, "") for axis in layout.panels) for coordinates in at}
    every = itertools.product(*(selection.values_of(axes, axis, at) for axis in layout.panels))
    return [dict(zip(layout.panels, values, strict=True)) for values in every if values in present] or [{}]


def _belongs(coordinates: Coordinates, at: Coordinates) -> bool:
    """Whether a cell is in a panel; one without a node is in those of all nodes."""
    return all(coordinates.get(axis, "") in ((value, "") if axis == NODE else (value,)) for axis, value in at.items())


def _tones(axes: Mapping[str, Sequence[Value]], layout: Layout, bundles: Sequence[Bundle]) -> int:
    """Curves in tones of one colour: the values of the last of several axes, if all combinations of these occur."""
    at = [place for bundle in bundles for place, _ in bundle.cells]
    sizes = [len(selection.values_of(axes, axis, at)) for axis in layout.series]
    present = {tuple(place.get(axis, "") for axis in layout.series) for place in at}
    return sizes[-1] if len(sizes) > 1 and math.prod(sizes) == len(present) else 1


def _panel(
    axes: Mapping[str, Sequence[Value]],
    show: Show,
    layout: Layout,
    bundle: Bundle,
    at: Coordinates,
    published: Sequence[Stated],
) -> Panel:
    here = [(place, cell) for place, cell in bundle.cells if _belongs(place, at)]
    across = {axis: value for axis, value in at.items() if axis not in show.levels}
    level_cells = [
        (place, cell)
        for place, cell in bundle.cells
        if selection.is_level(show, cell.coordinates) and _belongs(place, across)
    ]
    drawn = [(place, cell) for place, cell in here if not selection.is_level(show, cell.coordinates)]
    runs = [(place, run) for place, run in bundle.runs if _belongs(place, at)]
    named = [place for place, _ in drawn if NODE not in layout.series or place[NODE]]
    ordered = itertools.product(*(selection.values_of(axes, axis, named) for axis in _curve_axes(layout, show)))
    present = {_label(layout, show, place) for place in named}
    every = [_label(layout, show, dict(zip(_curve_axes(layout, show), values, strict=True))) for values in ordered]
    labels = [label for label in dict.fromkeys(every) if label in present]
    pairs = [(bundle.published(one), one) for one in published]
    stated_here = [(where, one) for where, one in pairs if where is not None and _agrees(where, at)]
    of_curves = [(where, one) for where, one in stated_here if {*_curve_axes(layout, show)} <= where.keys()]
    others = [(where, one) for where, one in stated_here if (where, one) not in of_curves]
    curves = tuple(
        _curve(
            label,
            layout,
            [(place, cell) for place, cell in drawn if _label(layout, show, place) == label],
            [(place, run) for place, run in runs if _label(layout, show, place) == label],
            [(where, one) for where, one in of_curves if _label(layout, show, where) == label],
            marked=show.kind == "dots" or not bundle.runs,
        )
        for label in labels
    )
    title = ", ".join(legend_name(show, axis, value) for axis, value in at.items())
    levels = _levels(show, layout, level_cells)
    return Panel(title, bundle.label, bundle.unit, curves, levels, _references(layout, others))


def _label(layout: Layout, show: Show, coordinates: Coordinates) -> str:
    """The entry in the legend; of distribution functions every place has one."""
    return ", ".join(legend_name(show, axis, coordinates[axis]) for axis in _curve_axes(layout, show))


def _curve(
    label: str,
    layout: Layout,
    cells: Sequence[tuple[Coordinates, Cell]],
    runs: Sequence[tuple[Coordinates, Runs]],
    published: Sequence[tuple[Coordinates, Stated]],
    *,
    marked: bool,
) -> Curve:
    def place(coordinates: Coordinates) -> Place:
        return coordinates.get(layout.x, "") if layout.x else ""

    marks = tuple(_mark(place(at), cell) for at, cell in cells if cell.estimate and marked)
    failed = dict.fromkeys(place(at) for at, cell in cells if cell.failed)
    return Curve(
        label=label,
        marks=marks,
        distributions=tuple(Distribution(place(at), run.runs, run.at) for at, run in runs),
        published=_references(layout, published),
        failed=tuple(at for at in failed if at != "" or not layout.x),
    )


def _mark(place: Place, cell: Cell) -> Mark:
    assert cell.estimate is not None
    estimate = cell.estimate
    return Mark(place, estimate.value, estimate.low, estimate.high, estimate.of_repeats)


def _references(layout: Layout, published: Iterable[tuple[Coordinates, Stated]]) -> tuple[Reference, ...]:
    """Published values at their places; one without a place is at all of them."""
    return tuple(
        Reference(place, one.value, one.low, one.high)
        for where, one in published
        for place in ((where[layout.x],) if layout.x in where else layout.places)
    )


def _agrees(where: Coordinates, at: Coordinates) -> bool:
    """Whether a published value belongs to a panel."""
    return all(where.get(axis, value) == value for axis, value in at.items())


def _curve_axes(layout: Layout, show: Show) -> list[str]:
    """The axes that make the curves of a panel."""
    return [axis for axis in (*layout.series, layout.x if show.kind in _ACROSS else "") if axis]


def _levels(show: Show, layout: Layout, cells: Sequence[tuple[Coordinates, Cell]]) -> tuple[tuple[str, float], ...]:
    levels: list[tuple[str, float]] = []
    for at, cell in cells:
        if cell.estimate is not None:
            names = [legend_name(show, axis, at[axis]) for axis in (*show.levels, *layout.series)]
            levels.append((", ".join(dict.fromkeys(names)), cell.estimate.value))
    return tuple(levels)


def _stacks(
    axes: Mapping[str, Sequence[Value]],
    show: Show,
    layout: Layout,
    groups: Sequence[Group],
    published: Sequence[Stated],
) -> tuple[tuple[Place, ...], list[Panel]]:
    """Stacks: each expression is a part, each combination of x and series a place."""
    across = [axis for axis in (layout.x, *layout.series) if axis not in ("", QUANTITY)]

    def place(coordinates: Coordinates) -> str:
        return ", ".join(name_of(show, axis, coordinates[axis]) for axis in across if axis in coordinates)

    bundles = [_bundle(show, [group]) for group in groups]
    at_all = [at for bundle in bundles for at, _ in bundle.cells]
    panels = []
    for at in _combinations(axes, layout, at_all, show):
        curves = []
        for bundle in bundles:
            cells = [(where, cell) for where, cell in bundle.cells if _belongs(where, at)]
            stated_here = [(where, one) for one in published if (where := bundle.published(one)) and _agrees(where, at)]
            look: dict[str, Any] = {
                "marks": tuple(_mark(place(where), cell) for where, cell in cells if cell.estimate),
                "published": tuple(Reference(place(where), one.value, one.low, one.high) for where, one in stated_here),
                "failed": tuple(dict.fromkeys(place(where) for where, cell in cells if cell.failed)),
            }
            curves.append(Curve(name_of(show, QUANTITY, bundle.expressions[0]), **look))
        title = ", ".join(legend_name(show, axis, value) for axis, value in at.items())
        panels.append(Panel(title, show.y_title or "sum of the parts", groups[0].unit, tuple(curves)))
    every = itertools.product(*(selection.values_of(axes, axis, at_all) for axis in across))
    present = {place(coordinates) for coordinates in at_all}
    places = [place(dict(zip(across, values, strict=True))) for values in every]
    return tuple(name for name in places if name in present) or ("",), panels

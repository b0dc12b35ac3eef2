"""Which points a show draws, and what its axes become: places, curves, panels, levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpiorig.studies.pages.amounts import value_text
from gpiorig.studies.pages.description import Show, Value
from gpiorig.studies.pages.statistics import Cell, Coordinates

NODE, QUANTITY = "node", "quantity"  # the axes of nodes, and of the expressions of a show
PACKET, TIME = "packet", "time"  # what `scatter` may have as x
_BARE = ("on", "off", "none")


@dataclass(frozen=True, slots=True)
class Layout:
    """The axes of a figure.

    Parameters
    ----------
    x
        Name of an axis; empty for none.
    series
        Axes of which each combination of values is a curve.
    panels
        Axes of which each combination of values has panels of its own.
    places
        Values of x in their order.
    """

    x: str
    series: tuple[str, ...]
    panels: tuple[str, ...]
    places: tuple[Value, ...]


def is_selected(show: Show, coordinates: Coordinates) -> bool:
    """Whether a combination is drawn, at its place or as a level."""
    return all(
        coordinates.get(axis) in values or coordinates.get(axis) in show.levels.get(axis, ())
        for axis, values in _where(show).items()
    )


def is_level(show: Show, coordinates: Coordinates) -> bool:
    """Whether a combination is drawn as a horizontal line."""
    return any(coordinates.get(axis) in values for axis, values in show.levels.items())


def layout(axes: Mapping[str, Sequence[Value]], show: Show, groups: Sequence[Sequence[Coordinates]]) -> Layout:
    """The axes of a figure of the combinations of several groups, each with a scale of its own.

    An axis that is not named and has several values makes panels, unless the named ones determine its value.
    """
    by_group = [[at for at in of_group if not is_level(show, at)] for of_group in groups]
    x = "" if show.kind == "scatter" else show.x or (NODE if show.kind == "dots" else "")
    panels = list(show.panel_axes)
    for axis in (*axes, NODE):
        named = [name for name in (x, *show.curve_axes, *panels) if name]
        if axis not in named and any(_is_free(axis, at, named) for at in by_group):
            panels.append(axis)
    return Layout(x, show.curve_axes, tuple(panels), values_of(axes, x, [at for group in by_group for at in group]))


def values_of(axes: Mapping[str, Sequence[Value]], axis: str, at: Sequence[Coordinates]) -> tuple[Value, ...]:
    """The values of an axis that occur, in the order of the study; of no axis one empty text."""
    present = dict.fromkeys(coordinates[axis] for coordinates in at if coordinates.get(axis, "") != "")
    if not axis:
        return ("",)
    return tuple(value for value in axes.get(axis, present) if value in present)


def coordinates_of(cell: Cell) -> dict[str, Value]:
    """Axis values of a cell with its node."""
    return {**cell.coordinates, NODE: cell.node}


def axis_text(axis: str, value: Value) -> str:
    """A value of an axis, with the axis' name where it is not a word, or one that means nothing alone."""
    text = value_text(value)
    is_word = isinstance(value, str) and not value[:1].isdigit() and value not in _BARE
    return text if axis == NODE or is_word else f"{axis} {text}"


def name_of(show: Show, axis: str, value: Value) -> str:
    """A value of an axis under its place: as the show labels it, or as text."""
    text = value_text(value)
    return show.labels.get(f"{axis}: {text}") or show.labels.get(text, text)


def legend_name(show: Show, axis: str, value: Value) -> str:
    """A value of an axis in a legend: as the show labels it, or with the axis' name; of a node or expression alone."""
    text = value_text(value)
    named = name_of(show, axis, value)
    return named if named != text or axis in (NODE, QUANTITY) else f"{axis}: {text}"


def _where(show: Show) -> dict[str, tuple[Value, ...]]:
    return {axis: value if isinstance(value, tuple) else (value,) for axis, value in show.where.items()}


def _is_free(axis: str, at: Sequence[Coordinates], named: Sequence[str]) -> bool:
    """Whether one combination of the named axes has several values of this axis."""
    by_named: dict[tuple[Value, ...], set[Value]] = {}
    for coordinates in at:
        if coordinates.get(axis, "") != "":
            by_named.setdefault(tuple(coordinates.get(name, "") for name in named), set()).add(coordinates[axis])
    return any(len(values) > 1 for values in by_named.values())

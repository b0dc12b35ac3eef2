"""Published orders: values of which only the order is known, pair by pair."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from gpiorig.analysis.statistics.intervals import Interval
from gpiorig.studies.pages import bounds
from gpiorig.studies.pages.amounts import value_text
from gpiorig.studies.pages.bounds import Bounds, Place
from gpiorig.studies.pages.description import Value
from gpiorig.studies.pages.published import where_text
from gpiorig.studies.pages.selection import NODE, coordinates_of
from gpiorig.studies.pages.statistics import Cell, Estimate

Rest = tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbours of an order, of which the first is the smaller one."""

    smaller: Mapping[str, Value]
    larger: Mapping[str, Value]
    here: tuple[Estimate, Estimate]

    @property
    def apart(self) -> Interval:
        """The larger minus the smaller one."""
        return bounds.difference(*self.here)

    @property
    def place(self) -> Place:
        """Whether the difference, with its interval, is above 0; values that are equal in all repeats have no order."""
        apart = self.apart
        return "outside" if apart.low == apart.high == 0 else Bounds(0, math.inf, "").place_of(apart)

    @property
    def text(self) -> str:
        """The order as it is here, as far as the intervals show it."""
        sign = {"inside": "<", "outside": "is not <"}.get(self.place, "? <")
        return f"{where_text(self.smaller)} {sign} {where_text(self.larger)}"


def by_rest(ends: Sequence[Mapping[str, Value]], cells: Iterable[Cell]) -> dict[Rest, list[Cell | None]]:
    """The cells of an order for each combination of the axes that it does not name; None where there is none.

    A cell without a value has no node: it is in the group of each node.
    """
    named = {axis for end in ends for axis in end}
    groups: dict[Rest, list[Cell | None]] = {}
    for cell in sorted(cells, key=lambda cell: cell.estimate is None):
        at = coordinates_of(cell)
        for number in (number for number, end in enumerate(ends) if _is_at(at, end)):
            rest = tuple((axis, value) for axis, value in at.items() if axis not in named and value != "")
            same = [key for key in groups if cell.estimate is None and _without_node(key) == rest] or [rest]
            for key in same:
                group = groups.setdefault(key, [None] * len(ends))
                group[number] = group[number] or cell
    return groups


def _is_at(at: Mapping[str, Value], end: Mapping[str, Value]) -> bool:
    return all(at.get(axis) == value for axis, value in end.items())


def _without_node(rest: Rest) -> Rest:
    return tuple(pair for pair in rest if pair[0] != NODE)


def pairs(ends: Sequence[Mapping[str, Value]], cells: Sequence[Cell]) -> list[Pair]:
    """The neighbouring pairs of an order at one combination; all cells have an estimate."""
    estimates = [cell.estimate for cell in cells]
    return [
        Pair(smaller, larger, (less, more))
        for smaller, larger, less, more in zip(ends, ends[1:], estimates, estimates[1:], strict=False)
        if less is not None and more is not None
    ]


def order_text(ends: Sequence[Mapping[str, Value]]) -> str:
    """``PS1 < PS2``; of numbers of one axis the axis once: ``payload: 20 < 40``."""
    axes = list(dict.fromkeys(axis for end in ends for axis in end))
    if len(axes) == 1 and any(not isinstance(end.get(axes[0]), str) for end in ends):
        return f"{axes[0]}: {' < '.join(value_text(end[axes[0]]) for end in ends)}"
    return " < ".join(where_text(end) for end in ends)

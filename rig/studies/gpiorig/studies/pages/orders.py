"""Published orders: bars of which only the order is known, pair by pair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gpiorig.studies.pages.amounts import value_text
from gpiorig.studies.pages.description import Published, Value
from gpiorig.studies.pages.published import where_text
from gpiorig.studies.pages.selection import coordinates_of
from gpiorig.studies.pages.statistics import Cell, Estimate

Outcome = Literal["as published", "as published, within the intervals", "reversed", "reversed, within the intervals",
                  "no value"]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Pair:
    """Two neighbours of a published order, of which the first is the smaller one.

    `rest` has the values of the axes that the order does not name.
    """

    smaller: Mapping[str, Value]
    larger: Mapping[str, Value]
    rest: Mapping[str, Value]
    here: tuple[Estimate | None, Estimate | None]

    @property
    def outcome(self) -> Outcome:
        """Whether the values here have the order; with overlapping intervals either may be chance."""
        first, second = self.here
        if first is None or second is None:
            return "no value"
        overlapping = first.bounded and second.bounded and first.low <= second.high and second.low <= first.high
        if first.value < second.value:
            return "as published, within the intervals" if overlapping else "as published"
        return "reversed, within the intervals" if overlapping else "reversed"


def pairs(published: Published, cells: Iterable[Cell]) -> list[Pair]:
    """The neighbouring pairs of an order, for each combination of the axes that it does not name."""
    by_place = [(coordinates_of(cell), cell.estimate) for cell in cells]
    collected: list[Pair] = []
    for smaller, larger in zip(published.order, published.order[1:], strict=False):
        named = {*smaller, *larger}
        ends = [_by_rest(by_place, end, named) for end in (smaller, larger)]
        for rest in ends[0] if ends[0] else ends[1]:
            here = ends[0].get(rest), ends[1].get(rest)
            collected.append(Pair(smaller, larger, dict(rest), here))
    return collected


def sentence(pairs_of_order: Iterable[Pair]) -> str:
    """How many pairs are as published."""
    outcomes = [pair.outcome for pair in pairs_of_order]
    judged = [outcome for outcome in outcomes if outcome != "no value"]
    right = [outcome for outcome in judged if outcome.startswith("as published")]
    within = sum("within" in outcome for outcome in judged)
    text = (
        f"{len(right)} of {len(judged)} neighbouring pairs have the published order; {within} are within the intervals"
    )
    lacking = len(outcomes) - len(judged)
    return f"{text}; {lacking} have no value here." if lacking else f"{text}."


def order_text(ends: Sequence[Mapping[str, Value]]) -> str:
    """``PS1 < PS2``; of numbers of one axis the axis once: ``payload: 20 < 40``."""
    axes = list(dict.fromkeys(axis for end in ends for axis in end))
    if len(axes) == 1 and any(not isinstance(end.get(axes[0]), str) for end in ends):
        return f"{axes[0]}: {' < '.join(value_text(end[axes[0]]) for end in ends)}"
    return " < ".join(where_text(end) for end in ends)


def _by_rest(
    by_place: Iterable[tuple[Mapping[str, Value], Estimate | None]], end: Mapping[str, Value], named: set[str]
) -> dict[tuple[tuple[str, Value], ...], Estimate | None]:
    """Estimates at one end of a pair, by the axes that the pair does not name."""
    return {
        tuple((axis, value) for axis, value in at.items() if axis not in named and value != ""): estimate
        for at, estimate in by_place
        if all(at.get(axis) == value for axis, value in end.items())
    }

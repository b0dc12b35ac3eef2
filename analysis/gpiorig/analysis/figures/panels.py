"""What a figure of a study shows: panels, curves in them, values with their spread, published values."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gpiorig.analysis.number_text import NS_PER_S
from gpiorig.capture.units import BITS_PER_S, BYTES, JOULES, TIME_STEPS, WATTS

Place = bool | int | float | str  # value of the axis x
NAN = float("nan")
_SECONDS = tuple((ns / NS_PER_S, name) for ns, name in TIME_STEPS)
_RATES = tuple((rate, name) for name, rate in reversed(BITS_PER_S.items()))
_ENERGY, _POWER = (
    tuple(sorted(((size, name) for name, size in names.items()), reverse=True)) for names in (JOULES, WATTS)
)

_BYTES = ((BYTES["kB"], "kB"), (BYTES["B"], "B"))


@dataclass(frozen=True, slots=True)
class Mark:
    """A value at a place, in SI; `low` and `high` are NaN without an interval.

    `repeats` has the value of each repeat.
    """

    place: Place
    value: float
    low: float = NAN
    high: float = NAN
    repeats: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Reference:
    """A published value at a place, in SI: `value`, or a range from `low` to `high`; NaN for what is not stated."""

    place: Place
    value: float = NAN
    low: float = NAN
    high: float = NAN


@dataclass(frozen=True, slots=True, eq=False)
class Distribution:
    """The values at a place, in SI: float64[n] for each repeat; `at` has their places on the axis of `scatter`."""

    place: Place
    runs: tuple[NDArray[np.float64], ...]
    at: tuple[NDArray[np.float64], ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """What one entry of the legend stands for: ours, the published values, and the places at which points failed."""

    label: str
    marks: tuple[Mark, ...] = ()
    distributions: tuple[Distribution, ...] = ()
    published: tuple[Reference, ...] = ()
    failed: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Panel:
    """One diagram.

    Parameters
    ----------
    title
        Values of the axes that make it a panel of its own.
    label
        What is drawn, the title of the axis of values; panels with the same label have the same scale.
    unit
        SI unit of all values.
    curves
        In the order of the legend.
    levels
        Horizontal lines: label and value.
    published
        Published values that are of no curve.
    """

    title: str
    label: str
    unit: str
    curves: tuple[Curve, ...]
    levels: tuple[tuple[str, float], ...] = ()
    published: tuple[Reference, ...] = ()

    @property
    def references(self) -> tuple[Reference, ...]:
        """All published values."""
        return (*(reference for curve in self.curves for reference in curve.published), *self.published)

    def middles(self) -> Iterable[float]:
        """The values without the ends of their intervals."""
        for curve in self.curves:
            yield from (mark.value for mark in curve.marks)
            yield from (float(run.min()) for one in curve.distributions for run in one.runs if len(run))
        ends = ((reference.value, reference.low) for reference in self.references)
        yield from (value for pair in ends for value in pair if math.isfinite(value))
        yield from (value for _, value in self.levels)

    def values(self) -> Iterable[float]:
        """All values that it shows."""
        for curve in self.curves:
            for mark in curve.marks:
                yield from (mark.value, mark.low, mark.high, *mark.repeats)
            for distribution in curve.distributions:
                yield from (float(run.max()) for run in distribution.runs if len(run))
        for reference in self.references:
            yield from (reference.value, reference.low, reference.high)
        yield from (value for _, value in self.levels)


@dataclass(frozen=True, eq=False)  # no slots: the labels are cached
class Chart:
    """A figure of a study.

    Parameters
    ----------
    kind
        ``line``, ``bars``, ``stack``, ``ecdf``, ``histogram``, ``box``, ``dots`` or ``scatter``.
    title
        Title of the figure.
    x
        Title of the axis that has no values: x, for ``ecdf`` and ``histogram`` y.
    places
        Values of x in their order.
    panels
        In reading order.
    columns
        Number of panels in a row.
    log
        ``x``, ``y``, ``xy`` or empty.
    virtual
        Whether the values are from a virtual bench.
    names
        Texts of the places; without them the places as text.
    tones
        Curves that follow each other in tones of one colour, where areas are drawn.
    x_limits, y_limits
        Both ends of an axis; of values in SI. None: they follow the values.
    """

    kind: str
    title: str
    x: str
    places: tuple[Place, ...]
    panels: tuple[Panel, ...]
    columns: int
    log: str
    virtual: bool
    names: tuple[str, ...] = ()
    tones: int = 1
    x_limits: tuple[float, float] | None = None
    y_limits: tuple[float, float] | None = None

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """Labels of the curves, each once."""
        return tuple(dict.fromkeys(curve.label for panel in self.panels for curve in panel.curves))

    @property
    def numeric(self) -> bool:
        """Whether places are numbers on a scale; else they are drawn at equal distances."""
        is_number = all(isinstance(place, int | float) and not isinstance(place, bool) for place in self.places)
        return self.kind == "line" and is_number and len(self.places) > 1

    @property
    def values_on_x(self) -> bool:
        """Whether the values are on the horizontal axis."""
        return self.kind in ("ecdf", "histogram")

    def position(self, place: Place) -> float:
        """Where a place is on the axis; NaN for one that is not on it."""
        if self.numeric:
            return float(place)
        return float(self.places.index(place)) if place in self.places else NAN

    def scale(self, label: str) -> tuple[float, str]:
        """Factor from SI to the unit of all panels with this label, and that unit."""
        panels = [panel for panel in self.panels if panel.label == label]
        finite = [abs(value) for panel in panels for value in panel.values() if math.isfinite(value)]
        return scale_of(panels[0].unit, max(finite, default=0.0))


def scale_of(unit: str, largest: float) -> tuple[float, str]:
    """Factor from an SI unit to the one in which the largest value is read best, and that unit."""
    if unit == "share":
        return 100.0, "%"
    for name, steps in (("s", _SECONDS), ("bit/s", _RATES), ("J", _ENERGY), ("W", _POWER), ("B", _BYTES)):
        if unit == name:
            step, text = next((step for step in steps if largest >= step[0]), steps[-1 if largest else 1])
            return 1 / step, text
    return 1.0, "" if unit == "1" else unit

"""The combinations of the axes of a study: multiplied, but those with the same `zip` move together."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gpiorig.studies.pages.amounts import value_text
from gpiorig.studies.pages.description import Value
from gpiorig.studies.points.study_file import Axis, StudyFile


@dataclass(frozen=True, slots=True)
class Combination:
    """One value of each axis.

    Parameters
    ----------
    coordinates
        The value of each axis by its name, in the order of the file.
    settings
        The value of each key that the axes set, in the order of the axes.
    """

    coordinates: Mapping[str, Value]
    settings: Mapping[str, Any]

    @property
    def text(self) -> str:
        """Such as ``protocol = UDP, payload = 59``; empty without axes."""
        return ", ".join(f"{name} = {value_text(value)}" for name, value in self.coordinates.items())


def combinations(file: StudyFile, *, quick: bool = False) -> list[Combination]:
    """All combinations, the last axis fastest; with `quick` those with the values that it keeps."""
    groups: dict[object, list[Axis]] = {}
    for number, axis in enumerate(file.vary):
        groups.setdefault(axis.zip or number, []).append(axis)
    keep = file.quick.keep if quick else {}
    places = [
        [place for place in range(len(axes[0].values)) if all(_keeps(keep, axis, place) for axis in axes)]
        for axes in groups.values()
    ]
    return [_combination(file, list(groups.values()), chosen) for chosen in itertools.product(*places)]


def _keeps(keep: Mapping[str, tuple[Value, ...]], axis: Axis, place: int) -> bool:
    return axis.name not in keep or axis.values[place] in keep[axis.name]


def _combination(file: StudyFile, groups: list[list[Axis]], chosen: tuple[int, ...]) -> Combination:
    place_of = {axis.name: place for axes, place in zip(groups, chosen, strict=True) for axis in axes}
    settings: dict[str, Any] = {}
    for axis in file.vary:
        place = place_of[axis.name]
        settings |= {axis.key: axis.values[place]} if axis.key else {}
        settings |= {key: values[place] for key, values in axis.set.items()}
    return Combination({axis.name: axis.values[place_of[axis.name]] for axis in file.vary}, settings)

"""A study: its file, loaded and checked as far as it can be without its points."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpiorig.analysis.errors import QuantityError
from gpiorig.rig.errors import BenchError
from gpiorig.rig.strict_toml import load as load_toml
from gpiorig.studies.pages import amounts
from gpiorig.studies.pages.amounts import value_text
from gpiorig.studies.pages.description import Show, Value
from gpiorig.studies.pages.observations import PAIR
from gpiorig.studies.pages.selection import NODE, PACKET, QUANTITY, TIME
from gpiorig.studies.points import spelling, study_paths
from gpiorig.studies.points.study_file import Axis, StudyFile


@dataclass(frozen=True, slots=True, eq=False)
class Study:
    """A study.

    Parameters
    ----------
    name
        Name of its file without the suffix.
    path, file
        Its file, and what is in it.
    """

    name: str
    path: Path
    file: StudyFile

    @property
    def place(self) -> str:
        """Where its figure is, such as ``seeds/000, figure 9``; empty for a study of its own."""
        return ", ".join(part for part in (self.file.document, self.file.figure) if part)

    @property
    def what(self) -> str:
        """How errors name it."""
        return f"study {self.name}"


def load(path: Path) -> Study:
    """The checked study of a file; raises `BenchError` with the study, the axis and the remedy."""
    study = Study(path.stem, path, spelling.of_file(load_toml(path, StudyFile, what="study file")))
    for axis in study.file.vary:
        _check_axis(axis, what=f"{study.what}: axis `{axis.name}`")
    _check_names(study)
    _check_zipped(study)
    _check_quick(study)
    _check_shows(study)
    _check_repeats(study)
    return study


def load_all(places: Iterable[Path]) -> list[Study]:
    """The studies of files, of folders and of names such as ``000-interference`` or ``000.interference``.

    Raises
    ------
    BenchError
        A file or name is unknown, a folder has no study, or two studies have one name.
    """
    paths = list({path.resolve(): path for place in places for path in study_paths.paths(place)}.values())
    studies = [load(path) for path in paths]
    for number, study in enumerate(studies):
        if other := next((one for one in studies[:number] if one.name == study.name), None):
            raise BenchError(
                f"{study.what}: {other.path} and {study.path} have the same name, and so the same page; rename one."
            )
    return studies


def _check_axis(axis: Axis, *, what: str) -> None:
    if not axis.values:
        raise BenchError(f"{what}: has no values; give one at least.")
    if not (axis.key or axis.set or axis.zip):
        raise BenchError(f"{what}: changes nothing; give key or [vary.set], or zip it with an axis that does.")
    for key, values in axis.set.items():
        if len(values) != len(axis.values):
            raise BenchError(
                f"{what}: set `{key}` has {len(values)} values, the axis has {len(axis.values)}; give one for each."
            )
    if not axis.zip and len(set(axis.values)) < len(axis.values):
        raise BenchError(f"{what}: has a value twice; delete one.")


def _check_names(study: Study) -> None:
    names = [axis.name for axis in study.file.vary]
    for name in names:
        if names.count(name) > 1 or name in ("", NODE, QUANTITY):
            raise BenchError(
                f"{study.what}: axis `{name}`: rename it; each axis has a name of its own, `{NODE}` and `{QUANTITY}` "
                "are taken."
            )


def _check_zipped(study: Study) -> None:
    for axis in study.file.vary:
        first = next(other for other in study.file.vary if other is axis or (axis.zip and other.zip == axis.zip))
        if len(first.values) != len(axis.values):
            raise BenchError(
                f"{study.what}: axis `{axis.name}`: has {len(axis.values)} values and moves with `{first.name}`, which "
                f"has {len(first.values)}; give both as many."
            )


def _check_quick(study: Study) -> None:
    for name, values in study.file.quick.keep.items():
        axis = named_axis(study, name, where="quick.keep")
        _check_values(study, axis, values, where="quick.keep")
        if not values:
            raise BenchError(f"{study.what}: quick.keep: `{name}` has no values; name one at least.")
    if study.file.quick.repeats < 1:
        raise BenchError(f"{study.what}: quick.repeats is {study.file.quick.repeats}; use 1 at least.")


def _check_shows(study: Study) -> None:
    for number, show in enumerate(study.file.show, start=1):
        where = f"show {number}"
        of_scatter = (PACKET, TIME) if show.kind == "scatter" else ()
        if of_scatter and show.x not in ("", *of_scatter):
            raise BenchError(f"{study.what}: {where}: x is `{show.x}`; of a scatter use `{PACKET}` or `{TIME}`.")
        for name in (show.x, *show.curve_axes, *show.panel_axes):
            if name and name not in (NODE, QUANTITY, *of_scatter):
                named_axis(study, name, where=where)
        for name, wanted in (show.where | show.levels).items():
            values = wanted if isinstance(wanted, tuple) else (wanted,)
            _check_values(study, named_axis(study, name, where=where), values, where=where)
        if not show.y and show.kind != "table":
            raise BenchError(f"{study.what}: {where}: y is empty; name a quantity, such as `rtt.median`.")
        _check_looks(study, show, where=where)


def _check_looks(study: Study, show: Show, *, where: str) -> None:
    """Labels are of something that the figure has, limits are numbers with units."""
    named = [*show.y]
    for axis in study.file.vary:
        named += [text for value in axis.values for text in (value_text(value), f"{axis.name}: {value_text(value)}")]
    for label in show.labels:
        if label not in named and not {*label.split(PAIR)} <= {*study.file.bench.nodes}:
            near = difflib.get_close_matches(label, named, n=1)
            hint = f"did you mean `{near[0]}`?" if near else "give an expression of y, or a value of an axis."
            raise BenchError(f"{study.what}: {where}: labels: `{label}` is not in the figure; {hint}")
    for key, ends in (("x_limits", show.x_limits), ("y_limits", show.y_limits)):
        try:
            low, high = amounts.limits(ends) or (0.0, 1.0)
        except QuantityError as error:
            raise BenchError(f"{study.what}: {where}: {key}: {error}") from error
        if low >= high:
            raise BenchError(f"{study.what}: {where}: {key}: give the lower end first, and two different ones.")


def _check_values(study: Study, axis: Axis, values: Sequence[Value], *, where: str) -> None:
    for value in values:
        if value not in axis.values:
            raise BenchError(
                f"{study.what}: {where}: axis `{axis.name}` has no value {value!r}; it has "
                f"{', '.join(map(repr, dict.fromkeys(axis.values)))}."
            )


def _check_repeats(study: Study) -> None:
    repeat = study.file.repeat
    if repeat.n < 1:
        raise BenchError(f"{study.what}: repeat.n is {repeat.n}; use 1 at least.")
    for key, largest in repeat.phases.items():
        if largest < 1:
            raise BenchError(f"{study.what}: repeat.phases: `{key}` is at most {largest}; use 1 at least.")
    stop = repeat.until
    if stop is not None and not (3 <= stop.least <= stop.most and stop.width > 0):
        raise BenchError(
            f"{study.what}: repeat.until: use a width above 0 and 3 <= least <= most; an interval takes 3."
        )


def named_axis(study: Study, name: str, *, where: str) -> Axis:
    """The axis of that name; raises `BenchError`."""
    axes = {axis.name: axis for axis in study.file.vary}
    if name not in axes:
        near = difflib.get_close_matches(name, axes, n=1)
        hint = f"did you mean `{near[0]}`?" if near else f"its axes: {', '.join(axes) or 'none'}."
        raise BenchError(f"{study.what}: {where}: no axis is called `{name}`; {hint}")
    return axes[name]

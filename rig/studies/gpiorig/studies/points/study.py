"""A study: its file, loaded and checked as far as it can be without its points."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpiorig.rig.errors import BenchError
from gpiorig.rig.strict_toml import load as load_toml
from gpiorig.studies.pages.description import Value
from gpiorig.studies.points import spelling, study_paths
from gpiorig.studies.points.study_file import Axis, StudyFile

NODE = "node"  # what a `Show` may name where an axis belongs: the nodes


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
        if names.count(name) > 1 or name in ("", NODE):
            raise BenchError(
                f"{study.what}: axis `{name}`: rename it; each axis has a name of its own, `node` is taken."
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
        panels = (show.panel,) if isinstance(show.panel, str) else show.panel
        for name in (show.x, show.series, *panels):
            if name and name != NODE:
                named_axis(study, name, where=where)
        for name, wanted in (show.where | show.levels).items():
            values = wanted if isinstance(wanted, tuple) else (wanted,)
            _check_values(study, named_axis(study, name, where=where), values, where=where)
        if not show.y and show.kind != "table":
            raise BenchError(f"{study.what}: {where}: y is empty; name a quantity, such as `rtt.median`.")


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

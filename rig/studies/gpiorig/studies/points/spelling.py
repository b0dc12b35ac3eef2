"""One spelling of the values of axes: a truth value is `on` or `off` wherever it is named, shown or stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from gpiorig.studies.pages.description import Published, Show, Value
from gpiorig.studies.points.study_file import Axis, StudyFile


def of_file(file: StudyFile) -> StudyFile:
    """A study file in which only the keys that an axis sets have truth values."""
    return replace(
        file,
        vary=tuple(map(_axis, file.vary)),
        show=tuple(map(_show, file.show)),
        published=tuple(map(_published, file.published)),
        subject={axis: _row(values) for axis, values in file.subject.items()},
        quick=replace(file.quick, keep={axis: _row(values) for axis, values in file.quick.keep.items()}),
    )


def spelled(value: Value) -> Value:
    """`on` or `off` of a truth value; any other value as it is."""
    if isinstance(value, bool):
        return "on" if value else "off"
    return value


def _axis(axis: Axis) -> Axis:
    labels = _row(axis.values)
    if labels == axis.values or not axis.key:
        return replace(axis, values=labels)
    return replace(axis, values=labels, key="", set=axis.set | {axis.key: axis.values})


def _show(show: Show) -> Show:
    selected = {axis: _row(of) if isinstance(of, tuple) else spelled(of) for axis, of in show.where.items()}
    return replace(show, where=selected, levels={axis: _row(values) for axis, values in show.levels.items()})


def _published(published: Published) -> Published:
    return replace(published, values=tuple(map(_table, published.values)), order=tuple(map(_table, published.order)))


def _row(values: Iterable[Value]) -> tuple[Value, ...]:
    return tuple(map(spelled, values))


def _table(values: Mapping[str, Value]) -> dict[str, Value]:
    return {axis: spelled(value) for axis, value in values.items()}

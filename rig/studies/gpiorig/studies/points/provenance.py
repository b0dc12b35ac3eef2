"""What made the numbers of a study, for its page: the experiment, images with their digests, boards and programs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from gpiorig.rig.errors import FirmwareError
from gpiorig.studies.points import digests, keys
from gpiorig.studies.points.folder import PointFile
from gpiorig.studies.points.points import Point
from gpiorig.studies.points.spelling import spelled
from gpiorig.studies.points.study import Study

Rows = tuple[tuple[str, str], ...]
DIGITS = 16  # of a SHA-256
LISTED = 8  # values of a key that are listed
_NOT_SHOWN = ("name", "assert", "thresholds", "quantities")


def of(study: Study, points: Sequence[Point], files: Iterable[PointFile | None]) -> Rows:
    """Rows of names and values: what all points have in common, and the values of what differs."""
    return (*_experiment(study, points), *_images(points), *_programs([file for file in files if file is not None]))


def _experiment(study: Study, points: Sequence[Point]) -> Rows:
    base = study.file.experiment.get("base", "")
    by_key: dict[str, dict[str, None]] = {}
    for point in points:
        for key, value in _flat(keys.given(msgspec.to_builtins(point.experiment))):
            by_key.setdefault(key, {})[str(spelled(value))] = None
        if point.warmup is not None:
            by_key.setdefault("warmup", {})[point.warmup.text] = None
    rows = [("experiment", f"of the file {base}" if base else "of the study file alone")]
    return (*rows, *((f"experiment {key}", _few(values)) for key, values in by_key.items() if key not in _NOT_SHOWN))


def _flat(tree: Mapping[str, Any], prefix: str = "") -> Iterable[tuple[str, Any]]:
    for key, value in tree.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        elif value not in ((), []):
            yield f"{prefix}{key}", value


def _images(points: Sequence[Point]) -> Rows:
    """A row for each image: its file, and the first digits of its SHA-256."""
    nodes: dict[tuple[str, str], dict[str, None]] = {}
    for point in points:
        for node, path in point.firmware.items():
            try:
                digest = digests.of_file(path)[:DIGITS]
            except FirmwareError:
                digest = "not there now"
            nodes.setdefault((path.name, digest), {})[node] = None
    return tuple((f"image of {_few(of)}", f"{name}, SHA-256 {digest}") for (name, digest), of in nodes.items())


def _programs(files: Sequence[PointFile]) -> Rows:
    """Versions of the virtual boards, the analysis and the programs, of the points that are there."""
    versions = {
        "virtual boards": {file.boards[:DIGITS]: None for file in files if file.boards},
        "analysis": {file.analysis[:DIGITS]: None for file in files if file.analysis},
    }
    for file in files:
        for program, version in file.versions.items():
            versions.setdefault(program, {})[version] = None
    return tuple((f"version of {name}", _few(of)) for name, of in versions.items() if of)


def _few(values: Mapping[str, None]) -> str:
    some = list(values)[:LISTED]
    return ", ".join(some) + (f" and {len(values) - LISTED} more" if len(values) > LISTED else "")

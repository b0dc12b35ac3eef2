"""Points of studies by name, where a recording is asked for; gpiorig-studies knows their names."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, cast

from gpiorig.rig.distributions import STUDIES


class PointNames(Protocol):
    """As `studies.points.point_names` has them."""

    def recording_of(self, name: str) -> Path | None:
        """The recording of the point that a name means; None if it names no point."""

    def name_of(self, recording: Path) -> str:
        """The name of the point whose recording this is; empty if it is none of a study."""


def resolved(path: Path) -> Path:
    """The recording of a point, if a path that does not exist names one; else the path.

    Raises
    ------
    RigError
        The study has no such point, or several.
    """
    output = Path(str(path).partition(":")[0]).parent
    if path.exists() or not (output / "points").is_dir() or not STUDIES.is_installed:
        return path
    return _names().recording_of(str(path)) or path


def name_of(recording: Path) -> str:
    """The name of a recording: that of its point, if it is of a study, else that of its folder."""
    return of_point(recording) or recording.resolve().name


def of_point(recording: Path) -> str:
    """The name of the point of a recording; empty if it is not of a study."""
    folder = recording.resolve()
    if not (folder.parent / "point.json").is_file() or not STUDIES.is_installed:
        return ""
    return _names().name_of(folder)


def _names() -> PointNames:
    return cast(PointNames, STUDIES.module("points.point_names", needed_by="names of points"))

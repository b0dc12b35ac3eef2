"""Names of points: ``week/000-interference: protocol = UDP, interference in packets/s = 8, repeat = 2``."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from gpiorig.rig.errors import RigError
from gpiorig.studies.pages.amounts import value_text
from gpiorig.studies.pages.description import Value
from gpiorig.studies.points import stored
from gpiorig.studies.points.folder import RECORDING, PointFolder
from gpiorig.studies.points.stored import Ended

REPEAT = "repeat"
_SHOWN = 4  # studies or axes that an error names


def recording_of(name: str) -> Path | None:
    """The recording of the point that a name means; None if it does not begin with the output folder of studies.

    After the folder, a slash and the study come, after a colon, axis values: as many as tell the point from the others.
    Without ``repeat`` the earliest of its repeats is meant.

    Raises
    ------
    RigError
        No point has these values, or several have; or it has no recording.
    """
    head, colon, values = name.partition(":")
    output, study = Path(head).parent, Path(head).name
    points = stored.points_in(output) if output.is_dir() else []
    if not points:
        return None
    of_study = [point for point in points if point.study == study]
    if not of_study and not colon:
        return None
    if not of_study:
        names = sorted({point.study for point in points})
        near = difflib.get_close_matches(study, names, n=_SHOWN) or names[:_SHOWN]
        raise RigError(f"{name}: {output} has no study `{study}`; of its {len(names)}: {', '.join(near)}.")
    asked = _values(values, {axis for point in of_study for axis in point.coordinates}, name)
    fitting = [point for point in of_study if all(_texts(point).get(axis) == text for axis, text in asked.items())]
    combinations = {tuple(point.coordinates.items()) for point in fitting}
    if len(combinations) != 1:
        raise RigError(f"{name}: {_remedy(fitting, of_study)}")
    point = min(fitting, key=lambda point: point.repeat)
    if point.folder.open() is None:
        raise RigError(f"{name}: its recording is {point.state}{': ' * bool(point.reason)}{point.reason}; record it.")
    return point.recording


def name_of(recording: Path) -> str:
    """The name of the point whose recording this is, without its folder; empty if it is none of a study."""
    file = PointFolder(recording.resolve().parent).read() if recording.resolve().name == RECORDING else None
    return "" if file is None else _name(file.study, file.coordinates, file.repeat)


def _name(study: str, coordinates: Mapping[str, Value], repeat: int) -> str:
    at = [f"{axis} = {value_text(value)}" for axis, value in {**coordinates, REPEAT: repeat}.items()]
    return f"{study}: {', '.join(at)}"


def _texts(point: Ended) -> dict[str, str]:
    """The value of each axis as it is written, and the number of the repeat."""
    return {axis: value_text(value) for axis, value in point.coordinates.items()} | {REPEAT: str(point.repeat)}


def _values(text: str, axes: set[str], name: str) -> dict[str, str]:
    """``protocol = UDP, repeat = 2`` as a table; the names of axes may have commas and equals signs."""
    names = "|".join(re.escape(axis) for axis in sorted({*axes, REPEAT}, key=len, reverse=True))
    starts = list(re.finditer(rf"(?:^|,)\s*({names})\s*=\s*", text))
    ends = [*(match.start() for match in starts), len(text)][1:]
    if text.strip() and (not starts or text[: starts[0].start()].strip()):
        named_axes = ", ".join([*sorted(axes), REPEAT])
        raise RigError(f"{name}: `{text.strip()}` is not understood; write `AXIS = VALUE, …` of the axes {named_axes}.")
    return {match[1]: text[match.end() : end].strip() for match, end in zip(starts, ends, strict=True)}


def _remedy(fitting: Sequence[Ended], of_study: Sequence[Ended]) -> str:
    """Which axes to name, with their values."""
    points = fitting or of_study
    values: dict[str, dict[str, None]] = {}
    for point in points:
        for axis, text in _texts(point).items():
            values.setdefault(axis, {})[text] = None
    several = "; ".join([f"{axis} ({', '.join(texts)})" for axis, texts in values.items() if len(texts) > 1][:_SHOWN])
    if not fitting:
        return f"no point has these values; there are {several or 'none with several values'}."
    return f"several points have these values; name one of: {several}."

"""Whether the tables that a report wrote are of the present recording."""

from __future__ import annotations

from collections.abc import Iterable

from gpiorig.analysis.tables.registry import SUFFIX
from gpiorig.capture.recording import description
from gpiorig.capture.recording.recording import DESCRIPTION, EDGES, SERIAL, Recording


def are_current(recording: Recording, names: Iterable[str]) -> bool:
    """Whether all tables of these names are there, and newer than what was recorded and what was given later."""
    folder = recording.folder
    recorded = [folder / DESCRIPTION, *(folder / EDGES).glob("*"), *(folder / SERIAL).glob("*")]
    written = [folder / f"{name}{SUFFIX}" for name in names]
    if not all(path.is_file() for path in written) or description.load(folder / DESCRIPTION) != recording.info:
        return False
    return min(path.stat().st_mtime_ns for path in written) >= max(path.stat().st_mtime_ns for path in recorded)

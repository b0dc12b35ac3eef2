"""The folder of a new recording: whether it is free, by the names of what is in it."""

from __future__ import annotations

from pathlib import Path

from gpiorig.capture.errors import RecordingError

DESCRIPTION, UNFINISHED = "recording.toml", "recording.new"


def check(folder: Path) -> None:
    """Refuse what is there, but for an empty folder and what is left of a program killed before the first description.

    Raises
    ------
    RecordingError
        It is a recording, a file, or a folder with something else in it.
    """
    if (folder.is_dir() and all(path.name == UNFINISHED for path in folder.iterdir())) or not folder.exists():
        return
    what = "holds a recording already" if (folder / DESCRIPTION).exists() else "is in use"
    raise RecordingError(what, where=folder, remedy="choose another folder, or delete this one")

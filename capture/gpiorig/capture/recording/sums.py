"""Check sums of the files of a recording."""

from __future__ import annotations

import hashlib
from pathlib import Path

from gpiorig.capture import confined
from gpiorig.capture.errors import FormatError
from gpiorig.capture.recording.description import RecordingInfo

LEFT = 'restore it from a copy; `state = "capturing"` in recording.toml lets one read what is left'


def sha256(path: Path) -> str:
    """Return the sha256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_files(info: RecordingInfo, folder: Path) -> None:
    """Whether the files that were recorded are there, each with its size; `verify` checks their content."""
    for name, expected in info.files.items():
        path = confined.below(folder, name)
        if not path.is_file():
            raise FormatError("the file is missing", where=path, remedy=LEFT)
        size = path.stat().st_size
        if expected.size != size:
            raise FormatError(f"has {size} bytes instead of {expected.size}", where=path, remedy=LEFT)

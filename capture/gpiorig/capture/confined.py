"""Paths that come from data stay in the folder of the data; what is written or deleted there is reached over no link.

Reading follows links to regular files: git-annex keeps large files so, and what is not of our formats is refused.
"""

from __future__ import annotations

import os
import stat
from io import BufferedReader
from pathlib import Path, PurePosixPath

from gpiorig.capture.errors import FormatError

REMEDY = "`cp -rL` makes a copy without links; delete a link that you did not make"


def below(folder: Path, relative: str) -> Path:
    """The path of `relative` in a folder, for reading; it need not exist.

    Raises
    ------
    FormatError
        It is absolute or empty, or has `..` in it.
    """
    path = PurePosixPath(relative)
    if path.is_absolute() or not path.parts or ".." in path.parts or "\0" in relative:
        remedy = "restore the file that names it from a copy"
        raise FormatError(f"{relative[:80]!r} is not a path below this folder", where=folder, remedy=remedy)
    return folder / path


def inside(folder: Path, relative: str) -> Path:
    """As `below`, for writing and deleting: no part of it below the folder is a link.

    Raises
    ------
    FormatError
        As `below`; or a part of it is a symbolic link.
    """
    place = folder
    for part in below(folder, relative).relative_to(folder).parts:
        place = place / part
        check_own(place)
    return place


def subfolder(folder: Path, relative: str) -> Path:
    """`inside`, and make it and the folders above it where they are missing."""
    place = inside(folder, relative)
    place.mkdir(parents=True, exist_ok=True)
    return place


def check_own(path: Path) -> None:
    """Refuse a link; it need not exist."""
    if path.is_symlink():
        raise FormatError("is a link, and what is written or deleted here follows none", where=path, remedy=REMEDY)


def check_tree(folder: Path) -> None:
    """Refuse a folder with anything but folders and regular files in it, such as one that came from somewhere else.

    Raises
    ------
    FormatError
        There is a link, a pipe or a device.
    """
    check_own(folder)
    for parent, folders, files in os.walk(folder):
        for name in (*folders, *files):
            check_own(Path(parent, name))
        for name in files:
            _check_regular(Path(parent, name), Path(parent, name).stat().st_mode)


def opened(path: Path) -> BufferedReader:
    """Open a regular file, or a link to one, to read it; a pipe without a writer does not block.

    Raises
    ------
    FormatError
        It is a pipe, a device or a folder.
    OSError
        It cannot be opened.
    """
    _check_regular(path, path.stat().st_mode)
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        _check_regular(path, os.fstat(file).st_mode)
    except FormatError:
        os.close(file)
        raise
    return os.fdopen(file, "rb")


def _check_regular(path: Path, mode: int) -> None:
    if not stat.S_ISREG(mode):
        raise FormatError("is not a regular file", where=path, remedy="move it out of this folder")

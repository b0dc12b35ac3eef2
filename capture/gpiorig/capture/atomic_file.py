"""A file that is replaced in one step when it is complete, and not at all when writing it fails."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gpiorig.capture.errors import CaptureError

FRESH = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def replacing(path: Path, *, draft_name: str = "") -> Iterator[Path]:
    """Give a path next to `path` to write to; it takes the place of `path` at the end, or is deleted on an error.

    No link is followed: one at either path is replaced itself. Errors name `path`, which is what was asked for. The
    path that is given is UTF-8, as some libraries want one, whatever `path` is.

    Parameters
    ----------
    path
        The file; its folder has to be there.
    draft_name
        Name of the path that is given; "": that of `path` with `.new` after it.
    """
    if not path.parent.is_dir():
        raise CaptureError(
            "cannot be written: its folder is not there", where=path, remedy=f"make the folder {path.parent} first"
        )
    with _utf8_folder(path) as folder:
        yield from _replacing(path, folder / (draft_name or f"{utf8(path.name)}.new"))


def _replacing(path: Path, new: Path) -> Iterator[Path]:
    with naming(path, new):
        new.unlink(missing_ok=True)  # a link of others, or what is left of a program that was killed
        os.close(os.open(new, FRESH, 0o666))
        try:
            yield new
        except BaseException:
            with contextlib.suppress(OSError):
                new.unlink(missing_ok=True)
            raise
        new.replace(path)


@contextmanager
def _utf8_folder(path: Path) -> Iterator[Path]:
    """The folder of a path, by a name of this process if its own name is not UTF-8 (proc(5), /proc/pid/fd)."""
    if utf8(str(path)) == str(path):
        yield path.parent
        return
    folder = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield Path(f"/proc/self/fd/{folder}")
    finally:
        os.close(folder)


def utf8(name: str) -> str:
    """A name with escapes for bytes that are not UTF-8."""
    return os.fsencode(name).decode(errors="backslashreplace")


@contextmanager
def naming(path: Path, instead_of: Path | None = None) -> Iterator[None]:
    """Let errors of writing a file name it, which those of a full disk do not; also those that name `instead_of`."""
    try:
        yield
    except BrokenPipeError:  # of the output, whose reader has gone
        raise
    except OSError as error:
        if error.filename is None or error.filename == str(instead_of):
            error.filename = str(path)
        raise

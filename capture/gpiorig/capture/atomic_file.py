"""A file that is replaced in one step when it is complete, and not at all when writing it fails."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gpiorig.capture.errors import CaptureError


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a path next to `path` to write to; it takes the place of `path` at the end, or is deleted on an error.

    Errors name `path`, which is what was asked for.
    """
    if not path.parent.is_dir():
        raise CaptureError(
            "cannot be written: its folder is not there", where=path, remedy=f"make the folder {path.parent} first"
        )
    new = path.with_name(f"{path.name}.new")
    try:
        yield new
    except BaseException as error:
        with contextlib.suppress(OSError):
            new.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename == str(new):
            error.filename = str(path)
        raise
    new.replace(path)

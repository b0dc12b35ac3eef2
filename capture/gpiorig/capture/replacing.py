"""A file that is replaced in one step when it is complete, and not at all when writing it fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a path beside `path` to write to; it takes the place of `path` at the end, or is deleted on an error."""
    new = path.with_name(f"{path.name}.new")
    try:
        yield new
    except BaseException:
        new.unlink(missing_ok=True)
        raise
    new.replace(path)

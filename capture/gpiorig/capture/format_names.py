"""The formats of third-party files by name: the modules of `capture.formats`, which are not imported for it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from gpiorig.capture.errors import FormatError


@cache
def names() -> tuple[str, ...]:
    """All of them, in the order of the alphabet."""
    folder = Path(__file__).parent / "formats"
    return tuple(sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__"))


def checked(name: str) -> str:
    """The name itself; raises `FormatError` if no format has it."""
    if name not in names():
        raise FormatError(f"there is no format {name!r}", remedy=f"use one of {', '.join(names())}")
    return name

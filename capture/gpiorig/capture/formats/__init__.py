"""Files that others write: a module for each format, with what tells it apart and how it is read and written.

A module `formats/NAME.py` has

    SUMMARY      a line for people
    SUFFIXES     usual ends of the file's name, such as (".vcd",)
    recognises   (path, head) -> bool: whether a file is of this format, from its first 4096 bytes and its name
    read         (path, options) -> Waveform | NodeLines | Frames, in memory that does not grow with the file
    write        (path, content, ...) -> what was rounded, in words; where the format can be written

and stands in `NAMES`, the more particular ones before those that accept almost anything.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from types import ModuleType

from gpiorig.capture.errors import FormatError

NAMES = ("sr",)
HEAD_BYTES = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """What a file does not say about itself; None and empty: what it says, or the format's default.

    Attributes
    ----------
    samplerate_hz
        Samples per second.
    unitsize
        Bytes per sample of a raw file.
    channels
        Names of the channels of a file that has none, bit 0 first.
    columns
        Column of a table by what it holds: "time", "channel", "level", "node", …
    recover
        Read on past damage: what is lost becomes gaps, and a file that was cut short is read as far as it goes.
    """

    samplerate_hz: Fraction | None = None
    unitsize: int | None = None
    channels: tuple[str, ...] = ()
    columns: dict[str, str] = field(default_factory=dict)
    recover: bool = False


def module(name: str) -> ModuleType:
    """Return the module of a format.

    Raises
    ------
    FormatError
        There is no such format.
    """
    if name not in NAMES:
        raise FormatError(f"there is no format {name!r}", remedy=f"formats are {', '.join(NAMES)}")
    return importlib.import_module(f"gpiorig.capture.formats.{name}")


def recognise(path: Path) -> str:
    """Return the name of a file's format.

    Raises
    ------
    FormatError
        It cannot be read, or is of no known format.
    """
    try:
        with path.open("rb") as file:
            head = file.read(HEAD_BYTES)
    except OSError as error:
        raise FormatError(f"cannot be read: {error.strerror}", where=path, remedy="check the name") from error
    for name in NAMES:
        if module(name).recognises(path, head):
            return name
    raise FormatError("is in no known format", where=path, remedy=f"name one of {', '.join(NAMES)} with --format")

"""Third-party files: a module for each format, with how it is recognised, read and written.

A module `formats/NAME.py` is registered because it is here, and has

    SUMMARY      one line of text
    SUFFIXES     usual ends of the file's name, such as (".vcd",)
    recognises   (path, head) -> bool: whether a file is of this format, from its first 4096 bytes and its name; for a
                 folder, head is empty
    read         (path, options) -> Waveform | NodeLines | Frames, in memory that does not grow with the file
    write        (path, waveform) -> what was rounded, as text; where the format can be written
    LATE         how much it accepts of what may be another format: those with less are asked first; 0 when omitted
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from fractions import Fraction
from pathlib import Path
from types import ModuleType

from gpiorig.capture.errors import FormatError

HEAD_BYTES = 4096
ODD_SHARE = 20  # of this many characters of a text, at most one is damaged or a control code


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """Settings that a file does not contain; None and empty: those of the file, or the format's default.

    Attributes
    ----------
    samplerate_hz
        Samples per second. Times of a file that has a rate of its own are put on the nearest sample of this one.
    unitsize
        Bytes per sample of a raw file.
    channels
        Names of the channels of a file that has none, bit 0 first; of one that has some: which, as names or shell
        patterns.
    columns
        Column of a table by what it holds: "time", "channel", "level", "node"; "unit" of its times and "separator".
    recover
        Read on past damage: what is lost becomes gaps; a file that was cut short is read as far as it goes.
    """

    samplerate_hz: Fraction | None = None
    unitsize: int | None = None
    channels: tuple[str, ...] = ()
    columns: dict[str, str] = field(default_factory=dict)
    recover: bool = False


@functools.cache
def names() -> tuple[str, ...]:
    """Return the names of all formats, the more particular ones before those that accept almost anything."""
    modules = [entry.name for entry in pkgutil.iter_modules(__path__)]
    return tuple(sorted(modules, key=lambda name: (getattr(_load(name), "LATE", 0), name)))


def module(name: str) -> ModuleType:
    """Return the module of a format.

    Raises
    ------
    FormatError
        There is no such format.
    """
    if name not in names():
        raise FormatError(f"there is no format {name!r}", remedy=f"formats are {', '.join(names())}")
    return _load(name)


def recognise(path: Path) -> str:
    """Return the name of a file's format.

    Raises
    ------
    FormatError
        It cannot be read, or is of no known format.
    """
    head = b""
    if not path.is_dir():
        try:
            with path.open("rb") as file:
                head = file.read(HEAD_BYTES)
        except OSError as error:
            raise FormatError(f"cannot be read: {error.strerror}", where=path, remedy="check the name") from error
        if not head:
            raise FormatError("is empty", where=path, remedy="save it again; not even a header was written")
    for name in names():
        if _load(name).recognises(path, head):
            return name
    raise _unknown(path, head)


def _unknown(path: Path, head: bytes) -> FormatError:
    """The refusal of a file of no known format, with what can be done about it by what it looks like."""
    from gpiorig.capture.text.table_columns import refusal

    text = head.decode(errors="replace")
    odd = sum(
        not character.isprintable() and character not in "\t\r\n\x1b" for character in text.replace("\ufffd", "\0")
    )
    if path.is_dir():
        remedy = "it holds no recording.toml and no digital_N.bin of Saleae's; give a file"
    elif ODD_SHARE * odd > len(text):
        remedy = "export it as VCD, CSV or .sr with the program that made it; samples without a header: --format raw"
    elif as_table := refusal(path, head):
        return as_table
    else:
        remedy = (
            "if it is text with times, `gpiorig clocks` and `gpiorig latency` read it by patterns with (?P<host>…) or "
            "(?P<time>…)"
        )
    return FormatError("is in no known format", where=path, remedy=f"{remedy}; `gpiorig info --formats` lists all")


def chosen(known: Sequence[str], wanted: Sequence[str], path: Path) -> tuple[str, ...]:
    """Return the channels that names or shell patterns choose, in their order; all of them if nothing is wanted.

    Raises
    ------
    FormatError
        A name is of no channel, or more are chosen than fit.
    """
    from gpiorig.capture.edges.edges import MAX_CHANNELS

    names = dict.fromkeys(() if wanted else known)
    for name in wanted:
        matches = [other for other in known if other == name] or [other for other in known if fnmatchcase(other, name)]
        if not matches:
            raise FormatError(f"has no channel {name!r}", where=path, remedy=f"its channels are {_some(known)}")
        names.update(dict.fromkeys(matches))
    if len(names) > MAX_CHANNELS:
        raise FormatError(
            f"has {len(names)} channels",
            where=path,
            remedy=f"choose at most {MAX_CHANNELS} with --channels; there are {_some(known)}",
        )
    return tuple(names)


def _some(known: Sequence[str]) -> str:
    return (
        ", ".join(name[:60] for name in known[:20]) + (f" and {len(known) - 20} more" if len(known) > 20 else "")
        or "none"
    )


def _load(name: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{name}")

"""Third-party files: a module for each format, with how it is recognised, read and written.

A module `formats/NAME.py` is registered because it is here, and has

    SUMMARY      one line of text
    SUFFIXES     usual ends of the file's name, such as (".vcd",)
    MAGIC        the bytes that its files begin with, or several of them; or HEADER, a pattern of their begin; or
    recognises   (path, head) -> bool: whether a file is of this format, from its first 4096 bytes and its name; for a
                 folder, head is empty
    read         (path, options) -> Waveform | NodeLines | Frames, in memory that does not grow with the file
    write        (path, waveform) -> what was rounded, as text; where the format can be written
    LATE         how much it accepts of what may be another format: those with less are asked first; 0 when omitted
"""

from __future__ import annotations

import functools
import importlib
import shlex
from pathlib import Path
from types import ModuleType

from gpiorig.capture import format_names
from gpiorig.capture.errors import FormatError

HEAD_BYTES = 4096
ODD_SHARE = 20  # of this many characters of a text, at most one is damaged or a control code


@functools.cache
def names() -> tuple[str, ...]:
    """Return the names of all formats, the more particular ones before those that accept almost anything."""
    return tuple(sorted(format_names.names(), key=lambda name: (getattr(_load(name), "LATE", 0), name)))


def module(name: str) -> ModuleType:
    """Return the module of a format.

    Raises
    ------
    FormatError
        There is no such format.
    """
    return _load(format_names.checked(name))


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
    # A particular format that the file is named after is asked first, so that the others need not be imported.
    by_suffix = path.suffix.removeprefix(".")
    if by_suffix in format_names.names() and not getattr(form := _load(by_suffix), "LATE", 0):
        if _recognises(form, path, head):
            return by_suffix
    for name in names():
        if _recognises(_load(name), path, head):
            return name
    raise _unknown(path, head)


def _recognises(form: ModuleType, path: Path, head: bytes) -> bool:
    if hasattr(form, "recognises"):
        return bool(form.recognises(path, head))
    return head.startswith(form.MAGIC) if hasattr(form, "MAGIC") else form.HEADER.match(head) is not None


def _unknown(path: Path, head: bytes) -> FormatError:
    """The refusal of a file of no known format, with what can be done about it by what it looks like."""
    from gpiorig.capture.binary_header import header, packer
    from gpiorig.capture.text.table_advice import IN_TEXT
    from gpiorig.capture.text.table_columns import refusal

    text = head.decode(errors="replace")
    odd = sum(
        not character.isprintable() and character not in "\t\r\n\x1b" for character in text.replace("\ufffd", "\0")
    )
    if path.is_dir():
        remedy = "it holds no recording.toml and no digital_N.bin of Saleae's; give a file"
    elif name := packer(head):
        remedy = f"it is compressed: unpack it, `{name} -dc {shlex.quote(str(path))} > unpacked`"
    elif ODD_SHARE * odd > len(text) and (name := header(head)):
        remedy = f"it has a header, {name!r}: export it as VCD, CSV or .sr with the program that made it"
    elif ODD_SHARE * odd > len(text):
        remedy = (
            "export it as VCD, CSV or .sr with the program that made it; if it is bare samples, without any header, "
            "give their rate and width, for instance --samplerate 24MHz --unitsize 1"
        )
    elif as_table := refusal(path, head):
        return as_table
    else:
        remedy = IN_TEXT
    return FormatError("is in no known format", where=path, remedy=f"{remedy}; `gpiorig info --formats` lists all")


def _load(name: str) -> ModuleType:
    return importlib.import_module(f"{__name__}.{name}")

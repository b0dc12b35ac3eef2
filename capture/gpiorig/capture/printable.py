"""Text of nodes and files, made fit to be shown: nothing in it moves a cursor, hides, or turns what follows around."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from gpiorig.capture.errors import FormatError

# C0 and C1 with DEL (ISO 6429), line and paragraph separators, and what sets the direction of text (Unicode, UAX 9).
_UNSEEN = "\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069"
_IN_LINES = re.compile(f"[{_UNSEEN}]")
_IN_A_LINE = re.compile(f"[{_UNSEEN}\t\n]")


def printable(text: str) -> str:
    r"""Return text for one line: each control character as ``\u001b``, which JSON reads as that character again."""
    return _IN_A_LINE.sub(_escaped, text)


def one_line(names: Iterable[str], path: Path) -> None:
    """Refuse names of channels that a text header cannot hold.

    Raises
    ------
    FormatError
        One of them has a line end or another control character in it.
    """
    if unfit := next((name for name in names if printable(name) != name), None):
        raise FormatError(
            f"a channel is named {unfit!r}, which the header of this format cannot hold",
            where=path,
            remedy="write Parquet or VCD, or choose other --channels",
        )


def printable_lines(text: str) -> str:
    """As `printable`, of text that may have several lines and tabs."""
    return _IN_LINES.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"

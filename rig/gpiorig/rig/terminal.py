"""What the commands print: text of nodes and files cannot command the terminal that shows it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO

from gpiorig.capture.printable import printable_lines


class Shown:
    r"""A text stream on which control characters are written as ``\u001b``; all else is that of the stream.

    Parameters
    ----------
    stream
        Where to.
    bars
        Whether progress bars are drawn on it: what begins with a carriage return or moves the cursor is theirs, for no
        message of ours begins with text of others there.
    """

    def __init__(self, stream: TextIO, *, bars: bool = False) -> None:
        self.stream, self._bars = stream, bars

    def write(self, text: str) -> int:
        """Write text."""
        if self._bars and text.startswith(("\r", "\x1b[A")):
            return self.stream.write(text)
        return self.stream.write(printable_lines(text))

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)


@contextmanager
def shown() -> Iterator[None]:
    """Make both standard streams such ones, for a while."""
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = Shown(streams[0]), Shown(streams[1], bars=True)
    try:
        yield
    finally:
        sys.stdout, sys.stderr = streams


def unfiltered() -> TextIO:
    """Standard output for text that is fit to be shown, with our own colours in it."""
    return sys.stdout.stream if isinstance(sys.stdout, Shown) else sys.stdout


def verbatim() -> TextIO:
    """Standard output for a format of others, byte for byte where it is a file or a pipe; on a terminal as all else."""
    return sys.stdout if sys.stdout.isatty() else unfiltered()

"""How much a command shows in addition to its result: `-q`, `-v`, or neither. Set once, by the command line."""

from __future__ import annotations

import sys
from dataclasses import dataclass


@dataclass(slots=True)
class Verbosity:
    """What is shown.

    Attributes
    ----------
    quiet
        The result and errors only: no progress, no notes.
    verbose
        Each stage with its time, too.
    """

    quiet: bool = False
    verbose: bool = False


SHOWN = Verbosity()


def note(text: str) -> None:
    """Print what is good to know, on stderr, unless the command is quiet."""
    if not SHOWN.quiet:
        print(text, file=sys.stderr)

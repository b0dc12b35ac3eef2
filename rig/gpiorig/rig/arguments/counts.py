"""Whole numbers on the command line, within bounds."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def count(least: int, most: int | None = None) -> Callable[[str], int]:
    """The type of an option that takes a number of at least `least`, and of at most `most` where that is given."""
    bounds = f"{least} or more" if most is None else f"{least} to {most}"

    def number(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number; give {bounds}") from None
        if value < least or (most is not None and value > most):
            raise argparse.ArgumentTypeError(f"{value} is out of range; give {bounds}")
        return value

    return number

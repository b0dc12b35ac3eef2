"""Regular expressions on the command line."""

from __future__ import annotations

import argparse
import re


def pattern(text: str) -> str:
    """The type of an option that takes one; its groups are checked by what uses it."""
    try:
        re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a regular expression: {error}") from None
    return text

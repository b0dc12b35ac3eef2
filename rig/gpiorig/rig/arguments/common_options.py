"""Options of every command."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add `-q`, `-v` and `-vv`."""
    how_much = parser.add_argument_group("output").add_mutually_exclusive_group()
    how_much.add_argument("-q", "--quiet", action="store_true", help="the result and errors only")
    how_much.add_argument(
        *("-v", "--verbose"),
        action="count",
        default=0,
        help="each stage with its time, on stderr, too; -vv: also the log, with each program that is run",
    )

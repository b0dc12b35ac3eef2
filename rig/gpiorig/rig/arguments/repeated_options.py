"""Options that may be given several times; their values are a list, empty without any."""

from __future__ import annotations

import argparse


def add(parser: argparse.ArgumentParser, option: str, dest: str, metavar: str, summary: str) -> None:
    """Add an option."""
    parser.add_argument(
        option, dest=dest, action="append", default=[], metavar=metavar, help=f"{summary}; may be repeated"
    )


def add_quantities(parser: argparse.ArgumentParser, purpose: str) -> None:
    """Add `--quantity`, with what the command does with it."""
    summary = f"{purpose}, such as 'mac.tx -> mac.rx' (docs/guide/quantities.md)"
    add(parser, "--quantity", "quantities", "NAME", summary)

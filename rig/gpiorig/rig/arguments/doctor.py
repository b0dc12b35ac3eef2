"""The options of `gpiorig doctor`."""

from __future__ import annotations

import argparse
from pathlib import Path

EPILOG = """\
examples:
  gpiorig doctor                              what this machine lacks, and what installs it
  gpiorig doctor bench.toml                   and what it lacks for this bench (bench check --live)
  gpiorig doctor --json

exit status: 0 nothing that is needed is missing, 1 something is, 2 wrong use or a file that cannot be."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    parser.add_argument(
        "bench", nargs="?", type=Path, metavar="BENCH", help="file, or name of one that comes with gpiorig"
    )
    parser.add_argument("--json", action="store_true", help="print requirements and findings as one JSON object")

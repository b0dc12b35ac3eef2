"""The options of `gpiorig verify`."""

from __future__ import annotations

import argparse
from pathlib import Path

EPILOG = """\
examples:
  gpiorig verify run1                         every recorded part, table and figure of run1
  gpiorig verify run1 run2 run3 --json        prints what was found as one JSON object

Tables and figures are derived again in a temporary folder (TMPDIR chooses where), which takes as long as a report.
Status 1: a file differs, is missing, or is one too many. `gpiorig bench verify` is for the leads of a bench."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a verification."""
    parser.add_argument("recordings", type=Path, nargs="+", metavar="RUN", help="recording folders")
    parser.add_argument("--json", action="store_true", help="print every file and its verdict as one JSON object")

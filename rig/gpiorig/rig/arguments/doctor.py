"""The options of `gpiorig doctor`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.arguments import overwriting

EPILOG = """\
examples:
  gpiorig doctor                              what this machine lacks, and what installs it
  gpiorig doctor bench.toml                   and what it lacks for this bench (bench check --live)
  gpiorig doctor --json
  gpiorig doctor bench.toml --bundle issue.zip --recording run1
                                              one archive to send with the report of an issue: nothing private in
                                              it, without samples; shows what is in it before it is written

exit status: 0 nothing that is needed is missing, 1 something is, 2 wrong use or a file that cannot be."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    parser.add_argument(
        "bench", nargs="?", type=Path, metavar="BENCH", help="file, or name of one that comes with gpiorig"
    )
    parser.add_argument("--bundle", type=Path, metavar="FILE", help="write an archive for the report of an issue")
    parser.add_argument(
        "--recording", type=Path, metavar="DIR", help="put the description and the log of a recording into it"
    )
    parser.add_argument("--experiment", type=Path, metavar="FILE", help="put an experiment file into it")
    parser.add_argument("--with-data", action="store_true", help="put samples and serial lines into it, too")
    parser.add_argument("--yes", action="store_true", help="write it without a question")
    overwriting.add_force(parser)
    parser.add_argument("--json", action="store_true", help="print requirements and findings as one JSON object")

"""The options of `gpiorig doctor`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from gpiorig.rig import names
from gpiorig.rig.arguments import overwriting
from gpiorig.rig.errors import RigError

EPILOG = """\
examples:
  gpiorig doctor                              what this machine lacks, and what installs it
  gpiorig doctor --json
  gpiorig doctor --bundle issue.zip --bench bench.toml --recording run1
                                              one archive to send with the report of an issue: nothing private in
                                              it, without samples; shows what is in it before it is written

What a bench lacks is found by `gpiorig bench check BENCH --live`.

exit status: 0 nothing that is needed is missing, 1 something is, 2 wrong use or a file that cannot be."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the verb."""
    parser.add_argument("--bundle", type=Path, metavar="FILE", help="write an archive for the report of an issue")
    parser.add_argument(
        "--bench", type=Path, metavar="BENCH", help="put a bench file, and what `bench check --live` finds, into it"
    )
    parser.add_argument(
        "--recording", type=Path, metavar="DIR", help="put the description and the log of a recording into it"
    )
    parser.add_argument("--experiment", type=Path, metavar="FILE", help="put an experiment file into it")
    parser.add_argument("--with-data", action="store_true", help="put samples and serial lines into it, too")
    parser.add_argument("--yes", action="store_true", help="write it without a question")
    overwriting.add_force(parser)
    parser.add_argument("--json", action="store_true", help="print what is there as one JSON object")


def check(options: argparse.Namespace) -> None:
    """Refuse what does not go together.

    Raises
    ------
    RigError
        Options of the archive without it, an archive that is there, a question that cannot be answered.
    """
    parts = (options.bench, options.recording, options.experiment, options.with_data, options.yes)
    if options.bundle is None and any(parts):
        raise RigError(
            "--bench, --recording, --experiment, --with-data and --yes are of the archive; add --bundle FILE."
        )
    if options.bundle is not None:
        overwriting.check_file(options.bundle, force=options.force)
        if not options.bundle.parent.is_dir():
            folder = options.bundle.parent
            raise RigError(
                f"{options.bundle}: cannot be written: its folder is not there; make the folder {folder} first."
            )
        if options.experiment is not None:
            names.checker("experiment")(options.experiment)
        if not (options.yes or sys.stdin.isatty()):
            raise RigError("--bundle asks before it writes, but standard input is not a terminal; give --yes.")

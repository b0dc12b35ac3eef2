"""The options of `gpiorig queue`."""

from __future__ import annotations

import argparse
from pathlib import Path

EPILOG = """\
examples:
  gpiorig queue run week.toml                 all jobs of a queue file; called again, it resumes
  gpiorig queue run week.toml --retry         try again what was given up or put into quarantine
  gpiorig queue status week                   what is done, what failed and why
  gpiorig queue status week --follow --json   each record as a line of JSON, as it comes

Exit status 1: a run is not complete. docs/guide/unattended.md has the keys of a queue file."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of each action."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    run = actions.add_parser("run", help="work on all jobs; called again, it resumes")
    run.add_argument("file", type=Path, metavar="FILE", help="queue file")
    run.add_argument("--retry", action="store_true", help="try again what was given up or put into quarantine")
    run.add_argument("--json", action="store_true", help="print each record as a line of JSON")
    status = actions.add_parser("status", help="what is done, what failed and why; also while the queue runs")
    status.add_argument("folder", type=Path, metavar="DIR", help="folder of the queue, its `output`")
    status.add_argument("--json", action="store_true", help="print one JSON object; with --follow one for each record")
    status.add_argument("--follow", action="store_true", help="print records as they come, until the queue ends")

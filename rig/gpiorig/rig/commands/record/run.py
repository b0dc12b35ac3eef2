"""The options of `gpiorig run`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.capture.recording import new_folder
from gpiorig.rig.arguments import counts
from gpiorig.rig.experiments.packet_count import MAX_PACKETS

EPILOG = """\
examples:
  gpiorig run demo pingpong -o run1           a bench and an experiment that come with gpiorig, by name
  gpiorig run bench.toml pingpong -o run2 --packets 100 --no-report
  gpiorig run bench.toml experiment.toml -o run3
  gpiorig run bench.toml experiment.toml -o run4 --flash
                                              first put the experiment's images onto boards that hold others
  gpiorig run bench.toml pingpong -o run5 --note 'window open, 3 m apart'

`gpiorig bench list` prints the names. Of a name that is also a file here, the file is taken.
The recording folder holds edges and serial bytes as they came; `gpiorig report` analyses it again at any time."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a run."""
    parser.add_argument("bench", type=Path, metavar="BENCH", help="bench file, or name of one that comes with gpiorig")
    parser.add_argument("experiment", type=Path, metavar="EXPERIMENT", help="experiment file, or name of one")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="recording folder, a new one")
    parser.add_argument(
        "--packets",
        type=counts.count(1, MAX_PACKETS),
        metavar="N",
        help="number of packets, in place of the experiment's",
    )
    parser.add_argument("--flash", action="store_true", help="first flash the boards that do not hold their image")
    parser.add_argument("--note", default="", metavar="TEXT", help="a text that the recording and its report keep")
    parser.add_argument("--no-report", action="store_true", help="record only")
    parser.add_argument("--json", action="store_true", help="print the numbers, or what went wrong, as one JSON object")


def check(options: argparse.Namespace) -> None:
    """Refuse a folder that cannot be a new recording."""
    new_folder.check(options.output)

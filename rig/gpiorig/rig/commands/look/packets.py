"""The options of `gpiorig packets`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.arguments import reading_options
from gpiorig.rig.errors import RigError

EPILOG = """\
examples:
  gpiorig packets run1                        all packets in the order in which they were sent
  gpiorig packets run1 --slowest 10           the ten slowest, and the steps that took longest
  gpiorig packets run1 --slowest 5 --by 'reply: radio wait'
                                              those with the longest step of this name
  gpiorig packets run1 --lost
  gpiorig packets run1 --id 12 --steps 99     all steps of the packet with id 12
  gpiorig packets run1 --csv > packets.csv

A row is a round trip, or a packet that is not part of one: its id, when it was sent (from sample 0), its delay, its
longest steps with the node of each, its status. The tables of `gpiorig report` are read where they are newer than the
recording; otherwise the recording is analysed, and nothing is written. `gpiorig export --pulseview` shows one."""

DEFAULT_STEPS = 3
DEFAULT_COUNT = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Which packets, and in which form."""
    parser.add_argument("recording", type=Path, metavar="RUN", help="recording folder")
    which = parser.add_mutually_exclusive_group()
    for option in ("slowest", "fastest"):
        which.add_argument(
            f"--{option}",
            type=int,
            nargs="?",
            const=DEFAULT_COUNT,
            metavar="N",
            help=f"only the N {option} ({DEFAULT_COUNT})",
        )
    which.add_argument("--lost", action="store_true", help="only those that did not arrive")
    which.add_argument("--id", type=int, metavar="ID", help="only those with this id")
    parser.add_argument("--by", metavar="STEP", help="of --slowest and --fastest: sort by this step, not by the delay")
    parser.add_argument(
        "--steps", type=int, default=DEFAULT_STEPS, metavar="N", help=f"longest steps to show ({DEFAULT_STEPS})"
    )
    reading_options.add_described(parser)
    parser.add_argument("--fresh", action="store_true", help="analyse the recording, whatever tables it has")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object")
    form.add_argument("--csv", action="store_true", help="print a table with a row per packet and step")


def check(options: argparse.Namespace) -> None:
    """Refuse numbers that are too small, and an order of nothing."""
    for option, least in (("slowest", 1), ("fastest", 1), ("steps", 0)):
        number = getattr(options, option)
        if number is not None and number < least:
            raise RigError(f"--{option} {number}: give at least {least}.")
    if options.by and options.slowest is None and options.fastest is None:
        raise RigError("--by sorts the packets of --slowest or --fastest; give one of them.")

"""The options of `gpiorig demo`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.capture.recording.new_folder import DESCRIPTION
from gpiorig.rig.arguments import counts
from gpiorig.rig.errors import RigError
from gpiorig.rig.experiments.packet_count import MAX_PACKETS

EPILOG = """\
examples:
  gpiorig demo                                1000 round trips, recording and report in ./demo
  gpiorig demo --no-backoff -o calm --json    without the radio's random backoff; numbers as JSON
  gpiorig demo --seed 2 --packets 200 -o two

The boards, the radios, the air and the analyzer are virtual: they test the rig and are not a measurement of
hardware. sigrok-cli, the serial ports, decoding and analysis are the real ones."""


DEFAULT_PACKETS = 1000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the demo."""
    parser.add_argument(
        "-o", "--output", type=Path, default=Path("demo"), metavar="DIR", help="recording folder (./demo)"
    )
    parser.add_argument(
        "--packets", type=counts.count(1, MAX_PACKETS), default=DEFAULT_PACKETS, metavar="N", help="round trips (1000)"
    )
    parser.add_argument(
        "--seed", type=counts.count(0, 2**62), default=1, metavar="S", help="seed of everything random (1)"
    )
    parser.add_argument("--no-backoff", action="store_true", help="disable the radio's random CSMA/CA backoff")
    parser.add_argument("--force", action="store_true", help="replace a recording of a virtual bench that is in DIR")
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    parser.add_argument("--json", action="store_true", help="print the numbers as one JSON object")


def check(options: argparse.Namespace) -> None:
    """Refuse to replace a recording without `--force`."""
    if (options.output / DESCRIPTION).exists() and not options.force:
        raise RigError(f"{options.output} holds a recording; give --force to replace it, or -o with another folder.")

"""The options of `gpiorig info`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.arguments import input_options
from gpiorig.rig.errors import RigError

EPILOG = """\
examples:
  gpiorig info run1
  gpiorig info capture.sr --json
  gpiorig info samples.bin --samplerate 24MHz --unitsize 2
  gpiorig info edges.csv --columns time=t,unit=us,channel=pin,level=state
  gpiorig info export/                        Saleae's digital_0.bin, digital_1.bin, …
  gpiorig info --formats                      what can be read and written"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of an inspection."""
    parser.add_argument("file", type=Path, nargs="?", metavar="FILE|RUN", help="a file, or a recording folder")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--formats", action="store_true", help="list the formats, and leave")
    input_options.add_arguments(parser)


def check(options: argparse.Namespace) -> None:
    """Refuse a call without a file."""
    if options.file is None and not options.formats:
        raise RigError("give a file or a recording folder; gpiorig info --help has examples.")

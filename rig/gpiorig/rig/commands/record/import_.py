"""The options of `gpiorig import`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.capture.recording import new_folder
from gpiorig.rig.arguments import input_options, places

EPILOG = """\
examples:
  gpiorig import capture.sr -o run1
  gpiorig import dump.vcd -o run1 --samplerate 24MHz      times are put on the nearest sample
  gpiorig import samples.bin -o run1 --samplerate 24MHz --channels strobe,d0,d1
  gpiorig import a.sr b.vcd node.log -o run1              one time base: by epoch, else by sample 0
  gpiorig import test_1234/gpiotracing.csv test_1234/serial.csv -o run1

`gpiorig info --formats` lists what can be read; docs/guide/files.md lists what is assumed and rounded."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of an import."""
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="of any format, of one time base")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="RUN", help="a new recording folder")
    input_options.add_arguments(parser)


def check(options: argparse.Namespace) -> None:
    """Refuse a file that is not there, and a folder that cannot be a new recording."""
    for path in options.files:
        places.file(path)
    new_folder.check(options.output)

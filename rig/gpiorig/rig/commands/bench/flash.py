"""The options of `gpiorig flash`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.arguments import counts

EPILOG = """\
examples:
  gpiorig flash bench.toml                    every node with the image that the bench file names, or the reference
                                              firmware of its board
  gpiorig flash bench.toml responder --firmware responder=my.elf
  gpiorig flash bench.toml --only-different   read each board first, and leave those that hold their image
  gpiorig flash bench.toml --dry-run          print the commands

A board is flashed only if the adapter that `debug` names is there, and the chip is the board file's. What was written
is read back.

exit status: 0 every node holds its image, 1 one does not, 2 wrong use or a file that cannot be."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of flashing."""
    parser.add_argument("bench", type=Path, metavar="BENCH", help="bench file of real boards, or of a served bench")
    parser.add_argument("nodes", nargs="*", metavar="NODE", help="nodes to flash (all)")
    parser.add_argument(
        "--experiment", type=Path, metavar="FILE", help="flash the kernel and probes that this experiment runs with"
    )
    parser.add_argument(
        "--firmware", action="append", default=[], metavar="NODE=ELF", help="image of a node, in place of its own"
    )
    parser.add_argument("--only-different", action="store_true", help="leave boards that hold their image already")
    parser.add_argument(
        "--attempts", type=counts.count(1), default=2, metavar="N", help="how often a board is tried (2)"
    )
    parser.add_argument("--dry-run", action="store_true", help="print the commands, and carry out none")
    parser.add_argument("--json", action="store_true", help="print the results as one JSON object")

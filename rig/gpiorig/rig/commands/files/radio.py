"""The options of `gpiorig radio`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.arguments import input_options

EPILOG = """\
examples:
  gpiorig radio spi1                       frames of all nodes whose SPI lines are in the bench file
  gpiorig radio spi1 --node initiator --json
  gpiorig radio spi1 --transfers           every access, byte by byte
  gpiorig radio capture.sr --chip cc2420 --lines clk=SCK,mosi=SI,miso=SO,select=CSn

Registers, commands and states are shown by the sigrok decoders (docs/guide/decoders.md)."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the listing."""
    parser.add_argument("file", type=Path, metavar="FILE|RUN", help="a capture of a known format, or a recording")
    parser.add_argument("--node", help="only this node of a recording")
    parser.add_argument("--chip", help="of a file: at86rf2xx, cc2420 or spirit1; not needed for --transfers")
    parser.add_argument("--lines", metavar="clk=NAME,…", help="of a file: the channels clk, mosi, miso, select")
    parser.add_argument("--transfers", action="store_true", help="transfers in place of frames")
    input_options.add_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")

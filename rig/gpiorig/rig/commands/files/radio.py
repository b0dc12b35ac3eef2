"""The options of `gpiorig radio`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.arguments import input_options, places
from gpiorig.rig.errors import RigError
from gpiorig.rig.recordings import radio_decoders

EPILOG = """\
examples:
  gpiorig radio spi1                       frames of all nodes whose SPI lines are in the bench file
  gpiorig radio spi1 --node initiator --json
  gpiorig radio spi1 --transfers           every access, byte by byte
  gpiorig radio capture.sr --chip cc2420 --lines clk=SCK,mosi=SI,miso=SO,select=CSn

Registers, commands and states are shown by the sigrok decoders (docs/guide/decoders.md)."""


LINES = ("clk", "mosi", "miso", "select")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the listing."""
    parser.add_argument("file", type=Path, metavar="FILE|RUN", help="a capture of a known format, or a recording")
    parser.add_argument("--node", help="only this node of a recording")
    parser.add_argument("--chip", help="of a file: the radio's sigrok decoder, such as cc2420; not for --transfers")
    parser.add_argument("--lines", metavar="clk=NAME,…", help="of a file: the channels clk, mosi, miso, select")
    parser.add_argument("--transfers", action="store_true", help="transfers in place of frames")
    input_options.add_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def check(options: argparse.Namespace) -> None:
    """Refuse lines and a chip of a recording, and a file without them.

    Raises
    ------
    RigError
        One of these, an unknown line, or an unknown chip.
    """
    places.file(options.file)
    if options.file.is_dir():
        if options.chip or options.lines:
            raise RigError(f"{options.file} is a recording: its bench file states which lines there are; omit --lines.")
        return
    if not options.lines or (options.chip is None and not options.transfers):
        raise RigError(f"{options.file}: give --lines clk=…,mosi=…,miso=…,select=… and --chip (or --transfers).")
    lines = channels_of(options.lines)
    if "clk" not in lines or "select" not in lines:
        raise RigError("--lines: clk and select are needed.")
    if options.chip is not None:
        radio_decoders.load(options.chip)


def channels_of(text: str) -> dict[str, str]:
    """The channel of each line, of ``clk=NAME,…``; raises `RigError`."""
    channels = {}
    for word in text.split(","):
        line, equals, channel = word.partition("=")
        if line not in LINES or not equals:
            raise RigError(f"--lines: `{word}`: write LINE=CHANNEL; lines are {', '.join(LINES)}.")
        channels[line] = channel
    return channels

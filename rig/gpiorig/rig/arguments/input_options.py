"""Options of every command that reads a third-party file: what the file does not contain."""

from __future__ import annotations

import argparse

from gpiorig.capture import format_names
from gpiorig.capture.numbers import parse_samplerate
from gpiorig.rig.arguments import counts
from gpiorig.rig.errors import RigError
from gpiorig.rig.recordings import table_columns

TIME_UNITS = ("s", "ms", "us", "ns")
LEAST_HZ = 1000  # of a samplerate without a unit: below it MHz may be meant


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--format", type=format_names.checked, metavar="NAME", help="format of the files; detected if omitted"
    )
    add_contents(parser)


def add_contents(parser: argparse.ArgumentParser) -> None:
    """Add those but for the format, which is detected."""
    parser.set_defaults(format=None)
    parser.add_argument(
        "--samplerate",
        type=samplerate,
        metavar="RATE",
        help="such as 24MHz: of a file that names none; puts times on its samples",
    )
    parser.add_argument("--unitsize", type=counts.count(1), metavar="BYTES", help="bytes per sample of a raw file")
    parser.add_argument(
        "--channels",
        metavar="NAME,…",
        help="names of the channels where the file has none; otherwise, which (a* works)",
    )
    parser.add_argument(
        "--columns",
        type=_columns,
        metavar="WHAT=NAME,…",
        help="columns of a table: time, channel, level, node, or levels (all in one field) and group; also unit=us and "
        "separator=; (put it last or alone)",
    )
    parser.add_argument("--recover", action="store_true", help="read on past damage; what is lost becomes gaps")


def samplerate(text: str) -> str:
    """The text of a samplerate, if it is one; else `FormatError`, or `RigError` for a low one without a unit."""
    parse_samplerate(text)
    if text.strip().isdecimal() and int(text) < LEAST_HZ:
        raise RigError(f"--samplerate {text}: is {text} Hz without a unit; write {text}MHz, or {text}Hz.")
    return text


def whole_samplerate(text: str) -> int:
    """A samplerate in Hz; raises `RigError` for one that sigrok does not take."""
    rate = parse_samplerate(samplerate(text))
    if rate.denominator != 1:
        raise RigError(f"--samplerate {text}: sigrok takes whole samples per second")
    return int(rate)


def _columns(text: str) -> str:
    """The text of `--columns`, if it is understood; else `RigError`."""
    table_columns.columns(text)
    return text

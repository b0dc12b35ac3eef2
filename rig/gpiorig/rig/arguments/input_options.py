"""Options of every command that reads a third-party file: what the file does not contain."""

from __future__ import annotations

import argparse

TIME_UNITS = ("s", "ms", "us", "ns")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--format", metavar="NAME", help="format of the files; detected if omitted")
    add_contents(parser)


def add_contents(parser: argparse.ArgumentParser) -> None:
    """Add those but for the format, which is detected."""
    parser.set_defaults(format=None)
    parser.add_argument(
        "--samplerate", metavar="RATE", help="such as 24MHz: of a file that names none; puts times on its samples"
    )
    parser.add_argument("--unitsize", type=int, metavar="BYTES", help="bytes per sample of a raw file")
    parser.add_argument(
        "--channels",
        metavar="NAME,…",
        help="names of the channels where the file has none; otherwise, which (a* works)",
    )
    parser.add_argument(
        "--columns",
        metavar="WHAT=NAME,…",
        help="columns of a table: time, channel, level, node, or levels (all in one field) and group; also unit=us and "
        "separator=; (put it last or alone)",
    )
    parser.add_argument("--recover", action="store_true", help="read on past damage; what is lost becomes gaps")

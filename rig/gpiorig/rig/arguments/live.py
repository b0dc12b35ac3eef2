"""The options of `gpiorig live`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.arguments import times

EPILOG = """\
examples:
  gpiorig capture --bench bench.toml -o run1 &    and, meanwhile:
  gpiorig live run1                               a table that is drawn again every 2 s
  gpiorig live run1 --interval 10s --json         a line of JSON every 10 s
  gpiorig live run1 --window 5m --settle 10s      slow packets: count them 10 s after they were sent

It reads the recording as it grows, and leaves the capture alone. It ends with the capture; Ctrl-C ends only it.
docs/guide/live.md describes the table.

exit status: 0 the recording is complete, 1 it is incomplete or was interrupted, 2 wrong use, 130 Ctrl-C."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to watch, and how often."""
    parser.add_argument("recording", type=Path, metavar="RUN", help="recording folder; its capture runs")
    parser.add_argument("--interval", type=times.duration, default="2s", metavar="TIME", help="between updates (2s)")
    parser.add_argument(
        "--window",
        type=times.duration,
        default="30s",
        metavar="TIME",
        help="time that recent delays and rates are of (30s)",
    )
    parser.add_argument(
        "--settle",
        type=times.duration,
        default="2s",
        metavar="TIME",
        help="time after which a packet that did not arrive is lost (2s)",
    )
    parser.add_argument("--json", action="store_true", help="a line of JSON per update")

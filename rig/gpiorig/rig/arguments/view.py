"""The options of `gpiorig view`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.arguments import reading_options

EPILOG = """\
examples:
  gpiorig view run1 --open              the page of its report, with any packet and any window of edges
  gpiorig view run1 run2                two runs; the page of each, and that of their difference
  gpiorig capture --bench bench.toml -o run3 &    and, meanwhile:
  gpiorig view run3 --open              the packets so far, and each further one every 2 s
  gpiorig view own --bench bench.toml   a recording whose channels are named as in the file (node.line)
  gpiorig view run1 --perfetto          its trace in the Perfetto UI (a page of the internet)

It prints the address, and serves until Ctrl-C: on this machine only. docs/guide/view.md describes the page.

exit status: 0 ended by Ctrl-C, 2 wrong use or bad input."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is shown, and where."""
    parser.add_argument("recordings", type=Path, nargs="+", metavar="RUN", help="recording folders")
    reading_options.add_described(parser)
    reading_options.add_asked(parser)
    parser.add_argument("--port", type=int, metavar="N", help="TCP port on 127.0.0.1 (any free one)")
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    parser.add_argument(
        "--perfetto", action="store_true", help="serve the trace of one run, and open it in the Perfetto UI"
    )

"""The options of `gpiorig bench plan`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.arguments import input_options, overwriting, times

EPILOG = """\
examples:
  gpiorig bench plan 2xnrf52840dk             two boards: which analyzers do it, and what they resolve
  gpiorig bench plan 2xnrf52840dk --resolution 50ns --duration 10m
                                              which analyzer shows a delay to ± 50 ns, for ten minutes?
  gpiorig bench plan 2xnrf52840dk --analyzer fx2lafw -o bench.toml --drawing wiring.svg
                                              the bench file of one of them, and a page to print and wire by
  gpiorig bench plan client=iotlab-m3 server=telosb --lines tap.frame_timestamp,client:uart_tx
  gpiorig bench plan 6xiotlab-m3 --width 1    more boards than channels: several analyzers and a sync line
  gpiorig bench plan 2xtelosb --events app,mac,radio
                                              fewer events: what do the probes take?

exit status: 0 done, 1 no analyzer does it, 2 wrong use or a board that has no description."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add them."""
    parser.epilog = EPILOG
    parser.add_argument(
        "nodes", nargs="+", metavar="NODE", help="a board, NAME=BOARD, or 2xBOARD; BOARD is a name, or a board file"
    )
    parser.add_argument(
        "--lines",
        type=_words,
        metavar="[NODE:]LINE,…",
        help="lines next to the bus (default: tap.irq, tap.frame_timestamp, tap.tx_active, where there are pins)",
    )
    parser.add_argument(
        "--width",
        type=int,
        choices=(0, 1, 2, 4, 8),
        help="data lines of each symbol bus, 0: none (default: the board's own, fewer where channels are short)",
    )
    parser.add_argument(
        "--events", type=_words, metavar="GROUP,…", help="groups of events in the images (default: all usual ones)"
    )
    parser.add_argument(
        "--resolution", type=times.positive, metavar="TIME", help="the most that ± (k = 2) of a delay may be"
    )
    parser.add_argument(
        "--delay", type=times.positive, default="100us", metavar="TIME", help="of a delay this long (default: 100us)"
    )
    parser.add_argument(
        "--duration", type=times.positive, default="20s", metavar="TIME", help="of a recording (default: 20s)"
    )
    parser.add_argument(
        "--interval",
        type=times.positive,
        default="20ms",
        metavar="TIME",
        help="from one round trip to the next, for the space on the disk (default: 20ms)",
    )
    parser.add_argument(
        "--samplerate",
        type=input_options.whole_samplerate,
        metavar="RATE",
        help="in place of what follows, such as 24MHz",
    )
    parser.add_argument("--sync", action="store_true", help="a channel for a sync line also where one analyzer does it")
    parser.add_argument(
        "--one-shot", action="store_true", help="recordings of a known length: analyzers that need not stream"
    )
    parser.add_argument(
        "--analyzer", metavar="NAME", help="of the analyzers that are listed (default: the first that does it)"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the bench file there")
    parser.add_argument(
        "--drawing", type=Path, metavar="FILE.svg", help="write the wiring there; FILE-la1.svg … of several analyzers"
    )
    overwriting.add_force(parser)
    parser.add_argument("--json", action="store_true", help="print the plan as one JSON object")


def _words(text: str) -> tuple[str, ...]:
    return tuple(word for word in text.replace(" ", "").split(",") if word)

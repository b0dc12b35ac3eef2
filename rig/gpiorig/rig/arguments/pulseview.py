"""The options of `gpiorig pulseview`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.arguments import overwriting, reading_options, times

EPILOG = """\
examples:
  gpiorig pulseview run1 --packet 12 --open   the round trip of the packet with id 12, in PulseView
  gpiorig pulseview run1 --packet 12 --zoom responder --open
                                              zoomed to what the responder did with it
  gpiorig pulseview run1 --packet slowest     writes packet-slowest.sr and packet-slowest.pvs; also
                                              typical, fastest
  gpiorig pulseview run1 --around 1200000sa --margin 500us -o w.sr
                                              500 us on both sides of a sample
  gpiorig pulseview run1 --from 240000sa --to 0.02s -o w2.sr

The .sr file has the window's samples, the .pvs file next to it the decoders, colours, markers and zoom; PulseView loads
both with `pulseview -D -c -i w.sr`. It needs our decoders: `gpiorig decode --install` (--open does without)."""


DEFAULT_MARGIN = "100us"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a slice."""
    parser.add_argument("recording", type=Path, metavar="RUN", help="recording folder")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--packet", metavar="ID", help="a packet's round trip: its id, typical, fastest or slowest")
    which.add_argument("--around", type=times.instant, metavar=times.INSTANT, help="what lies around this instant")
    which.add_argument(
        "--from", dest="begin", type=times.instant, metavar=times.INSTANT, help="first instant; with --to"
    )
    parser.add_argument("--zoom", choices=("sending", "responder", "receiving"), help="what of a packet to show first")
    parser.add_argument("--cursors", action="store_true", help="cursors on the round trip in place of markers")
    parser.add_argument(
        "--to", dest="end", type=times.instant, metavar=times.INSTANT, help="where to end; of samples one past the last"
    )
    parser.add_argument(
        "--margin",
        type=times.duration,
        default=DEFAULT_MARGIN,
        metavar="TIME",
        help=f"time before and after a packet or an instant ({DEFAULT_MARGIN})",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE.sr", help="in place of packet-ID.sr or window.sr")
    overwriting.add_force(parser)
    reading_options.add_described(parser)
    parser.add_argument("--open", action="store_true", help="start PulseView on it, and wait for its end")

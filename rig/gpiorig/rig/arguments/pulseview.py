"""The options of `gpiorig pulseview`."""

from __future__ import annotations

import argparse
from pathlib import Path

EPILOG = """\
examples:
  gpiorig pulseview run --packet 12 --open    the round trip of the packet with id 12, in PulseView
  gpiorig pulseview run --packet 12 --zoom responder --open
                                              zoomed to what the responder did with it
  gpiorig pulseview run --packet slowest      writes packet-slowest.sr and packet-slowest.pvs; also
                                              typical, fastest
  gpiorig pulseview run --around 1200000 --margin-us 500 -o w.sr
                                              500 us on both sides of a sample
  gpiorig pulseview run --from-sample 240000 --to-sample 480000 -o w.sr

The .sr file has the window's samples, the .pvs file next to it the decoders, colours, markers and zoom; PulseView loads
both with `pulseview -D -c -i w.sr`. It needs our decoders: `gpiorig decoders install` (--open does without)."""


DEFAULT_MARGIN_US = 100


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a slice."""
    parser.add_argument("recording", type=Path, metavar="RUN", help="recording folder")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--packet", metavar="ID", help="a packet's round trip: its id, typical, fastest or slowest")
    which.add_argument("--around", type=int, metavar="N", help="what lies around this sample")
    which.add_argument("--from-sample", type=int, metavar="N", help="first sample; with --to-sample")
    parser.add_argument("--zoom", choices=("sending", "responder", "receiving"), help="what of a packet to show first")
    parser.add_argument("--cursors", action="store_true", help="cursors on the round trip in place of markers")
    parser.add_argument("--to-sample", type=int, metavar="N", help="one past the last sample")
    parser.add_argument(
        "--margin-us",
        type=int,
        default=DEFAULT_MARGIN_US,
        metavar="US",
        help=f"time before and after a packet or a sample ({DEFAULT_MARGIN_US})",
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE.sr", help="in place of packet-ID.sr or window.sr")
    parser.add_argument("--open", action="store_true", help="start PulseView on it, and wait for its end")

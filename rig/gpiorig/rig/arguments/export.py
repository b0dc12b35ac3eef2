"""The options of `gpiorig export`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.arguments import input_options, overwriting, reading_options, times

EPILOG = """\
examples:
  gpiorig export run1 -o run1.sr              all of the recording, for PulseView and sigrok-cli
  gpiorig export run1 -o p12.sr --packet 12   the round trip of the packet with id 12, and 100 us around it
  gpiorig export run1 -o slow.sr --packet slowest
  gpiorig export run1 -o w.vcd --from 1.2s --to 1.25s --channels 'initiator.*'
  gpiorig export run1 -o run1.pftrace         layers, packets and their flows, for ui.perfetto.dev
  gpiorig export spi1 -o spi1.pcapng          frames with their time on the air, for Wireshark, of a recording with
                                              the radios' SPI lines
  gpiorig export run1 -o steps.parquet --table steps
  gpiorig export capture.sr -o edges.parquet  a file as another

Then, with the decoder of this project (Debian's PulseView 0.4.2 does the same):
  SIGROKDECODE_DIR=decoders sigrok-cli -i p12.sr -A gpio_probe \\
      -P gpio_probe:strobe=initiator.strobe:d0=initiator.d0:d1=initiator.d1:width=2

docs/guide/files.md lists which format is for which tool, and what each rounds."""


_TABLES = (
    *("edges", "events", "damaged", "unattributed", "packets", "hops", "transmissions", "receptions"),
    *("round_trips", "timelines", "steps", "quantities"),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of an export."""
    parser.add_argument("source", type=Path, metavar="RUN|FILE", help="recording folder, or a file of any known format")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="its ending gives the format")
    parser.add_argument("--as", dest="written_as", metavar="NAME", help="the format, where the ending does not give it")
    parser.add_argument(
        "--table", choices=_TABLES, default="edges", help="what a .parquet, .arrow or .csv holds (edges)"
    )
    parser.add_argument(
        "--packet",
        metavar="ID",
        help="only the round trip of this packet (the first of that id); or typical, fastest, slowest",
    )
    parser.add_argument(
        "--from",
        dest="begin",
        type=times.instant,
        metavar=times.INSTANT,
        help="first instant, such as 1.25s, 300us from sample 0, or 240000sa",
    )
    parser.add_argument(
        "--to", dest="end", type=times.instant, metavar=times.INSTANT, help="where to end; of samples one past the last"
    )
    input_options.add_contents(parser)
    overwriting.add_force(parser)
    reading_options.add_described(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")

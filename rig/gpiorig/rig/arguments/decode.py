"""The options of `gpiorig decode`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.arguments import input_options, overwriting

EPILOG = """\
examples:
  gpiorig decode run1 -P uart:rx=initiator.uart_tx -A uart=rx-data --samplenum
  gpiorig decode capture.sr -P spi:clk=SCK:mosi=MOSI:miso=MISO:cs=CS,at86rf2xx -A at86rf2xx
  gpiorig decode capture.sr -P i2c:scl=0:sda=1 -P i2c:scl=2:sda=3 -o all.parquet
  gpiorig decode run1 -P gpio_probe:strobe=responder.strobe:d0=responder.d0:d1=responder.d1:width=2 \\
      -B gpio_probe=events > events.bin

Runs the decoders that sigrok-cli and PulseView run, from where they look for them (SIGROKDECODE_DIR,
~/.local/share/libsigrokdecode/decoders, /usr/share/libsigrokdecode/decoders) and from gpiorig's own, and prints what
sigrok-cli prints.
Of a recording, sigrok's `uart` on a node's uart_tx takes the baud rate of that node's board where none is given.
A decoder that raises an exception is reported on stderr; what it gave before that stands.

exit status: 0 done, 1 a decoder failed, 2 wrong use or bad input."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of decoding."""
    parser.add_argument("file", type=Path, metavar="FILE|RUN", help="a capture of any known format, or a recording")
    parser.add_argument(
        "-P",
        "--protocol-decoders",
        dest="stacks",
        action="append",
        required=True,
        metavar="STACK",
        help="decoders from the bottom up, with channels and options: spi:clk=SCK:mosi=MOSI,at86rf2xx; repeatable",
    )
    parser.add_argument(
        "-A", "--annotations", metavar="DECODER[=CLASS:…],…", help="only these annotations, by class or row"
    )
    parser.add_argument(
        "-B", "--binary", metavar="DECODER[=CLASS],…", help="write the decoder's bytes to stdout instead"
    )
    parser.add_argument("-M", "--meta", metavar="DECODER,…", help="print the decoder's values instead")
    parser.add_argument(
        "--python", metavar="DECODER,…", help="with --json or -o: also what the decoder hands to the one above"
    )
    parser.add_argument("--samplenum", action="store_true", help="print first and last sample before each annotation")
    parser.add_argument("--json", action="store_true", help="print one JSON object per output")
    parser.add_argument(
        "-o", "--output", type=Path, metavar="FILE", help="write a table: .parquet, .csv or .jsonl; all kinds of output"
    )
    overwriting.add_force(parser)
    input_options.add_arguments(parser)

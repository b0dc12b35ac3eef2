"""The options of `gpiorig clocks`."""

from __future__ import annotations

import argparse
from fractions import Fraction
from pathlib import Path

from gpiorig.capture.recording.new_folder import DESCRIPTION
from gpiorig.rig.arguments import input_options, overwriting, patterns, places, times, written_files
from gpiorig.rig.errors import RigError

EPILOG = """\
examples:
  gpiorig clocks iotlab.log --pattern 'now=(?P<node_time_us>\\d+)' --figure clocks.svg
  gpiorig clocks serial.csv --pattern 't=(?P<node_time>\\d+)' --tick-hz 32768 --bits 16 --boot 'Starting'
  gpiorig clocks any.txt --pattern '^(?P<host>[\\d.]+) (?P<node>\\S+) \\[(?P<node_time_ms>\\d+)\\]' --json
  gpiorig clocks run1 --pattern 'rx_us=(?P<node_time_us>\\d+)'   a recording: the recorder's stamps
  gpiorig clocks run1                                            a recording: stamps of the nodes against the pins

Named groups: `node_time` (or `ticks`), a number; `host` (or `time`), where the format of the log has no stamp of its
own; `node`, where its format names no node. A unit may end the name of a group (_s, _ms, _us, _ns). Without one, the
host counts seconds, and of a node the usual rate within 5 % of what is seen is taken, with a note. Numbers with 0x
are hexadecimal; those without it, if the name of the group ends in _hex. Without a group for its time, `node` holds
it. A pattern is looked for in the text of the node, then in the complete line. --boot may have a group `node`, too.

ppm > 0: the node's clock is fast. Stamps of a host can only be late; two fits are printed, through the middle of the
stamps and below all of them. Exit status 1: no clock could be fitted, or one does not follow the reference."""


MAX_BITS = 62


MAX_SLACK_S = 1e9


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument("log", type=Path, metavar="LOG|RUN", help="a log of a known format, any text, or a recording")
    parser.add_argument(
        "--pattern", type=patterns.pattern, metavar="REGEX", help="finds the timestamps in a line, by named groups"
    )
    parser.add_argument(
        "--boot", type=patterns.pattern, metavar="REGEX", help="a line that reports that its node booted"
    )
    unit = "of the node's time"
    parser.add_argument("--time-unit", dest="node_unit", choices=input_options.TIME_UNITS, help=unit)
    parser.add_argument("--tick-hz", type=_rate, metavar="RATE", help="ticks of the node's time per second: 32768")
    parser.add_argument("--host-unit", choices=input_options.TIME_UNITS, default="s", help="of the group `host` (s)")
    parser.add_argument(
        "--bits", type=_bits, metavar="N", help="of the node's timer; 0: it never wraps; default: found out"
    )
    parser.add_argument(
        "--slack", type=_slack, default="1s", metavar="TIME", help="by how much a host may be late (1s)"
    )
    parser.add_argument("--node", action="append", default=[], metavar="NODE", help="only this node; repeatable")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="residuals over time: .svg, .png, .pdf")
    overwriting.add_force(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    input_options.add_arguments(parser)


def _rate(text: str) -> Fraction:
    try:
        rate = Fraction(text)
    except (ValueError, ZeroDivisionError):
        rate = Fraction(0)
    if rate <= 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a rate; give ticks per second, such as 32768 or 1e6")
    return rate


def _bits(text: str) -> int:
    if not text.isdecimal() or int(text) > MAX_BITS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of bits; give 16, 24, 32 or so, or 0")
    return int(text)


def _slack(text: str) -> Fraction:
    slack_s = times.duration(text)
    if slack_s > MAX_SLACK_S:
        raise argparse.ArgumentTypeError(f"{text!r} is longer than {MAX_SLACK_S:g}s; give 1s, 50ms or so")
    return slack_s


def check(options: argparse.Namespace) -> None:
    """Refuse a figure that cannot be written, and what is neither a recording nor comes with a pattern: `RigError`."""
    written_files.check("--figure", options.figure, written_files.FIGURES)
    places.file(options.log)
    if options.pattern is None and not (options.log / DESCRIPTION).exists():
        raise RigError(
            f"{options.log}: is not a recording; give --pattern, with the group node_time, to find timestamps in it."
        )

"""The options of `gpiorig serial`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.capture.recording import new_folder
from gpiorig.rig.arguments import counts, times
from gpiorig.rig.errors import RigError

EPILOG = """\
examples:
  gpiorig serial run1                               all nodes' lines of a recording, in the order of their stamps
  gpiorig serial run1 --follow --node responder     while it is recorded
  gpiorig serial /dev/ttyUSB1 ping=/dev/ttyUSB3     live; type `text` for all nodes, `ping;text` for one
  gpiorig serial bench.toml -o log1                 the ports of a bench, recorded with a timestamp for each read
  gpiorig serial m3-1=socket://m3-1:20000 -o log2   an IoT-LAB node, on the site's SSH frontend
  gpiorig serial run1 --iotlab > run1.log           in the format of IoT-LAB's serial_aggregator
  gpiorig serial run1 --aggregator > other.log      with the stamps that the aggregator would have put
  gpiorig serial run1 --aggregator --audit          how wrong those would have been
  gpiorig serial run1 --pins                        the lines on the nodes' TX pins, with the end of the last stop bit
  gpiorig serial run1 --pins --audit                how much later the recorder had them

A port that is unplugged is opened again when it is back. Live, the exit status is 1 when bytes are known to be lost."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What to show, and how."""
    parser.add_argument(
        "source", nargs="+", metavar="RUN|BENCH.toml|[NODE=]PORT", help="a recording, a bench file, or ports"
    )
    parser.add_argument("--node", action="append", default=[], metavar="NODE", help="only this node; repeatable")
    parser.add_argument(
        "-b", "--baudrate", type=counts.count(1), metavar="N", help="of ports (115200), or of pins (the board's)"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="record the ports: a new folder")
    parser.add_argument(
        "--duration", type=times.duration, metavar="TIME", help="stop after this time, such as 90s or 10m; else Ctrl-C"
    )
    parser.add_argument("--send", action="append", default=[], metavar="TEXT", help="send it first; repeatable")
    parser.add_argument("--follow", action="store_true", help="continue while the recording is written")
    parser.add_argument("--pins", action="store_true", help="lines as the analyzer saw them on `uart_tx`")
    parser.add_argument("--absolute", action="store_true", help="seconds since 1970, not since the first line")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object for each line")
    form.add_argument("--iotlab", action="store_true", help="the aggregator's format, with our timestamps")
    form.add_argument("--aggregator", action="store_true", help="the aggregator's format and its timestamps, replayed")
    parser.add_argument(
        "--print-cost", type=times.duration, metavar="TIME", help="what a line costs it (measured here if absent)"
    )
    parser.add_argument("--audit", action="store_true", help="with --aggregator or --pins: print the error, as JSON")


def is_of_recording(options: argparse.Namespace) -> bool:
    """Whether the one source is a folder."""
    return len(options.source) == 1 and Path(options.source[0]).is_dir()


def check(options: argparse.Namespace) -> None:
    """Refuse what is of recordings for ports, and a folder that cannot be a new recording.

    Raises
    ------
    RigError, RecordingError
        One of these.
    """
    if not is_of_recording(options) and (options.aggregator or options.follow or options.pins):
        raise RigError("--aggregator, --pins and --follow are for a recording; record the ports first, with -o.")
    if options.output is not None:
        new_folder.check(options.output)

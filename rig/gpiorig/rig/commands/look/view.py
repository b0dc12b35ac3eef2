"""The options of `gpiorig view`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.arguments import input_options, reading_options, times
from gpiorig.rig.errors import RigError

EPILOG = """\
examples:
  gpiorig view run1 --open              the page of its report, with any packet and any window of edges
  gpiorig view run1 run2                two runs; the page of each, and that of their difference
  gpiorig capture --bench bench.toml -o run3 &    and, meanwhile:
  gpiorig view run3 --open              the packets so far, and each further one every 2 s
  gpiorig view run3 --follow            the same as a table in this terminal, drawn again every 2 s
  gpiorig view run3 --follow --interval 10s --json          a line of JSON every 10 s
  gpiorig view run3 --follow --window 5m --settle 10s       slow packets: count them 10 s after they were sent
  gpiorig view own --bench bench.toml   a recording whose channels are named as in the file (node.line)
  gpiorig view capture.sr --open        the channels of a capture of any tool: edges, pulses, cursors
  gpiorig view capture.sr -P uart:rx=D0    with rows of a sigrok decoder beneath them
  gpiorig view run1 --perfetto          its trace in the Perfetto UI (a page of the internet)

It prints the address, and serves until Ctrl-C: on this machine only. docs/guide/view.md describes the page.
--follow reads the recording as it grows, and leaves the capture alone. It ends with the capture; Ctrl-C ends only it.
docs/guide/live.md describes the table.

exit status: 0 ended by Ctrl-C, 2 wrong use or bad input; of --follow 0 the recording is complete, 1 it is incomplete
or was interrupted, 130 Ctrl-C."""

MIN_INTERVAL_S = 0.1
MAX_PORT = 65_535
OF_PAGE = ("port", "open", "perfetto", "assertions", "quantities", "bench", "initiator", "responder", "stacks")
OF_FOLLOW = ("interval", "window", "settle", "json")
SPELLED = {"assertions": "assert", "quantities": "quantity", "stacks": "protocol-decoders"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """What is shown, and where."""
    parser.add_argument(
        "recordings", type=Path, nargs="+", metavar="RUN|FILE", help="recordings, or captures of any known format"
    )
    reading_options.add_described(parser)
    reading_options.add_asked(parser)
    parser.add_argument(
        "-P",
        "--protocol-decoders",
        dest="stacks",
        action="append",
        metavar="STACK",
        help="rows of a sigrok decoder's annotations beneath the channels, as of `gpiorig decode`; repeatable",
    )
    input_options.add_arguments(parser)
    parser.add_argument("--port", type=int, metavar="N", help="TCP port on 127.0.0.1 (any free one)")
    parser.add_argument("--open", action="store_true", help="open the page in a browser")
    parser.add_argument(
        "--perfetto", action="store_true", help="serve the trace of one run, and open it in the Perfetto UI"
    )
    follow = parser.add_argument_group("in the terminal")
    follow.add_argument("--follow", action="store_true", help="print the results of a capture while it runs")
    for option, summary in (
        ("interval", "between updates (2s)"),
        ("window", "time that recent delays and rates are of (30s)"),
        ("settle", "time after which a packet that did not arrive is lost (2s)"),
    ):
        follow.add_argument(
            f"--{option}", type=times.positive if option == "window" else times.duration, metavar="TIME", help=summary
        )
    follow.add_argument("--json", action="store_true", help="a line of JSON per update")


def check(options: argparse.Namespace) -> None:
    """Refuse what does not go together.

    Raises
    ------
    RigError
        Options of the page with `--follow`, or those of `--follow` without it; several recordings.
    """
    for name in OF_PAGE if options.follow else OF_FOLLOW:
        if getattr(options, name) not in (None, []) and getattr(options, name) is not False:
            remedy = "it is of the page; omit it with --follow" if options.follow else "it is of --follow; add that"
            raise RigError(f"--{SPELLED.get(name, name)}: {remedy}.")
    if options.follow and len(options.recordings) > 1:
        raise RigError("--follow prints the results of one capture; give one RUN.")
    if options.port is not None and not 0 <= options.port <= MAX_PORT:
        raise RigError(f"--port {options.port}: give a port from 1 to {MAX_PORT}, or 0 for any free one.")
    if options.interval is not None and not options.interval >= MIN_INTERVAL_S:
        raise RigError(f"--interval {float(options.interval):g}s: give at least {MIN_INTERVAL_S * 1000:g}ms.")
    if options.perfetto and len(options.recordings) > 1:
        raise RigError("--perfetto shows one run; give one.")
    reading_options.check_asked(options)

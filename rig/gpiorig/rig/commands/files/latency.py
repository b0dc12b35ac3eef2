"""The options of `gpiorig latency`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.arguments import input_options, overwriting, patterns, times, written_files
from gpiorig.rig.errors import RigError

EPILOG = """\
examples:
  gpiorig latency iotlab.log --request 'send (?P<id>\\d+)' --response 'got (?P<id>\\d+)'
  gpiorig latency iotlab.log --request 'tx id=(?P<id>\\d+)' --response 'rx id=(?P<id>\\d+)' --across-nodes --json
  gpiorig latency any.txt --request 'at (?P<time>\\S+) tx (?P<id>\\d+)' --response 'at (?P<time>\\S+) rx (?P<id>\\d+)'
  gpiorig latency a.log b.log --request 'tx (?P<id>\\d+)' --response 'rx (?P<id>\\d+)' --across-nodes --max-gap 2s
  gpiorig latency air.pcapng                     acknowledgements, intervals and retries of frames; by node
  gpiorig latency left.pcap right.pcap           and how much later the one capture has the frames of the other

  gpiorig latency node.log --request 'send' --response 'got' -o delays.csv --figure delays.png    the next response
  gpiorig latency node.log --request 'tx (?P<id>\\d+) len=(?P<against>\\d+)' --response 'rx (?P<id>\\d+)' --id-offset -1
  gpiorig latency node.log --request 'tick' --response 'tick' --nominal 1s                  periods, in ppm
  gpiorig latency table.csv --value '^(?P<id>\\d+), *(?P<value_ms>[\\d.]+)'                a table: a delay in each row
  gpiorig latency any.txt --value 'sent (?P<begin_us>\\d+).* acked (?P<end_us>\\d+)'       two times in one line
  gpiorig latency run1 --value 'seq=(?P<id>\\d+) tx_us=(?P<begin_us>\\d+) rx_us=(?P<end_us>\\d+)'  a recording

A response belongs to the latest request before it with the same `id` and `node`; without ids, to the latest request of
its node. Names of groups end in a unit (time_us), in _le or _be where they hold the bytes of a counter, in _hex. The
group `against` holds a number, to which a line is fitted. The node is the group of that name; without one, that of the
log; with --across-nodes it does not matter. A pattern is looked for in the text of the node,
then in the complete line (stamp;node;text). Lines that begin with their time need no pattern for it. A log of no known
format needs the group `time` in both patterns: a number, mm:ss.fff, or a date with a time. With that group any log is
read as plain text; name the node in a group, too.

The host stamps a line when it has read it, not when the node wrote it: `gpiorig serial --audit` and the report's clock
audit show how much later that is."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a pairing of lines."""
    parser.add_argument(
        "logs",
        type=Path,
        nargs="+",
        metavar="LOG|RUN",
        help="a log of a known format, a recording, any text, or packet captures",
    )
    parser.add_argument(
        "--request",
        type=patterns.pattern,
        metavar="REGEX",
        help="with the groups `id`, `node`, `time`, `against`, of which it needs none",
    )
    parser.add_argument("--response", type=patterns.pattern, metavar="REGEX", help="the same")
    parser.add_argument(
        "--value",
        type=patterns.pattern,
        metavar="REGEX",
        help="a delay that the line holds: the group `value`, or `begin` and `end`",
    )
    parser.add_argument("--across-nodes", action="store_true", help="a response may come from another node")
    parser.add_argument(
        "--max-gap", type=times.duration, metavar="TIME", help="longest delay that is a pair, such as 2s"
    )
    parser.add_argument(
        "--sort", action="store_true", help="by timestamps, not as the lines stand; several logs always are"
    )
    parser.add_argument(
        "--time-unit",
        type=times.unit,
        metavar="UNIT",
        help="of numbers that are times: s, ms, us, ns, or a slot: 10ms (s)",
    )
    parser.add_argument(
        "--rows", type=_rows, metavar="ROW[:ROW]", help="of each id only the first or last line: first:last, last, …"
    )
    parser.add_argument(
        "--id-offset",
        type=int,
        metavar="N",
        help="a response has the id of its request plus N (-1: RX k is of TX k + 1)",
    )
    parser.add_argument(
        "--ids", type=_ids, metavar="FIRST:LAST", help="ids that were sent, 1:1000: counts those before the first, too"
    )
    parser.add_argument(
        "--nominal", type=times.positive, metavar="TIME", help="compare the mean with it, in ppm: a period such as 1s"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="every delay: .csv, .parquet, .arrow")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="their distribution: .png, .svg, .pdf")
    overwriting.add_force(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    input_options.add_arguments(parser)


def _rows(text: str) -> tuple[str, ...]:
    rows = tuple(text.split(":"))
    if len(rows) > 2 or not set(rows) <= {"first", "last"}:
        raise argparse.ArgumentTypeError(f"{text!r}: write first or last, or one for each side, such as first:last")
    return rows


def _ids(text: str) -> tuple[int, int]:
    least, _, largest = text.partition(":")
    if not (least.isdecimal() and largest.isdecimal() and int(least) <= int(largest)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a range of ids; give 0:999 or so")
    return int(least), int(largest)


def check(options: argparse.Namespace) -> None:
    """Refuse two ways to find delays."""
    if options.value is not None and (options.request or options.response):
        raise RigError("--value finds complete delays; omit --request and --response.")
    written_files.check("-o", options.output, written_files.DELAYS)
    written_files.check("--figure", options.figure, written_files.FIGURES)

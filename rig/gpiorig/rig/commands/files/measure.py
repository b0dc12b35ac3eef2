"""The options of `gpiorig measure`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.arguments import input_options, overwriting, times, written_files
from gpiorig.rig.errors import RigError
from gpiorig.rig.measure import edge_specs
from gpiorig.rig.measure.edge_specs import Spec

EPILOG = """\
examples:
  gpiorig measure run1 --start initiator.tap.irq:rise --end responder.tap.irq:rise --max-gap 10ms
  gpiorig measure run1 --start tap.irq:rise --end strobe:edge --per node
  gpiorig measure capture.sr --period D0:rise --json
  gpiorig measure capture.sr --period D0:rise --nominal 20ms --clock-ppm 2
  gpiorig measure capture.vcd --width irq:high --clock-ppm 50
  gpiorig measure export/ --skew "Channel 0" "Channel 1"
  gpiorig measure gpio.csv --start INT1:rise --end INT2:rise --per node -o delays.csv --figure delays.png

From each edge `start` to the first edge `end` at or after it, unless another `start` comes first. Edges without a
partner are counted; a pair never reaches over lost samples. CH without a kind: rise (--width: high, --skew: edge).
± is how well each single delay is known, expanded (k = 2); `uncertainty_ns` is that of the longest, the table of -o
has it for each. It consists of samples, skew and clock (docs/guide/uncertainty.md). Standard deviation: n - 1;
percentiles: linear interpolation. All delays are kept in memory."""


MAX_PPM = 100_000


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a measurement."""
    parser.add_argument("file", type=Path, metavar="RUN|FILE", help="a recording, or a capture of any known format")
    parser.add_argument("--start", dest="begin", metavar="CH[:rise|fall|edge]", help="where a delay begins")
    parser.add_argument("--end", metavar="CH[:rise|fall|edge]", help="where it ends")
    parser.add_argument("--period", metavar="CH[:rise|fall|edge]", help="from one such edge to the next")
    parser.add_argument("--width", metavar="CH[:high|low]", help="how long the channel is so")
    parser.add_argument(
        "--skew",
        nargs=2,
        metavar=("A", "B"),
        help="how much later B shows the edges that A and B both have; A:toggle B:toggle: whatever their direction",
    )
    parser.add_argument(
        "--max-gap", type=times.duration, metavar="TIME", help="longest delay that is a pair, such as 20ms"
    )
    parser.add_argument(
        "--nominal", type=times.positive, metavar="TIME", help="compare the mean with it, in ppm: a period such as 1ms"
    )
    parser.add_argument(
        "--per", choices=["node"], help="for each node with channels NODE.CH; then CH is the line alone"
    )
    parser.add_argument("--clock-ppm", type=_ppm, metavar="PPM", help="limit of the analyzer's clock error")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="every delay: .csv, .parquet, .arrow")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="their distribution: .png, .svg, .pdf")
    overwriting.add_force(parser)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    input_options.add_arguments(parser)


def _ppm(text: str) -> float:
    try:
        limit_ppm = float(text)
    except ValueError:
        limit_ppm = -1.0
    if not 0 <= limit_ppm <= MAX_PPM:
        raise argparse.ArgumentTypeError(f"{text!r} is not a limit of a clock's error; give 50, 2.5 or so")
    return limit_ppm


def check(options: argparse.Namespace) -> None:
    """Refuse no measurement, and several."""
    ways = [options.begin or options.end, options.period, options.width, options.skew]
    if sum(bool(way) for way in ways) != 1 or bool(options.begin) != bool(options.end):
        raise RigError("give one measurement: --start and --end, --period, --width or --skew; --help has examples.")
    spec_of(options)
    written_files.check("-o", options.output, written_files.DELAYS)
    written_files.check("--figure", options.figure, written_files.FIGURES)


def spec_of(options: argparse.Namespace) -> Spec:
    """The measurement; raises `RigError` for a kind of edges that it does not have."""
    if options.period:
        return edge_specs.period(options.period)
    if options.width:
        return edge_specs.width(options.width)
    return edge_specs.skew(*options.skew) if options.skew else edge_specs.between(options.begin, options.end)

"""The options of `gpiorig compare`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.analysis.compare.limits import Threshold, assertion, is_assertion, threshold
from gpiorig.analysis.quantities.names import parse_all
from gpiorig.analysis.tables.suffixes import SUFFIXES
from gpiorig.rig.arguments import overwriting, reading_options, repeated_options, written_files
from gpiorig.rig.errors import RigError

EPILOG = """\
examples:
  gpiorig compare base new                                     shows which steps changed, and by how much
  gpiorig compare base new --assert 'rtt.p99 +5 %'             ends with status 1 if p99 grew by more
  gpiorig compare base new --assert '*.median +10 us' --assert 'loss +1 %'
  gpiorig compare base new --assert 'rtt.p99 < 20 ms'          a limit that each run must keep
  gpiorig compare base new --quantity 'mac.tx -> mac.rx' --assert 'p99(span of udp.checksum) +5 %'
  gpiorig compare base new --any-change                        ends with status 1 if anything changed
  gpiorig compare base new --json --changes changes.csv
  gpiorig compare run1 run2 run3 -o page      one page: the difference of run2 and of run3 to run1; then each run
  gpiorig compare real virtual                one run of boards, one of a virtual bench: which steps the model has wrong
  gpiorig compare run1 run2 -o page --open --figures svg,pdf --tables csv,latex
  gpiorig compare 'study-results/004-waits: kernel = events' 'study-results/004-waits: kernel = threads'

A threshold (a limit of a change) is exceeded by a change beyond it that chance does not explain. Status 1: one is, or a
run has too few packets to tell; with -o or a limit of one run, a check of a run failed, too. Without a threshold those
of the new run's experiment file count (`thresholds = ["rtt.p99 +5 %"]`), or else those of the base's."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a comparison."""
    parser.add_argument("base", type=Path, metavar="BASE", help="recording folder to compare with")
    parser.add_argument("new", type=Path, nargs="+", metavar="NEW", help="recording folders, each compared with BASE")
    limit = "largest change, such as 'rtt.p99 +5 %%', 'isr.median +-2 us', or a limit of each run, 'rtt.p99 < 20 ms'"
    repeated_options.add(parser, "--assert", "assertions", "LIMIT", limit)
    repeated_options.add_quantities(parser, "compare this too")
    parser.add_argument(
        "--any-change",
        action="store_true",
        help="any significant change ends with status 1, too (of a measured and a virtual run: a step that differs)",
    )
    parser.add_argument("--fresh", action="store_true", help="analyse the recordings, whatever tables they have")
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="write the page of these runs there")
    reading_options.add_page(parser)
    parser.add_argument("--changes", type=Path, metavar="FILE", help="write all changes as .csv or .parquet")
    overwriting.add_force(parser)
    reading_options.add_described(parser)
    parser.add_argument("--json", action="store_true", help="print everything as one JSON object")


def limits_of(options: argparse.Namespace) -> tuple[list[str], list[Threshold]]:
    """The limits of each run, which are understood, and those of a change; raises `QuantityError`."""
    of_runs = [text for text in options.assertions if is_assertion(text)]
    for text in of_runs:
        assertion(text)
    return of_runs, [threshold(text) for text in options.assertions if not is_assertion(text)]


def check(options: argparse.Namespace) -> None:
    """Refuse what does not go together.

    Raises
    ------
    RigError, QuantityError
        Options of the page without it; a table of changes of several runs, or of an unknown format; a limit or a
        quantity that is not understood.
    """
    parse_all(options.quantities)
    limits_of(options)
    for name in ("figures", "tables", "open"):
        if getattr(options, name) and options.output is None:
            raise RigError(f"--{name} is of the page; give its folder with -o DIR.")
    if options.changes is None:
        return
    if len(options.new) > 1:
        raise RigError("--changes writes those of one run; give one NEW.")
    written_files.check("--changes", options.changes, SUFFIXES)

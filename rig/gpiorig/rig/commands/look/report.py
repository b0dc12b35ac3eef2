"""The options of `gpiorig report`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig.arguments import reading_options
from gpiorig.rig.errors import RigError

EPILOG = """\
examples:
  gpiorig report run1                         writes run1/*.parquet and run1/report/report.html
  gpiorig report run1 --figures svg,pdf --tables csv,latex    also figures and tables as files next to the page
  gpiorig report run1 --open                  and opens the page in a browser
  gpiorig report run1 --json                  prints the headline numbers as one JSON object
  gpiorig report run1 -o page                 the same, with the report in ./page
  gpiorig report own --initiator client --responder server    of `gpiorig capture --bench`: round trips, too
  gpiorig report own --bench bench.toml       of a recording whose channels are named as in the file (node.line)
  gpiorig report run1 --assert 'rtt.p99 < 20 ms' --assert 'loss < 1 %'    ends with status 1 if one does not hold
  gpiorig report run1 --quantity 'driver.exec -> isr.tx_end' --quantity goodput
  gpiorig report run1 run2 --reproduce        derives recorded parts, tables and figures again, and compares them;
                                              with --json every file and its verdict as one JSON object

`gpiorig compare` makes one page of several runs. A page needs no other file and no network. run1/*.parquet are the
tables; run1/report/study.json contains every statistic as JSON. --reproduce writes nothing into the recording: it
derives the files of its last report in a temporary folder (TMPDIR chooses where). Status 1: a file differs, is missing,
or is one too many."""

OPTIONS = ("output", "figures", "tables", "open", "bench", "initiator", "responder", "assertions", "quantities")
SPELLED = {"assertions": "assert", "quantities": "quantity"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a report."""
    parser.add_argument(
        "recordings", type=Path, nargs="+", metavar="RUN", help="recording folder; with --reproduce several"
    )
    parser.add_argument("-o", "--output", type=Path, metavar="DIR", help="folder of the report (RUN/report)")
    reading_options.add_described(parser)
    reading_options.add_page(parser)
    parser.add_argument("--json", action="store_true", help="print the numbers as one JSON object")
    reading_options.add_asked(parser)
    parser.add_argument("--reproduce", action="store_true", help="derive the files of the last report again; compare")


def check(options: argparse.Namespace) -> None:
    """Refuse what does not go together.

    Raises
    ------
    RigError, QuantityError
        Options of a new report with `--reproduce`; several recordings without it; a limit that is not understood.
    """
    given = [SPELLED.get(name, name) for name in OPTIONS if getattr(options, name)]
    if options.reproduce and given:
        raise RigError(f"--reproduce makes the last report again, with its options; omit --{given[0]}.")
    if not options.reproduce and len(options.recordings) > 1:
        raise RigError("several runs: `gpiorig compare BASE NEW -o DIR` makes one page of them; give one RUN.")
    reading_options.check_asked(options)

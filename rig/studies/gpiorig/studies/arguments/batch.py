"""The options of `gpiorig batch`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.analysis.quantities.names import parse_all
from gpiorig.rig.arguments import counts, places, reading_options, repeated_options
from gpiorig.rig.errors import RigError
from gpiorig.studies.batch import verbs

EPILOG = """\
examples:
  gpiorig batch 'runs/*'                      tables and report of each, all headline numbers in batch-results/
  gpiorig batch run1 run2 --list list.txt -o results --no-report
  gpiorig batch 'runs/*' --do decode          events, packets and hops only, without statistics
  gpiorig batch 'runs/*' --quantity goodput --quantity 'mac.tx -> mac.rx'
  gpiorig batch 's3://lab/runs/*' -o s3://lab/results --scheduler tls://10.0.0.5:8786

Results of a recording stay in its folder, as with `gpiorig report`; those of an address go to OUT/NAME. OUT has
runs.parquet, routes.parquet, quantities.parquet, each as CSV, too, and errors.json. What was done is kept when the
command is repeated; a recording that changed is done again. Page: docs/guide/many.md

exit status: 0 done, 1 an item failed or a check of one failed, 2 wrong use, 130 interrupted."""


NO_RECORDINGS = "no recordings: give folders, a pattern such as 'runs/*', addresses, or --list FILE."
STANDARD_INPUT = "-"  # in place of the file of a list
DEFAULT_OUTPUT = Path("batch-results")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a batch."""
    parser.add_argument("recordings", nargs="*", metavar="RUN", help="folders, patterns such as 'runs/*', addresses")
    parser.add_argument("--list", dest="lists", action="append", default=[], metavar="FILE", help="one RUN per line")
    parser.add_argument("-o", "--output", default=str(DEFAULT_OUTPUT), metavar="OUT", help="(batch-results)")
    parser.add_argument(
        "--do",
        default="report",
        metavar="VERBS",
        help="of decode, analyse, report: as far as the last (report)",
    )
    parser.add_argument("--no-report", action="store_true", help="tables only, without pages: --do analyse")
    repeated_options.add_quantities(parser, "also this")
    reading_options.add_described(parser)
    where = parser.add_mutually_exclusive_group()
    where.add_argument(
        "--workers",
        type=counts.count(1),
        metavar="N",
        help="processes (one per processor); 1: in this process",
    )
    where.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster, such as tls://10.0.0.5:8786")
    parser.add_argument("--insecure-cluster", action="store_true", help="use a scheduler without certificates (tcp://)")
    parser.add_argument("--store", type=Path, metavar="DIR", help="register each recording in this store")
    parser.add_argument("--fresh", action="store_true", help="do everything again, whatever is there")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def check(options: argparse.Namespace) -> None:
    """Refuse a call without recordings, and what can be seen to be wrong before any of them is opened.

    Raises
    ------
    RigError, CaptureError, QuantityError
        No recordings, a list or an output that cannot be, work or a quantity that is not known, a scheduler without
        certificates.
    """
    if not (options.recordings or options.lists):
        raise RigError(NO_RECORDINGS)
    for path in options.lists:
        if path != STANDARD_INPUT:
            places.file(Path(path))
    if Path(options.output).is_file():
        raise RigError(f"{options.output}: is a file; -o takes a folder.")
    verbs.last(options.do)
    verbs.check_scheduler(options.scheduler, insecure=options.insecure_cluster)
    parse_all(options.quantities)

"""The options of `gpiorig store`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.analysis.quantities.names import parse_all
from gpiorig.rig.arguments import overwriting, reading_options, repeated_options, written_files
from gpiorig.rig.errors import StoreError
from gpiorig.rig.store import place

EPILOG = """\
examples:
  gpiorig store add runs/* --study trial1     analyse recordings and add their tables
  gpiorig store add study-results             add the points of all studies of the folder, as `study run --store` does
  gpiorig store ls                            studies, runs, recordings and where they are
  gpiorig store query 'select study, quantity, median(value) from quantities group by all'
  gpiorig store query 'describe results'      the columns of a table
  gpiorig store export 'from results' -o results.csv
  gpiorig store ls --search /data             look for recordings that moved, by their fingerprints
  gpiorig store rm --study trial1             remove results; recordings are never deleted
  gpiorig store gc                            delete the files that a killed writer left

A store is a folder (-s; gpiorig-store in the current one). Several programs may add to it at a time.
docs/reference/store.md has its tables, and queries for each kind of question."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of all verbs."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="add|ls|query|export|rm|gc")
    add = _verb(verbs, "add", "analyse recordings and add their tables; or add the points of studies")
    add.add_argument(
        "recordings",
        type=Path,
        nargs="+",
        metavar="RUN",
        help="recording folders; output folders of `gpiorig study run`, folders of points in them, or single points",
    )
    add.add_argument("--study", default="-", metavar="NAME", help="name that the runs are found under")
    repeated_options.add_quantities(add, "in place of those of the experiment")
    reading_options.add_described(add)
    ls = _verb(verbs, "ls", "list studies and recordings")
    repeated_options.add(ls, "--search", "search", "DIR", "look below it for recordings that are not at their places")
    query = _verb(verbs, "query", "print the result of one SELECT")
    query.add_argument("sql", metavar="SQL", help="see docs/reference/store.md")
    export = _verb(verbs, "export", "write the result of one SELECT into a file", has_json=False)
    export.add_argument("sql", metavar="SQL", help="see docs/reference/store.md")
    export.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="ends in .csv, .parquet, .arrow or .feather"
    )
    overwriting.add_force(export)
    rm = _verb(verbs, "rm", "remove runs from the store; recordings are left alone")
    removed = rm.add_mutually_exclusive_group(required=True)
    removed.add_argument(
        "recording", nargs="?", metavar="ID", help="of a recording, as `ls` lists it; the first digits do"
    )
    removed.add_argument("--study", metavar="NAME", help="all of this study")
    _verb(verbs, "gc", "delete files that no run has, and runs whose files are gone")


def _verb(
    verbs: argparse._SubParsersAction[argparse.ArgumentParser], name: str, summary: str, *, has_json: bool = True
) -> argparse.ArgumentParser:
    verb = verbs.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=EPILOG,
    )
    verb.add_argument(
        "-s", "--store", type=Path, default=Path("gpiorig-store"), metavar="DIR", help="the store (gpiorig-store)"
    )
    if has_json:
        verb.add_argument("--json", action="store_true", help="print JSON")
    return verb


def check(options: argparse.Namespace) -> None:
    """Refuse a folder that is not a store (`add` makes one), an unknown quantity, and an output of no known format.

    Raises
    ------
    RigError, QuantityError
        One of these.
    """
    if options.verb != "add":
        place.check(options.store)
    else:
        parse_all(options.quantities)
        if options.store.is_file():
            raise StoreError(f"{options.store}: is a file; -s takes the folder of a store.")
    if options.verb == "export":
        written_files.check("-o", options.output, written_files.RESULTS)

"""The options of `gpiorig study`."""

from __future__ import annotations

import argparse
from pathlib import Path

from gpiorig.rig import names
from gpiorig.rig.arguments import counts, reading_options
from gpiorig.rig.errors import BenchError
from gpiorig.studies.batch import verbs
from gpiorig.studies.plans import journal
from gpiorig.studies.points import study_paths

EPILOG = """\
examples:
  gpiorig study list studies/                 documents, figures, points and their states, time and disk to come
  gpiorig study run 000.round-trip            one figure: record what is missing, analyse, write its page
  gpiorig study run studies/ --quick          all of a folder, cut down; called again, it resumes
  gpiorig study run week.toml --retry         a plan of jobs over benches; what failed and what is in quarantine, too
  gpiorig study status week --follow          what is done, what failed and why, as it comes
  gpiorig study report --figures pdf          tables and pages again, nothing is recorded; figures as PDF

FILE is a study file, a folder of them, the name of a study that comes with gpiorig, or one plan file.
Exit status 1: a point failed. docs/guide/many.md shows the way, docs/reference/studies.md has the keys."""

FOLDER = Path("study-results")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of each action."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    listed = actions.add_parser("list", help="documents, figures, points, states; time and disk of what is missing")
    run = actions.add_parser("run", help="studies: record what is missing, analyse, write their pages")
    report = actions.add_parser("report", help="tables and pages again; nothing is recorded")
    status = actions.add_parser("status", help="what is done, what failed and why; also while it runs")
    status.add_argument("folder", nargs="?", type=Path, default=FOLDER, metavar="DIR", help=f"output folder ({FOLDER})")
    status.add_argument("--json", action="store_true", help="print one JSON object; with --follow one for each record")
    status.add_argument("--follow", action="store_true", help="print records as they come, until the end")
    for action, count in ((listed, "*"), (run, "+"), (report, "*")):
        action.add_argument("files", nargs=count, type=Path, metavar="FILE", help="study file, folder, name, or plan")
        action.add_argument("-o", "--output", type=Path, default=FOLDER, metavar="DIR", help=f"folder ({FOLDER})")
        action.add_argument(
            "--quick", action="store_true", help="fewer packets, repeats and values, as the file has it"
        )
        action.add_argument("--bench", type=Path, metavar="FILE", help="run on this bench, not on a template's")
        action.add_argument(
            "--image",
            type=_image,
            action="append",
            default=[],
            metavar="NAME=ELF",
            help="image that studies call NAME; repeatable",
        )
        action.add_argument("--json", action="store_true", help="print points, states and numbers as one JSON object")
    for action in (run, report):
        reading_options.add_formats(action, "figures", usual="svg,png")
    report.add_argument("--markdown", type=Path, metavar="FILE", help="write the table of all documents, too")
    report.add_argument("--numbers", type=Path, metavar="FILE", help="write the numbers of that table as CSV, too")
    run.add_argument(
        "--retry", action="store_true", help="record points that failed again; release benches from quarantine"
    )
    run.add_argument("--stop-on-failure", action="store_true", help="end at the first point that fails")
    run.add_argument("--workers", type=counts.count(1), metavar="N", help="processes that record and analyse (1)")
    run.add_argument("--scheduler", metavar="ADDRESS", help="Dask scheduler of a cluster, such as tls://host:8786")
    run.add_argument("--insecure-cluster", action="store_true", help="use a scheduler without certificates (tcp://)")
    run.add_argument(
        "--direct",
        action="store_true",
        help="record virtual boards without sigrok-cli: the same recordings, sooner",
    )
    run.add_argument("--store", type=Path, metavar="DIR", help="add each point to this store")


def check(options: argparse.Namespace) -> None:
    """Refuse files that are not there, names of no study or bench, empty folders, a scheduler without certificates.

    Raises
    ------
    BenchError, RigError
        One of these.
    """
    if options.action == "status":
        if not (options.folder / journal.NAME).is_file():
            raise journal.missing(options.folder)
        return
    for word in options.files:
        study_paths.paths(word)
    if options.bench is not None:
        names.checker("bench")(options.bench)
    if options.action == "report" and not options.files and not options.output.is_dir():
        raise study_paths.nothing_run(options.output)
    if options.action == "run":
        verbs.check_scheduler(options.scheduler, insecure=options.insecure_cluster)


def _image(item: str) -> tuple[str, Path]:
    """The name and the file of an image; raises `BenchError`."""
    name, equals, path = item.partition("=")
    if not (name and equals and path):
        raise BenchError(f"--image {item}: give NAME=ELF, with a name that the studies use.")
    if not Path(path).is_file():
        raise BenchError(f"--image {item}: {path} is not a file. Give the path of an ELF image.")
    return name, Path(path).absolute()

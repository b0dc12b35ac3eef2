"""One page of several runs: the difference of each to the first, then each run."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from msgspec import structs

from gpiorig.analysis import report
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig import browser
from gpiorig.rig.commands.look.report_work import announce, print_page
from gpiorig.rig.progress import iterate, stage
from gpiorig.rig.recordings import described, standing
from gpiorig.rig.results import compare as comparing
from gpiorig.rig.results import report as reporting
from gpiorig.rig.results import several
from gpiorig.rig.results.headline import Numbers
from gpiorig.rig.results.report import Reported


def reports(recordings: Sequence[Recording], *, asserted: Sequence[str], asked: Sequence[str]) -> dict[str, Reported]:
    """The report of each recording, by its name on the page; their folders are left alone.

    Raises
    ------
    RigError
        A recording is given twice.
    """
    watched = iterate(described.distinct(recordings), "analysing", unit="runs")
    return {
        name: reporting.of(recording, asserted=asserted, asked=asked)
        for name, recording in zip(described.names(recordings), watched, strict=True)
    }


def write(runs: Mapping[str, Reported], options: argparse.Namespace) -> Path:
    """Write the page and the tables of all into the folder of `-o`, and open it if asked to; the page's path."""
    with stage("page"):
        page = report.write_set(
            options.output,
            several.runs(runs),
            figure_formats=options.figures,
            table_formats=options.tables,
            watch=comparing.watched,
        )
    if options.open:
        browser.show(page)
    return page


def show(runs: Mapping[str, Reported], page: Path) -> None:
    """Print the headline of each run, and where the page is."""
    for reported in runs.values():
        announce(reported.recording)
    lines = [f"{name}: {report.summary_lines(reported.data)[0]}" for name, reported in runs.items()]
    boards = dict.fromkeys(filter(None, (standing.of(reported.recording).boards for reported in runs.values())))
    print_page([*lines, *boards], page)


def numbers(runs: Mapping[str, Reported]) -> tuple[Numbers, ...]:
    """The numbers of each run, for `--json`."""
    return tuple(structs.replace(reported.numbers, run=name) for name, reported in runs.items())

"""`gpiorig report`: tables, figures and page of a recording, rebuilt from its edges and serial bytes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec import structs

from gpiorig.capture.recording.recording import Recording
from gpiorig.rig import browser, plain_json
from gpiorig.rig.commands.look import report_again
from gpiorig.rig.commands.look.report_again import Reproduced
from gpiorig.rig.recordings import standing
from gpiorig.rig.recordings.described import Given
from gpiorig.rig.results import report as reporting
from gpiorig.rig.results.headline import Numbers
from gpiorig.rig.results.report import Reported
from gpiorig.rig.verbosity import SHOWN, note

RESULTS = {"report": (Numbers, Reproduced)}


def run(options: argparse.Namespace) -> int:
    """Analyse and report, or derive the files of a report again."""
    if options.reproduce:
        return report_again.run(options)
    return analyse_and_print(
        Given.of(options).open(options.recordings[0]),
        as_json=options.json,
        output=options.output,
        asserted=options.assertions,
        figure_formats=options.figures,
        table_formats=options.tables,
        quantities=options.quantities,
        opened=options.open,
    )


def analyse_and_print(
    recording: Recording,
    *,
    as_json: bool,
    output: Path | None = None,
    asserted: Sequence[str] = (),
    figure_formats: Sequence[str] = (),
    table_formats: Sequence[str] = (),
    quantities: Sequence[str] = (),
    opened: bool = False,
) -> int:
    """Analyse a recording, write tables and report, print the summary; 1 if a check failed, 0 otherwise.

    Parameters
    ----------
    recording
        The recording.
    as_json
        Whether to print the numbers as JSON.
    output
        Folder of the report; None: within the recording.
    asserted
        Limits in addition to those of the experiment.
    figure_formats, table_formats
        Figures and tables that are written next to the page.
    quantities
        Quantities in addition to those of the experiment.
    opened
        Whether to open the page in a browser.
    """
    reported = reporting.of(recording, asserted=asserted, asked=quantities)
    if not as_json:
        announce(recording)
    page = reported.write(output, figure_formats=figure_formats, table_formats=table_formats)
    if as_json:
        print(plain_json.text(structs.replace(reported.numbers, report=str(page))))
    else:
        print_page(reported.sentences, page)
    if opened:
        browser.show(page)
    return status_of(reported)


def announce(recording: Recording) -> None:
    """Print the standing of a recording; of one that is not complete a failed check states it."""
    source = standing.of(recording)
    if source.is_complete:
        source.announce(boards=False)  # which is a sentence of the conclusion
    elif later := standing.given(recording.info):
        note(f"{recording.folder}: {later}")


def print_page(sentences: Sequence[str], page: Path) -> None:
    """Print the sentences and where the page is; with `-q` its path alone."""
    print(page if SHOWN.quiet else "\n".join([*sentences, f"report: {page}"]))


def status_of(reported: Reported) -> int:
    """Print what failed; the exit status."""
    for check in reported.data.notes:
        print(f"check failed: {reported.recording.folder}: {check}", file=sys.stderr)
    return 1 if reported.data.notes else 0

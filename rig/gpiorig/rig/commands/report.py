"""`gpiorig report`: tables, figures and page of recordings, rebuilt from their edges and serial bytes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from msgspec import structs

from gpiorig.analysis import report
from gpiorig.analysis.report import FIGURE_FORMATS, TABLE_FORMATS
from gpiorig.capture.recording.recording import Recording
from gpiorig.rig import browser, plain_json
from gpiorig.rig.commands import report_again
from gpiorig.rig.commands.report_again import Reproduced
from gpiorig.rig.errors import RigError
from gpiorig.rig.progress import iterate, stage
from gpiorig.rig.recordings import described, standing
from gpiorig.rig.recordings.described import Given
from gpiorig.rig.results import compare as comparing
from gpiorig.rig.results import report as reporting
from gpiorig.rig.results import several
from gpiorig.rig.results.headline import Numbers, SeveralNumbers
from gpiorig.rig.results.report import Reported
from gpiorig.rig.verbosity import SHOWN, note

RESULTS = {"report": (Numbers, SeveralNumbers, Reproduced)}


def run(options: argparse.Namespace) -> int:
    """Analyse and report, or derive the files of a report again."""
    if options.reproduce:
        return report_again.run(options)
    options.figures = _formats(options.figures, available=FIGURE_FORMATS, option="--figures")
    options.tables = _formats(options.tables, available=[*TABLE_FORMATS], option="--tables")
    given = Given.of(options)
    recordings = described.distinct([given.open(folder) for folder in options.recordings])
    if len(recordings) == 1:
        return analyse_and_print(
            recordings[0],
            as_json=options.json,
            output=options.output,
            asserted=options.assertions,
            figure_formats=options.figures,
            table_formats=options.tables,
            quantities=options.quantities,
            opened=options.open,
        )
    return _set_and_print(recordings, options)


def _formats(text: str, *, available: Sequence[str], option: str) -> tuple[str, ...]:
    """Formats separated by commas; none for an empty text."""
    formats = tuple(text.split(",")) if text else ()
    for name in formats:
        if name not in available:
            raise RigError(f"{option}: {name!r} is not a format; available formats: {', '.join(available)}.")
    return formats


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
        _say(recording)
    page = reported.write(output, figure_formats=figure_formats, table_formats=table_formats)
    if as_json:
        print(plain_json.text(structs.replace(reported.numbers, report=str(page))))
    else:
        _print(reported.sentences, page)
    if opened:
        browser.show(page)
    return _status(reported)


def _say(recording: Recording) -> None:
    """Print the standing of a recording; of one that is not complete a failed check states it."""
    source = standing.of(recording)
    if source.is_complete:
        source.announce(boards=False)  # which is a sentence of the conclusion
    elif later := standing.given(recording.info):
        note(f"{recording.folder}: {later}")


def _print(sentences: Sequence[str], page: Path) -> None:
    """Print the sentences and where the page is; with `-q` its path alone."""
    print(page if SHOWN.quiet else "\n".join([*sentences, f"report: {page}"]))


def _set_and_print(recordings: Sequence[Recording], options: argparse.Namespace) -> int:
    """One page for several recordings; their own folders are left alone. 1 if a check of any failed."""
    watched = iterate(recordings, "analysing", unit="runs")
    runs = {
        name: reporting.of(recording, asserted=options.assertions, asked=options.quantities)
        for name, recording in zip(described.names(recordings), watched, strict=True)
    }
    with stage("page"):
        page = report.write_set(
            options.output,
            several.runs(runs),
            figure_formats=options.figures,
            table_formats=options.tables,
            watch=comparing.watched,
        )
    for recording in recordings if not options.json else ():
        _say(recording)
    if options.json:
        numbers = tuple(structs.replace(reported.numbers, run=name) for name, reported in runs.items())
        print(plain_json.text(SeveralNumbers(report=str(page), runs=numbers)))
    else:
        lines = [f"{name}: {report.summary_lines(reported.data)[0]}" for name, reported in runs.items()]
        boards = dict.fromkeys(filter(None, (standing.of(recording).boards for recording in recordings)))
        _print([*lines, *boards], page)
    if options.open:
        browser.show(page)
    return max(_status(reported) for reported in runs.values())


def _status(reported: Reported) -> int:
    """Print what failed; the exit status."""
    for check in reported.data.notes:
        print(f"check failed: {reported.recording.folder}: {check}", file=sys.stderr)
    return 1 if reported.data.notes else 0

"""`gpiorig report`: tables, figures and page of a recording, rebuilt from its edges and serial bytes."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpiorig.capture.recording import Recording

EPILOG = """\
examples:
  gpiorig report run1                         writes run1/*.parquet and run1/report/
  gpiorig report run1 --json                  prints the headline numbers as one JSON object"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of a report."""
    parser.add_argument("recording", type=Path, metavar="RUN", help="recording folder")
    parser.add_argument("--json", action="store_true", help="print the numbers as one JSON object")


def run(options: argparse.Namespace) -> int:
    """Analyse and report."""
    from gpiorig.capture.recording import Recording

    return analyse_and_print(Recording.open(options.recording), as_json=options.json)


def analyse_and_print(recording: Recording, *, as_json: bool) -> int:
    """Analyse a recording, write tables and report, print the summary; 1 if a check failed, 0 otherwise."""
    from gpiorig.rig import pipeline

    if not pipeline.has_round_trips(recording):
        return _survey_and_print(recording, as_json=as_json)
    result = pipeline.analyse(recording)
    data = pipeline.report_data(result, recording)
    page = pipeline.write(result, recording, data)
    if as_json:
        print(json.dumps(pipeline.numbers(result, recording, report=page), allow_nan=False))
    else:
        print(pipeline.summary(data))
        print(f"report: {page}")
    return _status(recording, data.notes)


def _survey_and_print(recording: Recording, *, as_json: bool) -> int:
    """The same for a recording whose packets make no round trips: tables of its events, and counts."""
    from gpiorig.rig import survey

    found = survey.survey(recording)
    survey.write(found, recording)
    if as_json:
        print(json.dumps(survey.numbers(found, folder=recording.folder), allow_nan=False))
    else:
        print(survey.summary(found, virtual=recording.info.virtual))
    return _status(recording, survey.failed_checks(found, recording))


def _status(recording: Recording, failed: Sequence[str]) -> int:
    """Print what failed; the exit status."""
    for check in failed:
        print(f"check failed: {recording.folder}: {check}", file=sys.stderr)
    return 1 if failed else 0

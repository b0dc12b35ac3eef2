"""`gpiorig report`: tables, figures and page of a recording, rebuilt from its edges and serial bytes."""

from __future__ import annotations

import argparse
import json
import sys
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

    result = pipeline.analyse(recording)
    data = pipeline.report_data(result, recording)
    page = pipeline.write(result, recording, data)
    if as_json:
        print(json.dumps(pipeline.numbers(result, recording, report=page), allow_nan=False))
    else:
        print(pipeline.summary(data))
        print(f"report: {page}")
    for check in data.notes:
        print(f"check failed: {recording.folder}: {check}", file=sys.stderr)
    return 1 if data.notes else 0

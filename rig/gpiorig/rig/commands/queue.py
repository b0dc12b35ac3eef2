"""`gpiorig queue`: studies and experiments over benches, unattended."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import msgspec

from gpiorig.rig.errors import RigError
from gpiorig.rig.queue import journal, queue_file, run_queue, status
from gpiorig.rig.queue.journal import Record

FOLLOW_S = 0.5  # how often to look for new records


def run(options: argparse.Namespace) -> int:
    """Run a queue, or show its status."""
    if options.action == "status":
        return _follow(options.folder, as_json=options.json) if options.follow else _status(options)
    file = queue_file.load(options.file)
    state, why = run_queue.run(
        file, options.file, retry=options.retry, news=lambda record: _print(record, as_json=options.json)
    )
    left = [name for name, run in state.runs.items() if run.state != "complete"]
    return 1 if why or left else 0


def _status(options: argparse.Namespace) -> int:
    numbers = status.of(options.folder)
    print(json.dumps(numbers) if options.json else status.text(numbers))
    return 0


def _follow(folder: Path, *, as_json: bool) -> int:
    """Print the records that are there and those that come, until the last one is the end of the queue."""
    shown = 0
    while True:
        records = journal.read(folder).records
        if not records:
            raise RigError(f"{folder}: no queue ran into this folder; give the `output` of a queue file.")
        for record in records[shown:]:
            _print(record, as_json=as_json)
        shown = len(records)
        if records[-1].event == "queue ended":
            return 0
        time.sleep(FOLLOW_S)


def _print(record: Record, *, as_json: bool) -> None:
    print(msgspec.json.encode(record).decode() if as_json else status.line(record), flush=True)

"""`gpiorig batch`: many recordings, on several processes or a cluster, and one table of their numbers."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gpiorig.analysis.number_text import count_text, number_text
from gpiorig.rig import plain_json, progress
from gpiorig.rig.errors import RigError
from gpiorig.rig.plain_json import Result
from gpiorig.rig.recordings.described import Given
from gpiorig.studies.arguments.batch import NO_RECORDINGS, STANDARD_INPUT
from gpiorig.studies.batch import engine, places, tables, verbs, work
from gpiorig.studies.batch.engine import Outcome
from gpiorig.studies.batch.places import Output
from gpiorig.studies.batch.rows import Processed
from gpiorig.studies.batch.verbs import Verb
from gpiorig.studies.batch.work import Task

MEMORY = "memory://"
SHOWN_CHECKS = 20


class BatchNumbers(Result, frozen=True, kw_only=True):
    """How many recordings there are, and what became of them; errors by recording, tables by name."""

    runs: int
    done: int
    kept: int
    failed: int
    failed_checks: int
    seconds: float
    errors: dict[str, str]
    tables: dict[str, str]


RESULTS = {"batch": (BatchNumbers,)}


@dataclass(slots=True)
class _Sums:
    """What is known of the recordings that have ended; the rows of all others are in tables."""

    done: int = 0
    kept: int = 0
    seconds: float = 0.0
    failed_checks: int = 0
    checks: list[str] = field(default_factory=list)  # the first few
    failed: list[Outcome[Task, Processed]] = field(default_factory=list)

    def add(self, outcome: Outcome[Task, Processed]) -> None:
        self.seconds += outcome.seconds
        if outcome.result is None:
            self.failed.append(outcome)
            return
        self.done += 1
        self.kept += outcome.result.unchanged
        self.failed_checks += len(outcome.result.checks)
        room = SHOWN_CHECKS - len(self.checks)
        self.checks += [f"{outcome.item.run}: {check}" for check in outcome.result.checks[:room]]


def run(options: argparse.Namespace) -> int:
    """Do all items; errors of single ones are printed at the end."""
    tasks = _tasks(options)
    rows, sums = tables.Rows([task.run for task in tasks]), _Sums()
    with contextlib.closing(_outcomes(tasks, options)) as outcomes:
        for outcome in outcomes:
            sums.add(outcome)
            if outcome.result is not None:
                rows.add(outcome.result)
            else:
                rows.add_failed(outcome.item.run, str(outcome.error))
    errors = {outcome.item.run: str(outcome.error) for outcome in sums.failed}
    ordered = {task.run: errors[task.run] for task in tasks if task.run in errors}
    paths = tables.write(Output(options.output), rows, ordered)
    if options.json:
        numbers = BatchNumbers(
            runs=len(tasks),
            done=sums.done,
            kept=sums.kept,
            failed=len(sums.failed),
            failed_checks=sums.failed_checks,
            seconds=round(sums.seconds, 3),
            errors=errors,
            tables=paths,
        )
        print(plain_json.text(numbers))
    else:
        print(
            f"{count_text(len(tasks), 'recording')}: {number_text(sums.done)} done, "
            f"{number_text(sums.kept)} of them kept, {number_text(len(sums.failed))} failed."
        )
        print(f"numbers: {paths['runs']}")
    _print_failures(sums)
    return 1 if sums.failed or sums.failed_checks else 0


def _tasks(options: argparse.Namespace) -> list[Task]:
    """The items, checked as far as possible before any is begun."""
    options.output = places.absolute(options.output)
    asked: dict[str, Any] = {"output": options.output, "verb": _verb(options), "quantities": tuple(options.quantities)}
    asked |= {"fresh": options.fresh, "store": options.store and options.store.resolve(), "given": Given.of(options)}
    words = [*options.recordings, *(line for file in options.lists for line in _lines(file))]
    tasks = [Task(run=run, **asked) for run in places.recordings(words)]
    if not tasks:
        raise RigError(NO_RECORDINGS)
    if any(place.startswith(MEMORY) for place in (options.output, *(task.run for task in tasks))):
        if options.workers not in (None, 1) or options.scheduler is not None:
            raise RigError(f"{MEMORY} is the memory of this process, which no other one has; give --workers 1.")
        options.workers = 1
    if options.store is not None and any(places.is_address(task.run) for task in tasks):
        raise RigError("--store registers folders of this machine; register addresses where they are folders.")
    if options.store is not None:
        from gpiorig.rig.store import catalogue  # imports DuckDB

        catalogue.check_names([options.store, *(Path(task.run) for task in tasks)])
    return tasks


def _verb(options: argparse.Namespace) -> Verb:
    """The last of the verbs, which includes those before it."""
    verb = verbs.last(options.do)
    return "analyse" if options.no_report and verb == "report" else verb


def _lines(file: str) -> list[str]:
    """The lines of a file, or of standard input, without empty ones."""
    text = sys.stdin.read() if file == STANDARD_INPUT else Path(file).read_text(encoding="utf-8")
    return [line.strip() for line in text.splitlines() if line.strip()]


def _outcomes(tasks: list[Task], options: argparse.Namespace) -> Generator[Outcome[Task, Processed], None, None]:
    with contextlib.ExitStack() as stack:
        bar = stack.enter_context(progress.bar("batch", total=len(tasks), unit="runs"))
        outcomes = engine.run(
            work.process,
            tasks,
            workers=options.workers,
            scheduler=options.scheduler,
            insecure=options.insecure_cluster,
            progress=lambda outcome: bar.update(),
        )
        yield from stack.enter_context(contextlib.closing(outcomes))


def _print_failures(sums: _Sums) -> None:
    """Name what failed on stderr, in the order of the items as they ended."""
    for outcome in sums.failed:
        print(f"failed: {outcome.item.run}: {outcome.error}", file=sys.stderr)
        if outcome.trace:
            print(outcome.trace, file=sys.stderr)
    for check in sums.checks:
        print(f"check failed: {check}", file=sys.stderr)
    if (more := sums.failed_checks - len(sums.checks)) > 0:
        print(f"{more} more failed checks: column `checks` of runs.csv", file=sys.stderr)

"""`gpiorig batch`: many recordings, on several processes or a cluster, and one table of their numbers."""

from __future__ import annotations

import argparse
import contextlib
import sys
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


def run(options: argparse.Namespace) -> int:
    """Do all items; errors of single ones are printed at the end."""
    tasks = _tasks(options)
    outcomes = _outcomes(tasks, options)
    done = [outcome.result for outcome in outcomes if outcome.result is not None]
    failed = {outcome.item.run: outcome.error for outcome in outcomes if outcome.error is not None}
    paths = tables.write(Output(options.output), done, failed, [task.run for task in tasks])
    checks = [f"{processed.run}: {check}" for processed in done for check in processed.checks]
    unchanged = sum(processed.unchanged for processed in done)
    if options.json:
        numbers = BatchNumbers(
            runs=len(tasks),
            done=len(done),
            kept=unchanged,
            failed=len(failed),
            failed_checks=len(checks),
            seconds=round(sum(outcome.seconds for outcome in outcomes), 3),
            errors=failed,
            tables=paths,
        )
        print(plain_json.text(numbers))
    else:
        print(
            f"{count_text(len(tasks), 'recording')}: {number_text(len(done))} done, "
            f"{number_text(unchanged)} of them kept, {number_text(len(failed))} failed."
        )
        print(f"numbers: {paths['runs']}")
    _print_failures(outcomes, checks)
    return 1 if failed or checks else 0


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


def _outcomes(tasks: list[Task], options: argparse.Namespace) -> list[Outcome[Task, Processed]]:
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
        return list(stack.enter_context(contextlib.closing(outcomes)))


def _print_failures(outcomes: list[Outcome[Task, Processed]], checks: list[str]) -> None:
    """Name what failed on stderr, in the order of the items as they ended."""
    for outcome in outcomes:
        if outcome.error is not None:
            print(f"failed: {outcome.item.run}: {outcome.error}", file=sys.stderr)
            if outcome.trace:
                print(outcome.trace, file=sys.stderr)
    for check in checks[:SHOWN_CHECKS]:
        print(f"check failed: {check}", file=sys.stderr)
    if len(checks) > SHOWN_CHECKS:
        print(f"{len(checks) - SHOWN_CHECKS} more failed checks: column `checks` of runs.csv", file=sys.stderr)

"""`gpiorig batch`: many recordings, on several processes or a cluster, and one table of their numbers."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from pathlib import Path
from typing import Any, get_args

from gpiorig.analysis.number_text import count_text, number_text
from gpiorig.analysis.quantities.names import parse_all
from gpiorig.capture import confined
from gpiorig.rig import names, progress
from gpiorig.rig.batch import engine, places, seeds, tables, work
from gpiorig.rig.batch.engine import Outcome
from gpiorig.rig.batch.places import Output
from gpiorig.rig.batch.rows import Processed
from gpiorig.rig.batch.seeds import Seeded
from gpiorig.rig.batch.work import Task, Verb
from gpiorig.rig.errors import RigError
from gpiorig.rig.recordings.described import Given

MEMORY = "memory://"
SHOWN_CHECKS = 20


def run(options: argparse.Namespace) -> int:
    """Do all items; errors of single ones are printed at the end."""
    tasks = _tasks(options)
    outcomes = _outcomes(tasks, options)
    done = [outcome.result for outcome in outcomes if outcome.result is not None]
    failed = {outcome.item.run: outcome.error for outcome in outcomes if outcome.error is not None}
    paths = tables.write(Output(options.output), done, failed, [task.run for task in tasks])
    checks = [f"{one.run}: {check}" for one in done for check in one.checks]
    numbers = {
        "runs": len(tasks),
        "done": len(done),
        "kept": sum(one.unchanged for one in done),
        "failed": len(failed),
        "failed_checks": len(checks),
    }
    if options.json:
        seconds = round(sum(outcome.seconds for outcome in outcomes), 3)
        print(json.dumps({**numbers, "seconds": seconds, "errors": failed, "tables": paths}))
    else:
        print(
            f"{count_text(len(tasks), 'recording')}: {number_text(len(done))} done, "
            f"{number_text(numbers['kept'])} of them kept, {number_text(len(failed))} failed."
        )
        print(f"numbers: {paths['runs']}")
    _print_failures(outcomes, checks)
    return 1 if failed or checks else 0


def _tasks(options: argparse.Namespace) -> list[Task]:
    """The items, checked as far as possible before any is begun."""
    parse_all(options.quantities)
    options.output = places.absolute(options.output)
    asked: dict[str, Any] = {"output": options.output, "verb": _verb(options), "quantities": tuple(options.quantities)}
    asked |= {"fresh": options.fresh, "store": options.store and options.store.resolve(), "given": Given.of(options)}
    if options.record is not None:
        tasks = [Task(run=str(folder), recorded=seeded, **asked) for folder, seeded in _seeded(options)]
    else:
        if options.seeds is not None or options.packets is not None:
            raise RigError("--seeds and --packets are of --record BENCH EXPERIMENT; add it.")
        words = [*options.recordings, *(line for file in options.lists for line in _lines(file))]
        tasks = [Task(run=run, **asked) for run in places.recordings(words)]
    if not tasks:
        raise RigError("no recordings: give folders, a pattern such as 'runs/*', addresses, or --from FILE.")
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
    asked = options.do.split(",")
    if wrong := [word for word in asked if word not in get_args(Verb)]:
        raise RigError(f"--do {options.do}: {wrong[0]!r} is not one of {', '.join(work.VERBS)}.")
    last = max(map(work.VERBS.index, asked))
    if work.VERBS[last] == "record" and options.record is None:
        raise RigError("--do record: nothing to record; add --record BENCH EXPERIMENT --seeds 1-10.")
    return work.VERBS[min(last, work.VERBS.index("analyse")) if options.no_report else last]


def _seeded(options: argparse.Namespace) -> list[tuple[Path, Seeded]]:
    """Folders of the recordings, and what is recorded into each."""
    if options.recordings or options.lists:
        raise RigError("--record makes its own recordings, in OUT; omit those that are there.")
    if not Given.of(options).is_empty:
        raise RigError("--record: its experiment determines bench and roles; omit --bench, --initiator, --responder.")
    if options.seeds is None:
        raise RigError("--record: give the seeds, such as --seeds 1-10.")
    if places.is_address(options.output):
        raise RigError(f"{options.output}: recordings are made in a folder of this machine; give one with -o.")
    bench_file, experiment_file = names.bench(options.record[0]), names.experiment(options.record[1])
    seeds.check(bench_file, experiment_file, options.packets)
    files = bench_file.resolve(), experiment_file.resolve()
    return [
        (confined.inside(Path(options.output), f"seed-{seed}"), Seeded(*files, seed=seed, packets=options.packets))
        for seed in seeds.parse(options.seeds)
    ]


def _lines(file: str) -> list[str]:
    """The lines of a file, or of standard input, without empty ones."""
    text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
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

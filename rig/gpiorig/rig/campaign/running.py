"""Running studies: record what is missing, analyse what is stale, keep what is done."""

from __future__ import annotations

import contextlib
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from gpiorig.analysis.campaign.results import State, StudyResults
from gpiorig.capture.atomic_file import replacing
from gpiorig.rig.batch import engine
from gpiorig.rig.batch.outcome import Outcome
from gpiorig.rig.campaign import estimate, states, table
from gpiorig.rig.campaign.estimate import Estimate
from gpiorig.rig.campaign.folder import PointFile
from gpiorig.rig.campaign.points import Conditions, Point
from gpiorig.rig.campaign.states import PENDING, Sought
from gpiorig.rig.campaign.stored import RESULTS, Ended
from gpiorig.rig.campaign.work import Task, work
from gpiorig.rig.errors import RigError
from gpiorig.rig.store import catalogue
from gpiorig.rig.store.store import Store
from gpiorig.vbench.serving.direct import refuse_real_ends

Notified = Callable[[Outcome[Task, PointFile]], object]


@dataclass(frozen=True, slots=True)
class Options:
    """How points are worked on.

    `retry`: those that failed or that a firmware refused, too; `directly`: virtual boards without sigrok-cli;
    `insecure`: on a scheduler without certificates, too.
    """

    workers: int = 1
    scheduler: str | None = None
    retry: bool = False
    stop_on_failure: bool = False
    store: Path | None = None
    directly: bool = False
    insecure: bool = False


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended: the studies' results, errors of points that could not be worked on by digest, if it stopped."""

    results: list[StudyResults]
    errors: dict[str, str]
    stopped: bool


def pending(all_sought: Iterable[Sought], *, retry: bool = False) -> list[Task]:
    """What is to be done for studies now, each point once.

    Of a study the first repeat of all points comes first; on boards in random order within it.
    """
    tasks: dict[str, Task] = {}
    for sought in all_sought:
        every = sorted(sought.points(states.rounds(sought)), key=lambda point: point.repeat)
        for point in _shuffled(sought.study.name, every):
            state, _ = sought.state(point)
            if state in PENDING or (retry and state in ("failed", "refused") and not point.refusal):
                folder = sought.folder(point)
                recorded = state == "stale" and not folder.outdated
                task = Task(point, folder.path, sought.names, sought.asserted, recorded)
                other = tasks.get(point.digest)
                tasks[point.digest] = task if other is None else other.joined(task)
    return list(tasks.values())


def estimated(all_sought: Iterable[Sought], tasks: Iterable[Task], *, workers: int = 1) -> Estimate:
    """Time and disk for those that are to be recorded, by those that are."""
    known = {
        point.digest: (point, file)
        for sought in all_sought
        for point in sought.points(states.rounds(sought))
        if (file := sought.folder(point).read()) is not None and not file.error
    }
    return estimate.of([task.point for task in tasks if not task.recorded], known.values(), workers=workers)


def run(all_sought: Sequence[Sought], options: Options, *, ended: Notified = lambda outcome: None) -> Ending:
    """Do what is to be done for studies; called again, it resumes. The tables of points are written at any end."""
    errors = dict[str, str]()
    if options.store is not None:
        catalogue.check_names([options.store, *(sought.output for sought in all_sought)])
    for sought in all_sought:
        sought.output.mkdir(parents=True, exist_ok=True)
        table.enter(sought.output, sought.study.name, table.entry_of(sought.study.path, sought.conditions))
    if options.store is not None:
        for point in (ended for sought in all_sought for ended in _ended(sought)):
            point.add(Store(options.store))
    try:
        stopped = _worked(all_sought, options, ended, errors)
    finally:
        results = [states.results_of(sought.study, sought.conditions, sought.output) for sought in all_sought]
        for sought, of_study in zip(all_sought, results, strict=True):
            table.write(sought.output, of_study)
    return Ending(results, errors, stopped)


def _worked(all_sought: Sequence[Sought], options: Options, ended: Notified, errors: dict[str, str]) -> bool:
    """Work on the points until none is pending, or one failed and the options ask to stop then; whether it stopped."""
    tried = set[str]()
    while tasks := [task for task in pending(all_sought, retry=options.retry) if task.point.digest not in tried]:
        tried |= {task.point.digest for task in tasks}
        owners = _owners(all_sought)
        tasks = [replace(task, directly=options.directly) for task in tasks]
        outcomes = engine.run(
            work,
            tasks,
            workers=None if options.scheduler else options.workers,
            scheduler=options.scheduler,
            insecure=options.insecure,
        )
        with contextlib.closing(outcomes):
            for outcome in outcomes:
                ended(outcome)
                state = _entered(outcome, owners[outcome.item.point.digest], errors, options.store)
                if options.stop_on_failure and "failed" in state:
                    return True
    return False


def _owners(all_sought: Iterable[Sought]) -> dict[str, list[tuple[Sought, Point]]]:
    """The studies that each point is of, by its digest."""
    owners: dict[str, list[tuple[Sought, Point]]] = {}
    for sought in all_sought:
        for point in sought.points(states.rounds(sought)):
            owners.setdefault(point.digest, []).append((sought, point))
    return owners


def _entered(
    outcome: Outcome[Task, PointFile],
    owners: Iterable[tuple[Sought, Point]],
    errors: dict[str, str],
    store: Path | None,
) -> set[State]:
    """The states of a point that was worked on, one for each study that it is of; it is added to the store."""
    after: set[State] = set()
    for sought, point in owners:
        if outcome.error is not None:
            errors[point.digest] = outcome.error
            if outcome.trace:
                with replacing(sought.output / f"{point.digest}.traceback.txt") as new:
                    new.write_text(outcome.trace, encoding="utf-8")
            return {"failed"}
        state, reason = sought.state(point)
        after.add(state)
        if store is not None:
            _as_ended(sought, point, state, reason).add(Store(store))
    return after


def _ended(sought: Sought) -> list[Ended]:
    """The points of a study that have ended."""
    states_of = [(point, *sought.state(point)) for point in sought.points(states.rounds(sought))]
    return [_as_ended(sought, *ending) for ending in states_of if ending[1] in RESULTS]


def _as_ended(sought: Sought, point: Point, state: State, reason: str) -> Ended:
    return Ended(point.study, point.digest, point.coordinates, point.repeat, state, reason, sought.folder(point))


def _shuffled(study: str, points: Sequence[Point]) -> Sequence[Point]:
    """On boards, each repeat in an order of its own, the same one for the study and the repeat at all times."""
    if not points or points[0].bench.virtual is not None:
        return points
    order: list[Point] = []
    for repeat in dict.fromkeys(point.repeat for point in points):
        own = [point for point in points if point.repeat == repeat]
        random.Random(f"{study} {repeat}").shuffle(own)
        order += own
    return order


def check_options(options: Options, conditions: Conditions) -> None:
    """Raise `RigError` for options that contradict each other, or the bench."""
    if options.workers < 1:
        raise RigError(f"--workers {options.workers}: give 1 or more.")
    on_boards = conditions.bench is not None and conditions.bench.virtual is None
    if on_boards and (options.workers > 1 or options.scheduler is not None):
        raise RigError("a bench of boards records one point at a time; omit --workers and --scheduler.")
    if options.directly and conditions.bench is not None:
        refuse_real_ends(conditions.bench)

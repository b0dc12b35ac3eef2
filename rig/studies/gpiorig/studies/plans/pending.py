"""What is to be done for studies now, and the time and the disk that it takes."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from gpiorig.studies.plans import estimate
from gpiorig.studies.plans.estimate import Estimate
from gpiorig.studies.points import states
from gpiorig.studies.points.points import Point
from gpiorig.studies.points.states import PENDING, Sought
from gpiorig.studies.points.work import Task


def pending(all_sought: Iterable[Sought], *, retry: bool = False) -> list[Task]:
    """What is to be done for studies now, each point once.

    The first pass of all comes first; in it, of a study, the first repeat of all points, on boards in random order
    within it.
    """
    tasks: dict[str, tuple[int, Task]] = {}
    for sought in all_sought:
        rounds = states.rounds(sought)
        of_pass = max(len(rounds) // sought.conditions.passes, 1)
        every = sorted(sought.points(rounds), key=lambda point: point.repeat)
        for point in _shuffled(sought.study.name, every):
            state, _ = sought.state(point)
            if state in PENDING or (retry and state in ("failed", "refused") and not point.refusal):
                folder, lane = sought.folder(point), sought.conditions.lane
                recorded = state == "stale" and not folder.outdated
                task = Task(point, folder.path, sought.names, sought.asserted, recorded, lane=lane)
                number, of_study = tasks.get(point.digest, (point.repeat // of_pass, None))
                tasks[point.digest] = number, task if of_study is None else of_study.joined(task)
    return [task for _, task in sorted(tasks.values(), key=lambda item: item[0])]


def estimated(all_sought: Iterable[Sought], tasks: Iterable[Task], *, workers: int = 1) -> Estimate:
    """Time and disk for those that are to be recorded, by those that are."""
    recorded = {
        point.digest: (point, file)
        for sought in all_sought
        for point in sought.points(states.rounds(sought))
        if (file := sought.folder(point).read()) is not None and not file.error
    }
    return estimate.of([task.point for task in tasks if not task.recorded], recorded.values(), workers=workers)


def _shuffled(study: str, points: Sequence[Point]) -> Sequence[Point]:
    """On boards, each repeat in an order of its own, the same one for the study and the repeat at all times."""
    if not points or points[0].bench.virtual is not None:
        return points
    order: list[Point] = []
    for repeat in dict.fromkeys(point.repeat for point in points):
        of_repeat = [point for point in points if point.repeat == repeat]
        random.Random(f"{study} {repeat}").shuffle(of_repeat)
        order += of_repeat
    return order

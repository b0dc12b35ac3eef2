"""What is to be done for studies now, and the time and the disk that it takes."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from gpiorig.studies.points import states
from gpiorig.studies.points.points import Point
from gpiorig.studies.points.states import PENDING, Sought
from gpiorig.studies.points.work import Task

# A rule of thumb, from runs of 2 to 21 virtual M3 on 2 cores: time recorded per time taken is this over nodes + 0.5.
_SPEED = 14.0
_START_S = 2.0  # boot, end and analysis, from the same runs
_SET_UP_S = 10.0  # of boards, chosen
_BYTES_PER_NODE_AND_S = 20_000  # from the same runs
_BYTES = 200_000
_MIN_KNOWN = 3  # points whose times replace the rule


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
                folder = sought.folder(point)
                recorded = state == "stale" and not folder.outdated
                lane = sought.conditions.lane if point.record else ""
                task = Task(point, folder.path, sought.names, sought.asserted, recorded, lane=lane)
                number, of_study = tasks.get(point.digest, (point.repeat // of_pass, None))
                tasks[point.digest] = number, task if of_study is None else of_study.joined(task)
    return [task for _, task in sorted(tasks.values(), key=lambda item: item[0])]


def estimated(all_sought: Iterable[Sought], tasks: Iterable[Task], *, workers: int = 1) -> Estimate:
    """Time and disk for those that are to be recorded, by those that are."""
    done = {
        point.digest: (point, file)
        for sought in all_sought
        for point in sought.points(states.rounds(sought))
        if (file := sought.folder(point).read()) is not None and not file.error and file.recording_s > 0 and file.bytes
    }.values()
    measured, slower, larger = len(done) >= _MIN_KNOWN, 1.0, 1.0
    if measured:
        slower = sum(file.recording_s for _, file in done) / sum(_seconds(point) for point, _ in done)
        larger = sum(file.bytes for _, file in done) / sum(_bytes(point) for point, _ in done)
    points = [task.point for task in tasks if task.records]
    return Estimate(
        len(points), slower * sum(map(_seconds, points)) / workers, larger * sum(map(_bytes, points)), measured
    )


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


@dataclass(frozen=True, slots=True)
class Estimate:
    """Points, their time and their space; `measured` if earlier points of the folder have shown both."""

    points: int
    seconds: float
    bytes: float
    measured: bool

    def __str__(self) -> str:
        basis = "as earlier points" if self.measured else "by a rule of thumb"
        return f"about {_time_text(self.seconds)} and {self.bytes / 1e6:.0f} MB of disk, {basis}"


def _time_text(seconds: float) -> str:
    """Such as ``2 h 5 min`` or ``40 s``."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min" if minutes >= 5 else f"{60 * minutes + rest} s"


def _run_s(point: Point) -> float:
    """Time that the nodes run."""
    experiment = point.experiment
    settings = experiment.settings_of(experiment.initiator)
    limits = [] if experiment.duration_s is None else [float(experiment.duration_s)]
    if experiment.packets is not None:
        limits.append(experiment.packets / max(settings.get("train") or 1, 1) * settings["interval_us"] / 1e6)
    return min(limits)


def _seconds(point: Point) -> float:
    if point.bench.virtual is None:
        return _SET_UP_S + _run_s(point)
    return _START_S + _run_s(point) * (len(point.bench.nodes) + 0.5) / _SPEED


def _bytes(point: Point) -> float:
    return _BYTES + _BYTES_PER_NODE_AND_S * _run_s(point) * len(point.bench.nodes)

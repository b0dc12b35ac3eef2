"""What all who work on a plan share: the journal and the state, the disk, and where points are entered."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from gpiorig.capture.atomic_file import replacing
from gpiorig.rig.store.store import Store
from gpiorig.studies.batch.outcome import Outcome
from gpiorig.studies.pages.results import State as PointState
from gpiorig.studies.plans import plan_file
from gpiorig.studies.plans.disk import Limits
from gpiorig.studies.plans.folders import Folders
from gpiorig.studies.plans.journal import Event, Journal
from gpiorig.studies.plans.plan import Plan
from gpiorig.studies.plans.state import State
from gpiorig.studies.points import states
from gpiorig.studies.points.folder import PointFile
from gpiorig.studies.points.points import Point
from gpiorig.studies.points.states import Sought
from gpiorig.studies.points.stored import RESULTS, Ended
from gpiorig.studies.points.work import Task

Notified = Callable[[Outcome[Task, PointFile]], object]
DISK_POLL_S = 5.0
MIN_BYTES = 1_000_000  # room for a recording of which no size is known


@dataclass(frozen=True, slots=True)
class Options:
    """How points are worked on.

    `retry`: those that failed or that a firmware refused, too; `directly`: virtual boards without sigrok-cli;
    `insecure`: on a scheduler without certificates, too. Workers and a scheduler are for points that no bench of the
    plan records.
    """

    workers: int = 1
    scheduler: str | None = None
    retry: bool = False
    stop_on_failure: bool = False
    store: Path | None = None
    directly: bool = False
    insecure: bool = False


class Session:
    """A plan that runs.

    Attributes
    ----------
    plan, options
        What is done, and how.
    journal, state
        What happened, and what that leads to; the state follows the journal.
    folders, limits
        Where things are, and how much room there is.
    stop, stopped
        The first is set when the plan ends; the second states whether that is for a failure.
    owners
        The studies that each point is of, by its digest.
    errors
        Of points that could not be worked on, by digest.
    """

    def __init__(self, plan: Plan, options: Options, notified: Notified, journal: Journal, state: State) -> None:
        self.plan, self.options, self._notified = plan, options, notified
        self.journal, self.state, self.folders = journal, state, Folders(plan.output)
        self.limits, self.stop = Limits.of(plan.output, plan.file.disk), threading.Event()
        self.owners: dict[str, list[tuple[Sought, Point]]] = {}
        self.errors: dict[str, str] = {}
        self.stopped = False
        self._lock = threading.Lock()

    @property
    def is_over(self) -> bool:
        """Whether nothing more is begun."""
        return self.stop.is_set() or self.plan.file.repeat.is_over

    def find_owners(self) -> None:
        """Find the studies of each point."""
        self.owners = {}
        for sought in self.plan.sought:
            for point in sought.points(states.rounds(sought)):
                self.owners.setdefault(point.digest, []).append((sought, point))

    def attempts(self, task: Task) -> int:
        """How often a point was begun."""
        return self.state.of_point(task.point.digest).attempts

    def register(self) -> None:
        """Add the points to the store that have ended before."""
        if self.options.store is None:
            return
        for sought in self.plan.sought:
            for point in sought.points(states.rounds(sought)):
                self._store(sought, point, *sought.state(point))

    def _store(self, sought: Sought, point: Point, state: PointState, reason: str) -> None:
        if self.options.store is not None and state in RESULTS:
            folder = sought.folder(point)
            ended = Ended(point.study, point.digest, point.coordinates, point.repeat, state, reason, folder)
            ended.add(Store(self.options.store))

    def write(self, event: Event, task: Task, **fields: Any) -> None:
        """Write a record about a point."""
        point = task.point
        self.journal.write(
            event, point=point.digest, study=point.study, repeat=point.repeat, bench=task.lane, **fields
        )  # fmt: skip

    def await_room(self, task: Task) -> str:
        """Wait until there is room for a recording as large as the largest of its study; else why not."""
        size = max(MIN_BYTES, self.state.largest_bytes.get(task.point.study, 0))
        if not (why := self.limits.lacking(size)):
            return ""
        self.write("disk low", task, text=why)
        end_s = time.monotonic() + plan_file.seconds(self.plan.file.disk.wait)
        while (left_s := end_s - time.monotonic()) > 0:
            if self.stop.wait(min(DISK_POLL_S, left_s)):
                return ""
            if not self.limits.lacking(size):
                self.write("disk free", task)
                return ""
        return f"the disk has no room: {why}"

    def entered(self, ended: Outcome[Task, PointFile]) -> set[PointState]:
        """The states of a point that was worked on, one for each study that it is of; it is added to the store.

        After a failure the plan stops where the options ask for it.
        """
        digest, after = ended.item.point.digest, set[PointState]()
        with self._lock:
            self._notified(ended)
            if ended.error is not None:
                self.errors[digest] = ended.error
                if ended.trace:
                    with replacing(self.plan.output / f"{digest}.traceback.txt") as new:
                        new.write_text(ended.trace, encoding="utf-8")
                after = {"failed"}
            else:
                for sought, point in self.owners[digest]:
                    state, reason = sought.state(point)
                    after.add(state)
                    self._store(sought, point, state, reason)
        if self.options.stop_on_failure and "failed" in after:
            self.stopped = True
            self.stop.set()
        return after

    def has_failed(self, digest: str) -> bool:
        """Whether a point has failed for one of its studies."""
        return any(sought.state(point)[0] == "failed" for sought, point in self.owners[digest])

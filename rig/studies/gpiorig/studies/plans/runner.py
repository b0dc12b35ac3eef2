"""Running a plan: record what is missing, analyse what is stale, leave what is done; called again, it resumes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace

from gpiorig.capture import confined
from gpiorig.rig.errors import RigError
from gpiorig.rig.run.record import direct
from gpiorig.rig.store import catalogue
from gpiorig.studies.batch import engine
from gpiorig.studies.batch.outcome import Outcome
from gpiorig.studies.pages.results import StudyResults
from gpiorig.studies.plans import attempt, interruptions, journal, outcome
from gpiorig.studies.plans.folders import ALIVE, Folders
from gpiorig.studies.plans.journal import Journal, Record
from gpiorig.studies.plans.lane import Lane
from gpiorig.studies.plans.pending import pending
from gpiorig.studies.plans.plan import Plan
from gpiorig.studies.plans.session import Notified, Options, Session
from gpiorig.studies.plans.state import State
from gpiorig.studies.points import states, table
from gpiorig.studies.points.folder import PointFile
from gpiorig.studies.points.points import Conditions
from gpiorig.studies.points.work import Task, work

ALIVE_S = 2.0  # how often a plan with benches states that it lives


@dataclass(frozen=True, slots=True)
class Ending:
    """How a plan ended.

    Attributes
    ----------
    results
        Of its studies.
    errors
        Of points that could not be worked on, by digest.
    stopped
        Whether it stopped at a failure.
    why
        Why points are left; empty if none is for a reason of its own.
    left
        Points that were given up or skipped on a bench.
    """

    results: list[StudyResults]
    errors: dict[str, str]
    stopped: bool
    why: str = ""
    left: int = 0


def run(
    plan: Plan,
    options: Options,
    *,
    ended: Notified = lambda outcome: None,
    news: Callable[[Record], object] = lambda record: None,
) -> Ending:
    """Do what is to be done; the tables of points are written at any end.

    Parameters
    ----------
    plan, options
        What, and how.
    ended, news
        Get each point that was worked on, and each record of the journal.

    Raises
    ------
    KeyboardInterrupt
        It was interrupted; what was recorded has ended in order, and the journal states it.
    """
    if options.store is not None:
        catalogue.check_names([options.store, plan.output])
    plan.output.mkdir(parents=True, exist_ok=True)
    if plan.ends:
        attempt.await_orphans(plan.output)
    state = State.of(journal.read(plan.output).records)

    def enter(record: Record) -> None:
        state.enter(record)
        news(record)

    with contextlib.closing(Journal(plan.output, enter)) as written:
        interruptions.recover(written, state, Folders(plan.output))
        return Runner(Session(plan, options, ended, written, state)).run()


class Runner:
    """Works on a plan."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._why: list[str] = []

    def run(self) -> Ending:
        """Work until nothing is left to do, and write the tables of the points."""
        session, results = self._session, list[StudyResults]()
        self._enter_studies()
        session.journal.write("plan started")
        if session.options.retry:
            session.journal.write("released")
        session.register()
        try:
            self._work()
            session.journal.write("plan ended", text=self.why)
        except KeyboardInterrupt as error:
            session.journal.write("plan ended", text=str(error) or "interrupted by SIGINT")
            raise
        finally:
            for sought in session.plan.sought:
                results.append(states.results_of(sought.study, sought.conditions, sought.output))
                table.write(sought.output, results[-1])
        left = sum(
            session.state.of_point(digest).state in ("given up", "skipped")
            for digest, owners in session.owners.items()
            if any(sought.conditions.lane for sought, _ in owners)
        )
        return Ending(results, session.errors, session.stopped, self.why, left)

    @property
    def why(self) -> str:
        """Why points are left."""
        return "; ".join(dict.fromkeys(self._why))

    def _enter_studies(self) -> None:
        for sought in self._session.plan.sought:
            table.enter(sought.output, sought.study.name, table.entry_of(sought.study.path, sought.conditions))

    def _work(self) -> None:
        """Work on the points until none is pending that was not tried."""
        tried = set[tuple[str, bool]]()
        while not self._session.is_over:
            tasks = [task for task in self._pending() if (task.point.digest, task.recorded) not in tried]
            tried |= {(task.point.digest, task.recorded) for task in tasks}
            for group in self._session.plan.groups(tasks):
                self._work_on(group)
                if self._session.stop.is_set() or self._why:
                    return
            if not tasks and not self._passed():
                return

    def _pending(self) -> list[Task]:
        """Tasks, without those of benches whose recordings were moved away."""
        session = self._session
        session.find_owners()
        tasks = pending(session.plan.sought, retry=session.options.retry)
        return [replace(task, directly=session.options.directly) for task in tasks if not self._is_moved(task)]

    def _is_moved(self, task: Task) -> bool:
        session, digest = self._session, task.point.digest
        is_complete = session.state.of_point(digest).state == "complete"
        return bool(task.lane) and is_complete and not session.folders.point(digest).recording.exists()

    def _passed(self) -> bool:
        """Begin another pass, if there is time for one and a point of the last one is complete."""
        session = self._session
        if session.plan.file.repeat.passes is not None:
            return False
        for sought in session.plan.sought:
            rounds = states.rounds(sought)
            latest = rounds[len(rounds) - len(rounds) // sought.conditions.passes :]
            if any(sought.state(point)[0] in ("done", "missing") for point in sought.points(latest)):
                session.plan = session.plan.later()
                self._enter_studies()
                return True
        return False

    def _work_on(self, group: Sequence[Task]) -> None:
        """Work on a group: each lane in a thread, and the rest in this one, on workers or on a cluster."""
        session, lanes = self._session, self._session.plan.lanes(group)
        pool = [task for task in group if task.recorded or not task.lane]
        if not lanes:
            self._pool(pool)
            return
        alive = confined.inside(session.plan.output, ALIVE)
        with ThreadPoolExecutor(len(lanes)) as threads:
            working: set[Future[str]] = {threads.submit(Lane(session).work, lane) for lane in lanes}
            try:
                self._pool(pool)
                while working:
                    done, working = wait(working, timeout=ALIVE_S, return_when=FIRST_COMPLETED)
                    with contextlib.suppress(OSError):  # a full disk
                        alive.touch()
                    self._why += [why for future in done if (why := future.result())]
            except BaseException:
                session.stop.set()
                raise

    def _pool(self, tasks: Sequence[Task]) -> None:
        """Work on points of virtual boards that no bench of the plan records, and on those that are recorded."""
        if not tasks:
            return
        session, begun = self._session, dict[str, Task]()
        options = session.options
        outcomes = engine.run(
            work,
            self._begun(tasks, begun),
            workers=None if options.scheduler else min(options.workers, len(tasks)),
            scheduler=options.scheduler,
            insecure=options.insecure,
        )
        try:
            with contextlib.closing(outcomes):
                for ended in outcomes:
                    begun.pop(ended.item.point.digest, None)
                    self._write_end(ended)
                    session.entered(ended)
                    if session.stop.is_set():
                        return
        finally:
            for task in begun.values():
                session.write("cut", task, text="it was stopped", attempt=session.attempts(task))

    def _begun(self, tasks: Iterable[Task], begun: dict[str, Task]) -> Iterator[Task]:
        """The tasks, each one when it is begun, as long as there is room on the disk."""
        session = self._session
        for task in tasks:
            if session.is_over:
                return
            if task.records:
                if why := session.await_room(task):
                    self._why.append(why)
                    return
                begun[task.point.digest] = task
                session.write("started", task, attempt=session.attempts(task) + 1)
            yield task

    def _write_end(self, ended: Outcome[Task, PointFile]) -> None:
        """Write how a point of the pool ended that was recorded."""
        session, task, file = self._session, ended.item, ended.result
        if not task.records:
            return
        number = session.attempts(task)
        if file is None:
            error = outcome.of_error(ended.error or "")
            session.write("failed", task, attempt=number, cause=error.cause, text=error.text)
        elif file.error:
            session.write("failed", task, attempt=number, cause="program", text=file.error, seconds=file.recording_s)
            session.write("given up", task, text=file.error)
        elif file.refusal:
            session.write("failed", task, attempt=number, cause="firmware", text=file.refusal)
            session.write("refused", task, text=file.refusal)
        else:
            folder = session.folders.relative(session.folders.point(task.point.digest).recording)
            sizes = {"bytes": file.bytes, "seconds": file.recording_s}
            session.write("complete", task, attempt=number, folder=folder, state="complete", **sizes)


def check_options(options: Options, conditions: Conditions) -> None:
    """Raise `RigError` for options that contradict each other, or the bench."""
    if conditions.lane and (options.workers > 1 or options.scheduler is not None):
        raise RigError("a bench of boards records one point at a time; omit --workers and --scheduler.")
    if options.directly and conditions.bench is not None:
        direct(conditions.bench).refuse_real_ends(conditions.bench)

"""A lane: points on benches one after another, with their attempts, hooks and quarantine; lanes run in parallel."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Sequence
from dataclasses import replace

from gpiorig.capture import log
from gpiorig.studies.batch import outcome as done_by
from gpiorig.studies.plans import outcome, plan_file
from gpiorig.studies.plans.attempt import Watch
from gpiorig.studies.plans.outcome import Outcome
from gpiorig.studies.plans.session import Session
from gpiorig.studies.plans.state import place
from gpiorig.studies.points.folder import PointFolder
from gpiorig.studies.points.work import Task, boards_of, new_file, work

LAST_BYTES = 2000  # of what a hook prints


class Lane:
    """Works on the points of benches, one after another."""

    def __init__(self, session: Session) -> None:
        self._session, self._watchdog = session, session.plan.file.watchdog
        self._folders, self._state = session.folders, session.state

    def work(self, tasks: Sequence[Task]) -> str:
        """Work on points.

        Returns
        -------
        str
            Why some are left; empty if none is, or if the plan was stopped.
        """
        for task in tasks:
            if self._session.is_over:
                return ""
            if why := self._work_on(task):
                return why
        for bench in dict.fromkeys(task.lane for task in tasks):
            self._fetch_earlier(bench)
        return ""

    def _work_on(self, task: Task) -> str:
        """Attempt a point until it is complete, or given up; why not, if it lacks room."""
        digest = task.point.digest
        while not self._session.stop.is_set():
            progress = self._state.of_point(digest)
            if progress.state in ("given up", "refused", "skipped"):
                return ""
            if why := self._quarantine(task.lane):
                self._session.write("skipped", task, text=why)
            elif progress.failures > self._watchdog.retries:
                text = f"{progress.failures} attempts failed, the last: {progress.text}"
                self._give_up(task, text, is_refused=progress.cause == "firmware")
            elif why := self._session.await_room(task):
                return why
            elif self._fetch_earlier(task.lane):
                if self._folders.is_complete(digest):
                    self._analysed(task)
                    return ""
            elif not self._session.stop.is_set():
                ended = self._attempt(task, progress.attempts + 1)
                if not ended.cause:
                    return ""
                if ended.cause == "input":
                    self._give_up(task, ended.text)
                elif ended.cause != "stopped":
                    self._follow_up(task.lane, ended)
        return ""

    def _attempt(self, task: Task, number: int) -> Outcome:
        """One attempt; what does not count is moved away."""
        digest, end = task.point.digest, self._session.plan.ends[task.lane]
        self._folders.keep(digest, number - 1)  # such as a recording that failed, to be made again
        remote_folder = end.remote_folder(task, number)
        self._session.write("started", task, attempt=number, remote_folder=remote_folder)
        began_s = time.monotonic()
        watch = Watch(
            silence_s=plan_file.seconds(self._watchdog.silence),
            timeout_s=plan_file.seconds(self._watchdog.timeout),
            sign=lambda: end.sign(task.folder, self._folders.log(digest, number)),
            is_low=self._session.limits.is_low,
            stop=self._session.stop,
        )
        try:
            ended = end.run(task, number, remote_folder, self._folders, watch)
        except OSError as error:  # such as no room for what the program prints
            ended = outcome.of_error(str(error))
        if ended.cause == "program" and self._session.limits.is_full():
            ended = Outcome("disk", f"the disk is full; {ended.text}")
        seconds = round(time.monotonic() - began_s, 3)
        if not ended.cause:
            ended = self._recorded(task, seconds)
        folder = PointFolder(task.folder).recording
        if ended.cause and (ended.cause != "check" or not self._is_last(digest)):
            folder = self._folders.keep(digest, number)
        self._session.write(
            "complete" if not ended.cause else "cut" if ended.cause == "stopped" else "failed",
            task,
            attempt=number,
            node=ended.node,
            cause=ended.cause,
            text=ended.text,
            remote_folder=ended.remote_folder,
            seconds=seconds,
            **self._folders.described(folder),
        )
        return ended

    def _is_last(self, digest: str) -> bool:
        """Whether no other attempt follows one that fails."""
        return self._state.of_point(digest).failures >= self._watchdog.retries

    def _recorded(self, task: Task, seconds: float) -> Outcome:
        """Analyse a recording that is complete; the checks that fail are the outcome."""
        file = new_file(task.point, recording_s=seconds, boards=boards_of(task.point))
        PointFolder(task.folder).write(file, None)
        return self._analysed(task)

    def _analysed(self, task: Task) -> Outcome:
        """Analyse a recording; a failed check is the outcome, and ends the work on the point with the last attempt."""
        done, digest = done_by.attempt(work, replace(task, recorded=True)), task.point.digest
        has_failed = done.result is not None and self._session.has_failed(digest)
        if not has_failed or self._is_last(digest):
            self._session.entered(done)
        reasons = [*done.result.checks, *filter(None, done.result.verdicts.values())] if done.result else []
        return Outcome("check", " ".join(reasons)) if has_failed else Outcome()

    def _give_up(self, task: Task, text: str, *, is_refused: bool = False) -> None:
        """The point has failed, or its firmware refuses it; one whose recording is complete has its numbers."""
        folder = PointFolder(task.folder)
        if folder.open() is None:
            folder.path.mkdir(parents=True, exist_ok=True)
            folder.write(new_file(task.point, **{"refusal" if is_refused else "error": text}), None)
            self._session.entered(done_by.Outcome(task, folder.read(), None, 0.0))
        self._session.write("refused" if is_refused else "given up", task, text=text)

    def _fetch_earlier(self, bench: str) -> bool:
        """Fetch what earlier attempts left on the machine of a bench; whether there was something.

        A complete recording counts.
        """
        end, fetched = self._session.plan.ends[bench], False
        for remote_folder, record in list(self._state.not_fetched.items()):
            folder = self._folders.leftover(record.point, record.attempt)
            if record.bench != bench or self._session.stop.is_set() or not end.fetch(remote_folder, folder):
                continue
            fetched = True
            counts = outcome.state_of(folder) == "complete" and not self._folders.is_complete(record.point)
            if counts:
                folder = self._folders.count(record.point, record.attempt)
            self._session.journal.write(
                "complete" if counts else "fetched",
                point=record.point,
                study=record.study,
                repeat=record.repeat,
                bench=bench,
                attempt=record.attempt,
                **self._folders.described(folder),
            )
        return fetched

    def _follow_up(self, bench: str, ended: Outcome) -> None:
        """After a failure: quarantine, or the hook and a pause before the next attempt."""
        streaks, limit = self._state.streaks, self._watchdog.quarantine_after
        for node in dict.fromkeys((ended.node, "")):
            key = place(bench, node)
            if streaks.get(key, 0) >= limit and key not in self._state.quarantined:
                text = f"{streaks[key]} failures in a row, the last: {ended.text}"
                self._session.journal.write("quarantined", bench=bench, node=node, cause=ended.cause, text=text)
        if not self._quarantine(bench):
            self._power_cycle(bench, ended)
            self._session.stop.wait(plan_file.seconds(self._watchdog.pause))

    def _quarantine(self, bench: str) -> str:
        """Why nothing can start on a bench; empty if it can."""
        caught = [key for key in self._state.quarantined if key.partition("/")[0] == bench]
        return f"{caught[0]} is in quarantine" if caught else ""

    def _power_cycle(self, bench: str, ended: Outcome) -> None:
        """Run the hook of the user; what it prints last, or why it failed, is in the journal."""
        benches = self._session.plan.file.benches
        if bench not in benches or not (hook := benches[bench].power_cycle):
            return
        filled = [
            word.replace("{bench}", bench).replace("{node}", ended.node).replace("{cause}", ended.cause)
            for word in hook
        ]
        began_s = time.monotonic()
        log.runs(filled)
        try:
            done = subprocess.run(
                filled,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=plan_file.seconds(self._watchdog.hook_timeout),
                check=False,
            )
            printed = done.stdout[-LAST_BYTES:].decode(errors="replace").strip()
            text = f"status {done.returncode}{f': {printed}' if printed else ''}"
        except subprocess.TimeoutExpired as error:
            text = f"was ended after {error.timeout:g} s"
        except OSError as error:
            text = f"cannot be started: {error.strerror}: {filled[0]}"
        seconds = round(time.monotonic() - began_s, 3)
        self._session.journal.write(
            "power cycle", bench=bench, node=ended.node, cause=ended.cause, text=text, seconds=seconds
        )

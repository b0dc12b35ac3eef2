"""A lane: runs one after another, with their attempts, hooks and quarantine; lanes run in parallel."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from gpiorig.capture import log
from gpiorig.rig.queue import outcome, plan, queue_file
from gpiorig.rig.queue.attempt import Watch
from gpiorig.rig.queue.disk import Limits, size_of
from gpiorig.rig.queue.ends import End
from gpiorig.rig.queue.folders import Folders
from gpiorig.rig.queue.journal import Event, Journal
from gpiorig.rig.queue.outcome import Outcome
from gpiorig.rig.queue.plan import Run
from gpiorig.rig.queue.queue_file import QueueFile
from gpiorig.rig.queue.state import State, place

DISK_POLL_S = 5.0
MIN_BYTES = 1_000_000  # room for a run of which no size is known
LAST_BYTES = 2000  # of what a hook prints


@dataclass(frozen=True, slots=True)
class Context:
    """What all lanes share.

    Parameters
    ----------
    file
        The queue.
    ends
        By name of a bench: how its runs are started.
    folders, journal, limits
        Where things are, and how much room there is.
    state
        What the journal leads to; it follows the journal.
    stop
        Is set when the queue ends.
    """

    file: QueueFile
    ends: dict[str, End]
    folders: Folders
    journal: Journal
    limits: Limits
    state: State
    stop: threading.Event


class Lane:
    """The runs of some jobs, one after another."""

    def __init__(self, jobs: Sequence[queue_file.Job], context: Context) -> None:
        self._jobs, self._context = jobs, context
        self._watchdog = context.file.watchdog

    def work(self) -> str:
        """Work on all passes; a pass in which no run is or becomes complete is the last.

        Returns
        -------
        str
            Why runs are left; empty if none is, or if the queue was stopped.
        """
        for number in plan.passes(self._context.file.repeat):
            complete = False
            for run in plan.of_pass(self._jobs, number):
                if self._context.stop.is_set() or plan.is_over(self._context.file.repeat):
                    return ""
                if why := self._work_on(run):
                    return why
                complete |= self._state_of(run) == "complete"
            if not complete:
                break
        for bench in {job.bench for job in self._jobs}:
            self._fetch_earlier(bench)
        return ""

    def _state_of(self, run: Run) -> str:
        return self._context.state.runs[run.name].state if run.name in self._context.state.runs else "waiting"

    def _work_on(self, run: Run) -> str:
        """Attempt a run until it is complete, or given up; why not, if it lacks room."""
        state, bench = self._context.state, run.job.bench
        while self._state_of(run) == "waiting" and not self._context.stop.is_set():
            progress = state.runs.get(run.name)
            if why := self._quarantine(run):
                self._write("skipped", run, text=why)
            elif progress is not None and progress.failures > self._watchdog.retries:
                self._write("given up", run, text=f"{progress.failures} attempts failed, the last: {progress.text}")
            elif why := self._await_room(run):
                return why
            elif self._fetch_earlier(bench):
                continue
            elif not self._context.stop.is_set():
                ended = self._attempt(run, progress.attempts + 1 if progress is not None else 1)
                if ended.cause == "input":
                    self._write("given up", run, cause=ended.cause, text=ended.text)
                elif ended.cause and ended.cause != "stopped":
                    self._follow_up(run, ended, bench)
        return ""

    def _attempt(self, run: Run, number: int) -> Outcome:
        """One attempt; what is not complete is moved away."""
        folders, end = self._context.folders, self._context.ends[run.job.bench]
        remote_folder = end.remote_folder(run, number)
        self._write("started", run, attempt=number, remote_folder=remote_folder)
        began_s = time.monotonic()
        watch = Watch(
            silence_s=queue_file.seconds(self._watchdog.silence),
            timeout_s=queue_file.seconds(self._watchdog.timeout),
            sign=lambda: end.sign(folders.run(run), folders.log(run, number)),
            is_low=self._context.limits.is_low,
            stop=self._context.stop,
        )
        try:
            ended = end.run(run, number, remote_folder, folders, watch)
        except OSError as error:  # such as no room for what the program prints
            ended = outcome.of_error(error)
        if ended.cause == "program" and self._context.limits.is_full():
            ended = Outcome("disk", f"the disk is full; {ended.text}")
        seconds = round(time.monotonic() - began_s, 3)
        if not ended.cause:
            folder = folders.run(run)
            self._write(
                "complete",
                run,
                attempt=number,
                folder=folders.relative(folder),
                state=outcome.state_of(folder),
                bytes=size_of(folder),
                seconds=seconds,
            )
            return ended
        leftover = folders.keep(run, number)
        self._write(
            "cut" if ended.cause == "stopped" else "failed",
            run,
            attempt=number,
            node=ended.node,
            cause=ended.cause,
            text=ended.text,
            folder=folders.relative(leftover),
            remote_folder=ended.remote_folder,
            state=outcome.state_of(leftover),
            bytes=size_of(leftover),
            seconds=seconds,
        )
        return ended

    def _fetch_earlier(self, bench: str) -> bool:
        """Fetch what earlier attempts left on the machine of a bench; whether there was something.

        A complete recording counts, unless the checks of its report are asked for, whose result is not known.
        """
        folders, end = self._context.folders, self._context.ends[bench]
        fetched = False
        for remote_folder, record in list(self._context.state.not_fetched.items()):
            earlier = plan.of_name(record.run, self._context.file.jobs)
            folder = folders.leftover(earlier, record.attempt)
            if record.bench != bench or self._context.stop.is_set() or not end.fetch(remote_folder, folder):
                continue
            fetched, state = True, outcome.state_of(folder)
            counts = state == "complete" and not earlier.job.report and self._state_of(earlier) != "complete"
            if counts:
                folder = folders.count(earlier, record.attempt)
            self._write(
                "complete" if counts else "fetched",
                earlier,
                attempt=record.attempt,
                folder=folders.relative(folder),
                state=state,
                bytes=size_of(folder),
            )
        return fetched

    def _follow_up(self, run: Run, ended: Outcome, bench: str) -> None:
        """After a failure: quarantine, or the hook and a pause before the next attempt."""
        streaks, limit = self._context.state.streaks, self._watchdog.quarantine_after
        for node in dict.fromkeys((ended.node, "")):
            key = place(bench, node)
            if bench and streaks.get(key, 0) >= limit and key not in self._context.state.quarantined:
                text = f"{streaks[key]} failures in a row, the last: {ended.text}"
                self._context.journal.write("quarantined", bench=bench, node=node, cause=ended.cause, text=text)
        if not self._quarantine(run):
            self._power_cycle(run, ended)
            self._context.stop.wait(queue_file.seconds(self._watchdog.pause))

    def _quarantine(self, run: Run) -> str:
        """Why a run cannot start; empty if it can."""
        caught = [key for key in self._context.state.quarantined if key.partition("/")[0] == run.job.bench]
        return f"{caught[0]} is in quarantine" if caught else ""

    def _power_cycle(self, run: Run, ended: Outcome) -> None:
        """Run the hook of the user; what it prints last, or why it failed, is in the journal."""
        bench = run.job.bench
        if not bench or not (hook := self._context.file.benches[bench].power_cycle):
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
                timeout=queue_file.seconds(self._watchdog.hook_timeout),
                check=False,
            )
            printed = done.stdout[-LAST_BYTES:].decode(errors="replace").strip()
            text = f"status {done.returncode}{f': {printed}' if printed else ''}"
        except subprocess.TimeoutExpired as error:
            text = f"was ended after {error.timeout:g} s"
        except OSError as error:
            text = f"cannot be started: {error.strerror}: {filled[0]}"
        seconds = round(time.monotonic() - began_s, 3)
        self._context.journal.write(
            "power cycle", bench=bench, node=ended.node, cause=ended.cause, text=text, seconds=seconds
        )

    def _await_room(self, run: Run) -> str:
        """Wait until there is room for a run as large as the largest of its job; why there is none, else empty."""
        limits = self._context.limits
        wanted = max(MIN_BYTES, self._context.state.largest_bytes.get(run.job.name, 0))
        if not (why := limits.lacking(wanted)):
            return ""
        self._write("disk low", run, text=why)
        end_s = time.monotonic() + queue_file.seconds(self._context.file.disk.wait)
        while (left_s := end_s - time.monotonic()) > 0:
            if self._context.stop.wait(min(DISK_POLL_S, left_s)):
                return ""
            if not limits.lacking(wanted):
                self._write("disk free", run)
                return ""
        return f"the disk has no room: {why}"

    def _write(self, event: Event, run: Run, **fields: object) -> None:
        self._context.journal.write(event, run=run.name, bench=run.job.bench, **fields)

"""What an earlier queue left: the time in which none ran is a record, and so is each run that was cut."""

from __future__ import annotations

import datetime

from gpiorig.rig.queue import outcome, plan
from gpiorig.rig.queue.disk import size_of
from gpiorig.rig.queue.folders import ALIVE, Folders
from gpiorig.rig.queue.journal import Journal
from gpiorig.rig.queue.plan import Run
from gpiorig.rig.queue.queue_file import QueueFile
from gpiorig.rig.queue.state import State


def recover(file: QueueFile, journal: Journal, state: State, folders: Folders) -> None:
    """Write what happened since the last record of an earlier queue."""
    if not journal.records:
        return
    last = journal.records[-1]
    if last.event != "queue ended" or last.text:
        seen = datetime.datetime.fromisoformat(last.at)
        alive = folders.output / ALIVE
        if alive.exists():
            seen = max(seen, datetime.datetime.fromtimestamp(alive.stat().st_mtime, datetime.UTC))
        seconds = (datetime.datetime.now(datetime.UTC) - seen).total_seconds()
        journal.write(
            "gap",
            text=f"no queue ran from {seen.isoformat(timespec='milliseconds')}: {last.text or 'it was killed'}",
            seconds=round(max(seconds, 0.0), 3),
        )
    remote_folders = {record.run: folder for folder, record in state.not_fetched.items() if record.event == "started"}
    for name, progress in list(state.runs.items()):
        if progress.state == "running":
            run = plan.of_name(name, file.jobs)
            _recover_run(run, progress.attempts, remote_folders.get(name, ""), journal, folders)


def _recover_run(run: Run, attempt: int, remote_folder: str, journal: Journal, folders: Folders) -> None:
    """A run that was running: complete before the queue could write it down, or cut.

    Its recording is here, or still on another machine.
    """
    folder = folders.run(run)
    about = {"run": run.name, "bench": run.job.bench, "attempt": attempt}
    state = outcome.state_of(folder)
    if run.job.experiment and state == "complete":
        journal.write(
            "complete",
            **about,
            text="the queue was killed before it wrote this down",
            folder=folders.relative(folder),
            state=state,
            bytes=size_of(folder),
        )
        return
    leftover = folders.keep(run, attempt)
    journal.write(
        "cut",
        **about,
        text="the queue was killed",
        folder=folders.relative(leftover),
        remote_folder="" if leftover.exists() else remote_folder,
        state=outcome.state_of(leftover),
        bytes=size_of(leftover),
    )

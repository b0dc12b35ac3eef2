"""What an earlier queue left: the time in which none ran is a record, and so is each run that was cut."""

from __future__ import annotations

import datetime

from gpiorig.rig.queue import journal as journal_lines
from gpiorig.rig.queue import outcome, plan
from gpiorig.rig.queue.disk import size_of
from gpiorig.rig.queue.folders import ALIVE, RUNS, Folders
from gpiorig.rig.queue.journal import Journal
from gpiorig.rig.queue.plan import Run
from gpiorig.rig.queue.queue_file import QueueFile
from gpiorig.rig.queue.state import State


def recover(file: QueueFile, journal: Journal, state: State, folders: Folders) -> None:
    """Write what happened since the last record of an earlier queue."""
    if not journal.records:
        return
    last = journal.records[-1]
    if journal.damaged:
        _adopt(file, journal, state, folders)
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


def _adopt(file: QueueFile, journal: Journal, state: State, folders: Folders) -> None:
    """Take complete recordings for what they are whose lines in the journal are damaged: none is made again."""
    numbers = ", ".join(map(str, journal.damaged))
    text = f"lines that cannot be read: {numbers}; complete recordings are found in their folders"
    journal.write("damaged", text=f"{text}, failures, quarantine and sizes that they stated are lost")
    for folder in sorted((folders.output / RUNS).glob("*")):
        name = folder.name
        is_unfinished = name not in state.runs or state.runs[name].state == "waiting"
        if not journal_lines.RUN.fullmatch(name) or not is_unfinished:
            continue
        run = plan.of_name(name, file.jobs)
        if run.job.experiment and outcome.state_of(folders.run(run)) == "complete":
            _write_complete(run, state.runs[name].attempts if name in state.runs else 0, journal, folders)


def _recover_run(run: Run, attempt: int, remote_folder: str, journal: Journal, folders: Folders) -> None:
    """A run that was running: complete before the queue could write it down, or cut.

    Its recording is here, or still on another machine.
    """
    if run.job.experiment and outcome.state_of(folders.run(run)) == "complete":
        _write_complete(run, attempt, journal, folders)
        return
    leftover = folders.keep(run, attempt)
    journal.write(
        "cut",
        run=run.name,
        bench=run.job.bench,
        attempt=attempt,
        text="the queue was killed",
        folder=folders.relative(leftover),
        remote_folder="" if leftover.exists() else remote_folder,
        state=outcome.state_of(leftover),
        bytes=size_of(leftover),
    )


def _write_complete(run: Run, attempt: int, journal: Journal, folders: Folders) -> None:
    folder = folders.run(run)
    journal.write(
        "complete",
        run=run.name,
        bench=run.job.bench,
        attempt=attempt,
        text="found in its folder: the queue was killed before it wrote this down, or the line is damaged",
        folder=folders.relative(folder),
        state="complete",
        bytes=size_of(folder),
    )

"""What an interrupted call left: the time in which none ran is a record, and so is each attempt that was cut.

The points that are still to be recorded are found by `runner` (`pending`).
"""

from __future__ import annotations

import datetime

from gpiorig.studies.plans.folders import ALIVE, Folders
from gpiorig.studies.plans.journal import POINT, Journal
from gpiorig.studies.plans.state import Progress, State
from gpiorig.studies.points.folder import POINTS


def recover(journal: Journal, state: State, folders: Folders) -> None:
    """Write what happened since the last record of an earlier call."""
    if not journal.records:
        return
    latest = journal.records[-1]
    if journal.damaged:
        _adopt(journal, state, folders)
    if latest.event != "plan ended" or latest.text:
        seen = datetime.datetime.fromisoformat(latest.at)
        alive = folders.output / ALIVE
        if alive.exists():
            seen = max(seen, datetime.datetime.fromtimestamp(alive.stat().st_mtime, datetime.UTC))
        seconds = (datetime.datetime.now(datetime.UTC) - seen).total_seconds()
        journal.write(
            "gap",
            text=f"nothing ran from {seen.isoformat(timespec='milliseconds')}: {latest.text or 'it was killed'}",
            seconds=round(max(seconds, 0.0), 3),
        )
    starts = {record.point: record for record in journal.records if record.event == "started"}
    for digest, progress in list(state.points.items()):
        if progress.state == "running":
            started = starts[digest]
            _recover_point(digest, started.bench, started.remote_folder, journal, progress, folders)


def _adopt(journal: Journal, state: State, folders: Folders) -> None:
    """Take complete recordings for what they are whose lines in the journal are damaged: none is made again."""
    numbers = ", ".join(map(str, journal.damaged))
    text = f"lines that cannot be read: {numbers}; complete recordings are found in their folders"
    journal.write("damaged", text=f"{text}, failures, quarantine and sizes that they stated are lost")
    for path in sorted((folders.output / POINTS).glob("*")):
        if not POINT.fullmatch(path.name):
            continue
        progress = state.of_point(path.name)
        if progress.state == "waiting" and folders.is_complete(path.name):
            _write_complete(path.name, "", journal, progress, folders)


def _recover_point(
    digest: str, bench: str, remote_folder: str, journal: Journal, progress: Progress, folders: Folders
) -> None:
    """A point that was running: complete before that could be written down, or cut.

    Its recording is here, or still on another machine. Of virtual boards without a bench in the plan, whose recordings
    can be made again, nothing is moved.
    """
    if folders.is_complete(digest):
        _write_complete(digest, bench, journal, progress, folders)
        return
    leftover = folders.keep(digest, progress.attempts) if bench else folders.leftover(digest, progress.attempts)
    journal.write(
        "cut",
        point=digest,
        study=progress.study,
        repeat=progress.repeat,
        bench=bench,
        attempt=progress.attempts,
        text="it was killed",
        remote_folder="" if leftover.exists() else remote_folder,
        **folders.described(leftover),
    )


def _write_complete(digest: str, bench: str, journal: Journal, progress: Progress, folders: Folders) -> None:
    file = folders.point(digest).read()
    journal.write(
        "complete",
        point=digest,
        study=progress.study or (file.study if file is not None else ""),
        repeat=progress.repeat if file is None else file.repeat,
        bench=bench,
        attempt=progress.attempts,
        text="found in its folder: the end was not written down, or the line is damaged",
        **folders.described(folders.point(digest).recording),
    )

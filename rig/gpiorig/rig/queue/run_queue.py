"""Running a queue: what an earlier one left is set right, then all lanes work until nothing is left to do."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from gpiorig.capture import confined
from gpiorig.rig.campaign import lock
from gpiorig.rig.queue import attempt, journal, recovery
from gpiorig.rig.queue.disk import Limits
from gpiorig.rig.queue.ends import End, Local
from gpiorig.rig.queue.folders import ALIVE, Folders
from gpiorig.rig.queue.journal import Journal, Record
from gpiorig.rig.queue.lane import Context, Lane
from gpiorig.rig.queue.queue_file import QueueFile
from gpiorig.rig.queue.remote import Remote
from gpiorig.rig.queue.state import State

ALIVE_S = 2.0  # how often the queue states that it lives


def output_of(file: QueueFile, path: Path) -> Path:
    """The folder of a queue, which is relative to its file."""
    return path.parent / file.output


def ends_of(file: QueueFile, base: Path) -> dict[str, End]:
    """How runs are started on each bench, checked as far as it can be before the first run; "" without a bench."""
    ends: dict[str, End] = {"": Local("", base)}
    for name, bench in file.benches.items():
        ends[name] = Remote(bench, base) if bench.is_remote else Local(bench.file, base)
    for name, end in ends.items():
        end.check([job for job in file.jobs if job.bench == name])
    return ends


def run(
    file: QueueFile, path: Path, *, retry: bool = False, news: Callable[[Record], object] = lambda record: None
) -> tuple[State, str]:
    """Run a queue until its end; called again, it resumes.

    Parameters
    ----------
    file, path
        The queue and its file.
    retry
        Whether what was given up or put into quarantine is tried again.
    news
        Gets each record of the journal.

    Returns
    -------
    State
        What was done.
    str
        Why runs are left; empty if none is.

    Raises
    ------
    RigError
        Something in the queue cannot be, or another process runs it.
    KeyboardInterrupt
        It was interrupted; its runs have ended in order, and the journal states it.
    """
    output = output_of(file, path)
    ends = ends_of(file, path.parent)
    with lock.held(output):
        attempt.await_orphans(output)
        progress = State.of(journal.read(output).records)

        def enter(record: Record) -> None:
            progress.enter(record)
            news(record)

        written = Journal(output, enter)
        try:
            folders = Folders(output)
            recovery.recover(file, written, progress, folders)
            written.write("queue started", text=str(path))
            if retry:
                written.write("released")
            context = Context(
                file, ends, folders, written, Limits.of(output, file.disk), progress, threading.Event()
            )  # fmt: skip
            why, interruption = _work(context)
            words = str(interruption) or "interrupted by SIGINT" if interruption is not None else why
            written.write("queue ended", text=words)
        finally:
            written.close()
    if interruption is not None:
        raise interruption
    return progress, why


def _work(context: Context) -> tuple[str, KeyboardInterrupt | None]:
    """Work on all lanes; returns why runs are left, empty if none is, and what interrupted them."""
    lanes = [Lane(jobs, context) for jobs in context.file.lanes.values()]
    alive = confined.inside(context.folders.output, ALIVE)
    interruption, whys = None, list[str]()
    with ThreadPoolExecutor(len(lanes)) as pool:
        working: set[Future[str]] = {pool.submit(lane.work) for lane in lanes}
        while working:
            try:
                done, working = wait(working, timeout=ALIVE_S, return_when=FIRST_COMPLETED)
                with contextlib.suppress(OSError):  # a full disk
                    alive.touch()
                whys += [why for future in done if (why := future.result())]
            except KeyboardInterrupt as error:
                interruption = error
                context.stop.set()
            except BaseException:
                context.stop.set()
                raise
    return "; ".join(dict.fromkeys(whys)), interruption

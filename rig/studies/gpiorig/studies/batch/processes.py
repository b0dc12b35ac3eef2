"""Tasks on processes of this machine, over pipes that no other process can reach: no port is opened.

`concurrent.futures` gives up all items when one process dies, and its processes outlive a parent that is killed.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import pickle
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any, TypeVar

from gpiorig.analysis import forked
from gpiorig.capture import memory
from gpiorig.rig.errors import Interrupted, RigError
from gpiorig.studies.batch.outcome import Outcome, attempt

Item = TypeVar("Item")
Result = TypeVar("Result")

TRIES = 3  # of an item whose process dies
END_S = 10.0  # a process that is asked to end does within this, or is killed
ENVIRONMENT = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
READY = "ready"


@dataclass(frozen=True, slots=True)
class _Task:
    item: Any
    tries: int = 1


@dataclass(eq=False, slots=True)
class _Worker:
    """A process, our end of its pipe, and its task; None until it is ready."""

    process: SpawnProcess
    pipe: Connection
    task: _Task | None = None

    def give(self, task: _Task) -> str:
        """Send a task; why it cannot be sent, or empty."""
        try:
            self.pipe.send(task.item)
        except OSError:  # it has died: its pipe ends, which is noticed where results are awaited
            pass
        except Exception as error:
            return _not_passed(error)
        self.task = task
        return ""

    def end(self) -> None:
        """Close its pipe, and wait for its end."""
        self.pipe.close()
        self.process.join(END_S)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()


def outcomes(
    function: Callable[[Item], Result], items: Iterable[Item], workers: int
) -> Iterator[Outcome[Item, Result]]:
    """The outcome of each item as it ends; a process that dies is replaced, and its item tried twice more.

    Raises
    ------
    RigError
        Processes do not start.
    """
    left, again = (_Task(item) for item in items), deque[_Task]()
    crew: list[_Worker] = []
    with _environment(ENVIRONMENT):
        try:
            crew += (_started(function) for _ in range(workers))
            yield from _worked(crew, function, left, again)
        finally:
            for worker in crew:
                worker.process.terminate()
            for worker in crew:
                worker.end()


def _worked(
    crew: list[_Worker], function: Callable[[Item], Result], left: Iterator[_Task], again: deque[_Task]
) -> Iterator[Outcome[Item, Result]]:
    """The outcomes of a crew, until none of it has work."""
    while crew:
        for worker in _with_news(crew):
            answer = _answer(worker)
            if answer is None:
                crew.remove(worker)
                yield from _lost(worker, again)
                crew.append(_started(function))
                continue
            if worker.task is not None:
                yield Outcome(worker.task.item, answer.result, answer.error, answer.seconds, answer.trace)
            yield from _next(worker, left, again)
            if worker.task is None:
                crew.remove(worker)
                worker.end()


def _answer(worker: _Worker) -> Outcome[Any, Any] | None:
    """The answer that a worker sent; None if its process died."""
    try:
        answer: Outcome[Any, Any] = pickle.loads(worker.pipe.recv_bytes())
    except (EOFError, OSError):
        return None
    except Exception as error:
        return Outcome(None, None, _not_passed(error), 0.0)
    return answer


def _started(function: Callable[[Any], Any]) -> _Worker:
    context = multiprocessing.get_context("spawn")
    ours, end = context.Pipe()
    process = context.Process(target=_serve, args=(end, function), daemon=True)
    with _sigint_blocked():
        process.start()
    end.close()
    return _Worker(process, ours)


def _with_news(crew: Iterable[_Worker]) -> list[_Worker]:
    """Those that sent something, or died; waits for one."""
    sources: dict[Any, _Worker] = {}
    for worker in crew:
        sources |= {worker.pipe: worker, worker.process.sentinel: worker}
    return [*dict.fromkeys(sources[source] for source in wait([*sources]))]


def _next(worker: _Worker, left: Iterator[_Task], again: deque[_Task]) -> Iterator[Outcome[Any, Any]]:
    """Give a process its next task, if there is one; the outcomes of those that cannot be given."""
    worker.task = None
    while (task := again.popleft() if again else next(left, None)) is not None:
        why = worker.give(task)
        if not why:
            return
        yield Outcome(task.item, None, why, 0.0)


def _lost(worker: _Worker, again: deque[_Task]) -> Iterator[Outcome[Any, Any]]:
    """A process has died: its task is tried again, or has an outcome."""
    worker.end()
    if worker.task is None:
        raise RigError(
            f"a process of --workers does not start (status {worker.process.exitcode}). Is there memory? A Python "
            'program that uses workers has to begin them under `if __name__ == "__main__":`.'
        )
    if worker.task.tries < TRIES:
        again.append(_Task(worker.task.item, worker.task.tries + 1))
        return
    text = (
        f"its worker process was killed, {TRIES} times (too little memory?); give it more memory, or use fewer workers."
    )
    yield Outcome(worker.task.item, None, text, 0.0)


def _serve(pipe: Connection, function: Callable[[Any], Any]) -> None:
    """What a process does until its pipe is closed."""
    _settle()
    pipe.send(READY)
    with contextlib.suppress(EOFError, BrokenPipeError):
        while True:
            data = pipe.recv_bytes()
            try:
                done = attempt(function, pickle.loads(data))
                content = pickle.dumps(Outcome(None, done.result, done.error, done.seconds, done.trace))
            except Exception as error:
                content = pickle.dumps(Outcome(None, None, _not_passed(error), 0.0))
            pipe.send_bytes(content)


def _settle() -> None:
    """Print nothing, leave Ctrl-C to the process that started this one, and end in order with it, however it ends."""
    with Path(os.devnull).open("wb") as nothing:
        for stream in (1, 2):
            os.dup2(nothing.fileno(), stream)
    memory.reuse()
    signal.signal(signal.SIGTERM, _interrupt)
    forked.end_with_parent(signal.SIGTERM)
    signal.signal(signal.SIGINT, lambda *_: None)  # not SIG_IGN, which programs that a task starts would inherit
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


def _interrupt(number: int, frame: object) -> None:
    raise Interrupted(number)


def _not_passed(error: Exception) -> str:
    return f"{type(error).__name__}: {error}; the item could not reach its worker, or its result come back."


@contextlib.contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Variables for the processes that start meanwhile."""
    before = dict(os.environ)
    os.environ.update(values)
    try:
        yield
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)


@contextlib.contextmanager
def _sigint_blocked() -> Iterator[None]:
    """Ctrl-C reaches this thread after the block, and what starts in it when that asks for it.

    The tracker of multiprocessing is started first: CPython 3.11 lets signals through in the thread that starts it.
    """
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

"""Tasks on the workers of a Dask cluster: processes of this machine, or a cluster that exists."""

from __future__ import annotations

import contextlib
import itertools
import logging
import math
import os
import queue
import signal
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, TypeVar

import dask
from distributed import Client, Future, LocalCluster, WorkerPlugin
from distributed.scheduler import KilledWorker

from gpiorig.rig import memory
from gpiorig.rig.batch.outcome import Outcome, attempt
from gpiorig.rig.errors import RigError
from gpiorig.rig.results import versions

Item = TypeVar("Item")
Result = TypeVar("Result")

TASKS_PER_WORKER = 2  # one that runs, one that waits at the scheduler
# An item whose worker died is tried twice more; none waits at a worker, where it would be blamed for the death of
# another. A cluster that exists has settings of its own.
SCHEDULING = {"distributed.scheduler.allowed-failures": 2, "distributed.scheduler.worker-saturation": 1.0}
PROFILE = {"distributed.worker.profile.enabled": False}  # a look at each worker's stack every 10 ms
REFRESH_S = 1.0  # of the number of workers, which may come and go
PATIENCE_S = 30.0  # for a scheduler to answer, and for a first worker
LOGGERS = ("distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application", "asyncio")
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
ENVIRONMENT = dict.fromkeys(THREADS, "1") | {"DASK_LOGGING__DISTRIBUTED": "critical"}


class _Quiet(WorkerPlugin):
    """A worker of this machine prints nothing, and leaves Ctrl-C to the process that started it."""

    def setup(self, worker: Any) -> None:
        """Called in the main thread of each worker, also of one that replaces another."""
        with Path(os.devnull).open("wb") as nothing:
            for stream in (1, 2):
                os.dup2(nothing.fileno(), stream)
        memory.give_back()
        signal.signal(signal.SIGINT, lambda *_: None)  # not SIG_IGN, which programs that a task starts would inherit
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


@contextlib.contextmanager
def local(workers: int) -> Iterator[Client]:
    """Processes of this machine, one thread each; they and their files are gone at the end."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="gpiorig-batch-"))
        stack.enter_context(_environment(ENVIRONMENT))
        stack.enter_context(dask.config.set(SCHEDULING | PROFILE | {"temporary-directory": folder}))
        _silence()
        with _sigint_blocked():  # for the threads and processes that start here
            cluster = stack.enter_context(
                LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    processes=True,
                    scheduler_kwargs={"dashboard": False, "dashboard_address": "127.0.0.1:0"},  # else it wants 8787
                    memory_limit=0,
                    local_directory=folder,
                    silence_logs=logging.CRITICAL,
                )
            )
            client = stack.enter_context(Client(cluster, set_as_default=False))
        client.register_plugin(_Quiet())
        yield client


@contextlib.contextmanager
def existing(address: str) -> Iterator[Client]:
    """The workers of a scheduler, whose versions are ours."""
    _silence()
    try:
        client = Client(address, timeout=PATIENCE_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise RigError(
            f"scheduler {address}: {error}. Start one with `dask scheduler`, and give the address that it prints."
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=PATIENCE_S)
        except TimeoutError as error:
            raise RigError(
                f"scheduler {address}: has no workers. Start some: dask worker {address} --nthreads 1"
            ) from error
        _check_versions(client, address)
        yield client


def outcomes(
    client: Client, function: Callable[[Item], Result], items: Iterable[Item]
) -> Iterator[Outcome[Item, Result]]:
    """The outcome of each item as it ends; few tasks are with the cluster at once."""
    left = iter(items)
    waiting: dict[Future[Any], Item] = {}
    ended: queue.SimpleQueue[Future[Any]] = queue.SimpleQueue()
    room, asked_s = 0, -math.inf
    try:
        while True:
            if time.monotonic() > asked_s + REFRESH_S:
                room, asked_s = _room(client), time.monotonic()
            for item in itertools.islice(left, max(room - len(waiting), 0 if waiting else 1)):
                future = client.submit(_task, function, item, versions.here(), pure=False)
                waiting[future] = item
                future.add_done_callback(ended.put)
            if not waiting:
                return
            future = _next(ended, client)
            yield _outcome(future, waiting.pop(future))
            future.release()
    finally:
        client.cancel([*waiting])


def _room(client: Client) -> int:
    """How many tasks the cluster should have now."""
    return TASKS_PER_WORKER * int(sum(client.nthreads().values()))


def _next(ended: queue.SimpleQueue[Future[Any]], client: Client) -> Future[Any]:
    """The next future that ends, however long its task takes, as long as the cluster has workers."""
    alone = False
    while True:
        try:
            return ended.get(timeout=PATIENCE_S)
        except queue.Empty:
            before, alone = alone, not client.nthreads()
            if before and alone:
                raise RigError("the cluster has lost all its workers; start some, then repeat the command.") from None


def _task(function: Callable[[Item], Result], item: Item, expected: dict[str, str]) -> Outcome[None, Result]:
    """What a worker does; the item is known where it came from."""
    if different := versions.differences(expected, versions.here()):  # a worker that joined later
        return Outcome(None, None, f"its worker has {'; '.join(different)}; give all workers the same.", 0.0)
    done = attempt(function, item)
    return Outcome(None, done.result, done.error, done.seconds, done.trace)


def _outcome(future: Future[Any], item: Item) -> Outcome[Item, Any]:
    """Take the result; one that was lost with its worker is computed again."""
    try:
        done = future.result()
    except KilledWorker as error:
        text = (
            f"its worker process was killed, {error.allowed_failures + 1} times (too little memory?); give it more "
            "memory, or use fewer workers."
        )
    except CancelledError as error:
        raise RigError(
            "the scheduler of the cluster is gone; start it and its workers again, then repeat the command."
        ) from error
    except Exception as error:
        text = f"{type(error).__name__}: {error}; the item could not reach its worker, or its result come back."
    else:
        return Outcome(item, done.result, done.error, done.seconds, done.trace)
    return Outcome(item, None, text, 0.0)


def _check_versions(client: Client, address: str) -> None:
    """Refuse workers with other versions: their results would not be equal."""
    for worker, answer in client.run(versions.here, on_error="return").items():
        if isinstance(answer, Exception):
            different = [f"no gpiorig like this one: {answer}"]
        else:
            different = versions.differences(versions.here(), answer)
        if different:
            raise RigError(
                f"scheduler {address}: worker {worker} has {'; '.join(different)}. Install the same wheel for all "
                "workers and here."
            )


def _silence() -> None:
    """Keep what Dask logs from the terminal: what matters of it is an outcome or an error."""
    for name in LOGGERS:
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [logging.NullHandler()], False


@contextlib.contextmanager
def _environment(values: dict[str, str]) -> Iterator[None]:
    """Variables for the processes that start meanwhile; Dask sets more of them."""
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

"""Tasks on the workers of a Dask cluster that exists."""

from __future__ import annotations

import contextlib
import itertools
import logging
import math
import queue
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any, TypeVar

import dask
from distributed import Client, Future
from distributed.scheduler import KilledWorker

from gpiorig.rig.errors import RigError
from gpiorig.rig.results import versions
from gpiorig.studies.batch.outcome import Outcome, attempt
from gpiorig.studies.batch.verbs import HOW, TLS, check_scheduler

Item = TypeVar("Item")
Result = TypeVar("Result")

TASKS_PER_WORKER = 2  # one that runs, one that waits at the scheduler
REFRESH_S = 1.0  # of the number of workers, which may come and go
PATIENCE_S = 30.0  # for a scheduler to answer, and for a first worker
LOGGERS = ("distributed", "distributed.client", "distributed.gc", "tornado", "tornado.application", "asyncio")
TLS_SETTINGS = "distributed.comm.tls"  # of Dask's configuration


@contextlib.contextmanager
def existing(address: str, *, insecure: bool = False) -> Iterator[Client]:
    """The workers of a scheduler, whose versions are ours.

    Parameters
    ----------
    address
        ``tls://HOST:PORT``; the certificates are those of Dask's configuration.
    insecure
        Take an address without certificates, too.

    Raises
    ------
    RigError
        The scheduler is not there, it has no workers or other versions, or the connection would not be secure.
    """
    _check_security(address, insecure=insecure)
    _silence()
    try:
        client = Client(address, timeout=PATIENCE_S, set_as_default=False)
    except (OSError, ValueError) as error:
        raise RigError(
            f"scheduler {address}: {error}. Start one with `dask scheduler`, and give the address that it prints; with "
            f"tls:// all of them need certificates of one authority ({HOW})."
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


def _check_security(address: str, *, insecure: bool) -> None:
    """Refuse a scheduler without certificates, and the lack of our own: `RigError`."""
    check_scheduler(address, insecure=insecure)
    if not address.startswith(TLS):
        return
    for key in ("ca-file", "client.cert", "client.key"):
        file = dask.config.get(f"{TLS_SETTINGS}.{key}", None)
        if file is None or not Path(file).is_file():
            variable = f"DASK_{TLS_SETTINGS}.{key}".replace("-", "_").replace(".", "__").upper()
            state = "is not set" if file is None else f"is {file}, which is not a file"
            raise RigError(f"scheduler {address}: {variable} {state}; set it to a PEM file ({HOW}).")


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

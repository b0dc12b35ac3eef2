"""A function on many items: in this process, on processes of this machine, or on a cluster that exists."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator, Sized
from typing import Any, TypeVar

from gpiorig.rig.errors import RigError
from gpiorig.studies.batch import processes
from gpiorig.studies.batch.outcome import Outcome, attempt

__all__ = ["Outcome", "run"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def run(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    insecure: bool = False,
    progress: Callable[[Outcome[Item, Result]], object] = lambda outcome: None,
) -> Generator[Outcome[Item, Result], None, None]:
    """Call a function for each item; outcomes come as they end, an error is one, too.

    The caller closes the iterator (`contextlib.closing`): an iterator that is closed, also by Ctrl-C, cancels what is
    left and ends its processes.

    Parameters
    ----------
    function
        A function of a module: workers import it. It, the items and the results are pickled.
    items
        Taken one by one, a few more than there are workers at once.
    workers
        1: in this process. More: processes of this machine, one thread each. None: as many as there are processors.
    scheduler
        Address of a Dask scheduler, such as ``tls://10.0.0.5:8786``, whose workers are used in place of processes.
    insecure
        Whether one without certificates is used, too.
    progress
        Called with each outcome.

    Raises
    ------
    RigError
        The cluster is not there, has no workers, has another version of gpiorig than this process, or is not secured
        by certificates.
    """
    if scheduler is not None and workers is not None:
        raise RigError("a scheduler has its own workers; give the number of workers or the scheduler, not both.")
    for outcome in _outcomes(function, items, _processes(items, workers), scheduler, insecure=insecure):
        progress(outcome)
        yield outcome


def _processes(items: Iterable[Any], workers: int | None) -> int:
    """Workers that have something to do."""
    if workers is not None and workers < 1:
        raise RigError(f"workers is {workers}; give 1 or more.")
    wanted = len(os.sched_getaffinity(0)) if workers is None else workers
    return min(wanted, len(items)) if isinstance(items, Sized) else wanted


def _outcomes(
    function: Callable[[Item], Result], items: Iterable[Item], workers: int, scheduler: str | None, *, insecure: bool
) -> Iterator[Outcome[Item, Result]]:
    if scheduler is None and workers <= 1:
        for item in items:
            yield attempt(function, item)
        return
    if scheduler is None:
        yield from processes.outcomes(function, items, workers)
        return
    from gpiorig.studies.batch import cluster  # Dask takes a second to import

    with cluster.existing(scheduler, insecure=insecure) as client:
        yield from cluster.outcomes(client, function, items)

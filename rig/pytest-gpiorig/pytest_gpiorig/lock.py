"""Locks: one process uses a bench at a time, and one writes a folder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gpiorig.rig import file_locks
from gpiorig.rig.errors import RigError

LONGEST_WAIT_S = 0.2


@contextmanager
def of_folder(folder: Path) -> Iterator[None]:
    """Hold the lock on a folder, which is made if it is absent; processes wait for each other."""
    folder.mkdir(parents=True, exist_ok=True)
    file = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)


class BenchInUseError(RigError):
    """Another process has held a bench for too long."""


@contextmanager
def held(bench_file: Path, *, patience_s: float) -> Iterator[None]:
    """Hold the lock on a bench, which is on its file; a process that ends in whatever way gives it back.

    Parameters
    ----------
    bench_file
        The bench's file. Two files that name the same boards are two benches to it.
    patience_s
        How long another process is waited for.

    Raises
    ------
    BenchInUseError
        It has not ended.
    """
    with bench_file.open("rb") as file:
        waits_s = (LONGEST_WAIT_S / 64, LONGEST_WAIT_S)
        if not file_locks.acquire(file.fileno(), fcntl.LOCK_EX, patience_s=patience_s, waits_s=waits_s):
            raise BenchInUseError(
                f"{bench_file}: other tests have used this bench for {patience_s:g} s; wait for their end, or "
                "give a longer --gpiorig-wait."
            )
        yield

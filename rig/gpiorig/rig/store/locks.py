"""Locks of a store: flock on files in its folder, which a process that ends in whatever way gives back."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from gpiorig.capture import confined
from gpiorig.rig import file_locks
from gpiorig.rig.errors import StoreError

CATALOGUE = "catalogue.lock"  # held while the catalogue is read (shared) or changed (alone): milliseconds
WRITING = "writing.lock"  # held while a writer has files that are not registered (shared), or to collect them (alone)
PATIENCE_S = 60.0
FIRST_WAIT_S, MAX_WAIT_S = 0.002, 0.1


@contextmanager
def locked(
    folder: Path, name: str, kind: Literal["shared", "alone"], *, patience_s: float | None = None
) -> Iterator[None]:
    """Hold one of the locks of a store.

    Raises
    ------
    StoreError
        Another process has held it for `patience_s`, or `PATIENCE_S`.
    """
    path = confined.inside(folder, name)
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        operation = fcntl.LOCK_SH if kind == "shared" else fcntl.LOCK_EX
        patience_s = PATIENCE_S if patience_s is None else patience_s
        if not file_locks.acquire(file, operation, patience_s=patience_s, waits_s=(FIRST_WAIT_S, MAX_WAIT_S)):
            raise StoreError(
                f"{path.parent}: another process has used the store for {patience_s:g} s ({path.name} is locked); "
                "wait for its end and try again."
            )
        yield
    finally:
        os.close(file)

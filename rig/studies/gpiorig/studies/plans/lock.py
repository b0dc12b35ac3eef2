"""The lock of an output folder: one process at a time records points into it."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gpiorig.capture import confined
from gpiorig.rig.errors import RigError

NAME = ".lock"


@contextmanager
def held(output: Path) -> Iterator[None]:
    """Hold the lock of a folder, which is made; a process that ends in whatever way gives it back.

    Raises
    ------
    RigError
        Another process holds it.
    """
    output.mkdir(parents=True, exist_ok=True)
    file = os.open(confined.inside(output, NAME), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            owner = os.read(file, 20).decode(errors="replace").strip()
            raise RigError(
                f"{output}: another gpiorig (process {owner or 'unknown'}) records into this folder. Wait for its end, "
                "or give another folder with -o."
            ) from error
        os.ftruncate(file, 0)
        os.write(file, str(os.getpid()).encode())
        yield
    finally:
        os.close(file)

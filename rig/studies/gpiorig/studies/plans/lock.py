"""The locks of an output folder: one process at a time records points into it, one at a time writes its pages."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gpiorig.capture import confined
from gpiorig.rig.errors import RigError

NAME = ".lock"
WAIT_S = 600.0  # for the pages of a catalogue, which take minutes
_POLL_S = 0.2


@contextmanager
def held_if_free(output: Path) -> Iterator[bool]:
    """Hold the lock of a folder, or give False where another process holds it."""
    with contextlib.ExitStack() as stack:
        is_free = True
        try:
            stack.enter_context(held(output))
        except RigError:
            is_free = False
        yield is_free


@contextmanager
def held(output: Path, *, wait_s: float = 0.0) -> Iterator[None]:
    """Hold the lock of a folder, which is made; a process that ends in whatever way gives it back.

    Raises
    ------
    RigError
        Another process holds it, after this time.
    """
    end_s = time.monotonic() + wait_s
    output.mkdir(parents=True, exist_ok=True)
    file = os.open(confined.inside(output, NAME), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        while not _is_taken(file):
            if time.monotonic() < end_s:
                time.sleep(_POLL_S)
                continue
            owner = os.read(file, 20).decode(errors="replace").strip()
            raise RigError(
                f"{output}: another gpiorig (process {owner or 'unknown'}) records into this folder. Wait for its end, "
                "or give another folder with -o."
            )
        os.ftruncate(file, 0)
        os.write(file, str(os.getpid()).encode())
        yield
    finally:
        os.close(file)


def _is_taken(file: int) -> bool:
    """Take the lock of an open file; False where another process has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

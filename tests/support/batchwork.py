"""Functions that tests give to the engine of batches: its workers import them from here."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

from gpiorig.rig.errors import RigError


def halve(number: int) -> int:
    """Half of an even number."""
    if number % 2:
        raise RigError(f"{number} is odd; give an even number.")
    return number // 2


def die_at_first(folder: Path) -> str:
    """Be killed at first, answer the second time."""
    mark = folder / "mark"
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return os.environ["OPENBLAS_NUM_THREADS"]


def mixed(item: object) -> object:
    """Halve a number; be killed by a folder at first, by `die` always; a `generator` cannot be pickled."""
    if isinstance(item, Path):
        return die_at_first(item)
    if item == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    if item == "generator":
        return (number for number in range(3))
    assert isinstance(item, int)
    return halve(item)


def announce_and_wait(folder: Path) -> None:
    """Show that the task runs, and wait for longer than a test does."""
    (folder / str(os.getpid())).touch()
    time.sleep(1000)

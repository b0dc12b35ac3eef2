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


def listening(item: object) -> tuple[int, int]:
    """How many processes of this session there are, and how many of their sockets listen on TCP (proc(5))."""
    tables = [Path(f"/proc/net/{name}").read_text().splitlines()[1:] for name in ("tcp", "tcp6")]
    rows = [line.split() for table in tables for line in table]
    inodes = {f"socket:[{row[9]}]" for row in rows if row[3] == "0A"}
    ours = [int(folder.name) for folder in Path("/proc").glob("[0-9]*") if _session(int(folder.name)) == os.getsid(0)]
    files = [file for process in ours for file in Path(f"/proc/{process}/fd").iterdir()]
    return len(ours), sum(_target(file) in inodes for file in files)


def _session(process: int) -> int:
    try:
        return os.getsid(process)
    except OSError:
        return -1


def _target(file: Path) -> str:
    try:
        return str(file.readlink())
    except OSError:
        return ""

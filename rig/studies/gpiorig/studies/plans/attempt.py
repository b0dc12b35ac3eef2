"""One attempt at a recording: a process that is watched; it ends with the plan, however that ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from gpiorig.capture import confined
from gpiorig.capture.log import runs
from gpiorig.rig.errors import RigError
from gpiorig.studies.plans.outcome import Outcome

LOCK = ".children"  # all attempts share its lock while they live
ORPHANS_S = 60.0  # attempts of a plan that was killed end within this
END_S = 30.0  # an attempt that is asked to end does within this
LOOK_S = 0.2  # how often to look at an attempt


@dataclass(frozen=True, slots=True)
class Watch:
    """What ends an attempt.

    Parameters
    ----------
    silence_s, timeout_s
        The longest time without a change of `sign`, and in all.
    sign
        Changes while the attempt works.
    is_low
        Whether the disk is nearly full.
    stop
        Is set when the plan ends.
    """

    silence_s: float
    timeout_s: float
    sign: Callable[[], object]
    is_low: Callable[[], bool]
    stop: threading.Event


@dataclass(frozen=True, slots=True)
class Ended:
    """How the process ended: its status, what it printed, and what ended it; the latter is None if it ended itself."""

    status: int
    stdout: str
    stderr: str
    ended_by: Outcome | None


def run(command: Sequence[str], watch: Watch, *, output: Path, log: Path) -> Ended:
    """Run a command until it ends, or until the watch ends it; `log` is the start of the names of its two outputs."""
    log.parent.mkdir(parents=True, exist_ok=True)
    printed = [log.with_name(f"{log.name}.{name}") for name in ("stdout", "stderr")]
    for path in printed:
        path.unlink(missing_ok=True)
    with printed[0].open("xb") as stdout, printed[1].open("xb") as stderr, _shared_lock(output) as lock:
        runs(command)
        process = subprocess.Popen(
            _dying_with_us(command),
            stdin=subprocess.PIPE,  # another machine's program ends when it is closed
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,  # Ctrl-C is for us: we end it in order
            pass_fds=[lock],
        )
        try:
            ended_by = _watched(process, watch)
        finally:
            _end(process)
    stdout_text, stderr_text = (path.read_text(encoding="utf-8", errors="replace") for path in printed)
    for path in printed:
        if process.returncode == 0:
            path.unlink()
    return Ended(process.returncode, stdout_text, stderr_text, ended_by)


def await_orphans(output: Path) -> None:
    """Wait until no attempt of an earlier call is left.

    Raises
    ------
    RigError
        One does not end.
    """
    end_s = time.monotonic() + ORPHANS_S
    with confined.inside(output, LOCK).open("w") as file:
        while True:
            with contextlib.suppress(BlockingIOError):
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return
            if time.monotonic() > end_s:
                raise RigError(
                    f"{output}: a recording of an earlier `gpiorig study run` has not ended within {ORPHANS_S:g} s. "
                    "Look for it with `ps`, and end it."
                )
            time.sleep(LOOK_S)


def folder_sign(folder: Path) -> tuple[int, int, int]:
    """Number, size and newest time of the files below a folder."""
    count = size = newest = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                status = Path(parent, name).stat()
                count, size, newest = count + 1, size + status.st_size, max(newest, status.st_mtime_ns)
    return count, size, newest


def _watched(process: subprocess.Popen[bytes], watch: Watch) -> Outcome | None:
    """Wait for the end; returns why it has to be ended, or None."""
    began_s = looked_s = changed_s = time.monotonic()
    look_s = min(5.0, watch.silence_s / 10)
    sign: object = None
    while process.poll() is None:
        if watch.stop.wait(LOOK_S):
            return Outcome("stopped", "it was stopped")
        now_s = time.monotonic()
        if watch.is_low():
            return Outcome("disk", "the disk is nearly full")
        if now_s - began_s > watch.timeout_s:
            return Outcome("timeout", f"it was not done after {watch.timeout_s:g} s (watchdog.timeout)")
        if now_s - looked_s >= look_s:
            looked_s, before, sign = now_s, sign, watch.sign()
            if sign != before:
                changed_s = now_s
            elif now_s - changed_s > watch.silence_s:
                return Outcome("silent", f"it has written nothing for {watch.silence_s:g} s (watchdog.silence)")
    return None


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask the process to end in order; kill it and its group if it does not."""
    assert process.stdin is not None
    with contextlib.suppress(OSError):
        process.stdin.close()
    if process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(END_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _dying_with_us(command: Sequence[str]) -> list[str]:
    setpriv = shutil.which("setpriv")  # of util-linux
    return [setpriv, "--pdeathsig", "TERM", *command] if setpriv else list(command)


@contextmanager
def _shared_lock(output: Path) -> Iterator[int]:
    """A descriptor with a shared lock, which a child that gets it holds until it ends."""
    file = os.open(confined.inside(output, LOCK), os.O_RDWR | os.O_CREAT, 0o644)
    try:
        fcntl.flock(file, fcntl.LOCK_SH)
        yield file
    finally:
        os.close(file)

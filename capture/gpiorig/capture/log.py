"""The log: which programs were run, what they printed, what was decided and why; for a person who reads it elsewhere.

It is the logger `gpiorig` of Python's logging. The last lines are kept in memory, so the file of a recording begins
with what was before it. What nodes send and what was sampled is not in it.
"""

from __future__ import annotations

import contextlib
import logging
import os
import shlex
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from gpiorig.capture import confined
from gpiorig.capture.atomic_file import replacing
from gpiorig.capture.errors import CaptureError
from gpiorig.capture.printable import printable

NAME = "log.txt"
LOG = logging.getLogger("gpiorig")
MAX_BYTES = 512 << 10  # of a file, but for its last lines
LAST_LINES = 200  # of a file that is full
RECENT_LINES = 2000
MAX_CHARACTERS = 2000  # of a line: a command with the channels of a large bench has some hundreds
MAX_MESSAGES = 60  # lines of what a program printed


class _Format(logging.Formatter):
    """`2026-11-27T15:00:00.123Z    1.234 text`: the time, seconds since the start, text; more lines are indented."""

    def format(self, record: logging.LogRecord) -> str:
        """A record as lines without control characters."""
        time_text = f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(record.created))}.{int(record.msecs):03}Z"
        head, *rest = (
            printable(line.expandtabs())[:MAX_CHARACTERS] for line in record.getMessage().splitlines() or [""]
        )
        return "\n".join(
            [f"{time_text} {record.relativeCreated / 1000:8.3f} {head}", *(f"    {line}" for line in rest)]
        )


class _Recent(logging.Handler):
    """The last lines, in memory."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: deque[str] = deque(maxlen=RECENT_LINES)
        self.commands = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a record."""
        self.lines.append(self.format(record))


class _File(logging.Handler):
    """A file that grows up to a limit; beyond it the last lines come at the end, after the number of those between."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        confined.check_own(path)
        self._file = path.open("a", encoding="utf-8", errors="backslashreplace")
        self._room = MAX_BYTES - os.fstat(self._file.fileno()).st_size
        self._last: deque[str] = deque(maxlen=LAST_LINES)
        self._withheld = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record, or withhold it."""
        self.put(self.format(record))

    def put(self, line: str) -> None:
        """Write a line, or withhold it."""
        size = len(line.encode(errors="backslashreplace")) + 1
        if self._withheld or size > self._room:
            self._withheld += 1
            self._last.append(line)
            return
        self._room -= size
        self._write(line)

    def close(self) -> None:
        """Write the last lines, and how many are missing before them."""
        if dropped := self._withheld - len(self._last):
            self._write(f"... {dropped} lines are missing here: the log was full")
        for line in self._last:
            self._write(line)
        with contextlib.suppress(OSError):
            self._file.close()
        super().close()

    def _write(self, line: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # a full disk ends the recording, with its reason
            self._file.write(f"{line}\n")
            self._file.flush()


_recent = _Recent()


def begin(show: TextIO | None = None) -> None:
    """Keep what is logged from now on in memory, and show it, too; what was before is forgotten."""
    _recent.lines.clear()
    _recent.commands = 0
    LOG.setLevel(logging.DEBUG)
    LOG.propagate = False  # a program that uses this package decides itself what it shows
    LOG.handlers = [_recent]
    if show is not None:
        LOG.addHandler(logging.StreamHandler(show))
    for handler in LOG.handlers:
        handler.setFormatter(_Format())


def _begin_once() -> None:
    if _recent not in LOG.handlers:
        begin()


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Write the log to the end of a file meanwhile, from what is in memory on; what ends the block, too.

    Afterwards the memory is empty, unless an error has ended it. A log that cannot be written stops nothing.
    """
    _begin_once()
    try:
        file = _File(path)
    except (OSError, CaptureError) as error:
        LOG.info("no log is kept: %s", error)
        yield
        return
    file.setFormatter(_Format())
    for line in list(_recent.lines):
        file.put(line)
    LOG.addHandler(file)
    try:
        yield
        _recent.lines.clear()
    except BaseException as error:
        LOG.info("ended by %s: %s", type(error).__name__, error)
        raise
    finally:
        LOG.removeHandler(file)
        file.close()


def recent() -> str:
    """What is in memory."""
    return "".join(f"{line}\n" for line in _recent.lines)


def save(path: Path) -> None:
    """Write what is in memory into a new file, or over one that is there."""
    with replacing(path) as new:
        new.write_text(recent(), encoding="utf-8", errors="backslashreplace")


def has_run_programs() -> bool:
    """Whether there is more in the log than this program's own decisions."""
    return _recent.commands > 0


def runs(command: Sequence[str | Path]) -> None:
    """A program is started; in a worker process the log begins with it."""
    _begin_once()
    _recent.commands += 1
    LOG.info("runs: %s", shlex.join(map(str, command)))


def ended(name: str, status: int | None, *, began_s: float, messages: str = "") -> None:
    """A program has ended: its status (None: it was ended), its monotonic start, and what it printed."""
    took = f"after {time.monotonic() - began_s:.2f} s"
    how = f"ends with status {status} {took}" if status is not None else f"is ended {took}"
    LOG.info("%s %s%s", name, how, f"; it prints:\n{bounded(messages)}" if messages.strip() else "")


def bounded(text: str) -> str:
    """Text with its lines in the middle omitted where there are too many."""
    lines = [line for line in text.splitlines() if line.strip()]
    half = MAX_MESSAGES // 2
    if len(lines) > MAX_MESSAGES:
        lines[half:-half] = [f"... {len(lines) - 2 * half} lines"]
    return "\n".join(lines)

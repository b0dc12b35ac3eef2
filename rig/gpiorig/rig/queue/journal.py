"""The journal of a queue: one line of JSON for each thing that happened, on the disk before anything follows of it."""

from __future__ import annotations

import contextlib
import datetime
import errno
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import msgspec

NAME, RESERVE = "journal.jsonl", "reserve"
RESERVE_BYTES = 1 << 20  # thousands of records: enough to write down that the disk is full, and what that ends

Event = Literal[
    "queue started",
    "queue ended",
    "gap",
    "started",
    "complete",
    "failed",
    "cut",
    "fetched",
    "given up",
    "skipped",
    "power cycle",
    "quarantined",
    "released",
    "disk low",
    "disk free",
]


class Record(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One thing that happened.

    Attributes
    ----------
    at
        When, in UTC (ISO 8601).
    event
        What.
    run, attempt, bench, node
        What it is about; `attempt` counts from 1.
    cause
        Of a failure: one of `outcome.CAUSES`.
    text
        Why, as text.
    folder
        Where a recording is, relative to the folder of the queue; of a failed or cut attempt, where it is kept.
    state
        State of that recording.
    remote_folder
        On another machine: the folder below the home folder in which an attempt records, or in which its recording
        still is.
    bytes, seconds
        Size of that recording; how long an attempt, a gap or a hook lasted.
    """

    at: str
    event: Event
    run: str = ""
    attempt: int = 0
    bench: str = ""
    node: str = ""
    cause: str = ""
    text: str = ""
    folder: str = ""
    state: str = ""
    remote_folder: str = ""
    bytes: int = 0
    seconds: float = 0.0


class Journal:
    """The journal of a folder, open for writing; `news` gets each record that is written.

    A line that a kill has cut at the end of the file is deleted: what it was about is found in the folders. On a full
    disk a file next to it, which holds room, is deleted first.
    """

    def __init__(self, output: Path, news: Callable[[Record], object] = lambda record: None) -> None:
        output.mkdir(parents=True, exist_ok=True)
        self.path, self._news, self._lock = output / NAME, news, threading.Lock()
        self.records = list(read(output))
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        os.ftruncate(self._file, _end_of_lines(self.path))
        self._reserve = output / RESERVE
        self._hold_room()

    def write(self, event: Event, **fields: object) -> Record:
        """Write a record; it is on the disk when this returns."""
        with self._lock:
            record = msgspec.convert({"at": now(), "event": event, **fields}, Record)
            line = msgspec.json.encode(record) + b"\n"
            try:
                self._append(line)
            except OSError:
                self._reserve.unlink(missing_ok=True)
                self._append(line)
            self._hold_room()
            self.records.append(record)
        self._news(record)
        return record

    def _hold_room(self) -> None:
        """For the next time that the disk is full."""
        with contextlib.suppress(OSError):  # a full disk, which the queue waits for
            if not self._reserve.exists() or self._reserve.stat().st_size < RESERVE_BYTES:
                self._reserve.write_bytes(b"\0" * RESERVE_BYTES)

    def _append(self, line: bytes) -> None:
        size = os.fstat(self._file).st_size
        try:
            if os.write(self._file, line) < len(line):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(self.path))
            os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, size)
            raise

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def read(output: Path) -> Iterator[Record]:
    """The records of a folder, also while a queue writes; none without a journal."""
    path = output / NAME
    if not path.exists():
        return
    for line in path.read_bytes()[: _end_of_lines(path)].splitlines():
        yield msgspec.json.decode(line, type=Record)


def now() -> str:
    """The present in UTC."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


def _end_of_lines(path: Path) -> int:
    """Up to the end of the last complete line."""
    return path.read_bytes().rfind(b"\n") + 1

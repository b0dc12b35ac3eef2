"""The journal of a plan: one line of JSON for each thing that happened, on the disk before anything follows of it."""

from __future__ import annotations

import contextlib
import datetime
import errno
import os
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from gpiorig.capture import confined
from gpiorig.capture.atomic_file import naming, replacing
from gpiorig.rig.errors import RigError

NAME, RESERVE = "journal.jsonl", "reserve"
RESERVE_BYTES = 1 << 20  # thousands of records: enough to write down that the disk is full, and what that ends

# A point's digest becomes part of the names of folders, and a folder of another machine part of a command there.
POINT = re.compile(r"([0-9a-f]{64})?")
FOLDER = re.compile(r"([A-Za-z0-9_-]+/[A-Za-z0-9_-]+)?")

Event = Literal[
    "plan started",
    "plan ended",
    "gap",
    "started",
    "complete",
    "failed",
    "cut",
    "fetched",
    "given up",
    "refused",
    "skipped",
    "power cycle",
    "quarantined",
    "released",
    "disk low",
    "disk free",
    "damaged",
]


class Record(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One thing that happened.

    Attributes
    ----------
    at
        When, in UTC (ISO 8601).
    event
        What.
    point, study, repeat, attempt, bench, node
        What it is about: the digest of the point, its study and repeat (from 0); `attempt` counts from 1.
    cause
        Of a failure: one of `outcome.CAUSES`.
    text
        Why, as text.
    folder
        Where a recording is, relative to the output folder; of a failed or cut attempt, where it is kept.
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
    point: str = ""
    study: str = ""
    repeat: int = 0
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

    What a kill or a power failure has cut at the end of the file is deleted: what it was about is found in the folders.
    Damaged lines before that stay, and are counted. On a full disk a file next to it, which holds room, is deleted
    first.

    Attributes
    ----------
    records, damaged
        What was read, and is written since: see `Content`.
    """

    def __init__(self, output: Path, news: Callable[[Record], object] = lambda record: None) -> None:
        output.mkdir(parents=True, exist_ok=True)
        self.path, self._news, self._lock = confined.inside(output, NAME), news, threading.Lock()
        content = read(output)
        self.records, self.damaged = [*content.records], content.damaged
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW, 0o644)
        os.ftruncate(self._file, content.end)
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
        with contextlib.suppress(OSError):  # a full disk, which is waited for
            if not self._reserve.exists() or self._reserve.stat().st_size < RESERVE_BYTES:
                with replacing(self._reserve) as new:
                    new.write_bytes(b"\0" * RESERVE_BYTES)

    def _append(self, line: bytes) -> None:
        size = os.fstat(self._file).st_size
        try:
            with naming(self.path):
                if os.write(self._file, line) < len(line):
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, size)
            raise

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


@dataclass(frozen=True, slots=True)
class Content:
    """What a journal holds.

    Attributes
    ----------
    records
        In order.
    damaged
        Numbers of the lines, from 1, that cannot be read and have others after them.
    end
        Bytes up to the end of the last line that can be read.
    """

    records: tuple[Record, ...] = ()
    damaged: tuple[int, ...] = ()
    end: int = 0


def read(output: Path) -> Content:
    """The journal of a folder, also while a plan runs; without a file it is empty.

    Raises
    ------
    FormatError
        It is not a regular file.
    """
    try:
        with confined.opened(output / NAME) as file:
            lines = file.read().splitlines(keepends=True)
    except FileNotFoundError:
        return Content()
    records = [_record(line) for line in lines]
    while records and records[-1] is None:  # cut, or still being written
        records.pop()
    damaged = tuple(number for number, record in enumerate(records, start=1) if record is None)
    end = sum(map(len, lines[: len(records)]))
    return Content(tuple(record for record in records if record is not None), damaged, end)


def _record(line: bytes) -> Record | None:
    """The record of a complete line; None if it is damaged."""
    try:
        record = msgspec.json.decode(line, type=Record)
        datetime.datetime.fromisoformat(record.at)
    except (msgspec.MsgspecError, ValueError):
        return None
    is_safe = POINT.fullmatch(record.point) and FOLDER.fullmatch(record.remote_folder)
    return record if is_safe and line.endswith(b"\n") and (record.point or not record.remote_folder) else None


def now() -> str:
    """The present in UTC."""
    return datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")


def missing(output: Path) -> RigError:
    """The error of a folder without a journal."""
    return RigError(f"{output}: nothing was run into this folder; give the `output` of a plan, or the -o of a study.")

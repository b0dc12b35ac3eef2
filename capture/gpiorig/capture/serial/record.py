"""Serial records on disk: the bytes of one port, each read with the time at which it ended.

`serial/<node>.rec` begins with the 16 bytes "gpiorig serial 2"; then one record per read, write or event, little
endian:

    stamp i64 ns | wall i64 ns since 1970 | length u32 | number u32 | kind u8, 3 zero bytes | crc32 u32 | the bytes

`stamp` is monotonic time of the host, or the virtual bench's time; recording.toml names it (`serial_clock`). `number`
counts the records from 1, so that a missing one is noticed. `Kind` is what the bytes are. The checksum covers the
fields before it and the bytes. The file only grows, in complete records, so a crash tears the last one at most.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from types import TracebackType
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from gpiorig.capture import confined
from gpiorig.capture.errors import FormatError, RecordingError

MAGIC = b"gpiorig serial 2"
FIELDS = struct.Struct("<qqIIB3x")
CRC = struct.Struct("<I")
NEWLINE = 10
MAX_BYTES = 1 << 20  # of a record; a read gives at most seriallink.READ_BYTES

Clock = Literal["host", "virtual"]


class Kind(IntEnum):
    """Kind of the bytes of a record."""

    RECEIVED = 0  # from the node
    SENT = 1  # to the node
    OPENED = 2  # how the port is set, as a JSON object: at the start, and when it is back after LOST
    LOST = 3  # why the port is gone, as text: what the node sends until OPENED is not in the record
    COUNTED = 4  # what went wrong below us and how late we were, as a JSON object of totals: docs/guide/serial.md


KIND_OF = {int(kind): kind for kind in Kind}
EVENTS = (Kind.OPENED, Kind.LOST, Kind.COUNTED)


@dataclass(frozen=True, slots=True, eq=False)
class SerialLines:
    """Complete lines received on a port.

    Attributes
    ----------
    stamps_ns
        int64, shape (n,): end of the read that completed the line, in ns of `clock`.
    wall_ns
        int64, shape (n,): the same on the wall clock, in ns since 1970.
    texts
        The lines, without their end; bytes that are not UTF-8 become U+FFFD.
    clock
        Whose time `stamps_ns` is.
    """

    stamps_ns: NDArray[np.int64]
    wall_ns: NDArray[np.int64]
    texts: tuple[str, ...]
    clock: Clock


@dataclass(frozen=True, slots=True)
class Entry:
    """One record.

    Attributes
    ----------
    stamp_ns
        End of the read, in ns of the recording's serial clock.
    wall_ns
        The same on the wall clock, in ns since 1970.
    kind
        What the bytes are.
    data
        The bytes.
    """

    stamp_ns: int
    wall_ns: int
    kind: Kind
    data: bytes


@dataclass(frozen=True, slots=True)
class Event:
    """Something about a port that is not its bytes.

    Attributes
    ----------
    stamp_ns, wall_ns
        When, as in `Entry`.
    kind
        OPENED, LOST or COUNTED.
    text
        Why, or the JSON object.
    at
        Number of bytes received before it.
    """

    stamp_ns: int
    wall_ns: int
    kind: Kind
    text: str
    at: int


@dataclass(frozen=True, slots=True, eq=False)
class SerialRecord:
    """Bytes received on a port, read by read.

    Attributes
    ----------
    stamps_ns
        int64, shape (n,): end of each read, in ns of `clock`.
    wall_ns
        int64, shape (n,): the same on the wall clock, in ns since 1970.
    ends
        int64, shape (n,): number of bytes received up to the end of each read.
    data
        All bytes received.
    clock
        Whose time `stamps_ns` is.
    torn
        Where a last record was cut short ("file, offset"), or "".
    events
        Openings, losses and counts, in order.
    """

    stamps_ns: NDArray[np.int64]
    wall_ns: NDArray[np.int64]
    ends: NDArray[np.int64]
    data: bytes
    clock: Clock
    torn: str
    events: tuple[Event, ...] = ()

    @property
    def losses(self) -> tuple[int, ...]:
        """Numbers of bytes received before each loss of the port."""
        return tuple(event.at for event in self.events if event.kind is Kind.LOST)

    def lines(self) -> SerialLines:
        """Return the complete lines; a rest without a newline is omitted, at the end and before a loss."""
        at = np.flatnonzero(np.frombuffer(self.data, np.uint8) == NEWLINE)
        reads = np.searchsorted(self.ends, at, side="right")
        starts = np.concatenate([[0], at + 1])[:-1]
        losses = np.array([0, *self.losses], dtype=np.int64)
        starts = np.maximum(starts, losses[np.searchsorted(losses, at, side="right") - 1])
        texts = tuple(
            self.data[start:end].rstrip(b"\r").decode(errors="replace")
            for start, end in zip(starts.tolist(), at.tolist(), strict=True)
        )
        return SerialLines(self.stamps_ns[reads], self.wall_ns[reads], texts, self.clock)


class RecordFile:
    """Reads the record of a port entry by entry, also while it is written.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    FormatError
        It is not a serial record, or an entry other than a torn last one is damaged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = confined.opened(path)
        except OSError as error:
            raise RecordingError(f"cannot be read: {error.strerror}", where=path) from error
        self._at = self._number = 0  # 0: the first bytes are not there yet
        self.torn = ""
        try:
            self._begin()
        except FormatError:
            self._file.close()
            raise

    def _begin(self) -> None:
        head = self._file.read(len(MAGIC))
        if not MAGIC.startswith(head):
            raise FormatError("is not a serial record", where=self._path, remedy=f"one begins with {MAGIC.decode()!r}")
        if len(head) == len(MAGIC):
            self._at = len(MAGIC)

    def read(self) -> Iterator[Entry]:
        """Yield the entries up to the end of the file; later calls yield those that were added since."""
        if not self._at:
            self._file.seek(0)
            self._begin()
        self.torn = "" if self._at else f"{self._path}, offset 0"
        self._file.seek(self._at)
        while self._at and (entry := self._next()) is not None:
            yield entry

    def _next(self) -> Entry | None:
        """Read one record; None at the end of the file, or where its last record is cut short."""
        head = self._file.read(FIELDS.size + CRC.size)
        if not head:
            return None
        if len(head) == FIELDS.size + CRC.size:
            stamp_ns, wall_ns, length, number, kind = FIELDS.unpack_from(head)
            data = self._file.read(min(length, MAX_BYTES + 1))
            (crc,) = CRC.unpack_from(head, FIELDS.size)
            if len(data) == length and zlib.crc32(data, zlib.crc32(head[: FIELDS.size])) == crc:
                if kind not in KIND_OF:
                    raise self._damaged(f"a record of kind {kind}", "a newer gpiorig wrote it")
                self._number += 1
                if number != self._number:
                    raise self._damaged(f"record {number} is where record {self._number} should be")
                self._at += len(head) + length
                return Entry(stamp_ns, wall_ns, KIND_OF[kind], data)
            if length > MAX_BYTES or self._file.read(1):
                raise self._damaged("a record does not match its checksum")
        self.torn = f"{self._path}, offset {self._at}"
        return None

    def _damaged(self, problem: str, remedy: str = "restore it from a copy") -> FormatError:
        return FormatError(problem, where=f"{self._path}, offset {self._at}", remedy=remedy)

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> RecordFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_record(path: Path, *, clock: Clock, kind: Kind = Kind.RECEIVED) -> SerialRecord:
    """Read the record of a port, also while it is written.

    Parameters
    ----------
    path
        The file.
    clock
        Whose time the timestamps are, from recording.toml.
    kind
        Which direction to read.

    Raises
    ------
    FormatError
        It is not a serial record, or a record other than a torn last one is damaged.
    """
    stamps: list[int] = []
    walls: list[int] = []
    ends: list[int] = []
    data = bytearray()
    events: list[Event] = []
    with RecordFile(path) as file:
        for entry in file.read():
            if entry.kind == kind and entry.data:
                stamps.append(entry.stamp_ns)
                walls.append(entry.wall_ns)
                data += entry.data
                ends.append(len(data))
            elif entry.kind in EVENTS:
                text = entry.data.decode(errors="replace")
                events.append(Event(entry.stamp_ns, entry.wall_ns, entry.kind, text, len(data)))
    return SerialRecord(
        np.array(stamps, dtype=np.int64),
        np.array(walls, dtype=np.int64),
        np.array(ends, dtype=np.int64),
        bytes(data),
        clock,
        file.torn,
        tuple(events),
    )
